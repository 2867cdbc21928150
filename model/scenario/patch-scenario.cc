/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "patch-scenario.h"

#include "ns3/abort.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("PatchScenario");
NS_OBJECT_ENSURE_REGISTERED(PatchScenario);

namespace
{

/// Batches in which the warm-up is looked for; they are looked at again when it is not over.
const std::size_t PILOT_BATCHES = 40;
/// Most batches of warm-up.
const std::size_t LONGEST_PILOT = 640;

/**
 * @param engine an engine that has been measured
 * @returns whether each instant of each of its CPUs has its symbol
 */
bool
Closes(CpuEngine& engine)
{
    const double expected =
        static_cast<double>(engine.GetUsage().elapsed) * engine.GetMachine()->GetNCpus();
    double charged = 0;
    for (const auto& row : engine.GetProfile())
    {
        charged += row.ticks;
    }
    const double ROUNDING = 1e-6;
    return std::fabs(charged - expected) <= ROUNDING * expected;
}

} // namespace

TypeId
PatchScenario::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::PatchScenario")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddAttribute("Precision",
                          "Half-width of the 95 % confidence interval of the frame rate at which "
                          "the run ends, as a share of the rate.",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&PatchScenario::m_precision),
                          MakeDoubleChecker<double>(1e-5, 1))
            .AddAttribute("MaxFrames",
                          "The run ends when so many frames have been measured.",
                          UintegerValue(20000000),
                          MakeUintegerAccessor(&PatchScenario::m_maxFrames),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Warmup",
                          "The shortest warm-up, for what takes long to settle, in simulated time.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&PatchScenario::m_warmup),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Batch",
                          "The length of a batch at a precision of 2 %, in simulated time; a "
                          "narrower interval has longer ones.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&PatchScenario::m_batch),
                          MakeTimeChecker(MicroSeconds(1)));
    return tid;
}

PatchScenario::PatchScenario()
    : m_timelineLast(0),
      m_finishing(false),
      m_measuring(false),
      m_warmupFrames(0),
      m_last(),
      m_lastMoved(0),
      m_precise(false),
      m_silent(0)
{
    NS_LOG_FUNCTION(this);
}

PatchScenario::~PatchScenario()
{
    NS_LOG_FUNCTION(this);
}

void
PatchScenario::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_engine = nullptr;
    m_others.clear();
    m_machine = nullptr;
    Object::DoDispose();
}

void
PatchScenario::SetMachine(Ptr<HostMachine> machine)
{
    NS_LOG_FUNCTION(this << machine);
    m_machine = machine;
}

Ptr<HostMachine>
PatchScenario::GetMachine() const
{
    return m_machine;
}

void
PatchScenario::SetPathEditor(PathEditor editor)
{
    NS_LOG_FUNCTION(this);
    m_editor = editor;
}

Figure
PatchScenario::MakeFigure(const std::string& name,
                          double value,
                          const std::string& unit,
                          const std::string& kind,
                          const std::string& source) const
{
    TypeId::AttributeInformation info;
    StringValue text;
    const bool known = GetInstanceTypeId().LookupAttributeByName(name, &info);
    NS_ABORT_MSG_UNLESS(known && GetAttributeFailSafe(name, text), "no attribute " << name);
    const bool usual = text.Get() == info.originalInitialValue->SerializeToString(info.checker);
    return {name, value, unit, usual ? kind : "set", usual ? source : "by the user"};
}

void
PatchScenario::EditPath(KernelPath& path) const
{
    if (m_editor)
    {
        m_editor(path);
    }
}

bool
PatchScenario::IsMeasuring() const
{
    return m_measuring;
}

void
PatchScenario::EnableTimeline(Time last)
{
    NS_LOG_FUNCTION(this << last);
    m_timelineLast = last;
}

const std::vector<TimelineSlice>&
PatchScenario::GetTimeline() const
{
    return m_timeline;
}

const std::vector<ProfileRow>&
PatchScenario::GetProfile() const
{
    return m_profile;
}

std::vector<PatchScenario::Count>
PatchScenario::GetCounts() const
{
    return {};
}

Ptr<CpuEngine>
PatchScenario::AddHost(const std::string& name, Ptr<HostMachine> machine)
{
    NS_LOG_FUNCTION(this << name);
    Ptr<CpuEngine> engine = CreateObject<CpuEngine>();
    engine->SetMachine(machine);
    engine->AssignStreams(2 + static_cast<int64_t>(m_others.size()));
    m_others.push_back({name, engine});
    return engine;
}

CpuUsage
PatchScenario::GetUsage()
{
    CpuUsage usage = m_engine->GetUsage();
    for (const auto& host : m_others)
    {
        CpuUsage other = host.engine->GetUsage();
        usage.frames += other.frames;
        for (uint32_t i = 0; i < N_CPU_MODES; ++i)
        {
            usage.modeTicks[i] += other.modeTicks[i];
        }
        usage.idleByCpu.insert(usage.idleByCpu.end(),
                               other.idleByCpu.begin(),
                               other.idleByCpu.end());
    }
    return usage;
}

