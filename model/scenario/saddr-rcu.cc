/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "saddr-rcu.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/kernel-lock.h"
#include "ns3/log.h"
#include "ns3/multi-queue-nic-path.h"
#include "ns3/saddr-xmit-path.h"
#include "ns3/string.h"
#include "ns3/udp6-unconnected-path.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("SaddrRcu");
NS_OBJECT_ENSURE_REGISTERED(SaddrRcu);

namespace
{

/// The network that eth0 is in: 2001:db8:1::/64.
const uint64_t NETWORK = 0x20010db800010000;

} // namespace

/// Address lists, routes and the card.
struct SaddrRcu::Shared
{
    Ptr<SaddrXmitPath> saddr;                            //!< address lists
    Ptr<Fib6LookupPath> fib;                             //!< routes
    std::vector<Ptr<NicQueuePath>> queues;               //!< the card's queues, by CPU
    std::vector<Ptr<Udp6UnconnectedSocketPath>> sockets; //!< sockets, by flow
};

TypeId
SaddrRcu::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::SaddrRcu")
            .SetParent<PatchScenario>()
            .SetGroupName("LinuxHost")
            .AddConstructor<SaddrRcu>()
            .AddAttribute("Rcu",
                          "Whether the address lists are walked under RCU: the patch.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&SaddrRcu::m_rcu),
                          MakeBooleanChecker())
            .AddAttribute("Lock",
                          "The kind of the address lists' locks: rwlock or qrwlock.",
                          StringValue("qrwlock"),
                          MakeStringAccessor(&SaddrRcu::m_lock),
                          MakeStringChecker())
            .AddAttribute("Cpus",
                          "The number of CPUs.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&SaddrRcu::m_cpus),
                          MakeUintegerChecker<uint32_t>(1, MAX_CPUS))
            .AddAttribute("Flows",
                          "The number of flows, dealt out to the CPUs in turn.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&SaddrRcu::m_flows),
                          MakeUintegerChecker<uint32_t>(1, 16 * MAX_CPUS))
            .AddAttribute("Payload",
                          "Bytes of UDP payload a datagram.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&SaddrRcu::m_payload),
                          MakeUintegerChecker<uint32_t>(0, 1432))
            .AddAttribute("CompletionBatch",
                          "Packets of a flow that a completion interrupt finds.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&SaddrRcu::m_batch),
                          MakeUintegerChecker<uint32_t>(1, 256))
            .AddAttribute("Doorbell",
                          "How long a doorbell takes to leave the CPU, in ns.",
                          DoubleValue(108),
                          MakeDoubleAccessor(&SaddrRcu::m_doorbell),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("SendWork",
                          "Software work of the send path outside the selection, as a multiple of "
                          "the instructions that were counted.",
                          DoubleValue(0.985),
                          MakeDoubleAccessor(&SaddrRcu::m_work),
                          MakeDoubleChecker<double>(0, 1000));
    return tid;
}

SaddrRcu::SaddrRcu()
    : m_host(MakeHost(INTERFACES, ADDRESSES, LABELS)),
      m_query(MakeQuery(m_host))
{
    NS_LOG_FUNCTION(this);
}

SaddrRcu::~SaddrRcu()
{
    NS_LOG_FUNCTION(this);
}

std::string
SaddrRcu::GetName() const
{
    return "saddr-rcu";
}

std::string
SaddrRcu::GetVariant() const
{
    return m_rcu ? "after" : "before";
}

void
SaddrRcu::SetHost(const SaddrHost& host, const SaddrQuery& query)
{
    NS_LOG_FUNCTION(this);
    m_host = host;
    m_query = query;
}

SaddrHost
SaddrRcu::MakeHost(uint32_t interfaces, uint32_t addresses, uint32_t labels)
{
    const uint64_t LINK_LOCAL = 0xfe80000000000000;
    const uint8_t PREFIX = 64;
    SaddrHost host;
    host.kernelHasOptimisticDad = false;
    std::vector<std::string> names = {"lo", "eth0", "eth1"};
    while (names.size() < interfaces)
    {
        names.push_back("tunl" + std::to_string(names.size() - 3));
    }
    if (interfaces == 1)
    {
        names.erase(names.begin());
    }
    names.resize(interfaces);
    for (uint32_t i = 0; i < interfaces; ++i)
    {
        SaddrInterface interface;
        interface.name = names[i];
        interface.ifindex = i + 1;
        if (names[i] == "lo")
        {
            interface.AddAddress(SaddrAddress({0, 1}, 128));
        }
        else if (names[i] == "eth0" || names[i] == "eth1")
        {
            interface.AddAddress(SaddrAddress({LINK_LOCAL, i + 1}, PREFIX));
        }
        for (uint32_t j = 0; names[i] == "eth0" && j < addresses; ++j)
        {
            interface.AddAddress(SaddrAddress({NETWORK, j + 1}, PREFIX));
        }
        host.interfaces.push_back(interface);
    }
    // A shorter table has the kernel's last rows, a longer one also networks of no concern.
    const uint64_t OTHER_NETWORK = 0x3fff000000000000;
    for (uint32_t i = LABELS; i < labels; ++i)
    {
        host.labels.Add({OTHER_NETWORK | i, 0}, PREFIX, i);
    }
    for (uint32_t i = labels; i < LABELS; ++i)
    {
        const auto first = host.labels.GetEntries().front();
        host.labels.Remove(first.prefix, first.length);
    }
    return host;
}

