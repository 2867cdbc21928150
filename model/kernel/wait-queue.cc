/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wait-queue.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

// Instruction counts: see run-queue.cc.

namespace
{

/// MFENCE takes 33 cycles (InstLatx64), a locked operation 24: the rest, in instructions.
const double MFENCE = 8;
const double ADD = 26;           // init_waitqueue_entry, add_wait_queue
const double REMOVE = 18;        // remove_wait_queue
const double PREPARE = 38;       // the entry, prepare_to_wait_exclusive
const double FINISH = 18;        // finish_wait without the lock
const double FINISH_LOCKED = 12; // the rest of it
const double WAKE_UP = 32;       // the caller's arguments, __wake_up
const double WALK = 26;          // __wake_up_common with nobody on the list
const double WAITER = 26;        // one turn of its loop, default_wake_function
const double AUTOREMOVE = 18;    // receiver_wake_function, autoremove_wake_function

} // namespace

WaitEntry::WaitEntry(Ptr<KernelTask> t)
    : task(t),
      line(Create<CacheLine>(t->GetName() + ".wait")),
      exclusive(false),
      queued(false)
{
}

WaitQueue::WaitQueue(const std::string& name, const std::string& lockKind)
    : m_wakeUps(0)
{
    Ptr<CacheLine> line = Create<CacheLine>(name);
    m_head = LineField(line, "task_list");
    m_barrier = Create<StoreBarrier>(line);
    m_lock = KernelLock::Make(lockKind, name + ".lock", line);
}

uint64_t
WaitQueue::GetWakeUps() const
{
    return m_wakeUps;
}

void
WaitQueue::RecordLock(KernelPath& path, const std::string& symbol, double work)
{
    path.Work(symbol, work);
    path.Work("_raw_spin_lock_irqsave", RunQueue::SPIN_LOCK + RunQueue::IRQ_SAVE);
    path.Operate(m_barrier, StoreBarrier::DRAIN, "_raw_spin_lock_irqsave");
    path.Operate(m_lock, KernelLock::LOCK, "_raw_spin_lock_irqsave", symbol);
}

void
WaitQueue::RecordUnlock(KernelPath& path)
{
    path.Operate(m_lock, KernelLock::UNLOCK, "_raw_spin_unlock_irqrestore");
}

void
WaitQueue::Unlink(Ptr<WaitEntry> entry)
{
    entry->queued = false;
    m_queue.erase(std::find(m_queue.begin(), m_queue.end(), PeekPointer(entry)));
}

void
WaitQueue::RecordAdd(KernelPath& path, Ptr<WaitEntry> entry)
{
    const char* const SYMBOL = "add_wait_queue";
    path.Write(entry->line, SYMBOL, "flags, task, function");
    RecordLock(path, SYMBOL, ADD);
    path.Write(m_head, SYMBOL);
    path.Write(entry->line, SYMBOL, "links");
    path.Call(
        [this, entry](CallMoment&) {
            entry->exclusive = false;
            entry->queued = true;
            m_queue.push_front(PeekPointer(entry));
        },
        SYMBOL,
        "first in the list");
    RecordUnlock(path);
}

void
WaitQueue::RecordRemove(KernelPath& path, Ptr<WaitEntry> entry)
{
    const char* const SYMBOL = "remove_wait_queue";
    RecordLock(path, SYMBOL, REMOVE);
    path.Write(m_head, SYMBOL);
    path.Write(entry->line, SYMBOL, "links");
    path.Call([this, entry](CallMoment&) { Unlink(entry); }, SYMBOL);
    RecordUnlock(path);
}

void
WaitQueue::RecordPrepareExclusive(KernelPath& path, Ptr<WaitEntry> entry)
{
    const char* const SYMBOL = "prepare_to_wait_exclusive";
    path.Write(entry->line, SYMBOL, "flags, task, function");
    RecordLock(path, SYMBOL, PREPARE);
    path.Write(m_head, SYMBOL);
    path.Write(entry->line, SYMBOL, "links");
    path.Call(
        [this, entry](CallMoment&) {
            entry->exclusive = true;
            if (!entry->queued)
            {
                entry->queued = true;
                m_queue.push_back(PeekPointer(entry));
            }
        },
        SYMBOL,
        "last in the list, exclusive");
    entry->task->RecordSetState(path, SYMBOL, false, true);
    RecordUnlock(path);
}

