/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-net-device.h"

#include "ip-input-check.h"
#include "linux-icmp-sender.h"
#include "tunnel-ecn.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/linux-host-compat.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/udp-header.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("SitNetDevice");
NS_OBJECT_ENSURE_REGISTERED(SitNetDevice);

namespace
{

constexpr uint32_t OUTER_HEADER = 20;         ///< bytes of the outer IPv4 header
constexpr uint32_t IPV6_HEADER = 40;          ///< bytes of an IPv6 header
constexpr int IPV4_MIN_MTU = 68;              ///< smallest MTU of IPv4
constexpr int IPV6_MIN_MTU = 1280;            ///< smallest MTU of IPv6
constexpr uint32_t FRAGMENT_UNIT = 8;         ///< bytes that fragment offsets count in
constexpr uint16_t ETHERNET_MTU = 1500;       ///< MTU of the device below when there is none known
constexpr uint32_t LOOPBACK_MTU = 65536;      ///< MTU of Linux's loopback device
constexpr uint32_t LARGEST_PACKET = 65535;    ///< largest IPv4 packet
constexpr uint8_t INHERIT_TOS = 1;            ///< the TOS value that means inherit
constexpr int64_t ERROR_TIMEOUT = 30;         ///< IPTUNNEL_ERR_TIMEO, s
constexpr int64_t INNER_MTU_EXPIRES = 600;    ///< sysctl net.ipv6.route.mtu_expires, s
constexpr int64_t REASSEMBLY_TIMEOUT = 60;    ///< sysctl ip6frag_time, s
constexpr std::size_t MAX_REASSEMBLIES = 256; ///< stands for sysctl ip6frag_high_thresh

/**
 * @param address 16 bytes of an IPv6 address
 * @param prefix another address
 * @param length how many bits of it count
 * @returns whether the address starts with them
 */
bool
HasPrefix(const uint8_t* address, Ipv6Address prefix, uint8_t length)
{
    uint8_t bytes[16];
    prefix.Serialize(bytes);
    for (uint8_t bit = 0; bit < length; ++bit)
    {
        uint8_t mask = 0x80 >> (bit % 8);
        if ((address[bit / 8] ^ bytes[bit / 8]) & mask)
        {
            return false;
        }
    }
    return true;
}

/**
 * @param bytes an IPv6 packet
 * @returns its traffic class
 */
uint8_t
TrafficClass(const std::vector<uint8_t>& bytes)
{
    return static_cast<uint8_t>((bytes[0] << 4) | (bytes[1] >> 4));
}

/**
 * @param bytes an IPv6 packet
 * @param trafficClass its new traffic class
 */
void
SetTrafficClass(std::vector<uint8_t>* bytes, uint8_t trafficClass)
{
    (*bytes)[0] = ((*bytes)[0] & 0xf0) | (trafficClass >> 4);
    (*bytes)[1] = ((*bytes)[1] & 0x0f) | static_cast<uint8_t>(trafficClass << 4);
}

/**
 * @param bytes a packet
 * @returns it as ns-3's
 */
Ptr<Packet>
ToPacket(const std::vector<uint8_t>& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

} // namespace

TypeId
SitNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::SitNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("LinuxHost")
            .AddConstructor<SitNetDevice>()
            .AddAttribute("Local",
                          "This end's IPv4 address; 0.0.0.0: the route's.",
                          Ipv4AddressValue(Ipv4Address("0.0.0.0")),
                          MakeIpv4AddressAccessor(&SitNetDevice::m_local),
                          MakeIpv4AddressChecker())
            .AddAttribute(
                "Remote",
                "The other end's IPv4 address; 0.0.0.0: taken from the inner destination.",
                Ipv4AddressValue(Ipv4Address("0.0.0.0")),
                MakeIpv4AddressAccessor(&SitNetDevice::m_remote),
                MakeIpv4AddressChecker())
            .AddAttribute("Ttl",
                          "TTL of the outer header; 0: the inner hop limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SitNetDevice::m_ttl),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Tos",
                          "TOS of the outer header (its ECN bits are the inner packet's); 1: the "
                          "inner traffic class.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SitNetDevice::m_tos),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("PmtuDiscovery",
                          "Whether outer packets carry DF.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&SitNetDevice::m_pmtuDiscovery),
                          MakeBooleanChecker())
            .AddAttribute("Mtu",
                          "Largest inner packet; 0: 20 less than the MTU of the device that the "
                          "remote is reached by, as the kernel chooses it.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SitNetDevice::m_mtu),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("SixRdPrefix",
                          "Prefix of IPv6 addresses that hold an IPv4 address.",
                          Ipv6AddressValue(Ipv6Address("2002::")),
                          MakeIpv6AddressAccessor(&SitNetDevice::m_sixRdPrefix),
                          MakeIpv6AddressChecker())
            .AddAttribute("SixRdPrefixLength",
                          "Length of SixRdPrefix.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&SitNetDevice::m_sixRdPrefixLength),
                          MakeUintegerChecker<uint8_t>(0, 128))
            .AddAttribute("RelayPrefix",
                          "Leading bits that all IPv4 addresses of the 6rd domain share.",
                          Ipv4AddressValue(Ipv4Address("0.0.0.0")),
                          MakeIpv4AddressAccessor(&SitNetDevice::m_relayPrefix),
                          MakeIpv4AddressChecker())
            .AddAttribute("RelayPrefixLength",
                          "Length of RelayPrefix.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SitNetDevice::m_relayPrefixLength),
                          MakeUintegerChecker<uint8_t>(0, 128))
            .AddTraceSource("TxPre",
                            "An inner packet comes from the stack.",
                            MakeTraceSourceAccessor(&SitNetDevice::m_txPreTrace),
                            "ns3::linuxhost::SitNetDevice::PacketTracedCallback")
            .AddTraceSource("Tx",
                            "The packet leaves with its outer header.",
                            MakeTraceSourceAccessor(&SitNetDevice::m_txTrace),
                            "ns3::linuxhost::SitNetDevice::PacketTracedCallback")
            .AddTraceSource("Rx",
                            "A packet comes in with its outer header.",
                            MakeTraceSourceAccessor(&SitNetDevice::m_rxTrace),
                            "ns3::linuxhost::SitNetDevice::PacketTracedCallback")
            .AddTraceSource("RxPost",
                            "The inner packet as the host sees it.",
                            MakeTraceSourceAccessor(&SitNetDevice::m_rxPostTrace),
                            "ns3::linuxhost::SitNetDevice::PacketTracedCallback")
            .AddTraceSource("Drop",
                            "A packet was dropped, and why.",
                            MakeTraceSourceAccessor(&SitNetDevice::m_dropTrace),
                            "ns3::linuxhost::SitNetDevice::DropTracedCallback");
    return tid;
}

