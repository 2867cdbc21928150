/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/boolean.h"
#include "ns3/csma-helper.h"
#include "ns3/csma-net-device.h"
#include "ns3/destination-address-selection.h"
#include "ns3/icmpv6-header.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-interface-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-labels.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-raw-socket-factory.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/ipv6-static-routing.h"
#include "ns3/linux-host-compat.h"
#include "ns3/node-container.h"
#include "ns3/onoff-application.h"
#include "ns3/packet.h"
#include "ns3/saddr-case-file.h"
#include "ns3/saddr-helper.h"
#include "ns3/saddr-preference-tag.h"
#include "ns3/simulator.h"
#include "ns3/source-address-selection.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"
#include "ns3/udp-echo-helper.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
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
        Replay("linux-6.18-cases", 4000);
        // What those do not have: optimistic and temporary sources, no source at all, addresses of
        // the loopback interface, destinations of the host itself, deleted labels.
        Replay("linux-6.18-rules", 40);
    }

    /**
     * @param file whose questions to ask
     * @param expected number of questions in it
     */
    void Replay(const std::string& file, size_t expected)
    {
        std::ifstream in(LINUX_HOST_TEST_DATA "/saddr/" + file + ".json");
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
                                      (query.hasExpected ? query.expected.ToText() : "none"),
                                      "case " << item.id << ", destination "
                                              << query.query.destination.ToText());
            }
        }
        NS_TEST_EXPECT_MSG_EQ(queries, expected, "all questions were asked");
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
 * The source address examples of RFC 6724 and RFC 3484, section 10.1.
 */
