/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "queued-rwlock.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

QueuedRwlock::QueuedRwlock(const std::string& name, Ptr<CacheLine> word)
    : KernelLock(name),
      m_word(word),
      m_writer(false),
      m_readers(0)
{
}

std::string
QueuedRwlock::GetKind() const
{
    return "qrwlock";
}

std::vector<Ptr<CacheLine>>
QueuedRwlock::GetLines() const
{
    return {m_word};
}

void
QueuedRwlock::Reset(uint32_t)
{
    m_writer = false;
    m_readers = 0;
    m_queue.clear();
}

void
QueuedRwlock::Grant(CpuEngine& engine)
{
    if (m_queue.empty() || m_writer || (!m_queue.front().reader && m_readers > 0))
    {
        return;
    }
    Waiter next = m_queue.front();
    m_queue.pop_front();
    m_writer = !next.reader;
    m_readers += next.reader;
    Ticks seen = m_word->PollerSees(next.cpu, 0);
    m_word->RemovePoller(next.cpu);
    engine.Resume(next.cpu, seen, true);
}

StepOutcome
QueuedRwlock::Step(uint32_t operation, StepMoment& moment)
{
    switch (operation)
    {
    case UNLOCK: {
        Ticks done = moment.Store(*m_word);
        m_writer = false;
        Grant(moment.engine);
        return StepOutcome::Done(done);
    }
    case READ_UNLOCK: {
        Ticks done = moment.Rmw(*m_word);
        --m_readers;
        Grant(moment.engine);
        return StepOutcome::Done(done);
    }
    default: {
        Ticks done = moment.Rmw(*m_word);
        bool reader = operation == READ_LOCK;
        if (moment.stage == GRANTED)
        {
            if (reader)
            {
                // The reader behind it may come in as well.
                Grant(moment.engine);
            }
            return StepOutcome::Done(done);
        }
        if (m_writer || !m_queue.empty() || (!reader && m_readers > 0))
        {
            moment.stage = GRANTED;
            m_queue.push_back({moment.cpu, reader});
            m_word->AddPoller(moment.cpu);
            return StepOutcome::Blocked(done);
        }
        m_writer = !reader;
        m_readers += reader;
        return StepOutcome::Done(done);
    }
    }
}

} // namespace linuxhost
} // namespace ns3
