/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-read-wakeup.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cctype>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("TunReadWakeup");
NS_OBJECT_ENSURE_REGISTERED(TunReadWakeup);

namespace
{

const char* const SAME_SOCKET = "same-socket";
const char* const CROSS_SOCKET = "cross-socket";
const char* const SIBLING = "sibling";
/// The sender's CPU.
const CpuId SENDER = 0;

} // namespace

/// What sender and readers share.
struct TunReadWakeup::Host
{
    /// A reader.
    struct Reader
    {
        Ptr<TunQueuePath> queue; //!< the queue that it reads
        uint32_t number;         //!< which of the queue's readers it is
        Ptr<KernelTask> task;    //!< its task
    };

    std::vector<Ptr<TunQueuePath>> queues;      //!< tap0's queues
    std::vector<std::vector<bool>> sharesCache; //!< by queue and reader: with the sender
    std::vector<Reader> readers;                //!< readers
    Ptr<PacketSlots> slots;                     //!< packets
};

TypeId
TunReadWakeup::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::TunReadWakeup")
            .SetParent<PatchScenario>()
            .SetGroupName("LinuxHost")
            .AddConstructor<TunReadWakeup>()
            .AddAttribute("Restructured",
                          "Whether tun_do_read looks for a packet before it waits: the patch.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TunReadWakeup::m_restructured),
                          MakeBooleanChecker())
            .AddAttribute("Placement",
                          "Where the readers are, seen from the sender: same-socket, cross-socket "
                          "or sibling.",
                          StringValue(SAME_SOCKET),
                          MakeStringAccessor(&TunReadWakeup::m_placement),
                          MakeStringChecker())
            .AddAttribute("Lock",
                          "The kind of the spin locks: ticket, tas, mcs or qspinlock.",
                          StringValue("ticket"),
                          MakeStringAccessor(&TunReadWakeup::m_lock),
                          MakeStringChecker())
            .AddAttribute("Size",
                          "Bytes a frame.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&TunReadWakeup::m_size),
                          MakeUintegerChecker<uint32_t>(64, 1514))
            .AddAttribute("Queues",
                          "The number of tap0's queues; the sender uses them in turn.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TunReadWakeup::m_queues),
                          MakeUintegerChecker<uint32_t>(1, 8))
            .AddAttribute("Readers",
                          "The number of readers of each queue.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TunReadWakeup::m_readers),
                          MakeUintegerChecker<uint32_t>(1, 8))
            .AddAttribute("Blocking",
                          "Whether a reader sleeps when its queue is empty; else it polls.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&TunReadWakeup::m_blocking),
                          MakeBooleanChecker())
            .AddAttribute("TxQueueLen",
                          "Packets on tap0's queues from which on further ones are dropped.",
                          UintegerValue(500),
                          MakeUintegerAccessor(&TunReadWakeup::m_limit),
                          MakeUintegerChecker<uint32_t>(1, 100000))
            .AddAttribute("IdleLimit",
                          "The longest exit latency of an idle state that is used, in us.",
                          DoubleValue(1000),
                          MakeDoubleAccessor(&TunReadWakeup::m_idleLimit),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("IdleStates",
                          "The idle states in place of the machine's own: NAME:EXIT:RESIDENCY, "
                          "exit latency and shortest time worth it in us, with :irq after one "
                          "that only an interrupt ends; a slash between two, shallowest first.",
                          StringValue(""),
                          MakeStringAccessor(&TunReadWakeup::m_idleStates),
                          MakeStringChecker())
            .AddAttribute("SenderWork",
                          "Software work of the sender up to tap0, in instructions a packet.",
                          DoubleValue(2413),
                          MakeDoubleAccessor(&TunReadWakeup::m_senderWork),
                          MakeDoubleChecker<double>(0, 1e7))
            .AddAttribute("ReaderWork",
                          "Software work of a reader, sleep apart, in instructions a packet.",
                          DoubleValue(630),
                          MakeDoubleAccessor(&TunReadWakeup::m_readerWork),
                          MakeDoubleChecker<double>(0, 1e7));
    return tid;
}

TunReadWakeup::TunReadWakeup()
{
    NS_LOG_FUNCTION(this);
}

TunReadWakeup::~TunReadWakeup()
{
    NS_LOG_FUNCTION(this);
}

void
TunReadWakeup::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_host = nullptr;
    PatchScenario::DoDispose();
}

std::vector<std::string>
TunReadWakeup::GetPlacements()
{
    return {SAME_SOCKET, CROSS_SOCKET, SIBLING};
}

