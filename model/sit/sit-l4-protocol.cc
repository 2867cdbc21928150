/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-l4-protocol.h"

#include "ip-input-check.h"
#include "ipv4-host-input.h"
#include "linux-icmp-sender.h"
#include "sit-net-device.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/loopback-net-device.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("SitL4Protocol");
NS_OBJECT_ENSURE_REGISTERED(SitL4Protocol);

namespace
{

constexpr std::size_t IPV4_HEADER = 20;    ///< bytes of an IPv4 header
constexpr std::size_t IPV6_HEADER = 40;    ///< bytes of an IPv6 header
constexpr std::size_t ICMP_HEADER = 8;     ///< bytes of an ICMP header
constexpr uint8_t IP_PROTOCOL_IGMP = 2;    ///< IP protocol IGMP
constexpr uint8_t IP_PROTOCOL_IPIP = 4;    ///< IP protocol IPv4 in IPv4
constexpr uint32_t MIN_PATH_MTU = 552;     ///< sysctl route/min_pmtu
constexpr int64_t PATH_MTU_EXPIRES = 600;  ///< sysctl route/mtu_expires, s
constexpr uint8_t ICMP_DEST_UNREACH = 3;   ///< ICMPv4 destination unreachable
constexpr uint8_t ICMP_TIME_EXCEEDED = 11; ///< ICMPv4 time exceeded
constexpr uint8_t ICMP_PROT_UNREACH = 2;   ///< code: protocol unreachable
constexpr uint8_t ICMP_PORT_UNREACH = 3;   ///< code: port unreachable
constexpr uint8_t ICMP_FRAG_NEEDED = 4;    ///< code: fragmentation needed
constexpr uint8_t ICMP_SR_FAILED = 5;      ///< code: source route failed
constexpr uint8_t NR_ICMP_UNREACH = 15;    ///< largest code that is known

/**
 * @param header an IPv4 header
 * @param packet what follows it
 * @returns the packet's bytes, as they arrived where Ipv4HostInput has kept the header, else as
 * ns-3 knows them: without options
 */
std::vector<uint8_t>
PacketBytes(const Ipv4Header& header, Ptr<const Packet> packet)
{
    Ipv4HeaderTag received;
    if (packet->PeekPacketTag(received))
    {
        std::vector<uint8_t> bytes = received.bytes;
        bytes.resize(bytes.size() + packet->GetSize());
        packet->CopyData(bytes.data() + received.bytes.size(), packet->GetSize());
        return bytes;
    }
    Ipv4Header plain;
    plain.SetTos(header.GetTos());
    plain.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    plain.SetIdentification(header.GetIdentification());
    if (header.IsDontFragment())
    {
        plain.SetDontFragment();
    }
    plain.SetTtl(header.GetTtl());
    plain.SetProtocol(header.GetProtocol());
    plain.SetSource(header.GetSource());
    plain.SetDestination(header.GetDestination());
    plain.EnableChecksum();
    Ptr<Packet> whole = packet->Copy();
    whole->AddHeader(plain);
    std::vector<uint8_t> bytes(whole->GetSize());
    whole->CopyData(bytes.data(), whole->GetSize());
    return bytes;
}

} // namespace

std::string
SitDropReasonName(SitDropReason reason)
{
    switch (reason)
    {
    case SIT_TX_NOT_IPV6:
        return "tx_not_ipv6";
    case SIT_TX_NO_ENDPOINT:
        return "tx_no_endpoint";
    case SIT_TX_NO_ROUTE:
        return "tx_no_route";
    case SIT_TX_LOOP:
        return "tx_loop";
    case SIT_TX_TINY_MTU:
        return "tx_tiny_mtu";
    case SIT_TX_TOO_BIG:
        return "tx_too_big";
    case SIT_RX_TRUNCATED:
        return "rx_truncated";
    case SIT_RX_MARTIAN:
        return "rx_martian";
    case SIT_RX_NO_TUNNEL:
        return "rx_no_tunnel";
    case SIT_RX_SPOOFED:
        return "rx_spoofed";
    case SIT_RX_ECN:
        return "rx_ecn";
    case SIT_RX_MALFORMED:
        return "rx_malformed";
    case SIT_RX_NOT_LOCAL:
        return "rx_not_local";
    case SIT_RX_NO_PROTOCOL:
        return "rx_no_protocol";
    case SIT_RX_BAD_SEGMENT:
        return "rx_bad_segment";
    case SIT_RX_UNFORWARDABLE:
        return "rx_unforwardable";
    case SIT_RX_FRAGMENT:
        return "rx_fragment";
    case SIT_DROP_REASONS:
        break;
    }
    return "unknown";
}

