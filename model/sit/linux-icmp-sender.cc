/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "linux-icmp-sender.h"

#include "ip-input-check.h"
#include "sit-net-device.h"

#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/ip-l4-protocol.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-options.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/loopback-net-device.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("LinuxIcmpSender");
NS_OBJECT_ENSURE_REGISTERED(LinuxIcmpSender);

namespace
{

constexpr std::size_t IPV4_HEADER = 20;       ///< bytes of an IPv4 header
constexpr std::size_t IPV6_HEADER = 40;       ///< bytes of an IPv6 header
constexpr std::size_t ICMP_HEADER = 8;        ///< bytes of an ICMP header
constexpr std::size_t FRAGMENT_HEADER = 8;    ///< bytes of an IPv6 fragment header
constexpr std::size_t ICMP4_LARGEST = 576;    ///< an ICMPv4 error is never longer
constexpr std::size_t IPV6_MIN_MTU = 1280;    ///< an ICMPv6 error is never longer
constexpr int64_t BURST = 6;                  ///< messages that a peer's bucket saves up
constexpr uint8_t TOS_MASK = 0x1e;            ///< the TOS bits of RFC 1349
constexpr uint8_t INTERNET_CONTROL = 0xc0;    ///< precedence of ICMP errors
constexpr uint32_t FLOW_LABEL_MASK = 0xfffff; ///< a flow label's 20 bits

} // namespace

TypeId
LinuxIcmpSender::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::LinuxIcmpSender")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddConstructor<LinuxIcmpSender>()
            .AddAttribute("AutoFlowLabels",
                          "Whether ICMPv6 messages get an automatic flow label.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxIcmpSender::m_autoFlowLabels),
                          MakeBooleanChecker())
            .AddAttribute("FlowLabelSeed",
                          "Stands for the secret that a running system hashes flow labels with.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&LinuxIcmpSender::m_flowLabelSeed),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("RateLimit4",
                          "Time between ICMPv4 errors to one peer, after a burst of six.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&LinuxIcmpSender::m_rateLimit4),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RateLimit6",
                          "Time between ICMPv6 errors to one /128 peer, after a burst of six; "
                          "halved for each 32 bits that the route's prefix is wider.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&LinuxIcmpSender::m_rateLimit6),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HopLimit",
                          "TTL and hop limit of the messages.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&LinuxIcmpSender::m_hopLimit),
                          MakeUintegerChecker<uint8_t>(1));
    return tid;
}

Ptr<LinuxIcmpSender>
LinuxIcmpSender::Of(Ptr<Node> node)
{
    Ptr<LinuxIcmpSender> sender = node->GetObject<LinuxIcmpSender>();
    if (!sender)
    {
        sender = CreateObject<LinuxIcmpSender>();
        node->AggregateObject(sender);
    }
    return sender;
}

void
LinuxIcmpSender::NotifyNewAggregate()
{
    if (!m_node)
    {
        m_node = GetObject<Node>();
    }
    Object::NotifyNewAggregate();
}

void
LinuxIcmpSender::DoDispose()
{
    m_node = nullptr;
    Object::DoDispose();
}

bool
LinuxIcmpSender::Allow(Bucket* bucket, Time period)
{
    if (period.IsZero())
    {
        return true;
    }
    int64_t full = BURST * period.GetNanoSeconds();
    Time now = Simulator::Now();
    int64_t tokens = full;
    if (bucket->tokens >= 0)
    {
        tokens = std::min(full, bucket->tokens + (now - bucket->last).GetNanoSeconds());
    }
    bucket->last = now;
    bool allowed = tokens >= period.GetNanoSeconds();
    bucket->tokens = tokens - (allowed ? period.GetNanoSeconds() : 0);
    return allowed;
}

bool
LinuxIcmpSender::GlobalAllow()
{
    // icmp_msgs_per_sec 1000 and icmp_msgs_burst 50; credit comes in steps of at least 20 ms.
    constexpr int64_t PER_SECOND = 1000;
    constexpr int64_t MAXIMUM = 50;
    Time now = Simulator::Now();
    if (m_global.tokens < 0)
    {
        m_global.tokens = MAXIMUM;
        m_global.last = now;
    }
    int64_t elapsed = std::min<int64_t>((now - m_global.last).GetMilliSeconds(), 1000);
    if (elapsed >= 20)
    {
        m_global.tokens = std::min(MAXIMUM, m_global.tokens + PER_SECOND * elapsed / 1000);
        m_global.last = now;
    }
    if (m_global.tokens == 0)
    {
        return false;
    }
    --m_global.tokens;
    return true;
}