class SaddrRfc6724SourceTestCase : public TestCase
{
  public:
    SaddrRfc6724SourceTestCase()
        : TestCase("RFC 6724 and RFC 3484, section 10.1")
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
            NS_TEST_EXPECT_MSG_EQ((choice.source ? choice.source->address.ToText() : "none"),
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

        // RFC 3484's examples, which the TAHI conformance suite plays, and one of its own.
        Check("2001::1", {{"3ffe::1", 0}, {"fe80::1", 0}}, "3ffe::1");
        Check("2001::1", {{"fe80::1", 0}, {"fec0::1", 0}}, "fec0::1");
        Check("fec0::1", {{"fe80::1", 0}, {"2001::1", 0}}, "2001::1");
        Check("ff05::1", {{"fe80::1", 0}, {"fec0::1", 0}, {"2001::1", 0}}, "fec0::1");
        Check("2001::1", {{"2001::1", SADDR_DEPRECATED}, {"2002::1", 0}}, "2001::1");
        Check("fec0::1", {{"fec0::2", SADDR_DEPRECATED}, {"2001::1", 0}}, "fec0::2");
        Check("2001::1", {{"2001::2", 0}, {"3ffe::2", 0}}, "2001::2");
        Check("2001::1", {{"2001::2", 0}, {"3ffe::2", SADDR_HOME}}, "3ffe::2");
        Check("2002:836b:2179::1",
              {{"2002:836b:2179::d5e3:7953:13eb:22e8", SADDR_TEMPORARY}, {"2001::2", 0}},
              "2002:836b:2179::d5e3:7953:13eb:22e8");
        Check("2001::d5e3:0:0:1",
              {{"2001::2", 0}, {"2001::d5e3:7953:13eb:22e8", SADDR_TEMPORARY}},
              "2001::2");
        Check("3ffe::1",
              {{"3ffe::1", 0}, {"fec0::1", 0}, {"fe80::21c:23ff:fe09:f4e8", 0}},
              "3ffe::1");
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
 * The destination address examples of RFC 6724, section 10.2.
 */
class SaddrRfc6724DestinationTestCase : public TestCase
{
  public:
    SaddrRfc6724DestinationTestCase()
        : TestCase("RFC 6724, section 10.2")
    {
    }

  private:
    /// A destination, and the source that the RFC's example has for it.
    struct Pair
    {
        const char* destination; //!< destination
        const char* source;      //!< source, or null
        char mark;               //!< `d` deprecated, `h` home address, `c` care-of address, or 0
    };

    /**
     * @param text an IPv6 or IPv4 address
     * @returns it, IPv4 addresses mapped
     */
    static Ipv6Bits Mapped(const std::string& text)
    {
        return Bits(text.find(':') == std::string::npos ? "::ffff:" + text : text);
    }

    /**
     * @param pairs the destinations, in the order of the RFC's result
     */
    void Check(const std::vector<Pair>& pairs)
    {
        for (int order = 0; order < 2; ++order)
        {
            std::vector<DaddrCandidate> candidates;
            for (size_t i = 0; i < pairs.size(); ++i)
            {
                const auto& pair = pairs[order ? pairs.size() - 1 - i : i];
                DaddrCandidate candidate;
                candidate.destination = Mapped(pair.destination);
                candidate.hasSource = pair.source != nullptr;
                if (pair.source)
                {
                    candidate.source = Mapped(pair.source);
                    candidate.sourcePrefixLength = candidate.source.high == 0 ? 120 : 64;
                }
                candidate.sourceDeprecated = pair.mark == 'd';
                candidate.sourceHome = pair.mark == 'h';
                candidate.sourceCareOf = pair.mark == 'c';
                candidates.push_back(candidate);
            }
            const auto indexes = OrderDestinations(candidates);
            for (size_t i = 0; i < pairs.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(candidates[indexes[i]].destination.ToText(),
                                      Mapped(pairs[i].destination).ToText(),
                                      "place " << i << " of " << pairs[0].destination);
            }
        }
    }

    void DoRun() override
    {
        Check({{"2001:db8:1::1", "2001:db8:1::2", 0}, {"198.51.100.121", "169.254.13.78", 0}});
        Check({{"198.51.100.121", "198.51.100.117", 0}, {"2001:db8:1::1", "fe80::1", 0}});
        Check({{"2001:db8:1::1", "2001:db8:1::2", 0}, {"10.1.2.3", "10.1.2.4", 0}});
        Check({{"fe80::1", "fe80::2", 0}, {"2001:db8:1::1", "2001:db8:1::2", 0}});
        Check({{"2001:db8:1::1", "2001:db8:3::1", 'h'}, {"fe80::1", "fe80::2", 'c'}});
        Check({{"2001:db8:1::1", "2001:db8:1::2", 0}, {"fe80::1", "fe80::2", 'd'}});
        Check({{"2001:db8:1::1", "2001:db8:1::2", 0}, {"2001:db8:3ffe::1", "2001:db8:3f44::2", 0}});
        Check({{"2002:c633:6401::1", "2002:c633:6401::2", 0},
               {"2001:db8:1::1", "2002:c633:6401::2", 0}});
        Check(
            {{"2001:db8:1::1", "2001:db8:1::2", 0}, {"2002:c633:6401::1", "2002:c633:6401::2", 0}});
        // Without a source, last (rule 1).
        Check({{"fe80::1", "fe80::2", 'd'}, {"2001:db8:1::1", nullptr, 0}});
    }
};

/**
 * @ingroup linux-host-tests
 * A host with two interfaces, A and B, and its peer on A.
 *
 *     host ---- A ---- peer
 *       |
 *       +------ B
 */
class SaddrNetworkTestCase : public TestCase
{
  public:
    /// @param name what is tested
    explicit SaddrNetworkTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// Interfaces of the host.
    enum Interface : uint32_t
    {
        A = 1, //!< towards the peer
        B = 2, //!< towards nobody
    };

    /// Peer's address.
    static constexpr const char* PEER = "2620:0:1::9";

    /// Build the network.
    void Build()
    {
        m_host = CreateObject<Node>();
        m_peer = CreateObject<Node>();
        SaddrHelper saddr;
        saddr.Install(m_host);
        InternetStackHelper stack;
        stack.Install(m_peer);
        CsmaHelper csma;
        const auto linkA = csma.Install(NodeContainer(m_host, m_peer));
        const auto linkB = csma.Install(m_host);
        m_ipv6 = m_host->GetObject<Ipv6>();
        m_addresses = SaddrHelper::GetAddresses(m_host);
        for (const auto& device : {linkA.Get(0), linkB.Get(0)})
        {
            const uint32_t i = m_ipv6->AddInterface(device);
            m_ipv6->SetMetric(i, 1);
            m_ipv6->SetUp(i);
        }
        const auto peer = m_peer->GetObject<Ipv6>();
        const uint32_t i = peer->AddInterface(linkA.Get(1));
        peer->SetUp(i);
        peer->AddAddress(i, Ipv6InterfaceAddress(Ipv6Address(PEER), Ipv6Prefix(64)));
        // Whatever the host's source, answers go to it.
        Ipv6StaticRoutingHelper routing;
        routing.GetStaticRouting(peer)->SetDefaultRoute(LinkLocal(), i);
        // By a gateway, since ns-3 resolves no global neighbour without a global address on A.
        routing.GetStaticRouting(m_ipv6)->AddNetworkRouteTo("2620:0:1::",
                                                            Ipv6Prefix(48),
                                                            peer->GetAddress(i, 0).GetAddress(),
                                                            A);
        m_peer->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
            "LocalDeliver",
            MakeCallback(&SaddrNetworkTestCase::Delivered, this));
    }

    /// @returns the host's link-local address on A
    Ipv6Address LinkLocal() const
    {
        return m_ipv6->GetAddress(A, 0).GetAddress();
    }

    /**
     * Add an address to the host.
     * @param interface the interface
     * @param address the address
     * @param flags its flags
     */
    void Add(uint32_t interface, const char* address, uint16_t flags = 0)
    {
        // Routes are the tests' own, so that an address on B does not lead there.
        m_ipv6->AddAddress(interface,
                           Ipv6InterfaceAddress(Ipv6Address(address), Ipv6Prefix(64)),
                           false);
        m_addresses->SetFlags(interface, Ipv6Address(address), flags);
    }

    /**
     * Send a datagram from a new socket of the host.
     * @param preferences the packet's preferences, or 0
     */
    void SendUdp(uint16_t preferences)
    {
        const auto socket = Socket::CreateSocket(m_host, UdpSocketFactory::GetTypeId());
        const auto packet = Create<Packet>(10);
        if (preferences)
        {
            packet->AddPacketTag(SaddrPreferenceTag(preferences));
        }
        m_sent = socket->SendTo(packet, 0, Inet6SocketAddress(Ipv6Address(PEER), 9));
        m_error = socket->GetErrno();
    }

    /**
     * Send a datagram at a moment, and look at its source half a second later.
     * @param at the moment, in seconds
     * @param expected the source; empty when none is expected to arrive
     * @param preferences the packet's preferences, or 0
     */
    void ExpectUdp(double at, const std::string& expected, uint16_t preferences = 0)
    {
        Simulator::Schedule(Seconds(at), &SaddrNetworkTestCase::Forget, this);
        Simulator::Schedule(Seconds(at), &SaddrNetworkTestCase::SendUdp, this, preferences);
        Simulator::Schedule(Seconds(at + 0.5),
                            &SaddrNetworkTestCase::Compare,
                            this,
                            expected,
                            Ipv6Header::IPV6_UDP);
    }

    /// Forget what has arrived.
    void Forget()
    {
        m_sources.clear();
    }

    /**
     * @param expected the source of the last packet, or empty
     * @param protocol which packets count
     */
    void Compare(std::string expected, Ipv6Header::NextHeader_e protocol)
    {
        const auto it = m_sources.find(protocol);
        NS_TEST_EXPECT_MSG_EQ((it == m_sources.end() ? "" : it->second),
                              expected,
                              GetName() << " at " << Simulator::Now().GetSeconds() << " s");
    }

    /**
     * A packet has arrived at the peer.
     * @param header its header
     */
    void Delivered(const Ipv6Header& header, Ptr<const Packet>, uint32_t)
    {
        m_sources[header.GetNextHeader()] = Ipv6Bits(header.GetSource()).ToText();
    }

    Ptr<Node> m_host;                         //!< the host
    Ptr<Node> m_peer;                         //!< its peer
    Ptr<Ipv6> m_ipv6;                         //!< the host's IPv6
    Ptr<LinuxIpv6Addresses> m_addresses;      //!< the host's addresses
    std::map<uint8_t, std::string> m_sources; //!< source of the last packet, by protocol
    int m_sent{0};                            //!< result of the last SendTo()
    Socket::SocketErrno m_error;              //!< error of the last socket
};

/**
 * @ingroup linux-host-tests
 * UDP, TCP, raw and ICMPv6 packets leave with Linux's source.
 */
class SaddrSocketsTestCase : public SaddrNetworkTestCase
{
  public:
    SaddrSocketsTestCase()
        : SaddrNetworkTestCase("Sockets of ns-3")
    {
    }

