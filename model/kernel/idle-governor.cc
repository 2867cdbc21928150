/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "idle-governor.h"

#include <numeric>

namespace ns3
{
namespace linuxhost
{

namespace
{

const std::size_t REMEMBERED = 8;

/// The states of a kind of processor.
struct Table
{
    std::vector<std::string> machines; //!< presets that have them
    std::string source;                //!< where they are from
    std::vector<IdleState> states;     //!< the states
};

/// @returns the tables; the first is for machines that have none of their own
const std::vector<Table>&
GetTables()
{
    static const std::vector<Table> TABLES = {
        {{"dual-xeon-e5-2690"},
         "Sandy Bridge in intel_idle of Linux 3.16",
         {{"C1", 2000, 2000},
          {"C1E", 10000, 20000},
          {"C3", 80000, 211000},
          {"C6", 104000, 345000}}},
        {{"dual-xeon-e5540", "westmere-ex"},
         "Nehalem in intel_idle of Linux 3.16",
         {{"C1", 3000, 6000}, {"C1E", 10000, 20000}, {"C3", 20000, 80000}, {"C6", 200000, 800000}}},
        {{"dual-xeon-skylake-sp", "platinum-8176"},
         "Skylake-SP in intel_idle of Linux 4.14",
         {{"C1", 2000, 2000}, {"C1E", 10000, 20000}, {"C6", 133000, 600000}}},
    };
    return TABLES;
}

/**
 * @param machine a machine's name
 * @returns its table
 */
const Table&
GetTable(const std::string& machine)
{
    for (const auto& table : GetTables())
    {
        for (const auto& name : table.machines)
        {
            if (name == machine)
            {
                return table;
            }
        }
    }
    return GetTables().front();
}

} // namespace

IdleGovernor::IdleGovernor(const std::vector<IdleState>& states, double limit)
    : m_states(states),
      m_limit(limit)
{
    m_states.insert(m_states.begin(), {"POLL", 0, 0});
}

std::vector<IdleState>
IdleGovernor::GetStates(const std::string& machine)
{
    return GetTable(machine).states;
}

std::string
IdleGovernor::GetSource(const std::string& machine)
{
    return GetTable(machine).source;
}

const IdleState&
IdleGovernor::Select() const
{
    const double TICKS_PER_NS = 1000;
    double likely = m_lengths.empty() ? 0
                                      : std::accumulate(m_lengths.begin(), m_lengths.end(), 0.0) /
                                            static_cast<double>(m_lengths.size()) / TICKS_PER_NS;
    const std::size_t FIRST = 1;
    std::size_t chosen = 0;
    for (std::size_t i = FIRST; i < m_states.size(); ++i)
    {
        if (m_states[i].exit <= m_limit && (i == FIRST || m_states[i].residency <= likely))
        {
            chosen = i;
        }
    }
    return m_states[chosen];
}

void
IdleGovernor::Reflect(Ticks length)
{
    m_lengths.push_back(length);
    if (m_lengths.size() > REMEMBERED)
    {
        m_lengths.pop_front();
    }
}

} // namespace linuxhost
} // namespace ns3