bool
LinuxIcmpSender::IsOtherUnicast4(Ipv4Address address) const
{
    if (address.IsMulticast() || address.IsBroadcast() || address.IsLocalhost() ||
        address.Get() >> 24 == 0)
    {
        return false;
    }
    Ptr<Ipv4L3Protocol> ipv4 = m_node->GetObject<Ipv4L3Protocol>();
    for (uint32_t i = 0; i < ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); ++j)
        {
            const Ipv4InterfaceAddress own = ipv4->GetAddress(i, j);
            if (address == own.GetLocal() ||
                (own.GetMask().GetPrefixLength() < 31 &&
                 address == own.GetLocal().GetSubnetDirectedBroadcast(own.GetMask())))
            {
                return false;
            }
        }
    }
    return true;
}

bool
LinuxIcmpSender::AnswerOptions(const std::vector<uint8_t>& packet,
                               std::size_t end,
                               Ipv4Address source,
                               std::vector<uint8_t>* options) const
{
    return EchoIpv4Options(
        packet,
        end,
        {source, [this](Ipv4Address address) { return IsOtherUnicast4(address); }},
        options);
}

void
LinuxIcmpSender::Send4(std::vector<uint8_t> message,
                       Ipv4Header header,
                       const std::vector<uint8_t>& options,
                       Ptr<Ipv4Route> route)
{
    Ptr<Ipv4L3Protocol> ipv4 = m_node->GetObject<Ipv4L3Protocol>();
    message[2] = 0;
    message[3] = 0;
    uint32_t sum = ~InternetSum(message.data(), message.size());
    message[2] = static_cast<uint8_t>(sum >> 8);
    message[3] = static_cast<uint8_t>(sum);
    header.SetProtocol(IP_PROTOCOL_ICMP);
    header.SetTtl(m_hopLimit);
    header.SetMayFragment();
    header.SetIdentification(++m_identification);
    header.SetPayloadSize(static_cast<uint16_t>(message.size()));
    header.EnableChecksum();
    Ptr<Packet> packet = Create<Packet>(message.data(), static_cast<uint32_t>(message.size()));
    Ptr<NetDevice> device = route->GetOutputDevice();
    Ptr<ArpCache> neighbors =
        ipv4->GetInterface(ipv4->GetInterfaceForDevice(device))->GetArpCache();
    Ipv4Address next = route->GetGateway().IsAny() ? header.GetDestination() : route->GetGateway();
    ArpCache::Entry* neighbor = neighbors ? neighbors->Lookup(next) : nullptr;
    std::size_t length = IPV4_HEADER + options.size();
    if (options.empty() || !neighbor || !(neighbor->IsAlive() || neighbor->IsPermanent()) ||
        length + message.size() > device->GetMtu())
    {
        ipv4->SendWithHeader(packet, header, route);
        return;
    }
    // ns-3's layers have no place for options on the way down, so this goes to the device.
    packet->AddHeader(header);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    bytes.insert(bytes.begin() + IPV4_HEADER, options.begin(), options.end());
    bytes[0] = static_cast<uint8_t>(0x40 | length / 4);
    bytes[2] = static_cast<uint8_t>(bytes.size() >> 8);
    bytes[3] = static_cast<uint8_t>(bytes.size());
    bytes[10] = 0;
    bytes[11] = 0;
    sum = ~InternetSum(bytes.data(), length);
    bytes[10] = static_cast<uint8_t>(sum >> 8);
    bytes[11] = static_cast<uint8_t>(sum);
    device->Send(Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size())),
                 neighbor->GetMacAddress(),
                 Ipv4L3Protocol::PROT_NUMBER);
}

