/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "machine-presets.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// One figure of a preset: an attribute of HostMachine, its value, and where it comes from.
struct Entry
{
    const char* attribute; //!< attribute of HostMachine
    double value;          //!< value
    const char* unit;      //!< unit
    const char* kind;      //!< literature, counted, assumed or calibrated
    const char* source;    //!< source
};

/// A preset.
struct Preset
{
    const char* name;           //!< the machine's name
    std::vector<Entry> entries; //!< its figures
};

// Sources that several presets share.
const char* const PERFBOOK = "McKenney, perfbook, cpu/overheads";
const char* const ILX = "InstLatx64 instruction latency dump";
const char* const C2C = "core-to-core-latency result files";
const char* const BROADWELL = "core-to-core-latency result file of the E5-2695 v4, same generation";
const char* const COPY = "derived: copies from a cache run at 0.1 to 0.3 cycles a byte";
const char* const CSUM = "derived: add-with-carry chain, 8 bytes in 2 cycles";
const char* const CPI = "kernel network code that hits its caches runs at 0.9 instructions a cycle";
const char* const SPREAD = "any spread of 10 % or more breaks the lockstep of constant work times";
const char* const M_TO_S =
    "derived: the M to S ratio of Nehalem (103 to 58 ns) on this machine's cross-socket figure";
const char* const SNOOP = "calibrated on the contended atomic_inc curve of a machine of this kind";

const char* const K8_CLOCK = "dual-core K8 had 1.6 to 2.8 GHz; which one is not known";
const char* const K8_ILX = "InstLatx64, Athlon 64 X2 3800+";
const char* const K8_PACKAGE = "through the crossbar, 70 to 140 ns; no measurement at hand";
const char* const K8_CROSS = "perfbook, Opteron 844: 139.5 ns for one cache miss";
const char* const K8_MEMORY = "no shared cache: from memory, 85 ns (InstLatx64)";
const char* const K8_CSUM =
    "derived: add-with-carry chain, 8 bytes a cycle (Fog: latency of 1 on K8)";
const char* const K8_COPY =
    "derived: 0.6 to 1.0 cycles a byte when one side is not in L1; K8 moves "
    "lines between L2 and L1 one at a time";

const char* const TICK_HZ = "CONFIG_HZ of the x86 defconfig";
const char* const TICK_WORK = "a timer interrupt with its scheduler tick takes 1 to 5 us";

/**
 * @param sockets how many packages
 * @returns the figures of a machine of dual-core K8
 */
