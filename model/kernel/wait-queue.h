/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WAIT_QUEUE_H
#define WAIT_QUEUE_H

#include "kernel-task.h"
#include "store-barrier.h"

#include <deque>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A task's place on a wait queue (wait_queue_t), on the task's kernel stack.
 */
class WaitEntry : public SimpleRefCount<WaitEntry>
{
  public:
    /// @param task the task that waits
    explicit WaitEntry(Ptr<KernelTask> task);

    Ptr<KernelTask> task; //!< the task
    LineField line;       //!< the entry
    bool exclusive;       //!< a wakeup ends with it (WQ_FLAG_EXCLUSIVE)
    bool queued;          //!< it is on the queue
};

/**
 * @ingroup linux-host
 * A wait queue (wait_queue_head_t): a list of tasks, and its lock, on a line of its own.
 *
 * A task that waits in the open-coded way is on it from add_wait_queue to remove_wait_queue, and
 * every wakeup finds it there. One that waits with prepare_to_wait_exclusive is taken off by the
 * one who wakes it.
 */
class WaitQueue : public SimpleRefCount<WaitQueue>
{
  public:
    /**
     * @param name its name
     * @param lockKind kind of spin lock
     */
    WaitQueue(const std::string& name, const std::string& lockKind);

    /// @returns wakeups so far
    uint64_t GetWakeUps() const;

    /**
     * `add_wait_queue`: first in the list, not exclusive.
     * @param path the task's path
     * @param entry its entry
     */
    void RecordAdd(KernelPath& path, Ptr<WaitEntry> entry);
    /**
     * `remove_wait_queue`
     * @param path the task's path
     * @param entry its entry
     */
    void RecordRemove(KernelPath& path, Ptr<WaitEntry> entry);
    /**
     * `prepare_to_wait_exclusive`: last in the list, exclusive; the task is about to sleep.
     * @param path the task's path
     * @param entry its entry
     */
    void RecordPrepareExclusive(KernelPath& path, Ptr<WaitEntry> entry);
    /**
     * `finish_wait`: without the lock when the entry has been taken off.
     * @param path the task's path
     * @param entry its entry
     */
    void RecordFinish(KernelPath& path, Ptr<WaitEntry> entry);
    /**
     * `__wake_up`: the lock is taken even when nobody waits.
     * @param path the path of who wakes
     * @param waiters all entries that can ever be on the queue
     * @param sharesCache of each, whether its CPU shares the last-level cache of who wakes
     * @param autoremove whether who is woken is taken off the list
     */
    void RecordWakeUp(KernelPath& path,
                      const std::vector<Ptr<WaitEntry>>& waiters,
                      const std::vector<bool>& sharesCache,
                      bool autoremove);
    /**
     * `wq_has_sleeper`: a full barrier, and a look at the list without the lock.
     * @param path the path of who wakes
     * @param nobody a label, to go on at when nobody waits
     */
    void RecordHasSleeper(KernelPath& path, int32_t nobody);

  private:
    /**
     * @param path a path
     * @param symbol kernel symbol
     * @param work its own work, in instructions
     */
    void RecordLock(KernelPath& path, const std::string& symbol, double work);
    /// @param path a path
    void RecordUnlock(KernelPath& path);
    /// @param entry an entry to take off the list
    void Unlink(Ptr<WaitEntry> entry);

    LineField m_head;               //!< the list's head
    Ptr<KernelLock> m_lock;         //!< the lock, same line
    Ptr<StoreBarrier> m_barrier;    //!< of who looks without the lock, and before locking
    std::deque<WaitEntry*> m_queue; //!< the list
    uint64_t m_wakeUps;             //!< wakeups so far
};

} // namespace linuxhost
} // namespace ns3

#endif /* WAIT_QUEUE_H */
