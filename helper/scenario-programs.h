/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_PROGRAMS_H
#define SCENARIO_PROGRAMS_H

#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The main() of the example sit-lockless-xmit.
 * @param argc number of arguments
 * @param argv arguments
 * @returns the exit code
 */
int SitLocklessXmitMain(int argc, char* argv[]);
/**
 * @ingroup linux-host
 * The main() of the example saddr-rcu.
 * @param argc number of arguments
 * @param argv arguments
 * @returns the exit code
 */
int SaddrRcuMain(int argc, char* argv[]);
/**
 * @ingroup linux-host
 * The main() of the example tun-read-wakeup.
 * @param argc number of arguments
 * @param argv arguments
 * @returns the exit code
 */
int TunReadWakeupMain(int argc, char* argv[]);
/**
 * @ingroup linux-host
 * The main() of the example vlan-offload.
 * @param argc number of arguments
 * @param argv arguments
 * @returns the exit code
 */
int VlanOffloadMain(int argc, char* argv[]);
/**
 * @ingroup linux-host
 * The main() of the example lock-scaling.
 * @param argc number of arguments
 * @param argv arguments
 * @returns the exit code
 */
int LockScalingMain(int argc, char* argv[]);

/**
 * @ingroup linux-host
 * The examples that play scenarios, by name, for programs that play many of them in one process.
 *
 * They are the examples' own main() functions, so that a point of a sweep is what the example by
 * itself would have printed, to the byte.
 */
class ScenarioPrograms
{
  public:
    /// @returns the names of the examples
    static std::vector<std::string> GetNames();
    /**
     * Run an example as if by itself: ns-3's global state (simulator, random numbers, global
     * values, defaults of attributes) is that of a new process before and after it.
     *
     * Neither thread-safe nor to be called from inside a simulation. What ns-3 aborts on ends this
     * process too.
     * @param name the example's name
     * @param arguments its arguments, without the program's name
     * @param out takes its standard output
     * @param err takes its standard error
     * @returns its exit code; -1 when there is no such example
     */
    static int Run(const std::string& name,
                   const std::vector<std::string>& arguments,
                   std::ostream& out,
                   std::ostream& err);
};

} // namespace linuxhost
} // namespace ns3

#endif /* SCENARIO_PROGRAMS_H */
