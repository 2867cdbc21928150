/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "on-cpu-flag.h"

#include "cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

OnCpuFlag::OnCpuFlag(const std::string& name, Ptr<CacheLine> line)
    : KernelPrimitive(name),
      m_line(line),
      m_set(true)
{
}

std::string
OnCpuFlag::GetKind() const
{
    return "flag";
}

std::string
OnCpuFlag::GetOperationName(uint32_t operation) const
{
    static const char* const NAMES[] = {"set", "clear", "wait for"};
    return NAMES[operation];
}

std::vector<Ptr<CacheLine>>
OnCpuFlag::GetLines() const
{
    return {m_line};
}

void
OnCpuFlag::Reset(uint32_t)
{
    // Each task starts on its CPU.
    m_set = true;
    m_waiters.clear();
}

void
OnCpuFlag::SetListener(std::function<void(Ticks)> listener)
{
    m_listener = listener;
}

StepOutcome
OnCpuFlag::Step(uint32_t operation, StepMoment& moment)
{
    if (operation == WAIT)
    {
        Ticks done = moment.Load(*m_line);
        if (!m_set)
        {
            return StepOutcome::Done(done);
        }
        m_waiters.push_back(moment.cpu);
        m_line->AddPoller(moment.cpu);
        return StepOutcome::Blocked(done);
    }
    Ticks done = moment.Store(*m_line);
    m_set = operation == SET;
    if (m_set && m_listener)
    {
        m_listener(moment.now);
    }
    if (!m_set)
    {
        std::vector<CpuId> waiters;
        waiters.swap(m_waiters);
        for (CpuId waiter : waiters)
        {
            Ticks seen = m_line->PollerSees(waiter, moment.engine.Draw());
            m_line->RemovePoller(waiter);
            moment.engine.Resume(waiter, seen);
        }
    }
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
