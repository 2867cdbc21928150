/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CACHE_LINE_H
#define CACHE_LINE_H

#include "host-machine.h"

#include "ns3/simple-ref-count.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A 64-byte cache line, the only thing that CPUs contend for.
 *
 * An access takes what the coherence protocol makes of it:
 *
 * - a CPU that holds the line pays its own L1;
 * - else it waits until the transfers asked for before it are done (one transfer of a line at a
 *   time, in order of arrival; different lines move in parallel), and then for its own;
 * - a transfer takes the machine's latency from the CPU that has the line modified, or, when it is
 *   clean in several caches and is to be written, the longest latency among them;
 * - the owner keeps using the line until the next request's snoop arrives: a share of the transfer
 *   after it starts (HostMachine's SnoopShare);
 * - reads of a clean line are served in parallel, or one after the other where the machine says so.
 *
 * Since requests are served in order of arrival, the time of completion is known when a request
 * arrives: accesses must be made in order of time, and each costs one call.
 *
 * CPUs that poll the line (the waiters of a spin lock) are told to it once. They re-read it after
 * each write; those re-reads are accounted for in bulk, as part of the write.
 */
class CacheLine : public SimpleRefCount<CacheLine>
{
  public:
    /**
     * @param name what the line holds, e.g. `rt6_info.__refcnt`
     */
    explicit CacheLine(const std::string& name);

    /**
     * Attach the line to a machine, with no CPU holding it.
     * @param machine the machine, frozen; it must live as long as the line is used
     */
    void Reset(const HostMachine* machine);

    /**
     * @param cpu the CPU
     * @param now when it loads a word of the line
     * @returns when the load is done
     */
    Ticks Read(CpuId cpu, Ticks now);

    /**
     * @param cpu the CPU
     * @param now when it stores to the line
     * @returns when the store is done
     */
    Ticks Write(CpuId cpu, Ticks now)
    {
        return Own(cpu, now, m_costs.l1Store);
    }

    /**
     * @param cpu the CPU
     * @param now when it starts a locked read-modify-write
     * @returns when it is done
     */
    Ticks Rmw(CpuId cpu, Ticks now)
    {
        return Own(cpu, now, m_costs.l1Rmw);
    }

    /**
     * A CPU starts polling the line: it holds a copy and re-reads it after each write.
     * @param cpu the CPU
     */
    void AddPoller(CpuId cpu);
    /**
     * A CPU stops polling; it keeps its copy.
     * @param cpu the CPU
     */
    void RemovePoller(CpuId cpu);
    /**
     * When a poller's copy shows the last write.
     * @param cpu the poller
     * @param draw where the poller stands among the pollers when they are served one after the
     *        other, from 0 (first) to 1
     * @returns the time
     */
    Ticks PollerSees(CpuId cpu, double draw) const;

    /// @returns the number of polling CPUs
    uint32_t GetNPollers() const
    {
        return static_cast<uint32_t>(m_pollers.size());
    }

    /// @returns a number that changes with each write
    uint64_t GetVersion() const
    {
        return m_version;
    }

    /// @returns what the line holds
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @returns ownership transfers since the counters were cleared
    uint64_t GetTransfers() const
    {
        return m_transfers;
    }

    /// @returns time the line spent moving since the counters were cleared
    Ticks GetBusy() const
    {
        return m_busy;
    }

    /// Clear the counters.
    void ClearCounters()
    {
        m_transfers = 0;
        m_busy = 0;
    }

  private:
    /// What a CPU has of the line.
    struct Copy
    {
        Ticks from;           //!< its copy arrives then
        Ticks exclusiveUntil; //!< it may write until then
        Ticks validUntil;     //!< it may read until then
        uint32_t place;       //!< its place among the pollers, while it polls
    };

    /**
     * Make a CPU the owner.
     * @param cpu the CPU
     * @param now when it asks
     * @param hit what the access costs when it is the owner already
     * @returns when the access is done
     */
    Ticks Own(CpuId cpu, Ticks now, Ticks hit);
    /**
     * @param cpu a CPU
     * @returns the longest latency from any other holder of a clean copy; 0 when there is none
     */
    Ticks InvalidationLatency(CpuId cpu) const;
    /**
     * @param cpu a CPU
     * @returns the longest latency from any other poller; 0 when there is none
     */
    Ticks FarthestPoller(CpuId cpu) const;
    /**
     * @param cpu a CPU
     * @returns the shortest latency to a poller on another core; NEVER when there is none
     */
    Ticks NearestPoller(CpuId cpu) const;
    /**
     * After a write, the pollers fetch the line.
     * @param cpu the writer
     * @param done when the write is done
     */
    void PollersRead(CpuId cpu, Ticks done);
    /**
     * @param cpu a CPU that gets a copy while the line is clean
     */
    void AddSharer(CpuId cpu);

    /**
     * @param cpu a CPU that gets a clean copy: its socket has one now
     */
    void MarkSocket(CpuId cpu)
    {
        m_socketStamp[m_machine->GetSocket(cpu)] = m_stamp;
    }

    /**
     * @param latency the latency of a transfer
     * @returns how long after its start the owner keeps the line
     */
    Ticks Snoop(Ticks latency) const
    {
        return static_cast<Ticks>(latency * m_costs.snoopShare);
    }

    std::string m_name;                  //!< what the line holds
    const HostMachine* m_machine;        //!< the machine
    HostMachine::Costs m_costs;          //!< its figures
    CpuId m_owner;                       //!< CPU that has it modified, or NO_CPU
    Ticks m_freeAt;                      //!< when the transfers asked for so far are done
    Ticks m_sharedFrom;                  //!< since when the clean line can be read in a cache
    std::vector<Copy> m_copies;          //!< by CPU
    std::vector<CpuId> m_sharers;        //!< CPUs with a clean copy, pollers apart
    std::vector<CpuId> m_pollers;        //!< polling CPUs
    std::vector<uint32_t> m_pollersIn;   //!< number of pollers, by socket
    std::vector<uint16_t> m_pollersOn;   //!< number of pollers, by core; empty until the first
    std::vector<uint64_t> m_socketStamp; //!< by socket: a clean copy is there if it is m_stamp
    uint64_t m_stamp;                    //!< changes when all clean copies are gone
    CpuId m_lastWriter;                  //!< last CPU that wrote while others polled
    Ticks m_pollersFrom;                 //!< when the pollers' service began
    uint64_t m_version;                  //!< number of writes
    uint64_t m_transfers;                //!< ownership transfers
    Ticks m_busy;                        //!< time spent moving
};

/**
 * @ingroup linux-host
 * A named field and the line that it is on. Two fields on one line share its fate: that is false
 * sharing.
 */
struct LineField
{
    Ptr<CacheLine> line; //!< the line
    std::string field;   //!< the field's name; empty: the line's own name will do

    LineField() = default;

    /**
     * @param l a line that holds one thing of interest
     */
    LineField(Ptr<CacheLine> l)
        : line(l)
    {
    }

    /**
     * @param l the line
     * @param f the field's name
     */
    LineField(Ptr<CacheLine> l, const std::string& f)
        : line(l),
          field(f)
    {
    }

    /// @returns how the field is printed
    std::string GetName() const
    {
        return field.empty() ? line->GetName() : line->GetName() + "/" + field;
    }
};

} // namespace linuxhost
} // namespace ns3

#endif /* CACHE_LINE_H */
