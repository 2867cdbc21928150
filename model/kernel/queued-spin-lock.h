/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QUEUED_SPIN_LOCK_H
#define QUEUED_SPIN_LOCK_H

#include "kernel-lock.h"

#include <deque>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The queued spin lock of Linux 4.2 and later: a byte for the holder, a pending bit for the first
 * waiter, and an MCS queue for the rest, whose head alone looks at the word.
 */
class QueuedSpinLock : public KernelLock
{
  public:
    /**
     * @param name the lock's name
     * @param word the line that holds the lock's word
     */
    QueuedSpinLock(const std::string& name, Ptr<CacheLine> word);

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    void AddUser(CpuId cpu) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    /// Stages of the lock operation.
    enum Stage : uint32_t
    {
        START,        //!< try to take it
        PENDING,      //!< set the pending bit
        TAKE_PENDING, //!< the holder is gone: clear pending, set locked
        QUEUE,        //!< swap the tail
        LINK,         //!< write the predecessor's next pointer
        HEAD,         //!< head of the queue: look at the word
        TAKE,         //!< head of the queue: set locked
        PASS          //!< make the next one head
    };

    Ptr<CacheLine> m_word;               //!< locked byte, pending bit, tail
    std::vector<Ptr<CacheLine>> m_nodes; //!< by CPU: its queue node, if it takes the lock
    bool m_locked;                       //!< held, or as good as
    CpuId m_pending;                     //!< who has the pending bit, or NO_CPU
    bool m_pendingPolls;                 //!< whether it polls the word
    bool m_headPolls;                    //!< whether the queue's head polls the word
    std::deque<CpuId> m_queue;           //!< the queue, head first
    std::vector<bool> m_linked;          //!< by CPU: its predecessor can see it
    CpuId m_awaited;                     //!< a successor that its predecessor waits for, or NO_CPU
};

} // namespace linuxhost
} // namespace ns3

#endif /* QUEUED_SPIN_LOCK_H */
