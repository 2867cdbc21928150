/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sequence-lock.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

SequenceLock::SequenceLock(const std::string& name, Ptr<CacheLine> word)
    : KernelPrimitive(name),
      m_word(word),
      m_writing(false),
      m_writes(0)
{
}

std::string
SequenceLock::GetKind() const
{
    return "seqlock";
}

std::string
SequenceLock::GetOperationName(uint32_t operation) const
{
    static const char* const NAMES[] = {"read section of", "write_seqlock", "write_sequnlock"};
    return NAMES[operation];
}

std::vector<Ptr<CacheLine>>
SequenceLock::GetLines() const
{
    return {m_word};
}

void
SequenceLock::Reset(uint32_t)
{
    m_writing = false;
    m_writes = 0;
    m_writers.clear();
    m_readers.clear();
}

StepOutcome
SequenceLock::Step(uint32_t operation, StepMoment& moment)
{
    if (operation == READ_SECTION)
    {
        Ticks done = moment.Load(*m_word);
        if (moment.stage == BEGIN)
        {
            if (m_writing)
            {
                m_readers.push_back(moment.cpu);
                m_word->AddPoller(moment.cpu);
                return StepOutcome::Blocked(done);
            }
            moment.scratch = m_writes;
            moment.stage = RETRY;
            return StepOutcome::Again(done + moment.argument);
        }
        if (moment.scratch != m_writes)
        {
            moment.stage = BEGIN;
            return StepOutcome::Again(done);
        }
        return StepOutcome::Done(done);
    }
    if (operation == WRITE_LOCK)
    {
        Ticks done = moment.Rmw(*m_word);
        if (m_writing)
        {
            m_writers.push_back(moment.cpu);
            m_word->AddPoller(moment.cpu);
            return StepOutcome::Blocked(done);
        }
        m_writing = true;
        ++m_writes;
        return StepOutcome::Done(done);
    }
    Ticks done = moment.Store(*m_word);
    ++m_writes;
    m_writing = false;
    if (!m_writers.empty())
    {
        CpuId next = m_writers.front();
        m_writers.pop_front();
        m_writing = true;
        Ticks seen = m_word->PollerSees(next, moment.engine.Draw());
        m_word->RemovePoller(next);
        moment.engine.Resume(next, seen);
        return StepOutcome::Done(done);
    }
    std::vector<CpuId> readers;
    readers.swap(m_readers);
    for (CpuId reader : readers)
    {
        moment.engine.Resume(reader, m_word->PollerSees(reader, moment.engine.Draw()), true);
    }
    for (CpuId reader : readers)
    {
        m_word->RemovePoller(reader);
    }
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
