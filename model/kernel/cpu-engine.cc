/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cpu-engine.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("CpuEngine");
NS_OBJECT_ENSURE_REGISTERED(CpuEngine);

namespace
{

/// Distributions of work times.
enum Distribution
{
    CONSTANT,
    UNIFORM,
    EXPONENTIAL
};

/// What timer interrupts are charged to.
const char* const TICK_SYMBOL = "smp_apic_timer_interrupt";

/// Shortest round of a path: a path that costs nothing would never let time pass.
const double SHORTEST_ROUND = 100;

/**
 * @param ticks a time in a machine
 * @returns the same in ns-3's time, rounded up to its resolution
 */
Time
TicksToTime(Ticks ticks)
{
    // Time's resolution may be coarser than a picosecond.
    Time down = PicoSeconds(ticks);
    return down.GetPicoSeconds() < ticks ? down + TimeStep(1) : down;
}

} // namespace

TypeId
CpuEngine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::CpuEngine")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddConstructor<CpuEngine>()
            .AddAttribute("WorkDistribution",
                          "How work times are spread around their mean: constant, uniform (over "
                          "the machine's WorkSpread to each side) or exponential.",
                          StringValue("uniform"),
                          MakeStringAccessor(&CpuEngine::m_distribution),
                          MakeStringChecker());
    return tid;
}

CpuEngine::CpuEngine()
    : m_costs(),
      m_spread(0),
      m_draws(UNIFORM),
      m_leaves(0),
      m_now(0),
      m_cleared(0),
      m_running(false),
      m_visible(false),
      m_accesses(0),
      m_stream(-1),
      m_timelineLast(0),
      m_timelineEnough(65536)
{
    NS_LOG_FUNCTION(this);
}

CpuEngine::~CpuEngine()
{
    NS_LOG_FUNCTION(this);
}

void
CpuEngine::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Simulator::Cancel(m_follow);
    m_cpus.clear();
    m_lines.clear();
    m_machine = nullptr;
    Object::DoDispose();
}

void
CpuEngine::SetMachine(Ptr<HostMachine> machine)
{
    NS_LOG_FUNCTION(this << machine);
    NS_ABORT_MSG_IF(m_running, "CpuEngine: the machine is set before Start()");
    m_machine = machine;
    m_machine->Freeze();
    m_costs = m_machine->GetCosts();
    m_spread = m_machine->GetWorkSpread();
    m_cpus.clear();
    m_cpus.resize(m_machine->GetNCpus());
    for (auto& cpu : m_cpus)
    {
        cpu.next = 0;
        cpu.current = nullptr;
        cpu.stage = 0;
        cpu.scratch = 0;
        cpu.storesDone = 0;
        cpu.accounted = 0;
        cpu.stallEnd = 0;
        cpu.spinEnd = 0;
        cpu.irqEnd = 0;
        cpu.nextTick = NEVER;
        cpu.irqTicks = 0;
        cpu.idleTicks = 0;
        cpu.sleeping = false;
        cpu.frames = 0;
    }
}

Ptr<HostMachine>
CpuEngine::GetMachine() const
{
    return m_machine;
}

int64_t
CpuEngine::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    m_stream = stream;
    return 1;
}

void
CpuEngine::AddTask(CpuId cpu, Ptr<KernelPath> path)
{
    NS_LOG_FUNCTION(this << cpu << path->GetName());
    NS_ABORT_MSG_IF(m_running, "CpuEngine: tasks are added before Start()");
    NS_ABORT_MSG_IF(cpu >= m_cpus.size(), "CpuEngine: the machine has no CPU " << cpu);
    NS_ABORT_MSG_IF(m_cpus[cpu].program, "CpuEngine: CPU " << cpu << " has a task already");
    m_cpus[cpu].program = std::make_unique<Program>();
    m_cpus[cpu].program->path = path;
}

