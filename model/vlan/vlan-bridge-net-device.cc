/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-bridge-net-device.h"

#include "vlan-tag-header.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/linux-host-compat.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("VlanBridgeNetDevice");
NS_OBJECT_ENSURE_REGISTERED(VlanBridgeNetDevice);

namespace
{

/**
 * @param vid a VLAN id
 * @returns whether a port can be a member of it
 */
bool
IsMemberVid(uint16_t vid)
{
    return vid >= 1 && vid <= 4094;
}

} // namespace

TypeId
VlanBridgeNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::VlanBridgeNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("LinuxHost")
            .AddConstructor<VlanBridgeNetDevice>()
            .AddAttribute("Mtu",
                          "Largest packet in a frame, in bytes.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&VlanBridgeNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>(68))
            .AddAttribute("Filtering",
                          "Whether VLANs matter (vlan_filtering).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&VlanBridgeNetDevice::m_filtering),
                          MakeBooleanChecker())
            .AddAttribute("Protocol",
                          "EtherType of the tags: 0x8100 (802.1Q) or 0x88a8 (802.1ad).",
                          UintegerValue(ETHERTYPE_8021Q),
                          MakeUintegerAccessor(&VlanBridgeNetDevice::m_protocol),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("AgingTime",
                          "How long a learned address is known.",
                          TimeValue(Seconds(300)),
                          MakeTimeAccessor(&VlanBridgeNetDevice::m_aging),
                          MakeTimeChecker(Time(0)));
    return tid;
}

VlanBridgeNetDevice::VlanBridgeNetDevice()
    : m_ifIndex(0),
      m_hasAddress(false),
      m_filtered(0),
      m_malformed(0)
{
    AddVlan(SELF, 1, true, true);
}

VlanBridgeNetDevice::~VlanBridgeNetDevice() = default;

void
VlanBridgeNetDevice::DoDispose()
{
    m_ports.clear();
    m_memberships.clear();
    m_learned.clear();
    m_node = nullptr;
    m_rx.Nullify();
    m_promiscRx.Nullify();
    NetDevice::DoDispose();
}

uint32_t
VlanBridgeNetDevice::AddPort(Ptr<NetDevice> device)
{
    if (!device || !m_node || device->GetNode() != m_node || device == this ||
        !device->SupportsSendFrom() || !Mac48Address::IsMatchingType(device->GetAddress()) ||
        std::find(m_ports.begin(), m_ports.end(), device) != m_ports.end())
    {
        return SELF;
    }
    if (!m_hasAddress)
    {
        SetAddress(device->GetAddress());
    }
    const uint32_t port = GetNPorts();
    m_ports.push_back(device);
    m_memberships.emplace_back();
    AddVlan(port, 1, true, true);
    m_node->RegisterProtocolHandler(MakeCallback(&VlanBridgeNetDevice::ReceiveFromPort, this),
                                    0,
                                    device,
                                    true);
    return port;
}

uint32_t
VlanBridgeNetDevice::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

Ptr<NetDevice>
VlanBridgeNetDevice::GetPort(uint32_t port) const
{
    return port < m_ports.size() ? m_ports[port] : nullptr;
}

VlanBridgeNetDevice::Membership*
VlanBridgeNetDevice::FindMembership(uint32_t port)
{
    if (port == SELF)
    {
        return &m_self;
    }
    return port < m_memberships.size() ? &m_memberships[port] : nullptr;
}

bool
VlanBridgeNetDevice::SetAccess(uint32_t port, uint16_t vid)
{
    Membership* membership = FindMembership(port);
    if (!membership || !IsMemberVid(vid))
    {
        return false;
    }
    *membership = Membership();
    return AddVlan(port, vid, true, true);
}

bool
VlanBridgeNetDevice::SetTrunk(uint32_t port, const std::set<uint16_t>& vids, uint16_t nativeVid)
{
    Membership* membership = FindMembership(port);
    if (!membership || !std::all_of(vids.begin(), vids.end(), IsMemberVid) ||
        (nativeVid != 0 && !IsMemberVid(nativeVid)))
    {
        return false;
    }
    *membership = Membership();
    membership->vids = vids;
    return nativeVid == 0 || AddVlan(port, nativeVid, true, true);
}

bool
VlanBridgeNetDevice::AddVlan(uint32_t port, uint16_t vid, bool pvid, bool untagged)
{
    Membership* membership = FindMembership(port);
    if (!membership || !IsMemberVid(vid))
    {
        return false;
    }
    membership->vids.insert(vid);
    if (pvid)
    {
        membership->pvid = vid;
    }
    else if (membership->pvid == vid)
    {
        membership->pvid = 0;
    }
    if (untagged)
    {
        membership->untagged.insert(vid);
    }
    else
    {
        membership->untagged.erase(vid);
    }
    return true;
}

bool
VlanBridgeNetDevice::RemoveVlan(uint32_t port, uint16_t vid)
{
    Membership* membership = FindMembership(port);
    if (!membership || membership->vids.erase(vid) == 0)
    {
        return false;
    }
    membership->untagged.erase(vid);
    if (membership->pvid == vid)
    {
        membership->pvid = 0;
    }
    // What was learned there is no longer true.
    for (auto entry = m_learned.begin(); entry != m_learned.end();)
    {
        const bool gone = entry->first.first == vid && entry->second.port == port;
        entry = gone ? m_learned.erase(entry) : std::next(entry);
    }
    return true;
}

uint32_t
VlanBridgeNetDevice::Lookup(uint16_t vid, Mac48Address address) const
{
    const auto found = m_learned.find({vid, address});
    return (found == m_learned.end() || Simulator::Now() - found->second.seen >= m_aging)
               ? SELF
               : found->second.port;
}

uint32_t
VlanBridgeNetDevice::GetNLearned() const
{
    uint32_t count = 0;
    for (const auto& entry : m_learned)
    {
        count += Lookup(entry.first.first, entry.first.second) == SELF ? 0 : 1;
    }
    return count;
}

uint64_t
VlanBridgeNetDevice::GetFiltered() const
{
    return m_filtered;
}

uint64_t
VlanBridgeNetDevice::GetMalformed() const
{
    return m_malformed;
}

bool
VlanBridgeNetDevice::Classify(uint32_t port, Forwarded* frame)
{
    if (!m_filtering)
    {
        return true;
    }
    const Membership& membership = *FindMembership(port);
    uint16_t vid = 0;
    if (frame->protocol == m_protocol)
    {
        if (frame->packet->GetSize() < VlanTagHeader::LENGTH)
        {
            m_malformed++;
            return false;
        }
        VlanTagHeader tag;
        frame->packet->RemoveHeader(tag);
        frame->protocol = tag.GetEtherType();
        frame->tci = tag.GetTci();
        vid = tag.GetVid();
    }
    if (vid == 0)
    {
        // Untagged, or a tag for the priority alone, which stays.
        vid = membership.pvid;
        frame->tci |= vid;
    }
    if (vid == 0 || membership.vids.count(vid) == 0)
    {
        m_filtered++;
        return false;
    }
    return true;
}

void
VlanBridgeNetDevice::ReceiveFromPort(Ptr<NetDevice> device,
                                     Ptr<const Packet> packet,
                                     uint16_t protocol,
                                     const Address& from,
                                     const Address& to,
                                     NetDevice::PacketType type)
{
    NS_LOG_FUNCTION(this << device << packet << protocol << from << to << type);
    const auto found = std::find(m_ports.begin(), m_ports.end(), device);
    if (found == m_ports.end())
    {
        return;
    }
    const auto port = static_cast<uint32_t>(found - m_ports.begin());
    Forwarded frame;
    frame.packet = packet->Copy();
    frame.protocol = protocol;
    frame.from = Mac48Address::ConvertFrom(from);
    frame.to = Mac48Address::ConvertFrom(to);
    if (!Classify(port, &frame))
    {
        return;
    }
    if (!frame.from.IsGroup())
    {
        const uint16_t vid = frame.tci & VlanTagHeader::VID_MASK;
        m_learned[{vid, frame.from}] = {port, Simulator::Now()};
    }
    Forward(port, frame);
}

void
VlanBridgeNetDevice::Forward(uint32_t port, const Forwarded& frame)
{
    const uint16_t vid = frame.tci & VlanTagHeader::VID_MASK;
    const bool forSelf = frame.to == m_address;
    if (port != SELF && (forSelf || frame.to.IsGroup() || !m_promiscRx.IsNull()))
    {
        Deliver(SELF, frame);
    }
    if (forSelf && port != SELF)
    {
        return;
    }
    const uint32_t known = frame.to.IsGroup() ? SELF : Lookup(vid, frame.to);
    if (known != SELF)
    {
        if (known != port)
        {
            Deliver(known, frame);
        }
        return;
    }
    for (uint32_t other = 0; other < GetNPorts(); other++)
    {
        if (other != port)
        {
            Deliver(other, frame);
        }
    }
}

void
VlanBridgeNetDevice::Deliver(uint32_t port, const Forwarded& frame)
{
    Ptr<Packet> packet = frame.packet->Copy();
    uint16_t protocol = frame.protocol;
    if (m_filtering)
    {
        const uint16_t vid = frame.tci & VlanTagHeader::VID_MASK;
        const Membership& membership = *FindMembership(port);
        if (membership.vids.count(vid) == 0)
        {
            return;
        }
        if (membership.untagged.count(vid) == 0)
        {
            packet->AddHeader(VlanTagHeader(frame.tci, protocol));
            protocol = m_protocol;
        }
    }
    if (port != SELF)
    {
        m_ports[port]->SendFrom(packet, frame.from, frame.to, protocol);
        return;
    }
    PacketType type = PACKET_OTHERHOST;
    if (frame.to == m_address)
    {
        type = PACKET_HOST;
    }
    else if (frame.to.IsBroadcast())
    {
        type = PACKET_BROADCAST;
    }
    else if (frame.to.IsGroup())
    {
        type = PACKET_MULTICAST;
    }
    if (!m_promiscRx.IsNull())
    {
        m_promiscRx(this, packet, protocol, frame.from, frame.to, type);
    }
    if (type != PACKET_OTHERHOST && !m_rx.IsNull())
    {
        m_rx(this, packet, protocol, frame.from);
    }
}

void
VlanBridgeNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
VlanBridgeNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
VlanBridgeNetDevice::GetChannel() const
{
    return nullptr;
}

void
VlanBridgeNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
    m_hasAddress = true;
}

