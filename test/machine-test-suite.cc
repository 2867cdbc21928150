/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/cache-line.h"
#include "ns3/double.h"
#include "ns3/host-machine.h"
#include "ns3/linux-host-compat.h"
#include "ns3/machine-presets.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/// Ticks a nanosecond.
const Ticks NS = 1000;

/**
 * A machine of round figures: clock 1 GHz, so that a cycle is a nanosecond.
 * @param snoopShare share of a transfer after which the owner loses the line
 * @returns a machine of two sockets of two cores of two threads, not frozen
 */
Ptr<HostMachine>
MakeRoundMachine(double snoopShare)
{
    Ptr<HostMachine> machine = CreateObject<HostMachine>();
    machine->SetAttribute("Sockets", UintegerValue(2));
    machine->SetAttribute("CoresPerSocket", UintegerValue(2));
    machine->SetAttribute("ThreadsPerCore", UintegerValue(2));
    machine->SetAttribute("ClockGhz", DoubleValue(1));
    machine->SetAttribute("SiblingLatency", DoubleValue(10));
    machine->SetAttribute("SocketLatency", DoubleValue(40));
    machine->SetAttribute("CrossLatency", DoubleValue(100));
    machine->SetAttribute("L1Load", DoubleValue(4));
    machine->SetAttribute("L1Store", DoubleValue(1));
    machine->SetAttribute("L1Rmw", DoubleValue(20));
    machine->SetAttribute("SharedReadSocket", DoubleValue(16));
    machine->SetAttribute("SharedReadCross", DoubleValue(60));
    machine->SetAttribute("SnoopShare", DoubleValue(snoopShare));
    return machine;
}

} // namespace

/**
 * @ingroup linux-host-tests
 * The machines that are known by name.
 */
class MachinePresetTestCase : public TestCase
{
  public:
    MachinePresetTestCase()
        : TestCase("Presets: counts and distances as published, a source for each figure")
    {
    }

  private:
    void DoRun() override
    {
        std::map<std::string, uint32_t> cpus = {{"dual-xeon-e5540", 16},
                                                {"dual-xeon-e5-2690", 32},
                                                {"opteron-6172-48", 48},
                                                {"dual-xeon-skylake-sp", 64}};
        auto names = MachinePresets::GetNames();
        NS_TEST_ASSERT_MSG_EQ(names.back(), "generic", "generic is last");
        std::set<std::string> distinct(names.begin(), names.end());
        NS_TEST_EXPECT_MSG_EQ(distinct.size(), names.size(), "names are distinct");
        for (const auto& entry : cpus)
        {
            NS_TEST_EXPECT_MSG_EQ(distinct.count(entry.first), 1, entry.first << " is listed");
            auto machine = MachinePresets::Create(entry.first);
            NS_TEST_ASSERT_MSG_NE(machine, nullptr, entry.first << " exists");
            NS_TEST_EXPECT_MSG_EQ(machine->GetNCpus(), entry.second, "CPUs of " << entry.first);
        }
        for (const auto& name : names)
        {
            CheckFigures(name);
        }
        NS_TEST_EXPECT_MSG_EQ(MachinePresets::Create("no-such-machine"), nullptr, "unknown name");
        NS_TEST_EXPECT_MSG_EQ(MachinePresets::Create(""), nullptr, "empty name");

        // perfbook's X5550 scaled by 5 to 15 %, and the two sibling threads.
        auto nehalem = MachinePresets::Create("dual-xeon-e5540");
        nehalem->Freeze();
        NS_TEST_EXPECT_MSG_EQ_TOL(nehalem->GetClockGhz(), 2.53, 1e-9, "E5540's clock");
        NS_TEST_EXPECT_MSG_EQ_TOL(nehalem->GetLatency(0, 8), 9 * NS, 4 * NS, "5 to 13 ns");
        NS_TEST_EXPECT_MSG_EQ_TOL(nehalem->GetLatency(0, 1), 34 * NS, 4 * NS, "30 to 38 ns");
        NS_TEST_EXPECT_MSG_EQ_TOL(nehalem->GetLatency(0, 4), 105 * NS, 13 * NS, "92 to 118 ns");
        // SOSP 2013, table 2, on 2.4 GHz: CAS on a modified line 110, 197, 216, 296 cycles.
        auto opteron = MachinePresets::Create("opteron-6172-48");
        opteron->Freeze();
        std::map<Ticks, uint32_t> distances;
        for (CpuId other = 1; other < 48; ++other)
        {
            ++distances[opteron->GetLatency(0, other)];
            NS_TEST_EXPECT_MSG_EQ(opteron->GetLatency(0, other),
                                  opteron->GetLatency(other, 0),
                                  "distances are the same both ways");
        }
        std::map<Ticks, uint32_t> expected = {{45833, 5}, {82083, 6}, {90000, 18}, {123333, 18}};
        NS_TEST_EXPECT_MSG_EQ((distances == expected), true, "distances from CPU 0");
        NS_TEST_EXPECT_MSG_EQ(opteron->GetNSockets(), 8, "eight dies");
    }