double
CpuEngine::GetLocalTicks(const PathStep& step) const
{
    switch (step.kind)
    {
    case PathStep::WORK:
        return static_cast<double>(m_machine->InstructionsToTicks(step.amount));
    case PathStep::DELAY:
        return step.amount * 1000;
    case PathStep::COPY:
        return static_cast<double>(m_machine->CopyTicks(step.amount));
    case PathStep::CHECKSUM:
        return static_cast<double>(m_machine->ChecksumTicks(step.amount));
    case PathStep::READ:
        return static_cast<double>(m_costs.l1Load);
    case PathStep::WRITE:
        return static_cast<double>(m_costs.l1Store);
    case PathStep::RMW:
        return static_cast<double>(m_costs.l1Rmw);
    default:
        return 0;
    }
}

void
CpuEngine::Start()
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(!m_machine, "CpuEngine: no machine");
    NS_ABORT_MSG_IF(m_running, "CpuEngine: started already");
    m_running = true;
    m_started = Simulator::Now();
    if (m_distribution == "constant")
    {
        m_draws = CONSTANT;
    }
    else if (m_distribution == "exponential")
    {
        m_draws = EXPONENTIAL;
    }
    else
    {
        NS_ABORT_MSG_IF(m_distribution != "uniform",
                        "CpuEngine: WorkDistribution=" << m_distribution
                                                       << ": constant, uniform or exponential");
        m_draws = UNIFORM;
    }
    Ptr<UniformRandomVariable> seeds = CreateObject<UniformRandomVariable>();
    seeds->SetStream(m_stream);
    m_random.seed(seeds->GetInteger(0, UINT32_MAX - 1));
    // Neighbouring seeds start close to each other.
    const int WARM_UP = 16;
    m_random.discard(WARM_UP);

    // Which lines and primitives do several CPUs touch, and which lines does anybody write?
    struct Touch
    {
        CpuId first;
        bool shared;
        bool written;
        bool primitive;
    };

    std::set<KernelPrimitive*> primitives;
    for (CpuId cpu = 0; cpu < m_cpus.size(); ++cpu)
    {
        if (!m_cpus[cpu].program)
        {
            continue;
        }
        std::set<KernelPrimitive*> mine;
        for (const auto& step : m_cpus[cpu].program->path->GetSteps())
        {
            auto primitive = PeekPointer(step.primitive);
            if (primitive && primitives.insert(primitive).second)
            {
                primitive->Reset(m_machine->GetNCpus());
            }
            if (primitive && mine.insert(primitive).second)
            {
                primitive->AddUser(cpu);
            }
        }
    }
    std::map<CacheLine*, Touch> lines;
    auto touchLine = [&lines](CacheLine* line, CpuId cpu, bool write) {
        auto entry = lines.insert({line, {cpu, false, false, false}}).first;
        entry->second.shared |= entry->second.first != cpu;
        entry->second.written |= write;
        return entry;
    };
    for (CpuId cpu = 0; cpu < m_cpus.size(); ++cpu)
    {
        if (!m_cpus[cpu].program)
        {
            continue;
        }
        for (const auto& step : m_cpus[cpu].program->path->GetSteps())
        {
            if (step.field.line)
            {
                touchLine(PeekPointer(step.field.line), cpu, step.kind != PathStep::READ);
            }
            if (step.primitive)
            {
                for (const auto& line : step.primitive->GetLines())
                {
                    touchLine(PeekPointer(line), cpu, true)->second.primitive = true;
                }
            }
        }
    }
    for (auto& entry : lines)
    {
        // What is known of a line grows with the machine; of one that stays where it is, nothing
        // is asked.
        if (entry.second.primitive || (entry.second.shared && entry.second.written))
        {
            entry.first->Reset(PeekPointer(m_machine));
        }
    }
    std::set<CacheLine*> moving;
    std::set<KernelPrimitive*> contended;
    for (auto& primitive : primitives)
    {
        // What counts is who touches its lines: a primitive without any is nobody's business.
        bool shared = false;
        for (const auto& line : primitive->GetLines())
        {
            shared = shared || lines.at(PeekPointer(line)).shared;
        }
        if (shared)
        {
            contended.insert(primitive);
        }
    }
    for (auto& entry : lines)
    {
        if (entry.second.shared && entry.second.written)
        {
            moving.insert(entry.first);
            m_lines.emplace_back(entry.first);
        }
    }
    std::sort(m_lines.begin(), m_lines.end(), [](const auto& a, const auto& b) {
        return a->GetName() < b->GetName();
    });

    m_leaves = 1;
    while (m_leaves < m_cpus.size())
    {
        m_leaves *= 2;
    }
    m_keys.assign(m_leaves, NEVER);
    m_tree.resize(2 * m_leaves);
    for (uint32_t i = 0; i < m_leaves; ++i)
    {
        m_tree[m_leaves + i] = i;
    }
    for (uint32_t i = m_leaves; i-- > 1;)
    {
        m_tree[i] = m_tree[2 * i];
    }

    for (CpuId id = 0; id < m_cpus.size(); ++id)
    {
        Cpu& cpu = m_cpus[id];
        if (!cpu.program)
        {
            continue;
        }
        Program& program = *cpu.program;
        // Work before the first operation is done at the end of the last one: a round has no
        // beginning.
        Op lead{};
        lead.code = NOTHING;
        program.ops.push_back(lead);
        program.texts.emplace_back();
        std::map<int32_t, uint32_t> labels;
        bool labelled = false;
        bool worked = true;
        Ticks alone = 0;
        auto addOp = [&](const PathStep& step, Code code) -> Op& {
            Op op{};
            op.code = code;
            op.mode = step.mode;
            program.ops.push_back(op);
            program.texts.push_back({step.symbol, {}});
            worked = false;
            return program.ops.back();
        };
        // What follows a call is skipped when it jumps, and waits while it sleeps.
        auto following = [&](const PathStep& step) -> Op& {
            return program.ops.back().code == CALL ? addOp(step, NOTHING) : program.ops.back();
        };
        auto addWork = [&](const PathStep& step, double ticks) {
            if (ticks > 0)
            {
                Op& op = following(step);
                op.mean += ticks;
                program.texts.back().work.push_back({step.mode, step.symbol, ticks});
            }
        };
        for (const auto& step : program.path->GetSteps())
        {
            switch (step.kind)
            {
            case PathStep::READ:
            case PathStep::WRITE:
            case PathStep::RMW: {
                CacheLine* line = PeekPointer(step.field.line);
                const Op& last = program.ops.back();
                // Right after an access the CPU still has the line; but a locked operation waits
                // for the store before it.
                bool again = !worked && last.line == line &&
                             (last.code != READ || step.kind == PathStep::READ) &&
                             (last.code != WRITE || step.kind != PathStep::RMW);
                if (moving.count(line) == 0 || again)
                {
                    addWork(step, GetLocalTicks(step));
                    break;
                }
                addOp(step,
                      step.kind == PathStep::READ    ? READ
                      : step.kind == PathStep::WRITE ? WRITE
                                                     : RMW)
                    .line = line;
                break;
            }
            case PathStep::PRIMITIVE: {
                KernelPrimitive* primitive = PeekPointer(step.primitive);
                Ticks argument = m_machine->InstructionsToTicks(step.amount);
                if (contended.count(primitive) > 0)
                {
                    Op& op = addOp(step, PRIMITIVE);
                    op.primitive = primitive;
                    op.operation = step.operation;
                    op.argument = argument;
                    break;
                }
                // Nobody else touches it: what it takes is known now.
                uint32_t stage = 0;
                uint64_t scratch = 0;
                Ticks storesDone = 0;
                // A line takes accesses in order of time only.
                const Ticks begin = alone;
                Ticks now = begin;
                StepOutcome outcome{};
                do
                {
                    StepMoment moment{*this,
                                      id,
                                      now,
                                      storesDone,
                                      m_costs.l1Rmw,
                                      m_costs.l1Store,
                                      m_costs.postedStores,
                                      stage,
                                      scratch,
                                      argument};
                    outcome = primitive->Step(step.operation, moment);
                    now = outcome.at;
                } while (outcome.kind == StepOutcome::AGAIN);
                NS_ABORT_MSG_IF(outcome.kind == StepOutcome::BLOCKED,
                                "CpuEngine: " << step.primitive->GetName()
                                              << " is taken twice in one path");
                addWork(step, static_cast<double>(now - begin));
                alone = now;
                worked = true;
                break;
            }
            case PathStep::CALL: {
                Op& op = addOp(step, CALL);
                op.call = &step.call;
                op.visible = step.visible;
                program.visible |= step.visible;
                break;
            }
            case PathStep::LABEL:
                labels[static_cast<int32_t>(step.amount)] =
                    static_cast<uint32_t>(program.ops.size());
                addOp(step, NOTHING);
                labelled = true;
                break;
            case PathStep::JUMP:
                // Patched below, when all labels are known.
                addOp(step, NOTHING).operation = static_cast<uint32_t>(step.amount) + 1;
                labelled = true;
                break;
            case PathStep::FRAME:
                ++following(step).frames;
                break;
            default:
                addWork(step, GetLocalTicks(step));
                worked = true;
            }
        }
        if (!labelled && program.ops.size() > 1)
        {
            Op first = program.ops.front();
            OpText text = program.texts.front();
            program.ops.erase(program.ops.begin());
            program.texts.erase(program.texts.begin());
            Op& last = program.ops.back();
            if (last.code == CALL)
            {
                program.ops.push_back(first);
                program.texts.push_back(text);
            }
            else
            {
                last.mean += first.mean;
                last.frames += first.frames;
                auto& work = program.texts.back().work;
                work.insert(work.end(), text.work.begin(), text.work.end());
            }
        }
        double round = 0;
        Ticks hits = 0;
        for (uint32_t i = 0; i < program.ops.size(); ++i)
        {
            Op& op = program.ops[i];
            op.next = (i + 1) % program.ops.size();
            if (op.code == NOTHING && op.operation > 0)
            {
                op.next = labels.at(static_cast<int32_t>(op.operation) - 1);
            }
            round += op.mean;
            hits += op.code == READ                          ? m_costs.l1Load
                    : op.code == WRITE                       ? m_costs.l1Store
                    : op.code == RMW || op.code == PRIMITIVE ? m_costs.l1Rmw
                                                             : 0;
        }
        if (round + hits < 1)
        {
            Op& last = program.ops.back();
            round = SHORTEST_ROUND;
            last.mean += round;
            program.texts.back().work.push_back({CpuMode::USER, program.path->GetName(), round});
        }
        if (!labels.empty())
        {
            program.labels.resize(labels.rbegin()->first + 1, 0);
            for (const auto& label : labels)
            {
                program.labels[label.first] = label.second;
            }
        }
        m_visible |= program.visible;
        cpu.next = 0;
        if (m_costs.tickPeriod > 0)
        {
            cpu.nextTick = static_cast<Ticks>(Draw() * m_costs.tickPeriod);
        }
        SetKey(id, static_cast<Ticks>(Draw() * round));
    }
    if (m_visible)
    {
        ScheduleFollow();
    }
}

