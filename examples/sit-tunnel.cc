/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * Two Linux hosts and a sit tunnel between them.
 *
 *     192.0.2.1                                    192.0.2.2
 *     02:00:00:00:00:0a     veth pair      02:00:00:00:00:0b
 *   [ A: sit1 ] ------------------------------ [ B: sit1 ]
 *
 * A sends UDP datagrams from port 5000 to port 9 of B, which is closed, so B answers each with a
 * port unreachable. What was on the wire and what came out inside can be written as captures.
 */

#include "ns3/example-options.h"
#include "ns3/sit-tunnel-topology.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <sstream>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

constexpr uint32_t MAX_PAYLOAD = 65507;       ///< largest payload that ns-3's UDP sends
constexpr std::size_t MAX_DATAGRAMS = 100000; ///< most datagrams of one run

/**
 * @param text a number, decimal or with 0x
 * @param max the largest that is allowed
 * @param[out] number the number
 * @returns whether the text is a number from 0 to max
 */
bool
ParseNumber(const std::string& text, unsigned long max, unsigned long* number)
{
    bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    std::string digits = hex ? text.substr(2) : text;
    const char* set = hex ? "0123456789abcdefABCDEF" : "0123456789";
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of(set) != std::string::npos)
    {
        return false;
    }
    *number = std::strtoul(digits.c_str(), nullptr, hex ? 16 : 10);
    return *number <= max;
}

/**
 * @param inherit what the word inherit means
 * @param value where the number goes
 * @returns a checker for `N|inherit`
 */
ExampleOptions::Checker
OctetOrInherit(uint8_t inherit, uint8_t* value)
{
    return [inherit, value](const std::string& text) -> std::string {
        unsigned long number = inherit;
        if (text != "inherit" && !ParseNumber(text, 255, &number))
        {
            return "inherit or a number from 0 to 255 (decimal, or hexadecimal with 0x)";
        }
        *value = static_cast<uint8_t>(number);
        return "";
    };
}

/**
 * @param text PAYLOAD[:TCLASS[:HOPLIMIT[:DEST]]]
 * @param datagram the datagram
 * @returns the empty string, or what is wrong
 */
std::string
ParseDatagram(const std::string& text, SitDatagram* datagram)
{
    // The destination has colons itself, so at most three are looked for.
    std::vector<std::string> fields;
    std::size_t from = 0;
    while (fields.size() < 3)
    {
        std::size_t colon = text.find(':', from);
        if (colon == std::string::npos)
        {
            break;
        }
        fields.push_back(text.substr(from, colon - from));
        from = colon + 1;
    }
    fields.push_back(text.substr(from));
    unsigned long number = 0;
    if (!ParseNumber(fields[0], MAX_PAYLOAD, &number))
    {
        return "a payload of 0 to " + std::to_string(MAX_PAYLOAD) + " bytes";
    }
    datagram->payload = static_cast<uint32_t>(number);
    if (fields.size() > 1 && !fields[1].empty())
    {
        if (!ParseNumber(fields[1], 255, &number))
        {
            return "a traffic class from 0 to 255";
        }
        datagram->trafficClass = static_cast<uint8_t>(number);
    }
    if (fields.size() > 2 && !fields[2].empty())
    {
        if (!ParseNumber(fields[2], 255, &number))
        {
            return "a hop limit from 0 to 255";
        }
        datagram->hopLimit = static_cast<uint8_t>(number);
    }
    if (fields.size() > 3 && !fields[3].empty())
    {
        std::string address = fields[3];
        if (address.size() > 2 && address.front() == '[' && address.back() == ']')
        {
            address = address.substr(1, address.size() - 2);
        }
        uint8_t bytes[16];
        if (inet_pton(AF_INET6, address.c_str(), bytes) != 1)
        {
            return "an IPv6 destination address";
        }
        datagram->destination = Ipv6Address(bytes);
        if (datagram->destination.IsLocalhost() || datagram->destination.IsIpv4MappedAddress() ||
            datagram->destination.IsAny())
        {
            return "an IPv6 destination address that is not ::, loopback's or IPv4-mapped";
        }
        if (datagram->destination.IsMulticast() && fields[2].empty())
        {
            datagram->hopLimit = 1; // the default of IPV6_MULTICAST_HOPS
        }
    }
    return "";
}