void
LinuxIcmpSender::SendError4(const std::vector<uint8_t>& packet,
                            uint8_t type,
                            uint8_t code,
                            uint32_t information,
                            std::size_t optionsEnd)
{
    NS_LOG_FUNCTION(this << +type << +code << information);
    Ptr<Ipv4L3Protocol> ipv4 = m_node ? m_node->GetObject<Ipv4L3Protocol>() : nullptr;
    if (!ipv4 || packet.size() < IPV4_HEADER || packet.size() < (packet[0] & 0x0f) * 4U ||
        !MayAnswerWithIcmpError(packet))
    {
        return;
    }
    Ipv4Address source = Ipv4Address::Deserialize(&packet[12]);
    Ipv4Address destination = Ipv4Address::Deserialize(&packet[16]);
    // A source that is not one host's, or that routing would refuse, is not answered.
    if (source.IsMulticast() || source.IsBroadcast() || source.IsAny() || packet[12] == 127)
    {
        return;
    }
    if (!GlobalAllow())
    {
        return;
    }
    Ipv4Header header;
    header.SetSource(destination);
    header.SetDestination(source);
    header.SetProtocol(IP_PROTOCOL_ICMP);
    header.SetTos((packet[1] & TOS_MASK) | INTERNET_CONTROL);
    Socket::SocketErrno error;
    Ptr<Ipv4Route> route =
        ipv4->GetRoutingProtocol()->RouteOutput(Create<Packet>(), header, nullptr, error);
    if (!route)
    {
        return;
    }
    if (!destination.IsLocalhost() && ipv4->GetInterfaceForAddress(destination) < 0)
    {
        header.SetSource(route->GetSource());
    }
    std::vector<uint8_t> options;
    if (!AnswerOptions(packet, optionsEnd, header.GetSource(), &options))
    {
        return;
    }
    bool loopback = static_cast<bool>(DynamicCast<LoopbackNetDevice>(route->GetOutputDevice()));
    if (!loopback && !Allow(&m_peers4[source], m_rateLimit4))
    {
        return;
    }
    std::size_t room = std::min<std::size_t>(route->GetOutputDevice()->GetMtu(), ICMP4_LARGEST);
    if (room <= 2 * IPV4_HEADER + options.size() + ICMP_HEADER)
    {
        return;
    }
    std::size_t quoted = std::min(packet.size(), room - IPV4_HEADER - options.size() - ICMP_HEADER);
    std::vector<uint8_t> message(ICMP_HEADER + quoted);
    message[0] = type;
    message[1] = code;
    message[4] = static_cast<uint8_t>(information >> 24);
    message[5] = static_cast<uint8_t>(information >> 16);
    message[6] = static_cast<uint8_t>(information >> 8);
    message[7] = static_cast<uint8_t>(information);
    std::copy_n(packet.begin(), quoted, message.begin() + ICMP_HEADER);
    Send4(std::move(message), header, options, route);
}

void
LinuxIcmpSender::SendEchoReply4(const std::vector<uint8_t>& packet)
{
    NS_LOG_FUNCTION(this);
    std::size_t length = (packet[0] & 0x0f) * 4U;
    Ptr<Ipv4L3Protocol> ipv4 = m_node->GetObject<Ipv4L3Protocol>();
    Ipv4Header header;
    header.SetSource(Ipv4Address::Deserialize(&packet[16]));
    header.SetDestination(Ipv4Address::Deserialize(&packet[12]));
    header.SetTos(packet[1]);
    Socket::SocketErrno error;
    Ptr<Ipv4Route> route =
        ipv4->GetRoutingProtocol()->RouteOutput(Create<Packet>(), header, nullptr, error);
    std::vector<uint8_t> options;
    if (!route || !AnswerOptions(packet, 0, header.GetSource(), &options))
    {
        return;
    }
    std::vector<uint8_t> message(packet.begin() + length, packet.end());
    message[0] = 0; // echo reply
    Send4(std::move(message), header, options, route);
}

void
LinuxIcmpSender::SendError6(const std::vector<uint8_t>& packet,
                            uint8_t type,
                            uint8_t code,
                            uint32_t information,
                            Ptr<NetDevice> device,
                            Ipv6Address source)
{
    NS_LOG_FUNCTION(this << +type << +code << information << device << source);
    if (!m_node || packet.size() < IPV6_HEADER)
    {
        return;
    }
    Ipv6Address from = Ipv6Address::Deserialize(&packet[8]);
    Ipv6Address to = Ipv6Address::Deserialize(&packet[24]);
    if (to.IsMulticast() && type != ICMPV6_PKT_TOOBIG && !(type == ICMPV6_PARAMPROB && code == 2))
    {
        return;
    }
    if (from.IsAny() || from.IsMulticast())
    {
        return;
    }
    // Never answer an ICMPv6 error with another.
    Ipv6Verdict upper = WalkIpv6Extensions(packet.data(), packet.size());
    if (upper.action == Ipv6Verdict::DELIVER && upper.upperProtocol == IP_PROTOCOL_ICMPV6 &&
        (upper.upperOffset >= packet.size() || packet[upper.upperOffset] < 128))
    {
        return;
    }
    if (type != ICMPV6_PKT_TOOBIG && !GlobalAllow())
    {
        return;
    }
    if (source.IsAny() && !to.IsMulticast() && IsLocal6(to))
    {
        source = to;
    }
    std::size_t quoted = std::min(packet.size(), IPV6_MIN_MTU - IPV6_HEADER - ICMP_HEADER);
    std::vector<uint8_t> message(ICMP_HEADER + quoted);
    message[0] = type;
    message[1] = code;
    message[4] = static_cast<uint8_t>(information >> 24);
    message[5] = static_cast<uint8_t>(information >> 16);
    message[6] = static_cast<uint8_t>(information >> 8);
    message[7] = static_cast<uint8_t>(information);
    std::copy_n(packet.begin(), quoted, message.begin() + ICMP_HEADER);
    Send6(std::move(message), source, from, 0, device, type != ICMPV6_PKT_TOOBIG);
}

