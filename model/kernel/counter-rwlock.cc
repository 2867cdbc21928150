/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "counter-rwlock.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

CounterRwlock::CounterRwlock(const std::string& name, Ptr<CacheLine> word)
    : KernelLock(name),
      m_word(word),
      m_writer(false),
      m_readers(0)
{
}

std::string
CounterRwlock::GetKind() const
{
    return "rwlock";
}

std::vector<Ptr<CacheLine>>
CounterRwlock::GetLines() const
{
    return {m_word};
}

void
CounterRwlock::Reset(uint32_t)
{
    m_writer = false;
    m_readers = 0;
    m_waiters.clear();
}

StepOutcome
CounterRwlock::Step(uint32_t operation, StepMoment& moment)
{
    Ticks done = moment.Rmw(*m_word);
    if (IsAcquire(operation))
    {
        if (moment.stage == UNDO)
        {
            moment.stage = TRY;
            if (!m_writer && (operation == READ_LOCK || m_readers == 0))
            {
                // It was given back meanwhile: nobody will wake this one.
                return StepOutcome::Again(done);
            }
            m_waiters.push_back(moment.cpu);
            m_word->AddPoller(moment.cpu);
            return StepOutcome::Blocked(done);
        }
        if (m_writer || (operation == LOCK && m_readers > 0))
        {
            moment.stage = UNDO;
            return StepOutcome::Again(done);
        }
        m_writer = operation == LOCK;
        m_readers += operation == READ_LOCK;
        return StepOutcome::Done(done);
    }
    if (operation == UNLOCK)
    {
        m_writer = false;
    }
    else
    {
        --m_readers;
    }
    if (m_readers == 0)
    {
        // All that wait see the counter whole again, and try.
        std::vector<CpuId> waiters;
        waiters.swap(m_waiters);
        for (CpuId waiter : waiters)
        {
            Ticks seen = m_word->PollerSees(waiter, moment.engine.Draw());
            moment.engine.Resume(waiter, seen, true);
        }
        for (CpuId waiter : waiters)
        {
            m_word->RemovePoller(waiter);
        }
    }
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
