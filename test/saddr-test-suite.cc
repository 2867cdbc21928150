/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ipv6-address-labels.h"
#include "ns3/linux-host-compat.h"
#include "ns3/saddr-case-file.h"
#include "ns3/source-address-selection.h"
#include "ns3/test.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>

using namespace ns3;
using namespace ns3::linuxhost;

/**
 * @ingroup linux-host-tests
 * How many times memory was asked for.
 */
static uint64_t g_allocations = 0;

// Weak, so that another suite of the same program may do likewise; the test asks first whether
// this one is in use.
__attribute__((weak)) void*
operator new(std::size_t size)
{
    ++g_allocations;
    void* memory = std::malloc(size ? size : 1);
    if (!memory)
    {
        throw std::bad_alloc();
    }
    return memory;
}

__attribute__((weak)) void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

__attribute__((weak)) void
operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

namespace
{

/**
 * @param text an address
 * @returns it
 */
Ipv6Bits
Bits(const std::string& text)
{
    Ipv6Bits bits;
    if (!Ipv6Bits::Parse(text, &bits))
    {
        NS_FATAL_ERROR(text << " is no address");
    }
    return bits;
}

/**
 * @param host a host that gets another interface
 * @param name its name
 * @param addresses its addresses, in the kernel's order, all with 64-bit prefixes
 * @returns the interface
 */
SaddrInterface&
AddInterface(SaddrHost& host, const std::string& name, const std::vector<std::string>& addresses)
{
    SaddrInterface interface;
    interface.name = name;
    interface.ifindex = static_cast<uint32_t>(host.interfaces.size() + 1);
    for (const auto& address : addresses)
    {
        interface.addresses.emplace_back(Bits(address), 64);
    }
    host.interfaces.push_back(interface);
    return host.interfaces.back();
}

} // namespace

/**
 * @ingroup linux-host-tests
 * The answers of Linux 6.18.
 */
class SaddrReferenceTestCase : public TestCase
{
  public:
    SaddrReferenceTestCase()
        : TestCase("The answers of Linux 6.18")
    {
    }

  private:
    void DoRun() override
    {
        if (!SaddrCaseFile::IsSupported())
        {
            std::cerr << "linux-host-saddr: the answers of Linux 6.18 were skipped: built without "
                         "nlohmann/json.hpp\n";
            return;
        }
        std::ifstream in(LINUX_HOST_TEST_DATA "/saddr/linux-6.18-cases.json");
        std::vector<SaddrCase> cases;
        NS_TEST_ASSERT_MSG_EQ(SaddrCaseFile::ReadCases(in, &cases), "", "unreadable");
        size_t queries = 0;
        for (const auto& item : cases)
        {
            for (const auto& query : item.queries)
            {
                ++queries;
                const auto choice = SelectSourceAddress(item.host, query.query);
                NS_TEST_EXPECT_MSG_EQ((choice.source ? choice.source->address.ToText() : "none"),
                                      query.expected.ToText(),
                                      "case " << item.id << ", destination "
                                              << query.query.destination.ToText());
            }
        }
        NS_TEST_EXPECT_MSG_EQ(queries, 4000, "all questions were asked");
    }
};

/**
 * @ingroup linux-host-tests
 * The work on six hosts, as counted by hand from the kernel's loops.
 */
class SaddrCountsTestCase : public TestCase
{
  public:
    SaddrCountsTestCase()
        : TestCase("Interfaces, improvements, evaluations and label probes")
    {
    }

  private:
    /// One interface: name and addresses.
    using Interface = std::pair<std::string, std::vector<std::string>>;

