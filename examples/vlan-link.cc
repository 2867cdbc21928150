/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * Two Linux hosts with a VLAN on a veth pair. A sends datagrams to a closed port of B, B answers;
 * captures show the frames on the wire at A and inside B's VLAN device:
 *
 *     vlan-link --id=100 --egress=0:1,1:0,2:2 --send=16:0,16:1,16:2 --pcap=out --json=-
 */

#include "ns3/vlan-link.h"

#include "ns3/ethernet-capture.h"
#include "ns3/example-options.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

constexpr uint32_t PCP_MASK = 7; //!< the bits of a code point that a tag has room for

/**
 * @param text a list of numbers or of pairs of numbers, as 1,2:3
 * @param take takes a number, the second of its pair or -1, and says whether it will do
 * @returns whether the whole list is of that form
 */
bool
ParsePairs(const std::string& text, const std::function<bool(int64_t, int64_t)>& take)
{
    std::istringstream list(text);
    std::string item;
    const auto number = [](const std::string& digits, int64_t* value) {
        if (digits.empty() || digits.size() > 10 ||
            digits.find_first_not_of("0123456789") != std::string::npos)
        {
            return false;
        }
        *value = std::stoll(digits);
        return true;
    };
    if (!text.empty() && text.back() == ',')
    {
        return false;
    }
    while (std::getline(list, item, ','))
    {
        const size_t colon = item.find(':');
        int64_t first = 0;
        int64_t second = -1;
        if (!number(item.substr(0, colon), &first) ||
            (colon != std::string::npos && !number(item.substr(colon + 1), &second)) ||
            !take(first, second))
        {
            return false;
        }
    }
    return true;
}

/**
 * @param text a list of FROM:TO as `ip link` takes for a map of priorities, with commas between:
 *             32-bit numbers, decimal, octal or hexadecimal
 * @param take takes each pair
 * @returns whether `ip link` would take the whole list
 */
bool
ParseMap(const std::string& text, const std::function<void(uint32_t, uint32_t)>& take)
{
    const auto number = [](const std::string& digits, uint32_t* value) {
        // As iproute2's get_u32: what is negative becomes too large.
        char* end = nullptr;
        errno = 0;
        const unsigned long long wide = std::strtoull(digits.c_str(), &end, 0);
        *value = static_cast<uint32_t>(wide);
        return end != digits.c_str() && *end == '\0' && errno == 0 && wide <= 0xffffffffULL;
    };
    std::string::size_type at = 0;
    while (!text.empty() && at <= text.size())
    {
        const std::string::size_type comma = std::min(text.find(',', at), text.size());
        const std::string item = text.substr(at, comma - at);
        const std::string::size_type colon = item.find(':');
        uint32_t from = 0;
        uint32_t to = 0;
        if (colon == std::string::npos || !number(item.substr(0, colon), &from) ||
            !number(item.substr(colon + 1), &to))
        {
            return false;
        }
        take(from, to);
        at = comma + 1;
    }
    return true;
}

} // namespace