void
LinuxIcmpSender::SendEchoReply6(const std::vector<uint8_t>& message,
                                const Ipv6Header& header,
                                Ptr<NetDevice> device)
{
    NS_LOG_FUNCTION(this << header << device);
    std::vector<uint8_t> reply = message;
    reply[0] = ICMPV6_ECHO_REPLY;
    reply[2] = 0;
    reply[3] = 0;
    Ipv6Address source = header.GetDestination();
    Send6(std::move(reply),
          source.IsMulticast() ? Ipv6Address::GetAny() : source,
          header.GetSource(),
          header.GetTrafficClass(),
          device,
          false);
}

void
LinuxIcmpSender::SetFlowLabel(Ipv6Address source,
                              Ipv6Address destination,
                              uint8_t type,
                              uint8_t code,
                              uint32_t label)
{
    m_flowLabels[std::make_tuple(source, destination, type, code)] = label & FLOW_LABEL_MASK;
}

uint32_t
LinuxIcmpSender::FlowLabel(Ipv6Address source,
                           Ipv6Address destination,
                           uint8_t type,
                           uint8_t code) const
{
    if (!m_autoFlowLabels)
    {
        return 0;
    }
    auto stated = m_flowLabels.find(std::make_tuple(source, destination, type, code));
    if (stated != m_flowLabels.end())
    {
        return stated->second;
    }
    // FNV-1a over the flow: any hash does, since no two systems share the kernel's secret.
    uint8_t flow[38];
    source.Serialize(flow);
    destination.Serialize(flow + 16);
    flow[32] = type;
    flow[33] = code;
    for (int i = 0; i < 4; ++i)
    {
        flow[34 + i] = static_cast<uint8_t>(m_flowLabelSeed >> (8 * i));
    }
    uint32_t hash = 2166136261U;
    for (uint8_t byte : flow)
    {
        hash = (hash ^ byte) * 16777619U;
    }
    return (hash ^ (hash >> 12)) & FLOW_LABEL_MASK;
}

bool
LinuxIcmpSender::IsLocal6(Ipv6Address address) const
{
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    int32_t index = ipv6 ? ipv6->GetInterfaceForAddress(address) : -1;
    auto tunnel = index < 0 ? nullptr : DynamicCast<SitNetDevice>(ipv6->GetNetDevice(index));
    return index >= 0 && !(tunnel && tunnel->IsStandIn(address));
}

