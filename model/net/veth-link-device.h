/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VETH_LINK_DEVICE_H
#define VETH_LINK_DEVICE_H

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/offload-features.h"
#include "ns3/skb-transmitter.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * One end of a veth pair: frames go to the other end as they are, without padding or FCS.
 *
 * It has offload features (none at first), so it takes frames for segmentation, with a checksum to
 * complete or with an accelerated tag, and does to them what its features leave to the stack. A
 * frame may be one tag longer than the MTU says, and no more.
 *
 * Linux runs the other end's receive softirq at the end of each transmission, so an answer to one
 * frame of a burst is on the pair before the next frame is. The attribute `Gap` does the same:
 * frames leave a little apart.
 */
class VethLinkDevice : public NetDevice, public SkbTransmitter
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();
    VethLinkDevice();
    ~VethLinkDevice() override;

    /**
     * Join two devices; both are up then.
     * @param a one end
     * @param b the other
     */
    static void Join(Ptr<VethLinkDevice> a, Ptr<VethLinkDevice> b);
    /**
     * Checks what has arrived for this host, and makes of it what the host's stack is to see.
     * @param payload what follows the Ethernet header; null: nothing to be seen yet
     * @param etherType the EtherType
     * @param type whose frame it is
     * @returns whether it is well formed
     */
    using InputCheck =
        std::function<bool(Ptr<Packet>* payload, uint16_t* etherType, PacketType type)>;
    /// @param check the check; what fails is dropped, and counted in `rxErrors`
    void SetInputCheck(InputCheck check);
    /**
     * @param up whether the device is set up
     */
    void SetUp(bool up);

    bool TransmitSkb(const SkBuff& skb, uint32_t priority) override;
    /**
     * Put a frame on the link as it is, as a packet socket does.
     * @param frame the frame, with its Ethernet header
     * @returns whether it went
     */
    bool SendFrame(const std::vector<uint8_t>& frame);
    /// @returns the device's offload features
    Ptr<OffloadFeatures> GetOffloadFeatures() const;
    /// @returns the counters
    const LinkCounters& GetCounters() const;

    // inherited from NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address address) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

  private:
    /**
     * A frame leaves.
     * @param frame the frame, with its Ethernet header
     * @returns whether it went
     */
    bool Depart(Ptr<Packet> frame);
    /**
     * Put a whole frame on the link, now or as soon as the one before has gone.
     * @param frame the frame
     * @returns whether it went
     */
    bool Transmit(Ptr<Packet> frame);
    /**
     * A frame arrives.
     * @param frame the frame
     */
    void Receive(Ptr<Packet> frame);

    Ptr<Node> m_node;                            //!< the node
    Ptr<VethLinkDevice> m_peer;                  //!< the other end
    uint32_t m_ifIndex;                          //!< index on the node
    Mac48Address m_address;                      //!< hardware address
    uint16_t m_mtu;                              //!< largest packet
    bool m_up;                                   //!< set up
    Time m_delay;                                //!< from one end to the other
    Time m_gap;                                  //!< between two frames of this end
    Time m_nextDeparture;                        //!< when the next frame may leave
    InputCheck m_inputCheck;                     //!< checks what has arrived, or none
    Ptr<OffloadFeatures> m_features;             //!< offload features
    LinkCounters m_counters;                     //!< counters
    NetDevice::ReceiveCallback m_rx;             //!< to the node
    PromiscReceiveCallback m_promiscRx;          //!< to the node, every frame
    std::vector<Callback<void>> m_linkChange;    //!< told when the link goes up or down
    TracedCallback<Ptr<const Packet>> m_sniffer; //!< frames sent and received
    TracedCallback<Ptr<const Packet>> m_drop;    //!< frames dropped
};

} // namespace linuxhost
} // namespace ns3

#endif /* VETH_LINK_DEVICE_H */