std::string
TunReadWakeup::GetName() const
{
    return "tun-read-wakeup";
}

std::string
TunReadWakeup::GetVariant() const
{
    return m_restructured ? "after" : "before";
}

std::vector<CpuId>
TunReadWakeup::GetReaderCpus(Ptr<const HostMachine> machine,
                             const std::string& placement,
                             uint32_t readers)
{
    std::vector<CpuId> cpus;
    for (CpuId cpu = 1; cpu < machine->GetNCpus() && cpus.size() < readers; ++cpu)
    {
        bool core = machine->GetCore(cpu) == machine->GetCore(SENDER);
        bool socket = machine->GetSocket(cpu) == machine->GetSocket(SENDER);
        if (placement == SIBLING ? core : placement == CROSS_SOCKET ? !socket : socket && !core)
        {
            cpus.push_back(cpu);
        }
    }
    return cpus;
}

std::vector<IdleState>
TunReadWakeup::GetIdleStates() const
{
    if (m_idleStates.empty())
    {
        return IdleGovernor::GetStates(m_machine->GetName());
    }
    std::vector<IdleState> states;
    const std::string allowed = IdleGovernor::Parse(m_idleStates, &states);
    NS_ABORT_MSG_UNLESS(allowed.empty(),
                        "TunReadWakeup: IdleStates=" << m_idleStates << ": " << allowed);
    return states;
}

std::shared_ptr<TunReadWakeup::Host>
TunReadWakeup::MakeHost() const
{
    m_machine->Freeze();
    std::vector<CpuId> cpus = GetReaderCpus(m_machine, m_placement, m_queues * m_readers);
    NS_ABORT_MSG_IF(cpus.size() < m_queues * m_readers,
                    "TunReadWakeup: no CPUs for Placement=" << m_placement);
    auto host = std::make_shared<Host>();
    host->slots = Create<PacketSlots>(m_machine->GetNCpus());
    const double NS_PER_US = 1000;
    const std::vector<IdleState> states = GetIdleStates();
    for (uint32_t i = 0; i < m_queues; ++i)
    {
        TunQueuePath::Settings settings;
        settings.name = m_queues == 1 ? "tap0" : "tap0." + std::to_string(i);
        settings.lockKind = m_lock;
        settings.restructured = m_restructured;
        settings.blocking = m_blocking;
        settings.limit = (m_limit + m_queues - 1) / m_queues;
        settings.size = m_size;
        Ptr<TunQueuePath> queue = Create<TunQueuePath>(settings, host->slots);
        host->queues.push_back(queue);
        host->sharesCache.emplace_back();
        for (uint32_t j = 0; j < m_readers; ++j)
        {
            CpuId cpu = cpus[i * m_readers + j];
            Ptr<RunQueue> runQueue =
                Create<RunQueue>(cpu,
                                 m_lock,
                                 Create<IdleGovernor>(states, m_idleLimit * NS_PER_US));
            std::string name =
                cpus.size() == 1 ? "reader" : "reader" + std::to_string(i * m_readers + j);
            Ptr<KernelTask> task = Create<KernelTask>(name, m_lock, runQueue);
            queue->AddReader(task);
            host->sharesCache.back().push_back(m_machine->GetSocket(cpu) ==
                                               m_machine->GetSocket(SENDER));
            host->readers.push_back({queue, j, task});
        }
    }
    return host;
}

Ptr<KernelPath>
TunReadWakeup::GetPath()
{
    m_host = MakeHost();
    Ptr<KernelPath> path = Create<KernelPath>(GetName() + " --placement=" + m_placement +
                                              " --variant=" + GetVariant());
    TunSendPath(m_senderWork, m_lock, m_size).Record(*path, m_host->queues, m_host->sharesCache);
    const auto& reader = m_host->readers.front();
    TunReceivePath(m_readerWork).Record(*path, reader.queue, reader.number);
    return path;
}

void
TunReadWakeup::Build(Ptr<CpuEngine> engine)
{
    m_host = MakeHost();
    Ptr<KernelPath> sender = Create<KernelPath>("sender");
    TunSendPath(m_senderWork, m_lock, m_size).Record(*sender, m_host->queues, m_host->sharesCache);
    engine->AddTask(SENDER, sender);
    for (const auto& reader : m_host->readers)
    {
        Ptr<KernelPath> path = Create<KernelPath>(reader.task->GetName());
        TunReceivePath(m_readerWork).Record(*path, reader.queue, reader.number);
        engine->AddTask(reader.task->GetRunQueue()->GetCpu(), path);
    }
}

