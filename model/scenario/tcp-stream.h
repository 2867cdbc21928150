/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_STREAM_H
#define TCP_STREAM_H

#include "ns3/cpu-engine.h"
#include "ns3/kernel-lock.h"
#include "ns3/merge-list.h"
#include "ns3/nic-net-device.h"
#include "ns3/simple-ref-count.h"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What shapes a bulk stream between two hosts.
 */
struct StreamSettings
{
    uint32_t mss{1448};             //!< bytes of the stream in a frame
    uint32_t message{65536};        //!< bytes of a send()
    uint32_t receive{87380};        //!< bytes of a recv()
    uint32_t goal{45};              //!< segments of a packet (tcp_xmit_size_goal); 1: no GSO
    uint32_t overhead{2304};        //!< charged to a packet beside its payload (truesize), bytes
    bool sums{false};               //!< TCP checksums while it copies
    bool visibleTag{false};         //!< the header that is built has the tag
    uint32_t window{3145728};       //!< receive window, bytes
    uint32_t sendBuffer{4194304};   //!< send buffer, bytes
    uint32_t tsq{131072};           //!< tcp_limit_output_bytes; 0: none
    double coldCopy{0.8};           //!< copy of what DMA wrote, ns a byte
    double memory{85};              //!< read of a line from memory, ns
    double pages{0.5};              //!< pages of a received frame
    double pageMove{0};             //!< a page's descriptor from its last CPU, ns, mean of flows
    double idleExit{1000};          //!< from an interrupt to an idle CPU that runs, ns
    bool lro{false};                //!< the driver merges received frames
    bool gro{false};                //!< the stack merges received frames
    MergeList::Limits merging;      //!< how much of them
    uint32_t tags{1};               //!< VLAN devices that a frame passes
    bool untags{true};              //!< the stack takes the tag off, not the card
    bool reinserts{false};          //!< the VLAN device puts it back (REORDER_HDR off)
    bool sumsReceived{false};       //!< the stack checks checksums, not the card
    std::string lockKind{"ticket"}; //!< kind of spin lock
};

/**
 * @ingroup linux-host
 * One stream: the sending socket and the receiving one.
 *
 * Bytes are counted, not kept: the stream is without gaps, and what is lost is sent again.
 */
struct StreamFlow
{
    uint16_t senderPort{0};   //!< TCP port at the sending end
    uint16_t receiverPort{0}; //!< TCP port at the receiving end

    uint64_t written{0};            //!< bytes that the program has written
    uint64_t sent{0};               //!< bytes given to the device
    uint64_t acked{0};              //!< bytes acknowledged
    uint64_t cleaned{0};            //!< bytes whose packets have been freed
    uint64_t edge{0};               //!< right edge of the window
    uint64_t cwnd{0};               //!< congestion window, bytes
    uint64_t threshold{UINT64_MAX}; //!< where slow start ends, bytes
    uint64_t lost{0};               //!< bytes to send again
    uint64_t neverPosted{0};        //!< those of them that never came to the card
    uint64_t wmem{0};               //!< sk_wmem_alloc: bytes charged to packets below TCP
    uint64_t throttles{0};          //!< times that it did
    bool throttled{false};          //!< TSQ holds it back (TSQ_THROTTLED)
    bool queued{false};             //!< for the tasklet, since a packet has been freed (TSQ_QUEUED)
    uint32_t message{0};            //!< bytes of the present send() to come
    bool blocked{false};            //!< the writer waits for memory
    uint32_t xmitQueue{0};          //!< transmit queue of its last packet

    uint64_t received{0};         //!< bytes received in order
    uint64_t told{0};             //!< bytes acknowledged by the receiver
    uint64_t offered{0};          //!< right edge that the receiver has told
    uint64_t consumed{0};         //!< bytes that the program has read
    std::deque<uint32_t> queue;   //!< sk_receive_queue: packets' bytes
    std::deque<uint32_t> backlog; //!< packets for the owner of the socket
    uint32_t left{0};             //!< bytes left of the first packet
    uint32_t read{0};             //!< bytes read by the present recv()
    bool owned{false};            //!< the reader owns the socket
    bool asleep{false};           //!< the reader waits for data

    bool sendRunnable{true};    //!< the writer can run
    bool receiveRunnable{true}; //!< the reader can run
    int32_t sendResume{-1};     //!< label at which the writer goes on
    int32_t receiveResume{-1};  //!< label at which the reader goes on
};

/**
 * @ingroup linux-host
 * A host that takes part in streams: its CPUs, each of which plays one path with everything that
 * the CPU does (programs, interrupts, softirq), and its network card.
 *
 * A program runs until it is interrupted between two copies, or until it sleeps; a softirq runs to
 * its end.
 */
class StreamHost : public SimpleRefCount<StreamHost>
{
  public:
    /// Sends a packet down the devices while a path is recorded.
    using Transmit = std::function<void(Ptr<KernelPath> path, uint32_t queue, bool data)>;

