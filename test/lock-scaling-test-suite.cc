/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/double.h"
#include "ns3/linux-host-compat.h"
#include "ns3/lock-scaling.h"
#include "ns3/machine-presets.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/**
 * @param machine a preset
 * @param primitive what is taken and given back
 * @param lock the kind of spin lock
 * @param cpus number of CPUs
 * @param cycles serial section of a spin lock, in cycles
 * @param fraction its share of the whole
 * @returns the result
 */
ScenarioResult
Play(const std::string& machine,
     const std::string& primitive,
     const std::string& lock,
     uint32_t cpus,
     double cycles = 400,
     double fraction = 0.02)
{
    auto scenario = CreateObject<LockScaling>();
    scenario->SetMachine(MachinePresets::Create(machine));
    scenario->SetAttribute("Primitive", StringValue(primitive));
    scenario->SetAttribute("Lock", StringValue(lock));
    scenario->SetAttribute("Cpus", UintegerValue(cpus));
    scenario->SetAttribute("SerialCycles", DoubleValue(cycles));
    scenario->SetAttribute("SerialFraction", DoubleValue(fraction));
    scenario->SetAttribute("Precision", DoubleValue(0.02));
    scenario->SetAttribute("MaxFrames", UintegerValue(50000));
    scenario->SetDurations();
    return scenario->Run();
}

} // namespace

/**
 * @ingroup linux-host-tests
 * A ticket lock on 48 cores, as Boyd-Wickizer et al. measured it (OLS 2012, figures 8 and 9).
 */
class TicketCollapseTestCase : public TestCase
{
  public:
    TicketCollapseTestCase()
        : TestCase("OLS 2012: six curves of a ticket lock, none of an MCS lock")
    {
    }

  private:
    /**
     * @param cycles serial section, cycles
     * @param fraction its share
     * @param cpus number of CPUs
     * @param lock kind of lock
     * @returns the speed-up
     */
    static double SpeedUp(double cycles,
                          double fraction,
                          uint32_t cpus,
                          const std::string& lock = "ticket")
    {
        return Play("opteron-6172-48", "lock", lock, cpus, cycles, fraction).GetMetric("speedup");
    }

    /**
     * @param cycles serial section, cycles
     * @param fraction its share
     * @param at CPUs at the measured peak: with the next one the lock collapsed
     * @param peak the measured peak
     * @param tail measured speed-ups after the collapse, by CPUs
     */
    void Check(double cycles,
               double fraction,
               uint32_t at,
               double peak,
               const std::map<uint32_t, double>& tail)
    {
        const std::string which = std::to_string(cycles) + " of " + std::to_string(fraction);
        // It may collapse up to three CPUs early or late.
        const double highest =
            std::max(SpeedUp(cycles, fraction, at - 3), SpeedUp(cycles, fraction, at));
        const bool collapsed = SpeedUp(cycles, fraction, at + 4) < 2 * highest / 3;
        NS_TEST_EXPECT_MSG_EQ(collapsed, true, which << ": collapses within 3 CPUs of " << at + 1);
        NS_TEST_EXPECT_MSG_EQ_TOL(highest, peak, 0.2 * peak, which << ": height of the peak");
        for (const auto& point : tail)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(SpeedUp(cycles, fraction, point.first),
                                      point.second,
                                      0.25 * point.second,
                                      which << ": tail at " << point.first);
        }
    }

    void DoRun() override
    {
        Check(400, 0.002, 41, 41.0, {{48, 12.0}});
        Check(400, 0.004, 28, 27.9, {{38, 7.0}, {48, 4.8}});
        Check(400, 0.02, 12, 11.7, {{24, 1.9}, {48, 0.9}});
        Check(400, 0.032, 9, 8.3, {{20, 1.4}, {48, 0.7}});
        Check(1600, 0.02, 23, 22.5, {{36, 5.6}, {48, 3.7}});
        // No collapse was measured.
        const std::map<uint32_t, double> LONG = {{24, 24.1}, {48, 48.0}};
        for (const auto& point : LONG)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(SpeedUp(25600, 0.02, point.first),
                                      point.second,
                                      0.2 * point.second,
                                      "25600 cycles, " << point.first << " CPUs");
        }
        // A waiter of an MCS lock polls a line of its own.
        const double SERIAL = 400;
        const double FRACTION = 0.02;
        std::vector<double> handOffs;
        for (uint32_t cpus : {32, 48})
        {
            handOffs.push_back(SERIAL / FRACTION / SpeedUp(SERIAL, FRACTION, cpus, "mcs") - SERIAL);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(handOffs[1] / handOffs[0], 1, 0.1, "mcs: flat");
    }
};

