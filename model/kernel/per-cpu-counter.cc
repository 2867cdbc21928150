/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "per-cpu-counter.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

PerCpuCounter::PerCpuCounter(const std::string& name, Ptr<CacheLine> sum, uint32_t batch)
    : KernelPrimitive(name),
      m_batch(batch),
      m_sum(sum)
{
}

std::string
PerCpuCounter::GetKind() const
{
    return "percpu-counter";
}

std::string
PerCpuCounter::GetOperationName(uint32_t) const
{
    return "add to";
}

std::vector<Ptr<CacheLine>>
PerCpuCounter::GetLines() const
{
    std::vector<Ptr<CacheLine>> lines = m_local;
    if (m_batch > 0)
    {
        lines.push_back(m_sum);
    }
    return lines;
}

void
PerCpuCounter::Reset(uint32_t cpus)
{
    for (CpuId cpu = static_cast<CpuId>(m_local.size()); cpu < cpus; ++cpu)
    {
        m_local.push_back(Create<CacheLine>(GetName() + ".cpu" + std::to_string(cpu)));
    }
    m_pending.assign(cpus, 0);
}

StepOutcome
PerCpuCounter::Step(uint32_t, StepMoment& moment)
{
    if (m_batch == 0 || ++m_pending[moment.cpu] < m_batch)
    {
        return StepOutcome::Done(moment.Store(*m_local[moment.cpu]));
    }
    // The sum's lock is on its line and held for an addition only: the line is what is contended.
    m_pending[moment.cpu] = 0;
    return StepOutcome::Done(moment.Rmw(*m_sum));
}

} // namespace linuxhost
} // namespace ns3