SitNetDevice::SitNetDevice()
{
}

void
SitNetDevice::DoDispose()
{
    if (m_node)
    {
        Ptr<SitL4Protocol> protocol = m_node->GetObject<SitL4Protocol>();
        if (protocol)
        {
            protocol->RemoveTunnel(this);
        }
    }
    for (auto& entry : m_reassembly)
    {
        entry.second.timeout.Cancel();
    }
    m_reassembly.clear();
    for (const auto& object : m_owned)
    {
        object->Dispose();
    }
    m_owned.clear();
    m_node = nullptr;
    m_receive.Nullify();
    m_promiscReceive.Nullify();
    m_linkChange.clear();
    NetDevice::DoDispose();
}

std::string
SitNetDevice::CheckSettings() const
{
    if (m_ttl != 0 && !m_pmtuDiscovery)
    {
        return "a fixed ttl and nopmtudisc exclude each other";
    }
    if (m_mtu != 0 && m_mtu < IPV6_MIN_MTU)
    {
        return "the smallest mtu of a sit device is 1280";
    }
    if (m_relayPrefixLength > 32)
    {
        return "a 6rd relay prefix has at most 32 bits";
    }
    if (m_sixRdPrefixLength + (32 - m_relayPrefixLength) > 64)
    {
        return "a 6rd prefix and the IPv4 bits after it have at most 64 bits together";
    }
    uint8_t prefix[16];
    m_sixRdPrefix.Serialize(prefix);
    for (unsigned bit = m_sixRdPrefixLength; bit < 128; ++bit)
    {
        if (prefix[bit / 8] & (0x80 >> (bit % 8)))
        {
            return "a 6rd prefix has no bits set after its length";
        }
    }
    uint32_t relayMask = m_relayPrefixLength == 0 ? 0 : 0xffffffffU << (32 - m_relayPrefixLength);
    if (m_relayPrefix.Get() & ~relayMask)
    {
        return "a 6rd relay prefix has no bits set after its length";
    }
    return "";
}

void
SitNetDevice::Bind()
{
    NS_LOG_FUNCTION(this);
    SitL4Protocol::Of(m_node)->AddTunnel(this);
    if (m_mtu == 0)
    {
        m_mtu = ETHERNET_MTU - OUTER_HEADER;
        const uint32_t link = m_remote.IsAny() ? 0 : LinkMtu(m_remote, nullptr);
        if (link != 0)
        {
            m_mtu = static_cast<uint16_t>(
                std::max(static_cast<int>(link) - static_cast<int>(OUTER_HEADER), IPV6_MIN_MTU));
        }
    }
    for (const auto& callback : m_linkChange)
    {
        callback();
    }
}

uint32_t
SitNetDevice::LinkMtu(Ipv4Address endpoint, Ptr<Ipv4Route> route) const
{
    Ptr<Ipv4L3Protocol> ipv4 = m_node->GetObject<Ipv4L3Protocol>();
    if (ipv4->GetInterfaceForAddress(endpoint) >= 0 || endpoint.IsLocalhost())
    {
        // ns-3 would send it over the link.
        return LOOPBACK_MTU;
    }
    if (endpoint.IsMulticast() || endpoint.IsBroadcast())
    {
        // ns-3 has no route for these; Linux looks for the device that has the source.
        const int32_t interface = ipv4->GetInterfaceForAddress(m_local);
        return interface < 0 ? 0 : ipv4->GetNetDevice(interface)->GetMtu();
    }
    if (!route)
    {
        Ipv4Header header;
        header.SetSource(m_local);
        header.SetDestination(endpoint);
        Socket::SocketErrno error;
        route = ipv4->GetRoutingProtocol()->RouteOutput(Create<Packet>(), header, nullptr, error);
    }
    return route ? route->GetOutputDevice()->GetMtu() : 0;
}

