/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_NET_DEVICE_H
#define VLAN_NET_DEVICE_H

#include "vlan-tag-header.h"

#include "ns3/device-address-filter.h"
#include "ns3/gso.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/offload-features.h"
#include "ns3/skb-transmitter.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A VLAN device: one tag of 802.1Q or 802.1ad on a lower device, as Linux's 8021q module has it.
 *
 * The lower device is any of ns-3's that carries the EtherType, or another VLAN device. The tag
 * comes on top of the lower device's MTU, so the lower device has to carry four bytes more. What
 * ns-3's IP sends goes down as a tagged packet; what comes as an SkBuff (see TransmitSkb) first
 * passes the features of this device, then those of the lower one, as in Linux.
 */
class VlanNetDevice : public NetDevice, public SkbTransmitter
{
  public:
    /// Where the features that hold inside another VLAN on this device come from.
    enum class VlanFeatures : uint8_t
    {
        ERA,   //!< as the kernel of the era: none before 4.1, then the lower device's
        BLANK, //!< none, as before 4.1
        OWN,   //!< this device's own features, as the vlan-offload patch has it
    };

    /// @returns the TypeId
    static TypeId GetTypeId();
    VlanNetDevice();
    ~VlanNetDevice() override;

    /**
     * Put the device on a lower one, and on its node, and bring it up if the lower one is.
     * Protocol and id have to be set before.
     * @param lower the lower device; it is on a node
     * @returns the empty string, or why not, beginning with the errno name
     */
    std::string Attach(Ptr<NetDevice> lower);
    /// @returns the lower device
    Ptr<NetDevice> GetLowerDevice() const;
    /// Take the device off its lower one.
    void Detach();

    /// @param vid VLAN id, 0 to 4094
    void SetVid(uint16_t vid);
    /// @returns VLAN id
    uint16_t GetVid() const;
    /// @param protocol EtherType of the tag: 0x8100 or 0x88a8
    void SetProtocol(uint16_t protocol);
    /// @returns EtherType of the tag
    uint16_t GetProtocol() const;
    /// @param on whether what is received and sniffed here is without its tag (REORDER_HDR)
    void SetReorderHeader(bool on);
    /// @returns whether what is received and sniffed here is without its tag
    bool GetReorderHeader() const;

    /// @param from where the features come from that hold inside another VLAN on this device
    void SetVlanFeatures(VlanFeatures from);

    /**
     * Map a packet's priority to a code point.
     * @param priority the packet's priority; what has no entry gets code point 0
     * @param pcp code point, 0 to 7
     * @returns false when the code point is out of range
     */
    bool SetEgressPriority(uint32_t priority, uint8_t pcp);
    /**
     * @param priority the packet's priority
     * @returns its code point
     */
    uint8_t GetEgressPriority(uint32_t priority) const;
    /**
     * Map a code point to a packet's priority.
     * @param pcp code point, 0 to 7
     * @param priority the packet's priority
     * @returns false when the code point is out of range
     */
    bool SetIngressPriority(uint8_t pcp, uint32_t priority);
    /**
     * @param pcp code point, 0 to 7
     * @returns the packet's priority
     */
    uint32_t GetIngressPriority(uint8_t pcp) const;

    /**
     * Set the device up or down.
     * @param up which of the two
     * @returns the empty string, or "ENETDOWN" when the lower device is down
     */
    std::string SetUp(bool up);
    /// @returns whether it was set up
    bool IsUp() const;

    /// @returns what this device wants to receive; while it is up, the lower one is told
    Ptr<DeviceAddressFilter> GetAddressFilter() const;

    /// @returns the device's offload features
    Ptr<OffloadFeatures> GetOffloadFeatures() const;
    /// @returns the features that hold on this device and each below, one line a device
    std::string DescribeFeatures() const;
    /// @returns what the stack did to frames on this device, in the place of the lower one
    const TransmitWork& GetTransmitWork() const;
    /// @returns the counters
    const LinkCounters& GetCounters() const;

    /**
     * Put the tags into a frame that this host is building which it carries from the start: this
     * device's, then those of the VLAN devices below (vlan_dev_hard_header).
     * @param skb the frame
     * @param priority the packet's priority
     */
    void MakeHeader(SkBuff* skb, uint32_t priority) const;
    bool TransmitSkb(const SkBuff& skb, uint32_t priority) override;

    /**
     * A frame of this VLAN, from the demultiplexer.
     * @param packet what follows the tag
     * @param tag the tag
     * @param from source address
     * @param to destination address
     * @param type whose frame it is
     */
    void ReceiveTagged(Ptr<Packet> packet,
                       const VlanTagHeader& tag,
                       const Address& from,
                       const Address& to,
                       PacketType type);

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

