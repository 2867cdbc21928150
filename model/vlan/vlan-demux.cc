/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-demux.h"

#include "vlan-net-device.h"
#include "vlan-tag-header.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/linux-host-compat.h"
#include "ns3/traffic-control-layer.h"

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(VlanDemux);

namespace
{

/// EtherType of ARP.
constexpr uint16_t ETHERTYPE_ARP = 0x0806;
/// What the kernel wants to see behind a tag before it takes it off.
constexpr uint32_t BEHIND_TAG = 2;

constexpr uint16_t ETHERTYPE_MIN = 0x0600;  ///< what is less is a length (IEEE 802.3)
constexpr uint16_t NOVELL_IPX_RAW = 0xffff; ///< what is behind a length where there is no 802.2

/**
 * @param protocol EtherType, or length, of a frame
 * @param packet what is behind it
 * @returns whether a host with IP and VLANs takes such frames: IP's, ARP's, and those of IEEE
 * 802.2, since Linux's VLANs bring its LLC along (for GVRP)
 */
bool
IsHandled(uint16_t protocol, Ptr<const Packet> packet)
{
    if (protocol < ETHERTYPE_MIN)
    {
        uint8_t sap[2]{};
        packet->CopyData(sap, sizeof(sap));
        return ((sap[0] << 8) | sap[1]) != NOVELL_IPX_RAW;
    }
    return protocol == ETHERTYPE_IPV4 || protocol == ETHERTYPE_IPV6 || protocol == ETHERTYPE_ARP;
}

} // namespace

TypeId
VlanDemux::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::VlanDemux")
                            .SetParent<Object>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<VlanDemux>();
    return tid;
}

Ptr<VlanDemux>
VlanDemux::Of(Ptr<NetDevice> lower)
{
    Ptr<VlanDemux> demux = lower->GetObject<VlanDemux>();
    if (!demux)
    {
        demux = CreateObject<VlanDemux>();
        demux->m_lower = lower;
        lower->AggregateObject(demux);
        // The plain handler does not learn whom a frame is for.
        for (const uint16_t protocol : {ETHERTYPE_8021Q, ETHERTYPE_8021AD})
        {
            lower->GetNode()->RegisterProtocolHandler(
                MakeCallback(&VlanDemux::Receive, PeekPointer(demux)),
                protocol,
                lower,
                true);
        }
    }
    return demux;
}

void
VlanDemux::DoDispose()
{
    m_lower = nullptr;
    m_devices.clear();
    m_untagged.Nullify();
    Object::DoDispose();
}

bool
VlanDemux::Add(VlanNetDevice* device)
{
    return m_devices.insert({{device->GetProtocol(), device->GetVid()}, device}).second;
}

void
VlanDemux::Remove(VlanNetDevice* device)
{
    for (auto entry = m_devices.begin(); entry != m_devices.end(); entry++)
    {
        if (entry->second == device)
        {
            m_devices.erase(entry);
            return;
        }
    }
}

VlanNetDevice*
VlanDemux::Find(uint16_t protocol, uint16_t vid) const
{
    const auto found = m_devices.find({protocol, vid});
    return found == m_devices.end() ? nullptr : found->second;
}

void
VlanDemux::SetUntaggedCallback(UntaggedCallback callback)
{
    m_untagged = callback;
}

uint64_t
VlanDemux::GetUnknownIds() const
{
    return m_unknownIds;
}

uint64_t
VlanDemux::GetOtherhostDropped() const
{
    return m_otherhost;
}

uint64_t
VlanDemux::GetUnhandled() const
{
    return m_unhandled;
}

uint64_t
VlanDemux::GetMalformed() const
{
    return m_malformed;
}

void
VlanDemux::Receive(Ptr<NetDevice> device,
                   Ptr<const Packet> packet,
                   uint16_t protocol,
                   const Address& from,
                   const Address& to,
                   NetDevice::PacketType type)
{
    (void)device;
    Ptr<Packet> rest = packet->Copy();
    for (;;)
    {
        if (rest->GetSize() < VlanTagHeader::LENGTH + BEHIND_TAG)
        {
            m_malformed++;
            return;
        }
        VlanTagHeader tag;
        rest->RemoveHeader(tag);
        VlanNetDevice* upper = Find(protocol, tag.GetVid());
        if (upper)
        {
            // The frame may make its receiver go.
            Ptr<VlanNetDevice> holder(upper);
            holder->ReceiveTagged(rest, tag, from, to, type);
            return;
        }
        protocol = tag.GetEtherType();
        if (tag.GetVid() != 0)
        {
            // The frame goes on as somebody else's: IP counts it, ARP does not, and with anything
            // else, a further tag for one, nobody takes it.
            m_unknownIds++;
            if (protocol == ETHERTYPE_IPV4 || protocol == ETHERTYPE_IPV6)
            {
                m_otherhost++;
            }
            else if (!IsHandled(protocol, rest))
            {
                m_unhandled++;
            }
            return;
        }
        if (protocol != ETHERTYPE_8021Q && protocol != ETHERTYPE_8021AD)
        {
            DeliverUntagged(rest, protocol, from, to, type);
            return;
        }
        // A tag behind a priority tag counts as if it were the first.
    }
}

void
VlanDemux::DeliverUntagged(Ptr<Packet> packet,
                           uint16_t protocol,
                           const Address& from,
                           const Address& to,
                           NetDevice::PacketType type)
{
    if (!IsHandled(protocol, packet))
    {
        m_unhandled++;
    }
    if (!m_untagged.IsNull())
    {
        m_untagged(m_lower, packet, protocol, from, to, type);
        return;
    }
    if (type == NetDevice::PACKET_OTHERHOST)
    {
        return;
    }
    // ns-3's layer under IP takes only what the device has been set up for.
    Ptr<Node> node = m_lower->GetNode();
    Ptr<TrafficControlLayer> layer = node->GetObject<TrafficControlLayer>();
    Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
    const bool isIpv4 = (protocol == ETHERTYPE_IPV4 || protocol == ETHERTYPE_ARP) && ipv4 &&
                        ipv4->GetInterfaceForDevice(m_lower) >= 0;
    const bool isIpv6 =
        protocol == ETHERTYPE_IPV6 && ipv6 && ipv6->GetInterfaceForDevice(m_lower) >= 0;
    if (layer && (isIpv4 || isIpv6))
    {
        layer->Receive(m_lower, packet, protocol, from, to, type);
    }
}

} // namespace linuxhost
} // namespace ns3