void
SitNetDevice::SetXmitPath(Ptr<TunnelXmitPath> path)
{
    NS_LOG_FUNCTION(this);
    m_xmitPath = path;
}

void
SitNetDevice::Own(Ptr<Object> object)
{
    m_owned.push_back(object);
}

const SitCounters&
SitNetDevice::GetCounters() const
{
    return m_counters;
}

uint64_t
SitNetDevice::GetDropCount(SitDropReason reason) const
{
    return m_drops[reason];
}

Ipv4Address
SitNetDevice::GetLocal() const
{
    return m_local;
}

Ipv4Address
SitNetDevice::GetRemote() const
{
    return m_remote;
}

bool
SitNetDevice::InheritsTtl() const
{
    return m_ttl == 0;
}

void
SitNetDevice::NoteError()
{
    bool recent = m_errors > 0 && Simulator::Now() < m_errorTime + Seconds(ERROR_TIMEOUT);
    m_errors = recent ? m_errors + 1 : 1;
    m_errorTime = Simulator::Now();
}

void
SitNetDevice::Drop(SitDropReason reason, Ptr<const Packet> packet)
{
    NS_LOG_LOGIC("drop: " << SitDropReasonName(reason));
    ++m_drops[reason];
    m_dropTrace(reason, packet);
}

bool
SitNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    Transmission transmission;
    transmission.packet = packet;
    transmission.bytes.resize(packet->GetSize());
    packet->CopyData(transmission.bytes.data(), packet->GetSize());
    if (protocolNumber == ETHERTYPE_IPV6)
    {
        AdoptHeaders(&transmission);
    }
    m_txPreTrace(transmission.packet, this);
    if (protocolNumber != ETHERTYPE_IPV6 || packet->GetSize() < IPV6_HEADER)
    {
        ++m_counters.txErrors;
        Drop(SIT_TX_NOT_IPV6, packet);
        return false;
    }
    XmitRecorder* recorder = m_xmitPath ? XmitRecorder::Current() : nullptr;
    if (recorder)
    {
        m_xmitPath->RecordBegin(recorder->GetPath(), recorder->GetSkb());
    }
    TunnelXmit(&transmission, recorder);
    if (recorder)
    {
        m_xmitPath->RecordLeave(recorder->GetPath());
    }
    return true;
}

void
SitNetDevice::AdoptHeaders(Transmission* transmission) const
{
    std::vector<uint8_t>& bytes = transmission->bytes;
    if (bytes.size() < IPV6_HEADER ||
        !LinuxIcmpSender::Of(m_node)->IsLocal6(Ipv6Address::Deserialize(&bytes[8])))
    {
        // What is forwarded is left as it is.
        return;
    }
    // Every header that ns-3 builds has flow label 1; those of Linux have 0 unless somebody asks
    // for more.
    bool label = (bytes[1] & 0x0f) == 0 && bytes[2] == 0 && bytes[3] == 1;
    // A UDP checksum that comes out as zero is sent as ffff, since zero means that there is none.
    bool checksum = bytes[6] == IP_PROTOCOL_UDP && bytes.size() >= IPV6_HEADER + 8 &&
                    bytes[IPV6_HEADER + 6] == 0 && bytes[IPV6_HEADER + 7] == 0 &&
                    Node::ChecksumEnabled();
    if (!label && !checksum)
    {
        return;
    }
    Ptr<Packet> packet = transmission->packet->Copy();
    Ipv6Header header;
    packet->RemoveHeader(header);
    if (label)
    {
        header.SetFlowLabel(0);
    }
    if (checksum)
    {
        UdpHeader udp;
        packet->RemoveHeader(udp);
        udp.ForceChecksum(0xffff);
        packet->AddHeader(udp);
    }
    packet->AddHeader(header);
    packet->CopyData(bytes.data(), packet->GetSize());
    transmission->packet = packet;
}

void
SitNetDevice::TunnelXmit(Transmission* transmission, XmitRecorder* recorder)
{
    transmission->tos = m_tos == INHERIT_TOS ? TrafficClass(transmission->bytes) : m_tos;
    transmission->df = m_pmtuDiscovery;
    Ipv4Address endpoint = FindEndpoint(*transmission);
    if (endpoint.IsAny())
    {
        ++m_counters.txErrors;
        Drop(SIT_TX_NO_ENDPOINT, transmission->packet);
        return;
    }
    transmission->outer.SetSource(m_local);
    transmission->outer.SetDestination(endpoint);
    if (recorder)
    {
        m_xmitPath->RecordLookup(recorder->GetPath());
    }
    if (!RouteOuter(transmission) || !CheckMtu(transmission))
    {
        ++m_counters.txErrors;
        return;
    }
    ReportEarlierErrors(*transmission);
    BuildOuterHeader(transmission);
    if (recorder)
    {
        m_xmitPath->RecordHeader(recorder->GetPath(), recorder->GetSkb());
        m_xmitPath->RecordOutput(recorder->GetPath());
    }
    Output(transmission);
}