// The following three are the inner loop, together with Step(); nobody else calls them.

inline void
CpuEngine::SetKey(CpuId cpu, Ticks at)
{
    // Up from the leaf, with the winner so far in hand: each level needs its sibling only.
    Ticks* keys = m_keys.data();
    uint32_t* tree = m_tree.data();
    keys[cpu] = at;
    uint32_t winner = cpu;
    for (uint32_t node = m_leaves + cpu; node > 1; node /= 2)
    {
        uint32_t other = tree[node ^ 1];
        Ticks key = keys[other];
        bool loses = key < at || (key == at && other < winner);
        winner = loses ? other : winner;
        at = loses ? key : at;
        tree[node / 2] = winner;
    }
}

inline void
CpuEngine::Account(CpuId id, Ticks until)
{
    Cpu& cpu = m_cpus[id];
    Ticks from = cpu.accounted;
    if (until <= from)
    {
        return;
    }
    cpu.accounted = until;
    Op* op = cpu.current;
    if (!op)
    {
        cpu.idleTicks += until - from;
        if (m_timelineLast > 0)
        {
            Record(id, TimelineSlice::IDLE, "idle", from, until);
        }
        return;
    }
    if (m_timelineLast == 0 && cpu.irqEnd == cpu.stallEnd && op->code != CALL)
    {
        // An access and the work after it.
        Ticks access = std::max(from, std::min(until, cpu.stallEnd));
        op->stallTicks += access - from;
        op->workTicks += until - access;
        return;
    }
    if (from < cpu.stallEnd)
    {
        Ticks to = std::min(until, cpu.stallEnd);
        op->stallTicks += to - from;
        if (m_timelineLast > 0)
        {
            Record(id, TimelineSlice::LINE, GetText(cpu, op).symbol, from, to);
        }
        from = to;
    }
    if (from < until && from < cpu.spinEnd)
    {
        Ticks to = std::min(until, cpu.spinEnd);
        op->spinTicks += to - from;
        if (m_timelineLast > 0)
        {
            Record(id, TimelineSlice::SPIN, GetText(cpu, op).symbol, from, to);
        }
        from = to;
    }
    if (from < until && from < cpu.irqEnd)
    {
        Ticks to = std::min(until, cpu.irqEnd);
        cpu.irqTicks += to - from;
        if (m_timelineLast > 0)
        {
            Record(id, TimelineSlice::RUN, TICK_SYMBOL, from, to);
        }
        from = to;
    }
    if (from < until && op->code == CALL)
    {
        // It sleeps since the call is over.
        cpu.idleTicks += until - from;
        if (m_timelineLast > 0)
        {
            Record(id, TimelineSlice::IDLE, "idle", from, until);
        }
    }
    else if (from < until)
    {
        op->workTicks += until - from;
        if (m_timelineLast > 0)
        {
            // The stretch of work is drawn as the functions it consists of, in proportion.
            double total = op->mean;
            double at = static_cast<double>(from);
            for (const auto& part : GetText(cpu, op).work)
            {
                double to = at + (until - from) * part.ticks / total;
                Record(id,
                       TimelineSlice::RUN,
                       part.symbol,
                       static_cast<Ticks>(at),
                       static_cast<Ticks>(to));
                at = to;
            }
        }
    }
}