std::vector<LineRow>
PatchScenario::GetLines()
{
    std::vector<LineRow> rows = m_engine->GetLines();
    for (const auto& host : m_others)
    {
        for (auto row : host.engine->GetLines())
        {
            row.name = host.name + ": " + row.name;
            rows.push_back(row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.busy > b.busy;
    });
    return rows;
}

std::vector<ProfileRow>
PatchScenario::GetAllProfiles()
{
    std::vector<ProfileRow> rows = m_engine->GetProfile();
    for (const auto& host : m_others)
    {
        for (auto row : host.engine->GetProfile())
        {
            row.symbol = host.name + ": " + row.symbol;
            rows.push_back(row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.ticks > b.ticks;
    });
    return rows;
}

void
PatchScenario::BeginMeasurement()
{
    m_measuring = true;
    // With few frames to measure, batches are shorter: there must be enough of them.
    const double BATCHES = 64;
    double most = static_cast<double>(m_batchLength.GetTimeStep()) * m_maxFrames / BATCHES /
                  std::max(1.0, m_pilot.empty() ? 1.0 : m_pilot.back());
    const double SHORTEST = 1000;
    if (most < m_batchLength.GetTimeStep())
    {
        m_batchLength = TimeStep(static_cast<uint64_t>(std::max(SHORTEST, most)));
    }
    m_engine->ClearCounters();
    for (const auto& host : m_others)
    {
        host.engine->ClearCounters();
    }
    m_last = CpuUsage{};
    m_lastMoved = 0;
    m_silent = 0;
    m_lastCounts = GetCounts();
    m_rates.assign(m_lastCounts.size(), BatchMeans());
}

void
PatchScenario::OnBatch()
{
    if (m_finishing)
    {
        return;
    }
    m_engine->Sync();
    for (const auto& host : m_others)
    {
        host.engine->Sync();
    }
    CpuUsage usage = GetUsage();
    double frames = static_cast<double>(usage.frames - m_last.frames);
    double elapsed = static_cast<double>(usage.elapsed - m_last.elapsed);
    Simulator::Schedule(m_batchLength, &PatchScenario::OnBatch, this);
    if (!m_measuring)
    {
        if (Simulator::Now() > m_warmup)
        {
            m_pilot.push_back(frames);
        }
        m_last = usage;
        m_warmupFrames = usage.frames;
        // The warm-up is over when it ends in the first half of what has been seen.
        bool looked = !m_pilot.empty() && m_pilot.size() % PILOT_BATCHES == 0;
        if (looked && (BatchMeans::FindWarmup(m_pilot) < m_pilot.size() / 2 ||
                       m_pilot.size() >= LONGEST_PILOT))
        {
            BeginMeasurement();
        }
        return;
    }
    auto mode = [&](CpuMode m) {
        auto i = static_cast<uint32_t>(m);
        return (usage.modeTicks[i] - m_last.modeTicks[i]) / elapsed;
    };
    double user = mode(CpuMode::USER);
    double system = mode(CpuMode::SYSTEM) + mode(CpuMode::SOFTIRQ) + mode(CpuMode::SPIN);
    const double TICKS_PER_SECOND = 1e12;
    m_pps.Add(frames / elapsed * TICKS_PER_SECOND);
    m_user.Add(user);
    m_system.Add(system);
    m_busy.Add(user + system);
    double moved = 0;
    for (const auto& line : GetLines())
    {
        moved += static_cast<double>(line.transfers);
    }
    if (frames > 0)
    {
        m_moved.Add((moved - m_lastMoved) / frames);
    }
    m_lastMoved = moved;
    std::vector<Count> counts = GetCounts();
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
        const double more = counts[i].value - m_lastCounts[i].value;
        const double of = counts[i].of - m_lastCounts[i].of;
        if (counts[i].of < 0)
        {
            m_rates[i].Add(more / elapsed * TICKS_PER_SECOND);
        }
        else if (of > 0)
        {
            m_rates[i].Add(more / of);
        }
    }
    m_lastCounts = counts;
    m_last = usage;
    m_precise = usage.frames > 0 && m_pps.IsSettled() &&
                m_pps.GetHalfWidth() <= m_precision * m_pps.GetMean();
    // Nothing comes, and nothing will.
    const uint64_t SILENT = 1000;
    m_silent = frames > 0 ? 0 : m_silent + 1;
    if (m_precise || usage.frames >= m_maxFrames || m_silent >= SILENT)
    {
        // The timeline shows what comes next: keeping one all along would slow the run down.
        m_finishing = true;
        if (m_timelineLast > Time(0))
        {
            m_engine->EnableTimeline(m_timelineLast.GetPicoSeconds());
            for (const auto& host : m_others)
            {
                host.engine->EnableTimeline(m_timelineLast.GetPicoSeconds());
            }
        }
        Simulator::Stop(m_timelineLast);
    }
}

ScenarioResult
PatchScenario::Run()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!m_machine, "PatchScenario: no machine");
    // Who waits for whom in a queue of CPUs changes slowly: an interval that is to be half as wide
    // must see four times as long a stretch, and its batches likewise.
    const double USUAL_PRECISION = 0.02;
    const double MOST = 64;
    double longer = std::pow(USUAL_PRECISION / m_precision, 2);
    // Few frames make no narrow interval: the warm-up need not be looked at as if they did.
    const double SHORT = 4;
    const double FRAMES = 100000;
    const double most = std::min(MOST, std::max(SHORT, m_maxFrames / FRAMES));
    m_batchLength = TimeStep(
        static_cast<uint64_t>(m_batch.GetTimeStep() * std::min(most, std::max(1.0, longer))));
    m_finishing = false;
    m_measuring = false;
    m_pilot.clear();
    m_warmupFrames = 0;
    m_last = CpuUsage{};
    m_pps = BatchMeans();
    m_user = BatchMeans();
    m_system = BatchMeans();
    m_busy = BatchMeans();
    m_moved = BatchMeans();
    m_precise = false;
    m_engine = CreateObject<CpuEngine>();
    m_others.clear();
    m_engine->SetMachine(m_machine);
    m_engine->AssignStreams(1);
    Build(m_engine);
    m_engine->Start();
    for (const auto& host : m_others)
    {
        host.engine->Start();
    }
    Simulator::Schedule(m_batchLength, &PatchScenario::OnBatch, this);
    Simulator::Run();

    m_engine->Sync();
    NS_ABORT_MSG_UNLESS(Closes(*m_engine), GetName() << ": the accounting does not close");
    for (const auto& host : m_others)
    {
        host.engine->Sync();
        NS_ABORT_MSG_UNLESS(Closes(*host.engine),
                            GetName() << ", " << host.name << ": the accounting does not close");
    }
    ScenarioResult result{};
    result.scenario = GetName();
    result.variant = GetVariant();
    result.machine = m_machine->GetName();
    result.seed = RngSeedManager::GetRun();
    CpuUsage usage = GetUsage();
    result.warmupFrames = m_warmupFrames;
    result.measuredFrames = usage.frames;
    result.precise = m_precise;
    result.metrics.push_back({"pps", m_pps.GetMean(), m_pps.GetHalfWidth()});
    result.metrics.push_back({"user_cpus", m_user.GetMean(), m_user.GetHalfWidth()});
    result.metrics.push_back({"sys_cpus", m_system.GetMean(), m_system.GetHalfWidth()});
    result.metrics.push_back({"cpus_busy", m_busy.GetMean(), m_busy.GetHalfWidth()});
    result.metrics.push_back({"lines_per_frame", m_moved.GetMean(), m_moved.GetHalfWidth()});
    for (std::size_t i = 0; i < m_rates.size(); ++i)
    {
        // What there was none of has no mean.
        if (m_rates[i].GetCount() > 0)
        {
            result.metrics.push_back(
                {m_lastCounts[i].name, m_rates[i].GetMean(), m_rates[i].GetHalfWidth()});
        }
    }
    m_profile = GetAllProfiles();
    double frames = std::max<double>(1, static_cast<double>(usage.frames));
    double busy = 0;
    std::map<std::string, double> bySymbol;
    for (const auto& row : m_profile)
    {
        if (row.mode != CpuMode::IDLE)
        {
            busy += row.ticks;
            bySymbol[row.symbol] += row.ticks;
        }
    }
    const double TICKS_PER_NS = 1000;
    for (const auto& entry : bySymbol)
    {
        result.profile.push_back(
            {entry.first, entry.second / busy, entry.second / TICKS_PER_NS / frames});
    }
    std::stable_sort(result.profile.begin(),
                     result.profile.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    for (const auto& line : GetLines())
    {
        if (line.transfers > 0)
        {
            result.lines.push_back({line.name,
                                    static_cast<double>(line.transfers) / frames,
                                    static_cast<double>(line.busy) / usage.elapsed});
        }
    }
    m_timeline = m_engine->GetTimeline();
    CpuId first = m_machine->GetNCpus();
    for (const auto& host : m_others)
    {
        // CPUs are counted on.
        for (auto slice : host.engine->GetTimeline())
        {
            slice.cpu += first;
            slice.symbol = host.name + ": " + slice.symbol;
            m_timeline.push_back(slice);
        }
        first += host.engine->GetMachine()->GetNCpus();
    }
    std::stable_sort(m_timeline.begin(), m_timeline.end(), [](const auto& a, const auto& b) {
        return a.from < b.from;
    });
    result.figures = m_machine->GetFigures();
    Complete(result);
    m_engine->Dispose();
    m_engine = nullptr;
    for (const auto& host : m_others)
    {
        host.engine->Dispose();
    }
    m_others.clear();
    Simulator::Destroy();
    return result;
}

} // namespace linuxhost
} // namespace ns3