Ipv4Address
SitNetDevice::FindEndpoint(const Transmission& transmission) const
{
    if (!m_remote.IsAny())
    {
        return m_remote;
    }
    const uint8_t* destination = &transmission.bytes[24];
    Ipv4Address embedded("0.0.0.0");
    if (EmbeddedIpv4(destination, &embedded) && !embedded.IsAny())
    {
        return embedded;
    }
    // The next hop may be an IPv4-compatible address, ::a.b.c.d (a relay), but not :: or ::1.
    uint8_t nextHop[16];
    std::copy_n(destination, sizeof(nextHop), nextHop);
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    Ipv6Header header;
    header.SetDestination(Ipv6Address::Deserialize(destination));
    if (ipv6 && ipv6->GetInterfaceForDevice(this) >= 0 && !header.GetDestination().IsMulticast())
    {
        Socket::SocketErrno error;
        Ptr<Ipv6Route> route = ipv6->GetRoutingProtocol()->RouteOutput(
            Create<Packet>(),
            header,
            ipv6->GetNetDevice(ipv6->GetInterfaceForDevice(this)),
            error);
        if (route && !route->GetGateway().IsAny())
        {
            route->GetGateway().Serialize(nextHop);
        }
    }
    bool compatible = std::all_of(nextHop, nextHop + 12, [](uint8_t byte) { return byte == 0; });
    Ipv4Address address = Ipv4Address::Deserialize(nextHop + 12);
    return compatible && address.Get() > 1 ? address : Ipv4Address("0.0.0.0");
}

bool
SitNetDevice::RouteOuter(Transmission* transmission)
{
    Ptr<Ipv4L3Protocol> ipv4 = m_node->GetObject<Ipv4L3Protocol>();
    Ipv4Address endpoint = transmission->outer.GetDestination();
    bool unicast = !endpoint.IsMulticast() && !endpoint.IsBroadcast();
    for (uint32_t i = 0; unicast && i < ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); ++j)
        {
            // A /31 or /32 has no broadcast address.
            Ipv4InterfaceAddress address = ipv4->GetAddress(i, j);
            if (address.GetMask().GetPrefixLength() < 31 &&
                endpoint == address.GetLocal().GetSubnetDirectedBroadcast(address.GetMask()))
            {
                unicast = false;
            }
        }
    }
    Socket::SocketErrno error;
    if (unicast)
    {
        transmission->route = ipv4->GetRoutingProtocol()->RouteOutput(Create<Packet>(),
                                                                      transmission->outer,
                                                                      nullptr,
                                                                      error);
    }
    if (!transmission->route)
    {
        ++m_counters.txCarrierErrors;
        Drop(SIT_TX_NO_ROUTE, transmission->packet);
        // dst_link_failure
        LinuxIcmpSender::Of(m_node)->SendError6(transmission->bytes,
                                                LinuxIcmpSender::ICMPV6_DEST_UNREACH,
                                                LinuxIcmpSender::ICMPV6_ADDR_UNREACH,
                                                0,
                                                this);
        return false;
    }
    if (transmission->route->GetOutputDevice() == this)
    {
        ++m_counters.txCollisions;
        Drop(SIT_TX_LOOP, transmission->packet);
        return false;
    }
    if (m_local.IsAny())
    {
        transmission->outer.SetSource(transmission->route->GetSource());
    }
    return true;
}

bool
SitNetDevice::CheckMtu(Transmission* transmission)
{
    uint32_t size = transmission->packet->GetSize();
    uint32_t pathMtu = transmission->pathMtu = SitL4Protocol::Of(m_node)->GetPathMtu(
        transmission->outer.GetDestination(),
        LinkMtu(transmission->outer.GetDestination(), transmission->route),
        &transmission->locked);
    if (transmission->df)
    {
        int mtu = static_cast<int>(pathMtu) - static_cast<int>(OUTER_HEADER);
        if (mtu < IPV4_MIN_MTU)
        {
            ++m_counters.txCollisions;
            Drop(SIT_TX_TINY_MTU, transmission->packet);
            return false;
        }
        if (mtu < IPV6_MIN_MTU)
        {
            // IPv6 cannot do with less, so the IPv4 path has to fragment.
            mtu = IPV6_MIN_MTU;
            transmission->df = false;
        }
        if (!m_remote.IsAny())
        {
            UpdateInnerPathMtu(Ipv6Address::Deserialize(&transmission->bytes[24]), mtu);
        }
        if (size > static_cast<uint32_t>(mtu))
        {
            Drop(SIT_TX_TOO_BIG, transmission->packet);
            LinuxIcmpSender::Of(m_node)->SendError6(transmission->bytes,
                                                    LinuxIcmpSender::ICMPV6_PKT_TOOBIG,
                                                    0,
                                                    mtu,
                                                    this);
            return false;
        }
    }
    if (size + OUTER_HEADER > LARGEST_PACKET)
    {
        Drop(SIT_TX_TOO_BIG, transmission->packet);
        return false;
    }
    return true;
}

void
SitNetDevice::UpdateInnerPathMtu(Ipv6Address destination, uint32_t mtu)
{
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    if (mtu < GetPathMtu(destination) && ipv6)
    {
        m_innerMtu[destination] = {mtu, Simulator::Now() + Seconds(INNER_MTU_EXPIRES)};
        ipv6->SetPmtu(destination, mtu);
    }
}

uint32_t
SitNetDevice::GetPathMtu(Ipv6Address destination) const
{
    auto known = m_innerMtu.find(destination);
    bool valid = known != m_innerMtu.end() && known->second.second > Simulator::Now();
    return valid ? std::min<uint32_t>(GetMtu(), known->second.first) : GetMtu();
}