    /// What a host is made of.
    struct Parts
    {
        std::string name;                //!< name
        uint32_t cpus{1};                //!< CPUs
        Ptr<NicPort> port;               //!< card
        Ptr<NicNetDevice> device;        //!< its device
        Ptr<XmitHands> hands;            //!< packets at hand
        Transmit transmit;               //!< sends a packet
        std::vector<CpuId> programCpu;   //!< by flow: where its program runs
        std::vector<CpuId> interruptCpu; //!< by queue: where its interrupts go
        std::vector<uint32_t> flowHash;  //!< by flow: hash of what this host sends
    };

    /**
     * @param parts what it is made of
     * @param settings what shapes the streams
     * @param flows the streams, shared with the other host
     */
    StreamHost(const Parts& parts, const StreamSettings& settings, std::vector<StreamFlow>& flows);
    virtual ~StreamHost() = default;

    /**
     * @param cpu a CPU
     * @returns what it plays
     */
    virtual Ptr<KernelPath> Record(CpuId cpu) = 0;
    /// @param engine plays its CPUs
    void SetEngine(Ptr<CpuEngine> engine);
    /// Let go of what refers to it.
    void Stop();
    /// @returns busy time of its CPUs so far, in ticks
    double GetBusy() const;
    /**
     * @param cpu a CPU
     * @returns its busy time so far, in ticks
     */
    double GetBusy(CpuId cpu) const;
    /// @returns what it is made of
    const Parts& GetParts() const;
    /// @returns the card
    Ptr<NicPort> GetPort() const;
    /// @returns CPUs that have something to do
    std::vector<CpuId> GetUsedCpus() const;

  protected:
    /// @param queue a queue that interrupts
    void OnInterrupt(uint32_t queue);

    /// What one CPU is at.
    struct Cpu
    {
        std::deque<uint32_t> interrupts; //!< pending, by queue
        bool idle{false};                //!< it waits
        int32_t back{-1};                //!< label to go on at after the interrupt
        uint32_t queue{0};               //!< whose interrupt it serves
        uint32_t flow{0};                //!< whose program it runs
        uint32_t last{0};                //!< whose program it ran last
        uint32_t xmitFlow{0};            //!< whose packets it sends
        int32_t xmitBack{-1};            //!< label to go on at when they are sent
        NicPacket packet;                //!< a packet from the card
        uint32_t polled{0};              //!< frames of this poll
        MergeList merging;               //!< frames of this poll that are being merged
        MergeList::Packet delivered;     //!< a packet on its way up
        int32_t deliverBack{-1};         //!< label to go on at when it is delivered
        uint32_t tcpFlow{0};             //!< whose packet TCP looks at
        uint32_t tcpBytes{0};            //!< its bytes
        int32_t tcpBack{-1};             //!< label to go on at after that
        int32_t ackBack{-1};             //!< label to go on at when an acknowledgement is sent
    };

    /// Labels of a path.
    struct Labels
    {
        int32_t dispatch;  //!< what next?
        int32_t start;     //!< a program's system call begins
        int32_t interrupt; //!< an interrupt begins
    };

    /**
     * `schedule`, and the idle task.
     * @param path the path
     * @param cpu the CPU
     * @param labels its labels
     */
    void RecordDispatch(KernelPath& path, CpuId cpu, const Labels& labels);
    /**
     * A place where an interrupt can come in between.
     * @param path the path
     * @param cpu the CPU
     * @param labels its labels
     */
    void RecordInterruptible(KernelPath& path, CpuId cpu, const Labels& labels);
    /**
     * The interrupt up to the driver's polling.
     * @param path the path
     * @param cpu the CPU
     * @param labels its labels
     */
    void RecordInterrupt(KernelPath& path, CpuId cpu, const Labels& labels);
    /**
     * The driver takes what was sent, and wakes queues that were stopped.
     * @param path the path
     * @param cpu the CPU
     * @param data whether packets of the stream were sent; else acknowledgements
     */
    void RecordSent(KernelPath& path, CpuId cpu, bool data);
    /**
     * The end of polling: interrupts again, and back to what was interrupted.
     * @param path the path
     * @param cpu the CPU
     */
    void RecordPollEnd(KernelPath& path, CpuId cpu);
    /**
     * @param path the path
     * @param cpu the CPU
     * @returns after it, a label that a call has put into Cpu::xmitBack and its like is gone on at
     */
    static void JumpTo(KernelPath& path, std::function<int32_t()> label, const std::string& symbol);
    /**
     * The network layers below TCP, down to the devices.
     * @param path the path
     */
    void RecordNetwork(KernelPath& path) const;
    /**
     * The packet at hand goes down the devices, to the transmit queue that is chosen for it.
     * @param path the path
     * @param cpu the CPU
     * @param data whether it is a packet of the stream; else an acknowledgement
     */
    void RecordTransmit(Ptr<KernelPath> path, CpuId cpu, bool data);
    /**
     * A received packet from the driver up to TCP.
     * @param path the path
     */
    void RecordReceive(KernelPath& path) const;
    /**
     * A CPU that waits is to run.
     * @param cpu the CPU
     * @param now when
     */
    void Wake(CpuId cpu, Ticks now);