    /**
     * TracedCallback signature of a received tag.
     * @param tci priority, DEI and id
     * @param priority the packet's priority by the ingress map
     */
    typedef void (*TagTracedCallback)(uint16_t tci, uint32_t priority);

  protected:
    void DoDispose() override;

  private:
    /// The lower device went up or down.
    void LowerLinkChanged();
    /**
     * The lower device's features changed.
     * @param before what was on
     * @param after what is on
     */
    void LowerFeaturesChanged(uint64_t before, uint64_t after);
    /**
     * This device's own rules for its features (vlan_dev_fix_features).
     * @param features what is wanted
     * @param refusals what is taken away and why
     * @returns what remains
     */
    OffloadFlags FixFeatures(OffloadFlags features, std::vector<OffloadRefusal>* refusals);
    /// Register the features, from the lower device's.
    void RegisterFeatures();
    /// @returns the lower device's features, none when it says nothing of them
    OffloadFlags GetLowerFeatures() const;
    /**
     * @param priority a packet's priority
     * @returns tag control information of such a packet
     */
    uint16_t MakeTci(uint32_t priority) const;
    /// @returns whether frames that are sent carry the tag where this device is sniffed
    bool HasVisibleTag() const;
    /// @returns whether the lower device is up
    bool IsLowerUp() const;
    /// @returns the lower device if it is a VLAN device as well, or null
    VlanNetDevice* GetLowerVlan() const;
    /// Tell the lower device what this one wants to receive, while it is up.
    void UpdateFilter();
    /// Lower the MTU when the lower device's has been.
    void FollowLowerMtu() const;
    /// Tell those who want to know that the link went up or down.
    void NotifyLinkChange();
    /**
     * Hand a tagged packet to a lower device of ns-3.
     * @param packet the packet
     * @param source source address
     * @param dest destination address
     * @param protocol EtherType of the packet
     * @returns whether it was sent
     */
    bool SendBelow(Ptr<Packet> packet,
                   const Address& source,
                   const Address& dest,
                   uint16_t protocol);
    /**
     * Send a packet whose frame has been built (vlan_dev_hard_start_xmit).
     * @param packet the packet
     * @param source source address
     * @param dest destination address
     * @param protocol EtherType of the packet
     * @param priority the packet's priority
     * @returns whether it was sent
     */
    bool Transmit(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocol,
                  uint32_t priority);
    /**
     * @param packet a packet
     * @param source source address
     * @param dest destination address
     * @param protocol EtherType of the packet
     */
    void Sniff(Ptr<const Packet> packet,
               const Address& source,
               const Address& dest,
               uint16_t protocol);

    /// A tag that stays in a received frame.
    struct VisibleTag
    {
        uint16_t protocol; //!< its EtherType
        uint16_t tci;      //!< priority, DEI and id
    };

    Ptr<Node> m_node;                            //!< the node
    Ptr<NetDevice> m_lower;                      //!< the lower device
    uint32_t m_ifIndex;                          //!< index on the node
    uint16_t m_vid;                              //!< VLAN id
    uint16_t m_protocol;                         //!< EtherType of the tag
    bool m_reorderHeader;                        //!< REORDER_HDR
    bool m_looseBinding;                         //!< LOOSE_BINDING
    VlanFeatures m_vlanFeaturesFrom;             //!< where vlan_features come from
    bool m_up;                                   //!< set up
    bool m_wasLinkUp;                            //!< what was told last
    bool m_hasAddress;                           //!< has an address of its own
    Mac48Address m_address;                      //!< that address
    mutable uint16_t m_mtu;                      //!< largest packet; 0: not attached
    std::map<uint32_t, uint8_t> m_egress;        //!< code point by priority
    std::array<uint32_t, 8> m_ingress;           //!< priority by code point
    Ptr<OffloadFeatures> m_features;             //!< offload features
    Ptr<DeviceAddressFilter> m_filter;           //!< what this device wants to receive
    bool m_ownAddressWanted;                     //!< the filter holds the device's own address
    std::vector<VisibleTag> m_visible;           //!< tags in the frame being received, outer first
    TransmitWork m_work;                         //!< done to frames on this device
    LinkCounters m_counters;                     //!< counters
    NetDevice::ReceiveCallback m_rx;             //!< to the node
    PromiscReceiveCallback m_promiscRx;          //!< to the node, every frame
    std::vector<Callback<void>> m_linkChange;    //!< told when the link goes up or down
    TracedCallback<Ptr<const Packet>> m_sniffer; //!< frames as seen on this device
    TracedCallback<Ptr<const Packet>> m_drop;    //!< packets dropped
    TracedCallback<uint16_t, uint32_t> m_rxTag;  //!< tags received
};

} // namespace linuxhost
} // namespace ns3

#endif /* VLAN_NET_DEVICE_H */
