/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-queue.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

// Instruction counts: Linux 3.15, x86-64, one level of task groups, counted in the source to about
// a third. With the machine's figures they put a switch between two processes on one CPU near the
// 1.3 us that futex ping-pong takes.

namespace
{

const char* const IDLE_LOOP = "cpu_startup_entry";
const double TICKS_PER_NS = 1000;

} // namespace

RunQueue::RunQueue(CpuId cpu, const std::string& lockKind, Ptr<IdleGovernor> governor)
    : m_cpu(cpu),
      m_governor(governor),
      m_reschedule(false),
      m_polling(false),
      m_interrupt(false),
      m_idle(false),
      m_exit(0),
      m_since(0),
      m_counts()
{
    m_counts.byState.resize(governor->GetAll().size());
    std::string name = "rq" + std::to_string(cpu);
    Ptr<CacheLine> line = Create<CacheLine>(name);
    m_lock = KernelLock::Make(lockKind, name + ".lock", line);
    m_barrier = Create<StoreBarrier>(line);
    m_queue = LineField(Create<CacheLine>(name + ".cfs"));
    m_clock = LineField(Create<CacheLine>(name + ".clock"));
    m_flags = LineField(Create<CacheLine>("idle" + std::to_string(cpu) + ".flags"));
    m_wakeList = LineField(Create<CacheLine>(name + ".wake_list"));
}

CpuId
RunQueue::GetCpu() const
{
    return m_cpu;
}

Ptr<KernelLock>
RunQueue::GetLock() const
{
    return m_lock;
}

const LineField&
RunQueue::GetQueue() const
{
    return m_queue;
}

const LineField&
RunQueue::GetClock() const
{
    return m_clock;
}

const RunQueue::Counts&
RunQueue::GetCounts() const
{
    return m_counts;
}

Ptr<const IdleGovernor>
RunQueue::GetGovernor() const
{
    return m_governor;
}

void
RunQueue::RecordLock(KernelPath& path, const std::string& note) const
{
    path.Operate(m_barrier, StoreBarrier::DRAIN, "_raw_spin_lock");
    path.Operate(m_lock, KernelLock::LOCK, "_raw_spin_lock", note);
}

void
RunQueue::Kick(CallMoment& moment)
{
    if (m_idle)
    {
        m_idle = false;
        m_governor->Reflect(moment.now - m_since);
        // Spread as work is: a constant would keep waker and sleeper in step.
        double spread = moment.engine.GetMachine()->GetWorkSpread();
        double exit = m_exit * (1 + spread * (2 * moment.engine.Draw() - 1));
        moment.engine.Wake(m_cpu, moment.now + static_cast<Ticks>(exit));
    }
}

void
RunQueue::RecordReschedule(KernelPath& path)
{
    int32_t done = path.NewLabel("rescheduled");
    path.Work("resched_task", 15);
    path.Operate(m_barrier, StoreBarrier::DRAIN, "resched_task");
    path.Rmw(m_flags, "resched_task", "set NEED_RESCHED");
    path.Call(
        [this, done](CallMoment& moment) {
            m_reschedule = true;
            if (m_polling)
            {
                Kick(moment);
                moment.jump = done;
            }
        },
        "resched_task",
        "an idle CPU that watches the word needs no interrupt");
    path.Work("native_smp_send_reschedule", SEND_INTERRUPT);
    path.Call(
        [this](CallMoment& moment) {
            ++m_counts.ipis;
            m_interrupt = true;
            Kick(moment);
        },
        "native_smp_send_reschedule",
        "the interrupt is on its way");
    path.PlaceLabel(done);
}