std::vector<Entry>
OnK8(const Entry& sockets)
{
    return {
        sockets,
        {"CoresPerSocket", 2, "", "literature", "dual-core K8"},
        {"ThreadsPerCore", 1, "", "literature", "dual-core K8"},
        {"ClockGhz", 2.2, "GHz", "assumed", K8_CLOCK},
        {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
        {"SocketLatency", 100, "ns", "assumed", K8_PACKAGE},
        {"CrossLatency", 140, "ns", "literature", K8_CROSS},
        {"L1Load", 3, "cycles", "literature", K8_ILX},
        {"L1Store", 1, "cycles", "literature", K8_ILX},
        {"L1Rmw", 16, "cycles", "literature", K8_ILX},
        {"SharedReadSocket", 85, "ns", "literature", K8_MEMORY},
        {"SharedReadCross", 140, "ns", "literature", K8_CROSS},
        {"SnoopShare", 0.2, "share", "calibrated", "as dual-xeon-e5540"},
        {"CopyRate", 1, "bytes/cycle", "assumed", K8_COPY},
        {"ChecksumRate", 8, "bytes/cycle", "literature", K8_CSUM},
        {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
        {"TickHz", 1000, "1/s", "literature", TICK_HZ},
        {"TickWork", 2000, "ns", "assumed", TICK_WORK},
    };
}

/// @returns the presets
const std::vector<Preset>&
GetPresets()
{
    static const std::vector<Preset> PRESETS = {
        {"dual-xeon-e5540",
         {
             {"Sockets", 2, "", "literature", "two Xeon E5540"},
             {"CoresPerSocket", 4, "", "literature", "Xeon E5540"},
             {"ThreadsPerCore", 2, "", "literature", "Xeon E5540"},
             {"ClockGhz", 2.53, "GHz", "literature", "Xeon E5540"},
             {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
             {"SiblingLatency", 8, "ns", "literature", PERFBOOK},
             {"SocketLatency",
              34,
              "ns",
              "literature",
              "perfbook's X5550 (31 ns), scaled to the E5540's clocks"},
             {"CrossLatency",
              103,
              "ns",
              "literature",
              "perfbook's X5550 (92 to 96 ns), scaled to the E5540's clocks"},
             {"L1Load", 4, "cycles", "literature", ILX},
             {"L1Store", 1, "cycles", "literature", ILX},
             {"L1Rmw", 20, "cycles", "literature", ILX},
             {"SharedReadSocket", 16, "ns", "literature", "L3 hit, 40 cycles (InstLatx64)"},
             {"SharedReadCross",
              58,
              "ns",
              "literature",
              "Molka et al., PACT 2009: S, other socket"},
             {"SnoopShare", 0.2, "share", "calibrated", SNOOP},
             {"CopyRate", 4, "bytes/cycle", "literature", COPY},
             {"ChecksumRate", 4, "bytes/cycle", "literature", CSUM},
             {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
             {"TickHz", 1000, "1/s", "literature", TICK_HZ},
             {"TickWork", 2000, "ns", "assumed", TICK_WORK},
         }},
        {"dual-xeon-e5-2690",
         {
             {"Sockets", 2, "", "literature", "two Xeon E5-2690"},
             {"CoresPerSocket", 8, "", "literature", "Xeon E5-2690"},
             {"ThreadsPerCore", 2, "", "literature", "Xeon E5-2690"},
             {"ClockGhz", 2.9, "GHz", "literature", "Xeon E5-2690"},
             {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
             {"SiblingLatency", 8.9, "ns", "literature", C2C},
             {"SocketLatency", 32.4, "ns", "literature", C2C},
             {"CrossLatency", 114.3, "ns", "literature", C2C},
             {"ModifiedReadSocket",
              30,
              "ns",
              "literature",
              "L2 to L2, modified: 28.3 ns on Ivy Bridge-EP (Intel Memory Latency Checker output)"},
             {"ModifiedReadCross",
              80,
              "ns",
              "literature",
              "L3 to L3, modified: 69 to 70 ns on Ivy Bridge-EP (Intel Memory Latency Checker "
              "output), 65 to 95"},
             {"L1Load", 4, "cycles", "literature", "L1 hit, Sandy Bridge-E"},
             {"L1Store", 1, "cycles", "literature", ILX},
             {"L1Rmw", 24, "cycles", "literature", ILX},
             {"SharedReadSocket", 13, "ns", "literature", "L3 hit, 38 cycles"},
             {"SharedReadCross", 64, "ns", "literature", M_TO_S},
             {"SnoopShare", 0.2, "share", "calibrated", "as dual-xeon-e5540"},
             {"CopyRate", 4, "bytes/cycle", "literature", COPY},
             {"ChecksumRate", 4, "bytes/cycle", "literature", CSUM},
             {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
             {"TickHz", 1000, "1/s", "literature", TICK_HZ},
             {"TickWork", 2000, "ns", "assumed", TICK_WORK},
         }},
        {"opteron-6172-48",
         {
             {"Sockets", 8, "", "literature", "four Opteron 6172 of two 6-core dies each"},
             {"CoresPerSocket", 6, "", "literature", "a die; the pack's socket is a die here"},
             {"ThreadsPerCore", 1, "", "literature", "Opteron 6172"},
             {"ClockGhz", 2.4, "GHz", "literature", "Boyd-Wickizer et al., OLS 2012"},
             {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
             {"SocketLatency",
              45.8,
              "ns",
              "literature",
              "110 cycles, CAS, David et al., SOSP 2013"},
             {"CrossLatency",
              98,
              "ns",
              "literature",
              "197 (same package), 216 (one hop) to 296 (two hops) cycles, SOSP 2013"},
             {"L1Load", 3, "cycles", "literature", "SOSP 2013"},
             {"L1Store", 1, "cycles", "literature", ILX},
             {"L1Rmw", 20, "cycles", "literature", ILX},
             {"SharedReadSocket", 34, "ns", "literature", "81 cycles, load, SOSP 2013"},
             {"SharedReadCross", 72, "ns", "literature", "161 to 252 cycles, load, SOSP 2013"},
             {"SharedReadService",
              98,
              "ns",
              "calibrated",
              "235 cycles, within SOSP 2013's 161 to 252 for a load from another die; calibrated "
              "on "
              "the OLS 2012 curves"},
             {"SerialSharedReads", 1, "", "literature", "the home directory answers one at a time"},
             {"SnoopShare", 0.2, "share", "calibrated", "as dual-xeon-e5540"},
             {"CopyRate", 4, "bytes/cycle", "literature", COPY},
             {"ChecksumRate", 4, "bytes/cycle", "literature", CSUM},
             {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
             {"TickHz", 1000, "1/s", "literature", TICK_HZ},
             {"TickWork", 2000, "ns", "assumed", TICK_WORK},
         }},
        {"dual-xeon-e5-2620-v4",
         {
             {"Sockets", 2, "", "literature", "two Xeon E5-2620 v4"},
             {"CoresPerSocket", 8, "", "literature", "Xeon E5-2620 v4"},
             {"ThreadsPerCore", 2, "", "literature", "Xeon E5-2620 v4"},
             {"ClockGhz", 2.3, "GHz", "literature", "Xeon E5-2620 v4, turbo with all cores busy"},
             {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
             {"SiblingLatency", 7.6, "ns", "literature", BROADWELL},
             {"SocketLatency", 44, "ns", "literature", BROADWELL},
             {"CrossLatency", 118, "ns", "literature", BROADWELL},
             {"L1Load", 4, "cycles", "literature", ILX},
             {"L1Store", 1, "cycles", "literature", ILX},
             {"L1Rmw", 19, "cycles", "literature", ILX},
             {"SharedReadSocket",
              21,
              "ns",
              "literature",
              "L3 hit, 54 cycles at 2.6 GHz on the E5-2660 v3 (InstLatx64)"},
             {"SharedReadCross", 66, "ns", "literature", M_TO_S},
             {"SnoopShare", 0.2, "share", "calibrated", "as dual-xeon-e5540"},
             {"CopyRate", 4, "bytes/cycle", "literature", COPY},
             {"ChecksumRate",
              8,
              "bytes/cycle",
              "literature",
              "derived: add-with-carry chain, 8 bytes a cycle"},
             {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
             {"TickHz", 1000, "1/s", "literature", TICK_HZ},
             {"TickWork", 2000, "ns", "assumed", TICK_WORK},
         }},
        {"dual-xeon-skylake-sp",
         {
             {"Sockets", 2, "", "literature", "two Xeon Gold 6242"},
             {"CoresPerSocket", 16, "", "literature", "Xeon Gold 6242"},
             {"ThreadsPerCore", 2, "", "literature", "Xeon Gold 6242"},
             {"ClockGhz", 2.8, "GHz", "literature", "Xeon Gold 6242"},
             {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
             {"SiblingLatency", 7.5, "ns", "literature", C2C},
             {"SocketLatency", 48, "ns", "literature", C2C},
             {"CrossLatency", 135, "ns", "literature", C2C},
             {"L1Load", 4, "cycles", "literature", "AnandTech 14694"},
             {"L1Store", 1, "cycles", "literature", ILX},
             {"L1Rmw", 18, "cycles", "literature", ILX},
             {"SharedReadSocket", 22, "ns", "literature", "L3 hit, 46 to 70 cycles"},
             {"SharedReadCross", 76, "ns", "literature", M_TO_S},
             {"SnoopShare", 0.12, "share", "calibrated", SNOOP},
             {"CopyRate", 4, "bytes/cycle", "literature", COPY},
             {"ChecksumRate",
              8,
              "bytes/cycle",
              "literature",
              "derived: add-with-carry chain, 8 bytes a cycle"},
             {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
             {"TickHz", 1000, "1/s", "literature", TICK_HZ},
             {"TickWork", 2000, "ns", "assumed", TICK_WORK},
         }},
        {"platinum-8176",
         {
             {"Sockets", 8, "", "literature", "eight Xeon Platinum 8176"},
             {"CoresPerSocket", 28, "", "literature", "Xeon Platinum 8176"},
             {"ThreadsPerCore", 2, "", "literature", "Xeon Platinum 8176"},
             {"ClockGhz", 2.1, "GHz", "literature", "Xeon Platinum 8176"},
             {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
             {"SiblingLatency", 7.2, "ns", "literature", PERFBOOK},
             {"SocketLatency", 47.5, "ns", "literature", PERFBOOK},
             {"CrossLatency",
              113,
              "ns",
              "literature",
              "Skylake-SP, line modified in the other socket (111 to 115 ns): "
              "Intel Memory Latency Checker output"},
             {"L1Load", 4, "cycles", "literature", "AnandTech 14694"},
             {"L1Store", 1, "cycles", "literature", ILX},
             {"L1Rmw",
              10.14,
              "cycles",
              "literature",
              "perfbook: 4.83 ns for one thread, at the turbo clock"},
             {"SharedReadSocket", 22, "ns", "literature", "L3 hit, 46 to 70 cycles"},
             {"SharedReadCross", 64, "ns", "literature", M_TO_S},
             {"SnoopShare", 0.2, "share", "calibrated", "as dual-xeon-e5540"},
             {"CopyRate", 4, "bytes/cycle", "literature", COPY},
             {"ChecksumRate",
              8,
              "bytes/cycle",
              "literature",
              "derived: add-with-carry chain, 8 bytes a cycle"},
             {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
             {"TickHz", 1000, "1/s", "literature", TICK_HZ},
             {"TickWork", 2000, "ns", "assumed", TICK_WORK},
         }},
        {"westmere-ex",
         {
             {"Sockets", 4, "", "literature", "four Xeon E7-8867L"},
             {"CoresPerSocket", 10, "", "literature", "Xeon E7-8867L"},
             {"ThreadsPerCore", 1, "", "literature", "one thread a core in use"},
             {"ClockGhz", 2.13, "GHz", "literature", "Xeon E7-8867L"},
             {"CyclesPerInstruction", 1.1, "cycles", "assumed", CPI},
             {"SocketLatency",
              51.17,
              "ns",
              "literature",
              "109 cycles, load of a modified line, David et al., SOSP 2013"},
             {"CrossLatency", 136, "ns", "literature", "289 cycles, load, one hop, SOSP 2013"},
             {"L1Load", 5, "cycles", "literature", "SOSP 2013"},
             {"L1Store", 1, "cycles", "literature", ILX},
             {"L1Rmw", 19, "cycles", "literature", ILX},
             {"SharedReadSocket", 20.7, "ns", "literature", "44 cycles, SOSP 2013"},
             {"SharedReadCross", 105, "ns", "literature", "223 cycles, one hop, SOSP 2013"},
             {"SnoopShare", 0.2, "share", "calibrated", "as dual-xeon-e5540"},
             {"CopyRate", 4, "bytes/cycle", "literature", COPY},
             {"ChecksumRate", 4, "bytes/cycle", "literature", CSUM},
             {"WorkSpread", 0.2, "share", "calibrated", SPREAD},
             {"TickHz", 1000, "1/s", "literature", TICK_HZ},
             {"TickWork", 2000, "ns", "assumed", TICK_WORK},
         }},
        {"dual-opteron-k8",
         OnK8({"Sockets",
               2,
               "",
               "assumed",
               "two dual-core packages: the four CPUs of the posting's sender"})},
        {"athlon64-x2",
         OnK8({"Sockets",
               1,
               "",
               "literature",
               "one dual-core package: the two CPUs of the posting's receiver"})},
        {"generic", {}},
    };
    return PRESETS;
}

/**
 * Give the 48-core Opteron its matrix: two dies a package, packages one or two hops apart.
 * @param machine the machine
 */
void
SetOpteronMatrix(Ptr<HostMachine> machine)
{
    // SOSP 2013, table 2, CAS on a modified line: cycles by distance.
    const double SAME_DIE = 110;
    const double SAME_PACKAGE = 197;
    const double ONE_HOP = 216;
    const double TWO_HOPS = 296;
    const uint32_t CPUS = 48;
    const uint32_t CORES_PER_DIE = 6;
    double ghz = machine->GetClockGhz();
    std::vector<double> ns(CPUS * CPUS, 0.0);
    for (uint32_t i = 0; i < CPUS; ++i)
    {
        for (uint32_t j = 0; j < CPUS; ++j)
        {
            uint32_t dieI = i / CORES_PER_DIE;
            uint32_t dieJ = j / CORES_PER_DIE;
            // Of the other packages' six dies, those with the same place in their package are
            // linked directly.
            double cycles = i == j                 ? 0
                            : dieI == dieJ         ? SAME_DIE
                            : dieI / 2 == dieJ / 2 ? SAME_PACKAGE
                            : dieI % 2 == dieJ % 2 ? ONE_HOP
                                                   : TWO_HOPS;
            ns[i * CPUS + j] = cycles / ghz;
        }
    }
    machine->SetMatrix(CPUS, ns);
}

} // namespace

std::vector<std::string>
MachinePresets::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetPresets())
    {
        names.emplace_back(preset.name);
    }
    return names;
}

Ptr<HostMachine>
MachinePresets::Create(const std::string& name)
{
    const auto& presets = GetPresets();
    auto preset = std::find_if(presets.begin(), presets.end(), [&name](const Preset& p) {
        return p.name == name;
    });
    if (preset == presets.end())
    {
        return nullptr;
    }
    Ptr<HostMachine> machine = CreateObject<HostMachine>();
    machine->SetAttribute("Name", StringValue(name));
    for (const auto& entry : preset->entries)
    {
        std::string attribute = entry.attribute;
        if (attribute == "Sockets" || attribute == "CoresPerSocket" ||
            attribute == "ThreadsPerCore")
        {
            machine->SetAttribute(attribute, UintegerValue(static_cast<uint64_t>(entry.value)));
        }
        else if (attribute == "SerialSharedReads")
        {
            machine->SetAttribute(attribute, BooleanValue(entry.value != 0));
        }
        else
        {
            machine->SetAttribute(attribute, DoubleValue(entry.value));
        }
        machine->SetFigure({attribute, entry.value, entry.unit, entry.kind, entry.source});
    }
    if (name == "opteron-6172-48")
    {
        SetOpteronMatrix(machine);
    }
    return machine;
}

Ptr<HostMachine>
MachinePresets::CreateFromUser(const std::string& name, std::string* error)
{
    Ptr<HostMachine> machine = Create(name);
    if (machine)
    {
        return machine;
    }
    const std::string ENDING = ".csv";
    if (name.size() <= ENDING.size() ||
        name.compare(name.size() - ENDING.size(), ENDING.size(), ENDING) != 0)
    {
        std::string names;
        for (const auto& known : GetNames())
        {
            names += known + ", ";
        }
        *error = names + "or a FILE.csv of core-to-core-latency";
        return nullptr;
    }
    std::ifstream file(name);
    if (!file)
    {
        *error = "a CSV file that can be read";
        return nullptr;
    }
    machine = CreateObject<HostMachine>();
    std::string wrong = machine->LoadMatrix(file);
    if (!wrong.empty())
    {
        *error = "a CPU-to-CPU matrix in ns; " + wrong;
        return nullptr;
    }
    machine->SetAttribute("Name", StringValue(name));
    // A matrix says how long a modified line takes; what a clean one takes is not in it.
    const double SHARED_SOCKET_SHARE = 16.0 / 34.0;
    const double SHARED_CROSS_SHARE = 58.0 / 103.0;
    const char* const SOURCE = "derived: Nehalem's ratio of clean to modified on the matrix";
    std::vector<double> socket;
    std::vector<double> cross;
    for (CpuId i = 0; i < machine->GetNCpus(); ++i)
    {
        for (CpuId j = 0; j < i; ++j)
        {
            double ns = machine->GetLatency(i, j) / 1000.0;
            if (machine->GetSocket(i) != machine->GetSocket(j))
            {
                cross.push_back(ns);
            }
            else if (machine->GetCore(i) != machine->GetCore(j))
            {
                socket.push_back(ns);
            }
        }
    }
    auto setFrom = [&](std::vector<double>& sample, double share, const std::string& attribute) {
        if (sample.empty())
        {
            return;
        }
        auto middle = sample.begin() + sample.size() / 2;
        std::nth_element(sample.begin(), middle, sample.end());
        machine->SetAttribute(attribute, DoubleValue(*middle * share));
        machine->SetFigure({attribute, *middle * share, "ns", "literature", SOURCE});
    };
    setFrom(socket, SHARED_SOCKET_SHARE, "SharedReadSocket");
    setFrom(cross, SHARED_CROSS_SHARE, "SharedReadCross");
    machine->SetFigure({"Matrix", static_cast<double>(machine->GetNCpus()), "CPUs", "set", name});
    return machine;
}

} // namespace linuxhost
} // namespace ns3
