/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "host-machine.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("HostMachine");
NS_OBJECT_ENSURE_REGISTERED(HostMachine);

namespace
{

/**
 * @param ns a time in ns
 * @returns it in ticks
 */
Ticks
NsToTicks(double ns)
{
    return static_cast<Ticks>(std::llround(ns * 1000.0));
}

/// A checker for a latency or a cost.
const double MAX_NS = 1e6;

/**
 * @param attribute an attribute of HostMachine
 * @returns its unit
 */
std::string
UnitOf(const std::string& attribute)
{
    static const std::map<std::string, std::string> UNITS = {{"ClockGhz", "GHz"},
                                                             {"CyclesPerInstruction", "cycles"},
                                                             {"SiblingLatency", "ns"},
                                                             {"SocketLatency", "ns"},
                                                             {"CrossLatency", "ns"},
                                                             {"L1Load", "cycles"},
                                                             {"L1Store", "cycles"},
                                                             {"L1Rmw", "cycles"},
                                                             {"ModifiedReadSocket", "ns"},
                                                             {"ModifiedReadCross", "ns"},
                                                             {"SharedReadSocket", "ns"},
                                                             {"SharedReadCross", "ns"},
                                                             {"SharedReadService", "ns"},
                                                             {"SnoopShare", "share"},
                                                             {"CopyRate", "bytes/cycle"},
                                                             {"ChecksumRate", "bytes/cycle"},
                                                             {"TickHz", "1/s"},
                                                             {"TickWork", "ns"},
                                                             {"WorkSpread", "share"}};
    auto found = UNITS.find(attribute);
    return found == UNITS.end() ? "" : found->second;
}

} // namespace