  private:
    /// Send an echo request from a raw socket.
    void SendEcho()
    {
        const auto socket = Socket::CreateSocket(m_host, Ipv6RawSocketFactory::GetTypeId());
        socket->SetAttribute("Protocol", UintegerValue(Ipv6Header::IPV6_ICMPV6));
        socket->SetRecvCallback(MakeCallback(&SaddrSocketsTestCase::Echoed, this));
        socket->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 0));
        const auto packet = Create<Packet>(8);
        Icmpv6Echo echo(true);
        echo.SetId(7);
        packet->AddHeader(echo);
        socket->SendTo(packet, 0, Inet6SocketAddress(Ipv6Address(PEER), 0));
        m_raw = socket;
    }

    /// @param socket the raw socket, which has received something
    void Echoed(Ptr<Socket> socket)
    {
        Address from;
        while (const auto packet = socket->RecvFrom(from))
        {
            Ipv6Header header;
            packet->RemoveHeader(header);
            uint8_t type = 0;
            packet->CopyData(&type, 1);
            m_echoed |= type == Icmpv6Header::ICMPV6_ECHO_REPLY;
        }
    }

    /**
     * @param socket a TCP socket
     * @param preferences preferences for it
     */
    void ConnectTcp(Ptr<Socket> socket, uint16_t preferences)
    {
        m_addresses->Connect(socket, Inet6SocketAddress(Ipv6Address(PEER), 80), preferences);
    }

    /**
     * @param from the peer of a connection
     */
    void Accepted(Ptr<Socket>, const Address& from)
    {
        m_accepted.push_back(Ipv6Bits(Inet6SocketAddress::ConvertFrom(from).GetIpv6()).ToText());
    }

    void DoRun() override
    {
        Build();
        Add(A, "2620:0:1::1", SADDR_DEPRECATED);
        Add(A, "2620:0:1::2");
        Add(A, "2620:0:1::f", SADDR_TEMPORARY);
        Add(B, "2620:0:1::9999");

        // Rule OIF keeps B's address out; the newest of A's public ones would be a tie.
        ExpectUdp(3, "2620:0:1::2");
        ExpectUdp(4, "2620:0:1::f", SADDR_PREFER_TMP);

        const auto server = Socket::CreateSocket(m_peer, TcpSocketFactory::GetTypeId());
        server->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 80));
        server->Listen();
        server->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&SaddrSocketsTestCase::Accepted, this));
        for (int i = 0; i < 2; ++i)
        {
            Simulator::Schedule(Seconds(5 + i),
                                &SaddrSocketsTestCase::ConnectTcp,
                                this,
                                Socket::CreateSocket(m_host, TcpSocketFactory::GetTypeId()),
                                i ? SADDR_PREFER_TMP : 0);
        }
        Simulator::Schedule(Seconds(7), &SaddrSocketsTestCase::SendEcho, this);
        Simulator::Schedule(Seconds(7.5),
                            &SaddrSocketsTestCase::Compare,
                            this,
                            "2620:0:1::2",
                            Ipv6Header::IPV6_ICMPV6);
        Simulator::Stop(Seconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_echoed, true, "the echo request was answered");
        const std::vector<std::string> accepted{"2620:0:1::2", "2620:0:1::f"};
        NS_TEST_EXPECT_MSG_EQ((m_accepted == accepted), true, "TCP, the second prefers temporary");
        m_raw = nullptr;
        Simulator::Destroy();
    }

    Ptr<Socket> m_raw;                   //!< the raw socket
    bool m_echoed{false};                //!< an echo reply has arrived
    std::vector<std::string> m_accepted; //!< peers of the connections
};

