/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rcu-read-side.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

RcuReadSide::RcuReadSide(const std::string& name, bool preemptible)
    : KernelPrimitive(name),
      m_preemptible(preemptible)
{
}

std::string
RcuReadSide::GetKind() const
{
    return m_preemptible ? "rcu-preempt" : "rcu";
}

std::string
RcuReadSide::GetOperationName(uint32_t operation) const
{
    return operation == READ_LOCK ? "rcu_read_lock" : "rcu_read_unlock";
}

std::vector<Ptr<CacheLine>>
RcuReadSide::GetLines() const
{
    return m_local;
}

void
RcuReadSide::Reset(uint32_t cpus)
{
    for (CpuId cpu = static_cast<CpuId>(m_local.size()); m_preemptible && cpu < cpus; ++cpu)
    {
        m_local.push_back(Create<CacheLine>(GetName() + ".nesting" + std::to_string(cpu)));
    }
}

StepOutcome
RcuReadSide::Step(uint32_t, StepMoment& moment)
{
    if (!m_preemptible)
    {
        return StepOutcome::Done(moment.now);
    }
    // The counter is read, changed and written.
    Ticks loaded = moment.Load(*m_local[moment.cpu]);
    moment.Store(*m_local[moment.cpu]);
    return StepOutcome::Done(loaded + moment.l1Store);
}

} // namespace linuxhost
} // namespace ns3
