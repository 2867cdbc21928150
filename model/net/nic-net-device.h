/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_NET_DEVICE_H
#define NIC_NET_DEVICE_H

#include "dummy-net-device.h"
#include "skb-transmitter.h"
#include "skb-xmit-path.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A network card as a device of the stack: its offload features, a queueing discipline a queue, its
 * driver's transmit function. What its hardware makes of a frame goes to the trace source Wire.
 *
 * While a path is recorded (SkbXmitRecorder), a transmission appends what it costs; when that is
 * played, the CPU gives descriptors to the NicPort.
 */
class NicNetDevice : public DummyNetDevice, public SkbTransmitter
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    NicNetDevice();
    ~NicNetDevice() override;

    /// What a device on a host needs.
    struct Setup
    {
        std::string name{"eth2"};              //!< name
        Ptr<NicPort> port;                     //!< the card
        Ptr<XmitHands> hands;                  //!< the packets of the host's CPUs
        std::string lockKind{"ticket"};        //!< kind of spin lock
        uint32_t queueLength{1000};            //!< txqueuelen
        OffloadEra era{OffloadEra::LINUX_3_7}; //!< whose feature rules hold
    };

    /// @param setup what it needs
    void Install(const Setup& setup);
    /// A CPU without a transmit queue of its own.
    static constexpr uint32_t NO_QUEUE = UINT32_MAX;
    /**
     * Transmit packet steering (xps_cpus). Without it, and on CPUs that it leaves out, a flow's
     * hash says the queue.
     * @param queues by CPU: the queue that takes what it sends, or NO_QUEUE
     */
    void SetXps(std::vector<uint32_t> queues);
    /**
     * @param cpu a CPU
     * @returns its transmit queue, or NO_QUEUE
     */
    uint32_t GetXps(CpuId cpu) const;
    /**
     * The choice of a transmit queue (netdev_pick_tx).
     * @param cpu the CPU that sends
     * @param hash the flow's hash
     * @returns the queue
     */
    uint32_t PickQueue(CpuId cpu, uint32_t hash) const;
    /// @param queue the queue that packets go to from now on, while paths are recorded
    void SelectQueue(uint32_t queue);
    /// @returns the features
    Ptr<OffloadFeatures> GetOffloadFeatures() const;
    /**
     * @param queue a queue
     * @returns its discipline
     */
    Ptr<QdiscPath> GetQdisc(uint32_t queue) const;
    /// @returns what the stack did to frames on this device, in the place of the card
    const TransmitWork& GetTransmitWork() const;

    bool TransmitSkb(const SkBuff& skb, uint32_t priority) override;

    /**
     * TracedCallback signature of frames on the wire.
     * @param frame the frame, without FCS
     */
    typedef void (*WireTracedCallback)(const std::vector<uint8_t>& frame);
    /**
     * TracedCallback signature of frames that come from the wire, at that time.
     * @param frame the frame: its stream, sequence, length, acknowledgement
     */
    typedef void (*FrameTracedCallback)(const NicPacket& frame);

    /**
     * What was sent and what came back is taken from a queue: one packet's part.
     * @param path the path
     */
    void RecordCompletion(KernelPath& path) const;

  protected:
    void DoDispose() override;

  private:
    /**
     * The driver's own rules for its features (myri10ge_fix_features).
     * @param features what is wanted
     * @param refusals what is taken away and why
     * @returns what remains
     */
    OffloadFlags FixFeatures(OffloadFlags features, std::vector<OffloadRefusal>* refusals);
    /**
     * The driver's transmit function.
     * @param path the path
     * @param frame the frame
     * @param queue the queue
     */
    void RecordDriver(KernelPath& path, const SkBuff& frame, uint32_t queue) const;

    Setup m_setup;                                      //!< what it has
    std::vector<uint32_t> m_xps;                        //!< queue of each CPU
    uint32_t m_queue;                                   //!< queue of the next packets
    Ptr<OffloadFeatures> m_features;                    //!< features
    std::vector<Ptr<QdiscPath>> m_qdiscs;               //!< a discipline a queue
    TransmitWork m_work;                                //!< done in the card's place
    TracedCallback<const std::vector<uint8_t>&> m_wire; //!< frames on the wire
    TracedCallback<const NicPacket&> m_phyRxEnd;        //!< frames from the wire
};

} // namespace linuxhost
} // namespace ns3

#endif /* NIC_NET_DEVICE_H */
