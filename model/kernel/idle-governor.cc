/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "idle-governor.h"

#include <cctype>
#include <cstdlib>
#include <numeric>
#include <set>
#include <sstream>

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
    std::string kind;                  //!< kind of the source
    std::string source;                //!< where they are from
    std::vector<IdleState> states;     //!< the states
};

/// @returns the tables; the last is for machines that have none of their own
const std::vector<Table>&
GetTables()
{
    static const std::vector<IdleState> SANDY_BRIDGE = {{"C1", 2000, 2000},
                                                        {"C1E", 10000, 20000},
                                                        {"C3", 80000, 211000},
                                                        {"C6", 104000, 345000}};
    static const std::vector<Table> TABLES = {
        {{"dual-xeon-e5-2690"},
         "literature",
         "Sandy Bridge in intel_idle of Linux 3.16",
         SANDY_BRIDGE},
        {{"dual-xeon-e5540", "westmere-ex"},
         "literature",
         "Nehalem in intel_idle of Linux 3.16",
         {{"C1", 3000, 6000}, {"C1E", 10000, 20000}, {"C3", 20000, 80000}, {"C6", 200000, 800000}}},
        {{"dual-xeon-e5-2620-v4"},
         "literature",
         "Broadwell in intel_idle of Linux 4.14; what is deeper than C6 is not in servers",
         {{"C1", 2000, 2000},
          {"C1E", 10000, 20000},
          {"C3", 40000, 100000},
          {"C6", 133000, 400000}}},
        {{"dual-xeon-skylake-sp", "platinum-8176"},
         "literature",
         "Skylake-SP in intel_idle of Linux 4.14",
         {{"C1", 2000, 2000}, {"C1E", 10000, 20000}, {"C6", 133000, 600000}}},
        // Linux has no table for these, and ACPI's C1 states no latency.
        {{"opteron-6172-48", "dual-opteron-k8", "athlon64-x2"},
         "assumed",
         "C1 of ACPI, the state that each of them has; C1 takes 1 to 3 us where it is known",
         {{"HLT", 1000, 0, false}}},
        {{},
         "assumed",
         "Sandy Bridge's in intel_idle of Linux 3.16, for want of the machine's own",
         SANDY_BRIDGE},
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
    return GetTables().back();
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

std::string
IdleGovernor::GetKind(const std::string& machine)
{
    return GetTable(machine).kind;
}

std::string
IdleGovernor::Parse(const std::string& text, std::vector<IdleState>* states)
{
    const std::string ALLOWED =
        "NAME:EXIT:RESIDENCY[:irq]/... in us, 0 to 1000000, names that differ, of at most 15 "
        "letters and digits, no exit latency below the one before it";
    const double NS_PER_US = 1000;
    const double MOST = 1e6;
    const std::size_t LONGEST_NAME = 15; // CPUIDLE_NAME_LEN
    auto number = [MOST](const std::string& field, double* value) {
        char* end = nullptr;
        *value = std::strtod(field.c_str(), &end);
        return field.find_first_not_of("0123456789.") == std::string::npos && !field.empty() &&
               *end == '\0' && *value <= MOST;
    };
    states->clear();
    std::set<std::string> names = {"POLL"};
    std::istringstream list(text);
    std::string one;
    while (std::getline(list, one, '/'))
    {
        std::istringstream fields(one);
        std::string name;
        std::string exit;
        std::string residency;
        std::string end;
        std::getline(fields, name, ':');
        std::getline(fields, exit, ':');
        std::getline(fields, residency, ':');
        std::getline(fields, end);
        IdleState state{name, 0, 0, end.empty()};
        for (auto& letter : name)
        {
            letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
        }
        bool good =
            !name.empty() && name.size() <= LONGEST_NAME && names.insert(name).second &&
            one.back() != ':' &&
            name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == std::string::npos &&
            number(exit, &state.exit) && number(residency, &state.residency) &&
            (end.empty() || end == "irq");
        state.exit *= NS_PER_US;
        state.residency *= NS_PER_US;
        if (!good || (!states->empty() && state.exit < states->back().exit))
        {
            return ALLOWED;
        }
        states->push_back(state);
    }
    return states->empty() || text.back() == '/' ? ALLOWED : "";
}

const std::vector<IdleState>&
IdleGovernor::GetAll() const
{
    return m_states;
}

const IdleState&
IdleGovernor::Select() const
{
    return m_states[Choose()];
}

std::size_t
IdleGovernor::Choose() const
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
    return chosen;
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
