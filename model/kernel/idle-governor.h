/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IDLE_GOVERNOR_H
#define IDLE_GOVERNOR_H

#include "ns3/host-machine.h"
#include "ns3/simple-ref-count.h"

#include <deque>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * An idle state of a CPU.
 */
struct IdleState
{
    std::string name;   //!< as the driver names it
    double exit;        //!< how long the CPU takes to leave it, ns
    double residency;   //!< how long it must last to be worth it, ns
    bool watches{true}; //!< whether a store to the idle task's flags ends it (MWAIT), or an
                        //!< interrupt alone (HLT)
};

/**
 * @ingroup linux-host
 * Chooses the idle state in which a CPU waits, as the menu governor does: the deepest one that is
 * worth it for as long as the CPU is likely to be idle, and that may be left in time.
 *
 * How long it is likely to be idle is the mean of the last eight times. A CPU polls only when the
 * limit is below the first state's exit latency.
 */
class IdleGovernor : public SimpleRefCount<IdleGovernor>
{
  public:
    /**
     * @param states the states, shallowest first, without polling
     * @param limit the longest exit latency that is allowed, ns (/dev/cpu_dma_latency)
     */
    IdleGovernor(const std::vector<IdleState>& states, double limit);

    /**
     * The idle states of a machine: those of Intel's processors from the tables of Linux's
     * intel_idle driver, HLT for AMD's.
     * @param machine a machine's name, as MachinePresets has it
     * @returns its states; those of Sandy Bridge for a machine that has none of its own
     */
    static std::vector<IdleState> GetStates(const std::string& machine);
    /**
     * @param machine a machine's name
     * @returns where GetStates() has them from
     */
    static std::string GetSource(const std::string& machine);
    /**
     * @param machine a machine's name
     * @returns the kind of that source, as Figure has it: `literature` or `assumed`
     */
    static std::string GetKind(const std::string& machine);
    /**
     * Read states from text.
     * @param text `NAME:EXIT:RESIDENCY`, a slash between two, shallowest first, in us; `:irq` after
     *             one that only an interrupt ends
     * @param states where they go
     * @returns the empty string, or what is allowed
     */
    static std::string Parse(const std::string& text, std::vector<IdleState>* states);

    /// @returns all states, polling first
    const std::vector<IdleState>& GetAll() const;
    /// @returns which of them to wait in
    std::size_t Choose() const;
    /// @returns the state to wait in
    const IdleState& Select() const;
    /// @param length how long the CPU was idle
    void Reflect(Ticks length);

  private:
    std::vector<IdleState> m_states; //!< polling, and the machine's states
    double m_limit;                  //!< longest exit latency
    std::deque<Ticks> m_lengths;     //!< the last idle times
};

} // namespace linuxhost
} // namespace ns3

#endif /* IDLE_GOVERNOR_H */
