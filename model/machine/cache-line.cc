/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cache-line.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

CacheLine::CacheLine(const std::string& name)
    : m_name(name),
      m_machine(nullptr),
      m_costs(),
      m_owner(NO_CPU),
      m_freeAt(0),
      m_sharedFrom(0),
      m_stamp(1),
      m_lastWriter(NO_CPU),
      m_pollersFrom(0),
      m_version(0),
      m_transfers(0),
      m_busy(0)
{
}

void
CacheLine::Reset(const HostMachine* machine)
{
    m_machine = machine;
    m_costs = machine->GetCosts();
    m_owner = NO_CPU;
    m_freeAt = 0;
    m_sharedFrom = 0;
    m_copies.assign(machine->GetNCpus(), Copy{0, 0, 0, 0});
    m_sharers.clear();
    m_pollers.clear();
    m_pollersIn.assign(machine->GetNSockets(), 0);
    m_pollersOn.clear();
    m_stamp = 1;
    m_socketStamp.assign(machine->GetNSockets(), 0);
    m_lastWriter = NO_CPU;
    m_pollersFrom = 0;
    m_version = 0;
    ClearCounters();
}

void
CacheLine::AddSharer(CpuId cpu)
{
    m_sharers.push_back(cpu);
    MarkSocket(cpu);
    m_copies[cpu].validUntil = NEVER;
}

Ticks
CacheLine::InvalidationLatency(CpuId cpu) const
{
    Ticks longest = m_pollers.empty() ? 0 : FarthestPoller(cpu);
    for (CpuId sharer : m_sharers)
    {
        if (sharer != cpu)
        {
            longest = std::max(longest, m_machine->GetLatency(sharer, cpu));
        }
    }
    return longest;
}

Ticks
CacheLine::FarthestPoller(CpuId cpu) const
{
    Ticks longest = 0;
    if (m_machine->HasMatrix())
    {
        for (CpuId poller : m_pollers)
        {
            if (poller != cpu)
            {
                longest = std::max(longest, m_machine->GetLatency(poller, cpu));
            }
        }
        return longest;
    }
    // Three figures: counting is enough. cpu itself, when it polls, is among those on its core.
    uint32_t here = m_pollersIn[m_machine->GetSocket(cpu)];
    uint32_t onCore = m_pollersOn[m_machine->GetCore(cpu)];
    return here < m_pollers.size() ? m_machine->GetCrossLatency()
           : onCore < here         ? m_machine->GetSocketLatency()
           : onCore > 0            ? m_machine->GetSiblingLatency()
                                   : 0;
}

Ticks
CacheLine::NearestPoller(CpuId cpu) const
{
    if (m_machine->HasMatrix())
    {
        Ticks nearest = NEVER;
        uint32_t core = m_machine->GetCore(cpu);
        for (CpuId poller : m_pollers)
        {
            if (m_machine->GetCore(poller) != core)
            {
                nearest = std::min(nearest, m_machine->GetLatency(cpu, poller));
            }
        }
        return nearest;
    }
    uint32_t here = m_pollersIn[m_machine->GetSocket(cpu)];
    uint32_t onCore = m_pollersOn[m_machine->GetCore(cpu)];
    return onCore < here             ? m_machine->GetSocketLatency()
           : here < m_pollers.size() ? m_machine->GetCrossLatency()
                                     : NEVER;
}

Ticks
CacheLine::Own(CpuId cpu, Ticks now, Ticks hit)
{
    Copy& mine = m_copies[cpu];
    ++m_version;
    if (now < mine.exclusiveUntil)
    {
        // A store may have asked for the line that is still on its way.
        Ticks done = std::max(now, mine.from) + hit;
        if (!m_pollers.empty() && mine.exclusiveUntil == NEVER)
        {
            PollersRead(cpu, done);
        }
        // Else a request is on its way, and what it fetches holds this write too.
        return done;
    }
    Ticks start = std::max(now, m_freeAt);
    Ticks latency;
    if (m_owner != NO_CPU)
    {
        latency = m_machine->GetLatency(m_owner, cpu);
        Ticks lost = start + Snoop(latency);
        m_copies[m_owner].exclusiveUntil = lost;
        m_copies[m_owner].validUntil = lost;
    }
    else
    {
        latency = InvalidationLatency(cpu);
    }
    for (CpuId sharer : m_sharers)
    {
        m_copies[sharer].validUntil = start + Snoop(latency);
    }
    m_sharers.clear();
    ++m_stamp;
    Ticks done;
    if (latency > 0)
    {
        done = start + latency;
        ++m_transfers;
        m_busy += latency;
    }
    else
    {
        // Nobody else has it: the first touch, or an upgrade of the only copy.
        done = start + hit;
    }
    m_owner = cpu;
    m_freeAt = done;
    mine.from = latency > 0 ? done : start;
    mine.exclusiveUntil = NEVER;
    mine.validUntil = NEVER;
    if (!m_pollers.empty())
    {
        PollersRead(cpu, done);
    }
    return done;
}

