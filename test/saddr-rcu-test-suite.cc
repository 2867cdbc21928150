/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/kernel-lock.h"
#include "ns3/kernel-path.h"
#include "ns3/linux-host-compat.h"
#include "ns3/machine-presets.h"
#include "ns3/reference-count.h"
#include "ns3/saddr-rcu.h"
#include "ns3/saddr-xmit-path.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/// The machine of the example.
const char* const MACHINE = "dual-xeon-e5-2620-v4";

/**
 * @param address text
 * @returns the address
 */
Ipv6Bits
Bits(const std::string& address)
{
    Ipv6Bits bits;
    NS_ABORT_MSG_UNLESS(Ipv6Bits::Parse(address, &bits), address);
    return bits;
}

/**
 * @param cpus number of CPUs, and of flows
 * @param rcu whether the patch is in
 * @returns the scenario, with intervals wide enough to be quick
 */
Ptr<SaddrRcu>
MakeScenario(uint32_t cpus, bool rcu)
{
    Ptr<SaddrRcu> scenario = CreateObject<SaddrRcu>();
    Ptr<HostMachine> machine = MachinePresets::Create(MACHINE);
    machine->Extend(cpus);
    scenario->SetMachine(machine);
    scenario->SetAttribute("Rcu", BooleanValue(rcu));
    scenario->SetAttribute("Cpus", UintegerValue(cpus));
    scenario->SetAttribute("Flows", UintegerValue(cpus));
    scenario->SetAttribute("Precision", DoubleValue(0.02));
    scenario->SetAttribute("MaxFrames", UintegerValue(300000));
    return scenario;
}

/**
 * @param step a step
 * @returns whether it is one that the patch takes out, by what it does and to what
 */
bool
IsPatched(const PathStep& step)
{
    const std::string& symbol = step.symbol;
    return symbol == "_raw_read_lock_bh" || symbol == "_raw_read_unlock_bh" ||
           symbol == "__local_bh_enable_ip" || symbol == "refcount_inc_not_zero" ||
           symbol == "refcount_sub_and_test";
}

} // namespace

/**
 * @ingroup linux-host-tests
 * The steps on six hosts, as counted by hand from the kernel's loops.
 */
class SaddrRcuStepsTestCase : public TestCase
{
  public:
    SaddrRcuStepsTestCase()
        : TestCase("Locks, holds, evaluations and label probes of six hosts")
    {
    }

  private:
    /// One interface: name and addresses.
    using Interface = std::pair<std::string, std::vector<std::string>>;

    /**
     * @param interfaces the host's interfaces
     * @param locks expected read locks before the patch
     * @param holds expected holds, and puts, before the patch
     * @param evaluations expected evaluations
     * @param probes expected label probes
     */
    void Check(const std::vector<Interface>& interfaces,
               uint32_t locks,
               uint32_t holds,
               uint32_t evaluations,
               uint32_t probes)
    {
        SaddrHost host;
        host.kernelHasOptimisticDad = false;
        for (const auto& entry : interfaces)
        {
            SaddrInterface interface;
            interface.name = entry.first;
            interface.ifindex = static_cast<uint32_t>(host.interfaces.size() + 1);
            for (auto i = entry.second.rbegin(); i != entry.second.rend(); ++i)
            {
                interface.AddAddress(SaddrAddress(Bits(*i), *i == "::1" ? 128 : 64));
            }
            host.interfaces.push_back(interface);
        }
        SaddrQuery query;
        query.destination = Bits("2620::1");
        query.oif = host.FindInterface("eth0")->ifindex;
        const std::string which =
            interfaces.back().first + " of " + std::to_string(interfaces.size());

        std::vector<std::string> rest[2];
        for (bool rcu : {false, true})
        {
            Ptr<SaddrXmitPath> saddr = Create<SaddrXmitPath>(host, "qrwlock", rcu);
            Ptr<KernelPath> path = Create<KernelPath>("selection");
            saddr->Record(*path, query);
            uint32_t locked = 0;
            uint32_t unlocked = 0;
            uint32_t held = 0;
            uint32_t put = 0;
            uint32_t evaluated = 0;
            double labelWork = 0;
            double ofDestination = 0;
            for (const auto& step : path->GetSteps())
            {
                if (DynamicCast<KernelLock>(step.primitive))
                {
                    ++(step.operation == KernelLock::READ_LOCK ? locked : unlocked);
                }
                else if (step.primitive)
                {
                    ++(step.operation == ReferenceCount::GET ? held : put);
                }
                evaluated += step.symbol == "ipv6_get_saddr_eval" && step.kind == PathStep::WORK;
                if (step.symbol == "__ip6addrlbl_match" && step.kind == PathStep::WORK)
                {
                    labelWork += step.amount;
                    ofDestination = ofDestination == 0 ? step.amount : ofDestination;
                }
                if (!IsPatched(step))
                {
                    rest[rcu].push_back(step.symbol + " " + step.Describe());
                }
                NS_TEST_EXPECT_MSG_EQ(rcu && IsPatched(step), false, which << ": " << step.symbol);
            }
            NS_TEST_EXPECT_MSG_EQ(locked, (rcu ? 0 : locks), which);
            NS_TEST_EXPECT_MSG_EQ(unlocked, (rcu ? 0 : locks), which);
            NS_TEST_EXPECT_MSG_EQ(held, (rcu ? 0 : holds), which);
            NS_TEST_EXPECT_MSG_EQ(put, (rcu ? 0 : holds), which);
            NS_TEST_EXPECT_MSG_EQ(evaluated, evaluations, which);
            // The destination matches the last of ten entries.
            NS_TEST_EXPECT_MSG_EQ_TOL(10 * labelWork / ofDestination, probes, 1e-9, which);
        }
        NS_TEST_EXPECT_MSG_EQ((rest[0] == rest[1]), true, which << ": the rest is the same");
    }

