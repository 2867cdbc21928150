/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "queued-spin-lock.h"

#include "cpu-engine.h"

#include <algorithm>
#include <iterator>

namespace ns3
{
namespace linuxhost
{

QueuedSpinLock::QueuedSpinLock(const std::string& name, Ptr<CacheLine> word)
    : KernelLock(name),
      m_word(word),
      m_locked(false),
      m_pending(NO_CPU),
      m_pendingPolls(false),
      m_headPolls(false),
      m_awaited(NO_CPU)
{
}

std::string
QueuedSpinLock::GetKind() const
{
    return "qspinlock";
}

std::vector<Ptr<CacheLine>>
QueuedSpinLock::GetLines() const
{
    std::vector<Ptr<CacheLine>> lines;
    std::copy_if(m_nodes.begin(), m_nodes.end(), std::back_inserter(lines), [](const auto& node) {
        return bool(node);
    });
    lines.push_back(m_word);
    return lines;
}

void
QueuedSpinLock::Reset(uint32_t cpus)
{
    m_nodes.assign(cpus, nullptr);
    m_locked = false;
    m_pending = NO_CPU;
    m_pendingPolls = false;
    m_headPolls = false;
    m_queue.clear();
    m_linked.assign(cpus, false);
    m_awaited = NO_CPU;
}

void
QueuedSpinLock::AddUser(CpuId cpu)
{
    m_nodes[cpu] = Create<CacheLine>(GetName() + ".node" + std::to_string(cpu));
}

StepOutcome
QueuedSpinLock::Step(uint32_t operation, StepMoment& moment)
{
    CpuId cpu = moment.cpu;
    if (operation == UNLOCK)
    {
        Ticks done = moment.Store(*m_word);
        m_locked = false;
        CpuId next = NO_CPU;
        if (m_pending != NO_CPU)
        {
            next = m_pendingPolls ? m_pending : NO_CPU;
            m_pendingPolls = false;
        }
        else if (m_headPolls)
        {
            next = m_queue.front();
            m_headPolls = false;
        }
        if (next != NO_CPU)
        {
            m_locked = true;
            Ticks seen = m_word->PollerSees(next, 0);
            m_word->RemovePoller(next);
            moment.engine.Resume(next, seen, true);
        }
        return StepOutcome::Done(done);
    }
    switch (moment.stage)
    {
    case START: {
        Ticks done = moment.Rmw(*m_word);
        if (m_pending != NO_CPU || !m_queue.empty())
        {
            moment.stage = QUEUE;
            return StepOutcome::Again(done);
        }
        if (m_locked)
        {
            m_pending = cpu;
            moment.stage = PENDING;
            return StepOutcome::Again(done);
        }
        m_locked = true;
        return StepOutcome::Done(done);
    }
    case PENDING: {
        Ticks done = moment.Rmw(*m_word);
        moment.stage = TAKE_PENDING;
        if (!m_locked)
        {
            m_locked = true;
            return StepOutcome::Again(done);
        }
        m_pendingPolls = true;
        m_word->AddPoller(cpu);
        return StepOutcome::Blocked(done);
    }
    case TAKE_PENDING: {
        m_pending = NO_CPU;
        return StepOutcome::Done(moment.Store(*m_word));
    }
    case QUEUE: {
        Ticks done = moment.Rmw(*m_word);
        moment.scratch = m_queue.empty() ? NO_CPU : m_queue.back();
        m_queue.push_back(cpu);
        m_linked[cpu] = false;
        moment.stage = moment.scratch == NO_CPU ? HEAD : LINK;
        return StepOutcome::Again(done);
    }
    case LINK: {
        CpuId before = static_cast<CpuId>(moment.scratch);
        Ticks done = moment.Store(*m_nodes[before]);
        m_linked[cpu] = true;
        m_nodes[cpu]->AddPoller(cpu);
        moment.stage = HEAD;
        if (m_awaited == cpu)
        {
            m_awaited = NO_CPU;
            Ticks seen = m_nodes[before]->PollerSees(before, 0);
            m_nodes[before]->RemovePoller(before);
            moment.engine.Resume(before, seen, true);
        }
        return StepOutcome::Blocked(done);
    }
    case HEAD: {
        Ticks done = moment.Load(*m_word);
        moment.stage = TAKE;
        if (!m_locked && m_pending == NO_CPU)
        {
            m_locked = true;
            return StepOutcome::Again(done);
        }
        m_headPolls = true;
        m_word->AddPoller(cpu);
        return StepOutcome::Blocked(done);
    }
    case TAKE: {
        if (m_queue.size() == 1)
        {
            m_queue.pop_front();
            return StepOutcome::Done(moment.Rmw(*m_word));
        }
        moment.stage = PASS;
        Ticks done = moment.Store(*m_word);
        if (!m_linked[m_queue[1]])
        {
            m_awaited = m_queue[1];
            m_nodes[cpu]->AddPoller(cpu);
            return StepOutcome::Blocked(done);
        }
        return StepOutcome::Again(done);
    }
    default: {
        m_queue.pop_front();
        CpuId next = m_queue.front();
        Ticks done = moment.Store(*m_nodes[next]);
        Ticks seen = m_nodes[next]->PollerSees(next, 0);
        m_nodes[next]->RemovePoller(next);
        moment.engine.Resume(next, seen, true);
        return StepOutcome::Done(done);
    }
    }
}

} // namespace linuxhost
} // namespace ns3
