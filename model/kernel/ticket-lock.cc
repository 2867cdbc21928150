/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ticket-lock.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

TicketLock::TicketLock(const std::string& name, Ptr<CacheLine> word)
    : KernelLock(name),
      m_word(word),
      m_held(false)
{
}

std::string
TicketLock::GetKind() const
{
    return "ticket";
}

std::vector<Ptr<CacheLine>>
TicketLock::GetLines() const
{
    return {m_word};
}

void
TicketLock::Reset(uint32_t)
{
    m_held = false;
    m_waiters.clear();
}

StepOutcome
TicketLock::Step(uint32_t operation, StepMoment& moment)
{
    if (operation == LOCK)
    {
        Ticks done = moment.Rmw(*m_word);
        if (!m_held)
        {
            m_held = true;
            return StepOutcome::Done(done);
        }
        m_waiters.push_back(moment.cpu);
        m_word->AddPoller(moment.cpu);
        return StepOutcome::Blocked(done);
    }
    Ticks done = moment.Store(*m_word);
    if (m_waiters.empty())
    {
        m_held = false;
    }
    else
    {
        CpuId next = m_waiters.front();
        m_waiters.pop_front();
        Ticks seen = m_word->PollerSees(next, moment.engine.Draw());
        m_word->RemovePoller(next);
        moment.engine.Resume(next, seen);
    }
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