inline void
CpuEngine::Continue(CpuId id, Ticks at)
{
    Cpu& cpu = m_cpus[id];
    const Op& op = *cpu.current;
    cpu.stallEnd = std::min(cpu.stallEnd == cpu.spinEnd ? at : cpu.stallEnd, at);
    cpu.spinEnd = at;
    cpu.frames += op.frames;
    cpu.next = op.next;
    if (at >= cpu.nextTick)
    {
        // A timer interrupt is taken when the access at hand is over.
        cpu.nextTick += m_costs.tickPeriod;
        at += m_costs.tickWork;
    }
    cpu.irqEnd = at;
    double work = op.mean;
    if (work > 0)
    {
        if (m_draws == UNIFORM)
        {
            work *= 1.0 + m_spread * (2.0 * Draw() - 1.0);
        }
        else if (m_draws == EXPONENTIAL)
        {
            work *= -std::log(1.0 - Draw());
        }
    }
    SetKey(id, at + static_cast<Ticks>(work));
}

void
CpuEngine::RunUntil(Ticks until)
{
    while (true)
    {
        CpuId cpu = m_tree[1];
        Ticks at = m_keys[cpu];
        if (at > until)
        {
            break;
        }
        Step(cpu, at);
    }
    m_now = std::max(m_now, until);
}