/**
 * @param datagrams where the datagrams go
 * @returns a checker for their list
 */
ExampleOptions::Checker
DatagramList(std::vector<SitDatagram>* datagrams)
{
    return [datagrams](const std::string& text) -> std::string {
        datagrams->clear();
        std::istringstream list(text);
        std::string item;
        while (std::getline(list, item, ','))
        {
            SitDatagram datagram;
            std::string wrong = ParseDatagram(item, &datagram);
            if (!wrong.empty())
            {
                return "a list of PAYLOAD[:TCLASS[:HOPLIMIT[:DEST]]] with commas between; `" +
                       item + "` needs " + wrong;
            }
            datagrams->push_back(datagram);
            if (datagrams->size() > MAX_DATAGRAMS)
            {
                return "at most " + std::to_string(MAX_DATAGRAMS) + " datagrams";
            }
        }
        return datagrams->empty() ? "at least one datagram" : "";
    };
}

/**
 * @param settings where the address goes
 * @returns a checker for an IPv4 address
 */
ExampleOptions::Checker
RemoteAddress(SitTunnelSettings* settings)
{
    return [settings](const std::string& text) -> std::string {
        uint8_t bytes[4]{};
        if (text != "any" && inet_pton(AF_INET, text.c_str(), bytes) != 1)
        {
            return "an IPv4 address or any";
        }
        settings->remote = Ipv4Address::Deserialize(bytes);
        settings->remoteGiven = true;
        return "";
    };
}

/**
 * @param address an address
 * @returns it as text
 */
std::string
Text(Ipv4Address address)
{
    std::ostringstream os;
    address.Print(os);
    return address.IsAny() ? "any" : os.str();
}

/**
 * Print drops by reason, those that there were.
 * @param os where they go
 * @param count gives the number of a reason
 */
void
PrintDrops(std::ostream& os, const std::function<uint64_t(SitDropReason)>& count)
{
    os << "{";
    bool first = true;
    for (int i = 0; i < SIT_DROP_REASONS; ++i)
    {
        auto reason = static_cast<SitDropReason>(i);
        if (count(reason) > 0)
        {
            os << (first ? "" : ", ") << JsonQuote(SitDropReasonName(reason)) << ": "
               << count(reason);
            first = false;
        }
    }
    os << "}";
}

/**
 * Print a device as `ip -s -s -j link show sit1` does, and why packets were dropped.
 * @param os where it goes
 * @param device the device
 */
void
PrintJson(std::ostream& os, Ptr<SitNetDevice> device)
{
    if (!device)
    {
        os << "null";
        return;
    }
    os << "{\"ifname\": \"sit1\", \"link_type\": \"sit\", \"mtu\": " << device->GetMtu()
       << ", \"address\": " << JsonQuote(Text(device->GetLocal()))
       << ", \"broadcast\": " << JsonQuote(Text(device->GetRemote())) << ", \"stats64\": {";
    std::string direction;
    device->GetCounters().Visit(
        [&os, &direction](const std::string& way, const std::string& name, uint64_t value) {
            if (way != direction)
            {
                os << (direction.empty() ? "" : "}, ") << JsonQuote(way) << ": {";
                direction = way;
            }
            else
            {
                os << ", ";
            }
            os << JsonQuote(name) << ": " << value;
        });
    os << "}}, \"drops\": ";
    PrintDrops(os, [device](SitDropReason reason) { return device->GetDropCount(reason); });
    os << "}";
}

/**
 * Print the counters that are not zero, side by side.
 * @param os where they go
 * @param topology the hosts
 */