    /// @param name a preset whose figures are looked at
    void CheckFigures(const std::string& name)
    {
        const std::set<std::string> KINDS = {"literature", "counted", "calibrated", "assumed"};
        auto machine = MachinePresets::Create(name);
        NS_TEST_ASSERT_MSG_NE(machine, nullptr, name << " exists");
        NS_TEST_EXPECT_MSG_EQ(machine->GetName(), name, "a machine knows its name");
        std::set<std::string> sourced;
        std::map<std::string, double> values;
        bool derived = false;
        for (const auto& figure : machine->GetFigures())
        {
            values[figure.name] = figure.value;
            if (figure.source.find("M to S ratio") != std::string::npos)
            {
                derived = true;
            }
            if (figure.source != "default of ns3::linuxhost::HostMachine")
            {
                sourced.insert(figure.name);
            }
            NS_TEST_EXPECT_MSG_EQ(figure.source.empty(), false, name << ": " << figure.name);
            NS_TEST_EXPECT_MSG_EQ(KINDS.count(figure.kind), 1, name << ": " << figure.kind);
        }
        if (derived)
        {
            // Nehalem: 103 ns modified, 58 ns clean, across sockets.
            NS_TEST_EXPECT_MSG_EQ_TOL(values["SharedReadCross"],
                                      values["CrossLatency"] * 58 / 103,
                                      0.51,
                                      name << ": derived as it says");
        }
        if (name == "generic")
        {
            return;
        }
        // Every latency and rate that shapes a run has its line.
        for (const char* attribute : {"Sockets",
                                      "CoresPerSocket",
                                      "ThreadsPerCore",
                                      "ClockGhz",
                                      "CyclesPerInstruction",
                                      "SocketLatency",
                                      "CrossLatency",
                                      "L1Load",
                                      "L1Store",
                                      "L1Rmw",
                                      "SharedReadSocket",
                                      "SharedReadCross",
                                      "SnoopShare",
                                      "CopyRate",
                                      "ChecksumRate",
                                      "WorkSpread",
                                      "TickHz",
                                      "TickWork"})
        {
            NS_TEST_EXPECT_MSG_EQ(sourced.count(attribute), 1, name << " gives " << attribute);
        }
    }
};

/**
 * @ingroup linux-host-tests
 * How CPUs are numbered, and what a change of an attribute does to what is said of it.
 */
class MachineTopologyTestCase : public TestCase
{
  public:
    MachineTopologyTestCase()
        : TestCase("Topology: threads of cores of sockets; figures in ticks; 1 to 1024 CPUs")
    {
    }

