/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lock-scaling.h"

#include "ns3/double.h"
#include "ns3/kernel-lock.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/rcu-read-side.h"
#include "ns3/reference-count.h"
#include "ns3/rw-semaphore.h"
#include "ns3/sequence-lock.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("LockScaling");
NS_OBJECT_ENSURE_REGISTERED(LockScaling);

namespace
{

/// Instructions of an empty loop around what is measured: a decrement and a branch, fused.
const double LOOP = 1;
/// Instructions between the two atomics of down_read and up_read, and back: counted in 5.7.
const double RWSEM_HALF = 14;

} // namespace

TypeId
LockScaling::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::LockScaling")
            .SetParent<PatchScenario>()
            .SetGroupName("LinuxHost")
            .AddConstructor<LockScaling>()
            .AddAttribute("Primitive",
                          "What is taken and given back: lock, atomic, rwlock, refcount, rcu, "
                          "rwsem or seqlock.",
                          StringValue("lock"),
                          MakeStringAccessor(&LockScaling::m_primitive),
                          MakeStringChecker())
            .AddAttribute("Lock",
                          "The kind of spin lock: ticket, tas, mcs or qspinlock.",
                          StringValue("ticket"),
                          MakeStringAccessor(&LockScaling::m_lock),
                          MakeStringChecker())
            .AddAttribute("Refcount",
                          "The kind of reference count: atomic, cmpxchg or percpu.",
                          StringValue("atomic"),
                          MakeStringAccessor(&LockScaling::m_refcount),
                          MakeStringChecker())
            .AddAttribute("Rwlock",
                          "The kind of reader-writer lock: rwlock or qrwlock.",
                          StringValue("qrwlock"),
                          MakeStringAccessor(&LockScaling::m_rwlock),
                          MakeStringChecker())
            .AddAttribute("Cpus",
                          "The number of CPUs.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&LockScaling::m_cpus),
                          MakeUintegerChecker<uint32_t>(1, MAX_CPUS))
            .AddAttribute("SerialCycles",
                          "The work inside the lock, in cycles.",
                          DoubleValue(400),
                          MakeDoubleAccessor(&LockScaling::m_serialCycles),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("SerialFraction",
                          "The share of the serial section in the whole.",
                          DoubleValue(0.02),
                          MakeDoubleAccessor(&LockScaling::m_serialFraction),
                          MakeDoubleChecker<double>(1e-9, 1));
    return tid;
}

LockScaling::LockScaling()
{
    NS_LOG_FUNCTION(this);
}

LockScaling::~LockScaling()
{
    NS_LOG_FUNCTION(this);
}

std::vector<std::string>
LockScaling::GetPrimitives()
{
    return {"lock", "atomic", "rwlock", "refcount", "rcu", "rwsem", "seqlock"};
}

std::string
LockScaling::GetName() const
{
    return "lock-scaling";
}

std::string
LockScaling::GetVariant() const
{
    return m_primitive == "lock" ? m_lock : m_primitive;
}

void
LockScaling::SetDurations()
{
    NS_LOG_FUNCTION(this);
    if (m_primitive != "lock")
    {
        // A read side that touches nothing goes round in a nanosecond.
        bool readSide = m_primitive == "rcu" || m_primitive == "seqlock";
        SetAttribute("Batch", TimeValue(MicroSeconds(readSide ? 1 : 100)));
        return;
    }
    const double ROUNDS = 1e6;
    const double LONGEST = 3.0;
    const double BATCH_ROUNDS = 20;
    const double GIGA = 1e9;
    double round = m_serialCycles / m_serialFraction / m_machine->GetClockGhz() / GIGA;
    SetAttribute("Warmup", TimeValue(Seconds(std::min(LONGEST, ROUNDS * round / m_cpus))));
    SetAttribute("Batch", TimeValue(Seconds(std::max(1e-4, BATCH_ROUNDS * round))));
}

