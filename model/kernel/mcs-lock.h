/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MCS_LOCK_H
#define MCS_LOCK_H

#include "kernel-lock.h"

#include <deque>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The MCS queue lock: a waiter links itself behind the one before it and spins on a line of its
 * own, which its predecessor writes. What a hand-over takes does not depend on how many wait.
 */
class McsLock : public KernelLock
{
  public:
    /**
     * @param name the lock's name
     * @param word the line that holds the lock's word
     */
    McsLock(const std::string& name, Ptr<CacheLine> word);

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    void AddUser(CpuId cpu) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    /// Stages of the two operations.
    enum Stage : uint32_t
    {
        START,  //!< lock: swap the tail; unlock: look for a successor
        LINK,   //!< lock: write the predecessor's next pointer
        HAND_ON //!< unlock: write the successor's flag
    };

    Ptr<CacheLine> m_word;               //!< the tail pointer
    std::vector<Ptr<CacheLine>> m_nodes; //!< by CPU: its queue node, if it takes the lock
    CpuId m_holder;                      //!< who has it, or NO_CPU
    std::deque<CpuId> m_queue;           //!< waiters, in order
    std::vector<bool> m_linked;          //!< by CPU: its predecessor can see it
    CpuId m_awaited;                     //!< a successor that the holder waits for, or NO_CPU
};

} // namespace linuxhost
} // namespace ns3

#endif /* MCS_LOCK_H */
