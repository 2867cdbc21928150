/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include "on-cpu-flag.h"
#include "run-queue.h"

#include <memory>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A task that can sleep and be woken (struct task_struct): pinned to one CPU, without preemption.
 *
 * Its state and its on_cpu flag are near the start, the scheduler's entity and pi_lock each
 * elsewhere. As Linux 3.15 has it.
 */
class KernelTask : public SimpleRefCount<KernelTask>
{
  public:
    /// What happened to its wakeups, counted.
    struct Counts
    {
        uint64_t tries;   //!< calls of try_to_wake_up
        uint64_t woken;   //!< that found it asleep
        uint64_t running; //!< that found it about to sleep, but still running
        uint64_t resumed; //!< of those that found it asleep: it runs again
        Ticks delay;      //!< from the decision to wake it to its first step, those together
    };

    /**
     * @param name its name
     * @param lockKind kind of spin lock
     * @param runQueue of the CPU that it is pinned to
     */
    KernelTask(const std::string& name, const std::string& lockKind, Ptr<RunQueue> runQueue);

    /// @returns its name
    const std::string& GetName() const;
    /// @returns its run queue
    Ptr<RunQueue> GetRunQueue() const;
    /// @returns what happened to its wakeups
    const Counts& GetCounts() const;

    /**
     * The task says that it is about to sleep (TASK_INTERRUPTIBLE), or that it is not.
     * @param path its path
     * @param symbol kernel symbol
     * @param running whether it is not
     * @param barrier whether a full barrier follows the store (set_current_state)
     */
    void RecordSetState(KernelPath& path, const std::string& symbol, bool running, bool barrier);
    /**
     * The task gives its CPU up: `schedule()`. It goes on at once when it has been woken meanwhile;
     * else the CPU idles until it is.
     * @param path its path
     */
    void RecordSchedule(KernelPath& path);
    /**
     * Another CPU wakes the task: `try_to_wake_up`. What it does depends on what it finds: a task
     * that is awake, one that is about to sleep, or one that sleeps; and then on whether the two
     * CPUs share their last-level cache.
     * @param path the other CPU's path
     * @param sharesCache whether they do
     * @param woken set to whether this call has changed the task's state
     */
    void RecordTryToWakeUp(KernelPath& path, bool sharesCache, std::shared_ptr<bool> woken);

  private:
    /**
     * Put the task onto its run queue: `ttwu_do_activate`, with the queue's lock held.
     * @param path the path of the CPU that does it
     */
    void RecordActivate(KernelPath& path) const;

    std::string m_name;       //!< name
    Ptr<RunQueue> m_runQueue; //!< run queue
    LineField m_stateField;   //!< state, on_rq
    Ptr<OnCpuFlag> m_onCpu;   //!< on_cpu, same line
    LineField m_entity;       //!< se
    Ptr<KernelLock> m_piLock; //!< pi_lock
    bool m_running;           //!< not TASK_INTERRUPTIBLE: TASK_RUNNING or TASK_WAKING
    bool m_onRq;              //!< on_rq
    Ticks m_wokenAt;          //!< when it was last found asleep
    Counts m_counts;          //!< what happened
};

} // namespace linuxhost
} // namespace ns3

#endif /* KERNEL_TASK_H */
