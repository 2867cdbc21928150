/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "veth-pair-device.h"

#include "ip-input-check.h"
#include "linux-icmp-sender.h"

#include "ns3/channel.h"
#include "ns3/ethernet-header.h"
#include "ns3/ipv4.h"
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

NS_LOG_COMPONENT_DEFINE("VethPairDevice");
NS_OBJECT_ENSURE_REGISTERED(VethPairDevice);

namespace
{

constexpr uint16_t ETHERTYPE_ARP = 0x0806;    ///< EtherType of ARP
constexpr uint32_t ETHERNET_HEADER_SIZE = 14; ///< bytes of an Ethernet header
constexpr uint32_t ARP_SIZE = 28;             ///< bytes of an ARP packet for Ethernet and IPv4
constexpr uint32_t TAG_SIZE = 4;              ///< bytes of a tag and the EtherType behind it
constexpr uint8_t ICMP_TIME_EXCEEDED = 11;    ///< ICMPv4 time exceeded
constexpr uint8_t ICMP_EXC_FRAGTIME = 1;      ///< code: fragments did not all come in time

} // namespace

TypeId
VethPairDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::VethPairDevice")
            .SetParent<NetDevice>()
            .SetGroupName("LinuxHost")
            .AddConstructor<VethPairDevice>()
            .AddAttribute("Mtu",
                          "Largest payload of a frame.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&VethPairDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>(68))
            .AddAttribute("Delay",
                          "Time from one end to the other.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&VethPairDevice::m_delay),
                          MakeTimeChecker())
            .AddAttribute("Gap",
                          "Shortest time between two frames of one end: long enough for the "
                          "other host to answer the first.",
                          TimeValue(MicroSeconds(10)),
                          MakeTimeAccessor(&VethPairDevice::m_gap),
                          MakeTimeChecker())
            .AddTraceSource("Sniffer",
                            "Every frame sent or received, with its Ethernet header.",
                            MakeTraceSourceAccessor(&VethPairDevice::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Drop",
                            "A frame was dropped: malformed, or beyond the MTU.",
                            MakeTraceSourceAccessor(&VethPairDevice::m_dropTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

VethPairDevice::VethPairDevice()
    : m_address(Mac48Address::Allocate())
{
    m_reassembly.SetExpired(
        [this](const std::vector<uint8_t>& first) { ReassemblyExpired(first); });
}

void
VethPairDevice::DoDispose()
{
    m_reassembly.Clear();
    m_node = nullptr;
    m_peer = nullptr;
    m_receive.Nullify();
    m_promiscReceive.Nullify();
    m_linkChange.clear();
    NetDevice::DoDispose();
}

void
VethPairDevice::SetPeer(Ptr<VethPairDevice> other)
{
    m_peer = other;
    if (other->m_peer != this)
    {
        other->SetPeer(this);
    }
    for (const auto& callback : m_linkChange)
    {
        callback();
    }
}

bool
VethPairDevice::SendFrame(Ptr<Packet> frame)
{
    NS_LOG_FUNCTION(this << frame);
    if (!m_peer || frame->GetSize() < ETHERNET_HEADER_SIZE ||
        frame->GetSize() > ETHERNET_HEADER_SIZE + m_mtu)
    {
        m_dropTrace(frame);
        return false;
    }
    Time now = Simulator::Now();
    Time departure = std::max(now, m_nextDeparture);
    m_nextDeparture = departure + m_gap;
    if (departure == now)
    {
        Depart(frame);
    }
    else
    {
        Simulator::Schedule(departure - now, &VethPairDevice::Depart, this, frame->Copy());
    }
    return true;
}

void
VethPairDevice::Depart(Ptr<Packet> frame)
{
    if (!m_peer || !m_peer->m_node)
    {
        return;
    }
    m_snifferTrace(frame);
    Simulator::ScheduleWithContext(m_peer->m_node->GetId(),
                                   m_delay,
                                   &VethPairDevice::ReceiveFrame,
                                   m_peer,
                                   frame->Copy());
}

bool
VethPairDevice::CheckPayload(Ptr<Packet>* payload, uint16_t protocol)
{
    std::vector<uint8_t> bytes((*payload)->GetSize());
    (*payload)->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    if (protocol == ETHERTYPE_ARP)
    {
        static const uint8_t ethernetIpv4[] = {0, 1, 8, 0, 6, 4, 0};
        return bytes.size() >= ARP_SIZE &&
               std::equal(std::begin(ethernetIpv4), std::end(ethernetIpv4), bytes.begin()) &&
               (bytes[7] == 1 || bytes[7] == 2);
    }
    if (protocol != ETHERTYPE_IPV4)
    {
        // IPv6 goes only through the tunnels of this pack; the pair carries IPv4.
        return false;
    }
    std::size_t length = CheckIpv4Packet(bytes.data(), bytes.size(), Node::ChecksumEnabled());
    if (length == 0)
    {
        return false;
    }
    bytes.resize(length);
    bool fragment = (((bytes[6] << 8) | bytes[7]) & 0x3fff) != 0;
    Ptr<Ipv4> ipv4 = m_node->GetObject<Ipv4>();
    int32_t interface = ipv4 ? ipv4->GetInterfaceForDevice(this) : -1;
    if (fragment && interface >= 0 &&
        ipv4->IsDestinationAddress(Ipv4Address::Deserialize(&bytes[16]), interface))
    {
        if (!m_reassembly.Add(&bytes))
        {
            *payload = nullptr;
            return true;
        }
        fragment = false;
    }
    // ns-3's layers parse what they get. A fragment of one of their protocols could carry past
    // this check what no check has seen, so only those of tunnel packets are forwarded.
    std::size_t header = (bytes[0] & 0x0f) * 4U;
    uint8_t upper = bytes[9];
    uint32_t size = static_cast<uint32_t>(bytes.size() - header);
    if (upper != IP_PROTOCOL_IPV6 &&
        (fragment || CheckSegment(upper,
                                  bytes.data() + header,
                                  size,
                                  PseudoHeaderSum4(&bytes[12], &bytes[16], size, upper),
                                  true,
                                  Node::ChecksumEnabled()) == 0))
    {
        return false;
    }
    // A fragment that ends beyond 65535 bytes is the old ping of death.
    std::size_t offset = (((bytes[6] & 0x1f) << 8) | bytes[7]) * 8U;
    if (offset + bytes.size() > 65535)
    {
        return false;
    }
    *payload = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return true;
}

void
VethPairDevice::ReassemblyExpired(const std::vector<uint8_t>& first)
{
    if (m_node)
    {
        LinuxIcmpSender::Of(m_node)->SendError4(first, ICMP_TIME_EXCEEDED, ICMP_EXC_FRAGTIME);
    }
}

void
VethPairDevice::ReceiveFrame(Ptr<Packet> frame)
{
    NS_LOG_FUNCTION(this << frame);
    if (!m_node)
    {
        return;
    }
    m_snifferTrace(frame);
    EthernetHeader header(false);
    Ptr<Packet> payload = frame->Copy();
    payload->RemoveHeader(header);
    uint16_t protocol = header.GetLengthType();
    // A tag of id 0 says the priority only.
    uint8_t tag[TAG_SIZE];
    while ((protocol == ETHERTYPE_8021Q || protocol == ETHERTYPE_8021AD) &&
           payload->CopyData(tag, TAG_SIZE) == TAG_SIZE && (((tag[0] & 0x0f) << 8) | tag[1]) == 0)
    {
        protocol = static_cast<uint16_t>((tag[2] << 8) | tag[3]);
        payload->RemoveAtStart(TAG_SIZE);
    }
    PacketType type = PACKET_OTHERHOST;
    Mac48Address destination = header.GetDestination();
    if (destination == m_address)
    {
        type = PACKET_HOST;
    }
    else if (destination.IsBroadcast())
    {
        type = PACKET_BROADCAST;
    }
    else if (destination.IsGroup())
    {
        type = PACKET_MULTICAST;
    }
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this, payload, protocol, header.GetSource(), destination, type);
    }
    if (type == PACKET_OTHERHOST)
    {
        return;
    }
    if (!CheckPayload(&payload, protocol))
    {
        ++m_malformed;
        m_dropTrace(frame);
        return;
    }
    if (payload && !m_receive.IsNull())
    {
        m_receive(this, payload, protocol, header.GetSource());
    }
}

uint64_t
VethPairDevice::GetMalformedCount() const
{
    return m_malformed + m_reassembly.GetFailures();
}

void
VethPairDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
VethPairDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
VethPairDevice::GetChannel() const
{
    return nullptr;
}

void
VethPairDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
VethPairDevice::GetAddress() const
{
    return m_address;
}

bool
VethPairDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
VethPairDevice::GetMtu() const
{
    return m_mtu;
}

bool
VethPairDevice::IsLinkUp() const
{
    return static_cast<bool>(m_peer);
}

void
VethPairDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.push_back(callback);
}

bool
VethPairDevice::IsBroadcast() const
{
    return true;
}

Address
VethPairDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
VethPairDevice::IsMulticast() const
{
    return true;
}

Address
VethPairDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
VethPairDevice::GetMulticast(Ipv6Address address) const
{
    return Mac48Address::GetMulticast(address);
}

bool
VethPairDevice::IsBridge() const
{
    return false;
}

bool
VethPairDevice::IsPointToPoint() const
{
    return false;
}

bool
VethPairDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
VethPairDevice::SendFrom(Ptr<Packet> packet,
                         const Address& source,
                         const Address& dest,
                         uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    if (protocolNumber == ETHERTYPE_ARP && packet->GetSize() == ARP_SIZE)
    {
        uint8_t arp[ARP_SIZE];
        packet->CopyData(arp, ARP_SIZE);
        if (arp[7] == 1)
        {
            // ns-3 asks for the broadcast address; Linux leaves the wanted address zero.
            std::fill(arp + 18, arp + 24, 0);
            packet = Create<Packet>(arp, ARP_SIZE);
        }
    }
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(Mac48Address::ConvertFrom(dest));
    header.SetLengthType(protocolNumber);
    packet->AddHeader(header);
    return SendFrame(packet);
}

Ptr<Node>
VethPairDevice::GetNode() const
{
    return m_node;
}

void
VethPairDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
VethPairDevice::NeedsArp() const
{
    return true;
}

void
VethPairDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_receive = cb;
}

void
VethPairDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscReceive = cb;
}

bool
VethPairDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace linuxhost
} // namespace ns3