TypeId
SitL4Protocol::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::SitL4Protocol")
            .SetParent<IpL4Protocol>()
            .SetGroupName("LinuxHost")
            .AddConstructor<SitL4Protocol>()
            .AddAttribute("AnswerUnknownProtocols",
                          "Whether IPv4 packets of a protocol that the node does not have are "
                          "answered with an ICMP error. Linux does not answer what a raw socket "
                          "takes, which ns-3 does not tell: switch it off on nodes that have some.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&SitL4Protocol::m_answerUnknown),
                          MakeBooleanChecker())
            .AddTraceSource("Drop",
                            "A received packet was dropped before it reached a device.",
                            MakeTraceSourceAccessor(&SitL4Protocol::m_dropTrace),
                            "ns3::linuxhost::SitNetDevice::DropTracedCallback");
    return tid;
}

Ptr<SitL4Protocol>
SitL4Protocol::Of(Ptr<Node> node)
{
    Ptr<SitL4Protocol> protocol = node->GetObject<SitL4Protocol>();
    if (!protocol)
    {
        Ptr<Ipv4L3Protocol> ipv4 = node->GetObject<Ipv4L3Protocol>();
        NS_ABORT_MSG_UNLESS(ipv4, "sit needs IPv4 on node " << node->GetId());
        protocol = CreateObject<SitL4Protocol>();
        protocol->m_node = node;
        node->AggregateObject(protocol);
        ipv4->Insert(protocol);
        ipv4->TraceConnectWithoutContext("LocalDeliver",
                                         MakeCallback(&SitL4Protocol::LocalDelivered, protocol));
    }
    return protocol;
}

void
SitL4Protocol::DoDispose()
{
    Ptr<Ipv4L3Protocol> ipv4 = m_node ? m_node->GetObject<Ipv4L3Protocol>() : nullptr;
    if (ipv4)
    {
        ipv4->TraceDisconnectWithoutContext(
            "LocalDeliver",
            MakeCallback(&SitL4Protocol::LocalDelivered, Ptr<SitL4Protocol>(this)));
    }
    m_tunnels.clear();
    m_node = nullptr;
    m_downTarget.Nullify();
    m_downTarget6.Nullify();
    IpL4Protocol::DoDispose();
}

void
SitL4Protocol::AddTunnel(Ptr<SitNetDevice> device)
{
    m_tunnels.push_back(device);
}

void
SitL4Protocol::RemoveTunnel(Ptr<SitNetDevice> device)
{
    m_tunnels.erase(std::remove(m_tunnels.begin(), m_tunnels.end(), device), m_tunnels.end());
}

Ptr<SitNetDevice>
SitL4Protocol::Lookup(Ipv4Address remote, Ipv4Address local) const
{
    // How much of the pair a tunnel names decides first, then its age.
    Ptr<SitNetDevice> best;
    int bestRank = 0;
    for (const auto& tunnel : m_tunnels)
    {
        bool anyRemote = tunnel->GetRemote().IsAny();
        bool anyLocal = tunnel->GetLocal().IsAny();
        if ((!anyRemote && tunnel->GetRemote() != remote) ||
            (!anyLocal && tunnel->GetLocal() != local))
        {
            continue;
        }
        int rank = 1 + (anyLocal ? 0 : 1) + (anyRemote ? 0 : 2);
        if (rank > bestRank)
        {
            best = tunnel;
            bestRank = rank;
        }
    }
    return best;
}

uint32_t
SitL4Protocol::GetPathMtu(Ipv4Address destination, uint32_t deviceMtu, bool* locked) const
{
    *locked = false;
    auto known = m_pathMtu.find(destination);
    if (known == m_pathMtu.end() || known->second.expires <= Simulator::Now() ||
        known->second.mtu >= deviceMtu)
    {
        return deviceMtu;
    }
    *locked = known->second.locked;
    return known->second.mtu;
}