void
WaitQueue::RecordFinish(KernelPath& path, Ptr<WaitEntry> entry)
{
    const char* const SYMBOL = "finish_wait";
    int32_t off = path.NewLabel("taken off");
    entry->task->RecordSetState(path, SYMBOL, true, false);
    path.Work(SYMBOL, FINISH);
    path.Read(entry->line, SYMBOL, "list_empty_careful");
    path.Call([entry, off](CallMoment& moment) { moment.jump = entry->queued ? -1 : off; },
              SYMBOL,
              "taken off by who woke it: no lock");
    RecordLock(path, SYMBOL, FINISH_LOCKED);
    path.Write(m_head, SYMBOL);
    path.Write(entry->line, SYMBOL, "links");
    path.Call(
        [this, entry](CallMoment&) {
            if (entry->queued)
            {
                Unlink(entry);
            }
        },
        SYMBOL);
    RecordUnlock(path);
    path.PlaceLabel(off);
}

void
WaitQueue::RecordWakeUp(KernelPath& path,
                        const std::vector<Ptr<WaitEntry>>& waiters,
                        const std::vector<bool>& sharesCache,
                        bool autoremove)
{
    const char* const SYMBOL = "__wake_up_common";
    int32_t walk = path.NewLabel("next waiter");
    int32_t end = path.NewLabel("end of list");
    std::vector<int32_t> labels;
    for (std::size_t i = 0; i < waiters.size(); ++i)
    {
        labels.push_back(path.NewLabel("waiter"));
    }
    // What is still to be looked at of the list, as it was when the walk began: the lock is held.
    auto rest = std::make_shared<std::deque<WaitEntry*>>();
    auto woken = std::make_shared<bool>(false);

    RecordLock(path, "__wake_up", WAKE_UP);
    path.Work(SYMBOL, WALK);
    path.Read(m_head, SYMBOL);
    path.Call(
        [this, rest](CallMoment&) {
            ++m_wakeUps;
            *rest = m_queue;
        },
        SYMBOL,
        "walk the list");
    path.PlaceLabel(walk);
    path.Call(
        [rest, labels, waiters, end](CallMoment& moment) {
            moment.jump = end;
            if (!rest->empty())
            {
                WaitEntry* next = rest->front();
                rest->pop_front();
                for (std::size_t i = 0; i < waiters.size(); ++i)
                {
                    moment.jump = PeekPointer(waiters[i]) == next ? labels[i] : moment.jump;
                }
            }
        },
        SYMBOL,
        "the next waiter, if any");
    for (std::size_t i = 0; i < waiters.size(); ++i)
    {
        Ptr<WaitEntry> entry = waiters[i];
        path.PlaceLabel(labels[i]);
        path.Read(entry->line, SYMBOL, "flags, function, task");
        path.Work(SYMBOL, WAITER);
        entry->task->RecordTryToWakeUp(path, sharesCache[i], woken);
        if (autoremove)
        {
            path.Call([woken, walk](CallMoment& moment) { moment.jump = *woken ? -1 : walk; },
                      "autoremove_wake_function",
                      "not woken: it stays on the list");
            path.Work("autoremove_wake_function", AUTOREMOVE);
            path.Write(m_head, "autoremove_wake_function");
            path.Write(entry->line, "autoremove_wake_function", "links");
            path.Call([this, entry](CallMoment&) { Unlink(entry); }, "autoremove_wake_function");
        }
        path.Call([woken, entry, end](
                      CallMoment& moment) { moment.jump = *woken && entry->exclusive ? end : -1; },
                  SYMBOL,
                  "woken and exclusive: the last one");
        path.Jump(walk);
    }
    path.PlaceLabel(end);
    RecordUnlock(path);
}

void
WaitQueue::RecordHasSleeper(KernelPath& path, int32_t nobody)
{
    const char* const SYMBOL = "sock_def_readable";
    path.Operate(m_barrier, StoreBarrier::BARRIER, SYMBOL, "wq_has_sleeper: full barrier");
    path.Work(SYMBOL, MFENCE);
    path.Read(m_head, SYMBOL, "wq_has_sleeper: no lock");
    path.Call([this, nobody](CallMoment& moment) { moment.jump = m_queue.empty() ? nobody : -1; },
              SYMBOL,
              "nobody waits");
}

} // namespace linuxhost
} // namespace ns3