/**
 * @ingroup linux-host-tests
 * Flags, lifetimes, sysctls and labels change the source while the simulation runs.
 */
class SaddrChangesTestCase : public SaddrNetworkTestCase
{
  public:
    SaddrChangesTestCase()
        : SaddrNetworkTestCase("Changes in simulated time")
    {
    }

  private:
    /// Set the lifetimes of the address that is used first.
    void SetLifetimes()
    {
        const Ipv6Address address("2620:0:1::1");
        NS_TEST_EXPECT_MSG_EQ(m_addresses->SetLifetimes(A, address, Seconds(2), Seconds(1)),
                              false,
                              "preferred longer than valid");
        NS_TEST_EXPECT_MSG_EQ(m_addresses->SetLifetimes(A, "2620::7", Seconds(1), Seconds(2)),
                              false,
                              "no such address");
        NS_TEST_EXPECT_MSG_EQ(m_addresses->SetLifetimes(A, address, Seconds(2), Seconds(4)),
                              true,
                              "lifetimes");
    }

    /// @param prefix a prefix to label as the peer's is
    void AddLabel(std::string prefix)
    {
        m_addresses->GetLabels().Add(Bits(PEER), 48, 77);
        m_addresses->GetLabels().Add(Bits(prefix), 48, 77);
    }

