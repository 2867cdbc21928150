/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mcs-lock.h"

#include "cpu-engine.h"

#include <algorithm>
#include <iterator>

namespace ns3
{
namespace linuxhost
{

McsLock::McsLock(const std::string& name, Ptr<CacheLine> word)
    : KernelLock(name),
      m_word(word),
      m_holder(NO_CPU),
      m_awaited(NO_CPU)
{
}

std::string
McsLock::GetKind() const
{
    return "mcs";
}

std::vector<Ptr<CacheLine>>
McsLock::GetLines() const
{
    std::vector<Ptr<CacheLine>> lines;
    std::copy_if(m_nodes.begin(), m_nodes.end(), std::back_inserter(lines), [](const auto& node) {
        return bool(node);
    });
    lines.push_back(m_word);
    return lines;
}

void
McsLock::Reset(uint32_t cpus)
{
    m_nodes.assign(cpus, nullptr);
    m_holder = NO_CPU;
    m_queue.clear();
    m_linked.assign(cpus, false);
    m_awaited = NO_CPU;
}

void
McsLock::AddUser(CpuId cpu)
{
    m_nodes[cpu] = Create<CacheLine>(GetName() + ".node" + std::to_string(cpu));
}

StepOutcome
McsLock::Step(uint32_t operation, StepMoment& moment)
{
    CpuId cpu = moment.cpu;
    if (operation == LOCK && moment.stage == START)
    {
        Ticks done = moment.Rmw(*m_word);
        if (m_holder == NO_CPU)
        {
            m_holder = cpu;
            return StepOutcome::Done(done);
        }
        moment.scratch = m_queue.empty() ? m_holder : m_queue.back();
        m_queue.push_back(cpu);
        m_linked[cpu] = false;
        moment.stage = LINK;
        return StepOutcome::Again(done);
    }
    if (operation == LOCK)
    {
        CpuId before = static_cast<CpuId>(moment.scratch);
        Ticks done = moment.Store(*m_nodes[before]);
        m_linked[cpu] = true;
        m_nodes[cpu]->AddPoller(cpu);
        if (m_awaited == cpu)
        {
            m_awaited = NO_CPU;
            Ticks seen = m_nodes[before]->PollerSees(before, 0);
            m_nodes[before]->RemovePoller(before);
            moment.engine.Resume(before, seen, true);
        }
        return StepOutcome::Blocked(done);
    }
    if (moment.stage == START)
    {
        if (m_queue.empty())
        {
            m_holder = NO_CPU;
            return StepOutcome::Done(moment.Rmw(*m_word));
        }
        moment.stage = HAND_ON;
        if (m_linked[m_queue.front()])
        {
            return StepOutcome::Again(moment.Load(*m_nodes[cpu]));
        }
        // The successor has swapped the tail but not linked itself yet.
        m_awaited = m_queue.front();
        m_nodes[cpu]->AddPoller(cpu);
        return StepOutcome::Blocked(moment.Rmw(*m_word));
    }
    CpuId next = m_queue.front();
    m_queue.pop_front();
    m_holder = next;
    Ticks done = moment.Store(*m_nodes[next]);
    Ticks seen = m_nodes[next]->PollerSees(next, 0);
    m_nodes[next]->RemovePoller(next);
    moment.engine.Resume(next, seen);
    return StepOutcome::Done(done);
}

} // namespace linuxhost
} // namespace ns3
