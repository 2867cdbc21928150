/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_DEMUX_H
#define VLAN_DEMUX_H

#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <utility>

namespace ns3
{
namespace linuxhost
{

class VlanNetDevice;

/**
 * @ingroup linux-host
 * Gives the tagged frames of one lower device to its VLAN devices.
 *
 * There is one for each lower device, aggregated to it; ns-3's node searches its protocol handlers
 * one by one, so a handler for each VLAN would make every frame dear.
 */
class VlanDemux : public Object
{
  public:
    /// Takes what belongs to the lower device itself: device, packet, protocol, from, to, type.
    using UntaggedCallback = Node::ProtocolHandler;

    /// @returns the TypeId
    static TypeId GetTypeId();

    /**
     * @param lower a device that is on a node
     * @returns its demultiplexer, made when there is none
     */
    static Ptr<VlanDemux> Of(Ptr<NetDevice> lower);

    /**
     * @param device a VLAN device
     * @returns false when there is one of its protocol and id
     */
    bool Add(VlanNetDevice* device);
    /// @param device a VLAN device that goes
    void Remove(VlanNetDevice* device);
    /**
     * @param protocol EtherType of the tag
     * @param vid VLAN id
     * @returns the VLAN device, or null
     */
    VlanNetDevice* Find(uint16_t protocol, uint16_t vid) const;

    /**
     * Set what takes priority-tagged frames (id 0) when no device has that id. Without one they go
     * to ns-3's IPv4 and IPv6 of the node.
     * @param callback takes them, without the tag
     */
    void SetUntaggedCallback(UntaggedCallback callback);
    /// @returns number of frames with an id that no device has
    uint64_t GetUnknownIds() const;
    /// @returns those of them that IPv4 or IPv6 drop as somebody else's (rx_otherhost_dropped)
    uint64_t GetOtherhostDropped() const;
    /// @returns those of them, and of the priority-tagged ones, whose EtherType nobody handles
    /// (rx_dropped)
    uint64_t GetUnhandled() const;
    /// @returns number of frames too short for their tag and an EtherType's worth of what follows,
    /// which Linux drops without counting
    uint64_t GetMalformed() const;

  protected:
    void DoDispose() override;

  private:
    /**
     * A tagged frame.
     * @param device the lower device
     * @param packet what follows the tag's EtherType
     * @param protocol EtherType of the tag
     * @param from source address
     * @param to destination address
     * @param type whose frame it is
     */
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);
    /**
     * A frame whose tag says nothing but the priority.
     * @param packet what follows the tag
     * @param protocol EtherType of that
     * @param from source address
     * @param to destination address
     * @param type whose frame it is
     */
    void DeliverUntagged(Ptr<Packet> packet,
                         uint16_t protocol,
                         const Address& from,
                         const Address& to,
                         NetDevice::PacketType type);

    Ptr<NetDevice> m_lower;                                            //!< the lower device
    std::map<std::pair<uint16_t, uint16_t>, VlanNetDevice*> m_devices; //!< by protocol and id
    UntaggedCallback m_untagged; //!< takes priority-tagged frames
    uint64_t m_unknownIds{0};    //!< frames of nobody's id
    uint64_t m_otherhost{0};     //!< of these, IP's
    uint64_t m_unhandled{0};     //!< frames without a VLAN that are neither IP's nor ARP's
    uint64_t m_malformed{0};     //!< frames too short
};

} // namespace linuxhost
} // namespace ns3

#endif /* VLAN_DEMUX_H */