void
RunQueue::RecordQueueRemote(KernelPath& path, std::function<void()> activate)
{
    path.Work("ttwu_queue_remote", 25);
    path.Operate(m_barrier, StoreBarrier::DRAIN, "ttwu_queue_remote");
    path.Rmw(m_wakeList, "ttwu_queue_remote", "llist_add");
    path.Work("native_smp_send_reschedule", SEND_INTERRUPT);
    path.Call(
        [this, activate](CallMoment& moment) {
            ++m_counts.ipis;
            m_remote.push_back(activate);
            m_interrupt = true;
            Kick(moment);
        },
        "native_smp_send_reschedule",
        "the interrupt is on its way");
}

void
RunQueue::RecordIdle(KernelPath& path,
                     const std::function<void(KernelPath&)>& leave,
                     const std::function<void(KernelPath&)>& enqueue)
{
    CpuMode mode = path.GetMode();
    int32_t wait = path.NewLabel("idle");
    int32_t watched = path.NewLabel("watched");
    int32_t run = path.NewLabel("run");

    leave(path);
    path.Operate(m_lock, KernelLock::UNLOCK, "_raw_spin_unlock", "finish_lock_switch");
    // What the idle loop does is idle time, as the kernel counts it; schedule() is not.
    path.SetMode(CpuMode::IDLE);
    path.PlaceLabel(wait);
    path.Work(IDLE_LOOP, 500, "tick_nohz_idle_enter, menu_select");
    path.Write(m_flags, IDLE_LOOP, "watch it: TS_POLLING");
    path.Call(
        [this](CallMoment& moment) {
            const std::size_t chosen = m_governor->Choose();
            const IdleState& state = m_governor->GetAll()[chosen];
            m_polling = state.watches;
            if (m_reschedule || m_interrupt)
            {
                return;
            }
            ++m_counts.sleeps;
            ++m_counts.byState[chosen];
            m_exit = static_cast<Ticks>(state.exit * TICKS_PER_NS);
            m_since = moment.now;
            m_idle = true;
            moment.sleep = true;
        },
        "cpuidle_idle_call",
        "mwait, or hlt");
    path.Write(m_flags, IDLE_LOOP, "no longer TS_POLLING");
    path.Call(
        [this, watched](CallMoment& moment) {
            m_polling = false;
            moment.jump = m_interrupt ? -1 : watched;
        },
        IDLE_LOOP,
        "the store was enough, or else there is an interrupt");
    path.SetMode(CpuMode::SYSTEM);
    path.Work("reschedule_interrupt", 350, "irq_enter, acknowledge");
    path.Rmw(m_wakeList, "scheduler_ipi", "llist_del_all");
    path.Call(
        [this, watched](CallMoment& moment) {
            m_interrupt = false;
            moment.jump = m_remote.empty() ? watched : -1;
        },
        "scheduler_ipi",
        "sched_ttwu_pending");
    RecordLock(path, "sched_ttwu_pending");
    enqueue(path);
    path.Call(
        [this](CallMoment&) {
            while (!m_remote.empty())
            {
                m_remote.front()();
                m_remote.pop_front();
            }
            m_reschedule = true;
        },
        "ttwu_do_activate");
    path.Operate(m_lock, KernelLock::UNLOCK, "_raw_spin_unlock", "sched_ttwu_pending");
    path.Work("irq_exit", 120);
    path.SetMode(CpuMode::IDLE);
    path.PlaceLabel(watched);
    path.Work(IDLE_LOOP, 350, "tick_nohz_idle_exit");
    path.Call([this, run](CallMoment& moment) { moment.jump = m_reschedule ? run : -1; },
              IDLE_LOOP,
              "need_resched()");
    path.Jump(wait);
    path.PlaceLabel(run);
    path.SetMode(mode);
    path.Work("schedule", 60);
    RecordLock(path, "schedule");
    path.Work("pick_next_task_fair", 200);
    path.Write(m_queue, "pick_next_task_fair");
    path.Write(m_clock, "context_switch", "curr");
    path.Rmw(m_flags, "schedule", "clear NEED_RESCHED");
    path.Call([this](CallMoment&) { m_reschedule = false; }, "schedule");
    path.Work("context_switch", 130);
}

} // namespace linuxhost
} // namespace ns3
