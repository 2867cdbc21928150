/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-lockless-xmit.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/dummy-net-device.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/kernel-lock.h"
#include "ns3/linux-host-compat.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/sit-net-device.h"
#include "ns3/string.h"
#include "ns3/tunnel-xmit-path.h"
#include "ns3/udp-header.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("SitLocklessXmit");
NS_OBJECT_ENSURE_REGISTERED(SitLocklessXmit);

namespace
{

/// No tunnel: the dummy device itself.
const char* const NONE = "none";
/// Addresses of the host and of the tunnel's other end.
const Ipv4Address LOCAL("192.0.2.1");
const Ipv4Address REMOTE("192.0.2.2");
const char* const LOCAL6 = "2001:db8:5::1";
const char* const REMOTE6 = "2001:db8:5::2";
/// Addresses inside an ipip or gre tunnel.
const Ipv4Address INSIDE("198.51.100.1");
const Ipv4Address INSIDE_REMOTE("198.51.100.2");
/// Ports of the datagrams.
const uint16_t FIRST_PORT = 5000;
const uint16_t DISCARD_PORT = 9;

} // namespace

/// Routes and devices.
struct SitLocklessXmit::Host
{
    Ptr<Rt6Info> route6;        //!< route of the IPv6 sockets
    Ptr<Rtable> route4;         //!< route of the IPv4 sockets
    Ptr<TunnelXmitPath> tunnel; //!< what the tunnel device costs, or null
    Ptr<Node> node;             //!< the host
    Ptr<DummyNetDevice> dummy;  //!< lower device
    Ptr<SitNetDevice> sit;      //!< tunnel device, when it is sit
};

TypeId
SitLocklessXmit::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::SitLocklessXmit")
            .SetParent<PatchScenario>()
            .SetGroupName("LinuxHost")
            .AddConstructor<SitLocklessXmit>()
            .AddAttribute("Lltx",
                          "Whether the tunnel device has NETIF_F_LLTX: the patch.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&SitLocklessXmit::m_lltx),
                          MakeBooleanChecker())
            .AddAttribute("Tunnel",
                          "The tunnel: sit, ipip, gre or none.",
                          StringValue("sit"),
                          MakeStringAccessor(&SitLocklessXmit::m_tunnel),
                          MakeStringChecker())
            .AddAttribute("Lock",
                          "The kind of the transmit lock: ticket, tas, mcs or qspinlock.",
                          StringValue("ticket"),
                          MakeStringAccessor(&SitLocklessXmit::m_lock),
                          MakeStringChecker())
            .AddAttribute("Threads",
                          "The number of sending threads, one a CPU.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&SitLocklessXmit::m_threads),
                          MakeUintegerChecker<uint32_t>(1, MAX_CPUS))
            .AddAttribute("Payload",
                          "Bytes of UDP payload a datagram.",
                          UintegerValue(172),
                          MakeUintegerAccessor(&SitLocklessXmit::m_payload),
                          MakeUintegerChecker<uint32_t>(0, 1432))
            .AddAttribute("TunnelWork",
                          "Software work of the tunnel's transmit function and of the IPv4 output "
                          "under it, in instructions.",
                          DoubleValue(1076),
                          MakeDoubleAccessor(&SitLocklessXmit::m_work),
                          MakeDoubleChecker<double>(0, 1e7))
            .AddAttribute("Frames",
                          "Frames of the whole experiment, which totals are scaled to.",
                          UintegerValue(160000000),
                          MakeUintegerAccessor(&SitLocklessXmit::m_frames),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

SitLocklessXmit::SitLocklessXmit()
{
    NS_LOG_FUNCTION(this);
}

SitLocklessXmit::~SitLocklessXmit()
{
    NS_LOG_FUNCTION(this);
}

std::vector<std::string>
SitLocklessXmit::GetTunnels()
{
    std::vector<std::string> tunnels = TunnelXmitPath::GetKinds();
    tunnels.emplace_back(NONE);
    return tunnels;
}

std::string
SitLocklessXmit::GetName() const
{
    return "sit-lockless-xmit";
}

std::string
SitLocklessXmit::GetVariant() const
{
    return m_lltx ? "after" : "before";
}

SitLocklessXmit::Host
SitLocklessXmit::MakeHost() const
{
    Host host;
    host.route6 = Create<Rt6Info>("rt6_info");
    host.route4 = Create<Rtable>("rtable");
    if (m_tunnel != NONE)
    {
        host.tunnel = Create<TunnelXmitPath>(m_tunnel + "1",
                                             TunnelXmitPath::GetSymbol(m_tunnel),
                                             m_lock,
                                             m_lltx,
                                             m_work);
    }
    host.node = CreateObject<Node>();
    host.dummy = CreateObject<DummyNetDevice>();
    host.node->AddDevice(host.dummy);
    InternetStackHelper stack;
    stack.Install(host.node);
    Ptr<Ipv4> ipv4 = host.node->GetObject<Ipv4>();
    uint32_t interface = ipv4->AddInterface(host.dummy);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(LOCAL, Ipv4Mask("255.255.255.0")));
    ipv4->SetUp(interface);
    if (m_tunnel == "sit")
    {
        host.sit = CreateObject<SitNetDevice>();
        host.sit->SetAttribute("Local", Ipv4AddressValue(LOCAL));
        host.sit->SetAttribute("Remote", Ipv4AddressValue(REMOTE));
        host.sit->SetXmitPath(host.tunnel);
        host.node->AddDevice(host.sit);
        host.sit->Bind();
    }
    return host;
}

