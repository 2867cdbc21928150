/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-tunnel-topology.h"

#include "sit-helper.h"

#include "ns3/arp-cache.h"
#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ip-input-check.h"
#include "ns3/ipv4-host-input.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/linux-icmp-sender.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/sit-transport-protocol.h"
#include "ns3/udp-header.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint16_t SOURCE_PORT = 5000;      ///< A's port
constexpr uint16_t DISCARD_PORT = 9;        ///< closed at B
constexpr std::size_t ETHERNET_HEADER = 14; ///< bytes of an Ethernet header
const char MAC_A[] = "02:00:00:00:00:0a";   ///< A's hardware address
const char MAC_B[] = "02:00:00:00:00:0b";   ///< B's hardware address
const char IPV4_A[] = "192.0.2.1";          ///< A's address
const char IPV4_B[] = "192.0.2.2";          ///< B's address

/// Addresses inside the tunnel, of each mode.
struct Inside
{
    const char* a;  //!< A's address
    const char* b;  //!< B's address
    uint8_t prefix; //!< length of the prefix
    /// The flow label on B's port unreachables in the reference captures. Automatic labels are
    /// hashes with a secret of the captured system; nothing but the captures tells them.
    uint32_t flowLabel;
};

/// By SitTunnelSettings::Mode.
const Inside INSIDE[] = {
    {"2001:db8:5::1", "2001:db8:5::2", 64, 0xddcc9},
    {"2002:c000:201::1", "2002:c000:202::1", 16, 0xb7fac},
    {"2001:db8:c000:201::1", "2001:db8:c000:202::1", 32, 0xb84cd},
};

/**
 * Let a host know a neighbor for good.
 * @param node the host
 * @param wire its wire device
 * @param address the neighbor's address
 * @param mac the neighbor's hardware address
 */
void
AddNeighbor(Ptr<Node> node, Ptr<NetDevice> wire, Ipv4Address address, Mac48Address mac)
{
    Ptr<Ipv4L3Protocol> ipv4 = node->GetObject<Ipv4L3Protocol>();
    Ptr<ArpCache> cache = ipv4->GetInterface(ipv4->GetInterfaceForDevice(wire))->GetArpCache();
    if (cache->Lookup(address))
    {
        return;
    }
    ArpCache::Entry* entry = cache->Add(address);
    entry->SetMacAddress(mac);
    entry->MarkPermanent();
}

/**
 * @param packet a packet
 * @returns it as captured now
 */
CapturedPacket
Capture(Ptr<const Packet> packet)
{
    CapturedPacket captured{Simulator::Now(), std::vector<uint8_t>(packet->GetSize())};
    packet->CopyData(captured.bytes.data(), packet->GetSize());
    return captured;
}

} // namespace