std::vector<PatchScenario::Count>
TunReadWakeup::GetCounts() const
{
    double drops = 0;
    double wakeUps = 0;
    for (const auto& queue : m_host->queues)
    {
        drops += static_cast<double>(queue->GetDrops());
        wakeUps += static_cast<double>(queue->GetWaitQueue().GetWakeUps());
    }
    double sleeps = 0;
    double ipis = 0;
    double tries = 0;
    double woken = 0;
    double running = 0;
    double resumed = 0;
    double delay = 0;
    const auto& states = m_host->readers.front().task->GetRunQueue()->GetGovernor()->GetAll();
    std::vector<double> byState(states.size());
    for (const auto& reader : m_host->readers)
    {
        const auto& cpu = reader.task->GetRunQueue()->GetCounts();
        const auto& task = reader.task->GetCounts();
        sleeps += static_cast<double>(cpu.sleeps);
        ipis += static_cast<double>(cpu.ipis);
        tries += static_cast<double>(task.tries);
        woken += static_cast<double>(task.woken);
        running += static_cast<double>(task.running);
        resumed += static_cast<double>(task.resumed);
        delay += static_cast<double>(task.delay);
        for (std::size_t i = 0; i < states.size(); ++i)
        {
            byState[i] += static_cast<double>(cpu.byState[i]);
        }
    }
    const double TICKS_PER_US = 1e6;
    const double PERCENT = 100;
    std::vector<Count> counts = {{"drops_per_s", drops},
                                 {"sleeps_per_s", sleeps},
                                 {"wakeups_per_s", wakeUps},
                                 {"wakeup_tries_per_s", tries},
                                 {"sleepers_woken_per_s", woken},
                                 {"running_woken_per_s", running},
                                 {"ipis_per_s", ipis},
                                 {"wakeup_delay_us", delay / TICKS_PER_US, resumed}};
    for (std::size_t i = 0; i < states.size(); ++i)
    {
        std::string name = states[i].name;
        for (auto& letter : name)
        {
            letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        }
        counts.push_back({"sleeps_" + name + "_pct", PERCENT * byState[i], sleeps});
    }
    return counts;
}

void
TunReadWakeup::Complete(ScenarioResult& result)
{
    result.AddText("placement", m_placement);
    result.AddBoolean("restructured", m_restructured);
    result.AddText("lock", m_lock);
    result.AddNumber("size", m_size);
    result.AddNumber("queues", m_queues);
    result.AddNumber("readers", m_readers);
    result.AddBoolean("blocking", m_blocking);
    result.AddNumber("txqueuelen", m_limit);
    result.AddNumber("idle_limit_us", m_idleLimit);
    if (!m_idleStates.empty())
    {
        result.AddText("idle_states", m_idleStates);
    }
    double relative = 0;
    for (const auto& metric : result.metrics)
    {
        relative = metric.name == "pps" ? metric.ci95 / metric.value : relative;
    }
    const double MEGABITS = 8e-6;
    double goodput = result.GetMetric("pps") * m_size * MEGABITS;
    result.metrics.push_back({"goodput_mbps", goodput, relative * goodput});
    auto work = [&](const char* name, double value, double counted) {
        Figure figure = MakeFigure(name,
                                   value,
                                   "instructions",
                                   "fitted",
                                   "to same-socket before (731k packets/s, 1.50 CPUs)");
        figure.source += "; counted: " + std::to_string(std::lround(counted));
        result.figures.push_back(figure);
    };
    work("SenderWork", m_senderWork, TunSendPath::GetCounted());
    work("ReaderWork", m_readerWork, TunReceivePath::GetCounted());
    result.figures.push_back({"SleepWork",
                              0,
                              "instructions",
                              "counted",
                              "scheduler, wait queue and idle loop of 3.15; see --print-path"});
    result.figures.push_back({"Interrupt",
                              RunQueue::SEND_INTERRUPT,
                              "instructions",
                              "literature",
                              "Pallipadi, LKML, February 2012: 400 cycles more than a store to "
                              "another CPU's line in a socket, 200 across"});
    const bool own = m_idleStates.empty();
    const std::string kind = own ? IdleGovernor::GetKind(m_machine->GetName()) : "set";
    const std::string source = own ? IdleGovernor::GetSource(m_machine->GetName()) : "by the user";
    for (const auto& state : GetIdleStates())
    {
        result.figures.push_back({"Idle" + state.name, state.exit, "ns", kind, source});
    }
}

} // namespace linuxhost
} // namespace ns3