void
SitNetDevice::ReportEarlierErrors(const Transmission& transmission)
{
    if (m_errors == 0)
    {
        return;
    }
    if (Simulator::Now() < m_errorTime + Seconds(ERROR_TIMEOUT))
    {
        --m_errors;
        LinuxIcmpSender::Of(m_node)->SendError6(transmission.bytes,
                                                LinuxIcmpSender::ICMPV6_DEST_UNREACH,
                                                LinuxIcmpSender::ICMPV6_ADDR_UNREACH,
                                                0,
                                                this);
    }
    else
    {
        m_errors = 0;
    }
}

void
SitNetDevice::BuildOuterHeader(Transmission* transmission)
{
    Ipv4Header& outer = transmission->outer;
    outer.SetTos(EncapsulateEcn(transmission->tos, TrafficClass(transmission->bytes)));
    outer.SetTtl(m_ttl != 0 ? m_ttl : transmission->bytes[7]);
    outer.SetProtocol(IP_PROTOCOL_IPV6);
    outer.SetIdentification(SitL4Protocol::Of(m_node)->NextIdentification());
    outer.SetPayloadSize(static_cast<uint16_t>(transmission->packet->GetSize()));
    if (transmission->df && !transmission->locked)
    {
        outer.SetDontFragment();
    }
    else
    {
        outer.SetMayFragment();
    }
    outer.EnableChecksum();
}

void
SitNetDevice::Output(Transmission* transmission)
{
    Ptr<Packet> packet = transmission->packet->Copy();
    if (!m_txTrace.IsEmpty())
    {
        Ptr<Packet> whole = packet->Copy();
        whole->AddHeader(transmission->outer);
        m_txTrace(whole, this);
    }
    uint32_t size = packet->GetSize();
    // Linux fragments to the path's MTU, and ends a fragment on eight octets only when another
    // follows; ns-3 does neither.
    uint32_t room = std::max(transmission->pathMtu, OUTER_HEADER + FRAGMENT_UNIT) - OUTER_HEADER;
    Ptr<Ipv4L3Protocol> ipv4 = m_node->GetObject<Ipv4L3Protocol>();
    uint32_t at = 0;
    do
    {
        uint32_t left = size - at;
        bool last = left <= room;
        uint32_t length = last ? left : room - room % FRAGMENT_UNIT;
        Ipv4Header outer = transmission->outer;
        outer.SetFragmentOffset(static_cast<uint16_t>(at));
        outer.SetPayloadSize(static_cast<uint16_t>(length));
        if (!last)
        {
            outer.SetMoreFragments();
        }
        ipv4->SendWithHeader(last && at == 0 ? packet : packet->CreateFragment(at, length),
                             outer,
                             transmission->route);
        at += length;
    } while (at < size);
    ++m_counters.txPackets;
    m_counters.txBytes += size;
}

bool
SitNetDevice::EmbeddedIpv4(const uint8_t* address, Ipv4Address* embedded) const
{
    if (!HasPrefix(address, m_sixRdPrefix, m_sixRdPrefixLength))
    {
        return false;
    }
    // The IPv4 bits that are not in the relay prefix follow the 6rd prefix.
    uint32_t value = 0;
    for (unsigned i = 0; i < 32U - m_relayPrefixLength; ++i)
    {
        unsigned bit = m_sixRdPrefixLength + i;
        value = (value << 1) | ((address[bit / 8] >> (7 - bit % 8)) & 1);
    }
    *embedded = Ipv4Address(m_relayPrefix.Get() | value);
    return true;
}

bool
SitNetDevice::IsSpoofed(const Ipv4Header& outer, const std::vector<uint8_t>& bytes) const
{
    if (!m_remote.IsAny())
    {
        return false;
    }
    Ipv4Address embedded;
    if (EmbeddedIpv4(&bytes[8], &embedded) && embedded != outer.GetSource())
    {
        return true;
    }
    if (!EmbeddedIpv4(&bytes[24], &embedded) || embedded == outer.GetDestination())
    {
        return false;
    }
    // An address translator may have changed the outer destination: then the inner destination is
    // in a network of this device.
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    int32_t index = ipv6 ? ipv6->GetInterfaceForDevice(this) : -1;
    unsigned length = m_sixRdPrefixLength + 32U - m_relayPrefixLength;
    for (uint32_t i = 0; index >= 0 && i < ipv6->GetNAddresses(index); ++i)
    {
        if (HasPrefix(&bytes[24],
                      ipv6->GetAddress(index, i).GetAddress(),
                      static_cast<uint8_t>(length)))
        {
            return false;
        }
    }
    return true;
}