SitTunnelTopology::SitTunnelTopology(const SitTunnelSettings& settings)
    : m_settings(settings)
{
    BooleanValue checksums;
    GlobalValue::GetValueByName("ChecksumEnabled", checksums);
    m_checksums = checksums.Get();
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));

    m_nodeA = MakeHost(MAC_A, IPV4_A, &m_wireA);
    m_nodeB = MakeHost(MAC_B, IPV4_B, &m_wireB);
    VethLinkDevice::Join(m_wireA, m_wireB);
    m_wireA->TraceConnectWithoutContext("Sniffer", MakeCallback(&SitTunnelTopology::SeeWire, this));
    AddNeighbor(m_nodeA, m_wireA, IPV4_B, MAC_B);
    AddNeighbor(m_nodeB, m_wireB, IPV4_A, MAC_A);

    const Inside& inside = INSIDE[m_settings.mode];
    bool pointToPoint = m_settings.mode == SitTunnelSettings::POINT_TO_POINT;
    Ipv4Address none("0.0.0.0");
    Ipv4Address remote = pointToPoint ? Ipv4Address(IPV4_B) : none;
    m_addressB = Ipv6Address(inside.b);
    m_deviceA = MakeTunnel(m_nodeA,
                           IPV4_A,
                           m_settings.remoteGiven ? m_settings.remote : remote,
                           Ipv6Address(inside.a));
    if (m_settings.peerTunnel)
    {
        m_deviceB =
            MakeTunnel(m_nodeB, IPV4_B, pointToPoint ? Ipv4Address(IPV4_A) : none, m_addressB);
        m_deviceB->TraceConnectWithoutContext("TxPre",
                                              MakeCallback(&SitTunnelTopology::SeeInside, this));
        m_deviceB->TraceConnectWithoutContext("RxPost",
                                              MakeCallback(&SitTunnelTopology::SeeInside, this));
        LinuxIcmpSender::Of(m_nodeB)->SetFlowLabel(m_addressB,
                                                   Ipv6Address(inside.a),
                                                   LinuxIcmpSender::ICMPV6_DEST_UNREACH,
                                                   LinuxIcmpSender::ICMPV6_PORT_UNREACH,
                                                   inside.flowLabel);
    }
    else
    {
        // The module is loaded, the device is not there.
        SitL4Protocol::Of(m_nodeB);
    }
    m_socket = Socket::CreateSocket(m_nodeA, UdpSocketFactory::GetTypeId());
    m_socket->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), SOURCE_PORT));
}

SitTunnelTopology::~SitTunnelTopology()
{
    Simulator::Destroy();
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(m_checksums));
}

Ptr<SitNetDevice>
SitTunnelTopology::MakeDevice(const SitTunnelSettings& settings,
                              Ipv4Address local,
                              Ipv4Address remote)
{
    Ptr<SitNetDevice> device = CreateObject<SitNetDevice>();
    device->SetAttribute("Local", Ipv4AddressValue(local));
    device->SetAttribute("Remote", Ipv4AddressValue(remote));
    device->SetAttribute("Ttl", UintegerValue(settings.ttl));
    device->SetAttribute("Tos", UintegerValue(settings.tos));
    device->SetAttribute("PmtuDiscovery", BooleanValue(settings.pmtudisc));
    device->SetAttribute("Mtu", UintegerValue(settings.mtu));
    if (settings.mode == SitTunnelSettings::SIX_RD)
    {
        // Who sets either as ns-3's default means it.
        Ipv6AddressValue prefix;
        UintegerValue length;
        device->GetAttribute("SixRdPrefix", prefix);
        device->GetAttribute("SixRdPrefixLength", length);
        if (prefix.Get() == Ipv6Address("2002::"))
        {
            device->SetAttribute("SixRdPrefix", Ipv6AddressValue(Ipv6Address("2001:db8::")));
        }
        if (length.Get() == 16)
        {
            device->SetAttribute("SixRdPrefixLength", UintegerValue(32));
        }
    }
    return device;
}

std::string
SitTunnelTopology::Check(const SitTunnelSettings& settings)
{
    return MakeDevice(settings, IPV4_A, settings.remote)->CheckSettings();
}

Ptr<Node>
SitTunnelTopology::MakeHost(const char* mac, const char* address, Ptr<VethLinkDevice>* wire) const
{
    Ptr<Node> node = CreateObject<Node>();
    InternetStackHelper stack;
    stack.Install(node);
    *wire = CreateObject<VethLinkDevice>();
    (*wire)->SetAddress(Mac48Address(mac));
    (*wire)->SetMtu(m_settings.linkMtu);
    (*wire)->SetAttribute("Delay", TimeValue(m_settings.delay));
    (*wire)->SetAttribute("Gap", TimeValue(m_settings.gap));
    auto input = std::make_shared<Ipv4HostInput>(PeekPointer(*wire));
    (*wire)->SetInputCheck(
        [input](Ptr<Packet>* payload, uint16_t* etherType, NetDevice::PacketType type) {
            return input->Check(payload, etherType, type);
        });
    node->AddDevice(*wire);
    Ptr<Ipv4L3Protocol> ipv4 = node->GetObject<Ipv4L3Protocol>();
    ipv4->SetAttribute("IpForward", BooleanValue(false));
    uint32_t interface = ipv4->AddInterface(*wire);
    ipv4->AddAddress(interface,
                     Ipv4InterfaceAddress(Ipv4Address(address), Ipv4Mask("255.255.255.0")));
    ipv4->SetMetric(interface, 1);
    ipv4->SetUp(interface);
    Ptr<SitTransportProtocol> udp = CreateObject<SitTransportProtocol>();
    udp->Setup(nullptr, ipv4->GetProtocol(IP_PROTOCOL_UDP));
    ipv4->Insert(udp, interface);
    return node;
}

