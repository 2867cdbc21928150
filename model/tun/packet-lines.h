/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_LINES_H
#define PACKET_LINES_H

#include "ns3/kernel-primitive.h"

#include <deque>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Which packets are in flight between CPUs, and which one each CPU has at hand.
 *
 * Packets are numbered by their place in the allocator's slabs, which are used in turn.
 */
class PacketSlots : public SimpleRefCount<PacketSlots>
{
  public:
    /// No packet.
    static constexpr uint32_t NONE = UINT32_MAX;
    /// Number of places: packets of a long queue share them.
    static constexpr uint32_t SLOTS = 64;
    /// Objects in a slab: at least 28 on a machine of 32 CPUs (calculate_order), which 8 kB hold of
    /// sk_buffs.
    static constexpr uint32_t SLAB = 32;

    /// What a CPU has at hand.
    struct Hand
    {
        uint32_t packet;    //!< the packet
        uint32_t neighbour; //!< the packet before it or after it in the queue, or NONE
    };

    /// @param cpus number of CPUs
    explicit PacketSlots(uint32_t cpus);

    /**
     * @param cpu a CPU
     * @returns what it has at hand
     */
    Hand& At(CpuId cpu);
    /// @param cpu a CPU that allocates the next packet
    void Allocate(CpuId cpu);

  private:
    std::vector<Hand> m_hands; //!< by CPU
    uint32_t m_next;           //!< the place of the next packet
};

/**
 * @ingroup linux-host
 * Some lines that every packet has, e.g. those of its sk_buff: a step touches those of the packet
 * that the CPU has at hand.
 *
 * Lines that are touched together are asked for together, as far as the CPU's line fill buffers
 * go: a core has ten.
 *
 * A new packet's lines come from the L3 of the CPU that freed their last user. SLUB (Linux 3.15)
 * freezes a full slab onto the partial list of the CPU that first frees an object of it, and that
 * list is given back when it is longer than cpu_partial: 13 for objects of 256 bytes and more, and
 * each slab counts for the one object that was free when it came. So objects come back after 14
 * slabs of 32 packets, of 9 lines each: 258 kB, more than an L2 holds.
 */
class PacketLines : public KernelPrimitive
{
  public:
    /// Operations.
    enum Operation : uint32_t
    {
        LOAD,            //!< load from all
        LOAD_AHEAD,      //!< ask for all, and go on
        STORE,           //!< store to all
        STORE_NEIGHBOUR, //!< store to the first of the packet before or after it, if any
        PREFETCH,        //!< ask for the first of the next packet to be allocated
        STORE_RECYCLED   //!< store to all, long after they were used last
    };

    /**
     * @param name what they hold, e.g. `skb.head`
     * @param slots the packets
     * @param lines how many lines a packet has of them
     */
    PacketLines(const std::string& name, Ptr<PacketSlots> slots, uint32_t lines);

    std::string GetKind() const override;
    std::string GetOperationName(uint32_t operation) const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    Ptr<PacketSlots> m_slots;            //!< packets
    uint32_t m_perPacket;                //!< lines a packet
    std::vector<Ptr<CacheLine>> m_lines; //!< lines, packet by packet
    std::vector<CpuId> m_last;           //!< by packet: CPU that used them last, or NO_CPU
};

/**
 * @ingroup linux-host
 * The page structs of a slab cache (SLUB) whose objects one CPU allocates and another frees: each
 * free goes to the slab's own list, by compare-exchange on its page struct, and the allocating CPU
 * takes the whole list when it comes to that slab again.
 */
class SlabPages : public KernelPrimitive
{
  public:
    /// Operations.
    enum Operation : uint32_t
    {
        ALLOCATE,
        FREE
    };

    /**
     * @param name the cache's name
     * @param slots the packets
     */
    SlabPages(const std::string& name, Ptr<PacketSlots> slots);

    std::string GetKind() const override;
    std::string GetOperationName(uint32_t operation) const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    Ptr<PacketSlots> m_slots;            //!< packets
    std::vector<Ptr<CacheLine>> m_lines; //!< page structs
};

} // namespace linuxhost
} // namespace ns3

#endif /* PACKET_LINES_H */
