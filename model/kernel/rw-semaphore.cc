/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rw-semaphore.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

RwSemaphore::RwSemaphore(const std::string& name, Ptr<CacheLine> word)
    : KernelPrimitive(name),
      m_word(word)
{
}

std::string
RwSemaphore::GetKind() const
{
    return "rwsem";
}

std::string
RwSemaphore::GetOperationName(uint32_t operation) const
{
    return operation == DOWN_READ ? "down_read" : "up_read";
}

std::vector<Ptr<CacheLine>>
RwSemaphore::GetLines() const
{
    return {m_word};
}

void
RwSemaphore::Reset(uint32_t)
{
}

StepOutcome
RwSemaphore::Step(uint32_t operation, StepMoment& moment)
{
    if (moment.stage == OWNER)
    {
        Ticks loaded = moment.Load(*m_word);
        moment.Store(*m_word);
        return StepOutcome::Done(loaded + moment.l1Store);
    }
    Ticks done = moment.Rmw(*m_word);
    if (operation == DOWN_READ)
    {
        moment.stage = OWNER;
        return StepOutcome::Again(done);
    }
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
