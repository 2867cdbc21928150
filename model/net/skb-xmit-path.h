/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SKB_XMIT_PATH_H
#define SKB_XMIT_PATH_H

#include "gso.h"
#include "nic-port.h"

#include "ns3/kernel-lock.h"
#include "ns3/kernel-path.h"

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
 * A packet on its way down the devices, as a CPU has it when it plays the steps.
 */
struct XmitSkb
{
    uint32_t flow{0};     //!< flow
    uint32_t segments{1}; //!< segments that it is for
    uint32_t payload{0};  //!< bytes of the stream in each; 0: an acknowledgement alone
    uint32_t charge{0};   //!< bytes charged to its socket until it is freed
    uint64_t ack{0};      //!< of an acknowledgement
    uint64_t edge{0};     //!< of an acknowledgement
};

/**
 * @ingroup linux-host
 * The packets that the CPUs of a host have at hand.
 */
class XmitHands : public SimpleRefCount<XmitHands>
{
  public:
    /// One CPU's.
    struct Hand
    {
        XmitSkb skb;           //!< the packet that came from the protocol
        uint32_t left{0};      //!< segments of it still to come, in the loop over them
        XmitSkb out;           //!< the packet that the driver is given
        uint32_t outLeft{0};   //!< segments of it still to come, in the driver's loop
        bool contended{false}; //!< busylock is held
    };

    /// Called when a packet is freed that is charged to a socket.
    using Release = std::function<void(uint32_t flow, uint32_t bytes)>;

    /// @param cpus number of CPUs
    explicit XmitHands(uint32_t cpus);
    /**
     * @param cpu a CPU
     * @returns its packet
     */
    Hand& At(CpuId cpu);
    /// @param release called when a packet is freed that is charged to a socket
    void SetRelease(Release release);
    /**
     * A packet is freed: its destructor runs.
     * @param flow its flow
     * @param bytes charged to the socket
     */
    void Free(uint32_t flow, uint32_t bytes) const;

  private:
    std::vector<Hand> m_hands; //!< by CPU
    Release m_release;         //!< destructor
};

/**
 * @ingroup linux-host
 * A packet with its offloads that walks down the devices while its path is recorded.
 *
 * A device's TransmitSkb() asks SkbXmitRecorder::Current(): null means that nothing is recorded.
 * What it did to the packet (ValidateTransmit) becomes steps; where it made segments, the steps of
 * one segment are recorded and played as often as the packet at hand has segments.
 */
class SkbXmitRecorder : public PathRecorder
{
  public:
    /**
     * @param path the path to record into, until this object goes
     * @param hands the packets, when the path is played
     */
    SkbXmitRecorder(Ptr<KernelPath> path, Ptr<XmitHands> hands);
    ~SkbXmitRecorder();

    /// @returns the recorder in use, or null
    static SkbXmitRecorder* Current();
    /// @returns the path
    KernelPath& GetPath();
    /// @returns the packets
    Ptr<XmitHands> GetHands() const;

    /// Nothing is recorded while this object lives.
    class Silence
    {
      public:
        /// @param silent whether so
        explicit Silence(bool silent);
        ~Silence();
        Silence(const Silence&) = delete;
        Silence& operator=(const Silence&) = delete;

      private:
        SkbXmitRecorder* m_recorder; //!< whom it silences
        bool m_silent;               //!< whether it does
    };

    /**
     * `dev_hard_start_xmit` up to the device's own function: features, tag, segmentation, checksum.
     * @param path the path
     * @param hands the packets
     * @param atDriver whether this is the last device: the packet is Hand::out then
     * @param skb the packet as it came
     * @param frames what was made of it
     * @param work what that took
     * @returns the label of the loop over segments, or -1
     */
    static int32_t RecordValidate(KernelPath& path,
                                  Ptr<XmitHands> hands,
                                  bool atDriver,
                                  const SkBuff& skb,
                                  const std::vector<SkBuff>& frames,
                                  const TransmitWork& work);
    /**
     * The end of the loop over segments: the packet that they came from is freed.
     * @param path the path
     * @param hands the packets
     * @param atDriver whether this is the last device
     * @param loop the label
     */
    static void RecordSegmentsEnd(KernelPath& path,
                                  Ptr<XmitHands> hands,
                                  bool atDriver,
                                  int32_t loop);

  private:
    Ptr<KernelPath> m_path;   //!< path
    Ptr<XmitHands> m_hands;   //!< packets
    SkbXmitRecorder* m_outer; //!< what was in use before
};

/**
 * @ingroup linux-host
 * A transmit queue with a queueing discipline of its own (pfifo_fast), as Linux 3.7 drives it:
 * root lock, busylock for those who find it busy, transmit lock. What is queued when the queue is
 * stopped is sent when it is woken.
 */
class QdiscPath : public SimpleRefCount<QdiscPath>
{
  public:
    /// Records what the driver does with Hand::out.
    using Driver = std::function<void(KernelPath& path)>;

    /**
     * @param name the queue's name
     * @param lockKind kind of spin lock
     * @param limit packets that it holds (txqueuelen)
     * @param hands the packets
     * @param port the card
     * @param queue the card's queue
     */
    QdiscPath(const std::string& name,
              const std::string& lockKind,
              uint32_t limit,
              Ptr<XmitHands> hands,
              Ptr<NicPort> port,
              uint32_t queue);

    /**
     * `dev_queue_xmit` of the packet at hand.
     * @param path the path
     * @param driver what the driver does
     */
    void RecordXmit(KernelPath& path, Driver driver);
    /// @returns whether RecordXmit() has been called, which says what the driver does
    bool HasDriver() const;
    /**
     * The queue has been woken: `net_tx_action` sends what waits. Nothing is recorded before there
     * is a driver.
     * @param path the path
     */
    void RecordRestart(KernelPath& path);
    /// @returns packets dropped because the discipline was full
    uint64_t GetDrops() const;
    /// @param dropped called with each packet that is dropped
    void SetDropped(std::function<void(const XmitSkb&)> dropped);

  private:
    /**
     * Send packets until there are none or the queue is stopped (`__qdisc_run`); the root lock is
     * held before and after.
     * @param path the path
     * @param dequeue a label, to take the first packet from the discipline
     * @param bypass a label, to go on with Hand::out
     */
    void RecordRun(KernelPath& path, int32_t dequeue, int32_t bypass);

    Ptr<XmitHands> m_hands;                        //!< packets
    Ptr<NicPort> m_port;                           //!< card
    uint32_t m_queue;                              //!< its queue
    uint32_t m_limit;                              //!< packets
    Ptr<KernelLock> m_root;                        //!< root lock
    Ptr<KernelLock> m_busy;                        //!< busylock
    Ptr<KernelLock> m_xmit;                        //!< _xmit_lock
    LineField m_state;                             //!< state, on the line of _xmit_lock
    Driver m_driver;                               //!< what the driver does
    std::deque<XmitSkb> m_waiting;                 //!< packets in the discipline
    bool m_running;                                //!< __QDISC___STATE_RUNNING
    uint64_t m_drops;                              //!< packets dropped
    std::function<void(const XmitSkb&)> m_dropped; //!< told of them
};

} // namespace linuxhost
} // namespace ns3

#endif /* SKB_XMIT_PATH_H */
