/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "example-options.h"
#include "patch-example.h"
#include "scenario-programs.h"

#include "ns3/double.h"
#include "ns3/kernel-lock.h"
#include "ns3/lock-scaling.h"
#include "ns3/machine-presets.h"
#include "ns3/reference-count.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// One curve: what is played on how many CPUs.
struct Curve
{
    double serialCycles;   //!< of a lock
    double serialFraction; //!< of a lock
};

/// The curves of figures 8 and 9.
const std::vector<Curve> OLS_2012 =
    {{400, 0.002}, {400, 0.004}, {400, 0.02}, {400, 0.032}, {1600, 0.02}, {25600, 0.02}};

/**
 * Read a list of CPU counts: `1-48`, `1,2,4,8`.
 * @param text the list
 * @param[out] list the counts
 * @returns the empty string, or what is allowed
 */
std::string
ReadCounts(const std::string& text, std::vector<uint32_t>* list)
{
    const std::string ALLOWED =
        "counts from 1 to " + std::to_string(MAX_CPUS) + ", like 16 or 1,2,4 or 1-48";
    std::istringstream items(text);
    std::string item;
    list->clear();
    while (std::getline(items, item, ','))
    {
        unsigned first = 0;
        unsigned last = 0;
        char rest = 0;
        int read = std::sscanf(item.c_str(), "%u-%u%c", &first, &last, &rest);
        if (read == 1 && item == std::to_string(first))
        {
            last = first;
        }
        else if (read != 2)
        {
            return ALLOWED;
        }
        if (first < 1 || last < first || last > MAX_CPUS)
        {
            return ALLOWED;
        }
        for (unsigned n = first; n <= last; ++n)
        {
            list->push_back(n);
        }
    }
    return list->empty() ? ALLOWED : "";
}

} // namespace

