/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MACHINE_PRESETS_H
#define MACHINE_PRESETS_H

#include "host-machine.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The machines that the pack knows by name, each figure with its source.
 */
class MachinePresets
{
  public:
    /// @returns the names, `generic` last
    static std::vector<std::string> GetNames();
    /**
     * @param name a preset's name
     * @returns the machine, or null when there is no such preset
     */
    static Ptr<HostMachine> Create(const std::string& name);
    /**
     * Make a machine from what a user names: a preset, or a CSV file of core-to-core-latency.
     * @param name a preset's name, or the path of a file that ends in `.csv`
     * @param[out] error what is allowed, or what is wrong with the file
     * @returns the machine, or null
     */
    static Ptr<HostMachine> CreateFromUser(const std::string& name, std::string* error);
};

} // namespace linuxhost
} // namespace ns3

#endif /* MACHINE_PRESETS_H */
