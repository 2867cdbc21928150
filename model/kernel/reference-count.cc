/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reference-count.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

/// Stages of a compare-exchange loop.
enum Stage : uint32_t
{
    LOAD,    //!< read the count
    EXCHANGE //!< write it if nobody else has
};

} // namespace

ReferenceCount::ReferenceCount(const std::string& kind,
                               const std::string& name,
                               Ptr<CacheLine> word)
    : KernelPrimitive(name),
      m_kind(kind),
      m_word(word),
      m_changes(0)
{
}

std::vector<std::string>
ReferenceCount::GetKinds()
{
    return {"atomic", "cmpxchg", "inc_not_zero", "percpu"};
}

std::string
ReferenceCount::GetKind() const
{
    return m_kind;
}

std::string
ReferenceCount::GetOperationName(uint32_t operation) const
{
    return operation == GET ? "get" : "put";
}

std::vector<Ptr<CacheLine>>
ReferenceCount::GetLines() const
{
    return m_kind == "percpu" ? m_local : std::vector<Ptr<CacheLine>>{m_word};
}

void
ReferenceCount::Reset(uint32_t cpus)
{
    m_changes = 0;
    if (m_kind == "percpu")
    {
        for (CpuId cpu = static_cast<CpuId>(m_local.size()); cpu < cpus; ++cpu)
        {
            m_local.push_back(Create<CacheLine>(GetName() + ".cpu" + std::to_string(cpu)));
        }
    }
}

StepOutcome
ReferenceCount::Step(uint32_t operation, StepMoment& moment)
{
    if (m_kind == "percpu")
    {
        return StepOutcome::Done(moment.Store(*m_local[moment.cpu]));
    }
    if (m_kind == "atomic")
    {
        return StepOutcome::Done(moment.Rmw(*m_word));
    }
    if (m_kind == "inc_not_zero" && operation == PUT)
    {
        ++m_changes;
        return StepOutcome::Done(moment.Rmw(*m_word));
    }
    if (moment.stage == LOAD)
    {
        Ticks done = moment.Load(*m_word);
        moment.scratch = m_changes;
        moment.stage = EXCHANGE;
        return StepOutcome::Again(done);
    }
    // A failed compare-exchange brings the new value with it: the next try needs no read.
    Ticks done = moment.Rmw(*m_word);
    if (m_changes != moment.scratch)
    {
        moment.scratch = m_changes;
        return StepOutcome::Again(done);
    }
    ++m_changes;
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