void
CpuEngine::Sync()
{
    RunUntil((Simulator::Now() - m_started).GetPicoSeconds());
}

void
CpuEngine::Follow()
{
    Sync();
    ScheduleFollow();
}

void
CpuEngine::ScheduleFollow()
{
    Ticks next = m_keys[m_tree[1]];
    if (next == NEVER)
    {
        return;
    }
    // A call may have woken a task meanwhile, which schedules a visit as well.
    Simulator::Cancel(m_follow);
    Time at = m_started + TicksToTime(next);
    m_follow =
        Simulator::Schedule(std::max(Time(0), at - Simulator::Now()), &CpuEngine::Follow, this);
}

Ticks
CpuEngine::GetNow() const
{
    return m_now;
}

void
CpuEngine::Step(CpuId id, Ticks now)
{
    Cpu& cpu = m_cpus[id];
    Account(id, now);
    m_now = now;
    Op& op = cpu.program->ops[cpu.next];
    cpu.current = &op;
    cpu.stallEnd = now;
    cpu.spinEnd = now;
    cpu.irqEnd = now;
    Ticks done = now;
    switch (op.code)
    {
    case RMW:
        ++m_accesses;
        done = std::max(op.line->Rmw(id, now), cpu.storesDone + m_costs.l1Rmw);
        break;
    case READ:
        ++m_accesses;
        done = op.line->Read(id, now);
        break;
    case WRITE:
        ++m_accesses;
        done = op.line->Write(id, now);
        if (m_costs.postedStores)
        {
            cpu.storesDone = std::max(cpu.storesDone, done);
            done = now + m_costs.l1Store;
        }
        break;
    case PRIMITIVE: {
        ++m_accesses;
        StepMoment moment{*this,
                          id,
                          now,
                          cpu.storesDone,
                          m_costs.l1Rmw,
                          m_costs.l1Store,
                          m_costs.postedStores,
                          cpu.stage,
                          cpu.scratch,
                          op.argument};
        StepOutcome outcome = op.primitive->Step(op.operation, moment);
        done = outcome.at;
        if (outcome.kind != StepOutcome::DONE)
        {
            // Until it is called again, or for as long as nobody resumes it.
            Ticks end = outcome.kind == StepOutcome::AGAIN ? done : NEVER;
            cpu.stallEnd = done;
            cpu.spinEnd = end;
            cpu.irqEnd = end;
            SetKey(id, end);
            return;
        }
        cpu.stage = 0;
        break;
    }
    case CALL: {
        CallMoment moment{*this, id, now, -1, 0, false};
        (*op.call)(moment);
        done = now + moment.work;
        cpu.stallEnd = done;
        cpu.spinEnd = done;
        cpu.frames += op.frames;
        cpu.next = moment.jump >= 0 ? cpu.program->labels[moment.jump] : op.next;
        cpu.irqEnd = done;
        cpu.sleeping = moment.sleep;
        SetKey(id, moment.sleep ? NEVER : done);
        return;
    }
    case NOTHING:
        break;
    }
    Continue(id, done);
}