Ticks
CacheLine::Read(CpuId cpu, Ticks now)
{
    Copy& mine = m_copies[cpu];
    if (now < mine.validUntil)
    {
        return std::max(now, mine.from) + m_costs.l1Load;
    }
    if (m_owner != NO_CPU)
    {
        Ticks start = std::max(now, m_freeAt);
        Ticks latency = m_machine->GetLoadLatency(m_owner, cpu);
        m_copies[m_owner].exclusiveUntil = start + Snoop(latency);
        AddSharer(m_owner);
        AddSharer(cpu);
        m_owner = NO_CPU;
        m_freeAt = start + latency;
        m_sharedFrom = m_freeAt;
        ++m_transfers;
        m_busy += latency;
        return m_freeAt;
    }
    if (m_sharers.empty() && m_pollers.empty())
    {
        AddSharer(cpu);
        return now + m_costs.l1Load;
    }
    bool near = m_socketStamp[m_machine->GetSocket(cpu)] == m_stamp;
    Ticks latency = near ? m_costs.sharedSocket : m_costs.sharedCross;
    Ticks start = std::max(now, m_costs.serialSharedReads ? m_freeAt : m_sharedFrom);
    if (m_costs.serialSharedReads)
    {
        m_freeAt = start + m_costs.sharedService;
        m_busy += m_costs.sharedService;
    }
    AddSharer(cpu);
    return start + latency;
}

void
CacheLine::AddPoller(CpuId cpu)
{
    m_copies[cpu].place = static_cast<uint32_t>(m_pollers.size());
    m_pollers.push_back(cpu);
    uint32_t socket = m_machine->GetSocket(cpu);
    ++m_pollersIn[socket];
    if (m_pollersOn.empty())
    {
        m_pollersOn.assign(m_machine->GetNCpus(), 0);
    }
    ++m_pollersOn[m_machine->GetCore(cpu)];
    MarkSocket(cpu);
}

void
CacheLine::RemovePoller(CpuId cpu)
{
    uint32_t place = m_copies[cpu].place;
    if (place >= m_pollers.size() || m_pollers[place] != cpu)
    {
        return;
    }
    m_pollers[place] = m_pollers.back();
    m_copies[m_pollers[place]].place = place;
    m_pollers.pop_back();
    --m_pollersIn[m_machine->GetSocket(cpu)];
    --m_pollersOn[m_machine->GetCore(cpu)];
    if (m_copies[cpu].validUntil != NEVER)
    {
        AddSharer(cpu);
    }
}

void
CacheLine::PollersRead(CpuId cpu, Ticks done)
{
    // The nearest poller on another core is the first to get the new value; a sibling thread
    // looks into the same L1 and needs no transfer.
    m_lastWriter = cpu;
    m_pollersFrom = done;
    Ticks first = NearestPoller(cpu);
    if (first == NEVER)
    {
        m_sharedFrom = done;
        return;
    }
    m_copies[cpu].exclusiveUntil = done + Snoop(first);
    AddSharer(cpu);
    m_owner = NO_CPU;
    for (std::size_t socket = 0; socket < m_pollersIn.size(); ++socket)
    {
        if (m_pollersIn[socket] > 0)
        {
            m_socketStamp[socket] = m_stamp;
        }
    }
    ++m_transfers;
    m_sharedFrom = done + first;
    m_freeAt = m_sharedFrom;
    if (m_costs.serialSharedReads)
    {
        m_freeAt =
            std::max(m_freeAt, done + static_cast<Ticks>(GetNPollers()) * m_costs.sharedService);
    }
    m_busy += m_freeAt - done;
}

Ticks
CacheLine::PollerSees(CpuId cpu, double draw) const
{
    if (m_lastWriter == NO_CPU)
    {
        return m_freeAt;
    }
    Ticks direct = m_pollersFrom + m_machine->GetLatency(m_lastWriter, cpu);
    if (m_machine->GetCore(m_lastWriter) == m_machine->GetCore(cpu))
    {
        return direct;
    }
    if (m_costs.serialSharedReads)
    {
        uint32_t waiting = std::max<uint32_t>(1, GetNPollers());
        uint32_t place = std::min(waiting - 1, static_cast<uint32_t>(draw * waiting));
        return std::max(direct, m_pollersFrom + (place + 1) * m_costs.sharedService);
    }
    // Either it is the nearest itself, or it reads the copy that the nearest has fetched, which is
    // in the writer's socket when somebody polls there.
    bool fetchedNear = m_sharedFrom - m_pollersFrom < m_machine->GetCrossLatency();
    bool near = m_machine->GetSocket(m_lastWriter) == m_machine->GetSocket(cpu);
    Ticks fetched =
        m_sharedFrom + (near || !fetchedNear ? m_costs.sharedSocket : m_costs.sharedCross);
    return std::min(direct, std::max(fetched, m_pollersFrom));
}

} // namespace linuxhost
} // namespace ns3