void
SitNetDevice::ReceiveOuter(Ptr<Packet> packet, const Ipv4Header& outer)
{
    NS_LOG_FUNCTION(this << packet << outer);
    if (!m_rxTrace.IsEmpty())
    {
        Ptr<Packet> whole = packet->Copy();
        Ipv4Header header = outer;
        header.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
        header.EnableChecksum();
        whole->AddHeader(header);
        m_rxTrace(whole, this);
    }
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    if (IsSpoofed(outer, bytes))
    {
        ++m_counters.rxErrors;
        Drop(SIT_RX_SPOOFED, packet);
        return;
    }
    EcnDecapsulation ecn = DecapsulateEcn(outer.GetTos(), TrafficClass(bytes));
    if (ecn.suspect)
    {
        NS_LOG_INFO("non-ECT from " << outer.GetSource() << " with TOS=" << +outer.GetTos());
    }
    if (ecn.drop)
    {
        ++m_counters.rxFrameErrors;
        ++m_counters.rxErrors;
        Drop(SIT_RX_ECN, packet);
        return;
    }
    SetTrafficClass(&bytes, ecn.inner);
    ++m_counters.rxPackets;
    m_counters.rxBytes += bytes.size();
    m_rxPostTrace(ToPacket(bytes), this);
    Deliver(std::move(bytes));
}

void
SitNetDevice::Deliver(std::vector<uint8_t> bytes)
{
    std::size_t length = CheckIpv6Header(bytes.data(), bytes.size());
    if (length == 0)
    {
        Drop(SIT_RX_MALFORMED, ToPacket(bytes));
        return;
    }
    bytes.resize(length);
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    int32_t index = ipv6 ? ipv6->GetInterfaceForDevice(this) : -1;
    if (index < 0)
    {
        Drop(SIT_RX_NOT_LOCAL, ToPacket(bytes));
        return;
    }
    if (bytes[6] == IP_PROTOCOL_HOPOPTS)
    {
        // These are looked at whomever the packet is for, and what is behind them is not.
        std::vector<uint8_t> alone = bytes;
        if (alone.size() > IPV6_HEADER)
        {
            alone[IPV6_HEADER] = IP_PROTOCOL_UDP;
        }
        Ipv6Verdict options = WalkIpv6Extensions(alone.data(), alone.size());
        if (options.action == Ipv6Verdict::PARAMETER_PROBLEM)
        {
            Refuse(SIT_RX_MALFORMED,
                   bytes,
                   LinuxIcmpSender::ICMPV6_PARAMPROB,
                   options.problemCode,
                   static_cast<uint32_t>(options.problemOffset));
            return;
        }
        if (options.action == Ipv6Verdict::DROP)
        {
            Drop(SIT_RX_MALFORMED, ToPacket(bytes));
            return;
        }
    }
    Ipv6Address destination = Ipv6Address::Deserialize(&bytes[24]);
    if (destination.IsMulticast())
    {
        // There is no neighbor discovery on a tunnel, so no solicited-node address is joined.
        if (!destination.IsAllNodesMulticast() &&
            !(destination.IsAllRoutersMulticast() && ipv6->IsForwarding(index)))
        {
            Drop(SIT_RX_NOT_LOCAL, ToPacket(bytes));
            return;
        }
    }
    else if (ipv6->GetInterfaceForAddress(destination) < 0 || IsStandIn(destination))
    {
        DeliverForwarded(bytes);
        return;
    }

    Ipv6Verdict verdict = WalkIpv6Extensions(bytes.data(), bytes.size());
    while (verdict.action == Ipv6Verdict::FRAGMENT)
    {
        std::vector<uint8_t> whole;
        if (!Reassemble(bytes, verdict.upperOffset, verdict.nextHeaderAt, &whole))
        {
            return;
        }
        bytes = std::move(whole);
        verdict = WalkIpv6Extensions(bytes.data(), bytes.size());
    }
    if (verdict.action == Ipv6Verdict::PARAMETER_PROBLEM)
    {
        Refuse(SIT_RX_MALFORMED,
               bytes,
               LinuxIcmpSender::ICMPV6_PARAMPROB,
               verdict.problemCode,
               static_cast<uint32_t>(verdict.problemOffset));
        return;
    }
    if (verdict.action == Ipv6Verdict::DROP)
    {
        Drop(SIT_RX_MALFORMED, ToPacket(bytes));
        return;
    }
    if (!ipv6->GetProtocol(verdict.upperProtocol, index))
    {
        Refuse(SIT_RX_NO_PROTOCOL,
               bytes,
               LinuxIcmpSender::ICMPV6_PARAMPROB,
               1,
               static_cast<uint32_t>(verdict.nextHeaderAt));
        return;
    }
    // The extension headers have been dealt with; ns-3 gets the packet without them.
    std::vector<uint8_t> plain(bytes.begin(), bytes.begin() + IPV6_HEADER);
    plain.insert(plain.end(), bytes.begin() + verdict.upperOffset, bytes.end());
    std::size_t payload = plain.size() - IPV6_HEADER;
    plain[4] = static_cast<uint8_t>(payload >> 8);
    plain[5] = static_cast<uint8_t>(payload);
    plain[6] = verdict.upperProtocol;
    m_delivering = std::move(bytes);
    HandUp(ToPacket(plain));
    m_delivering.clear();
}

bool
SitNetDevice::IsStandIn(Ipv6Address address) const
{
    // SitHelper gives a point-to-point interface an IPv4-compatible address for ns-3's sake, and
    // ns-3 gives any interface a link-local one, which Linux's have with a remote only.
    uint8_t bytes[16];
    address.Serialize(bytes);
    const bool compatible = std::all_of(bytes, bytes + 12, [](uint8_t byte) { return byte == 0; });
    if (m_remote.IsAny() ? !address.IsLinkLocal() : !compatible)
    {
        return false;
    }
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    int32_t index = ipv6 ? ipv6->GetInterfaceForAddress(address) : -1;
    return index >= 0 && ipv6->GetNetDevice(index) == this;
}