    void DoRun() override
    {
        const Interface lo{"lo", {"::1"}};
        const Interface eth0{"eth0", {"2001:db8:1::1", "fe80::1"}};
        const Interface eth1{"eth1", {"2001:db8:2::1", "fe80::2"}};
        Check({eth0}, 1, 1, 8, 10);
        Check({lo, eth0}, 2, 2, 14, 10);
        Check({lo, eth0, eth1}, 3, 2, 30, 10);
        Check({lo, eth1, eth0}, 3, 3, 30, 10);
        Check({lo, {"eth0", {"2001:db8:1::2", "2001:db8:1::1", "fe80::1"}}}, 2, 2, 32, 30);
        Check({lo,
               eth0,
               {"eth1", {"fe80::2"}},
               {"eth2", {"fe80::3"}},
               {"eth3", {"fe80::4"}},
               {"eth4", {"fe80::5"}}},
              6,
              2,
              38,
              10);
    }
};

/**
 * @ingroup linux-host-tests
 * What the selection restricts itself to is what is locked.
 */
class SaddrRcuVisitedTestCase : public TestCase
{
  public:
    SaddrRcuVisitedTestCase()
        : TestCase("The interfaces that are locked are those that are visited")
    {
    }

  private:
    /**
     * @param host a host
     * @param destination a destination
     * @param oif name of the outgoing interface
     * @param locks expected locks, in order
     */
    void Check(const SaddrHost& host,
               const std::string& destination,
               const std::string& oif,
               const std::vector<std::string>& locks)
    {
        Ptr<SaddrXmitPath> saddr = Create<SaddrXmitPath>(host, "qrwlock", false);
        Ptr<KernelPath> path = Create<KernelPath>("selection");
        SaddrQuery query;
        query.destination = Bits(destination);
        query.oif = host.FindInterface(oif)->ifindex;
        saddr->Record(*path, query);
        std::vector<std::string> taken;
        for (const auto& step : path->GetSteps())
        {
            if (DynamicCast<KernelLock>(step.primitive) && step.operation == KernelLock::READ_LOCK)
            {
                taken.push_back(step.primitive->GetName());
            }
        }
        std::vector<std::string> expected;
        for (const auto& name : locks)
        {
            expected.push_back("inet6_dev(" + name + ").lock");
        }
        NS_TEST_EXPECT_MSG_EQ((taken == expected), true, destination << " by " << oif);
    }

