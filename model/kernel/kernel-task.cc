/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kernel-task.h"

namespace ns3
{
namespace linuxhost
{

// Instruction counts: see run-queue.cc.

KernelTask::KernelTask(const std::string& name, const std::string& lockKind, Ptr<RunQueue> runQueue)
    : m_name(name),
      m_runQueue(runQueue),
      m_running(true),
      m_onRq(true),
      m_wokenAt(NEVER),
      m_counts()
{
    Ptr<CacheLine> line = Create<CacheLine>(name + ".task");
    m_stateField = LineField(line, "state");
    m_onCpu = Create<OnCpuFlag>(name + ".on_cpu", line);
    m_onCpu->SetListener([this](Ticks now) {
        if (m_wokenAt != NEVER)
        {
            ++m_counts.resumed;
            m_counts.delay += now - m_wokenAt;
            m_wokenAt = NEVER;
        }
    });
    m_entity = LineField(Create<CacheLine>(name + ".se"));
    m_piLock = KernelLock::Make(lockKind, name + ".pi_lock", Create<CacheLine>(name + ".pi_lock"));
}

const std::string&
KernelTask::GetName() const
{
    return m_name;
}

Ptr<RunQueue>
KernelTask::GetRunQueue() const
{
    return m_runQueue;
}

const KernelTask::Counts&
KernelTask::GetCounts() const
{
    return m_counts;
}

void
KernelTask::RecordSetState(KernelPath& path, const std::string& symbol, bool running, bool barrier)
{
    std::string note = running ? "TASK_RUNNING" : "TASK_INTERRUPTIBLE";
    if (barrier)
    {
        path.Rmw(m_stateField, symbol, note);
    }
    else
    {
        path.Write(m_stateField, symbol, note);
    }
    path.Call([this, running](CallMoment&) { m_running = running; }, symbol, note);
}

void
KernelTask::RecordActivate(KernelPath& path) const
{
    path.Read(m_runQueue->GetClock(), "update_rq_clock");
    path.Write(m_runQueue->GetClock(), "update_rq_clock");
    path.Work("enqueue_task_fair", 330, "update_curr, place_entity");
    path.Write(m_entity, "enqueue_task_fair");
    path.Write(m_runQueue->GetQueue(), "enqueue_task_fair");
    path.Write(m_stateField, "ttwu_do_wakeup", "on_rq, TASK_RUNNING");
}

void
KernelTask::RecordSchedule(KernelPath& path)
{
    int32_t stays = path.NewLabel("stays");
    int32_t runs = path.NewLabel("runs");
    Ptr<KernelLock> lock = m_runQueue->GetLock();
    path.Work("schedule", 60);
    m_runQueue->RecordLock(path, "schedule");
    path.Read(m_runQueue->GetClock(), "schedule");
    path.Write(m_runQueue->GetClock(), "schedule");
    path.Work("schedule", 50, "the run queue's clock");
    path.Read(m_stateField, "schedule");
    path.Call(
        [this, stays](CallMoment& moment) {
            if (m_running)
            {
                moment.jump = stays;
                return;
            }
            m_onRq = false;
        },
        "schedule",
        "has it been woken meanwhile?");
    path.Work("dequeue_task_fair", 330, "deactivate_task");
    path.Write(m_entity, "dequeue_task_fair");
    path.Write(m_runQueue->GetQueue(), "dequeue_task_fair");
    path.Write(m_stateField, "dequeue_task_fair", "on_rq");
    path.Work("pick_next_task", 150, "idle_balance, the idle task");
    path.Write(m_runQueue->GetClock(), "context_switch", "curr");
    path.Work("context_switch", 130);
    m_runQueue->RecordIdle(
        path,
        [this](KernelPath& p) { p.Operate(m_onCpu, OnCpuFlag::CLEAR, "finish_task_switch"); },
        [this](KernelPath& p) { RecordActivate(p); });
    path.Operate(m_onCpu, OnCpuFlag::SET, "finish_task_switch");
    path.Work("finish_task_switch", 60);
    path.Jump(runs);
    path.PlaceLabel(stays);
    path.Work("schedule", 150, "picks the same task");
    path.PlaceLabel(runs);
    path.Operate(lock, KernelLock::UNLOCK, "_raw_spin_unlock", "schedule");
}

void
KernelTask::RecordTryToWakeUp(KernelPath& path, bool sharesCache, std::shared_ptr<bool> woken)
{
    int32_t awake = path.NewLabel("awake");
    int32_t sleeps = path.NewLabel("sleeps");
    int32_t missed = path.NewLabel("missed");
    int32_t changed = path.NewLabel("changed");
    Ptr<KernelLock> lock = m_runQueue->GetLock();

    path.Work("try_to_wake_up", 34);
    path.Work("_raw_spin_lock_irqsave", RunQueue::SPIN_LOCK + RunQueue::IRQ_SAVE);
    path.Operate(m_piLock, KernelLock::LOCK, "_raw_spin_lock_irqsave");
    path.Read(m_stateField, "try_to_wake_up");
    path.Call(
        [this, woken, awake](CallMoment& moment) {
            ++m_counts.tries;
            *woken = !m_running;
            moment.jump = m_running ? awake : -1;
        },
        "try_to_wake_up",
        "TASK_RUNNING: nothing to do");
    path.Work("try_to_wake_up", 20);
    path.Call([this, sleeps](CallMoment& moment) { moment.jump = m_onRq ? -1 : sleeps; },
              "try_to_wake_up",
              "not on_rq: it sleeps");

    // It is about to sleep, and still runs.
    m_runQueue->RecordLock(path, "ttwu_remote");
    path.Call([this, missed](CallMoment& moment) { moment.jump = m_onRq ? -1 : missed; },
              "ttwu_remote",
              "still on_rq?");
    path.Read(m_runQueue->GetClock(), "ttwu_remote");
    path.Write(m_runQueue->GetClock(), "ttwu_remote");
    path.Work("ttwu_remote",
              150 + RunQueue::SPIN_LOCK,
              "the run queue's clock (RDTSC), check_preempt_curr, ttwu_stat");
    path.Write(m_stateField, "ttwu_remote", "TASK_RUNNING");
    path.Call(
        [this](CallMoment&) {
            ++m_counts.running;
            m_running = true;
        },
        "ttwu_remote");
    path.Operate(lock, KernelLock::UNLOCK, "_raw_spin_unlock", "ttwu_remote");
    path.Jump(changed);
    path.PlaceLabel(missed);
    path.Operate(lock, KernelLock::UNLOCK, "_raw_spin_unlock", "ttwu_remote");

    path.PlaceLabel(sleeps);
    path.Operate(m_onCpu, OnCpuFlag::WAIT, "try_to_wake_up");
    path.Write(m_stateField, "try_to_wake_up", "TASK_WAKING");
    path.Call(
        [this](CallMoment& moment) {
            ++m_counts.woken;
            m_wokenAt = moment.now;
            m_running = true;
        },
        "try_to_wake_up",
        "a sleeper is woken; the next one who tries finds it so");
    path.Read(m_runQueue->GetQueue(), "task_waking_fair", "min_vruntime");
    path.Write(m_entity, "task_waking_fair", "vruntime");
    path.Work("select_task_rq", 40, "pinned: where it was");
    auto activate = [this]() { m_onRq = true; };
    if (sharesCache)
    {
        m_runQueue->RecordLock(path, "ttwu_queue");
        RecordActivate(path);
        path.Call([activate](CallMoment&) { activate(); }, "ttwu_do_activate");
        path.Work("check_preempt_curr", 40);
        m_runQueue->RecordReschedule(path);
        path.Operate(lock, KernelLock::UNLOCK, "_raw_spin_unlock", "ttwu_queue");
    }
    else
    {
        m_runQueue->RecordQueueRemote(path, activate);
    }
    path.PlaceLabel(changed);
    path.PlaceLabel(awake);
    path.Operate(m_piLock, KernelLock::UNLOCK, "_raw_spin_unlock_irqrestore");
}

} // namespace linuxhost
} // namespace ns3
