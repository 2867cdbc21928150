/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_OFFLOAD_H
#define VLAN_OFFLOAD_H

#include "patch-scenario.h"
#include "tcp-stream.h"

#include "ns3/nic-model.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"
#include "ns3/vlan-net-device.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * "vlan: restore offload use on vlan transmit" (December 2012).
 *
 * netperf's TCP_STREAM from one host to another, over VLAN devices on 10 Gb/s cards. What is
 * offloaded is asked of each device for each frame; the patch is what a VLAN device says about
 * frames that have a tag already.
 */
class VlanOffload : public PatchScenario
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    VlanOffload();
    ~VlanOffload() override;

    std::string GetName() const override;
    std::string GetVariant() const override;
    Ptr<KernelPath> GetPath() override;

    /**
     * @param machine the receiver's; else it is made of the attribute ReceiverMachine
     */
    void SetReceiverMachine(Ptr<HostMachine> machine);
    /**
     * What the devices offer, and what of it holds for the frames that TCP builds, device by
     * device.
     * @returns the text
     */
    std::string DescribeFeatures();
    /**
     * Where each flow goes: ports, hashes, queues and CPUs at both ends.
     * @returns the text
     */
    std::string DescribeQueues();
    /// @returns what the attribute Ports can be
    static std::vector<std::string> GetPortChoices();
    /**
     * @param xps as the attribute Xps has it
     * @param queues queues of the card
     * @returns the empty string, or what is allowed
     */
    static std::string CheckXps(const std::string& xps, uint32_t queues);
    /**
     * @param nic a card
     * @param offloads a list as the attribute Offloads has it
     * @returns the empty string, or what cannot be had and why
     */
    static std::string CheckOffloads(const std::string& nic, const std::string& offloads);
    /**
     * Send one packet of the stream down the sender's devices.
     * @returns the frames on the wire, without FCS
     */
    std::vector<std::vector<uint8_t>> SendOne();

    /// A frame on the wire without FCS, and when its last bit has come to the other end.
    using WireFrame = std::pair<Time, std::vector<uint8_t>>;
    /**
     * Keep the frames of both directions that cross the wire in the first part of what the next
     * run measures. The run is the same with and without.
     * @param length how long, in simulated time; zero: keep none
     */
    void EnableCapture(Time length);
    /// @returns the frames of the last run that were kept, in order of time
    const std::vector<WireFrame>& GetCapture() const;

    /**
     * TracedCallback signature of frames on the wire, when the last bit has come to the other end.
     * @param data whether it goes from sender to receiver; else it is an acknowledgement
     * @param frame the frame: its stream, sequence, length, acknowledgement
     */
    typedef void (*FrameTracedCallback)(bool data, const NicPacket& frame);

  protected:
    void DoDispose() override;
    void Build(Ptr<CpuEngine> engine) override;
    void Complete(ScenarioResult& result) override;
    std::vector<Count> GetCounts() const override;

  private:
    /// One end: its devices.
    struct End
    {
        Ptr<Node> node;                        //!< node
        Ptr<NicNetDevice> nic;                 //!< card
        std::vector<Ptr<VlanNetDevice>> vlans; //!< VLAN devices, lowest first
        StreamHost::Parts parts;               //!< what its host is made of

        /// @returns the device that TCP's route leads to
        SkbTransmitter& GetDevice() const;
    };
    /// Both ends.
    struct Network;

    /**
     * @param name the host's name
     * @param cpus its CPUs
     * @returns its devices
     */
    End MakeEnd(const std::string& name, uint32_t cpus) const;
    /// @returns both ends, as the attributes say
    std::shared_ptr<Network> MakeNetwork();
    /// Make the receiver's machine, if nobody did.
    void MakeReceiverMachine();
    /// @returns the card, as the attributes say
    Ptr<NicModel> MakeNic() const;
    /**
     * @param end an end
     * @param settings what shapes the streams
     * @param flow the stream that it is of
     * @param packet what it is: so many frames of the stream, or an acknowledgement
     * @param stamps TSval and TSecr of the timestamps option
     * @returns the packet as TCP hands it over
     */
    SkBuff MakePacket(const End& end,
                      const StreamSettings& settings,
                      const StreamFlow& flow,
                      const NicPacket& packet,
                      std::pair<uint32_t, uint32_t> stamps = {0, 0}) const;
    /**
     * @param settings what shapes the streams
     * @param data whether it is a packet of the stream; else an acknowledgement
     * @returns the largest packet, the stream's first
     */
    static NicPacket FirstPacket(const StreamSettings& settings, bool data);
    /// @param frame a frame that has come to the receiver
    void OnData(const NicPacket& frame);
    /// @param frame a frame that has come to the sender
    void OnAck(const NicPacket& frame);
    /**
     * Keep a frame, if it belongs to the capture.
     * @param data whether it goes to the receiver
     * @param frame the frame
     */
    void Capture(bool data, const NicPacket& frame);
    /**
     * Choose the flows' ports, and tell the cards.
     * @param network both ends
     */
    void SetFlows(Network& network) const;
    /**
     * Say where programs run, interrupts go and packets are queued.
     * @param network both ends
     */
    void SetCpus(Network& network) const;
    /**
     * Scale the software work of a path.
     * @param path the path
     * @param share of the counted work
     */
    static void ScaleWork(KernelPath& path, double share);

    bool m_copyFeatures;                //!< the patch
    std::string m_nic;                  //!< card
    uint32_t m_queues;                  //!< its queues; 0: as many as it has
    std::string m_xps;                  //!< transmit packet steering
    std::string m_ports;                //!< how ports are chosen
    uint32_t m_groFlows;                //!< flows that GRO holds
    bool m_groEvicts;                   //!< one more makes the oldest leave
    uint32_t m_mtu;                     //!< MTU
    uint32_t m_message;                 //!< bytes of a send()
    uint32_t m_flows;                   //!< streams
    uint32_t m_tags;                    //!< VLAN devices on each other
    bool m_reorderHeader;               //!< REORDER_HDR
    bool m_bridged;                     //!< frames come with a tag from a bridge
    uint32_t m_senderCpus;              //!< sender's CPUs
    uint32_t m_receiverCpus;            //!< receiver's CPUs
    std::string m_receiverMachineName;  //!< receiver's machine
    double m_coalesce;                  //!< time between interrupts, us; negative: the card's
    std::string m_offloads;             //!< features switched
    std::string m_lock;                 //!< kind of spin lock
    double m_senderWork;                //!< share of the counted work
    double m_receiverWork;              //!< share of the counted work
    double m_copyOverlap;               //!< lines under way in a copy from memory
    double m_memory;                    //!< ns
    double m_idleExit;                  //!< ns
    uint32_t m_window;                  //!< receive window, bytes
    uint32_t m_sendBuffer;              //!< send buffer, bytes
    uint32_t m_tsq;                     //!< TSQ, bytes
    Ptr<HostMachine> m_receiverMachine; //!< receiver's machine
    std::shared_ptr<Network> m_network; //!< of the run
    std::vector<Figure> m_nicFigures;   //!< of the run
    Time m_captureLength;               //!< length of the capture; 0: none
    Time m_captureEnd;                  //!< when it ends; 0: it has not begun
    std::vector<WireFrame> m_capture;   //!< the last run's
    TracedCallback<bool, const NicPacket&> m_frame; //!< frames on the wire
};

} // namespace linuxhost
} // namespace ns3

#endif /* VLAN_OFFLOAD_H */