Ptr<SitNetDevice>
SitTunnelTopology::MakeTunnel(Ptr<Node> node,
                              Ipv4Address local,
                              Ipv4Address remote,
                              Ipv6Address address) const
{
    Ptr<SitNetDevice> device = MakeDevice(m_settings, local, remote);
    SitHelper::BringUp(node, device);
    Ptr<Ipv6L3Protocol> ipv6 = node->GetObject<Ipv6L3Protocol>();
    ipv6->AddAddress(ipv6->GetInterfaceForDevice(device),
                     Ipv6InterfaceAddress(address, Ipv6Prefix(INSIDE[m_settings.mode].prefix)));
    return device;
}

void
SitTunnelTopology::Run()
{
    Time at = m_settings.interval;
    for (const auto& datagram : m_settings.datagrams)
    {
        Simulator::ScheduleWithContext(m_nodeA->GetId(),
                                       at,
                                       &SitTunnelTopology::SendDatagram,
                                       this,
                                       datagram);
        at += m_settings.interval;
    }
    Time seen;
    for (std::size_t i = 0; i < m_settings.frames.size(); ++i)
    {
        // As far apart as they were captured, but no closer than the interval.
        const auto& frame = m_settings.frames[i];
        if (i > 0)
        {
            at += std::max(frame.time - seen - m_settings.interval, Time(0));
        }
        seen = frame.time;
        const auto& bytes = frame.bytes;
        if (bytes.size() >= ETHERNET_HEADER + 20 && bytes[12] == 0x08 && bytes[13] == 0x00)
        {
            // B knows the hardware address of whoever the frame says it is from.
            Ipv4Address source = Ipv4Address::Deserialize(&bytes[ETHERNET_HEADER + 12]);
            Mac48Address mac;
            mac.CopyFrom(&bytes[6]);
            if (!source.IsMulticast() && !source.IsBroadcast() && source != Ipv4Address(IPV4_B))
            {
                AddNeighbor(m_nodeB, m_wireB, source, mac);
            }
        }
        Simulator::ScheduleWithContext(m_nodeA->GetId(),
                                       at,
                                       &SitTunnelTopology::SendFrame,
                                       this,
                                       bytes);
        at += m_settings.interval;
    }
    Simulator::Stop(at - m_settings.interval + m_settings.settle);
    Simulator::Run();
}

void
SitTunnelTopology::SendDatagram(const SitDatagram& datagram)
{
    std::vector<uint8_t> payload(datagram.payload);
    for (std::size_t i = 0; i < payload.size(); ++i)
    {
        payload[i] = static_cast<uint8_t>(i);
    }
    Ptr<Packet> packet = Create<Packet>(payload.data(), datagram.payload);
    SocketIpv6TclassTag trafficClass;
    trafficClass.SetTclass(datagram.trafficClass);
    packet->AddPacketTag(trafficClass);
    SocketIpv6HopLimitTag hopLimit;
    // ns-3's development version refuses zero (SetHopLimit), which Linux's sockets take.
    uint8_t value = datagram.hopLimit;
    hopLimit.Deserialize(TagBuffer(&value, &value + sizeof(value)));
    packet->AddPacketTag(hopLimit);
    Ipv6Address destination = datagram.destination.IsAny() ? m_addressB : datagram.destination;
    if (destination.IsMulticast())
    {
        SendMulticast(packet, destination, datagram.hopLimit);
    }
    else if (destination.IsLinkLocal() && !m_deviceA->IsPointToPoint())
    {
        // Only a tunnel with a remote has a link-local address, and a route to others.
        ++m_unsent;
    }
    else if (m_socket->SendTo(packet, 0, Inet6SocketAddress(destination, DISCARD_PORT)) < 0)
    {
        ++m_unsent;
    }
}