SaddrQuery
SaddrRcu::MakeQuery(const SaddrHost& host)
{
    SaddrQuery query;
    query.destination = Ipv6Bits(NETWORK, 0xffff);
    const SaddrInterface* outgoing = host.FindInterface("eth0");
    query.oif = outgoing ? outgoing->ifindex : 0;
    return query;
}

uint32_t
SaddrRcu::GetNSenders() const
{
    return std::min(m_cpus, m_flows);
}

SaddrRcu::Shared
SaddrRcu::MakeShared() const
{
    Shared shared;
    shared.saddr = Create<SaddrXmitPath>(m_host, m_lock, m_rcu);
    shared.fib = Create<Fib6LookupPath>(m_work);
    for (uint32_t cpu = 0; cpu < GetNSenders(); ++cpu)
    {
        shared.queues.push_back(Create<NicQueuePath>("eth0.txq" + std::to_string(cpu),
                                                     "qspinlock",
                                                     m_doorbell,
                                                     m_work));
    }
    for (uint32_t flow = 0; flow < m_flows; ++flow)
    {
        shared.sockets.push_back(Create<Udp6UnconnectedSocketPath>("socket" + std::to_string(flow),
                                                                   m_payload,
                                                                   m_batch,
                                                                   m_work));
    }
    return shared;
}

Ptr<KernelPath>
SaddrRcu::RecordPath(const Shared& shared, uint32_t cpu) const
{
    Ptr<KernelPath> path = Create<KernelPath>(GetName() + " --variant=" + GetVariant());
    const uint32_t senders = GetNSenders();
    for (uint32_t buffer = 0; buffer < m_batch; ++buffer)
    {
        for (uint32_t flow = cpu; flow < m_flows; flow += senders)
        {
            const auto& socket = shared.sockets[flow];
            socket->RecordEnter(*path);
            shared.fib->Record(*path, socket->GetClone());
            shared.saddr->Record(*path, m_query);
            socket->RecordBuild(*path, buffer);
            const double work = m_work;
            shared.queues[cpu]->RecordXmit(*path, [&socket, work](KernelPath& p) {
                p.Work("dst_release", 12 * work);
                p.Rmw(socket->GetClone(), "dst_release", "skb_dst_drop");
            });
            socket->RecordLeave(*path);
            path->Frame();
        }
    }
    // The interrupt of the queue that is half the machine away.
    const uint32_t other = (cpu + senders / 2) % senders;
    path->SetMode(CpuMode::SOFTIRQ);
    shared.queues[other]->RecordCompletionEnter(*path);
    for (uint32_t buffer = 0; buffer < m_batch; ++buffer)
    {
        for (uint32_t flow = other; flow < m_flows; flow += senders)
        {
            shared.queues[other]->RecordCompletionPacket(*path);
            shared.sockets[flow]->RecordFree(*path, buffer);
        }
    }
    shared.queues[other]->RecordCompletionLeave(*path);
    path->SetMode(CpuMode::SYSTEM);
    EditPath(*path);
    return path;
}

Ptr<KernelPath>
SaddrRcu::GetPath()
{
    return RecordPath(MakeShared(), 0);
}

void
SaddrRcu::Build(Ptr<CpuEngine> engine)
{
    Shared shared = MakeShared();
    for (uint32_t cpu = 0; cpu < GetNSenders(); ++cpu)
    {
        engine->AddTask(cpu, RecordPath(shared, cpu));
    }
}

void
SaddrRcu::Complete(ScenarioResult& result)
{
    const SaddrCounts counts = SelectSourceAddress(m_host, m_query).counts;
    result.AddBoolean("rcu", m_rcu);
    result.AddNumber("cpus", m_cpus);
    result.AddNumber("flows", m_flows);
    result.AddText("lock", m_lock);
    result.AddNumber("payload", m_payload);
    result.AddNumber("completion_batch", m_batch);
    result.AddNumber("interfaces_visited", counts.interfaces);
    result.AddNumber("addresses_visited", counts.addresses);
    result.AddNumber("improvements", counts.improvements);
    result.AddNumber("evaluations", counts.evaluations);
    result.AddNumber("label_probes", counts.labelProbes);
    double pps = result.GetMetric("pps");
    double relative = result.metrics.front().ci95 / pps;
    const double BITS = 8;
    const double MEGA = 1e6;
    result.metrics.push_back(
        {"goodput_mbps", pps * m_payload * BITS / MEGA, relative * pps * m_payload * BITS / MEGA});
    result.figures.push_back(
        MakeFigure("SendWork",
                   m_work,
                   "times the instructions counted",
                   "fitted",
                   "to before (2.02 Mpps on 16 CPUs); the software work of the send path "
                   "outside the selection"));
    result.figures.push_back({"SelectionWork",
                              1,
                              "times the instructions counted",
                              "counted",
                              "one function at a time in the source of 4.14; see --print-path"});
    result.figures.push_back(
        MakeFigure("Doorbell",
                   m_doorbell,
                   "ns",
                   "literature",
                   "Larsen and Lee, NAS 2015: between two write-combining buffers to a "
                   "network card"));
    result.figures.push_back(
        MakeFigure("CompletionBatch",
                   static_cast<double>(m_batch),
                   "packets",
                   "assumed",
                   "the card's interrupts are 16 us apart, a CPU's packets 4"));
    result.figures.push_back(
        {"Interfaces",
         static_cast<double>(counts.interfaces),
         "interfaces visited",
         "assumed",
         "the host is not published; doc/saddr-rcu.rst says how it was chosen"});
}

} // namespace linuxhost
} // namespace ns3