void
SitNetDevice::DeliverForwarded(const std::vector<uint8_t>& bytes)
{
    Ptr<Ipv6L3Protocol> ipv6 = m_node->GetObject<Ipv6L3Protocol>();
    Ipv6Address source = Ipv6Address::Deserialize(&bytes[8]);
    Ipv6Address destination = Ipv6Address::Deserialize(&bytes[24]);
    Ipv6Header header;
    header.SetSource(source);
    header.SetDestination(destination);
    Socket::SocketErrno error;
    Ptr<Ipv6Route> route;
    if (!IsStandIn(destination))
    {
        route = ipv6->GetRoutingProtocol()->RouteOutput(Create<Packet>(), header, nullptr, error);
    }
    if (!ipv6->IsForwarding(ipv6->GetInterfaceForDevice(this)))
    {
        // A host says that it knows no route, but is silent about one that it does not offer.
        if (!route)
        {
            Refuse(SIT_RX_NOT_LOCAL,
                   bytes,
                   LinuxIcmpSender::ICMPV6_DEST_UNREACH,
                   LinuxIcmpSender::ICMPV6_NOROUTE,
                   0);
            return;
        }
        Drop(SIT_RX_NOT_LOCAL, ToPacket(bytes));
        return;
    }
    if (source.IsAny() || source.IsLinkLocal() || destination.IsLinkLocal() || destination.IsAny())
    {
        Drop(SIT_RX_UNFORWARDABLE, ToPacket(bytes));
        return;
    }
    if (bytes[7] <= 1)
    {
        Refuse(SIT_RX_UNFORWARDABLE, bytes, LinuxIcmpSender::ICMPV6_TIME_EXCEED, 0, 0);
        return;
    }
    if (!route)
    {
        Refuse(SIT_RX_UNFORWARDABLE,
               bytes,
               LinuxIcmpSender::ICMPV6_DEST_UNREACH,
               LinuxIcmpSender::ICMPV6_NOROUTE,
               0);
        return;
    }
    uint16_t mtu = route->GetOutputDevice()->GetMtu();
    if (bytes.size() > mtu)
    {
        Refuse(SIT_RX_UNFORWARDABLE, bytes, LinuxIcmpSender::ICMPV6_PKT_TOOBIG, 0, mtu);
        return;
    }
    Ptr<Packet> packet = ToPacket(bytes);
    if (route->GetOutputDevice() != this)
    {
        HandUp(packet);
        return;
    }
    // Back into the tunnel. ns-3 would send a redirect, and aborts since the node's own ICMPv6
    // knows no neighbors here.
    packet->RemoveHeader(header);
    header.SetHopLimit(header.GetHopLimit() - 1);
    ipv6->GetInterface(ipv6->GetInterfaceForDevice(this))
        ->Send(packet, header, route->GetGateway().IsAny() ? destination : route->GetGateway());
}

bool
SitNetDevice::Reassemble(const std::vector<uint8_t>& bytes,
                         std::size_t at,
                         std::size_t nextHeaderAt,
                         std::vector<uint8_t>* whole)
{
    std::size_t offset = ((bytes[at + 2] << 8) | bytes[at + 3]) & 0xfff8;
    bool more = bytes[at + 3] & 1;
    std::size_t dataAt = at + 8;
    std::size_t size = bytes.size() - dataAt;
    if (offset == 0 && IsUpperHeaderCut(bytes.data(), bytes.size(), bytes[at], dataAt))
    {
        // RFC 8200, section 4.5: all headers belong into the first fragment.
        Refuse(SIT_RX_FRAGMENT, bytes, LinuxIcmpSender::ICMPV6_PARAMPROB, 3, 0);
        return false;
    }
    if (offset + size > LARGEST_PACKET)
    {
        Refuse(SIT_RX_FRAGMENT,
               bytes,
               LinuxIcmpSender::ICMPV6_PARAMPROB,
               0,
               static_cast<uint32_t>(at + 2));
        return false;
    }
    if (more && size % 8 != 0)
    {
        Refuse(SIT_RX_FRAGMENT, bytes, LinuxIcmpSender::ICMPV6_PARAMPROB, 0, 4);
        return false;
    }
    uint32_t identification = (uint32_t(bytes[at + 4]) << 24) | (bytes[at + 5] << 16) |
                              (bytes[at + 6] << 8) | bytes[at + 7];
    FragmentKey key(Ipv6Address::Deserialize(&bytes[8]),
                    Ipv6Address::Deserialize(&bytes[24]),
                    identification);
    auto found = m_reassembly.find(key);
    if (found == m_reassembly.end())
    {
        if (m_reassembly.size() >= MAX_REASSEMBLIES)
        {
            Drop(SIT_RX_FRAGMENT, ToPacket(bytes));
            return false;
        }
        found = m_reassembly.emplace(key, Reassembly()).first;
        found->second.timeout = Simulator::Schedule(Seconds(REASSEMBLY_TIMEOUT),
                                                    &SitNetDevice::ReassemblyTimeout,
                                                    this,
                                                    key);
    }
    Reassembly& parts = found->second;
    auto discard = [this, found, &bytes]() {
        found->second.timeout.Cancel();
        m_reassembly.erase(found);
        Drop(SIT_RX_FRAGMENT, ToPacket(bytes));
        return false;
    };
    switch (parts.runs.Insert(static_cast<uint32_t>(offset),
                              static_cast<uint32_t>(offset + size),
                              more))
    {
    case FragmentRuns::DUPLICATE:
        Drop(SIT_RX_FRAGMENT, ToPacket(bytes));
        return false;
    case FragmentRuns::WRONG:
        return discard();
    case FragmentRuns::TAKEN:
        break;
    }
    parts.data[offset].assign(bytes.begin() + dataAt, bytes.end());
    parts.marks.Add(TrafficClass(bytes));
    if (offset == 0)
    {
        parts.first.assign(bytes.begin(), bytes.begin() + at);
        parts.nextHeaderAt = nextHeaderAt;
        parts.nextHeader = bytes[at];
        parts.report = bytes;
    }
    if (!parts.runs.IsWhole())
    {
        return false;
    }
    if (!parts.marks.IsSound())
    {
        return discard();
    }
    *whole = parts.first;
    (*whole)[parts.nextHeaderAt] = parts.nextHeader;
    for (const auto& part : parts.data)
    {
        whole->insert(whole->end(), part.second.begin(), part.second.end());
    }
    SetTrafficClass(whole, parts.marks.Apply(TrafficClass(*whole)));
    parts.timeout.Cancel();
    m_reassembly.erase(found);
    std::size_t payload = whole->size() - IPV6_HEADER;
    if (payload > LARGEST_PACKET)
    {
        Drop(SIT_RX_FRAGMENT, ToPacket(bytes));
        return false;
    }
    (*whole)[4] = static_cast<uint8_t>(payload >> 8);
    (*whole)[5] = static_cast<uint8_t>(payload);
    return true;
}