void
SitL4Protocol::UpdatePathMtu(Ipv4Address destination, uint32_t mtu)
{
    bool locked = false;
    uint32_t old = GetPathMtu(destination, 65535, &locked);
    if (old < mtu)
    {
        return;
    }
    locked = mtu < MIN_PATH_MTU;
    if (locked)
    {
        mtu = std::min(old, MIN_PATH_MTU);
    }
    m_pathMtu[destination] = PathMtu{mtu, locked, Simulator::Now() + Seconds(PATH_MTU_EXPIRES)};
}

uint16_t
SitL4Protocol::NextIdentification()
{
    return ++m_identification;
}

uint64_t
SitL4Protocol::GetDropCount(SitDropReason reason) const
{
    return m_drops[reason];
}

void
SitL4Protocol::Drop(SitDropReason reason, Ptr<const Packet> packet)
{
    ++m_drops[reason];
    m_dropTrace(reason, packet);
}

int
SitL4Protocol::GetProtocolNumber() const
{
    return IP_PROTOCOL_IPV6;
}

IpL4Protocol::RxStatus
SitL4Protocol::Receive(Ptr<Packet> packet,
                       const Ipv4Header& header,
                       Ptr<Ipv4Interface> incomingInterface)
{
    NS_LOG_FUNCTION(this << packet << header << incomingInterface);
    Ipv4Address source = header.GetSource();
    // What comes in by a wire is neither from loopback addresses nor for them.
    bool fromWire = !DynamicCast<LoopbackNetDevice>(incomingInterface->GetDevice());
    if (source.IsMulticast() || source.IsBroadcast() || source.IsAny() ||
        (fromWire && (source.IsLocalhost() || header.GetDestination().IsLocalhost())))
    {
        // The kernel's input routing refuses such packets before any protocol sees them.
        Drop(SIT_RX_MARTIAN, packet);
        return RX_OK;
    }
    if (packet->GetSize() < IPV6_HEADER)
    {
        Drop(SIT_RX_TRUNCATED, packet);
        return RX_OK;
    }
    Ptr<SitNetDevice> tunnel = Lookup(source, header.GetDestination());
    if (tunnel)
    {
        tunnel->ReceiveOuter(packet, header);
        return RX_OK;
    }
    Drop(SIT_RX_NO_TUNNEL, packet);
    AnswerUnreachable(header, packet, ICMP_PORT_UNREACH);
    return RX_OK;
}

IpL4Protocol::RxStatus
SitL4Protocol::Receive(Ptr<Packet> packet,
                       const Ipv6Header& header,
                       Ptr<Ipv6Interface> incomingInterface)
{
    NS_LOG_FUNCTION(this << packet << &header << incomingInterface);
    return RX_ENDPOINT_UNREACH;
}

void
SitL4Protocol::AnswerUnreachable(const Ipv4Header& header, Ptr<const Packet> packet, uint8_t code)
{
    // Broadcasts and multicasts are not answered: the destination must be this host's address, and
    // that of the frame as well.
    Ipv4HeaderTag received;
    if (packet->PeekPacketTag(received) && !received.hostFrame)
    {
        return;
    }
    Ipv4Address destination = header.GetDestination();
    if (m_node->GetObject<Ipv4L3Protocol>()->GetInterfaceForAddress(destination) >= 0 ||
        destination.IsLocalhost())
    {
        LinuxIcmpSender::Of(m_node)->SendError4(PacketBytes(header, packet),
                                                ICMP_DEST_UNREACH,
                                                code);
    }
}

void
SitL4Protocol::LocalDelivered(const Ipv4Header& header,
                              Ptr<const Packet> packet,
                              uint32_t interface)
{
    NS_LOG_FUNCTION(this << packet << interface);
    uint8_t upper = header.GetProtocol();
    if (!m_node->GetObject<Ipv4L3Protocol>()->GetProtocol(upper, interface))
    {
        // ns-3 is silent about protocols that it does not know. Linux knows IGMP, and with this
        // module IPv4 in IPv4, which is not modeled further than that a tunnel would take it.
        if (upper == IP_PROTOCOL_IPIP)
        {
            if (packet->GetSize() >= IPV4_HEADER &&
                !Lookup(header.GetSource(), header.GetDestination()))
            {
                AnswerUnreachable(header, packet, ICMP_PORT_UNREACH);
            }
        }
        else if (upper != IP_PROTOCOL_IGMP && m_answerUnknown)
        {
            AnswerUnreachable(header, packet, ICMP_PROT_UNREACH);
        }
        return;
    }
    if (upper != IP_PROTOCOL_ICMP || packet->GetSize() < ICMP_HEADER + IPV4_HEADER)
    {
        return;
    }
    std::vector<uint8_t> message(packet->GetSize());
    packet->CopyData(message.data(), packet->GetSize());
    if (CheckSegment(IP_PROTOCOL_ICMP,
                     message.data(),
                     message.size(),
                     0,
                     true,
                     Node::ChecksumEnabled()) == 0)
    {
        return;
    }
    // The quoted packet must be one that this host sent through a tunnel.
    const uint8_t* quoted = message.data() + ICMP_HEADER;
    std::size_t quotedHeader = (quoted[0] & 0x0f) * 4U;
    if ((quoted[0] >> 4) != 4 || quotedHeader < IPV4_HEADER || quoted[9] != IP_PROTOCOL_IPV6 ||
        message.size() < ICMP_HEADER + quotedHeader + 8)
    {
        return;
    }
    IcmpError(header.GetSource(), message, ICMP_HEADER);
}