Address
VlanBridgeNetDevice::GetAddress() const
{
    return m_address;
}

bool
VlanBridgeNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu < 68)
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
VlanBridgeNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
VlanBridgeNetDevice::IsLinkUp() const
{
    return true;
}

void
VlanBridgeNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    // The link never changes.
    (void)callback;
}

bool
VlanBridgeNetDevice::IsBroadcast() const
{
    return true;
}

Address
VlanBridgeNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
VlanBridgeNetDevice::IsMulticast() const
{
    return true;
}

Address
VlanBridgeNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
VlanBridgeNetDevice::GetMulticast(Ipv6Address address) const
{
    return Mac48Address::GetMulticast(address);
}

bool
VlanBridgeNetDevice::IsBridge() const
{
    return true;
}

bool
VlanBridgeNetDevice::IsPointToPoint() const
{
    return false;
}

bool
VlanBridgeNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
VlanBridgeNetDevice::SendFrom(Ptr<Packet> packet,
                              const Address& source,
                              const Address& dest,
                              uint16_t protocolNumber)
{
    if (!Mac48Address::IsMatchingType(source) || !Mac48Address::IsMatchingType(dest))
    {
        return false;
    }
    Forwarded frame;
    frame.packet = packet->Copy();
    frame.protocol = protocolNumber;
    frame.from = Mac48Address::ConvertFrom(source);
    frame.to = Mac48Address::ConvertFrom(dest);
    if (!Classify(SELF, &frame))
    {
        return false;
    }
    Forward(SELF, frame);
    return true;
}

Ptr<Node>
VlanBridgeNetDevice::GetNode() const
{
    return m_node;
}

void
VlanBridgeNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
VlanBridgeNetDevice::NeedsArp() const
{
    return true;
}

void
VlanBridgeNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_rx = cb;
}

void
VlanBridgeNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscRx = cb;
}

bool
VlanBridgeNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace linuxhost
} // namespace ns3
