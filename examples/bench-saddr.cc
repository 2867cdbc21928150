/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How many source addresses a second SelectSourceAddress() chooses.

#include "ns3/example-options.h"
#include "ns3/source-address-selection.h"

#include <algorithm>
#include <ctime>
#include <iostream>

using namespace ns3;
using namespace ns3::linuxhost;

int
main(int argc, char* argv[])
{
    int64_t interfaces = 3;
    int64_t addresses = 8;
    int64_t calls = 5000000;
    std::string json;
    ExampleOptions options("bench-saddr", "Source address selections a second of CPU time.");
    options.AddInteger("interfaces", "interfaces, lo among them", 2, 1000, &interfaces);
    options.AddInteger("addresses", "addresses on all of them together", 2, 10000, &addresses);
    options.AddInteger("calls", "how many selections to time", 1, 1000000000, &calls);
    options.AddText("json", "write the result as JSON", &json, "FILE");
    int exitCode = 0;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    OutputFile file;
    if (!json.empty())
    {
        const std::string error = file.Open(json);
        if (!error.empty())
        {
            return options.Fail("json", json, error);
        }
    }

    // ::1 on lo; then a link-local address on each other interface; the rest are global ones.
    SaddrHost host;
    for (int64_t i = 0; i < interfaces; ++i)
    {
        SaddrInterface interface;
        interface.name = i == 0 ? "lo" : "eth" + std::to_string(i - 1);
        interface.ifindex = static_cast<uint32_t>(i + 1);
        host.interfaces.push_back(interface);
    }
    const uint64_t net = 0x20010db800000000;
    for (int64_t i = 0; i < addresses; ++i)
    {
        const int64_t round = i < interfaces ? 0 : 1 + (i - interfaces) / (interfaces - 1);
        const int64_t on = round == 0 ? i : 1 + (i - interfaces) % (interfaces - 1);
        const auto number = static_cast<uint64_t>(i);
        host.interfaces[on].AddAddress(
            on == 0      ? SaddrAddress({0, 1}, 128)
            : round == 0 ? SaddrAddress({0xfe80000000000000, number + 1}, 64)
                         : SaddrAddress({net | static_cast<uint64_t>(on), number + 1}, 64));
    }
    SaddrQuery query;
    query.destination = Ipv6Bits(net | 0xff00, 0);
    query.oif = 2;

    uint64_t chosen = 0;
    // CPU time: a busy machine does not make the function slower.
    const std::clock_t start = std::clock();
    for (int64_t i = 0; i < calls; ++i)
    {
        query.destination.low = static_cast<uint64_t>(i);
        const auto choice = SelectSourceAddress(host, query);
        chosen += choice.source ? choice.source->address.low : 0;
    }
    const double elapsed =
        std::max(static_cast<double>(std::clock() - start), 1.0) / CLOCKS_PER_SEC;
    const double rate = static_cast<double>(calls) / elapsed;
    (json == "-" ? std::cerr : std::cout)
        << static_cast<int64_t>(rate) << " selections/s (" << interfaces << " interfaces, "
        << addresses << " addresses, sum of choices " << chosen << ")\n";
    if (!json.empty())
    {
        file.Stream() << "{\"bench\": \"saddr\", \"interfaces\": " << interfaces
                      << ", \"addresses\": " << addresses << ", \"calls\": " << calls
                      << ", \"selections_per_s\": " << static_cast<int64_t>(rate) << "}\n";
        const std::string error = file.Commit();
        if (!error.empty())
        {
            return options.Fail("json", json, error);
        }
    }
    return 0;
}
