/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_PORT_H
#define NIC_PORT_H

#include "nic-model.h"
#include "receive-side-scaling.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What a driver hands to a card, and a card to its peer: a frame, or several that the card makes of
 * one (TSO).
 */
struct NicPacket
{
    uint32_t flow{0};       //!< flow: stands for the headers
    uint32_t frames{1};     //!< frames on the wire
    uint32_t frameBytes{0}; //!< bytes of each, without preamble, FCS and gap
    uint32_t payload{0};    //!< bytes of the stream in each; 0: an acknowledgement alone
    uint64_t sequence{0};   //!< bytes of the stream before it: the card counts them (Post())
    uint64_t ack{0};        //!< of an acknowledgement: bytes received in order
    uint64_t edge{0};       //!< of an acknowledgement: right edge of the window
    uint32_t charge{0};     //!< bytes that stay charged to the socket until it is sent
    double descriptors{1};  //!< descriptors that it takes
};

/**
 * @ingroup linux-host
 * Byte queue limits (dql): the smallest number of bytes in flight that keeps the card busy.
 */
class ByteQueueLimit
{
  public:
    /// @param bytes handed to the card
    void Queued(uint32_t bytes);
    /// @param bytes sent by the card, with one call an interrupt
    void Completed(uint32_t bytes);
    /// @returns whether no more should be handed over
    bool IsOver() const;
    /// @returns the limit, bytes
    uint64_t GetLimit() const;

  private:
    uint64_t m_limit{0};                //!< bytes in flight at most
    uint64_t m_inFlight{0};             //!< bytes in flight
    bool m_held{false};                 //!< it was over since the last completion
    uint64_t m_lowestSlack{UINT64_MAX}; //!< least that was left over in a round
    uint32_t m_rounds{0};               //!< completions since the limit was lowered
};

/**
 * @ingroup linux-host
 * A network card at work, on ns-3's clock: transmit rings and their DMA, the wire, receive rings,
 * interrupts with moderation. The CPUs post frames and poll; nothing here takes CPU time.
 */
class NicPort : public SimpleRefCount<NicPort>
{
  public:
    /// Called when the card interrupts.
    using Interrupt = std::function<void(uint32_t queue)>;

    /// What happened, counted.
    struct Counts
    {
        uint64_t interrupts; //!< interrupts
        uint64_t sent;       //!< frames sent
        uint64_t received;   //!< frames received
        uint64_t dropped;    //!< frames dropped: no receive buffer
        uint64_t stops;      //!< times that a transmit queue was stopped
    };

    /// @param model what the card is like
    explicit NicPort(Ptr<const NicModel> model);
    ~NicPort();

    /**
     * Join two cards with a cable.
     * @param a one
     * @param b the other
     */
    static void Join(NicPort& a, NicPort& b);
    /// @param interrupt called when the card interrupts, at that time
    void SetInterrupt(Interrupt interrupt);
    /// @param lost called with each frame that is dropped for want of a receive buffer
    void SetLost(std::function<void(const NicPacket&)> lost);
    /// @param arrived called with each frame when its last bit comes from the wire
    void SetArrived(std::function<void(const NicPacket&)> arrived);
    /**
     * Assign fixed random variable streams.
     * @param stream the first stream to use
     * @returns the number of streams used
     */
    int64_t AssignStreams(int64_t stream);
    /// Forget what is pending, and the peer.
    void Stop();

    /// @returns what the card is like
    Ptr<const NicModel> GetModel() const;
    /// @returns queues
    uint32_t GetNQueues() const;
    /// @returns how received frames are spread over queues; to be changed before SetFlow()
    Ptr<ReceiveSideScaling> GetRss() const;
    /**
     * What is in the headers of a flow's frames that this card receives.
     * @param flow a flow
     * @param tuple its addresses and ports
     */
    void SetFlow(uint32_t flow, const FlowTuple& tuple);
    /**
     * @param flow a flow
     * @returns the queue that RSS sends it to; of a flow that was never set, as of frames that are
     * not hashed, the first of the table
     */
    uint32_t GetReceiveQueue(uint32_t flow) const;

