/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-lines.h"

#include "ns3/cpu-engine.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

/// Line fill buffers of an x86 core since Nehalem.
const uint32_t FILL_BUFFERS = 10;

} // namespace

PacketSlots::PacketSlots(uint32_t cpus)
    : m_hands(cpus, Hand{0, NONE}),
      m_next(0)
{
}

PacketSlots::Hand&
PacketSlots::At(CpuId cpu)
{
    return m_hands[cpu];
}

void
PacketSlots::Allocate(CpuId cpu)
{
    m_hands[cpu] = Hand{m_next, NONE};
    m_next = (m_next + 1) % SLOTS;
}

PacketLines::PacketLines(const std::string& name, Ptr<PacketSlots> slots, uint32_t lines)
    : KernelPrimitive(name),
      m_slots(slots),
      m_perPacket(lines),
      m_last(PacketSlots::SLOTS, NO_CPU)
{
    for (uint32_t i = 0; i < PacketSlots::SLOTS * lines; ++i)
    {
        m_lines.push_back(Create<CacheLine>(name));
    }
}

std::string
PacketLines::GetKind() const
{
    return std::to_string(m_perPacket) + (m_perPacket == 1 ? " line" : " lines");
}

std::string
PacketLines::GetOperationName(uint32_t operation) const
{
    static const char* const NAMES[] =
        {"read", "prefetch", "write", "write neighbour's", "prefetch next", "write, from L3"};
    return NAMES[operation];
}

std::vector<Ptr<CacheLine>>
PacketLines::GetLines() const
{
    return m_lines;
}

void
PacketLines::Reset(uint32_t)
{
    m_last.assign(PacketSlots::SLOTS, NO_CPU);
}

StepOutcome
PacketLines::Step(uint32_t operation, StepMoment& moment)
{
    const PacketSlots::Hand& hand = m_slots->At(moment.cpu);
    auto line = [this](uint32_t packet, uint32_t i) -> CacheLine& {
        return *m_lines[packet * m_perPacket + i];
    };
    switch (operation)
    {
    case LOAD: {
        m_last[hand.packet] = moment.cpu;
        Ticks done = moment.now;
        uint32_t end = std::min(m_perPacket, (moment.stage + 1) * FILL_BUFFERS);
        for (uint32_t i = moment.stage * FILL_BUFFERS; i < end; ++i)
        {
            done = std::max(done, moment.Load(line(hand.packet, i)));
        }
        ++moment.stage;
        return end < m_perPacket ? StepOutcome::Again(done) : StepOutcome::Done(done);
    }
    case STORE: {
        Ticks done = moment.now;
        for (uint32_t i = 0; i < m_perPacket; ++i)
        {
            done = std::max(done, moment.Store(line(hand.packet, i)));
        }
        return StepOutcome::Done(done);
    }
    case STORE_NEIGHBOUR:
        return StepOutcome::Done(hand.neighbour == PacketSlots::NONE
                                     ? moment.now + moment.l1Store
                                     : moment.Store(line(hand.neighbour, 0)));
    case LOAD_AHEAD:
        for (uint32_t i = 0; i < m_perPacket; ++i)
        {
            moment.Load(line(hand.packet, i));
        }
        return StepOutcome::Done(moment.now + moment.l1Store);
    case STORE_RECYCLED: {
        CpuId last = m_last[hand.packet];
        m_last[hand.packet] = moment.cpu;
        Ptr<const HostMachine> machine = moment.engine.GetMachine();
        Ticks latency = last == NO_CPU || last == moment.cpu ? moment.l1Store
                        : machine->GetSocket(last) == machine->GetSocket(moment.cpu)
                            ? machine->GetCosts().sharedSocket
                            : machine->GetLoadLatency(last, moment.cpu);
        Ticks done = moment.now + latency;
        for (uint32_t i = 0; i < m_perPacket; ++i)
        {
            // The line moves, but no core's cache has to give it up.
            line(hand.packet, i).Write(moment.cpu, moment.now);
        }
        if (!moment.postedStores)
        {
            return StepOutcome::Done(done);
        }
        moment.storesDone = std::max(moment.storesDone, done);
        return StepOutcome::Done(moment.now + moment.l1Store);
    }
    default:
        moment.Load(line((hand.packet + 1) % PacketSlots::SLOTS, 0));
        return StepOutcome::Done(moment.now + moment.l1Store);
    }
}

SlabPages::SlabPages(const std::string& name, Ptr<PacketSlots> slots)
    : KernelPrimitive(name),
      m_slots(slots)
{
    for (uint32_t i = 0; i < PacketSlots::SLOTS / PacketSlots::SLAB; ++i)
    {
        m_lines.push_back(Create<CacheLine>(name + ".page"));
    }
}

std::string
SlabPages::GetKind() const
{
    return "SLUB";
}

std::string
SlabPages::GetOperationName(uint32_t operation) const
{
    return operation == ALLOCATE ? "allocate from" : "free to";
}

std::vector<Ptr<CacheLine>>
SlabPages::GetLines() const
{
    return m_lines;
}

void
SlabPages::Reset(uint32_t)
{
}

StepOutcome
SlabPages::Step(uint32_t operation, StepMoment& moment)
{
    uint32_t packet = m_slots->At(moment.cpu).packet;
    if (operation == ALLOCATE && packet % PacketSlots::SLAB != 0)
    {
        // From the CPU's own list.
        return StepOutcome::Done(moment.now);
    }
    return StepOutcome::Done(moment.Rmw(*m_lines[packet / PacketSlots::SLAB]));
}

} // namespace linuxhost
} // namespace ns3
