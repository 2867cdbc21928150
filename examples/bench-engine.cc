/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * How fast the simulated CPUs run, as ratios to what the same machine does in the same run: to the
 * bare ns-3 scheduler, and to the real host of the sit patch.
 */

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/example-options.h"
#include "ns3/json-text.h"
#include "ns3/machine-presets.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/sit-lockless-xmit.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <sys/resource.h>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/**
 * @param work what to time
 * @returns the seconds it takes
 */
double
Time1(const std::function<void()>& work)
{
    auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/**
 * @param values some values
 * @returns the middle one
 */
double
Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// A chain of events: each schedules the next.
struct Chain
{
    uint64_t left;  //!< events to go
    uint64_t delay; //!< ns between two

    /// One event.
    void Next()
    {
        if (left > 0)
        {
            --left;
            Simulator::Schedule(NanoSeconds(delay), &Chain::Next, this);
        }
    }
};

/// @returns events a second of ns-3's scheduler, with sixteen chains of events
double
SchedulerRate()
{
    const uint64_t EVENTS = 100000;
    const uint32_t CHAINS = 16;
    std::vector<Chain> chains;
    for (uint32_t i = 0; i < CHAINS; ++i)
    {
        chains.push_back({EVENTS / CHAINS, 50 + i});
    }
    for (auto& chain : chains)
    {
        chain.Next();
    }
    double seconds = Time1([]() { Simulator::Run(); });
    Simulator::Destroy();
    return EVENTS / seconds;
}

/**
 * @returns accesses a second to one line that sixteen CPUs write
 */
double
AccessRate()
{
    Ptr<HostMachine> machine = MachinePresets::Create("dual-xeon-e5540");
    Ptr<CpuEngine> engine = CreateObject<CpuEngine>();
    engine->SetMachine(machine);
    engine->AssignStreams(1);
    LineField word(Create<CacheLine>("word"));
    for (CpuId cpu = 0; cpu < machine->GetNCpus(); ++cpu)
    {
        Ptr<KernelPath> path = Create<KernelPath>("atomic_inc");
        path->Rmw(word, "atomic_inc");
        path->Work("loop", 100);
        path->Frame();
        engine->AddTask(cpu, path);
    }
    engine->Start();
    const Ticks STRETCH = 20000000000;
    uint64_t before = engine->GetAccesses();
    double seconds = Time1([&]() { engine->RunUntil(STRETCH); });
    double rate = (engine->GetAccesses() - before) / seconds;
    engine->Dispose();
    Simulator::Destroy();
    return rate;
}

/**
 * @param lltx variant
 * @param cpus number of CPUs
 * @param frames how many frames, about
 * @returns simulated frames a second of wall time
 */
double
FrameRate(bool lltx, uint32_t cpus, uint64_t frames)
{
    Ptr<HostMachine> machine = MachinePresets::Create("dual-xeon-e5540");
    machine->Extend(cpus);
    Ptr<SitLocklessXmit> scenario = CreateObject<SitLocklessXmit>();
    scenario->SetMachine(machine);
    scenario->SetAttribute("Lltx", BooleanValue(lltx));
    scenario->SetAttribute("Threads", UintegerValue(cpus));
    scenario->SetAttribute("MaxFrames", UintegerValue(frames));
    scenario->SetAttribute("Precision", DoubleValue(1e-5));
    ScenarioResult result;
    double seconds = Time1([&]() { result = scenario->Run(); });
    return (result.warmupFrames + result.measuredFrames) / seconds;
}

} // namespace

int
main(int argc, char* argv[])
{
    ExampleOptions options("bench-engine", "how fast the simulated CPUs run, as ratios");
    bool json = false;
    int64_t rounds = 5;
    options.AddSwitch("json", "Print one JSON object.", &json);
    options.AddInteger("rounds", "Rounds of which the median counts.", 1, 1000, &rounds);
    int exitCode;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    // What the real host did: 160 M frames in 195.399 s and in 61.387 s.
    const double REAL_BEFORE = 160e6 / 195.399;
    const double REAL_AFTER = 160e6 / 61.387;
    std::vector<double> accesses;
    std::vector<double> before;
    std::vector<double> after;
    for (int64_t i = 0; i < rounds; ++i)
    {
        // In turn: a machine whose speed drifts changes both.
        const uint64_t FRAMES = 200000;
        accesses.push_back(AccessRate() / SchedulerRate());
        before.push_back(FrameRate(false, 16, FRAMES) / REAL_BEFORE);
        after.push_back(FrameRate(true, 16, FRAMES) / REAL_AFTER);
    }
    std::vector<std::pair<uint32_t, double>> byCpus;
    for (uint32_t cpus : {1, 4, 16, 64, 256, 1024})
    {
        const uint64_t FRAMES = 50000;
        byCpus.emplace_back(cpus, 1e9 / FrameRate(false, cpus, FRAMES));
    }
    // Of all that was played, the largest machine too.
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double rss = usage.ru_maxrss / 1024.0;
    if (json)
    {
        std::cout << "{\"accesses_over_scheduler_events\": " << JsonNumber(Median(accesses))
                  << ", \"frames_over_real_sit_before\": " << JsonNumber(Median(before))
                  << ", \"frames_over_real_sit_after\": " << JsonNumber(Median(after))
                  << ", \"peak_rss_mb\": " << JsonNumber(rss) << ", \"ns_per_frame_by_cpus\": {";
        for (std::size_t i = 0; i < byCpus.size(); ++i)
        {
            std::cout << (i ? ", " : "") << "\"" << byCpus[i].first
                      << "\": " << JsonNumber(byCpus[i].second);
        }
        std::cout << "}}" << std::endl;
        return 0;
    }
    std::printf("contended accesses / scheduler events   %6.2f   (at least 4)\n", Median(accesses));
    std::printf("frames / real host's frames, before     %6.2f   (at least 0.5)\n", Median(before));
    std::printf("frames / real host's frames, after      %6.2f   (at least 0.5)\n", Median(after));
    std::printf("peak memory                             %6.1f MB (at most 100)\n", rss);
    for (const auto& point : byCpus)
    {
        std::printf("ns a frame, sit before, %4u CPUs        %6.0f\n", point.first, point.second);
    }
    return 0;
}
