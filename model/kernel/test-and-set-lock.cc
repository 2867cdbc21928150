/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "test-and-set-lock.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

TestAndSetLock::TestAndSetLock(const std::string& name, Ptr<CacheLine> word)
    : KernelLock(name),
      m_word(word),
      m_held(false)
{
}

std::string
TestAndSetLock::GetKind() const
{
    return "tas";
}

std::vector<Ptr<CacheLine>>
TestAndSetLock::GetLines() const
{
    return {m_word};
}

void
TestAndSetLock::Reset(uint32_t)
{
    m_held = false;
    m_waiters.clear();
}

StepOutcome
TestAndSetLock::Step(uint32_t operation, StepMoment& moment)
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
        return StepOutcome::Done(done);
    }
    // The first to see it free wins; of several that see it at once, any.
    std::vector<Ticks> seen;
    std::size_t winner = 0;
    std::size_t ties = 0;
    for (std::size_t i = 0; i < m_waiters.size(); ++i)
    {
        seen.push_back(m_word->PollerSees(m_waiters[i], moment.engine.Draw()));
        if (i == 0 || seen[i] < seen[winner])
        {
            winner = i;
            ties = 1;
        }
        else if (seen[i] == seen[winner] && moment.engine.Draw() * ++ties < 1)
        {
            winner = i;
        }
    }
    CpuId next = m_waiters[winner];
    m_word->RemovePoller(next);
    Ticks taken = m_word->Rmw(next, seen[winner]);
    for (std::size_t i = 0; i < m_waiters.size(); ++i)
    {
        if (i != winner && seen[i] < taken)
        {
            m_word->Rmw(m_waiters[i], seen[i]);
        }
    }
    m_waiters.erase(m_waiters.begin() + winner);
    moment.engine.Resume(next, taken);
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