void
SitNetDevice::ReassemblyTimeout(FragmentKey key)
{
    auto found = m_reassembly.find(key);
    std::vector<uint8_t> report = std::move(found->second.report);
    m_reassembly.erase(found);
    if (report.empty())
    {
        Drop(SIT_RX_FRAGMENT, Create<Packet>());
        return;
    }
    Refuse(SIT_RX_FRAGMENT, report, LinuxIcmpSender::ICMPV6_TIME_EXCEED, 1, 0);
}

void
SitNetDevice::HandUp(Ptr<Packet> packet)
{
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this, packet, ETHERTYPE_IPV6, GetBroadcast(), GetAddress(), PACKET_HOST);
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, packet, ETHERTYPE_IPV6, GetBroadcast());
    }
}

void
SitNetDevice::Refuse(SitDropReason reason,
                     const std::vector<uint8_t>& bytes,
                     uint8_t type,
                     uint8_t code,
                     uint32_t information)
{
    Drop(reason, ToPacket(bytes));
    LinuxIcmpSender::Of(m_node)->SendError6(bytes, type, code, information, this);
}

const std::vector<uint8_t>&
SitNetDevice::GetDelivering() const
{
    return m_delivering;
}

void
SitNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
SitNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
SitNetDevice::GetChannel() const
{
    return nullptr;
}

void
SitNetDevice::SetAddress(Address address)
{
    // The hardware address is the local IPv4 address, in the last four of eight bytes.
    uint8_t bytes[8];
    Mac64Address::ConvertFrom(address).CopyTo(bytes);
    m_local = Ipv4Address::Deserialize(bytes + 4);
}

Address
SitNetDevice::GetAddress() const
{
    // ns-3 makes fe80::a.b.c.d of this, as Linux does of a sit device's address.
    uint8_t bytes[8]{};
    m_local.Serialize(bytes + 4);
    Mac64Address address;
    address.CopyFrom(bytes);
    return address;
}

bool
SitNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu < IPV6_MIN_MTU)
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
SitNetDevice::GetMtu() const
{
    return m_mtu != 0 ? m_mtu : ETHERNET_MTU - OUTER_HEADER;
}

bool
SitNetDevice::IsLinkUp() const
{
    return true;
}

void
SitNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.push_back(callback);
}

bool
SitNetDevice::IsBroadcast() const
{
    return false;
}

Address
SitNetDevice::GetBroadcast() const
{
    // The "broadcast" of a tunnel is its remote, as `ip link` prints it.
    uint8_t bytes[8]{};
    m_remote.Serialize(bytes + 4);
    Mac64Address address;
    address.CopyFrom(bytes);
    return address;
}

bool
SitNetDevice::IsMulticast() const
{
    return true;
}

Address
SitNetDevice::GetMulticast(Ipv4Address) const
{
    return GetBroadcast();
}

Address
SitNetDevice::GetMulticast(Ipv6Address) const
{
    return GetBroadcast();
}

bool
SitNetDevice::IsBridge() const
{
    return false;
}

bool
SitNetDevice::IsPointToPoint() const
{
    return !m_remote.IsAny();
}

bool
SitNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address&,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    return Send(packet, dest, protocolNumber);
}

Ptr<Node>
SitNetDevice::GetNode() const
{
    return m_node;
}

void
SitNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
SitNetDevice::NeedsArp() const
{
    return false;
}

void
SitNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_receive = cb;
}

void
SitNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscReceive = cb;
}

bool
SitNetDevice::SupportsSendFrom() const
{
    return false;
}

} // namespace linuxhost
} // namespace ns3