void
LinuxIcmpSender::Send6(std::vector<uint8_t> message,
                       Ipv6Address source,
                       Ipv6Address destination,
                       uint8_t trafficClass,
                       Ptr<NetDevice> device,
                       bool limited)
{
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    if (!ipv6)
    {
        return;
    }
    bool local = IsLocal6(destination);
    if (!local && source.IsIpv4MappedAddress())
    {
        // ip6_dst_lookup_tail knows no route from such a source to other than such a destination.
        return;
    }
    auto tunnelIn = DynamicCast<SitNetDevice>(device);
    if (!local && destination.IsLinkLocal() && tunnelIn && !tunnelIn->IsPointToPoint())
    {
        // There is no link-local network on it.
        return;
    }
    Ptr<Ipv6Route> route;
    Ipv6Header header;
    header.SetDestination(destination);
    header.SetNextHeader(IP_PROTOCOL_ICMPV6);
    header.SetHopLimit(m_hopLimit);
    header.SetTrafficClass(trafficClass);
    header.SetPayloadLength(static_cast<uint16_t>(message.size()));
    if (local)
    {
        if (source.IsAny())
        {
            source = destination;
        }
    }
    else
    {
        Socket::SocketErrno error;
        route = ipv6->GetRoutingProtocol()->RouteOutput(
            Create<Packet>(),
            header,
            destination.IsLinkLocal() ? device : Ptr<NetDevice>(),
            error);
        if (!route)
        {
            return;
        }
        if (source.IsAny())
        {
            source = route->GetSource();
        }
    }
    header.SetSource(source);
    header.SetFlowLabel(FlowLabel(source, destination, message[0], message[1]));

    uint8_t addresses[32];
    source.Serialize(addresses);
    destination.Serialize(addresses + 16);
    uint32_t size = static_cast<uint32_t>(message.size());
    message[2] = 0;
    message[3] = 0;
    uint32_t sum =
        ~InternetSum(message.data(),
                     size,
                     PseudoHeaderSum6(addresses, addresses + 16, size, IP_PROTOCOL_ICMPV6));
    message[2] = static_cast<uint8_t>(sum >> 8);
    message[3] = static_cast<uint8_t>(sum);
    Ptr<Packet> packet = Create<Packet>(message.data(), size);

    if (local)
    {
        // The loopback route: the host tells itself, and nothing is seen outside.
        int32_t index = device ? ipv6->GetInterfaceForDevice(device) : -1;
        if (index < 0)
        {
            index = ipv6->GetInterfaceForAddress(destination);
        }
        Ptr<IpL4Protocol> icmpv6 = ipv6->GetProtocol(IP_PROTOCOL_ICMPV6, index);
        if (icmpv6 && size >= ICMP_HEADER + IPV6_HEADER + 8)
        {
            Ptr<Ipv6Interface> interface = ipv6->GetInterface(index);
            Simulator::ScheduleNow([icmpv6, packet, header, interface]() {
                icmpv6->Receive(packet, header, interface);
            });
        }
        return;
    }
    auto tunnel = DynamicCast<SitNetDevice>(route->GetOutputDevice());
    if (limited)
    {
        // The limit is looser for wider routes. ns-3's route does not say how wide it is, but the
        // address that put an on-link route there does.
        uint8_t width = 0;
        int32_t index = ipv6->GetInterfaceForDevice(route->GetOutputDevice());
        for (uint32_t i = 0; i < ipv6->GetNAddresses(index); ++i)
        {
            Ipv6InterfaceAddress address = ipv6->GetAddress(index, i);
            if (address.GetPrefix().IsMatch(address.GetAddress(), destination))
            {
                width = std::max(width, address.GetPrefix().GetPrefixLength());
            }
        }
        if (tunnel && tunnel->GetPathMtu(destination) < tunnel->GetMtu())
        {
            // A path MTU of its own makes a route for this destination alone.
            width = 128;
        }
        Time period = m_rateLimit6;
        if (width < 128)
        {
            period = Time(period.GetTimeStep() >> ((128 - width) >> 5));
        }
        if (!Allow(&m_peers6[destination], period))
        {
            return;
        }
    }
    // No link of IPv6 has an MTU below 1280 (RFC 8200, section 5), whatever its device says.
    const uint32_t mtu = std::max<uint32_t>(IPV6_MIN_MTU,
                                            tunnel ? tunnel->GetPathMtu(destination)
                                                   : route->GetOutputDevice()->GetMtu());
    Ptr<Ipv6Interface> out =
        ipv6->GetInterface(ipv6->GetInterfaceForDevice(route->GetOutputDevice()));
    Ipv6Address next = route->GetGateway().IsAny() ? destination : route->GetGateway();
    if (IPV6_HEADER + size <= mtu)
    {
        out->Send(packet, header, next);
        return;
    }
    uint32_t step = (mtu - IPV6_HEADER - FRAGMENT_HEADER) & ~7U;
    uint32_t identification = ++m_fragmentIdentification;
    header.SetNextHeader(IP_PROTOCOL_FRAGMENT);
    for (uint32_t at = 0; at < size; at += step)
    {
        uint32_t length = std::min(step, size - at);
        std::vector<uint8_t> fragment(FRAGMENT_HEADER);
        fragment[0] = IP_PROTOCOL_ICMPV6;
        fragment[2] = static_cast<uint8_t>(at >> 8);
        fragment[3] = static_cast<uint8_t>(at) | (at + length < size ? 1 : 0);
        for (int i = 0; i < 4; ++i)
        {
            fragment[4 + i] = static_cast<uint8_t>(identification >> (24 - 8 * i));
        }
        fragment.insert(fragment.end(), message.begin() + at, message.begin() + at + length);
        header.SetPayloadLength(static_cast<uint16_t>(fragment.size()));
        out->Send(Create<Packet>(fragment.data(), static_cast<uint32_t>(fragment.size())),
                  header,
                  next);
    }
}

} // namespace linuxhost
} // namespace ns3