    void DoRun() override
    {
        SaddrHost host = SaddrRcu::MakeHost(4, 1, 10);
        Check(host, "2620::1", "eth0", {"lo", "eth0", "eth1", "tunl0"});
        Check(host, "ff02::1", "eth0", {"eth0"});
        Check(host, "fe80::9", "eth1", {"eth1"});
        // eth0 and tunl0 in a VRF: the outgoing interface, the VRF, and the rest only if need be.
        host.interfaces[1].l3Master = 9;
        host.interfaces[3].l3Master = 9;
        SaddrInterface vrf;
        vrf.name = "vrf";
        vrf.ifindex = 9;
        vrf.l3Master = 9;
        host.interfaces.push_back(vrf);
        Check(host, "2620::1", "eth0", {"eth0", "vrf"});
        Check(host, "2620::1", "tunl0", {"tunl0", "vrf", "eth0", "tunl0", "vrf"});
        Check(host, "2620::1", "eth1", {"lo", "eth1"});
    }
};

/**
 * @ingroup linux-host-tests
 * One CPU has no one to fight with: a packet takes the sum of its steps.
 */
class SaddrRcuOneCpuTestCase : public TestCase
{
  public:
    SaddrRcuOneCpuTestCase()
        : TestCase("One CPU: the sum of the steps")
    {
    }

  private:
    void DoRun() override
    {
        const double GHZ = 2.3;
        const double CPI = 1.1;
        const double BATCH = 4;
        for (bool rcu : {false, true})
        {
            Ptr<SaddrRcu> scenario = MakeScenario(1, rcu);
            double cycles = 0;
            double ns = 0;
            Ptr<KernelPath> path = scenario->GetPath();
            for (const auto& step : path->GetSteps())
            {
                const bool lock = bool(DynamicCast<KernelLock>(step.primitive));
                const bool loop = step.primitive && step.primitive->GetKind() == "cmpxchg";
                const bool get = step.primitive && !lock && step.operation == ReferenceCount::GET;
                cycles += step.kind == PathStep::WORK                    ? step.amount * CPI
                          : step.kind == PathStep::COPY                  ? step.amount / 4
                          : step.kind == PathStep::READ                  ? 4
                          : step.kind == PathStep::WRITE                 ? 1
                          : step.kind == PathStep::RMW                   ? 19
                          : !step.primitive                              ? 0
                          : lock && step.operation == KernelLock::UNLOCK ? 1
                          : loop || get                                  ? 4 + 19
                                                                         : 19;
                ns += step.kind == PathStep::DELAY ? step.amount : 0;
            }
            const double expected = BATCH / (cycles / GHZ + ns) * 1e9;
            const double pps = scenario->Run().GetMetric("pps");
            // Timer interrupts take 0.2 %.
            NS_TEST_EXPECT_MSG_EQ_TOL(pps / expected, 0.998, 0.005, "Rcu=" << rcu);
        }
    }
};

/**
 * @ingroup linux-host-tests
 * The published figures: E. Dumazet, netdev, 7 October 2017.
 */
class SaddrRcuPublishedTestCase : public TestCase
{
  public:
    SaddrRcuPublishedTestCase()
        : TestCase("Packet rates and profiles of the mail")
    {
    }

  private:
    /**
     * @param result a result
     * @param symbol a kernel symbol
     * @returns its place in the profile, from 0
     */
    static std::size_t GetPlace(const ScenarioResult& result, const std::string& symbol)
    {
        auto found = std::find_if(result.profile.begin(),
                                  result.profile.end(),
                                  [&](const auto& row) { return row.name == symbol; });
        return found - result.profile.begin();
    }