    /**
     * @param interfaces the host's interfaces
     * @param visited expected interfaces visited
     * @param improvements expected improvements
     * @param evaluations expected evaluations
     * @param probes expected label probes
     */
    void Check(const std::vector<Interface>& interfaces,
               uint32_t visited,
               uint32_t improvements,
               uint32_t evaluations,
               uint32_t probes)
    {
        SaddrHost host;
        // The kernel of the table had neither option.
        host.kernelHasOptimisticDad = false;
        for (const auto& interface : interfaces)
        {
            AddInterface(host, interface.first, interface.second);
        }
        SaddrQuery query;
        query.destination = Bits("2620::1");
        query.oif = host.FindInterface("eth0")->ifindex;
        const auto choice = SelectSourceAddress(host, query);
        const std::string which =
            interfaces.back().first + " of " + std::to_string(interfaces.size());
        NS_TEST_EXPECT_MSG_EQ(choice.counts.interfaces, visited, which);
        NS_TEST_EXPECT_MSG_EQ(choice.counts.improvements, improvements, which);
        NS_TEST_EXPECT_MSG_EQ(choice.counts.evaluations, evaluations, which);
        NS_TEST_EXPECT_MSG_EQ(choice.counts.labelProbes, probes, which);
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
 * The source address examples of RFC 6724, section 10.1.
 */
class SaddrRfc6724SourceTestCase : public TestCase
{
  public:
    SaddrRfc6724SourceTestCase()
        : TestCase("RFC 6724, section 10.1")
    {
    }

  private:
    /// A candidate.
    struct Candidate
    {
        const char* address; //!< address
        uint16_t flags;      //!< flags
    };

    /**
     * @param destination the destination
     * @param candidates the candidates, all on the outgoing interface
     * @param expected the RFC's answer
     * @param useTempaddr the interface's sysctl
     */
    void Check(const std::string& destination,
               const std::vector<Candidate>& candidates,
               const std::string& expected,
               int32_t useTempaddr = 0)
    {
        // The answer must not depend on the order.
        for (int order = 0; order < 2; ++order)
        {
            SaddrHost host;
            host.kernelHasMobileIpv6 = true;
            auto& interface = AddInterface(host, "eth0", {});
            interface.useTempaddr = useTempaddr;
            for (size_t i = 0; i < candidates.size(); ++i)
            {
                const auto& c = candidates[order ? candidates.size() - 1 - i : i];
                interface.addresses.emplace_back(Bits(c.address), 64, c.flags);
            }
            SaddrQuery query;
            query.destination = Bits(destination);
            query.oif = 1;
            const auto choice = SelectSourceAddress(host, query);
            NS_TEST_ASSERT_MSG_NE(choice.source, nullptr, destination);
            NS_TEST_EXPECT_MSG_EQ(choice.source->address.ToText(),
                                  Bits(expected).ToText(),
                                  destination);
        }
    }

    void DoRun() override
    {
        Check("2001:db8:1::1", {{"2001:db8:3::1", 0}, {"fe80::1", 0}}, "2001:db8:3::1");
        Check("ff05::1", {{"2001:db8:3::1", 0}, {"fe80::1", 0}}, "2001:db8:3::1");
        Check("2001:db8:1::1",
              {{"2001:db8:1::1", SADDR_DEPRECATED}, {"2001:db8:2::1", 0}},
              "2001:db8:1::1");
        Check("fe80::1", {{"fe80::2", SADDR_DEPRECATED}, {"2001:db8:1::1", 0}}, "fe80::2");
        Check("2001:db8:1::1", {{"2001:db8:1::2", 0}, {"2001:db8:3::2", 0}}, "2001:db8:1::2");
        Check("2001:db8:1::1",
              {{"2001:db8:1::2", 0}, {"2001:db8:3::2", SADDR_HOME}},
              "2001:db8:3::2");
        Check("2002:c633:6401::1",
              {{"2002:c633:6401::d5e3:7953:13eb:22e8", SADDR_TEMPORARY}, {"2001:db8:1::2", 0}},
              "2002:c633:6401::d5e3:7953:13eb:22e8");
        // The RFC prefers temporary addresses; Linux only where use_tempaddr is 2 or more.
        const std::vector<Candidate> privacy{{"2001:db8:1::2", 0},
                                             {"2001:db8:1::d5e3:7953:13eb:22e8", SADDR_TEMPORARY}};
        Check("2001:db8:1::d5e3:0:0:1", privacy, "2001:db8:1::d5e3:7953:13eb:22e8", 2);
        Check("2001:db8:1::d5e3:0:0:1", privacy, "2001:db8:1::2", 1);
    }
};

/**
 * @ingroup linux-host-tests
 * The order of an interface's addresses, ties, VRFs and hosts without an answer.
 */
class SaddrCandidateSetTestCase : public TestCase
{
  public:
    SaddrCandidateSetTestCase()
        : TestCase("Candidate set and list order")
    {
    }

  private:
    /**
     * @param host a host
     * @param destination a destination
     * @param oif the outgoing interface's index
     * @param expected the expected source, or `none`
     * @param restriction the expected restriction
     */
    void Check(const SaddrHost& host,
               const std::string& destination,
               uint32_t oif,
               const std::string& expected,
               SaddrRestriction restriction)
    {
        SaddrQuery query;
        query.destination = Bits(destination);
        query.oif = oif;
        const auto choice = SelectSourceAddress(host, query);
        NS_TEST_EXPECT_MSG_EQ((choice.source ? choice.source->address.ToText() : "none"),
                              expected,
                              destination << " by " << oif);
        NS_TEST_EXPECT_MSG_EQ(ToString(choice.restriction),
                              std::string(ToString(restriction)),
                              destination << " by " << oif);
    }

    void DoRun() override
    {
        // Larger scopes first; of equal ones, the newest.
        SaddrHost host;
        auto& order = AddInterface(host, "eth0", {});
        for (const char* address :
             {"fe80::1", "2001:db8::1", "fec0::1", "2001:db8::2", "fe80::2", "fec0::2"})
        {
            order.AddAddress(SaddrAddress(Bits(address), 64));
        }
        std::string list;
        for (const auto& address : order.addresses)
        {
            list += address.address.ToText() + " ";
        }
        NS_TEST_EXPECT_MSG_EQ(list,
                              "2001:db8::2 2001:db8::1 fec0::2 fec0::1 fe80::2 fe80::1 ",
                              "list order");
        // All rules equal: the first that was visited, hence the newest.
        Check(host, "2620::1", 1, "2001:db8::2", SaddrRestriction::NONE);
        Check(host, "fe80::9", 1, "fe80::2", SaddrRestriction::SCOPE);

        AddInterface(host, "eth1", {});
        Check(host, "2620::1", 2, "2001:db8::2", SaddrRestriction::NONE);
        Check(host, "fe80::9", 2, "none", SaddrRestriction::SCOPE);
        Check(host, "ff0e::1", 2, "none", SaddrRestriction::MULTICAST);
        // Without a route no interface can be preferred, or restricted to.
        Check(host, "ff02::1", 0, "fe80::2", SaddrRestriction::NONE);
        host.interfaces[1].useOifAddrsOnly = true;
        Check(host, "2620::1", 2, "none", SaddrRestriction::SYSCTL);

        // VRF 3 with slaves 4 and 5: the outgoing interface and the VRF itself come first.
        AddInterface(host, "vrf", {}).l3Master = 3;
        AddInterface(host, "eth2", {}).l3Master = 3;
        AddInterface(host, "eth3", {"2001:db8:3::1"}).l3Master = 3;
        Check(host, "2620::1", 4, "2001:db8:3::1", SaddrRestriction::L3_DOMAIN);
        host.interfaces[2].AddAddress(SaddrAddress(Bits("2001:db8:9::1"), 128));
        Check(host, "2620::1", 4, "2001:db8:9::1", SaddrRestriction::L3_DOMAIN);
        Check(host, "2620::1", 1, "2001:db8::2", SaddrRestriction::NONE);

        // Not usable: tentative. Usable but second to others: optimistic.
        SaddrHost other;
        auto& interface = AddInterface(other, "eth0", {"2001:db8::2", "2001:db8::1"});
        interface.addresses[0].flags = SADDR_TENTATIVE;
        Check(other, "2620::1", 1, "2001:db8::1", SaddrRestriction::NONE);
        interface.addresses[0].flags = SADDR_TENTATIVE | SADDR_OPTIMISTIC;
        Check(other, "2620::1", 1, "2001:db8::1", SaddrRestriction::NONE);
        interface.addresses[1].flags = SADDR_DEPRECATED;
        Check(other, "2620::1", 1, "2001:db8::1", SaddrRestriction::NONE);
        interface.optimisticDad = true;
        interface.useOptimistic = true;
        Check(other, "2620::1", 1, "2001:db8::2", SaddrRestriction::NONE);
        interface.addresses[1].flags = 0;
        Check(other, "2620::1", 1, "2001:db8::1", SaddrRestriction::NONE);
        interface.addresses.clear();
        Check(other, "2620::1", 1, "none", SaddrRestriction::NONE);
    }
};

/**
 * @ingroup linux-host-tests
 * The label table.
 */
class SaddrLabelsTestCase : public TestCase
{
  public:
    SaddrLabelsTestCase()
        : TestCase("Address labels")
    {
    }

  private:
    /**
     * @param labels a table
     * @param text an address
     * @param ifindex an interface
     * @returns the label
     */
    static uint32_t Label(const Ipv6AddressLabels& labels,
                          const std::string& text,
                          uint32_t ifindex = 0)
    {
        const Ipv6Bits bits = Bits(text);
        uint32_t probes = 0;
        return labels.Lookup(bits, Ipv6AddressType::Of(bits).kind, ifindex, &probes);
    }

    void DoRun() override
    {
        auto labels = Ipv6AddressLabels::Default();
        const std::vector<std::pair<std::string, uint32_t>> defaults{{"::1", 0},
                                                                     {"::192.0.2.1", 3},
                                                                     {"::ffff:192.0.2.1", 4},
                                                                     {"2001::1", 6},
                                                                     {"2001:10::1", 7},
                                                                     {"3ffe::1", 12},
                                                                     {"2002::1", 2},
                                                                     {"fec0::1", 11},
                                                                     {"fd00::1", 5},
                                                                     {"fe80::1", 1},
                                                                     {"2620::1", 1}};
        for (const auto& item : defaults)
        {
            NS_TEST_EXPECT_MSG_EQ(Label(labels, item.first), item.second, item.first);
        }
        NS_TEST_EXPECT_MSG_EQ(labels.Add(Bits("2001:db8::"), 32, 40), true, "new");
        NS_TEST_EXPECT_MSG_EQ(labels.Add(Bits("2001:db8::"), 32, 41), false, "exists");
        NS_TEST_EXPECT_MSG_EQ(labels.Add(Bits("2001:db8::"), 32, 41, 0, true), true, "replace");
        NS_TEST_EXPECT_MSG_EQ(labels.Add(Bits("2001:db8::"), 32, 42, 2), true, "of interface 2");
        NS_TEST_EXPECT_MSG_EQ(Label(labels, "2001:db8::1"), 41, "any interface");
        NS_TEST_EXPECT_MSG_EQ(Label(labels, "2001:db8::1", 2), 42, "interface 2");
        NS_TEST_EXPECT_MSG_EQ(labels.Remove(Bits("2001:db8::"), 32), true, "there");
        NS_TEST_EXPECT_MSG_EQ(labels.Remove(Bits("2001:db8::"), 32), false, "gone");
        NS_TEST_EXPECT_MSG_EQ(Label(labels, "2001:db8::1"), 1, "the default again");
        NS_TEST_EXPECT_MSG_EQ(labels.Remove(Bits("::"), 0), true, "there");
        NS_TEST_EXPECT_MSG_EQ(Label(labels, "2620::1"), Ipv6AddressLabels::NO_LABEL, "none left");
        NS_TEST_EXPECT_MSG_EQ(labels.Add(Bits("::ffff:192.0.2.0"), 120, 9), false, "mapped");
        NS_TEST_EXPECT_MSG_EQ(labels.Add(Bits("::"), 129, 9), false, "length");
        NS_TEST_EXPECT_MSG_EQ(labels.Add(Bits("::"), 0, 0xffffffff), false, "label");
    }
};

/**
 * @ingroup linux-host-tests
 * A selection asks for no memory.
 */
class SaddrAllocationTestCase : public TestCase
{
  public:
    SaddrAllocationTestCase()
        : TestCase("No allocation")
    {
    }

  private:
    void DoRun() override
    {
        SaddrHost host;
        AddInterface(host, "lo", {"::1"});
        AddInterface(host, "eth0", {"2001:db8:1::2", "2001:db8:1::1", "fd00::1", "fe80::1"});
        AddInterface(host, "eth1", {"2001:db8:2::1", "fd00:1::1", "fe80::2"});
        SaddrQuery query;
        query.destination = Bits("2620::1");
        query.oif = 2;
        uint64_t before = g_allocations;
        auto* counted = new std::vector<int>(1);
        const bool inUse = g_allocations != before;
        delete counted;
        before = g_allocations;
        const auto choice = SelectSourceAddress(host, query);
        const uint64_t after = g_allocations;
        NS_TEST_EXPECT_MSG_EQ((choice.source != nullptr), true, "an answer");
        NS_TEST_EXPECT_MSG_EQ(after - before, 0, "allocations");
        if (!inUse)
        {
            std::cerr << "linux-host-saddr: allocations were not counted: operator new is "
                         "another's\n";
        }
    }
};

/**
 * @ingroup linux-host-tests
 * Files that are no hosts.
 */
class SaddrCaseFileTestCase : public TestCase
{
  public:
    SaddrCaseFileTestCase()
        : TestCase("Malformed files")
    {
    }

  private:
    /**
     * @param text a file
     * @param expected the message
     */
    void Check(const std::string& text, const std::string& expected)
    {
        std::istringstream in(text);
        std::vector<SaddrCase> cases;
        NS_TEST_EXPECT_MSG_EQ(SaddrCaseFile::ReadCases(in, &cases), expected, text.substr(0, 200));
    }

    /**
     * @param interface text of an interface
     * @param label text of a label line
     * @param query text of a question
     * @returns a file
     */
    static std::string File(const std::string& interface,
                            const std::string& label,
                            const std::string& query)
    {
        return R"({"cases": [{"id": 1, "interfaces": [)" + interface + R"(], "addrlabel": [)" +
               label + R"(], "queries": [)" + query + "]}]}";
    }

    void DoRun() override
    {
        if (!SaddrCaseFile::IsSupported())
        {
            std::cerr << "linux-host-saddr: malformed files were skipped: built without "
                         "nlohmann/json.hpp\n";
            return;
        }
        const std::string conf = R"("conf": {"use_tempaddr": 0, "use_oif_addrs_only": 0, )"
                                 R"("optimistic_dad": 0, "use_optimistic": 0})";
        const std::string eth = R"({"ifindex": 2, "name": "e", )" + conf +
                                R"(, "addrs": [{"local": "fd00::1", "prefixlen": 64}]})";
        const std::string label = R"("prefix ::/0 label 1")";
        const std::string query = R"({"dst": "fd00::2", "oif": "e", "src": "fd00::1"})";
        Check(File(eth, label, query), "");
        Check("", "line 1, column 1: expected JSON, found the end of the file");
        Check("{\"cases\": [\n}", "line 2, column 1: expected JSON, found \"}\"");
        Check("[]", "top level: expected an object, found a list");
        Check("{}", "cases: expected a list, found nothing");
        Check("{\"cases\": 3}", "cases: expected a list, found 3");
        Check("{\"cases\": [1]}", "cases[0]: expected an object, found 1");
        Check("{\"cases\": 1e999}", "expected JSON, found a number that is out of range");
        Check(std::string(100000, '['), "expected JSON at most 64 levels deep, found more");
        Check(File(eth, label, R"({"dst": "fd00::x", "oif": "e", "src": "fd00::1"})"),
              "cases[0].queries[0].dst: expected an IPv6 address, found \"fd00::x\"");
        Check(File(eth, label, R"({"dst": "fd00::2", "oif": "f", "src": "fd00::1"})"),
              "cases[0].queries[0].oif: expected the name of an interface of this host, found "
              "\"f\"");
        Check(File(eth, label, R"({"dst": "fd00::2", "oif": "e"})"),
              "cases[0].queries[0].src: expected an IPv6 address or null, found nothing");
        Check(File(eth, R"("prefix ::/200 label 1")", query),
              "cases[0].addrlabel[0]: expected \"prefix ADDRESS/LENGTH [dev NAME] label NUMBER\", "
              "found \"prefix ::/200 label 1\"");
        Check(File(eth + "," + eth, label, query),
              "cases[0].interfaces[1].ifindex: expected an index of its own, found 2 again");
        Check(File(R"({"ifindex": 18446744073709551615})", label, query),
              "cases[0].interfaces[0].ifindex: expected an integer from 1 to 2147483647, found "
              "18446744073709551615");
        Check(File(R"({"ifindex": 2, "name": "e", )" + conf +
                       R"(, "addrs": [{"local": "fd00::1", "prefixlen": 129}]})",
                   label,
                   query),
              "cases[0].interfaces[0].addrs[0].prefixlen: expected an integer from 0 to 128, found "
              "129");
        Check(File(R"({"ifindex": 2, "name": "e", )" + conf +
                       R"(, "addrs": [{"local": "fd00::1", "prefixlen": 64, "home": 1}]})",
                   label,
                   query),
              "cases[0].interfaces[0].addrs[0].home: expected true or false, found 1");
    }
};

/**
 * @ingroup linux-host-tests
 * Source address selection.
 */
class SaddrTestSuite : public TestSuite
{
  public:
    SaddrTestSuite()
        : TestSuite("linux-host-saddr", TEST_SUITE_UNIT)
    {
        AddTestCase(new SaddrReferenceTestCase, TEST_QUICK);
        AddTestCase(new SaddrCountsTestCase, TEST_QUICK);
        AddTestCase(new SaddrRfc6724SourceTestCase, TEST_QUICK);
        AddTestCase(new SaddrCandidateSetTestCase, TEST_QUICK);
        AddTestCase(new SaddrLabelsTestCase, TEST_QUICK);
        AddTestCase(new SaddrAllocationTestCase, TEST_QUICK);
        AddTestCase(new SaddrCaseFileTestCase, TEST_QUICK);
    }
};

/// The suite.
static SaddrTestSuite g_saddrTestSuite;