    void DoRun() override
    {
        Build();
        Add(A, "2620:0:1::1");
        Add(B, "2620:0:2::1");
        // Duplicate detection takes a second; until then only ::1 is left, and Linux takes it.
        ExpectUdp(0.25, "::1");
        ExpectUdp(2, "2620:0:1::1");
        // From 3 s: preferred to 5 s, valid to 7 s.
        Simulator::Schedule(Seconds(3), &SaddrChangesTestCase::SetLifetimes, this);
        ExpectUdp(4, "2620:0:1::1");
        ExpectUdp(5.1, "2620:0:2::1");
        ExpectUdp(7.1, "2620:0:2::1");
        // Two on B: a tie, so the newest; then one has the peer's label.
        Simulator::Schedule(Seconds(8),
                            &SaddrChangesTestCase::Add,
                            this,
                            B,
                            "2620:0:3::1",
                            SADDR_NODAD);
        ExpectUdp(8.1, "2620:0:3::1");
        Simulator::Schedule(Seconds(9), &SaddrChangesTestCase::AddLabel, this, "2620:0:2::");
        ExpectUdp(9.1, "2620:0:2::1");
        // Only A's addresses: its link-local one is left.
        Simulator::Schedule(Seconds(10),
                            &LinuxIpv6Addresses::SetUseOifAddrsOnly,
                            m_addresses,
                            A,
                            true);
        ExpectUdp(10.1, Ipv6Bits(LinkLocal()).ToText());
        Simulator::Schedule(Seconds(11),
                            &LinuxIpv6Addresses::SetUseOifAddrsOnly,
                            m_addresses,
                            A,
                            false);
        Simulator::Schedule(Seconds(11),
                            &SaddrChangesTestCase::Add,
                            this,
                            A,
                            "2620:0:1::f",
                            SADDR_TEMPORARY);
        Simulator::Schedule(Seconds(11),
                            &SaddrChangesTestCase::Add,
                            this,
                            A,
                            "2620:0:1::2",
                            uint16_t{0});
        ExpectUdp(13, "2620:0:1::2");
        Simulator::Schedule(Seconds(14), &LinuxIpv6Addresses::SetUseTempaddr, m_addresses, A, 2);
        ExpectUdp(14.1, "2620:0:1::f");
        ExpectUdp(15, "2620:0:1::2", SADDR_PREFER_PUBLIC);
        Simulator::Schedule(Seconds(16),
                            &LinuxIpv6Addresses::SetOptimistic,
                            m_addresses,
                            A,
                            true,
                            true);
        Simulator::Schedule(Seconds(16),
                            &SaddrChangesTestCase::Add,
                            this,
                            A,
                            "2620:0:1::a",
                            uint16_t{0});
        ExpectUdp(16.1, "2620:0:1::f");
        ExpectUdp(16.7, "2620:0:1::2", SADDR_PREFER_PUBLIC);
        ExpectUdp(18, "2620:0:1::a", SADDR_PREFER_PUBLIC);
        // A home address, for a kernel that knows them.
        m_addresses->SetAttribute("MobileIpv6", BooleanValue(true));
        Simulator::Schedule(Seconds(19),
                            &SaddrChangesTestCase::Add,
                            this,
                            A,
                            "2620:0:1::3",
                            SADDR_HOME | SADDR_NODAD);
        ExpectUdp(19.1, "2620:0:1::3");
        ExpectUdp(20, "2620:0:1::f", SADDR_PREFER_COA);
        Simulator::Stop(Seconds(22));
        Simulator::Run();
        uint16_t flags = 0;
        NS_TEST_EXPECT_MSG_EQ(m_addresses->GetFlags(A, "2620:0:1::1", &flags),
                              false,
                              "no longer valid, hence gone");
        NS_TEST_EXPECT_MSG_EQ(m_ipv6->GetInterfaceForAddress("2620:0:1::1"), -1, "gone for ns-3");
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tests
 * Applications of ns-3 with preferences of their own.
 */
class SaddrApplicationsTestCase : public SaddrNetworkTestCase
{
  public:
    SaddrApplicationsTestCase()
        : SaddrNetworkTestCase("Applications with preferences")
    {
    }

  private:
    /**
     * Run an application for half a second, and look at the source of its packets.
     * @param application the application
     * @param at when it starts, in seconds
     * @param preferences its preferences, or 0
     * @param expected the expected source
     * @param protocol its protocol
     */
    void Expect(Ptr<Application> application,
                double at,
                uint16_t preferences,
                const std::string& expected,
                Ipv6Header::NextHeader_e protocol)
    {
        if (!application->GetNode())
        {
            m_host->AddApplication(application);
        }
        application->SetStartTime(Seconds(at));
        application->SetStopTime(Seconds(at + 0.5));
        if (preferences)
        {
            NS_TEST_EXPECT_MSG_EQ(SaddrHelper::SetPreferences(application, preferences),
                                  true,
                                  "application at " << at);
        }
        Simulator::Schedule(Seconds(at), &SaddrApplicationsTestCase::Forget, this);
        Simulator::Schedule(Seconds(at + 0.6),
                            &SaddrApplicationsTestCase::Compare,
                            this,
                            expected,
                            protocol);
    }

    /**
     * @param protocol a socket factory
     * @returns an application that sends by it to the peer
     */
    static Ptr<Application> OnOff(const std::string& protocol)
    {
        const auto application = CreateObject<OnOffApplication>();
        application->SetAttribute("Protocol", TypeIdValue(TypeId::LookupByName(protocol)));
        application->SetAttribute("Remote",
                                  AddressValue(Inet6SocketAddress(Ipv6Address(PEER), 80)));
        application->SetAttribute("OffTime",
                                  StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        return application;
    }

    void DoRun() override
    {
        Build();
        Add(A, "2620:0:1::f", SADDR_TEMPORARY);
        Add(A, "2620:0:1::2");
        const auto server = Socket::CreateSocket(m_peer, TcpSocketFactory::GetTypeId());
        server->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 80));
        server->Listen();

        const auto udp = Ipv6Header::IPV6_UDP;
        const auto tcp = Ipv6Header::IPV6_TCP;
        Expect(OnOff("ns3::UdpSocketFactory"), 2, 0, "2620:0:1::2", udp);
        Expect(OnOff("ns3::TcpSocketFactory"), 4, SADDR_PREFER_TMP, "2620:0:1::f", tcp);
        Expect(OnOff("ns3::TcpSocketFactory"), 5, 0, "2620:0:1::2", tcp);
        UdpEchoClientHelper echo(Ipv6Address(PEER), 9);
        Expect(echo.Install(m_host).Get(0), 6, SADDR_PREFER_TMP, "2620:0:1::f", udp);

        const auto last = OnOff("ns3::TcpSocketFactory");
        m_host->AddApplication(last);
        last->SetStartTime(Seconds(9));
        NS_TEST_EXPECT_MSG_EQ(
            SaddrHelper::SetPreferences(last, SADDR_PREFER_TMP | SADDR_PREFER_PUBLIC),
            false,
            "tmp and public contradict");
        Simulator::Stop(Seconds(8));
        Simulator::Run();
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tests
 * A router whose outgoing interface has no global address, and a host without any.
 */
class SaddrUnnumberedTestCase : public SaddrNetworkTestCase
{
  public:
    SaddrUnnumberedTestCase()
        : SaddrNetworkTestCase("Unnumbered interfaces")
    {
    }

  private:
    /// @param hopLimit hop limit of the datagram
    void SendThroughHost(uint8_t hopLimit)
    {
        const auto socket = Socket::CreateSocket(m_peer, UdpSocketFactory::GetTypeId());
        socket->SetIpv6HopLimit(hopLimit);
        socket->SendTo(Create<Packet>(10), 0, Inet6SocketAddress("2620:0:5::5", 9));
    }

    /// A packet has been forwarded.
    void Forwarded(const Ipv6Header&, Ptr<const Packet>, uint32_t)
    {
        ++m_forwarded;
    }

    void DoRun() override
    {
        Build();
        Ipv6StaticRoutingHelper routing;
        const auto table = routing.GetStaticRouting(m_ipv6);
        table->AddNetworkRouteTo("2620:0:5::", Ipv6Prefix(48), B);
        m_ipv6->SetForwarding(A, true);
        m_ipv6->SetForwarding(B, true);
        m_host->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
            "UnicastForward",
            MakeCallback(&SaddrUnnumberedTestCase::Forwarded, this));
        Simulator::Schedule(Seconds(2), &SaddrUnnumberedTestCase::SendThroughHost, this, 9);
        // Its error leaves by A, with B's address, the only global one.
        Simulator::Schedule(Seconds(3),
                            &SaddrUnnumberedTestCase::Add,
                            this,
                            B,
                            "2620:0:6::1",
                            SADDR_NODAD);
        Simulator::Schedule(Seconds(3.1), &SaddrUnnumberedTestCase::Forget, this);
        Simulator::Schedule(Seconds(3.1), &SaddrUnnumberedTestCase::SendThroughHost, this, 1);
        Simulator::Schedule(Seconds(3.6),
                            &SaddrUnnumberedTestCase::Compare,
                            this,
                            "2620:0:6::1",
                            Ipv6Header::IPV6_ICMPV6);
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_forwarded, 1, "one datagram forwarded");

        // Nothing to choose from: an error, not an abort.
        m_ipv6->RemoveAddress(B, Ipv6Address("2620:0:6::1"));
        for (uint32_t i : {A, B})
        {
            while (m_ipv6->GetNAddresses(i))
            {
                m_ipv6->RemoveAddress(i, 0);
            }
        }
        SendUdp(0);
        // ::1 is left, of too small a scope, and Linux takes it.
        const auto choice = m_addresses->Select(PEER, A, 0);
        NS_TEST_EXPECT_MSG_EQ((choice.source ? choice.source->address.ToText() : "none"),
                              "::1",
                              "the loopback address");
        m_addresses->SetUseOifAddrsOnly(A, true);
        SendUdp(0);
        NS_TEST_EXPECT_MSG_EQ(m_sent, -1, "not sent");
        NS_TEST_EXPECT_MSG_EQ(m_error, Socket::ERROR_ADDRNOTAVAIL, "as Linux says");
        const auto socket = Socket::CreateSocket(m_host, UdpSocketFactory::GetTypeId());
        NS_TEST_EXPECT_MSG_EQ(
            socket->SendTo(Create<Packet>(1), 0, Inet6SocketAddress("ff02::1", 9)),
            -1,
            "link-local multicast without an interface");
        Simulator::Destroy();
    }

    uint32_t m_forwarded{0}; //!< packets forwarded
};

/**
 * @ingroup linux-host-tests
 * A name's addresses, ordered on a node.
 */
class SaddrOrderTestCase : public SaddrNetworkTestCase
{
  public:
    SaddrOrderTestCase()
        : SaddrNetworkTestCase("Order of destinations on a node")
    {
    }

