/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_BRIDGE_NET_DEVICE_H
#define VLAN_BRIDGE_NET_DEVICE_H

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A VLAN-aware bridge: ports are members of VLANs, and addresses are learned for each VLAN.
 *
 * ns-3's bridge forwards tagged frames as they are and learns by address alone. This one has the
 * rules of a Linux bridge with vlan_filtering: a frame belongs to the VLAN of its tag, or to the
 * PVID of the port it comes in by; it is dropped when that port is not a member, goes to member
 * ports only, and leaves without its tag where the VLAN is untagged. The bridge itself (what the
 * node's IP sends and receives) is a port like the others. With filtering off, tags do not matter
 * and all addresses are in one table.
 */
class VlanBridgeNetDevice : public NetDevice
{
  public:
    /// The port number of the bridge itself.
    static constexpr uint32_t SELF = 0xffffffff;

    /// @returns the TypeId
    static TypeId GetTypeId();
    VlanBridgeNetDevice();
    ~VlanBridgeNetDevice() override;

    /**
     * Add a port, a member of VLAN 1 (PVID, untagged).
     * @param device an Ethernet device of the bridge's node that can send for others
     * @returns the port's number, or SELF when the device cannot be one
     */
    uint32_t AddPort(Ptr<NetDevice> device);
    /// @returns number of ports
    uint32_t GetNPorts() const;
    /**
     * @param port a port's number
     * @returns its device, or null
     */
    Ptr<NetDevice> GetPort(uint32_t port) const;

    /**
     * Make a port an access port: member of one VLAN, without tag.
     * @param port a port's number, or SELF
     * @param vid VLAN id, 1 to 4094
     * @returns whether port and id are valid
     */
    bool SetAccess(uint32_t port, uint16_t vid);
    /**
     * Make a port a trunk: member of several VLANs, with tag.
     * @param port a port's number, or SELF
     * @param vids VLAN ids, 1 to 4094
     * @param nativeVid the VLAN of untagged frames, which leaves without tag; 0: none
     * @returns whether port and ids are valid
     */
    bool SetTrunk(uint32_t port, const std::set<uint16_t>& vids, uint16_t nativeVid = 0);
    /**
     * Make a port a member of a VLAN (`bridge vlan add`).
     * @param port a port's number, or SELF
     * @param vid VLAN id, 1 to 4094
     * @param pvid whether untagged frames belong to it
     * @param untagged whether its frames leave without tag
     * @returns whether port and id are valid
     */
    bool AddVlan(uint32_t port, uint16_t vid, bool pvid, bool untagged);
    /**
     * End a port's membership of a VLAN (`bridge vlan del`).
     * @param port a port's number, or SELF
     * @param vid VLAN id
     * @returns whether it was a member
     */
    bool RemoveVlan(uint32_t port, uint16_t vid);

    /**
     * @param vid VLAN id; with filtering off, 0
     * @param address an address
     * @returns the port where it was learned, or SELF when it is not known
     */
    uint32_t Lookup(uint16_t vid, Mac48Address address) const;
    /// @returns number of learned addresses that have not aged
    uint32_t GetNLearned() const;
    /// @returns number of frames dropped because a port is no member of their VLAN
    uint64_t GetFiltered() const;
    /// @returns number of frames too short for their tag
    uint64_t GetMalformed() const;

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
    /// A port's VLANs.
    struct Membership
    {
        std::set<uint16_t> vids;     //!< VLANs it is a member of
        std::set<uint16_t> untagged; //!< of them, those without tag on leaving
        uint16_t pvid{0};            //!< VLAN of untagged frames; 0: none
    };

    /// Where an address was seen.
    struct Learned
    {
        uint32_t port; //!< port's number
        Time seen;     //!< when
    };

    /// A frame on its way through the bridge.
    struct Forwarded
    {
        Ptr<Packet> packet;   //!< what follows the tag or, without one, the Ethernet header
        uint16_t protocol{0}; //!< EtherType of that
        Mac48Address from;    //!< source address
        Mac48Address to;      //!< destination address
        uint16_t tci{0};      //!< priority, DEI and id
    };

    /**
     * @param port a port's number, or SELF
     * @returns its VLANs, or null when there is no such port
     */
    Membership* FindMembership(uint32_t port);
    /**
     * A frame comes in by a port.
     * @param device the port's device
     * @param packet what follows the Ethernet header
     * @param protocol EtherType
     * @param from source address
     * @param to destination address
     * @param type whose frame it is
     */
    void ReceiveFromPort(Ptr<NetDevice> device,
                         Ptr<const Packet> packet,
                         uint16_t protocol,
                         const Address& from,
                         const Address& to,
                         NetDevice::PacketType type);
    /**
     * Find out which VLAN a frame belongs to, and take its tag off.
     * @param port where it came in
     * @param frame the frame
     * @returns whether it may enter
     */
    bool Classify(uint32_t port, Forwarded* frame);
    /**
     * Send a frame where it belongs.
     * @param port where it came in
     * @param frame the frame
     */
    void Forward(uint32_t port, const Forwarded& frame);
    /**
     * Send a frame out by a port.
     * @param port the port's number, or SELF
     * @param frame the frame
     */
    void Deliver(uint32_t port, const Forwarded& frame);

    Ptr<Node> m_node;                      //!< the node
    uint32_t m_ifIndex;                    //!< index on the node
    Mac48Address m_address;                //!< hardware address
    bool m_hasAddress;                     //!< it was set; else it is the first port's
    uint16_t m_mtu;                        //!< largest packet
    bool m_filtering;                      //!< vlan_filtering
    uint16_t m_protocol;                   //!< EtherType of the tags
    Time m_aging;                          //!< how long an address is known
    std::vector<Ptr<NetDevice>> m_ports;   //!< devices
    std::vector<Membership> m_memberships; //!< VLANs, by port
    Membership m_self;                     //!< VLANs of the bridge itself
    std::map<std::pair<uint16_t, Mac48Address>, Learned> m_learned; //!< by VLAN and address
    uint64_t m_filtered;                //!< frames of VLANs that the port is no member of
    uint64_t m_malformed;               //!< frames too short for their tag
    NetDevice::ReceiveCallback m_rx;    //!< to the node
    PromiscReceiveCallback m_promiscRx; //!< to the node, every frame
};

} // namespace linuxhost
} // namespace ns3

#endif /* VLAN_BRIDGE_NET_DEVICE_H */