Ptr<KernelPath>
LockScaling::MakePath() const
{
    Ptr<KernelPath> path = Create<KernelPath>("lock-scaling " + GetVariant());
    Ptr<CacheLine> word = Create<CacheLine>("word");
    if (m_primitive == "lock")
    {
        Ptr<KernelLock> lock = KernelLock::Make(m_lock, "lock", word);
        const double PER_GHZ = 1.0 / m_machine->GetClockGhz();
        path->Operate(lock, KernelLock::LOCK, "_raw_spin_lock");
        path->Delay("serial", m_serialCycles * PER_GHZ);
        path->Operate(lock, KernelLock::UNLOCK, "_raw_spin_unlock");
        path->Delay("parallel", m_serialCycles * (1 / m_serialFraction - 1) * PER_GHZ);
    }
    else if (m_primitive == "atomic")
    {
        path->Rmw(LineField(word), "atomic_inc");
    }
    else if (m_primitive == "rwlock")
    {
        Ptr<KernelLock> lock = KernelLock::Make(m_rwlock, "lock", word);
        path->Operate(lock, KernelLock::READ_LOCK, "_raw_read_lock");
        path->Work("loop", LOOP);
        path->Operate(lock, KernelLock::READ_UNLOCK, "_raw_read_unlock");
    }
    else if (m_primitive == "refcount")
    {
        Ptr<ReferenceCount> count = Create<ReferenceCount>(m_refcount, "refcount", word);
        path->Operate(count, ReferenceCount::GET, "refcount_inc");
        path->Work("loop", LOOP);
        path->Operate(count, ReferenceCount::PUT, "refcount_dec");
    }
    else if (m_primitive == "rcu")
    {
        Ptr<RcuReadSide> rcu = Create<RcuReadSide>("rcu", false);
        path->Operate(rcu, RcuReadSide::READ_LOCK, "rcu_read_lock");
        path->Operate(rcu, RcuReadSide::READ_UNLOCK, "rcu_read_unlock");
    }
    else if (m_primitive == "rwsem")
    {
        Ptr<RwSemaphore> semaphore = Create<RwSemaphore>("rwsem", word);
        path->Operate(semaphore, RwSemaphore::DOWN_READ, "down_read");
        path->Work("down_read", RWSEM_HALF);
        path->Operate(semaphore, RwSemaphore::UP_READ, "up_read");
        path->Work("up_read", RWSEM_HALF);
    }
    else
    {
        Ptr<SequenceLock> seqlock = Create<SequenceLock>("seqlock", word);
        path->Operate(seqlock, SequenceLock::READ_SECTION, "read_seqretry", "", LOOP);
    }
    if (m_primitive != "lock")
    {
        path->Work("loop", LOOP);
    }
    path->Frame();
    EditPath(*path);
    return path;
}

Ptr<KernelPath>
LockScaling::GetPath()
{
    return MakePath();
}

void
LockScaling::Build(Ptr<CpuEngine> engine)
{
    Ptr<KernelPath> path = MakePath();
    for (uint32_t cpu = 0; cpu < m_cpus; ++cpu)
    {
        engine->AddTask(cpu, path);
    }
}

void
LockScaling::Complete(ScenarioResult& result)
{
    result.AddText("primitive", m_primitive);
    if (m_primitive == "lock")
    {
        result.AddText("lock", m_lock);
        result.AddNumber("serial_cycles", m_serialCycles);
        result.AddNumber("serial_fraction", m_serialFraction);
    }
    if (m_primitive == "refcount")
    {
        result.AddText("refcount", m_refcount);
    }
    if (m_primitive == "rwlock")
    {
        result.AddText("rwlock", m_rwlock);
    }
    result.AddNumber("cpus", m_cpus);
    double pps = result.metrics.front().value;
    double relative = result.metrics.front().ci95 / pps;
    auto add = [&](const std::string& name, double value) {
        result.metrics.push_back({name, value, value * relative});
    };
    const double GIGA = 1e9;
    add("ns_per_operation_system", GIGA / pps);
    add("ns_per_operation", GIGA / pps * m_cpus);
    if (m_primitive == "lock")
    {
        double alone = m_serialCycles / m_serialFraction / m_machine->GetClockGhz() / GIGA;
        add("speedup", pps * alone);
    }
}

} // namespace linuxhost
} // namespace ns3