/**
 * @ingroup linux-host-tests
 * Reader-writer locks, counts and RCU, as perfbook measured them on a Platinum 8176, and a queued
 * spin lock on a Westmere-EX (message of kernel commit 2c83e8e9).
 */
class PrimitiveTestCase : public TestCase
{
  public:
    PrimitiveTestCase()
        : TestCase("Read sides and counts on a Platinum 8176, qspinlock on a Westmere-EX")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint32_t> CPUS = {16, 28, 56};
        // ns to enter and leave once, on each CPU.
        const std::map<std::string, std::vector<double>> MEASURED = {{"rwlock", {626, 1023, 1956}},
                                                                     {"refcount", {579, 937, 1710}},
                                                                     {"rwsem", {1344, 2537, 4557}},
                                                                     {"rcu", {0.55, 0.44, 0.44}}};
        for (const auto& entry : MEASURED)
        {
            for (std::size_t i = 0; i < CPUS.size(); ++i)
            {
                const double measured = entry.second[i] / CPUS[i];
                const ScenarioResult result = Play("platinum-8176", entry.first, "ticket", CPUS[i]);
                NS_TEST_EXPECT_MSG_EQ_TOL(result.GetMetric("ns_per_operation_system"),
                                          measured,
                                          0.25 * measured,
                                          entry.first << " on " << CPUS[i] << " CPUs");
            }
        }
        const double alone =
            Play("platinum-8176", "rcu", "ticket", 1).GetMetric("ns_per_operation");
        const double all =
            Play("platinum-8176", "rcu", "ticket", 112).GetMetric("ns_per_operation");
        NS_TEST_EXPECT_MSG_EQ_TOL(all / alone, 1, 0.02, "RCU is flat");

        // Three to eight tasks on one socket took 139 to 150 ns a round.
        std::vector<double> flat;
        for (uint32_t tasks = 3; tasks <= 8; ++tasks)
        {
            const double ns = Play("westmere-ex", "lock", "qspinlock", tasks, 0)
                                  .GetMetric("ns_per_operation_system");
            NS_TEST_EXPECT_MSG_GT(ns, 0.85 * 139, "qspinlock, " << tasks << " tasks");
            NS_TEST_EXPECT_MSG_LT(ns, 1.15 * 150, "qspinlock, " << tasks << " tasks");
            if (tasks > 3)
            {
                flat.push_back(ns);
            }
        }
        const auto extremes = std::minmax_element(flat.begin(), flat.end());
        NS_TEST_EXPECT_MSG_LT(*extremes.second / *extremes.first, 1.05, "qspinlock is flat");
    }
};

/**
 * @ingroup linux-host-tests
 * Locks held against measurements.
 */
class LockScalingTestSuite : public TestSuite
{
  public:
    LockScalingTestSuite()
        : TestSuite("linux-host-lock-scaling", TEST_SUITE_UNIT)
    {
        AddTestCase(new TicketCollapseTestCase, TEST_QUICK);
        AddTestCase(new PrimitiveTestCase, TEST_QUICK);
    }
};

/// Registers the suite.
static LockScalingTestSuite g_lockScalingTestSuite;