    /**
     * Put a frame onto a transmit ring.
     * @param queue the queue, which is not stopped
     * @param packet the frame; its sequence is what the stream's frames before it had
     */
    void Post(uint32_t queue, const NicPacket& packet);
    /**
     * The newest bytes of a stream are sent again: its count goes back.
     * @param flow the stream
     * @param bytes how many, of those that came to the card
     */
    void TakeBack(uint32_t flow, uint64_t bytes);
    /**
     * @param queue a queue
     * @returns whether it is stopped: too few descriptors, or bytes in flight
     */
    bool IsStopped(uint32_t queue) const;
    /**
     * @param queue a queue
     * @param[out] packet a packet that has been sent
     * @returns whether there was one
     */
    bool TakeSent(uint32_t queue, NicPacket* packet);
    /**
     * The driver has taken what was sent.
     * @param queue a queue
     * @returns whether it was stopped and is no longer
     */
    bool Wake(uint32_t queue);
    /**
     * @param queue a queue
     * @param[out] packet a received frame
     * @returns whether there was one
     */
    bool TakeReceived(uint32_t queue, NicPacket* packet);
    /**
     * The driver's polling is over: interrupts again.
     * @param queue a queue
     */
    void Unmask(uint32_t queue);

    /// @returns what happened
    const Counts& GetCounts() const;
    /// @returns transmit queues that have been given a packet
    uint32_t CountTransmitQueues() const;
    /// @returns receive queues that a frame has come to
    uint32_t CountReceiveQueues() const;

    /// Preamble, FCS and the gap after a frame, in bytes.
    static constexpr uint32_t WIRE_OVERHEAD = 24;

  private:
    /// A queue.
    struct Queue
    {
        bool transmits{false};          //!< a packet has been posted
        bool receives{false};           //!< a frame has come
        double used{0};                 //!< transmit descriptors in use
        bool stopped{false};            //!< the stack may not hand over more
        ByteQueueLimit limit;           //!< bytes in flight
        uint32_t taken{0};              //!< bytes of sent packets that the driver has taken
        std::deque<NicPacket> sent;     //!< sent, not yet taken
        uint32_t buffers{0};            //!< receive buffers in use
        std::deque<NicPacket> received; //!< received, not yet taken
        bool masked{false};             //!< the driver polls
        uint32_t events{0};             //!< events since the last interrupt
        double last{-1e9};              //!< time of the last interrupt, ns
        EventId timer;                  //!< the next interrupt
    };

    /**
     * A frame comes from the wire.
     * @param packet the frame
     */
    void Arrive(const NicPacket& packet);
    /**
     * A frame is in memory.
     * @param queue its queue
     * @param packet the frame
     */
    void Stored(uint32_t queue, const NicPacket& packet);
    /**
     * A packet has been sent.
     * @param queue its queue
     * @param packet the packet
     */
    void Sent(uint32_t queue, const NicPacket& packet);
    /**
     * Something happened that interrupts, sooner or later.
     * @param queue the queue
     */
    void Event(uint32_t queue);
    /// @param queue the queue that interrupts
    void Fire(uint32_t queue);

    Ptr<const NicModel> m_model;                     //!< what the card is like
    NicPort* m_peer;                                 //!< the card at the other end
    Interrupt m_interrupt;                           //!< called when it interrupts
    std::function<void(const NicPacket&)> m_lost;    //!< told of dropped frames
    std::function<void(const NicPacket&)> m_arrived; //!< told of frames from the wire
    std::vector<Queue> m_queues;                     //!< queues
    Ptr<ReceiveSideScaling> m_rss;                   //!< spreads received frames over them
    std::vector<uint32_t> m_receiveQueues;           //!< queue of each flow, by RSS
    std::vector<uint64_t> m_streams;   //!< bytes of each flow that were put onto a ring
    double m_readFree;                 //!< when DMA reads have caught up, ns
    double m_writeFree;                //!< when DMA writes have, ns
    double m_wireFree;                 //!< when the wire is free, ns
    Counts m_counts;                   //!< what happened
    Ptr<UniformRandomVariable> m_late; //!< how late an interrupt is
};

} // namespace linuxhost
} // namespace ns3

#endif /* NIC_PORT_H */