  private:
    void DoRun() override
    {
        auto machine = MakeRoundMachine(0);
        machine->Freeze();
        NS_TEST_ASSERT_MSG_EQ(machine->GetNCpus(), 8, "2 x 2 x 2");
        for (CpuId cpu = 0; cpu < 8; ++cpu)
        {
            NS_TEST_EXPECT_MSG_EQ(machine->GetCore(cpu), cpu % 4, "core of " << cpu);
            NS_TEST_EXPECT_MSG_EQ(machine->GetSocket(cpu), cpu % 4 / 2, "socket of " << cpu);
        }
        NS_TEST_EXPECT_MSG_EQ(machine->GetNSockets(), 2, "sockets");
        NS_TEST_EXPECT_MSG_EQ(machine->GetLatency(1, 5), 10 * NS, "sibling threads");
        NS_TEST_EXPECT_MSG_EQ(machine->GetLatency(0, 5), 40 * NS, "cores of a socket");
        NS_TEST_EXPECT_MSG_EQ(machine->GetLatency(1, 2), 100 * NS, "sockets");
        NS_TEST_EXPECT_MSG_EQ(machine->Extend(9).empty(), false, "a machine in use stays");
        NS_TEST_EXPECT_MSG_EQ(machine->GetNCpus(), 8, "and keeps its number of CPUs");

        auto rates = MakeRoundMachine(0);
        rates->SetAttribute("ClockGhz", DoubleValue(2.5));
        rates->SetAttribute("CyclesPerInstruction", DoubleValue(1.25));
        rates->SetAttribute("CopyRate", DoubleValue(8));
        rates->SetAttribute("ChecksumRate", DoubleValue(4));
        NS_TEST_EXPECT_MSG_EQ(rates->CyclesToTicks(20), 8 * NS, "20 / 2.5");
        NS_TEST_EXPECT_MSG_EQ(rates->InstructionsToTicks(1000), 500 * NS, "1000 x 1.25 / 2.5");
        NS_TEST_EXPECT_MSG_EQ(rates->CopyTicks(1500), 75 * NS, "1500 / 8 / 2.5");
        NS_TEST_EXPECT_MSG_EQ(rates->ChecksumTicks(1500), 150 * NS, "1500 / 4 / 2.5");

        for (uint32_t cpus : {1, 2, 7, 16, 17, 100, 1000, 1024})
        {
            for (const char* name : {"dual-xeon-e5540", "dual-xeon-skylake-sp", "generic"})
            {
                auto grown = MachinePresets::Create(name);
                uint32_t before = grown->GetNCpus();
                NS_TEST_EXPECT_MSG_EQ(grown->Extend(cpus), "", name << " with " << cpus);
                NS_TEST_EXPECT_MSG_GT_OR_EQ(grown->GetNCpus(), std::max(before, cpus), name);
                NS_TEST_EXPECT_MSG_LT_OR_EQ(grown->GetNCpus(), 1024, name << " has 1024 at most");
                grown->Freeze();
                NS_TEST_EXPECT_MSG_LT(grown->GetSocket(grown->GetNCpus() - 1),
                                      grown->GetNSockets(),
                                      "the last CPU is in a socket");
            }
        }
        auto refused = MachinePresets::Create("dual-xeon-e5540");
        NS_TEST_EXPECT_MSG_EQ(refused->Extend(0).empty(), false, "0 CPUs");
        NS_TEST_EXPECT_MSG_EQ(refused->Extend(1025).empty(), false, "1025 CPUs");
        NS_TEST_EXPECT_MSG_EQ(refused->GetNCpus(), 16, "a refusal changes nothing");
        auto matrix = MachinePresets::Create("opteron-6172-48");
        NS_TEST_EXPECT_MSG_EQ(matrix->Extend(48), "", "as many as the matrix has");
        NS_TEST_EXPECT_MSG_EQ(matrix->Extend(49).empty(), false, "more than the matrix has");

        // What is said of a figure is what is used.
        auto changed = MachinePresets::Create("dual-xeon-e5540");
        changed->SetAttribute("CrossLatency", DoubleValue(50));
        changed->Extend(32);
        for (const auto& figure : changed->GetFigures())
        {
            if (figure.name == "CrossLatency")
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(figure.value, 50, 1e-9, "the value as it is now");
                NS_TEST_EXPECT_MSG_EQ(figure.kind, "set", "somebody set it");
            }
            if (figure.name == "Sockets")
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(figure.value, 4, 1e-9, "sockets after Extend");
            }
            if (figure.name == "SocketLatency")
            {
                NS_TEST_EXPECT_MSG_EQ(figure.kind, "literature", "not touched");
            }
        }
        CheckBounds();
    }

    /// Values that an attribute refuses.
    void CheckBounds()
    {
        auto machine = CreateObject<HostMachine>();
        const std::vector<std::pair<std::string, double>> BAD = {
            {"ClockGhz", 0},
            {"ClockGhz", -1},
            {"CyclesPerInstruction", 0},
            {"SocketLatency", -1},
            {"CrossLatency", 1.1e6},
            {"SiblingLatency", -0.5},
            {"L1Load", -1},
            {"SharedReadSocket", -1},
            {"SnoopShare", -0.1},
            {"SnoopShare", 1.1},
            {"CopyRate", 0},
            {"ChecksumRate", 0},
            {"WorkSpread", 1.5},
            {"TickHz", -1},
            {"TickWork", -1},
            {"ClockGhz", std::numeric_limits<double>::quiet_NaN()}};
        for (const auto& bad : BAD)
        {
            NS_TEST_EXPECT_MSG_EQ(machine->SetAttributeFailSafe(bad.first, DoubleValue(bad.second)),
                                  false,
                                  bad.first << "=" << bad.second);
        }
        for (const char* name : {"Sockets", "CoresPerSocket", "ThreadsPerCore"})
        {
            NS_TEST_EXPECT_MSG_EQ(machine->SetAttributeFailSafe(name, UintegerValue(0)),
                                  false,
                                  name << "=0");
            NS_TEST_EXPECT_MSG_EQ(machine->SetAttributeFailSafe(name, UintegerValue(1025)),
                                  false,
                                  name << "=1025");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * The CSV that core-to-core-latency prints, and what people make of it.
 */
class MachineMatrixTestCase : public TestCase
{
  public:
    MachineMatrixTestCase()
        : TestCase("Matrix import: shapes, topology, errors that name the place")
    {
    }

  private:
    /**
     * @param text a CSV text
     * @returns what is wrong with it
     */
    static std::string Load(const std::string& text)
    {
        std::istringstream is(text);
        return CreateObject<HostMachine>()->LoadMatrix(is);
    }

    /**
     * @param text a CSV text
     * @param parts what the message about it names
     */
    void CheckRefused(const std::string& text, const std::vector<std::string>& parts)
    {
        std::string error = Load(text);
        NS_TEST_EXPECT_MSG_EQ(error.empty(), false, "refused: " << text.substr(0, 40));
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line: " << error);
        for (const auto& part : parts)
        {
            NS_TEST_EXPECT_MSG_NE(error.find(part), std::string::npos, part << " in: " << error);
        }
    }

    /**
     * @param cpus number of CPUs
     * @param cell gives the latency of a pair
     * @returns the machine
     */
    template <typename F>
    static Ptr<HostMachine> Make(uint32_t cpus, F cell)
    {
        std::vector<double> ns(std::size_t(cpus) * cpus, 0.0);
        for (uint32_t i = 0; i < cpus; ++i)
        {
            for (uint32_t j = 0; j < cpus; ++j)
            {
                // A repeatable scatter of 8 % to each side.
                double scatter =
                    1 + 0.16 * ((std::min(i, j) * 7 + std::max(i, j) * 13) % 11) / 10 - 0.08;
                ns[i * cpus + j] = i == j ? 0 : cell(i, j) * scatter;
            }
        }
        auto machine = CreateObject<HostMachine>();
        machine->SetMatrix(cpus, ns);
        machine->Freeze();
        return machine;
    }

    /**
     * @param machine a machine
     * @param core tells the core of a CPU
     * @param socket tells its socket
     * @param what which machine
     */
    template <typename C, typename S>
    void CheckTopology(Ptr<HostMachine> machine, C core, S socket, const std::string& what)
    {
        for (CpuId i = 0; i < machine->GetNCpus(); ++i)
        {
            for (CpuId j = 0; j < i; ++j)
            {
                NS_TEST_EXPECT_MSG_EQ((machine->GetCore(i) == machine->GetCore(j)),
                                      (core(i) == core(j)),
                                      what << ": core of " << i << " and " << j);
                NS_TEST_EXPECT_MSG_EQ((machine->GetSocket(i) == machine->GetSocket(j)),
                                      (socket(i) == socket(j)),
                                      what << ": socket of " << i << " and " << j);
            }
        }
    }

    void DoRun() override
    {
        CheckShapes();
        CheckErrors();
        CheckTopologies();

        std::string error;
        auto machine =
            MachinePresets::CreateFromUser(LINUX_HOST_TEST_DATA "/machine/two-sockets.csv", &error);
        NS_TEST_ASSERT_MSG_NE(machine, nullptr, error);
        machine->Freeze();
        NS_TEST_ASSERT_MSG_EQ(machine->GetNCpus(), 8, "eight rows");
        CheckTopology(
            machine,
            [](CpuId cpu) { return cpu % 4; },
            [](CpuId cpu) { return cpu % 4 / 2; },
            "two-sockets.csv");
        NS_TEST_EXPECT_MSG_EQ(machine->Extend(9).empty(), false, "a matrix cannot be extended");
        // A clean line is nearer than a modified one, and the run says that it was derived.
        bool derived = false;
        for (const auto& figure : machine->GetFigures())
        {
            if (figure.name == "SharedReadSocket")
            {
                derived = figure.source.find("derived") != std::string::npos;
                NS_TEST_EXPECT_MSG_LT(figure.value, 40 * 1.12, "clean line in a socket");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(derived, true, "the source of the derived figure");

        NS_TEST_EXPECT_MSG_EQ(MachinePresets::CreateFromUser("no-such-machine", &error),
                              nullptr,
                              "unknown name");
        NS_TEST_EXPECT_MSG_NE(error.find("dual-xeon-e5540"), std::string::npos, "names are listed");
        NS_TEST_EXPECT_MSG_EQ(MachinePresets::CreateFromUser("/no/such/file.csv", &error),
                              nullptr,
                              "no such file");
        NS_TEST_EXPECT_MSG_EQ(MachinePresets::CreateFromUser(LINUX_HOST_TEST_DATA, &error),
                              nullptr,
                              "a folder");
    }

    /// Shapes that are taken.
    void CheckShapes()
    {
        auto load = [this](const std::string& text) {
            auto machine = CreateObject<HostMachine>();
            std::istringstream is(text);
            std::string error = machine->LoadMatrix(is);
            NS_TEST_EXPECT_MSG_EQ(error, "", "taken");
            machine->Freeze();
            return machine;
        };
        for (const char* text : {",,\n50,,\n120.5,130,\n",
                                 ",,\r\n50,,\r\n120.5,130,\r\n",
                                 ",,\n50,,\n120.5,130,",
                                 " , ,\n 50 ,,\n120.5,\t130,\n\n\n",
                                 ",50,120.5\n,,130\n,,\n",
                                 "0,50,120.5\n50,0,130\n120.5,130,0\n",
                                 ",,\n5e1,,\n1.205e2,130\n"})
        {
            auto machine = load(text);
            NS_TEST_ASSERT_MSG_EQ(machine->GetNCpus(), 3, "three rows in " << text);
            NS_TEST_EXPECT_MSG_EQ(machine->GetLatency(0, 1), 50 * NS, text);
            NS_TEST_EXPECT_MSG_EQ(machine->GetLatency(2, 0), 120500, text);
            NS_TEST_EXPECT_MSG_EQ(machine->GetLatency(1, 2), 130 * NS, text);
        }
        // A square need not be symmetrical.
        auto skew = load("0,50\n60,0\n");
        NS_TEST_EXPECT_MSG_EQ(skew->GetLatency(0, 1), 50 * NS, "row 1");
        NS_TEST_EXPECT_MSG_EQ(skew->GetLatency(1, 0), 60 * NS, "row 2");
        std::string most;
        for (uint32_t row = 0; row < 1024; ++row)
        {
            for (uint32_t column = 0; column < row; ++column)
            {
                most += "9,";
            }
            most += ",\n";
        }
        auto big = load(most);
        NS_TEST_EXPECT_MSG_EQ(big->GetNCpus(), 1024, "the largest machine");
        NS_TEST_EXPECT_MSG_EQ(Load(most + ",\n").empty(), false, "one more row");
        NS_TEST_EXPECT_MSG_NE(Load(most + ",\n").find("1024"),
                              std::string::npos,
                              "names the bound");
    }

    /// Texts that are refused.
    void CheckErrors()
    {
        CheckRefused("", {});
        CheckRefused("\n\n\r\n", {});
        CheckRefused(",\n", {});
        CheckRefused("5\n", {});
        CheckRefused(",,\n50,,\n120,x,\n", {"line 3", "column 2", "x"});
        CheckRefused(",,\n\n50,,\n120,1 2,\n", {"line 4", "column 2"});
        CheckRefused(",\n-1,\n", {"line 2", "column 1"});
        CheckRefused(",\nnan,\n", {"line 2", "column 1"});
        CheckRefused(",\ninf,\n", {"line 2", "column 1"});
        CheckRefused(",\n1e9,\n", {"line 2", "column 1"});
        CheckRefused(";\n50;\n", {"line 1", "column 1"});
        CheckRefused("\xef\xbb\xbf,\n50,\n", {"line 1", "column 1"});
        CheckRefused(",,\n50,,\n120,,\n", {"row 3", "column 2"});
        CheckRefused(",,\n50,,\n120,130,140,150\n", {"row 3"});
        CheckRefused(std::string("\0\0,\n50,\n", 8), {"line 1"});
    }

    /// Machines of many kinds, told from their latencies alone.
    void CheckTopologies()
    {
        auto self = [](CpuId cpu) { return cpu; };
        auto one = [](CpuId) { return 0; };
        auto threads = [](CpuId cpu) { return cpu % 8; };
        auto quads = [](CpuId cpu) { return cpu % 8 / 4; };
        CheckTopology(
            Make(16,
                 [&](CpuId i, CpuId j) {
                     return threads(i) == threads(j) ? 8 : quads(i) == quads(j) ? 34 : 103;
                 }),
            threads,
            quads,
            "two sockets of four cores of two threads");
        CheckTopology(Make(8, [&](CpuId i, CpuId j) { return quads(i) == quads(j) ? 34 : 103; }),
                      self,
                      quads,
                      "two sockets of four cores without threads");
        CheckTopology(Make(16, [&](CpuId i, CpuId j) { return threads(i) == threads(j) ? 8 : 34; }),
                      threads,
                      one,
                      "one socket of eight cores of two threads");
        CheckTopology(Make(6, [](CpuId, CpuId) { return 40; }), self, one, "one socket");
        CheckTopology(Make(2, [](CpuId, CpuId) { return 100; }), self, one, "two CPUs");
        auto adjacent = [](CpuId cpu) { return cpu / 2; };
        auto complex = [](CpuId cpu) { return cpu / 8; };
        CheckTopology(
            Make(32,
                 [&](CpuId i, CpuId j) {
                     return adjacent(i) == adjacent(j) ? 10 : complex(i) == complex(j) ? 25 : 154;
                 }),
            adjacent,
            complex,
            "core complexes, threads side by side");
    }
};

/**
 * @ingroup linux-host-tests
 * What an access to a cache line takes. The figures are those of MakeRoundMachine: CPUs 0 and 4 are
 * threads of a core, 0 and 1 cores of a socket, 0 and 2 in two sockets.
 */
class CacheLineTestCase : public TestCase
{
  public:
    CacheLineTestCase()
        : TestCase("A line moves once at a time, in order of arrival, at the matrix's latency")
    {
    }

  private:
    /**
     * @param machine the machine, frozen here
     * @returns a line on it
     */
    static Ptr<CacheLine> MakeLine(Ptr<HostMachine> machine)
    {
        machine->Freeze();
        auto line = Create<CacheLine>("line");
        line->Reset(PeekPointer(machine));
        return line;
    }

    void DoRun() override
    {
        CheckOneCpu();
        CheckPingPong();
        CheckFifo();
        CheckSharing();
        CheckSnoop();
        CheckParallel();
        CheckPollers();
    }

    /// The first touch and every other one of a single CPU cost its own L1.
    void CheckOneCpu()
    {
        auto machine = MakeRoundMachine(0);
        auto line = MakeLine(machine);
        NS_TEST_EXPECT_MSG_EQ(line->Read(3, 0), 4 * NS, "first load");
        NS_TEST_EXPECT_MSG_EQ(line->Rmw(3, 100 * NS), 120 * NS, "upgrade of the only copy");
        NS_TEST_EXPECT_MSG_EQ(line->Write(3, 200 * NS), 201 * NS, "store");
        NS_TEST_EXPECT_MSG_EQ(line->Read(3, 300 * NS), 304 * NS, "load");
        NS_TEST_EXPECT_MSG_EQ(line->GetTransfers(), 0, "it never moved");
        NS_TEST_EXPECT_MSG_EQ(line->GetBusy(), 0, "for no time");
        auto other = MakeLine(machine);
        NS_TEST_EXPECT_MSG_EQ(other->Rmw(0, 0), 20 * NS, "first RMW");
        auto third = MakeLine(machine);
        NS_TEST_EXPECT_MSG_EQ(third->Write(0, 7), 7 + NS, "first store");
    }

    /// Two CPUs take turns: each access is the matrix's entry, whichever kind it is.
    void CheckPingPong()
    {
        for (double snoop : {0.0, 0.2})
        {
            auto machine = MakeRoundMachine(snoop);
            const std::vector<std::pair<CpuId, Ticks>> PARTNERS = {{4, 10 * NS},
                                                                   {1, 40 * NS},
                                                                   {5, 40 * NS},
                                                                   {2, 100 * NS},
                                                                   {7, 100 * NS}};
            for (const auto& partner : PARTNERS)
            {
                auto line = MakeLine(machine);
                Ticks now = line->Rmw(0, 0);
                for (int i = 0; i < 100; ++i)
                {
                    CpuId cpu = i % 2 ? 0 : partner.first;
                    // Only RMWs, or stores and RMWs in turn.
                    Ticks done = i % 3 ? line->Rmw(cpu, now) : line->Write(cpu, now);
                    NS_TEST_EXPECT_MSG_EQ(done - now, partner.second, "CPU " << partner.first);
                    now = done;
                }
                NS_TEST_EXPECT_MSG_EQ(line->GetTransfers(), 100, "one transfer each");
                NS_TEST_EXPECT_MSG_EQ(line->GetBusy(), 100 * partner.second, "busy all the time");
            }
        }
        // A matrix need not be symmetrical.
        auto machine = CreateObject<HostMachine>();
        machine->SetMatrix(2, {0, 50, 70, 0});
        auto line = MakeLine(machine);
        Ticks now = line->Rmw(0, 0);
        Ticks there = line->Rmw(1, now);
        NS_TEST_EXPECT_MSG_EQ(there - now, 50 * NS, "from 0 to 1");
        NS_TEST_EXPECT_MSG_EQ(line->Rmw(0, there) - there, 70 * NS, "from 1 to 0");
    }

    /// All ask at once, and again as soon as they are done: the k-th is done after k transfers.
    void CheckFifo()
    {
        auto machine = MakeRoundMachine(0);
        auto line = MakeLine(machine);
        const std::vector<CpuId> ORDER = {3, 0, 6, 1, 7, 4, 2, 5};
        line->Rmw(5, 0);
        Ticks expected = 1000 * NS;
        CpuId before = 5;
        Ticks sum = 0;
        std::vector<Ticks> asks(8, expected);
        for (int round = 0; round < 50; ++round)
        {
            for (CpuId cpu : ORDER)
            {
                // With no share of the transfer to its name, an owner that is done has lost it.
                expected += machine->GetLatency(before, cpu);
                sum += machine->GetLatency(before, cpu);
                NS_TEST_EXPECT_MSG_EQ(line->Rmw(cpu, asks[cpu]), expected, "CPU " << cpu);
                asks[cpu] = expected;
                before = cpu;
            }
        }
        // 3-0 100, 0-6 100, 6-1 100, 1-7 100, 7-4 100, 4-2 100, 2-5 100, 5-3 100.
        NS_TEST_EXPECT_MSG_EQ(sum, 400 * 100 * NS, "every hop of this order crosses");
        NS_TEST_EXPECT_MSG_EQ(line->GetTransfers(), 400, "transfers");
        NS_TEST_EXPECT_MSG_EQ(line->GetBusy(), sum, "mean transfer x transfers");
    }

    /// Clean copies: who may read them at what price, and what a write does to them.
    void CheckSharing()
    {
        auto machine = MakeRoundMachine(0);
        auto line = MakeLine(machine);
        Ticks now = line->Rmw(0, 0);
        now = 1000 * NS;
        NS_TEST_EXPECT_MSG_EQ(line->Read(2, now), now + 100 * NS, "from the modified state");
        now = 2000 * NS;
        NS_TEST_EXPECT_MSG_EQ(line->Read(2, now), now + 4 * NS, "a copy of its own");
        NS_TEST_EXPECT_MSG_EQ(line->Read(0, now), now + 4 * NS, "the writer kept a copy");
        NS_TEST_EXPECT_MSG_EQ(line->Read(1, now), now + 16 * NS, "a copy in the socket");
        NS_TEST_EXPECT_MSG_EQ(line->Read(3, now), now + 16 * NS, "also in the other");
        now = 3000 * NS;
        // CPU 1 has a copy already: what it waits for is the farthest invalidation.
        NS_TEST_EXPECT_MSG_EQ(line->Rmw(1, now), now + 100 * NS, "read, then write: invalidate");
        now = 4000 * NS;
        NS_TEST_EXPECT_MSG_EQ(line->Read(1, now), now + 4 * NS, "the owner");
        NS_TEST_EXPECT_MSG_EQ(line->Read(0, now), now + 40 * NS, "its copy is gone: fetch");
        now = 5000 * NS;
        NS_TEST_EXPECT_MSG_EQ(line->Read(2, now), now + 60 * NS, "clean, in the other socket only");

        // Together in parallel: all have it when the first transfer out of modified is done.
        auto parallel = MakeLine(machine);
        parallel->Rmw(0, 0);
        now = 1000 * NS;
        NS_TEST_EXPECT_MSG_EQ(parallel->Read(2, now), now + 100 * NS, "first");
        NS_TEST_EXPECT_MSG_EQ(parallel->Read(3, now), now + 116 * NS, "second, after the first");
        NS_TEST_EXPECT_MSG_EQ(parallel->Read(6, now), now + 116 * NS, "third, at the same time");

        // One after the other: each keeps the line busy for its service.
        auto home = MakeRoundMachine(0);
        home->SetAttribute("SerialSharedReads", BooleanValue(true));
        home->SetAttribute("SharedReadService", DoubleValue(50));
        auto serial = MakeLine(home);
        serial->Rmw(0, 0);
        NS_TEST_EXPECT_MSG_EQ(serial->Read(2, now), now + 100 * NS, "first");
        for (int k = 0; k < 4; ++k)
        {
            const CpuId READERS[] = {3, 6, 7, 1};
            NS_TEST_EXPECT_MSG_EQ(serial->Read(READERS[k], now),
                                  now + (100 + 50 * k + 16) * NS,
                                  "reader " << k << " waits for those before it");
        }
    }

    /// The owner goes on using the line until the next one's snoop arrives.
    void CheckSnoop()
    {
        auto machine = MakeRoundMachine(0.25);
        auto line = MakeLine(machine);
        line->Rmw(0, 0);
        Ticks now = 1000 * NS;
        NS_TEST_EXPECT_MSG_EQ(line->Rmw(2, now), now + 100 * NS, "the request");
        NS_TEST_EXPECT_MSG_EQ(line->Rmw(0, now + 5 * NS), now + 25 * NS, "within 25 ns: its own");
        NS_TEST_EXPECT_MSG_EQ(line->Read(0, now + 24 * NS), now + 28 * NS, "read as well");
        NS_TEST_EXPECT_MSG_EQ(line->Rmw(0, now + 25 * NS), now + 200 * NS, "then it is gone");
        NS_TEST_EXPECT_MSG_EQ(line->GetTransfers(), 2, "there and back");
        // CPU 2 has it from 1100 to 1125.
        NS_TEST_EXPECT_MSG_EQ(line->Read(2, now + 124 * NS), now + 128 * NS, "what it fetched");
        NS_TEST_EXPECT_MSG_EQ(line->Read(2, now + 125 * NS), now + 300 * NS, "not any more");
    }

    /// Two lines move at the same time; one line with two fields does not.
    void CheckParallel()
    {
        auto machine = MakeRoundMachine(0);
        auto a = MakeLine(machine);
        auto b = MakeLine(machine);
        a->Rmw(0, 0);
        b->Rmw(0, 0);
        Ticks now = 1000 * NS;
        NS_TEST_EXPECT_MSG_EQ(a->Rmw(2, now), now + 100 * NS, "one line");
        NS_TEST_EXPECT_MSG_EQ(b->Rmw(3, now), now + 100 * NS, "the other, meanwhile");
        LineField count(a, "count");
        LineField flags(a, "flags");
        NS_TEST_EXPECT_MSG_EQ(count.GetName(), "line/count", "name of a field");
        NS_TEST_EXPECT_MSG_EQ(LineField(a).GetName(), "line", "name of a line");
        now = 2000 * NS;
        NS_TEST_EXPECT_MSG_EQ(count.line->Rmw(0, now), now + 100 * NS, "one field");
        NS_TEST_EXPECT_MSG_EQ(flags.line->Rmw(1, now), now + 140 * NS, "the other waits for it");
    }

    /// Those that poll a line see a write one transfer later, the nearest first.
    void CheckPollers()
    {
        auto machine = MakeRoundMachine(0);
        auto line = MakeLine(machine);
        Ticks now = line->Rmw(0, 0);
        now = line->Rmw(1, now);
        line->AddPoller(1);
        NS_TEST_EXPECT_MSG_EQ(line->GetNPollers(), 1, "one poller");
        now = 1000 * NS;
        NS_TEST_EXPECT_MSG_EQ(line->Write(0, now), now + 40 * NS, "the writer fetches it back");
        NS_TEST_EXPECT_MSG_EQ(line->PollerSees(1, 0), now + 80 * NS, "and then the poller");
        line->RemovePoller(1);
        line->RemovePoller(1);
        NS_TEST_EXPECT_MSG_EQ(line->GetNPollers(), 0, "gone, once");
        now = 2000 * NS;
        NS_TEST_EXPECT_MSG_EQ(line->Read(1, now), now + 4 * NS, "it keeps its copy");

        // Serial: the more poll, the later the last sees it; the first does not wait.
        auto home = MakeRoundMachine(0);
        home->SetAttribute("SerialSharedReads", BooleanValue(true));
        home->SetAttribute("SharedReadService", DoubleValue(200));
        for (uint32_t pollers = 1; pollers <= 7; ++pollers)
        {
            auto word = MakeLine(home);
            word->Rmw(0, 0);
            for (CpuId cpu = 1; cpu <= pollers; ++cpu)
            {
                word->AddPoller(cpu);
            }
            now = 1000 * NS;
            Ticks done = word->Rmw(0, now);
            NS_TEST_EXPECT_MSG_EQ(word->PollerSees(1, 0.999) - done,
                                  200 * NS * pollers,
                                  "the last of " << pollers);
            NS_TEST_EXPECT_MSG_EQ(word->PollerSees(1, 0) - done, 200 * NS, "the first");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * The machine room.
 */
class MachineTestSuite : public TestSuite
{
  public:
    MachineTestSuite()
        : TestSuite("linux-host-machine", TEST_SUITE_UNIT)
    {
        AddTestCase(new MachinePresetTestCase, TEST_QUICK);
        AddTestCase(new MachineTopologyTestCase, TEST_QUICK);
        AddTestCase(new MachineMatrixTestCase, TEST_QUICK);
        AddTestCase(new CacheLineTestCase, TEST_QUICK);
    }
};

/// Registers the suite.
static MachineTestSuite g_machineTestSuite;