    /// @returns whether a program can run
    virtual bool IsRunnable(const StreamFlow& flow) const = 0;
    /// @returns the label at which it goes on, or -1
    virtual int32_t GetResume(const StreamFlow& flow) const = 0;

    Parts m_parts;                    //!< what it is made of
    StreamSettings m_settings;        //!< what shapes the streams
    std::vector<StreamFlow>& m_flows; //!< streams
    std::vector<Cpu> m_cpus;          //!< CPUs
    Ptr<CpuEngine> m_engine;          //!< plays them
};

/**
 * @ingroup linux-host
 * The end that sends: netperf's program, TCP's output, and what acknowledgements do.
 */
class StreamSender : public StreamHost
{
  public:
    /**
     * @param parts what it is made of
     * @param settings what shapes the streams
     * @param flows the streams
     */
    StreamSender(const Parts& parts,
                 const StreamSettings& settings,
                 std::vector<StreamFlow>& flows);
    Ptr<KernelPath> Record(CpuId cpu) override;
    /**
     * Frames were lost, in a queue here or a ring there.
     * @param number of the stream
     * @param bytes lost
     */
    void OnLoss(uint32_t number, uint32_t bytes);

  protected:
    bool IsRunnable(const StreamFlow& flow) const override;
    int32_t GetResume(const StreamFlow& flow) const override;

  private:
    /**
     * @param flow a stream
     * @returns the segments of its next packet (tcp_write_xmit); 0: nothing may be sent
     */
    uint32_t Choose(StreamFlow& flow) const;
    /**
     * @param flow a stream
     * @param packet an acknowledgement
     */
    void OnAck(StreamFlow& flow, const NicPacket& packet) const;
    /**
     * What was lost is to be sent again.
     * @param number of the stream
     * @param bytes how many
     */
    void SendAgain(uint32_t number, uint64_t bytes) const;
    /**
     * The retransmission timer of a stream: everything is sent again from the first loss on, from
     * a window of one segment (RFC 5681, section 3.1), if nothing was acknowledged meanwhile.
     * @param number of the stream
     * @param acked what was acknowledged when the timer was set
     */
    void OnTimeout(uint32_t number, uint64_t acked);
};

/**
 * @ingroup linux-host
 * The end that receives: driver, LRO or GRO, TCP's input, netserver's program.
 */
class StreamReceiver : public StreamHost
{
  public:
    /**
     * @param parts what it is made of
     * @param settings what shapes the streams
     * @param flows the streams
     */
    StreamReceiver(const Parts& parts,
                   const StreamSettings& settings,
                   std::vector<StreamFlow>& flows);
    Ptr<KernelPath> Record(CpuId cpu) override;

    /// @returns merged packets so far
    uint64_t GetMerged() const;
    /// @returns acknowledgements so far
    uint64_t GetAcks() const;

  protected:
    bool IsRunnable(const StreamFlow& flow) const override;
    int32_t GetResume(const StreamFlow& flow) const override;

  private:
    /// What the CPUs share of a socket.
    struct Shared
    {
        Ptr<KernelLock> lock; //!< sk_lock.slock
        LineField packet;     //!< the packet's descriptor
        LineField task;       //!< the reader's task
        LineField runQueue;   //!< its run queue
    };

    /**
     * @param path the path
     * @param cpu the CPU
     * @param labels its labels
     * @param tcp label of TCP's input
     * @param ack label of the acknowledgement
     */
    void RecordProgram(KernelPath& path, CpuId cpu, const Labels& labels, int32_t tcp, int32_t ack);
    /**
     * @param path the path
     * @param cpu the CPU
     * @param sent label at which what was sent is taken
     * @param deliver label of the delivery
     */
    void RecordPoll(KernelPath& path, CpuId cpu, int32_t sent, int32_t deliver);
    /**
     * @param path the path
     * @param cpu the CPU
     * @param deliver label of the delivery
     * @param tcp label of TCP's input
     */
    void RecordDeliver(KernelPath& path, CpuId cpu, int32_t deliver, int32_t tcp);

    /**
     * Record something that concerns the socket of one flow, which is known when it is played.
     * @param path the path
     * @param flow returns the flow
     * @param body records it for one flow
     */
    void RecordForFlow(KernelPath& path,
                       std::function<uint32_t()> flow,
                       const std::function<void(const Shared&)>& body);

    std::vector<Shared> m_shared; //!< by flow
    uint64_t m_merged;            //!< merged packets
    uint64_t m_acks;              //!< acknowledgements
};

} // namespace linuxhost
} // namespace ns3

#endif /* TCP_STREAM_H */