    void DoRun() override
    {
        const ScenarioResult before = MakeScenario(16, false)->Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(before.GetMetric("pps"), 2.02e6, 0.01 * 2.02e6, "fitted");
        NS_TEST_EXPECT_MSG_EQ_TOL(before.GetShare("_raw_read_lock_bh"), 0.2262, 0.04, "share");
        NS_TEST_EXPECT_MSG_EQ(GetPlace(before, "_raw_read_lock_bh"), 0, "the first");
        for (const char* symbol : {"refcount_sub_and_test",
                                   "ipv6_get_saddr_eval",
                                   "_raw_read_unlock_bh",
                                   "__ipv6_dev_get_saddr",
                                   "refcount_inc_not_zero",
                                   "__ip6addrlbl_match",
                                   "_raw_spin_lock"})
        {
            NS_TEST_EXPECT_MSG_LT(GetPlace(before, symbol), 12, symbol);
        }
        const ScenarioResult after = MakeScenario(16, true)->Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(after.GetMetric("pps"), 4.28e6, 0.12 * 4.28e6, "predicted");
        NS_TEST_EXPECT_MSG_LT(GetPlace(after, "ip6_pol_route"), 3, "the next bottleneck");
        NS_TEST_EXPECT_MSG_EQ(after.GetShare("_raw_read_lock_bh"), 0, "no locks");
        NS_TEST_EXPECT_MSG_EQ(after.GetShare("refcount_inc_not_zero"), 0, "no holds");
        for (const auto& line : after.lines)
        {
            NS_TEST_EXPECT_MSG_EQ((line.name.find("inet6_") == std::string::npos),
                                  true,
                                  line.name << " does not move");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * The number of flows need not be that of CPUs.
 */
class SaddrRcuFlowsTestCase : public TestCase
{
  public:
    SaddrRcuFlowsTestCase()
        : TestCase("Fewer and more flows than CPUs")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<uint32_t, double>> CASES = {{1, 1}, {3, 3}, {4, 4}, {9, 4}};
        for (const auto& flows : CASES)
        {
            Ptr<SaddrRcu> scenario = MakeScenario(4, false);
            scenario->SetAttribute("Flows", UintegerValue(flows.first));
            scenario->SetAttribute("MaxFrames", UintegerValue(20000));
            const ScenarioResult result = scenario->Run();
            NS_TEST_EXPECT_MSG_EQ_TOL(result.GetMetric("cpus_busy"),
                                      flows.second,
                                      1e-6,
                                      flows.first << " flows");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * The assumed host, by its sizes.
 */
class SaddrRcuHostTestCase : public TestCase
{
  public:
    SaddrRcuHostTestCase()
        : TestCase("Hosts with few and many interfaces, addresses and labels")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t interfaces : {1, 2, 3, 16, 64})
        {
            const SaddrHost host = SaddrRcu::MakeHost(interfaces, 2, 10);
            const auto choice = SelectSourceAddress(host, SaddrRcu::MakeQuery(host));
            NS_TEST_EXPECT_MSG_EQ(choice.counts.interfaces, interfaces, "all are visited");
            NS_TEST_ASSERT_MSG_EQ((choice.source != nullptr), true, "there is a source");
            NS_TEST_EXPECT_MSG_EQ(choice.interface->name, "eth0", "the outgoing interface's");
            NS_TEST_EXPECT_MSG_EQ(choice.counts.improvements,
                                  (interfaces == 1 ? 1U : 2U),
                                  "::1 is the best for a moment");
        }
        for (uint32_t addresses : {1, 2, 8})
        {
            const SaddrHost host = SaddrRcu::MakeHost(3, addresses, 10);
            const auto choice = SelectSourceAddress(host, SaddrRcu::MakeQuery(host));
            // ::1, and two link-local ones.
            NS_TEST_EXPECT_MSG_EQ(choice.counts.addresses, addresses + 3, "all are visited");
        }
        for (uint32_t labels : {1, 10, 11, 40})
        {
            const SaddrHost host = SaddrRcu::MakeHost(2, 1, labels);
            NS_TEST_EXPECT_MSG_EQ(host.labels.GetEntries().size(), labels, "entries");
            const auto choice = SelectSourceAddress(host, SaddrRcu::MakeQuery(host));
            NS_TEST_EXPECT_MSG_EQ(choice.counts.labelProbes, labels, "only the last matches");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * The test suite.
 */
class SaddrRcuTestSuite : public TestSuite
{
  public:
    SaddrRcuTestSuite()
        : TestSuite("linux-host-saddr-rcu", TEST_SUITE_UNIT)
    {
        AddTestCase(new SaddrRcuStepsTestCase, TEST_QUICK);
        AddTestCase(new SaddrRcuVisitedTestCase, TEST_QUICK);
        AddTestCase(new SaddrRcuOneCpuTestCase, TEST_QUICK);
        AddTestCase(new SaddrRcuPublishedTestCase, TEST_QUICK);
        AddTestCase(new SaddrRcuFlowsTestCase, TEST_QUICK);
        AddTestCase(new SaddrRcuHostTestCase, TEST_QUICK);
    }
};

/// The one instance.
static SaddrRcuTestSuite g_saddrRcuTestSuite;