Ptr<Packet>
SitLocklessXmit::MakeDatagram(uint32_t thread) const
{
    Ptr<Packet> packet = Create<Packet>(m_payload);
    UdpHeader udp;
    udp.SetSourcePort(static_cast<uint16_t>(FIRST_PORT + thread));
    udp.SetDestinationPort(DISCARD_PORT);
    udp.EnableChecksums();
    const uint8_t UDP = 17;
    static const uint8_t TTL = 64;
    if (m_tunnel == "sit")
    {
        Ipv6Header ip;
        ip.SetSource(Ipv6Address(LOCAL6));
        ip.SetDestination(Ipv6Address(REMOTE6));
        ip.SetNextHeader(UDP);
        ip.SetHopLimit(TTL);
        udp.InitializeChecksum(ip.GetSource(), ip.GetDestination(), UDP);
        packet->AddHeader(udp);
        ip.SetPayloadLength(static_cast<uint16_t>(packet->GetSize()));
        packet->AddHeader(ip);
        return packet;
    }
    auto addIp = [&packet](Ipv4Address source, Ipv4Address destination, uint8_t protocol) {
        Ipv4Header ip;
        ip.SetSource(source);
        ip.SetDestination(destination);
        ip.SetProtocol(protocol);
        ip.SetTtl(TTL);
        ip.SetDontFragment();
        ip.EnableChecksum();
        ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
        packet->AddHeader(ip);
    };
    const bool inTunnel = m_tunnel != NONE;
    const Ipv4Address source = inTunnel ? INSIDE : LOCAL;
    const Ipv4Address destination = inTunnel ? INSIDE_REMOTE : REMOTE;
    udp.InitializeChecksum(source, destination, UDP);
    packet->AddHeader(udp);
    addIp(source, destination, UDP);
    if (m_tunnel == "gre")
    {
        // Neither key nor checksum nor sequence numbers: flags, and what is inside.
        const uint8_t GRE_HEADER[] = {0, 0, ETHERTYPE_IPV4 >> 8, ETHERTYPE_IPV4 & 0xff};
        Ptr<Packet> gre = Create<Packet>(GRE_HEADER, sizeof(GRE_HEADER));
        gre->AddAtEnd(packet);
        packet = gre;
    }
    if (inTunnel)
    {
        const uint8_t IPIP = 4;
        const uint8_t GRE = 47;
        addIp(LOCAL, REMOTE, m_tunnel == "gre" ? GRE : IPIP);
    }
    return packet;
}

Ptr<KernelPath>
SitLocklessXmit::RecordPath(const Host& host, uint32_t thread) const
{
    Ptr<KernelPath> path =
        Create<KernelPath>(GetName() + " --tunnel=" + m_tunnel + " --variant=" + GetVariant());
    std::string name = "socket" + std::to_string(thread);
    Ptr<UdpSocketPath> socket;
    SkbRefs skb;
    if (m_tunnel == "sit")
    {
        Ptr<Rt6Info> route = host.route6;
        socket = Create<Udp6SocketPath>(name, m_payload, route);
        skb.releaseRoute = [route](KernelPath& p) {
            p.Rmw(route->refcnt, "dst_release", "skb_dst_drop of the inner route");
            p.Work("dst_release", 12);
        };
    }
    else
    {
        Ptr<Rtable> route = host.route4;
        socket = Create<Udp4SocketPath>(name, m_payload, route);
        skb.releaseRoute = [route](KernelPath& p) { route->RecordRelease(p, "skb_dst_drop"); };
    }
    skb.socket = PeekPointer(socket);
    socket->RecordHead(*path);
    {
        // The datagram goes down the devices, and each of them appends what it costs.
        XmitRecorder recorder(path, skb);
        if (host.sit)
        {
            host.sit->Send(MakeDatagram(thread), host.sit->GetBroadcast(), ETHERTYPE_IPV6);
        }
        else
        {
            // ipip and gre have no device in the pack: their costs alone.
            if (host.tunnel)
            {
                host.tunnel->RecordBegin(*path, recorder.GetSkb());
                host.tunnel->RecordLookup(*path);
                host.tunnel->RecordHeader(*path, recorder.GetSkb());
                host.tunnel->RecordOutput(*path);
            }
            host.dummy->Send(MakeDatagram(thread), host.dummy->GetBroadcast(), ETHERTYPE_IPV4);
            if (host.tunnel)
            {
                host.tunnel->RecordLeave(*path);
            }
        }
    }
    socket->RecordTail(*path);
    path->Frame();
    EditPath(*path);
    return path;
}

