/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TICKET_LOCK_H
#define TICKET_LOCK_H

#include "kernel-lock.h"

#include <deque>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The x86 ticket spin lock of 2.6.25 to 4.1: one locked xadd takes a ticket, and every waiter loops
 * on the same word until its ticket comes up. First come, first served; a hand-over invalidates all
 * waiters' copies, and all fetch the line again though only one goes on.
 */
class TicketLock : public KernelLock
{
  public:
    /**
     * @param name the lock's name
     * @param word the line that holds the lock's word
     */
    TicketLock(const std::string& name, Ptr<CacheLine> word);

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    Ptr<CacheLine> m_word;       //!< head and tail
    bool m_held;                 //!< whether somebody has it
    std::deque<CpuId> m_waiters; //!< by ticket
};

} // namespace linuxhost
} // namespace ns3

#endif /* TICKET_LOCK_H */