void
CpuEngine::Resume(CpuId cpu, Ticks at, bool again)
{
    Cpu& waiter = m_cpus[cpu];
    NS_ASSERT_MSG(waiter.spinEnd == NEVER, "CPU " << cpu << " does not spin");
    // What it sees may be older than the step that lets it go on.
    at = std::max({at, waiter.stallEnd, m_now});
    waiter.spinEnd = at;
    if (again)
    {
        SetKey(cpu, at);
        return;
    }
    waiter.stage = 0;
    Continue(cpu, at);
}

void
CpuEngine::Wake(CpuId cpu, Ticks at)
{
    Cpu& sleeper = m_cpus[cpu];
    if (!sleeper.sleeping)
    {
        return;
    }
    sleeper.sleeping = false;
    at = std::max({at, m_now, sleeper.stallEnd});
    SetKey(cpu, at);
    if (sleeper.nextTick < at)
    {
        // No timer interrupts while the CPU was idle.
        sleeper.nextTick += ((at - sleeper.nextTick) / m_costs.tickPeriod + 1) * m_costs.tickPeriod;
    }
    if (m_visible)
    {
        ScheduleFollow();
    }
}

void
CpuEngine::Record(CpuId cpu,
                  TimelineSlice::Kind kind,
                  const std::string& symbol,
                  Ticks from,
                  Ticks to)
{
    if (m_timeline.size() >= m_timelineEnough)
    {
        Ticks oldest = to - m_timelineLast;
        m_timeline.erase(std::remove_if(m_timeline.begin(),
                                        m_timeline.end(),
                                        [oldest](const auto& s) { return s.to < oldest; }),
                         m_timeline.end());
        m_timelineEnough = std::max(m_timelineEnough, 2 * m_timeline.size());
    }
    m_timeline.push_back({cpu, kind, symbol, from, to});
}

void
CpuEngine::AccountAll()
{
    for (CpuId cpu = 0; cpu < m_cpus.size(); ++cpu)
    {
        Account(cpu, m_now);
    }
}