void
PrintTable(std::ostream& os, const SitTunnelTopology& topology)
{
    os << "sit1                        A          B\n";
    std::vector<uint64_t> ofB;
    if (topology.GetDeviceB())
    {
        topology.GetDeviceB()->GetCounters().Visit(
            [&ofB](const std::string&, const std::string&, uint64_t value) {
                ofB.push_back(value);
            });
    }
    std::size_t row = 0;
    topology.GetDeviceA()->GetCounters().Visit(
        [&](const std::string& way, const std::string& name, uint64_t value) {
            uint64_t other = row < ofB.size() ? ofB[row] : 0;
            ++row;
            bool always =
                name == "packets" || name == "bytes" || name == "errors" || name == "dropped";
            if (always || value != 0 || other != 0)
            {
                os << std::left << std::setw(18) << (way + " " + name) << std::right
                   << std::setw(11) << value << std::setw(11);
                if (ofB.empty())
                {
                    os << "-";
                }
                else
                {
                    os << other;
                }
                os << "\n";
            }
        });
    os << topology.GetWire().size() << " frames on the wire, " << topology.GetInside().size()
       << " packets at B's sit1\n";
    if (topology.GetUnsent() > 0)
    {
        os << topology.GetUnsent() << " datagrams had no route at A\n";
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    SitTunnelSettings settings;
    std::string mode = "p2p";
    std::string ttl = "inherit";
    std::string tos = "0";
    std::string remote;
    std::string send = "172";
    std::string inject;
    std::string pcap;
    std::string json;
    bool nopmtudisc = false;
    int64_t mtu = 1480;
    int64_t linkMtu = 1500;
    int64_t interval = 125;
    settings.datagrams.resize(1);
    settings.datagrams[0].payload = 172;

    ExampleOptions options("sit-tunnel", "Two Linux hosts and a sit tunnel between them.");
    options.AddChoice("mode",
                      "How an IPv6 address leads to the other host.",
                      {"p2p", "6to4", "6rd"},
                      &mode);
    options.AddText("remote",
                    "IPv4 address of the other end for A's device (192.0.2.2 in mode p2p, any in "
                    "the others).",
                    &remote,
                    "ADDR",
                    RemoteAddress(&settings));
    options.AddText("ttl",
                    "TTL of the outer header; 0 is inherit.",
                    &ttl,
                    "N|inherit",
                    OctetOrInherit(0, &settings.ttl));
    options.AddText("tos",
                    "TOS of the outer header; 1 is inherit.",
                    &tos,
                    "N|inherit",
                    OctetOrInherit(1, &settings.tos));
    options.AddSwitch("nopmtudisc", "Send without DF.", &nopmtudisc);
    options.AddInteger("mtu",
                       "MTU of the tunnel devices; without it the link's less 20.",
                       1280,
                       65535,
                       &mtu,
                       "bytes");
    options.AddInteger("link-mtu", "MTU of the link.", 68, 65535, &linkMtu, "bytes");
    options.AddSwitch("peer-tunnel", "Whether B has a tunnel device.", &settings.peerTunnel);
    options.AddText("send",
                    "Datagrams that A sends. Payload byte i is i modulo 256.",
                    &send,
                    "PAYLOAD[:TCLASS[:HOPLIMIT[:DEST]]],...",
                    DatagramList(&settings.datagrams));
    options.AddText("inject",
                    "Ethernet frames to put on the wire towards B, in order, instead of the "
                    "default datagram or after those of --send.",
                    &inject,
                    "FILE.pcap");
    options.AddInteger(
        "interval",
        "Time between datagrams, and least time between injected frames, which else "
        "are as far apart as in their file; with --peer-tunnel=0 the default is 500, "
        "since a host limits its ICMPv4 errors.",
        1,
        60000,
        &interval,
        "ms");
    options.AddText("pcap",
                    "Write PREFIX-wire.pcap (Ethernet, at A) and PREFIX-inside.pcap (raw IP, at "
                    "B's sit1).",
                    &pcap,
                    "PREFIX");
    options.AddText("json", "Write the counters of both devices as JSON.", &json, "FILE|-");
    const std::string device = "ns3::linuxhost::SitNetDevice";
    const std::string wire = "ns3::linuxhost::VethLinkDevice";
    options.Bind(device,
                 {{"remote", "Remote"},
                  {"ttl", "Ttl"},
                  {"tos", "Tos"},
                  {"nopmtudisc", "!PmtuDiscovery"},
                  {"mtu", "Mtu"}});
    options.Bind(wire, {{"link-mtu", "Mtu"}});
    int exitCode = 0;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    std::string given;
    if (options.GetAttribute(device + "::Local", &given))
    {
        return options.Fail(device + "::Local",
                            given,
                            "none: the hosts' addresses are the example's");
    }
    if (options.GetAttribute(wire + "::Delay", &given))
    {
        settings.delay = Time(given);
    }
    if (options.GetAttribute(wire + "::Gap", &given))
    {
        settings.gap = Time(given);
    }

    settings.mode = mode == "6to4"  ? SitTunnelSettings::SIX_TO_FOUR
                    : mode == "6rd" ? SitTunnelSettings::SIX_RD
                                    : SitTunnelSettings::POINT_TO_POINT;
    settings.pmtudisc = !nopmtudisc;
    settings.mtu = options.IsGiven("mtu") ? static_cast<uint16_t>(mtu) : 0;
    settings.linkMtu = static_cast<uint16_t>(linkMtu);
    if (!settings.peerTunnel && !options.IsGiven("interval"))
    {
        interval = 500;
    }
    settings.interval = MilliSeconds(interval);
    if (nopmtudisc && settings.ttl != 0)
    {
        return options.Fail("nopmtudisc",
                            "1",
                            "only with --ttl=inherit: Linux refuses nopmtudisc with a fixed ttl");
    }
    std::string refused = SitTunnelTopology::Check(settings);
    if (!refused.empty())
    {
        return options.Fail("Linux refuses these settings: " + refused);
    }
    if (!inject.empty())
    {
        OutputFile::Keep(inject);
        std::string wrong = ReadCapture(inject, LINKTYPE_ETHERNET, &settings.frames);
        if (!wrong.empty())
        {
            return options.Fail("--inject=" + wrong);
        }
        if (!options.IsGiven("send"))
        {
            settings.datagrams.clear();
        }
    }

    OutputFile wireFile;
    OutputFile insideFile;
    OutputFile jsonFile;
    if (!pcap.empty())
    {
        std::string wrong = wireFile.Open(pcap + "-wire.pcap");
        wrong = wrong.empty() ? insideFile.Open(pcap + "-inside.pcap") : wrong;
        if (!wrong.empty())
        {
            return options.Fail("pcap", pcap, wrong);
        }
    }
    if (!json.empty())
    {
        std::string wrong = jsonFile.Open(json);
        if (!wrong.empty())
        {
            return options.Fail("json", json, wrong);
        }
    }

    SitTunnelTopology topology(settings);
    topology.Run();

    std::string failed;
    if (!pcap.empty())
    {
        WriteCapture(wireFile.Stream(), LINKTYPE_ETHERNET, topology.GetWire());
        WriteCapture(insideFile.Stream(), LINKTYPE_RAW, topology.GetInside());
        failed = wireFile.Commit();
        failed = failed.empty() ? insideFile.Commit() : failed;
    }
    if (!json.empty() && failed.empty())
    {
        std::ostream& os = jsonFile.Stream();
        os << "{\"schema\": \"linux-host.sit-tunnel/1\", \"mode\": " << JsonQuote(mode)
           << ", \"A\": ";
        PrintJson(os, topology.GetDeviceA());
        os << ", \"B\": ";
        PrintJson(os, topology.GetDeviceB());
        os << ", \"without_device\": {\"A\": ";
        Ptr<SitL4Protocol> protocolA = SitL4Protocol::Of(topology.GetNodeA());
        Ptr<SitL4Protocol> protocolB = SitL4Protocol::Of(topology.GetNodeB());
        PrintDrops(os, [protocolA](SitDropReason r) { return protocolA->GetDropCount(r); });
        os << ", \"B\": ";
        PrintDrops(os, [protocolB](SitDropReason r) { return protocolB->GetDropCount(r); });
        os << "}, \"malformed_frames\": " << topology.GetMalformed()
           << ", \"wire_frames\": " << topology.GetWire().size()
           << ", \"inside_packets\": " << topology.GetInside().size()
           << ", \"unsent_datagrams\": " << topology.GetUnsent() << "}\n";
        failed = jsonFile.Commit();
    }
    if (!failed.empty())
    {
        return options.Fail(failed);
    }
    if (json != "-")
    {
        PrintTable(std::cout, topology);
    }
    return 0;
}