int
LockScalingMain(int argc, char* argv[])
{
    ExampleOptions options("lock-scaling",
                           "locks, reference counts and read sides under contention, beside what "
                           "was measured");
    std::string machineName;
    std::string lock = "ticket";
    std::string primitive = "lock";
    std::string refcount = "atomic";
    std::string rwlock = "qrwlock";
    std::string counts;
    std::string json;
    bool atomic = false;
    bool printPath = false;
    double serial = 400;
    double fraction = 0.02;
    double precision = 0.01;
    int64_t maxFrames = 300000;
    int64_t seed = 1;
    std::vector<uint32_t> cpus;
    std::string names;
    for (const auto& name : MachinePresets::GetNames())
    {
        names += name + "|";
    }
    options.AddText("machine",
                    "The machine: a preset, or a CSV matrix of core-to-core-latency (default "
                    "opteron-6172-48 for a lock, platinum-8176 for other primitives).",
                    &machineName,
                    names + "FILE.csv");
    options.AddChoice("lock", "The kind of spin lock.", KernelLock::GetSpinLockKinds(), &lock);
    options.AddChoice("primitive",
                      "What is taken and given back.",
                      LockScaling::GetPrimitives(),
                      &primitive);
    options.AddChoice("refcount",
                      "The kind of reference count.",
                      ReferenceCount::GetKinds(),
                      &refcount);
    options.AddChoice("rwlock",
                      "The kind of reader-writer lock.",
                      KernelLock::GetRwLockKinds(),
                      &rwlock);
    options.AddSwitch("atomic", "Short for --primitive=atomic.", &atomic);
    options.AddReal("serial", "Work inside the lock.", 0, 1e9, &serial, "cycles");
    options.AddReal("fraction", "Share of the serial section in the whole.", 1e-9, 1, &fraction);
    options.AddText("cpus",
                    "Numbers of CPUs: 16, or 1,2,4, or 1-48 (default: those that were measured).",
                    &counts,
                    "LIST",
                    [&cpus](const std::string& text) { return ReadCounts(text, &cpus); });
    options.AddInteger("seed", "Run number of ns-3's random numbers.", 1, INT32_MAX, &seed);
    options.AddReal("precision",
                    "Run until the 95 % confidence interval of the rate is this share of it to "
                    "each side.",
                    1e-4,
                    0.5,
                    &precision);
    options.AddInteger("max-frames",
                       "Measure at most so many operations a point.",
                       1000,
                       INT64_C(1000000000000),
                       &maxFrames);
    options.AddText("json",
                    "Write the results there, one JSON object a point; - is standard output.",
                    &json,
                    "FILE|-");
    options.AddSwitch("print-path", "Print the steps instead of playing them.", &printPath);
    options.Bind("ns3::linuxhost::LockScaling",
                 {{"primitive", "Primitive"},
                  {"lock", "Lock"},
                  {"refcount", "Refcount"},
                  {"rwlock", "Rwlock"},
                  {"cpus", "Cpus"},
                  {"serial", "SerialCycles"},
                  {"fraction", "SerialFraction"}});
    options.Bind("ns3::linuxhost::PatchScenario",
                 {{"precision", "Precision"}, {"max-frames", "MaxFrames"}});
    int exitCode;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    if (atomic && options.IsGiven("primitive") && primitive != "atomic")
    {
        return options.Fail("primitive", primitive, "atomic, when --atomic is given");
    }
    if (printPath && options.IsGiven("json"))
    {
        return options.Fail("--json goes with a run, not with --print-path");
    }
    if (atomic)
    {
        primitive = "atomic";
    }
    for (const auto& pair : {std::make_pair("lock", "lock"),
                             std::make_pair("serial", "lock"),
                             std::make_pair("fraction", "lock"),
                             std::make_pair("rwlock", "rwlock"),
                             std::make_pair("refcount", "refcount")})
    {
        if (options.IsGiven(pair.first) && primitive != pair.second)
        {
            return options.Fail(std::string("--") + pair.first + " goes with --primitive=" +
                                pair.second + ", not with --primitive=" + primitive);
        }
    }
    bool isLock = primitive == "lock";
    if (machineName.empty())
    {
        machineName = isLock ? "opteron-6172-48" : "platinum-8176";
    }
    std::string error;
    Ptr<HostMachine> machine = MachinePresets::CreateFromUser(machineName, &error);
    if (!machine)
    {
        return options.Fail("machine", machineName, error);
    }
    const std::string figures = options.GetAttributes(PatchExample::HOST_MACHINE);
    const std::string refused = PatchExample::ApplyFigures(machine, figures, &error);
    if (!refused.empty())
    {
        return options.Fail("figure", refused, error);
    }
    // Beyond that simulated time has no numbers, and nobody the patience.
    const double LONGEST_ROUND = 10;
    const double CYCLES_PER_S = machine->GetClockGhz() * 1e9;
    if (isLock && serial / fraction > LONGEST_ROUND * CYCLES_PER_S)
    {
        char text[128];
        std::snprintf(text,
                      sizeof(text),
                      "--fraction=%g: allowed is from %.3g on, with this --serial: a round takes "
                      "10 s at most",
                      fraction,
                      serial / (LONGEST_ROUND * CYCLES_PER_S));
        return options.Fail(text);
    }
    std::vector<Curve> curves = {{serial, fraction}};
    bool ols = isLock && !printPath && !options.IsGiven("serial") && !options.IsGiven("fraction");
    if (ols)
    {
        curves = OLS_2012;
    }
    PublishedFigures published;
#ifdef LINUX_HOST_EXAMPLE_DATA
    error = published.Load(std::string(LINUX_HOST_EXAMPLE_DATA) + "/measured-locks.csv",
                           "lock-scaling");
    if (!error.empty())
    {
        std::cerr << "lock-scaling: nothing measured to compare with: " << error << std::endl;
    }
#endif
    if (cpus.empty())
    {
        std::vector<uint32_t> usual = {1, 2, 4, 8, 16, 28, 56, 112, 192};
        for (uint32_t n = 1; n <= 48 && isLock; ++n)
        {
            usual.resize(n);
            usual[n - 1] = n;
        }
        if (primitive == "atomic" && machineName == "dual-xeon-e5540")
        {
            usual = {1, 2, 3, 4, 6, 8, 10, 12, 14, 16};
        }
        std::copy_if(usual.begin(), usual.end(), std::back_inserter(cpus), [&](uint32_t n) {
            return n <= machine->GetNCpus();
        });
    }
    const std::string scenarioAttributes = options.GetAttributes("ns3::linuxhost::PatchScenario");
    uint32_t most = *std::max_element(cpus.begin(), cpus.end());
    error = machine->Extend(most);
    if (!error.empty())
    {
        return options.Fail("cpus", counts, error);
    }
    RngSeedManager::SetRun(static_cast<uint64_t>(seed));
    OutputFile file;
    if (options.IsGiven("json"))
    {
        error = json.empty() ? "a file's path" : file.Open(json);
        if (!error.empty())
        {
            return options.Fail("json", json, error);
        }
    }
    bool quiet = json == "-";
    for (const auto& curve : curves)
    {
        std::string key = primitive;
        if (isLock)
        {
            char text[64];
            std::snprintf(text,
                          sizeof(text),
                          "%s s=%g f=%g",
                          lock.c_str(),
                          curve.serialCycles,
                          curve.serialFraction);
            key = text;
        }
        if (!quiet && !printPath)
        {
            std::cout << (isLock ? key + " cycles" : primitive) << " on " << machine->GetName()
                      << "\n  CPUs   simulated    measured      error\n";
        }
        for (uint32_t n : cpus)
        {
            Ptr<LockScaling> scenario = CreateObject<LockScaling>();
            scenario->SetMachine(machine);
            scenario->SetAttribute("Primitive", StringValue(primitive));
            scenario->SetAttribute("Lock", StringValue(lock));
            scenario->SetAttribute("Refcount", StringValue(refcount));
            scenario->SetAttribute("Rwlock", StringValue(rwlock));
            scenario->SetAttribute("Cpus", UintegerValue(n));
            scenario->SetAttribute("SerialCycles", DoubleValue(curve.serialCycles));
            scenario->SetAttribute("SerialFraction", DoubleValue(curve.serialFraction));
            scenario->SetAttribute("Precision", DoubleValue(precision));
            scenario->SetAttribute("MaxFrames", UintegerValue(static_cast<uint64_t>(maxFrames)));
            // Who says how long is listened to.
            TimeValue warmup;
            TimeValue batch;
            scenario->GetAttribute("Warmup", warmup);
            scenario->GetAttribute("Batch", batch);
            scenario->SetDurations();
            if (scenarioAttributes.find("Warmup=") != std::string::npos)
            {
                scenario->SetAttribute("Warmup", warmup);
            }
            if (scenarioAttributes.find("Batch=") != std::string::npos)
            {
                scenario->SetAttribute("Batch", batch);
            }
            if (printPath)
            {
                scenario->GetPath()->Print(std::cout);
                return 0;
            }
            ScenarioResult result = scenario->Run();
            // Without a serial section there is nothing to speed up: what counts is the hand-over.
            std::string metric = !isLock                  ? "ns_per_operation"
                                 : curve.serialCycles > 0 ? "speedup"
                                                          : "ns_per_operation_system";
            double value = result.GetMetric(metric);
            if (options.IsGiven("json"))
            {
                result.WriteJson(file.Stream());
                file.Stream().flush();
            }
            if (quiet)
            {
                continue;
            }
            std::printf("  %4u  %10.2f", n, value);
            for (const auto& row : published.Get(machine->GetName() + " " + key, std::to_string(n)))
            {
                std::printf("  %10.2f  %+7.1f %%", row.value, 100 * (value / row.value - 1));
            }
            std::printf("\n");
            std::fflush(stdout);
        }
        if (!quiet)
        {
            std::cout << (!isLock ? "  (ns an operation, on each CPU)\n\n"
                          : curve.serialCycles > 0
                              ? "  (speed-up over one CPU with a free lock)\n\n"
                              : "  (ns a lock and unlock, all CPUs together)\n\n");
        }
    }
    error = options.IsGiven("json") ? file.Commit() : "";
    return error.empty() ? 0 : options.Fail(error);
}

} // namespace linuxhost
} // namespace ns3