int
main(int argc, char* argv[])
{
    VlanLink::Settings settings;
    int64_t id = 100;
    std::string protocol = "802.1Q";
    std::string egress;
    std::string ingress;
    bool reorder = true;
    int64_t innerId = -1;
    std::string send = "172,0,1472";
    int64_t interval = 150;
    int64_t echoRequests = 0;
    std::string neighbor = "arp";
    std::string inject;
    std::string pcap;
    std::string json;

    ExampleOptions options("vlan-link", "Two Linux hosts with a VLAN on a veth pair.");
    options.AddInteger("id", "VLAN id.", 0, 4094, &id);
    options.AddChoice("proto", "Protocol of its tag.", {"802.1Q", "802.1ad"}, &protocol);
    const char* const mapAllowed = "FROM:TO,... of numbers from 0 to 4294967295";
    options.AddText("egress",
                    "A's map of packet priority to code point, of which three bits count.",
                    &egress,
                    "PRIORITY:PCP,...",
                    [&](const std::string& text) {
                        settings.egress.clear();
                        const bool good = ParseMap(text, [&](uint32_t from, uint32_t to) {
                            settings.egress[from] = static_cast<uint8_t>(to & PCP_MASK);
                        });
                        return good ? "" : mapAllowed;
                    });
    options.AddText("ingress",
                    "B's map of code point, of which three bits count, to packet priority.",
                    &ingress,
                    "PCP:PRIORITY,...",
                    [&](const std::string& text) {
                        settings.ingress.clear();
                        const bool good = ParseMap(text, [&](uint32_t from, uint32_t to) {
                            settings.ingress[static_cast<uint8_t>(from & PCP_MASK)] = to;
                        });
                        return good ? "" : mapAllowed;
                    });
    options.AddSwitch("reorder-hdr",
                      "Whether frames are without their tag on the VLAN devices.",
                      &reorder);
    options.AddInteger("qinq", "Id of an 802.1Q VLAN inside the VLAN.", 0, 4094, &innerId);
    options.AddText("send",
                    "Datagrams from A to B: payload bytes and the socket's priority; default "
                    "172,0,1472, or none with --inject.",
                    &send,
                    "PAYLOAD[:PRIORITY],...",
                    [&](const std::string& text) {
                        settings.datagrams.clear();
                        const bool good = ParsePairs(text, [&](int64_t payload, int64_t priority) {
                            VlanLink::Datagram datagram;
                            datagram.payload = static_cast<uint32_t>(payload);
                            datagram.priority = priority < 0 ? 0 : static_cast<uint32_t>(priority);
                            if (payload > 65507 || priority > 255 ||
                                settings.datagrams.size() >= 100000)
                            {
                                return false;
                            }
                            settings.datagrams.push_back(datagram);
                            return true;
                        });
                        return good ? "" : "PAYLOAD[:PRIORITY],... up to 65507 and 255";
                    });
    options.AddInteger("interval", "Time between datagrams.", 1, 60000, &interval, "ms");
    options.AddInteger("ping",
                       "Echo requests from A to B after the datagrams.",
                       0,
                       10000,
                       &echoRequests);
    options.AddChoice("neighbor",
                      "How A comes to know B in the VLAN: it asks, or it knows for good.",
                      {"arp", "permanent"},
                      &neighbor);
    options.AddText("inject", "Frames to put on the wire at A, towards B.", &inject, "FILE.pcap");
    options.AddText("pcap",
                    "Write PREFIX-wire.pcap (at A) and PREFIX-inside.pcap (at B's VLAN device).",
                    &pcap,
                    "PREFIX");
    options.AddText("json", "Write the devices' counters as JSON.", &json, "FILE|-");

    const std::string device = "ns3::linuxhost::VlanNetDevice";
    options.Bind(device, {{"id", "Vid"}, {"reorder-hdr", "ReorderHeader"}});
    int exitCode = 0;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    std::string given;
    if (!options.IsGiven("proto") && options.GetAttribute(device + "::Protocol", &given))
    {
        const int etherType = std::atoi(given.c_str());
        if (etherType != 0x8100 && etherType != 0x88a8)
        {
            return options.Fail(device + "::Protocol", given, "33024 (802.1Q) or 34984 (802.1ad)");
        }
        protocol = etherType == 0x88a8 ? "802.1ad" : "802.1Q";
    }
    if (!options.IsGiven("send") && inject.empty())
    {
        settings.datagrams = {{172, 0}, {0, 0}, {1472, 0}};
    }
    settings.id = static_cast<uint16_t>(id);
    settings.protocol = protocol == "802.1ad" ? 0x88a8 : 0x8100;
    settings.reorderHeader = reorder;
    settings.innerId = options.IsGiven("qinq") ? static_cast<int32_t>(innerId) : -1;
    settings.interval = MilliSeconds(interval);
    settings.echoRequests = static_cast<uint32_t>(echoRequests);
    settings.echoPayload.assign(56, 0);
    settings.permanentNeighbor = neighbor == "permanent";
    if (!inject.empty())
    {
        OutputFile::Keep(inject);
        const std::string problem = ReadEthernetCapture(inject, &settings.injected);
        if (!problem.empty())
        {
            return options.Fail(problem);
        }
    }

    OutputFile wire;
    OutputFile inside;
    OutputFile counters;
    const std::string wirePath = pcap + "-wire.pcap";
    const std::string insidePath = pcap + "-inside.pcap";
    std::string problem;
    if (!pcap.empty() &&
        (!(problem = wire.Open(wirePath)).empty() || !(problem = inside.Open(insidePath)).empty()))
    {
        return options.Fail("pcap", pcap, "the beginning of " + problem);
    }
    if (!json.empty() && !(problem = counters.Open(json)).empty())
    {
        return options.Fail("json", json, problem);
    }

    VlanLink link(settings);
    link.Run();

    if (!pcap.empty())
    {
        WriteEthernetCapture(wire.Stream(), link.GetWire());
        WriteEthernetCapture(inside.Stream(), link.GetInside());
        if (!(problem = wire.Commit()).empty() || !(problem = inside.Commit()).empty())
        {
            return options.Fail(problem);
        }
    }
    if (!json.empty())
    {
        link.PrintCounters(counters.Stream());
        if (!(problem = counters.Commit()).empty())
        {
            return options.Fail(problem);
        }
    }
    if (json != "-")
    {
        link.PrintTable(std::cout);
    }
    return 0;
}