TypeId
HostMachine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::HostMachine")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddConstructor<HostMachine>()
            .AddAttribute("Name",
                          "The machine's name.",
                          StringValue("generic"),
                          MakeStringAccessor(&HostMachine::m_name),
                          MakeStringChecker())
            .AddAttribute("Sockets",
                          "The number of sockets.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&HostMachine::m_sockets),
                          MakeUintegerChecker<uint32_t>(1, MAX_CPUS))
            .AddAttribute("CoresPerSocket",
                          "The number of cores in a socket.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&HostMachine::m_coresPerSocket),
                          MakeUintegerChecker<uint32_t>(1, MAX_CPUS))
            .AddAttribute("ThreadsPerCore",
                          "The number of hardware threads in a core.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&HostMachine::m_threadsPerCore),
                          MakeUintegerChecker<uint32_t>(1, 8))
            .AddAttribute("ClockGhz",
                          "The clock, in GHz.",
                          DoubleValue(2.5),
                          MakeDoubleAccessor(&HostMachine::m_clockGhz),
                          MakeDoubleChecker<double>(0.01, 100))
            .AddAttribute("CyclesPerInstruction",
                          "Cycles an instruction of kernel code that hits its caches.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&HostMachine::m_cyclesPerInstruction),
                          MakeDoubleChecker<double>(0.05, 100))
            .AddAttribute("SiblingLatency",
                          "Transfer of a modified line between threads of a core, in ns.",
                          DoubleValue(8),
                          MakeDoubleAccessor(&HostMachine::m_siblingNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("SocketLatency",
                          "Transfer of a modified line between cores of a socket, in ns.",
                          DoubleValue(40),
                          MakeDoubleAccessor(&HostMachine::m_socketNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("CrossLatency",
                          "Transfer of a modified line between sockets, in ns.",
                          DoubleValue(110),
                          MakeDoubleAccessor(&HostMachine::m_crossNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("L1Load",
                          "A load that hits the CPU's own L1, in cycles.",
                          DoubleValue(4),
                          MakeDoubleAccessor(&HostMachine::m_l1LoadCycles),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("L1Store",
                          "A store that hits the CPU's own L1, in cycles.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&HostMachine::m_l1StoreCycles),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("L1Rmw",
                          "A locked read-modify-write that hits the CPU's own L1, in cycles.",
                          DoubleValue(20),
                          MakeDoubleAccessor(&HostMachine::m_l1RmwCycles),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute(
                "ModifiedReadSocket",
                "A load from a line that is modified in the same socket, in ns; 0: what a "
                "transfer takes.",
                DoubleValue(0),
                MakeDoubleAccessor(&HostMachine::m_modifiedSocketNs),
                MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("ModifiedReadCross",
                          "A load from a line that is modified in another socket, in ns; 0: what a "
                          "transfer takes.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&HostMachine::m_modifiedCrossNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("SharedReadSocket",
                          "A read of a clean line that is held in the same socket, in ns.",
                          DoubleValue(16),
                          MakeDoubleAccessor(&HostMachine::m_sharedSocketNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("SharedReadCross",
                          "A read of a clean line that is held in another socket only, in ns.",
                          DoubleValue(60),
                          MakeDoubleAccessor(&HostMachine::m_sharedCrossNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("SerialSharedReads",
                          "Whether reads of a clean line are served one after the other.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HostMachine::m_serialSharedReads),
                          MakeBooleanChecker())
            .AddAttribute("SharedReadService",
                          "How long such a read keeps its line busy when they are serial, in ns.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&HostMachine::m_sharedServiceNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("PostedStores",
                          "Whether a CPU goes on while a store waits for its line.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&HostMachine::m_postedStores),
                          MakeBooleanChecker())
            .AddAttribute("SnoopShare",
                          "The share of a transfer's latency after which the owner loses the line.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&HostMachine::m_snoopShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("CopyRate",
                          "Bytes copied per cycle, source and target in a cache.",
                          DoubleValue(4),
                          MakeDoubleAccessor(&HostMachine::m_copyBytesPerCycle),
                          MakeDoubleChecker<double>(1e-3, 1e3))
            .AddAttribute("ChecksumRate",
                          "Bytes checksummed per cycle.",
                          DoubleValue(4),
                          MakeDoubleAccessor(&HostMachine::m_checksumBytesPerCycle),
                          MakeDoubleChecker<double>(1e-3, 1e3))
            .AddAttribute("TickHz",
                          "Timer interrupts a second on each CPU that runs a task (CONFIG_HZ); "
                          "0: none.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&HostMachine::m_tickHz),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("TickWork",
                          "What a timer interrupt takes, in ns.",
                          DoubleValue(2000),
                          MakeDoubleAccessor(&HostMachine::m_tickNs),
                          MakeDoubleChecker<double>(0, MAX_NS))
            .AddAttribute("WorkSpread",
                          "Work times are spread evenly over this share to each side of the mean.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&HostMachine::m_workSpread),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

HostMachine::HostMachine()
    : m_frozen(false),
      m_costs(),
      m_nCpus(0),
      m_siblingTicks(0),
      m_socketTicks(0),
      m_crossTicks(0)
{
    NS_LOG_FUNCTION(this);
}

HostMachine::~HostMachine()
{
    NS_LOG_FUNCTION(this);
}

void
HostMachine::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Object::DoDispose();
}

void
HostMachine::Freeze()
{
    if (m_frozen)
    {
        return;
    }
    m_frozen = true;
    m_costs.l1Load = CyclesToTicks(m_l1LoadCycles);
    m_costs.l1Store = CyclesToTicks(m_l1StoreCycles);
    m_costs.l1Rmw = CyclesToTicks(m_l1RmwCycles);
    m_costs.sharedSocket = NsToTicks(m_sharedSocketNs);
    m_costs.modifiedSocket = NsToTicks(m_modifiedSocketNs);
    m_costs.modifiedCross = NsToTicks(m_modifiedCrossNs);
    m_costs.sharedCross = NsToTicks(m_sharedCrossNs);
    m_costs.sharedService = NsToTicks(m_sharedServiceNs);
    m_costs.serialSharedReads = m_serialSharedReads;
    m_costs.snoopShare = m_snoopShare;
    m_costs.postedStores = m_postedStores;
    m_costs.tickPeriod = m_tickHz > 0 ? NsToTicks(1e9 / m_tickHz) : 0;
    m_costs.tickWork = NsToTicks(m_tickNs);
    m_siblingTicks = NsToTicks(m_siblingNs);
    m_socketTicks = NsToTicks(m_socketNs);
    m_crossTicks = NsToTicks(m_crossNs);
    if (!m_matrix.empty())
    {
        return;
    }
    m_nCpus = GetNCpus();
    uint32_t cores = m_sockets * m_coresPerSocket;
    m_socket.resize(m_nCpus);
    m_core.resize(m_nCpus);
    for (CpuId cpu = 0; cpu < m_nCpus; ++cpu)
    {
        m_core[cpu] = cpu % cores;
        m_socket[cpu] = m_core[cpu] / m_coresPerSocket;
    }
}

std::string
HostMachine::Extend(uint32_t cpus)
{
    if (cpus < 1 || cpus > MAX_CPUS)
    {
        return "1 to " + std::to_string(MAX_CPUS) + " CPUs";
    }
    if (cpus <= GetNCpus())
    {
        return "";
    }
    if (m_frozen)
    {
        return "1 to " + std::to_string(GetNCpus()) + " CPUs (the machine is in use)";
    }
    if (!m_matrix.empty())
    {
        return "1 to " + std::to_string(GetNCpus()) + " CPUs (the machine's matrix has no more)";
    }
    uint32_t perSocket = m_coresPerSocket * m_threadsPerCore;
    m_sockets = (cpus + perSocket - 1) / perSocket;
    return "";
}

std::string
HostMachine::LoadMatrix(std::istream& is)
{
    std::vector<std::vector<double>> rows;
    std::string text;
    uint32_t line = 0;
    while (std::getline(is, text))
    {
        ++line;
        text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
        if (text.empty())
        {
            continue;
        }
        std::vector<double> row;
        std::istringstream cells(text);
        std::string cell;
        while (std::getline(cells, cell, ','))
        {
            if (cell.find_first_not_of(" \t") == std::string::npos)
            {
                row.push_back(-1);
                continue;
            }
            char* end = nullptr;
            double value = std::strtod(cell.c_str(), &end);
            auto used = static_cast<std::size_t>(end - cell.c_str());
            if (used == 0 || cell.find_first_not_of(" \t", used) != std::string::npos ||
                !std::isfinite(value) || value < 0 || value > MAX_NS)
            {
                return "line " + std::to_string(line) + ", column " +
                       std::to_string(row.size() + 1) + ": '" + cell +
                       "' is not a latency in ns (0 to 1000000)";
            }
            row.push_back(value);
        }
        rows.push_back(row);
        if (rows.size() > MAX_CPUS)
        {
            return "more than " + std::to_string(MAX_CPUS) + " rows";
        }
    }
    if (rows.size() < 2)
    {
        return "a matrix has a row for each CPU, two at least";
    }
    std::size_t n = rows.size();
    std::vector<double> ns(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
    {
        if (rows[i].size() > n)
        {
            return "row " + std::to_string(i + 1) + " has " + std::to_string(rows[i].size()) +
                   " values, but there are " + std::to_string(n) + " rows";
        }
        for (std::size_t j = 0; j < i; ++j)
        {
            double below = j < rows[i].size() ? rows[i][j] : -1;
            double above = i < rows[j].size() ? rows[j][i] : -1;
            if (below < 0 && above < 0)
            {
                return "no latency between CPUs " + std::to_string(j) + " and " +
                       std::to_string(i) + " (row " + std::to_string(i + 1) + ", column " +
                       std::to_string(j + 1) + ")";
            }
            ns[i * n + j] = below >= 0 ? below : above;
            ns[j * n + i] = above >= 0 ? above : below;
        }
    }
    SetMatrix(static_cast<uint32_t>(n), ns);
    return "";
}

void
HostMachine::SetMatrix(uint32_t cpus, const std::vector<double>& ns)
{
    NS_ASSERT_MSG(!m_frozen, "the machine is in use");
    NS_ASSERT(ns.size() == static_cast<std::size_t>(cpus) * cpus);
    m_nCpus = cpus;
    m_matrix.resize(ns.size());
    std::transform(ns.begin(), ns.end(), m_matrix.begin(), NsToTicks);
    FindTopology();
}

void
HostMachine::FindTopology()
{
    // The latencies of a machine lie in up to three groups (threads of a core, cores of a socket,
    // sockets), with a wide gap between: the two widest gaps of the sorted list tell them apart.
    std::vector<Ticks> sorted;
    for (CpuId i = 0; i < m_nCpus; ++i)
    {
        for (CpuId j = 0; j < i; ++j)
        {
            sorted.push_back(std::max<Ticks>(1, GetLatency(i, j)));
        }
    }
    std::sort(sorted.begin(), sorted.end());
    const double WIDE = 1.5;
    std::vector<std::pair<double, Ticks>> gaps;
    for (std::size_t i = 1; i < sorted.size(); ++i)
    {
        double ratio = static_cast<double>(sorted[i]) / sorted[i - 1];
        if (ratio >= WIDE)
        {
            gaps.emplace_back(ratio, sorted[i - 1]);
        }
    }
    std::sort(gaps.rbegin(), gaps.rend());
    gaps.resize(std::min<std::size_t>(gaps.size(), 2));
    Ticks sibling = -1;
    Ticks socket = NEVER;
    if (gaps.size() == 2)
    {
        sibling = std::min(gaps[0].second, gaps[1].second);
        socket = std::max(gaps[0].second, gaps[1].second);
    }
    else if (gaps.size() == 1)
    {
        // One gap: below it are threads of a core when each CPU has one such partner. (More of them
        // are cores of a small socket: few machines have more than two threads a core.)
        auto near = std::upper_bound(sorted.begin(), sorted.end(), gaps[0].second);
        double partners = 2.0 * std::distance(sorted.begin(), near) / m_nCpus;
        const double MOST_SIBLINGS = 1.5;
        (partners <= MOST_SIBLINGS && m_nCpus > 4 ? sibling : socket) = gaps[0].second;
    }
    auto group = [this](Ticks limit, std::vector<uint32_t>& of) {
        of.assign(m_nCpus, NO_CPU);
        uint32_t groups = 0;
        for (CpuId i = 0; i < m_nCpus; ++i)
        {
            for (CpuId j = 0; j < i && of[i] == NO_CPU; ++j)
            {
                if (GetLatency(i, j) <= limit)
                {
                    of[i] = of[j];
                }
            }
            if (of[i] == NO_CPU)
            {
                of[i] = groups++;
            }
        }
    };
    group(sibling, m_core);
    group(socket, m_socket);
}

uint32_t
HostMachine::GetNCpus() const
{
    return m_nCpus > 0 ? m_nCpus : m_sockets * m_coresPerSocket * m_threadsPerCore;
}

std::string
HostMachine::GetName() const
{
    return m_name;
}

double
HostMachine::GetClockGhz() const
{
    return m_clockGhz;
}

uint32_t
HostMachine::GetNSockets() const
{
    return m_socket.empty() ? m_sockets : *std::max_element(m_socket.begin(), m_socket.end()) + 1;
}

Ticks
HostMachine::CyclesToTicks(double cycles) const
{
    return NsToTicks(cycles / m_clockGhz);
}

Ticks
HostMachine::InstructionsToTicks(double instructions) const
{
    return CyclesToTicks(instructions * m_cyclesPerInstruction);
}

Ticks
HostMachine::CopyTicks(double bytes) const
{
    return CyclesToTicks(bytes / m_copyBytesPerCycle);
}

Ticks
HostMachine::ChecksumTicks(double bytes) const
{
    return CyclesToTicks(bytes / m_checksumBytesPerCycle);
}

double
HostMachine::GetWorkSpread() const
{
    return m_workSpread;
}

void
HostMachine::SetFigure(const Figure& figure)
{
    for (auto& known : m_provenance)
    {
        if (known.name == figure.name)
        {
            known = figure;
            return;
        }
    }
    m_provenance.push_back(figure);
}

std::vector<Figure>
HostMachine::GetFigures() const
{
    std::vector<Figure> figures = m_provenance;
    // What nobody gave a source for shapes a run just as well.
    std::set<std::string> told{"Name"};
    for (const auto& figure : figures)
    {
        told.insert(figure.name);
    }
    auto unused = [&told](bool condition, const std::set<std::string>& names) {
        if (condition)
        {
            told.insert(names.begin(), names.end());
        }
    };
    unused(HasMatrix(),
           {"Sockets",
            "CoresPerSocket",
            "ThreadsPerCore",
            "SiblingLatency",
            "SocketLatency",
            "CrossLatency"});
    unused(m_threadsPerCore == 1, {"SiblingLatency"});
    unused(GetNSockets() == 1, {"CrossLatency", "SharedReadCross"});
    unused(m_modifiedSocketNs == 0, {"ModifiedReadSocket"});
    unused(m_modifiedCrossNs == 0, {"ModifiedReadCross"});
    unused(!m_serialSharedReads, {"SharedReadService"});
    unused(m_tickHz == 0, {"TickWork"});
    const TypeId tid = GetTypeId();
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const auto info = tid.GetAttribute(i);
        StringValue text;
        if (told.count(info.name) == 0 && GetAttributeFailSafe(info.name, text))
        {
            const double NOT_YET = std::nan("");
            bool usual = text.Get() == info.originalInitialValue->SerializeToString(info.checker);
            figures.push_back(
                {info.name,
                 NOT_YET,
                 UnitOf(info.name),
                 usual ? "assumed" : "set",
                 usual ? "default of ns3::linuxhost::HostMachine" : "set for this run"});
        }
    }
    for (auto& figure : figures)
    {
        double value = figure.value;
        DoubleValue real;
        UintegerValue whole;
        BooleanValue truth;
        if (GetAttributeFailSafe(figure.name, real))
        {
            value = real.Get();
        }
        else if (GetAttributeFailSafe(figure.name, whole))
        {
            value = static_cast<double>(whole.Get());
        }
        else if (GetAttributeFailSafe(figure.name, truth))
        {
            value = truth.Get();
        }
        if (std::isnan(figure.value))
        {
            figure.value = value;
        }
        else if (value != figure.value)
        {
            figure.value = value;
            figure.kind = "set";
            figure.source = "set for this run";
        }
    }
    return figures;
}

} // namespace linuxhost
} // namespace ns3