void
SitL4Protocol::IcmpError(Ipv4Address reporter,
                         const std::vector<uint8_t>& message,
                         std::size_t quoted)
{
    uint8_t type = message[0];
    uint8_t code = message[1];
    std::size_t extensionsAt = 0;
    if (type == ICMP_DEST_UNREACH)
    {
        if (code == ICMP_SR_FAILED || code > NR_ICMP_UNREACH)
        {
            return;
        }
    }
    else if (type == ICMP_TIME_EXCEEDED)
    {
        if (code != 0)
        {
            return;
        }
        extensionsAt = message[5] * 4U;
    }
    else
    {
        return;
    }
    std::vector<uint8_t> packet(message.begin() + quoted, message.end());
    Ipv4Address local = Ipv4Address::Deserialize(&packet[12]);
    Ipv4Address remote = Ipv4Address::Deserialize(&packet[16]);
    Ptr<SitNetDevice> tunnel = Lookup(remote, local);
    if (!tunnel)
    {
        return;
    }
    if (type == ICMP_DEST_UNREACH && code == ICMP_FRAG_NEEDED)
    {
        UpdatePathMtu(remote, (message[6] << 8) | message[7]);
        return;
    }
    std::size_t header = (packet[0] & 0x0f) * 4U;
    if (packet.size() >= header + IPV6_HEADER + 8)
    {
        // ip6_err_gen_icmpv6_unreach: the sender of the inner packet is told by the reporter's
        // mapped address. Extensions (RFC 4884) keep their place, since the padding moves.
        uint32_t information = 0;
        if (extensionsAt < 128 || (extensionsAt & 7) || packet.size() < extensionsAt)
        {
            packet.erase(packet.begin(), packet.begin() + header);
        }
        else
        {
            std::copy(packet.begin() + header, packet.begin() + extensionsAt, packet.begin());
            std::fill_n(packet.begin() + extensionsAt - header, header, 0);
            information = static_cast<uint32_t>(extensionsAt / 8) << 24;
        }
        bool expired = type == ICMP_TIME_EXCEEDED;
        LinuxIcmpSender::Of(m_node)->SendError6(packet,
                                                expired ? LinuxIcmpSender::ICMPV6_TIME_EXCEED
                                                        : LinuxIcmpSender::ICMPV6_DEST_UNREACH,
                                                expired ? 0 : LinuxIcmpSender::ICMPV6_ADDR_UNREACH,
                                                information,
                                                tunnel,
                                                Ipv6Address::MakeIpv4MappedAddress(reporter));
        return;
    }
    if (tunnel->GetRemote().IsAny() || (tunnel->InheritsTtl() && type == ICMP_TIME_EXCEEDED))
    {
        return;
    }
    tunnel->NoteError();
}

void
SitL4Protocol::SetDownTarget(IpL4Protocol::DownTargetCallback cb)
{
    m_downTarget = cb;
}

void
SitL4Protocol::SetDownTarget6(IpL4Protocol::DownTargetCallback6 cb)
{
    m_downTarget6 = cb;
}

IpL4Protocol::DownTargetCallback
SitL4Protocol::GetDownTarget() const
{
    return m_downTarget;
}

IpL4Protocol::DownTargetCallback6
SitL4Protocol::GetDownTarget6() const
{
    return m_downTarget6;
}

} // namespace linuxhost
} // namespace ns3