void
CpuEngine::ClearCounters()
{
    AccountAll();
    m_cleared = m_now;
    for (auto& cpu : m_cpus)
    {
        cpu.idleTicks = 0;
        cpu.irqTicks = 0;
        cpu.frames = 0;
        if (cpu.program)
        {
            for (auto& op : cpu.program->ops)
            {
                op.stallTicks = 0;
                op.spinTicks = 0;
                op.workTicks = 0;
            }
        }
    }
    for (auto& line : m_lines)
    {
        line->ClearCounters();
    }
}

CpuUsage
CpuEngine::GetUsage()
{
    AccountAll();
    CpuUsage usage{};
    usage.elapsed = m_now - m_cleared;
    for (const auto& cpu : m_cpus)
    {
        usage.frames += cpu.frames;
        usage.idleByCpu.push_back(cpu.idleTicks);
    }
    auto& modes = usage.modeTicks;
    for (const auto& cpu : m_cpus)
    {
        modes[static_cast<uint32_t>(CpuMode::IDLE)] += static_cast<double>(cpu.idleTicks);
        modes[static_cast<uint32_t>(CpuMode::SYSTEM)] += static_cast<double>(cpu.irqTicks);
        if (!cpu.program)
        {
            continue;
        }
        for (const auto& op : cpu.program->ops)
        {
            modes[static_cast<uint32_t>(op.mode)] += static_cast<double>(op.stallTicks);
            modes[static_cast<uint32_t>(CpuMode::SPIN)] += static_cast<double>(op.spinTicks);
            for (const auto& part : GetText(cpu, &op).work)
            {
                modes[static_cast<uint32_t>(part.mode)] +=
                    static_cast<double>(op.workTicks) * part.ticks / op.mean;
            }
        }
    }
    return usage;
}

std::vector<ProfileRow>
CpuEngine::GetProfile()
{
    AccountAll();
    std::map<std::pair<CpuMode, std::string>, double> profile;
    for (const auto& cpu : m_cpus)
    {
        if (cpu.idleTicks > 0)
        {
            profile[{CpuMode::IDLE, "idle"}] += static_cast<double>(cpu.idleTicks);
        }
        if (cpu.irqTicks > 0)
        {
            profile[{CpuMode::SYSTEM, TICK_SYMBOL}] += static_cast<double>(cpu.irqTicks);
        }
        if (!cpu.program)
        {
            continue;
        }
        for (const auto& op : cpu.program->ops)
        {
            const OpText& text = GetText(cpu, &op);
            if (op.stallTicks > 0)
            {
                profile[{op.mode, text.symbol}] += static_cast<double>(op.stallTicks);
            }
            if (op.spinTicks > 0)
            {
                profile[{CpuMode::SPIN, text.symbol}] += static_cast<double>(op.spinTicks);
            }
            for (const auto& part : text.work)
            {
                profile[{part.mode, part.symbol}] +=
                    static_cast<double>(op.workTicks) * part.ticks / op.mean;
            }
        }
    }
    std::vector<ProfileRow> rows;
    for (const auto& entry : profile)
    {
        rows.push_back({entry.first.first, entry.first.second, entry.second});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.ticks > b.ticks;
    });
    return rows;
}

std::vector<LineRow>
CpuEngine::GetLines()
{
    // Sorted by name: lines of one name are next to each other.
    std::vector<LineRow> rows;
    for (const auto& line : m_lines)
    {
        if (rows.empty() || rows.back().name != line->GetName())
        {
            rows.push_back({line->GetName(), 0, 0});
        }
        rows.back().transfers += line->GetTransfers();
        rows.back().busy += line->GetBusy();
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.busy > b.busy;
    });
    return rows;
}

uint64_t
CpuEngine::GetAccesses() const
{
    return m_accesses;
}

void
CpuEngine::EnableTimeline(Ticks last)
{
    m_timelineLast = last;
}

std::vector<TimelineSlice>
CpuEngine::GetTimeline()
{
    AccountAll();
    Ticks oldest = m_now - m_timelineLast;
    std::vector<TimelineSlice> slices;
    for (const auto& slice : m_timeline)
    {
        if (slice.to > oldest)
        {
            slices.push_back(slice);
            slices.back().from = std::max(slice.from, oldest);
        }
    }
    std::stable_sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) {
        return a.from < b.from;
    });
    return slices;
}

} // namespace linuxhost
} // namespace ns3
