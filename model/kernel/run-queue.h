/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

#include "idle-governor.h"
#include "kernel-lock.h"
#include "kernel-path.h"
#include "store-barrier.h"

#include <deque>
#include <functional>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The scheduler's side of one CPU (struct rq), and the idle task of that CPU: the lock, the queue
 * of runnable tasks, the list of tasks that other CPUs have woken, and the flags word that the idle
 * CPU watches. As Linux 3.15 has them.
 *
 * The CPU has one task of its own, pinned: when that one sleeps, the CPU is idle.
 */
class RunQueue : public SimpleRefCount<RunQueue>
{
  public:
    /// What happened, counted.
    struct Counts
    {
        uint64_t sleeps;               //!< times the CPU went idle
        uint64_t ipis;                 //!< reschedule interrupts sent to it
        std::vector<uint64_t> byState; //!< sleeps in each of the governor's states
    };

    /**
     * @param cpu the CPU
     * @param lockKind kind of spin lock
     * @param governor chooses its idle states
     */
    RunQueue(CpuId cpu, const std::string& lockKind, Ptr<IdleGovernor> governor);

    /// @returns the CPU
    CpuId GetCpu() const;
    /// @returns the lock
    Ptr<KernelLock> GetLock() const;
    /// @returns the queue of runnable tasks
    const LineField& GetQueue() const;
    /// @returns the clock and the current task
    const LineField& GetClock() const;
    /// @returns what happened
    const Counts& GetCounts() const;
    /// @returns what chooses its idle states
    Ptr<const IdleGovernor> GetGovernor() const;

    /**
     * Lock it.
     * @param path the path of who locks it
     * @param note kernel function
     */
    void RecordLock(KernelPath& path, const std::string& note) const;
    /**
     * Another CPU has put a task onto the queue: `resched_task` of the idle task. An interrupt is
     * sent only when the idle CPU does not watch its flags.
     * @param path the other CPU's path
     */
    void RecordReschedule(KernelPath& path);
    /**
     * Another CPU, of another last-level cache, leaves the queuing to this one:
     * `ttwu_queue_remote`. The interrupt is sent in any case.
     * @param path the other CPU's path
     * @param activate what this CPU does then, when the step is played
     */
    void RecordQueueRemote(KernelPath& path, std::function<void()> activate);
    /**
     * The CPU idles until it is to run a task again: from the context switch to the idle task to
     * the one back.
     * @param path the CPU's path
     * @param leave records what the idle task does right after the switch to it
     * @param enqueue records how a task is put onto the queue
     */
    void RecordIdle(KernelPath& path,
                    const std::function<void(KernelPath&)>& leave,
                    const std::function<void(KernelPath&)>& enqueue);

    /// What a spin lock takes beside its atomic operation, in instructions: 34 cycles a pair were
    /// measured (Brouer), of which the atomic operation is 24.
    static constexpr double SPIN_LOCK = 9;
    /// What it takes to save and restore the interrupt flag, in instructions: 37 cycles (Brouer).
    static constexpr double IRQ_SAVE = 34;
    /// Sending an interrupt, in instructions. Pallipadi (LKML, February 2012): it costs the sender
    /// more than a store to the word that an idle CPU watches, by 400 cycles in one socket and by
    /// 200 across. That store fetches the word: 100 and 300 cycles (34 and 103 ns). So it is 500
    /// cycles at either distance; at the 1.1 cycles an instruction of the presets.
    static constexpr double SEND_INTERRUPT = 450;

  private:
    /**
     * Wake the idle CPU.
     * @param moment the other CPU's step
     */
    void Kick(CallMoment& moment);

    CpuId m_cpu;                                //!< CPU
    Ptr<KernelLock> m_lock;                     //!< rq->lock
    Ptr<StoreBarrier> m_barrier;                //!< before locked operations
    LineField m_queue;                          //!< cfs_rq
    LineField m_clock;                          //!< clock, curr
    LineField m_flags;                          //!< flags word of the idle task
    LineField m_wakeList;                       //!< wake_list
    Ptr<IdleGovernor> m_governor;               //!< governor
    bool m_reschedule;                          //!< NEED_RESCHED of the idle task
    bool m_polling;                             //!< the idle CPU watches its flags
    bool m_interrupt;                           //!< a reschedule interrupt is pending
    bool m_idle;                                //!< it waits
    Ticks m_exit;                               //!< how long it takes to leave the idle state
    Ticks m_since;                              //!< since when it waits
    std::deque<std::function<void()>> m_remote; //!< what others left for it to do
    Counts m_counts;                            //!< what happened
};

} // namespace linuxhost
} // namespace ns3

#endif /* RUN_QUEUE_H */
