/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * What the pack knows of a machine: its figures with their sources, its topology, and how long a
 * cache line takes from each CPU to each other.
 *
 *     ./ns3 run machine-info                                      the presets
 *     ./ns3 run "machine-info --machine=dual-xeon-e5540"
 *     ./ns3 run "machine-info --machine=my-box.csv --json=-"
 */

#include "ns3/example-options.h"
#include "ns3/machine-presets.h"
#include "ns3/patch-example.h"

#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/// @param ticks a time @returns it in ns
double
ToNs(Ticks ticks)
{
    return static_cast<double>(ticks) / 1000;
}

/**
 * @param os where one JSON object goes, with a newline
 * @param machine a machine
 */
void
WriteJson(std::ostream& os, Ptr<HostMachine> machine)
{
    const uint32_t cpus = machine->GetNCpus();
    os << "{\"schema\": \"linux-host.machine/1\", \"name\": " << JsonQuote(machine->GetName())
       << ", \"cpus\": " << cpus << ", \"clock_ghz\": " << JsonNumber(machine->GetClockGhz())
       << ", \"has_matrix\": " << (machine->HasMatrix() ? "true" : "false") << ", \"figures\": [";
    std::string comma;
    for (const auto& figure : machine->GetFigures())
    {
        os << comma << "{\"name\": " << JsonQuote(figure.name)
           << ", \"value\": " << JsonNumber(figure.value)
           << ", \"unit\": " << JsonQuote(figure.unit) << ", \"kind\": " << JsonQuote(figure.kind)
           << ", \"provenance\": " << JsonQuote(figure.source) << "}";
        comma = ", ";
    }
    os << "], \"socket_of\": [";
    for (CpuId cpu = 0; cpu < cpus; ++cpu)
    {
        os << (cpu ? ", " : "") << machine->GetSocket(cpu);
    }
    os << "], \"core_of\": [";
    for (CpuId cpu = 0; cpu < cpus; ++cpu)
    {
        os << (cpu ? ", " : "") << machine->GetCore(cpu);
    }
    os << "], \"matrix_ns\": [";
    for (CpuId from = 0; from < cpus; ++from)
    {
        os << (from ? ", [" : "[");
        for (CpuId to = 0; to < cpus; ++to)
        {
            os << (to ? ", " : "")
               << (from == to ? "null" : JsonNumber(ToNs(machine->GetLatency(from, to))));
        }
        os << "]";
    }
    os << "]}\n";
}

/// @param machine a machine whose figures are printed as a table
void
PrintTable(Ptr<HostMachine> machine)
{
    std::cout << machine->GetName() << ": " << machine->GetNCpus() << " CPUs in "
              << machine->GetNSockets()
              << (machine->GetNSockets() == 1 ? " socket\n" : " sockets\n");
    for (const auto& figure : machine->GetFigures())
    {
        std::cout << "  " << std::left << std::setw(22) << figure.name << std::right
                  << std::setw(10) << figure.value << " " << std::left << std::setw(12)
                  << figure.unit << " " << std::setw(10) << figure.kind << "  " << figure.source
                  << "\n";
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string name;
    std::string json;
    std::string names;
    for (const auto& known : MachinePresets::GetNames())
    {
        names += known + "|";
    }
    ExampleOptions options("machine-info", "the machines that the pack knows, and any CSV matrix");
    options.AddText("machine",
                    "The machine: a preset, or a CSV matrix of core-to-core-latency; without it, "
                    "all presets.",
                    &name,
                    names + "FILE.csv");
    options.AddText("json",
                    "Write what is known there, one JSON object a line, a line a machine; - is "
                    "standard output.",
                    &json,
                    "FILE|-");
    int exitCode = 0;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }

    std::vector<Ptr<HostMachine>> machines;
    for (const auto& wanted :
         options.IsGiven("machine") ? std::vector<std::string>{name} : MachinePresets::GetNames())
    {
        std::string error;
        Ptr<HostMachine> machine = MachinePresets::CreateFromUser(wanted, &error);
        if (!machine)
        {
            return options.Fail("machine", wanted, error);
        }
        const std::string refused =
            PatchExample::ApplyFigures(machine, options.GetAttributes(PatchExample::HOST_MACHINE));
        if (!refused.empty())
        {
            return options.Fail("figure", refused, PatchExample::FIGURES_ALLOWED);
        }
        machine->Freeze();
        machines.push_back(machine);
    }

    if (!options.IsGiven("json"))
    {
        for (const auto& machine : machines)
        {
            PrintTable(machine);
        }
        return 0;
    }
    OutputFile file;
    std::string error = file.Open(json);
    if (!error.empty())
    {
        return options.Fail("json", json, error);
    }
    for (const auto& machine : machines)
    {
        WriteJson(file.Stream(), machine);
    }
    error = file.Commit();
    return error.empty() ? 0 : options.Fail("json", json, error);
}