void
SitTunnelTopology::SendMulticast(Ptr<Packet> packet, Ipv6Address destination, uint8_t hopLimit)
{
    // The route of ff00::/8 that a device with IPv6 has. ns-3's sockets have none.
    constexpr uint8_t SCOPE_INTERFACE = 1;
    constexpr uint8_t SCOPE_LINK = 2;
    uint8_t bytes[16];
    destination.Serialize(bytes);
    const uint8_t scope = bytes[1] & 0x0f;
    if (scope <= SCOPE_INTERFACE || (hopLimit == 0 && destination.IsAllNodesMulticast()))
    {
        // It stays in the host: such is its scope, or A itself has joined and nobody else is meant.
        return;
    }
    Ptr<Ipv6L3Protocol> ipv6 = m_nodeA->GetObject<Ipv6L3Protocol>();
    const uint32_t interface = ipv6->GetInterfaceForDevice(m_deviceA);
    // RFC 6724, rule 2: the smallest scope that is wide enough.
    const Ipv6Address source =
        scope <= SCOPE_LINK ? ipv6->GetInterface(interface)->GetLinkLocalAddress().GetAddress()
                            : Ipv6Address(INSIDE[m_settings.mode].a);
    UdpHeader udp;
    udp.SetSourcePort(SOURCE_PORT);
    udp.SetDestinationPort(DISCARD_PORT);
    udp.EnableChecksums();
    udp.InitializeChecksum(source, destination, UdpL4Protocol::PROT_NUMBER);
    packet->AddHeader(udp);
    Ptr<Ipv6Route> route = Create<Ipv6Route>();
    route->SetDestination(destination);
    route->SetSource(source);
    route->SetOutputDevice(m_deviceA);
    ipv6->Send(packet, source, destination, UdpL4Protocol::PROT_NUMBER, route);
}

void
SitTunnelTopology::SendFrame(const std::vector<uint8_t>& bytes)
{
    // A packet socket refuses what is beyond the MTU.
    if (bytes.size() <= ETHERNET_HEADER + m_settings.linkMtu)
    {
        m_wireA->SendFrame(bytes);
    }
}

void
SitTunnelTopology::SeeWire(Ptr<const Packet> packet)
{
    m_wire.push_back(Capture(packet));
}

void
SitTunnelTopology::SeeInside(Ptr<const Packet> packet, Ptr<SitNetDevice>)
{
    m_inside.push_back(Capture(packet));
}

const std::vector<CapturedPacket>&
SitTunnelTopology::GetWire() const
{
    return m_wire;
}

const std::vector<CapturedPacket>&
SitTunnelTopology::GetInside() const
{
    return m_inside;
}

Ptr<SitNetDevice>
SitTunnelTopology::GetDeviceA() const
{
    return m_deviceA;
}

Ptr<SitNetDevice>
SitTunnelTopology::GetDeviceB() const
{
    return m_deviceB;
}

Ptr<Node>
SitTunnelTopology::GetNodeA() const
{
    return m_nodeA;
}

Ptr<Node>
SitTunnelTopology::GetNodeB() const
{
    return m_nodeB;
}

uint64_t
SitTunnelTopology::GetMalformed() const
{
    return m_wireB->GetCounters().rxErrors;
}

uint32_t
SitTunnelTopology::GetUnsent() const
{
    return m_unsent;
}

} // namespace linuxhost
} // namespace ns3