void
SitLocklessXmit::PlayPackets(uint64_t frames, std::function<void(Ptr<const Packet>)> sent)
{
    NS_LOG_FUNCTION(this << frames);
    Ptr<CpuEngine> engine = CreateObject<CpuEngine>();
    engine->SetMachine(m_machine);
    engine->AssignStreams(1);
    Host host = MakeHost();
    uint64_t left = frames;
    for (uint32_t thread = 0; thread < m_threads; ++thread)
    {
        Ptr<KernelPath> path = RecordPath(host, thread);
        path->Call(
            [this, &host, &left, thread](CallMoment&) {
                if (left == 0)
                {
                    Simulator::Stop();
                    return;
                }
                --left;
                if (host.sit)
                {
                    host.sit->Send(MakeDatagram(thread), host.sit->GetBroadcast(), ETHERTYPE_IPV6);
                }
                else
                {
                    host.dummy->Send(MakeDatagram(thread),
                                     host.dummy->GetBroadcast(),
                                     ETHERTYPE_IPV4);
                }
            },
            "dummy_xmit",
            "the frame itself",
            true);
        engine->AddTask(thread, path);
    }
    m_sent = sent;
    host.dummy->TraceConnectWithoutContext("MacTx", MakeCallback(&SitLocklessXmit::OnSent, this));
    engine->Start();
    Simulator::Run();
    engine->Dispose();
    Simulator::Destroy();
}

void
SitLocklessXmit::OnSent(Ptr<const Packet> packet)
{
    m_sent(packet);
}

Ptr<KernelPath>
SitLocklessXmit::GetPath()
{
    return RecordPath(MakeHost(), 0);
}

void
SitLocklessXmit::Build(Ptr<CpuEngine> engine)
{
    Host host = MakeHost();
    for (uint32_t thread = 0; thread < m_threads; ++thread)
    {
        engine->AddTask(thread, RecordPath(host, thread));
    }
}

void
SitLocklessXmit::Complete(ScenarioResult& result)
{
    result.AddText("tunnel", m_tunnel);
    result.AddBoolean("lltx", m_lltx);
    result.AddNumber("cpus", m_threads);
    result.AddText("lock", m_lock);
    result.AddNumber("payload", m_payload);
    result.scaledTo = m_frames;
    double pps = result.GetMetric("pps");
    double relative = 0;
    double user = result.GetMetric("user_cpus");
    double system = result.GetMetric("sys_cpus");
    double userCi = 0;
    double systemCi = 0;
    for (const auto& metric : result.metrics)
    {
        relative = metric.name == "pps" ? metric.ci95 / metric.value : relative;
        userCi = metric.name == "user_cpus" ? metric.ci95 : userCi;
        systemCi = metric.name == "sys_cpus" ? metric.ci95 : systemCi;
    }
    double real = m_frames / pps;
    const double BITS = 8;
    const double MEGA = 1e6;
    result.metrics.push_back(
        {"goodput_mbps", pps * m_payload * BITS / MEGA, relative * pps * m_payload * BITS / MEGA});
    result.metrics.push_back({"real_s", real, relative * real});
    result.metrics.push_back({"user_s", user * real, (relative * user + userCi) * real});
    result.metrics.push_back({"sys_s", system * real, (relative * system + systemCi) * real});
    result.figures.push_back(
        MakeFigure("TunnelWork",
                   m_work,
                   "instructions",
                   "fitted",
                   "to sit before (3m15.399s on 16 CPUs); the software work inside the lock"));
    double counted = 0;
    const auto path = GetPath();
    for (const auto& step : path->GetSteps())
    {
        counted += step.kind == PathStep::WORK ? step.amount : 0;
    }
    result.figures.push_back({"CountedWork",
                              counted - (m_tunnel == NONE ? 0 : m_work),
                              "instructions",
                              "counted",
                              "all other work of a frame, one function at a time in the source of "
                              "2.6.36; --print-path lists it"});
}

} // namespace linuxhost
} // namespace ns3