  private:
    void DoRun() override
    {
        Build();
        Add(A, "2620:0:1::1", SADDR_NODAD);
        const auto ipv4 = m_host->GetObject<Ipv4>();
        const uint32_t i = ipv4->AddInterface(m_ipv6->GetNetDevice(A));
        ipv4->AddAddress(i, Ipv4InterfaceAddress("192.0.2.1", "255.255.255.0"));
        ipv4->SetUp(i);
        const Address near6 = Ipv6Address(PEER);
        const Address far6 = Ipv6Address("2620:0:9::1");
        const Address near4 = Ipv4Address("192.0.2.9");
        const auto ordered = m_addresses->OrderDestinations({far6, near4, near6});
        NS_TEST_EXPECT_MSG_EQ((ordered == std::vector<Address>{near6, near4, far6}),
                              true,
                              "IPv6, IPv4, and last what has no route");
        m_addresses->SetFlags(A, "2620:0:1::1", SADDR_NODAD | SADDR_DEPRECATED);
        const auto later = m_addresses->OrderDestinations({near6, near4});
        NS_TEST_EXPECT_MSG_EQ((later == std::vector<Address>{near4, near6}),
                              true,
                              "a deprecated source comes second");
        Simulator::Destroy();
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
        AddTestCase(new SaddrRfc6724DestinationTestCase, TEST_QUICK);
        AddTestCase(new SaddrSocketsTestCase, TEST_QUICK);
        AddTestCase(new SaddrChangesTestCase, TEST_QUICK);
        AddTestCase(new SaddrApplicationsTestCase, TEST_QUICK);
        AddTestCase(new SaddrUnnumberedTestCase, TEST_QUICK);
        AddTestCase(new SaddrOrderTestCase, TEST_QUICK);
    }
};

/// The suite.
static SaddrTestSuite g_saddrTestSuite;
