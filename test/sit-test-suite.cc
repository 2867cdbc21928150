/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/capture-file.h"
#include "ns3/csma-helper.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ip-input-check.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/linux-host-compat.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/sit-helper.h"
#include "ns3/sit-tunnel-topology.h"
#include "ns3/test.h"
#include "ns3/tunnel-ecn.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

constexpr std::size_t ETHERNET_HEADER = 14; ///< bytes of an Ethernet header
constexpr std::size_t IPV4_HEADER = 20;     ///< bytes of an IPv4 header
constexpr std::size_t IPV6_HEADER = 40;     ///< bytes of an IPv6 header

/**
 * @param ours a frame
 * @param theirs what it should be
 * @returns where and how they differ, or the empty string
 */
std::string
Difference(const std::vector<uint8_t>& ours, const std::vector<uint8_t>& theirs)
{
    std::size_t at = 0;
    while (at < ours.size() && at < theirs.size() && ours[at] == theirs[at])
    {
        ++at;
    }
    if (at == ours.size() && at == theirs.size())
    {
        return "";
    }
    auto octets = [at](const std::vector<uint8_t>& bytes) {
        std::string text = std::to_string(bytes.size()) + " bytes,";
        for (std::size_t i = at; i < std::min(bytes.size(), at + 16); ++i)
        {
            char digits[4];
            std::snprintf(digits, sizeof(digits), " %02x", bytes[i]);
            text += digits;
        }
        return text;
    };
    return "at byte " + std::to_string(at) + ": " + octets(ours) + "; expected " + octets(theirs);
}

/**
 * Takes out of frames what no two runs of a kernel share: IPv4 identifications (the same one for
 * the fragments of one packet, and none otherwise), the identification of IPv6 fragments, the
 * values of automatic flow labels, and the checksums over them, which must be right beforehand.
 */
class FrameNormalizer
{
  public:
    /**
     * @param frame an Ethernet frame
     * @param[out] error what is wrong with its checksums
     * @returns the frame, normalized
     */
    std::vector<uint8_t> Normalize(std::vector<uint8_t> frame, std::string* error)
    {
        if (frame.size() < ETHERNET_HEADER + IPV4_HEADER || frame[12] != 0x08 || frame[13] != 0)
        {
            return frame;
        }
        std::size_t at = ETHERNET_HEADER;
        std::size_t header = (frame[at] & 0x0f) * 4U;
        bool fragment = (((frame[at + 6] << 8) | frame[at + 7]) & 0x3fff) != 0;
        if (frame.size() < at + header || InternetSum(&frame[at], header) != 0xffff)
        {
            *error = "wrong IPv4 checksum";
        }
        Identify(&frame[at + 4], 2, fragment, frame[at + 15]);
        frame[at + 10] = frame[at + 11] = 0;
        std::size_t next = at + header;
        if (frame[at + 9] == 1 && frame.size() >= next + 8 + IPV4_HEADER)
        {
            if (InternetSum(&frame[next], frame.size() - next) != 0xffff)
            {
                *error = "wrong ICMP checksum";
            }
            frame[next + 2] = frame[next + 3] = 0;
            Identify(&frame[next + 8 + 4], 2, false, 0);
            frame[next + 8 + 10] = frame[next + 8 + 11] = 0;
        }
        bool tunneled = frame[at + 9] == 41 && frame.size() >= next + 4 &&
                        (frame[at + 7] | (frame[at + 6] & 0x1f)) == 0;
        if (tunneled && ((frame[next + 1] & 0x0f) | frame[next + 2] | frame[next + 3]) != 0)
        {
            // An automatic label is a hash with a secret of the system.
            frame[next + 1] &= 0xf0;
            frame[next + 2] = 0;
            frame[next + 3] = 1;
        }
        bool innerFragment = frame[at + 9] == 41 && frame.size() >= next + IPV6_HEADER + 8 &&
                             frame[next + 6] == 44 && (frame[at + 7] | (frame[at + 6] & 0x1f)) == 0;
        if (innerFragment)
        {
            Identify(&frame[next + IPV6_HEADER + 4], 4, true, frame[at + 15]);
        }
        return frame;
    }

  private:
    /**
     * Replace an identification by its number in order of appearance, or by zero.
     * @param at where it is
     * @param size its bytes
     * @param keep whether it must be told from others
     * @param host who chose it
     */
    void Identify(uint8_t* at, std::size_t size, bool keep, uint8_t host)
    {
        std::string name(reinterpret_cast<char*>(at), size);
        name += static_cast<char>(host);
        std::fill(at, at + size, 0);
        if (keep)
        {
            at[size - 1] = static_cast<uint8_t>(
                m_names.emplace(name, static_cast<int>(m_names.size()) + 1).first->second);
        }
    }

    std::map<std::string, int> m_names; //!< identifications seen, in order
};

/**
 * @param name a capture of the reference
 * @returns the file's path
 */
std::string
DataFile(const std::string& name)
{
    return std::string(LINUX_HOST_TEST_DATA) + "/sit/" + name + ".pcap";
}

/**
 * @param payloads payload bytes of each datagram
 * @returns the datagrams
 */
std::vector<SitDatagram>
Payloads(const std::vector<uint32_t>& payloads)
{
    std::vector<SitDatagram> datagrams;
    for (uint32_t payload : payloads)
    {
        SitDatagram datagram;
        datagram.payload = payload;
        datagrams.push_back(datagram);
    }
    return datagrams;
}

} // namespace

/**
 * @ingroup linux-host
 * What the two hosts put on the wire is what Linux put there, byte for byte.
 */
class SitCaptureTestCase : public TestCase
{
  public:
    /**
     * @param name the capture
     * @param settings the settings that it was made with
     */
    SitCaptureTestCase(const std::string& name, const SitTunnelSettings& settings)
        : TestCase("The same bytes as " + name + " of Linux 6.1"),
          m_name(name),
          m_settings(settings)
    {
    }

  private:
    void DoRun() override
    {
        std::vector<CapturedPacket> expected;
        std::string error = ReadCapture(DataFile(m_name), LINKTYPE_ETHERNET, &expected);
        NS_TEST_ASSERT_MSG_EQ(error, "", "the reference is readable");
        SitTunnelTopology topology(m_settings);
        topology.Run();
        const std::vector<CapturedPacket>& wire = topology.GetWire();
        FrameNormalizer ours;
        FrameNormalizer theirs;
        for (std::size_t i = 0; i < std::min(wire.size(), expected.size()); ++i)
        {
            std::string place = m_name + ", frame " + std::to_string(i + 1) + ": ";
            std::vector<uint8_t> mine = ours.Normalize(wire[i].bytes, &error);
            NS_TEST_EXPECT_MSG_EQ(error, "", place << error);
            std::vector<uint8_t> recorded = theirs.Normalize(expected[i].bytes, &error);
            NS_TEST_EXPECT_MSG_EQ(Difference(mine, recorded), "", place << "the same bytes");
        }
        NS_TEST_ASSERT_MSG_EQ(wire.size(), expected.size(), m_name << ": number of frames");
    }

    std::string m_name;           //!< the capture
    SitTunnelSettings m_settings; //!< what it was made with
};

/**
 * @param payload what follows the header
 * @param nextHeader what it is
 * @param source source address
 * @param destination destination address
 * @param trafficClass traffic class
 * @param hopLimit hop limit
 * @returns an IPv6 packet
 */
static std::vector<uint8_t>
Ipv6Bytes(const std::vector<uint8_t>& payload,
          uint8_t nextHeader,
          const char* source = "2001:db8:5::1",
          const char* destination = "2001:db8:5::2",
          uint8_t trafficClass = 0,
          uint8_t hopLimit = 64)
{
    std::vector<uint8_t> packet(IPV6_HEADER);
    packet[0] = 0x60 | (trafficClass >> 4);
    packet[1] = static_cast<uint8_t>(trafficClass << 4);
    packet[4] = static_cast<uint8_t>(payload.size() >> 8);
    packet[5] = static_cast<uint8_t>(payload.size());
    packet[6] = nextHeader;
    packet[7] = hopLimit;
    Ipv6Address(source).Serialize(&packet[8]);
    Ipv6Address(destination).Serialize(&packet[24]);
    packet.insert(packet.end(), payload.begin(), payload.end());
    return packet;
}

/**
 * @param source source address
 * @param destination destination address
 * @param data payload bytes
 * @returns a UDP datagram to the discard port, with its checksum
 */
static std::vector<uint8_t>
UdpBytes(std::size_t data,
         const char* source = "2001:db8:5::1",
         const char* destination = "2001:db8:5::2")
{
    std::vector<uint8_t> datagram(8 + data);
    datagram[0] = 0x13;
    datagram[1] = 0x88;
    datagram[3] = 9;
    datagram[4] = static_cast<uint8_t>(datagram.size() >> 8);
    datagram[5] = static_cast<uint8_t>(datagram.size());
    uint8_t addresses[32];
    Ipv6Address(source).Serialize(addresses);
    Ipv6Address(destination).Serialize(addresses + 16);
    uint32_t size = static_cast<uint32_t>(datagram.size());
    uint32_t sum = InternetSum(datagram.data(),
                               datagram.size(),
                               PseudoHeaderSum6(addresses, addresses + 16, size, 17));
    datagram[6] = static_cast<uint8_t>(~sum >> 8);
    datagram[7] = static_cast<uint8_t>(~sum);
    return datagram;
}

/**
 * @param inner an inner packet
 * @param tos outer TOS
 * @param source outer source
 * @param fragment outer flags and fragment offset
 * @returns the frame that carries it to host B
 */
static CapturedPacket
TunnelFrame(const std::vector<uint8_t>& inner,
            uint8_t tos = 0,
            const char* source = "192.0.2.1",
            uint16_t fragment = 0)
{
    std::vector<uint8_t> frame = {2, 0, 0, 0, 0, 0x0b, 2, 0, 0, 0, 0, 0x0a, 8, 0, 0x45, tos};
    frame.resize(ETHERNET_HEADER + IPV4_HEADER);
    uint8_t* ip = &frame[ETHERNET_HEADER];
    std::size_t total = IPV4_HEADER + inner.size();
    ip[2] = static_cast<uint8_t>(total >> 8);
    ip[3] = static_cast<uint8_t>(total);
    ip[5] = 77;
    ip[6] = static_cast<uint8_t>(fragment >> 8);
    ip[7] = static_cast<uint8_t>(fragment);
    ip[8] = 64;
    ip[9] = 41;
    Ipv4Address(source).Serialize(ip + 12);
    Ipv4Address("192.0.2.2").Serialize(ip + 16);
    uint32_t sum = InternetSum(ip, IPV4_HEADER);
    ip[10] = static_cast<uint8_t>(~sum >> 8);
    ip[11] = static_cast<uint8_t>(~sum);
    frame.insert(frame.end(), inner.begin(), inner.end());
    return {Time(0), frame};
}

/**
 * @ingroup linux-host
 * What A cannot send, and how wide a tunnel is, by its remote: as Linux 6.1 was seen to do.
 */
class SitRemoteTestCase : public TestCase
{
  public:
    SitRemoteTestCase()
        : TestCase("Destinations without endpoint or route, MTU by the remote")
    {
    }

  private:
    void DoRun() override
    {
        // Without a remote nothing leads from a multicast address to an endpoint, and there is no
        // link-local network.
        SitTunnelSettings settings;
        settings.mode = SitTunnelSettings::SIX_TO_FOUR;
        settings.ttl = 64;
        for (const char* destination :
             {"ff02::1", "ff0e::1", "ff05::2", "ff01::1", "fe80::c000:202", "2002:c000:202::1"})
        {
            settings.datagrams.push_back({16, 0, 1, Ipv6Address(destination)});
        }
        {
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceA()->GetCounters().txErrors, 3, "no endpoint");
            NS_TEST_EXPECT_MSG_EQ(topology.GetUnsent(), 1, "no route");
            NS_TEST_EXPECT_MSG_EQ(topology.GetWire().size(), 2, "one datagram, and its answer");
        }
        // The same for what arrives, and options that are bad wherever the packet goes.
        settings.datagrams.clear();
        const std::vector<uint8_t> udp = UdpBytes(16);
        const auto options = [&udp](std::vector<uint8_t> bytes) {
            bytes.insert(bytes.end(), udp.begin(), udp.end());
            return bytes;
        };
        const char* const a = "2002:c000:201::1";

        const struct
        {
            std::vector<uint8_t> packet;
            int type; //!< of the answer, or -1
            int code; //!< of the answer
        } arrivals[] = {
            {Ipv6Bytes(udp, 17, a, "fe80::c000:202"), 1, 0},
            {Ipv6Bytes(options({17, 0, 0xbe, 2, 0, 0, 1, 0}), 0, a, "2002:c000:202::9"), 4, 2},
            {Ipv6Bytes(options({17, 0, 0x7e, 2, 0, 0, 1, 0}), 0, a, "2002:c000:202::9"), -1, 0},
            {Ipv6Bytes(options({17, 2, 0xc9, 16, 0, 0, 0, 0, 0, 0, 0, 0,
                                0,  0, 0,    0,  0, 0, 0, 0, 1, 2, 0, 0}),
                       60,
                       a,
                       "2002:c000:202::1"),
             -1,
             0},
        };

        for (const auto& arrival : arrivals)
        {
            settings.frames = {TunnelFrame(arrival.packet)};
            SitTunnelTopology topology(settings);
            topology.Run();
            const auto& wire = topology.GetWire();
            NS_TEST_ASSERT_MSG_EQ(wire.size(), (arrival.type < 0 ? 1 : 2), "answers");
            if (arrival.type >= 0)
            {
                const uint8_t* answer = &wire[1].bytes[ETHERNET_HEADER + IPV4_HEADER];
                NS_TEST_EXPECT_MSG_EQ(Ipv6Address::Deserialize(answer + 8),
                                      Ipv6Address("2002:c000:202::1"),
                                      "from a global address");
                NS_TEST_EXPECT_MSG_EQ(+answer[IPV6_HEADER], arrival.type, "type");
                NS_TEST_EXPECT_MSG_EQ(+answer[IPV6_HEADER + 1], arrival.code, "code");
            }
        }
        // A reserved bit is quoted as it came.
        settings = SitTunnelSettings();
        settings.frames = {TunnelFrame(Ipv6Bytes(udp, 17), 0, "192.0.2.9", 0x8000)};
        {
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_ASSERT_MSG_EQ(topology.GetWire().size(), 2, "an answer to the wrong peer");
            NS_TEST_EXPECT_MSG_EQ(
                +topology.GetWire()[1].bytes[ETHERNET_HEADER + IPV4_HEADER + 8 + 6],
                0x80,
                "the reserved bit");
        }
        // What comes in a frame for everybody is not answered.
        std::fill_n(settings.frames[0].bytes.begin(), 6, 0xff);
        {
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetWire().size(), 1, "no answer to a broadcast");
        }
        // What is known of a tunnel's path comes from A, whom no socket of B's has sent to: the
        // translated error would have a mapped source, and such has no route.
        std::vector<uint8_t> message(8);
        message[0] = 3;
        message[1] = 1;
        std::vector<uint8_t> quoted =
            TunnelFrame(Ipv6Bytes(udp, 17, "2001:db8:5::7", "2001:db8:5::1")).bytes;
        message.insert(message.end(), quoted.begin() + ETHERNET_HEADER, quoted.end());
        std::swap_ranges(message.begin() + 8 + 12,
                         message.begin() + 8 + 16,
                         message.begin() + 8 + 16);
        uint32_t sum = ~InternetSum(message.data(), message.size());
        message[2] = static_cast<uint8_t>(sum >> 8);
        message[3] = static_cast<uint8_t>(sum);
        CapturedPacket error = TunnelFrame(message);
        error.bytes[ETHERNET_HEADER + 9] = 1;
        error.bytes[ETHERNET_HEADER + 10] = error.bytes[ETHERNET_HEADER + 11] = 0;
        sum = ~InternetSum(&error.bytes[ETHERNET_HEADER], IPV4_HEADER);
        error.bytes[ETHERNET_HEADER + 10] = static_cast<uint8_t>(sum >> 8);
        error.bytes[ETHERNET_HEADER + 11] = static_cast<uint8_t>(sum);
        settings.frames = {error};
        {
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetWire().size(), 1, "nothing goes out");
        }
        const std::pair<const char*, uint16_t> widths[] = {{"192.0.2.1", 65516},
                                                           {"127.0.0.1", 65516},
                                                           {"192.0.2.255", 1299},
                                                           {"224.0.0.5", 1299},
                                                           {"192.0.2.9", 1299},
                                                           {"203.0.113.1", 1480}};
        settings = SitTunnelSettings();
        settings.linkMtu = 1319;
        settings.remoteGiven = true;
        for (const auto& width : widths)
        {
            settings.remote = Ipv4Address(width.first);
            SitTunnelTopology topology(settings);
            NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceA()->GetMtu(),
                                  width.second,
                                  "remote " << width.first);
        }
    }
};

/**
 * @ingroup linux-host
 * The sixteen combinations of RFC 6040 figure 4, received through the device.
 */
class SitEcnTestCase : public TestCase
{
  public:
    SitEcnTestCase()
        : TestCase("RFC 6040: ECN at the tunnel's exit and entry")
    {
    }

  private:
    void DoRun() override
    {
        // Rows: inner not-ECT, ECT(1), ECT(0), CE; columns: outer likewise. 9: dropped.
        const int figure4[4][4] = {{0, 0, 0, 9}, {1, 1, 1, 3}, {2, 1, 2, 3}, {3, 3, 3, 3}};
        SitTunnelSettings settings;
        std::vector<int> handedOn;
        for (uint8_t inner = 0; inner < 4; ++inner)
        {
            for (uint8_t outer = 0; outer < 4; ++outer)
            {
                std::vector<uint8_t> packet =
                    Ipv6Bytes(UdpBytes(0), 17, "2001:db8:5::1", "2001:db8:5::2", 0xb8 | inner);
                settings.frames.push_back(TunnelFrame(packet, 0x10 | outer));
                if (figure4[inner][outer] != 9)
                {
                    handedOn.push_back(0xb8 | figure4[inner][outer]);
                }
            }
        }
        SitTunnelTopology topology(settings);
        topology.Run();
        std::vector<int> seen;
        for (const auto& packet : topology.GetInside())
        {
            if (packet.bytes[6] == 17)
            {
                seen.push_back(((packet.bytes[0] << 4) | (packet.bytes[1] >> 4)) & 0xff);
            }
        }
        NS_TEST_ASSERT_MSG_EQ((seen == handedOn), true, "the traffic classes that come out");
        const SitCounters& counters = topology.GetDeviceB()->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.rxPackets, 15, "all but one are received");
        NS_TEST_EXPECT_MSG_EQ(counters.rxFrameErrors, 1, "CE outside, not-ECT inside");
        NS_TEST_EXPECT_MSG_EQ(counters.rxErrors, 1, "which is an error as well");
        NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceB()->GetDropCount(SIT_RX_ECN), 1, "with a reason");
        // At the entry a CE mark becomes ECT(0), and the DSCP is the device's own.
        const uint8_t entry[] = {0, 1, 2, 2};
        for (uint8_t inner = 0; inner < 4; ++inner)
        {
            NS_TEST_EXPECT_MSG_EQ(+EncapsulateEcn(0xb9, 0x40 | inner),
                                  +(0xb8 | entry[inner]),
                                  "outer TOS of inner ECN " << +inner);
        }
    }
};

/**
 * @ingroup linux-host
 * Settings that Linux refuses.
 */
class SitSettingsTestCase : public TestCase
{
  public:
    SitSettingsTestCase()
        : TestCase("Settings that Linux refuses are refused")
    {
    }

  private:
    /**
     * @param prefix 6rd prefix
     * @param length its length
     * @param relay relay prefix
     * @param relayLength its length
     * @returns whether they are accepted
     */
    static bool Accepts(const char* prefix, uint8_t length, const char* relay, uint8_t relayLength)
    {
        Ptr<SitNetDevice> device = CreateObject<SitNetDevice>();
        device->SetAttribute("SixRdPrefix", Ipv6AddressValue(Ipv6Address(prefix)));
        device->SetAttribute("SixRdPrefixLength", UintegerValue(length));
        device->SetAttribute("RelayPrefix", Ipv4AddressValue(Ipv4Address(relay)));
        device->SetAttribute("RelayPrefixLength", UintegerValue(relayLength));
        return device->CheckSettings().empty();
    }

    void DoRun() override
    {
        SitTunnelSettings settings;
        NS_TEST_EXPECT_MSG_EQ(SitTunnelTopology::Check(settings), "", "the defaults are fine");
        settings.ttl = 64;
        NS_TEST_EXPECT_MSG_EQ(SitTunnelTopology::Check(settings), "", "ttl 64 is fine");
        settings.pmtudisc = false;
        NS_TEST_EXPECT_MSG_NE(SitTunnelTopology::Check(settings), "", "ttl 64 nopmtudisc is not");
        settings.ttl = 0;
        NS_TEST_EXPECT_MSG_EQ(SitTunnelTopology::Check(settings), "", "nopmtudisc alone is");
        settings.mtu = 1279;
        NS_TEST_EXPECT_MSG_NE(SitTunnelTopology::Check(settings), "", "mtu 1279 is not");
        NS_TEST_EXPECT_MSG_EQ(Accepts("2001:db8::", 32, "0.0.0.0", 0), true, "32 + 32 bits");
        NS_TEST_EXPECT_MSG_EQ(Accepts("2001:db8::", 33, "0.0.0.0", 0), false, "33 + 32 bits");
        NS_TEST_EXPECT_MSG_EQ(Accepts("2001:db8::", 40, "10.0.0.0", 8), true, "40 + 24 bits");
        NS_TEST_EXPECT_MSG_EQ(Accepts("2001:db8::1", 32, "0.0.0.0", 0), false, "bits after it");
        NS_TEST_EXPECT_MSG_EQ(Accepts("2001:db8::", 32, "10.1.0.0", 8), false, "relay bits");
        NS_TEST_EXPECT_MSG_EQ(Accepts("2001:db8::", 32, "10.0.0.0", 33), false, "33 relay bits");
        NS_TEST_EXPECT_MSG_EQ(Accepts("::", 0, "0.0.0.0", 0), true, "a prefix of no bits");
    }
};

/**
 * @ingroup linux-host
 * The IPv4 address inside a 6rd address.
 */
class Sit6rdTestCase : public TestCase
{
  public:
    Sit6rdTestCase()
        : TestCase("RFC 5969: the IPv4 address inside a 6rd address")
    {
    }

  private:
    /**
     * Send one packet and look where it goes.
     * @param prefix 6rd prefix
     * @param length its length
     * @param relay relay prefix
     * @param relayLength its length
     * @param inner inner destination
     * @param outer outer destination that is expected; nullptr: none
     */
    void Check(const char* prefix,
               uint8_t length,
               const char* relay,
               uint8_t relayLength,
               const char* inner,
               const char* outer)
    {
        Ptr<Node> node = CreateObject<Node>();
        InternetStackHelper().Install(node);
        Ptr<VethLinkDevice> wire = CreateObject<VethLinkDevice>();
        node->AddDevice(wire);
        Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
        uint32_t interface = ipv4->AddInterface(wire);
        ipv4->AddAddress(interface, Ipv4InterfaceAddress("10.0.0.1", "255.0.0.0"));
        ipv4->SetUp(interface);
        SitHelper helper;
        helper.SetDeviceAttribute("Local", Ipv4AddressValue("10.0.0.1"));
        helper.SetDeviceAttribute("SixRdPrefix", Ipv6AddressValue(Ipv6Address(prefix)));
        helper.SetDeviceAttribute("SixRdPrefixLength", UintegerValue(length));
        helper.SetDeviceAttribute("RelayPrefix", Ipv4AddressValue(Ipv4Address(relay)));
        helper.SetDeviceAttribute("RelayPrefixLength", UintegerValue(relayLength));
        Ptr<SitNetDevice> device = helper.Install(node);
        m_destination = Ipv4Address("0.0.0.0");
        device->TraceConnectWithoutContext("Tx", MakeCallback(&Sit6rdTestCase::Sent, this));
        std::vector<uint8_t> packet = Ipv6Bytes({}, 59, "2001:db8::1", inner);
        device->Send(Create<Packet>(packet.data(), packet.size()), device->GetBroadcast(), 0x86dd);
        NS_TEST_EXPECT_MSG_EQ(m_destination,
                              Ipv4Address(outer ? outer : "0.0.0.0"),
                              inner << " of " << prefix << "/" << +length);
        Simulator::Destroy();
    }

    /**
     * @param packet an outer packet
     * @param device the device
     */
    void Sent(Ptr<const Packet> packet, Ptr<SitNetDevice> device)
    {
        Ipv4Header header;
        packet->PeekHeader(header);
        m_destination = header.GetDestination();
        NS_TEST_EXPECT_MSG_EQ(header.GetSource(), device->GetLocal(), "outer source");
    }

    void DoRun() override
    {
        // All 32 bits of 10.100.100.1 make a /64 of a /32; 24 of them, when all addresses are in
        // 10.0.0.0/8, make a /56.
        Check("2001:db8::", 32, "0.0.0.0", 0, "2001:db8:a64:6401::1", "10.100.100.1");
        Check("2001:db8::", 32, "10.0.0.0", 8, "2001:db8:6464:100::1", "10.100.100.1");
        Check("2001:db8::", 32, "10.0.0.0", 8, "2001:db9:6464:100::1", nullptr);
        // A prefix that does not end at an octet: the address straddles two words.
        Check("2001:db8:8000::", 35, "10.0.0.0", 8, "2001:db8:8c8c:8020::1", "10.100.100.1");
        Check("2002::", 16, "0.0.0.0", 0, "2002:a64:6401::1", "10.100.100.1");
        Check("2002::", 16, "0.0.0.0", 0, "::a64:6401", "10.100.100.1");
        Check("2002::", 16, "0.0.0.0", 0, "::1", nullptr);
        Check("2002::", 16, "0.0.0.0", 0, "2001:db8::1", nullptr);
    }

    Ipv4Address m_destination; //!< where the last packet went
};

/**
 * @ingroup linux-host
 * What does not get through is counted as `ip -s link` counts it.
 */
class SitCounterTestCase : public TestCase
{
  public:
    SitCounterTestCase()
        : TestCase("Counters, drop reasons and trace sources")
    {
    }

  private:
    /**
     * @param reason why
     * @param packet the packet
     */
    void Dropped(SitDropReason reason, Ptr<const Packet> packet)
    {
        ++m_dropped[SitDropReasonName(reason)];
        m_droppedBytes += packet->GetSize();
    }

    /// @param packet an inner packet
    void Inner(Ptr<const Packet> packet, Ptr<SitNetDevice> /* device */)
    {
        m_innerBytes += packet->GetSize();
    }

    /// @param packet an outer packet
    void Outer(Ptr<const Packet> packet, Ptr<SitNetDevice> /* device */)
    {
        m_outerBytes += packet->GetSize();
    }

    void DoRun() override
    {
        {
            SitTunnelSettings settings;
            settings.mode = SitTunnelSettings::SIX_TO_FOUR;
            settings.datagrams = Payloads({16, 16, 16, 16});
            const char* destinations[] = {"2002:c000:2ff::1",  // the link's broadcast address
                                          "2002:ffff:ffff::1", // limited broadcast
                                          "2002:a00:1::1",     // 10.0.0.1: no route
                                          "2002:0:0:1::1"};    // 0.0.0.0
            for (std::size_t i = 0; i < 4; ++i)
            {
                settings.datagrams[i].destination = Ipv6Address(destinations[i]);
            }
            SitTunnelTopology topology(settings);
            topology.Run();
            const SitCounters& sent = topology.GetDeviceA()->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(topology.GetWire().size(), 0, "martians stay inside");
            NS_TEST_EXPECT_MSG_EQ(sent.txErrors, 4, "transmit errors");
            NS_TEST_EXPECT_MSG_EQ(sent.txCarrierErrors, 3, "three of them for want of a route");
            NS_TEST_EXPECT_MSG_EQ(sent.txPackets, 0, "nothing sent");
        }
        {
            // 192.0.2.1 may not speak for 192.0.2.3, nor send to somebody else's prefix.
            SitTunnelSettings settings;
            settings.mode = SitTunnelSettings::SIX_TO_FOUR;
            const char* b = "2002:c000:202::1";
            settings.frames = {
                TunnelFrame(
                    Ipv6Bytes(UdpBytes(0, "2002:c000:203::1", b), 17, "2002:c000:203::1", b)),
                TunnelFrame(Ipv6Bytes({}, 59, "2002:c000:201::1", "2002:c000:209::1")),
                TunnelFrame(
                    Ipv6Bytes(UdpBytes(0, "2002:c000:201::1", b), 17, "2002:c000:201::1", b)),
            };
            SitTunnelTopology topology(settings);
            topology.Run();
            const SitCounters& received = topology.GetDeviceB()->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(received.rxErrors, 2, "spoofed addresses are errors");
            NS_TEST_EXPECT_MSG_EQ(received.rxPackets, 1, "the honest packet is received");
            NS_TEST_EXPECT_MSG_EQ(received.txPackets, 1, "and answered");
        }
        {
            SitTunnelSettings settings;
            std::vector<uint8_t> udp = UdpBytes(4);
            std::vector<uint8_t> zero = udp;
            zero[6] = zero[7] = 0;
            std::vector<uint8_t> cut = Ipv6Bytes(udp, 17);
            cut.resize(cut.size() - 1);
            std::vector<uint8_t> four = Ipv6Bytes(udp, 17);
            four[0] = 0x40;
            settings.frames = {
                TunnelFrame(std::vector<uint8_t>(39)),      // no room for a header
                TunnelFrame(cut),                           // payload missing
                TunnelFrame(four),                          // version 4
                TunnelFrame(Ipv6Bytes(zero, 17)),           // no UDP checksum
                TunnelFrame(Ipv6Bytes(udp, 17, "ff02::1")), // multicast source
                TunnelFrame(Ipv6Bytes(udp, 17, "2001:db8:5::1", "2001:db8:5::9")), // not for B
                TunnelFrame(Ipv6Bytes({17, 0, 0x85, 0, 1, 0, 0, 0}, 0)), // option: drop, tell
                TunnelFrame(Ipv6Bytes(udp, 200)),                        // unknown protocol
            };
            SitTunnelTopology topology(settings);
            topology.GetDeviceB()->TraceConnectWithoutContext(
                "Drop",
                MakeCallback(&SitCounterTestCase::Dropped, this));
            topology.GetDeviceB()->TraceConnectWithoutContext(
                "TxPre",
                MakeCallback(&SitCounterTestCase::Inner, this));
            topology.GetDeviceB()->TraceConnectWithoutContext(
                "Tx",
                MakeCallback(&SitCounterTestCase::Outer, this));
            topology.Run();
            std::map<std::string, int> expected = {{"rx_malformed", 4},
                                                   {"rx_bad_segment", 1},
                                                   {"rx_not_local", 1},
                                                   {"rx_no_protocol", 1}};
            NS_TEST_EXPECT_MSG_EQ((m_dropped == expected), true, "the reasons");
            NS_TEST_EXPECT_MSG_EQ(
                SitL4Protocol::Of(topology.GetNodeB())->GetDropCount(SIT_RX_TRUNCATED),
                1,
                "a truncated packet reaches no device");
            const SitCounters& counters = topology.GetDeviceB()->GetCounters();
            // The kernel counts a tunnel packet as received before IPv6 looks at it.
            NS_TEST_EXPECT_MSG_EQ(counters.rxPackets, 7, "received");
            NS_TEST_EXPECT_MSG_EQ(counters.txPackets, 2, "two parameter problems");
            NS_TEST_EXPECT_MSG_EQ(m_outerBytes - m_innerBytes, 2 * IPV4_HEADER, "outer headers");
            const auto& inside = topology.GetInside();
            NS_TEST_ASSERT_MSG_EQ(inside.size(), 9, "packets at the device");
            const auto& option = inside[6].bytes;
            NS_TEST_EXPECT_MSG_EQ(+option[40], 4, "parameter problem");
            NS_TEST_EXPECT_MSG_EQ(+option[41], 2, "unknown option");
            NS_TEST_EXPECT_MSG_EQ(+option[47], 42, "at the option");
            const auto& protocol = inside[8].bytes;
            NS_TEST_EXPECT_MSG_EQ(+protocol[41], 1, "unknown next header");
            NS_TEST_EXPECT_MSG_EQ(+protocol[47], 6, "at the octet that names it");
        }
        std::string names;
        SitCounters().Visit([&names](const std::string& way, const std::string& name, uint64_t) {
            names += way + "." + name + " ";
        });
        NS_TEST_EXPECT_MSG_EQ(names,
                              "rx.bytes rx.packets rx.errors rx.dropped rx.over_errors "
                              "rx.multicast rx.length_errors rx.crc_errors rx.frame_errors "
                              "rx.fifo_errors rx.missed_errors tx.bytes tx.packets tx.errors "
                              "tx.dropped tx.carrier_errors tx.collisions tx.aborted_errors "
                              "tx.fifo_errors tx.window_errors tx.heartbeat_errors ",
                              "the names of ip -s -s -j link");
    }

    std::map<std::string, int> m_dropped; //!< drops by reason
    uint64_t m_droppedBytes{0};           //!< bytes of dropped packets
    uint64_t m_innerBytes{0};             //!< bytes that went in
    uint64_t m_outerBytes{0};             //!< bytes that came out
};

/**
 * @ingroup linux-host
 * MTU: the device's, the path's, and what the sender is told.
 */
class SitMtuTestCase : public TestCase
{
  public:
    SitMtuTestCase()
        : TestCase("MTU, DF, outer fragments and packet too big")
    {
    }

  private:
    /**
     * @param frame a frame
     * @returns its outer flags and fragment offset
     */
    static int FragmentField(const CapturedPacket& frame)
    {
        return (frame.bytes[ETHERNET_HEADER + 6] << 8) | frame.bytes[ETHERNET_HEADER + 7];
    }

    void DoRun() override
    {
        for (auto [link, mtu] : std::vector<std::pair<uint16_t, uint16_t>>{{1500, 1480},
                                                                           {1400, 1380},
                                                                           {1299, 1280},
                                                                           {9000, 8980}})
        {
            SitTunnelSettings settings;
            settings.linkMtu = link;
            SitTunnelTopology topology(settings);
            NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceA()->GetMtu(), mtu, "over a link of " << link);
        }
        {
            // Without DF a packet of 1500 bytes leaves as two IPv4 fragments.
            SitTunnelSettings settings;
            settings.pmtudisc = false;
            settings.mtu = 1500;
            settings.datagrams = Payloads({1452});
            SitTunnelTopology topology(settings);
            topology.Run();
            const auto& wire = topology.GetWire();
            NS_TEST_ASSERT_MSG_EQ(wire.size(), 3, "two fragments and an answer");
            NS_TEST_EXPECT_MSG_EQ(FragmentField(wire[0]), 0x2000, "more fragments");
            NS_TEST_EXPECT_MSG_EQ(FragmentField(wire[1]), 1480 / 8, "the last fragment");
            NS_TEST_EXPECT_MSG_EQ(wire[0].bytes.size(), 1514, "a full frame");
            NS_TEST_EXPECT_MSG_EQ(wire[1].bytes.size(), 54, "the rest");
        }
        {
            // With DF the first large datagram is lost: the sender is told 1480, and the next
            // one leaves as IPv6 fragments.
            SitTunnelSettings settings;
            settings.mode = SitTunnelSettings::SIX_TO_FOUR;
            settings.mtu = 1500;
            settings.datagrams = Payloads({1452, 1452});
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceA()->GetDropCount(SIT_TX_TOO_BIG), 1, "told");
            NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceA()->GetCounters().txErrors, 1, "an error");
            const auto& wire = topology.GetWire();
            NS_TEST_ASSERT_MSG_EQ(wire.size(), 3, "two IPv6 fragments and an answer");
            NS_TEST_EXPECT_MSG_EQ(FragmentField(wire[0]), 0x4000, "DF");
            NS_TEST_EXPECT_MSG_EQ(+wire[0].bytes[40], 44, "a fragment header inside");
        }
        {
            // A path below 1300 bytes cannot carry IPv6's smallest MTU in one piece.
            SitTunnelSettings settings;
            settings.linkMtu = 1290;
            settings.datagrams = Payloads({1232, 1});
            SitTunnelTopology topology(settings);
            topology.Run();
            const auto& wire = topology.GetWire();
            NS_TEST_ASSERT_MSG_EQ(wire.size(), 6, "fragments both ways, then two small ones");
            NS_TEST_EXPECT_MSG_EQ(FragmentField(wire[0]), 0x2000, "no DF");
            NS_TEST_EXPECT_MSG_EQ(FragmentField(wire[4]), 0, "not on small packets either");
        }
        {
            SitTunnelSettings settings;
            settings.linkMtu = 87;
            settings.datagrams = Payloads({1});
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceA()->GetCounters().txCollisions,
                                  1,
                                  "an MTU below 68 + 20 counts as a collision");
        }
        {
            // A router on the path reports 1400 by ICMPv4: the next packets keep to it.
            SitTunnelSettings settings;
            settings.datagrams = Payloads({1432, 1432, 1432});
            SitTunnelTopology topology(settings);
            topology.Run();
            std::vector<uint8_t> packet(topology.GetWire()[0].bytes.begin() + ETHERNET_HEADER,
                                        topology.GetWire()[0].bytes.end());
            packet.resize(548);
            std::vector<uint8_t> message = {3, 4, 0, 0, 0, 0, 1400 >> 8, 1400 & 0xff};
            message.insert(message.end(), packet.begin(), packet.end());
            uint32_t sum = InternetSum(message.data(), message.size());
            message[2] = static_cast<uint8_t>(~sum >> 8);
            message[3] = static_cast<uint8_t>(~sum);
            Ptr<Node> a = topology.GetNodeA();
            Ipv4Header header;
            header.SetSource(Ipv4Address("192.0.2.2"));
            header.SetDestination(Ipv4Address("192.0.2.1"));
            header.SetProtocol(1);
            header.SetPayloadSize(message.size());
            Ptr<Packet> report = Create<Packet>(message.data(), message.size());
            header.EnableChecksum();
            report->AddHeader(header);
            a->GetObject<Ipv4L3Protocol>()->Receive(a->GetDevice(0),
                                                    report,
                                                    0x0800,
                                                    Address(),
                                                    Address(),
                                                    NetDevice::PACKET_HOST);
            bool locked = false;
            NS_TEST_EXPECT_MSG_EQ(
                SitL4Protocol::Of(a)->GetPathMtu(Ipv4Address("192.0.2.2"), 1500, &locked),
                1400,
                "the path's MTU");
            NS_TEST_EXPECT_MSG_EQ(locked, false, "which is believed");
        }
    }
};

/**
 * @ingroup linux-host
 * Limits on answers, and silence where Linux is silent.
 */
class SitSilenceTestCase : public TestCase
{
  public:
    SitSilenceTestCase()
        : TestCase("No neighbor discovery inside, and no more errors than the rate limits allow")
    {
    }

  private:
    void DoRun() override
    {
        {
            SitTunnelSettings settings;
            settings.settle = Seconds(30);
            SitTunnelTopology topology(settings);
            Ptr<Ipv6> ipv6 = topology.GetNodeA()->GetObject<Ipv6>();
            int32_t interface = ipv6->GetInterfaceForDevice(topology.GetDeviceA());
            NS_TEST_EXPECT_MSG_EQ(ipv6->GetAddress(interface, 0).GetAddress(),
                                  Ipv6Address("fe80::c000:201"),
                                  "link-local address of 192.0.2.1");
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetWire().size(), 0, "nobody solicits anything");
            for (uint32_t i = 0; i < ipv6->GetNAddresses(interface); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(ipv6->GetAddress(interface, i).GetState(),
                                      Ipv6InterfaceAddress::PREFERRED,
                                      "addresses are good at once");
            }
        }
        {
            // One port unreachable a 250 ms for a /64, after six; one ICMPv4 error a second.
            SitTunnelSettings settings;
            settings.interval = MilliSeconds(10);
            settings.datagrams = Payloads(std::vector<uint32_t>(30, 0));
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetDeviceB()->GetCounters().txPackets,
                                  6 + 1,
                                  "ICMPv6 errors in 290 ms");
        }
        {
            SitTunnelSettings settings;
            settings.peerTunnel = false;
            settings.datagrams = Payloads(std::vector<uint32_t>(20, 0));
            SitTunnelTopology topology(settings);
            topology.Run();
            NS_TEST_EXPECT_MSG_EQ(topology.GetWire().size(), 20 + 6 + 2, "in 2375 ms");
        }
    }
};

/**
 * @ingroup linux-host
 * Two routers with an unnumbered tunnel over a routed IPv4 path of ns-3's own devices.
 *
 *     h1 -- csma -- r1 -- p2p -- x -- p2p -- r2 -- csma -- h2
 *                   r1 ====== sit ====== r2
 */
class SitRouterTestCase : public TestCase
{
  public:
    /// @param numbered whether the tunnel has global addresses
    explicit SitRouterTestCase(bool numbered)
        : TestCase(std::string("Routers, ordinary devices, tunnel ") +
                   (numbered ? "numbered" : "unnumbered")),
          m_numbered(numbered)
    {
    }

  private:
    /// @param socket a socket with a datagram
    void Received(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_received += packet->GetSize();
        }
    }

    /// @param packet a packet that h1 got
    void SeenAtH1(Ptr<const Packet> packet, Ptr<Ipv6> /* ipv6 */, uint32_t /* interface */)
    {
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        if (bytes.size() > 48 && bytes[6] == 58 && bytes[40] == 2)
        {
            m_tooBig = (bytes[46] << 8) | bytes[47];
        }
    }

    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(5); // h1 r1 x r2 h2
        InternetStackHelper stack;
        stack.Install(nodes);
        CsmaHelper csma;
        PointToPointHelper p2p;
        NetDeviceContainer lan1 = csma.Install(NodeContainer(nodes.Get(0), nodes.Get(1)));
        NetDeviceContainer wan1 = p2p.Install(NodeContainer(nodes.Get(1), nodes.Get(2)));
        NetDeviceContainer wan2 = p2p.Install(NodeContainer(nodes.Get(2), nodes.Get(3)));
        NetDeviceContainer lan2 = csma.Install(NodeContainer(nodes.Get(3), nodes.Get(4)));
        Ipv4AddressHelper ipv4;
        ipv4.SetBase("10.1.0.0", "255.255.255.0");
        ipv4.Assign(wan1);
        ipv4.SetBase("10.2.0.0", "255.255.255.0");
        ipv4.Assign(wan2);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        Ipv6AddressHelper ipv6;
        ipv6.SetBase(Ipv6Address("fd00:1::"), Ipv6Prefix(64));
        ipv6.Assign(lan1);
        ipv6.SetBase(Ipv6Address("fd00:2::"), Ipv6Prefix(64));
        Ipv6InterfaceContainer addresses = ipv6.Assign(lan2);

        SitHelper sit;
        NetDeviceContainer tunnel = sit.Install(nodes.Get(1),
                                                Ipv4Address("10.1.0.1"),
                                                nodes.Get(3),
                                                Ipv4Address("10.2.0.2"));
        sit.AssignStreams(tunnel, 1);
        if (m_numbered)
        {
            ipv6.SetBase(Ipv6Address("fd00:3::"), Ipv6Prefix(64));
            ipv6.Assign(tunnel);
        }
        Ipv6StaticRoutingHelper routing;
        for (uint32_t i : {0, 1, 3, 4})
        {
            nodes.Get(i)->GetObject<Ipv6L3Protocol>()->SetAttribute("IpForward",
                                                                    BooleanValue(true));
        }
        auto route =
            [&](uint32_t node, const char* network, Ptr<NetDevice> device, const char* via) {
                Ptr<Ipv6> stackOf = nodes.Get(node)->GetObject<Ipv6>();
                routing.GetStaticRouting(stackOf)->AddNetworkRouteTo(
                    Ipv6Address(network),
                    Ipv6Prefix(64),
                    Ipv6Address(via),
                    stackOf->GetInterfaceForDevice(device));
            };
        Ptr<Ipv6> r1 = nodes.Get(1)->GetObject<Ipv6>();
        Ptr<Ipv6> r2 = nodes.Get(3)->GetObject<Ipv6>();
        std::ostringstream via1;
        std::ostringstream via2;
        // The routers' global addresses: ns-3.37 takes a link-local source with a link-local
        // gateway.
        via1 << r1->GetAddress(r1->GetInterfaceForDevice(lan1.Get(1)), 1).GetAddress();
        via2 << r2->GetAddress(r2->GetInterfaceForDevice(lan2.Get(0)), 1).GetAddress();
        route(0, "fd00:2::", lan1.Get(0), via1.str().c_str());
        route(1, "fd00:2::", tunnel.Get(0), "::");
        route(3, "fd00:1::", tunnel.Get(1), "::");
        route(4, "fd00:1::", lan2.Get(1), via2.str().c_str());

        Ptr<Socket> server = Socket::CreateSocket(nodes.Get(4), UdpSocketFactory::GetTypeId());
        server->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 7));
        server->SetRecvCallback(MakeCallback(&SitRouterTestCase::Received, this));
        Ptr<Socket> client = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        Inet6SocketAddress to(addresses.GetAddress(1, 1), 7);
        nodes.Get(0)->GetObject<Ipv6L3Protocol>()->TraceConnectWithoutContext(
            "Rx",
            MakeCallback(&SitRouterTestCase::SeenAtH1, this));
        // 1452 bytes fill the LAN's MTU, and are too many for the tunnel.
        std::vector<uint32_t> sizes = {100, 1432, 1452, 1452};
        for (std::size_t i = 0; i < sizes.size(); ++i)
        {
            Simulator::ScheduleWithContext(
                nodes.Get(0)->GetId(),
                Seconds(3 + i),
                [client, to, size = sizes[i]]() { client->SendTo(Create<Packet>(size), 0, to); });
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_tooBig, 1480, "the sender is told the tunnel's MTU");
        NS_TEST_EXPECT_MSG_EQ(m_received,
                              100 + 1432 + 1452,
                              "all arrive but the one that was too big");
        Simulator::Destroy();
    }

    bool m_numbered;        //!< whether the tunnel has global addresses
    uint32_t m_received{0}; //!< bytes that arrived
    uint32_t m_tooBig{0};   //!< MTU of the last packet too big
};

/**
 * @ingroup linux-host
 * A router that gets a packet from a tunnel and sends it back into it.
 */
class SitHairpinTestCase : public TestCase
{
  public:
    SitHairpinTestCase()
        : TestCase("Back into the tunnel, one hop less, until none is left")
    {
    }

  private:
    void DoRun() override
    {
        const char* from = "2001:db8:5::1";
        const char* to = "2001:db8:5::77";
        SitTunnelSettings settings;
        settings.frames = {
            TunnelFrame(Ipv6Bytes(UdpBytes(0, from, to), 17, from, to, 0, 9)),
            TunnelFrame(Ipv6Bytes(UdpBytes(0, from, to), 17, from, to, 0, 1)),
        };
        SitTunnelTopology topology(settings);
        topology.GetNodeB()->GetObject<Ipv6L3Protocol>()->SetAttribute("IpForward",
                                                                       BooleanValue(true));
        topology.Run();
        const auto& inside = topology.GetInside();
        NS_TEST_ASSERT_MSG_EQ(inside.size(), 4, "two packets in, two out");
        NS_TEST_EXPECT_MSG_EQ(+inside[1].bytes[7], 8, "one hop less");
        NS_TEST_EXPECT_MSG_EQ(+inside[3].bytes[40], 3, "time exceeded");
        NS_TEST_EXPECT_MSG_EQ(+inside[3].bytes[7], 64, "with Linux's hop limit");
    }
};

/**
 * @ingroup linux-host
 * Inner and outer fragments, in order and not, whole and hostile.
 */
class SitFragmentTestCase : public TestCase
{
  public:
    SitFragmentTestCase()
        : TestCase("Inner and outer fragments")
    {
    }

  private:
    /**
     * @param data the fragment's data
     * @param offset its offset, in octets
     * @param more whether more follow
     * @returns a frame with an inner fragment
     */
    static CapturedPacket Fragment(const std::vector<uint8_t>& data, std::size_t offset, bool more)
    {
        std::vector<uint8_t> payload = {17,
                                        0,
                                        static_cast<uint8_t>(offset >> 8),
                                        static_cast<uint8_t>((offset & 0xf8) | (more ? 1 : 0)),
                                        0,
                                        0,
                                        0,
                                        42};
        payload.insert(payload.end(), data.begin(), data.end());
        return TunnelFrame(Ipv6Bytes(payload, 44));
    }

    /**
     * @param frames frames for B
     * @param wait how long to wait after them
     * @returns the ICMPv6 types and codes that B answered
     */
    static std::string Answers(const std::vector<CapturedPacket>& frames, Time wait = Seconds(1))
    {
        SitTunnelSettings settings;
        settings.frames = frames;
        settings.settle = wait;
        SitTunnelTopology topology(settings);
        topology.Run();
        std::ostringstream text;
        for (const auto& packet : topology.GetInside())
        {
            if (packet.bytes[6] == 58)
            {
                text << (text.str().empty() ? "" : " ") << +packet.bytes[40] << "/"
                     << +packet.bytes[41];
            }
        }
        return text.str();
    }

    void DoRun() override
    {
        std::vector<uint8_t> udp = UdpBytes(32);
        std::vector<uint8_t> head(udp.begin(), udp.begin() + 16);
        std::vector<uint8_t> middle(udp.begin() + 16, udp.begin() + 24);
        std::vector<uint8_t> tail(udp.begin() + 24, udp.end());
        NS_TEST_EXPECT_MSG_EQ(
            Answers(
                {Fragment(head, 0, true), Fragment(middle, 16, true), Fragment(tail, 24, false)}),
            "1/4",
            "in order");
        NS_TEST_EXPECT_MSG_EQ(
            Answers(
                {Fragment(tail, 24, false), Fragment(head, 0, true), Fragment(middle, 16, true)}),
            "1/4",
            "out of order");
        NS_TEST_EXPECT_MSG_EQ(Answers({Fragment(udp, 0, false)}), "1/4", "an atomic fragment");
        NS_TEST_EXPECT_MSG_EQ(
            Answers({Fragment(head, 0, true), Fragment(tail, 8, true), Fragment(tail, 24, false)}),
            "",
            "overlapping ones are dropped in silence (RFC 5722)");
        NS_TEST_EXPECT_MSG_EQ(Answers({Fragment({1, 2, 3}, 0, true)}),
                              "4/3",
                              "less than a UDP header");
        NS_TEST_EXPECT_MSG_EQ(Answers({Fragment({1, 2, 3}, 8, true)}),
                              "4/0",
                              "not a multiple of 8");
        NS_TEST_EXPECT_MSG_EQ(Answers({Fragment(head, 65528, false)}), "4/0", "beyond 65535");
        NS_TEST_EXPECT_MSG_EQ(Answers({Fragment(head, 0, true)}, Seconds(61)), "3/1", "timed out");
        NS_TEST_EXPECT_MSG_EQ(Answers({Fragment(tail, 24, false)}, Seconds(61)),
                              "",
                              "no answer without the first fragment");
        // The outer packet in two pieces, the second first.
        std::vector<uint8_t> packet = Ipv6Bytes(udp, 17);
        std::vector<uint8_t> first(packet.begin(), packet.begin() + 48);
        std::vector<uint8_t> second(packet.begin() + 48, packet.end());
        NS_TEST_EXPECT_MSG_EQ(Answers({TunnelFrame(second, 0, "192.0.2.1", 48 / 8),
                                       TunnelFrame(first, 0, "192.0.2.1", 0x2000)}),
                              "1/4",
                              "outer fragments");
    }
};

/**
 * @ingroup linux-host
 * Which tunnel gets a packet.
 */
class SitLookupTestCase : public TestCase
{
  public:
    SitLookupTestCase()
        : TestCase("A packet goes to the tunnel that names most of its ends")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<Node> node = CreateObject<Node>();
        InternetStackHelper().Install(node);
        SitHelper helper;
        Ipv4Address any("0.0.0.0");
        Ipv4Address here("192.0.2.2");
        Ipv4Address there("192.0.2.1");
        Ptr<SitNetDevice> wildcard = helper.Install(node, any, any);
        Ptr<SitNetDevice> local = helper.Install(node, here, any);
        Ptr<SitNetDevice> remote = helper.Install(node, any, there);
        Ptr<SitNetDevice> both = helper.Install(node, here, there);
        Ptr<SitL4Protocol> protocol = SitL4Protocol::Of(node);
        Ipv4Address other("192.0.2.9");
        NS_TEST_EXPECT_MSG_EQ(protocol->Lookup(there, here), both, "both ends");
        NS_TEST_EXPECT_MSG_EQ(protocol->Lookup(there, other), remote, "the remote end");
        NS_TEST_EXPECT_MSG_EQ(protocol->Lookup(other, here), local, "the local end");
        NS_TEST_EXPECT_MSG_EQ(protocol->Lookup(other, other), wildcard, "neither");
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host
 * Captures that are not what they say.
 */
class SitCaptureFileTestCase : public TestCase
{
  public:
    SitCaptureFileTestCase()
        : TestCase("Malformed captures are refused by place")
    {
    }

  private:
    /**
     * @param content a file's content
     * @returns what is wrong with it, without the file's path
     */
    std::string Read(const std::string& content)
    {
        std::string path = CreateTempDirFilename("capture.pcap");
        std::ofstream(path, std::ios::binary) << content;
        std::vector<CapturedPacket> packets;
        std::string wrong = ReadCapture(path, LINKTYPE_ETHERNET, &packets);
        m_packets = packets.size();
        return wrong.empty() ? wrong : wrong.substr(path.size());
    }

    void DoRun() override
    {
        std::ostringstream written;
        CapturedPacket packet = TunnelFrame(Ipv6Bytes({}, 59));
        WriteCapture(written, LINKTYPE_ETHERNET, {packet, packet});
        std::string good = written.str();
        NS_TEST_EXPECT_MSG_EQ(Read(good), "", "what is written can be read");
        NS_TEST_EXPECT_MSG_EQ(m_packets, 2, "both packets");
        NS_TEST_EXPECT_MSG_EQ(Read(good.substr(0, 24)), "", "a capture of nothing");
        NS_TEST_EXPECT_MSG_EQ(Read(""), ": shorter than a pcap file's header of 24 bytes", "");
        NS_TEST_EXPECT_MSG_EQ(Read(std::string(24, 'x')),
                              ": not a pcap file (its first four bytes are no pcap magic number)",
                              "text");
        NS_TEST_EXPECT_MSG_EQ(Read(good.substr(0, good.size() - 1)),
                              ": packet 2 at byte 114: the file ends before its 74 bytes",
                              "cut off");
        NS_TEST_EXPECT_MSG_EQ(Read(good.substr(0, 120)),
                              ": packet 2 at byte 114: the file ends in its header",
                              "cut off earlier");
        std::ostringstream raw;
        WriteCapture(raw, LINKTYPE_RAW, {});
        NS_TEST_EXPECT_MSG_EQ(Read(raw.str()), ": link type 101, expected 1", "another link type");
    }

    std::size_t m_packets{0}; //!< packets read last
};

/**
 * @ingroup linux-host
 * The tests of sit.
 */
class SitTestSuite : public TestSuite
{
  public:
    SitTestSuite()
        : TestSuite("linux-host-sit", TEST_SUITE_UNIT)
    {
        AddCaptures();
        AddTestCase(new SitRemoteTestCase, TEST_QUICK);
        AddTestCase(new SitEcnTestCase, TEST_QUICK);
        AddTestCase(new SitSettingsTestCase, TEST_QUICK);
        AddTestCase(new Sit6rdTestCase, TEST_QUICK);
        AddTestCase(new SitCounterTestCase, TEST_QUICK);
        AddTestCase(new SitMtuTestCase, TEST_QUICK);
        AddTestCase(new SitSilenceTestCase, TEST_QUICK);
        AddTestCase(new SitRouterTestCase(false), TEST_QUICK);
        AddTestCase(new SitRouterTestCase(true), TEST_QUICK);
        AddTestCase(new SitHairpinTestCase, TEST_QUICK);
        AddTestCase(new SitFragmentTestCase, TEST_QUICK);
        AddTestCase(new SitLookupTestCase, TEST_QUICK);
        AddTestCase(new SitCaptureFileTestCase, TEST_QUICK);
    }

  private:
    /// One test for each capture of the reference.
    void AddCaptures()
    {
        SitTunnelSettings basic;
        basic.ttl = 64;
        basic.datagrams = Payloads({172, 0, 1, 1432, 1433});
        basic.datagrams[2].hopLimit = 1;
        AddTestCase(new SitCaptureTestCase("sit-basic", basic), TEST_QUICK);

        SitTunnelSettings tclass;
        tclass.ttl = 64;
        tclass.tos = 1;
        tclass.datagrams = Payloads({16, 16, 16, 16, 16, 16, 16});
        const uint8_t classes[] = {0, 1, 2, 3, 184, 185, 255};
        for (std::size_t i = 0; i < tclass.datagrams.size(); ++i)
        {
            tclass.datagrams[i].trafficClass = classes[i];
        }
        AddTestCase(new SitCaptureTestCase("sit-tclass-inherit", tclass), TEST_QUICK);

        SitTunnelSettings ttl;
        ttl.datagrams = Payloads({16, 16, 16, 16, 16});
        const uint8_t limits[] = {1, 2, 5, 64, 255};
        for (std::size_t i = 0; i < ttl.datagrams.size(); ++i)
        {
            ttl.datagrams[i].hopLimit = limits[i];
        }
        AddTestCase(new SitCaptureTestCase("sit-ttl-inherit", ttl), TEST_QUICK);

        SitTunnelSettings nopmtudisc;
        nopmtudisc.pmtudisc = false;
        nopmtudisc.datagrams = Payloads({100, 1200, 1432, 1433, 1452});
        AddTestCase(new SitCaptureTestCase("sit-nopmtudisc", nopmtudisc), TEST_QUICK);

        SitTunnelSettings sixToFour;
        sixToFour.mode = SitTunnelSettings::SIX_TO_FOUR;
        sixToFour.ttl = 64;
        sixToFour.datagrams = Payloads({16, 16, 16, 16});
        const char* destinations[] = {"2002:c000:202::1",
                                      "2002:c000:2fe::1",
                                      "2002:7f00:1::1",
                                      "2002:e000:1::1"};
        for (std::size_t i = 0; i < sixToFour.datagrams.size(); ++i)
        {
            sixToFour.datagrams[i].destination = Ipv6Address(destinations[i]);
        }
        AddTestCase(new SitCaptureTestCase("sit-6to4", sixToFour), TEST_QUICK);

        SitTunnelSettings sixRd;
        sixRd.mode = SitTunnelSettings::SIX_RD;
        sixRd.ttl = 64;
        sixRd.datagrams = Payloads({16});
        AddTestCase(new SitCaptureTestCase("sit-6rd", sixRd), TEST_QUICK);

        SitTunnelSettings wrongPeer;
        wrongPeer.ttl = 64;
        std::vector<CapturedPacket> frames;
        ReadCapture(DataFile("sit-wrong-peer"), LINKTYPE_ETHERNET, &frames);
        frames.resize(1);
        wrongPeer.frames = frames;
        AddTestCase(new SitCaptureTestCase("sit-wrong-peer", wrongPeer), TEST_QUICK);

        SitTunnelSettings noTunnel;
        noTunnel.ttl = 64;
        noTunnel.peerTunnel = false;
        noTunnel.datagrams = Payloads({16, 16, 16, 16});
        AddTestCase(new SitCaptureTestCase("sit-no-tunnel-at-peer", noTunnel), TEST_QUICK);

        // A tunnel wider than its path: B's route to A becomes one for A alone after the first
        // answer, which makes the limit on its errors stricter.
        SitTunnelSettings wide;
        wide.ttl = 64;
        wide.mtu = 1481;
        wide.datagrams = Payloads({1432, 1433, 1434, 1500});
        AddTestCase(new SitCaptureTestCase("sit-mtu-1481", wide), TEST_QUICK);

        // 68 octets of data fit into the last fragment, and 64 into the others.
        SitTunnelSettings narrow;
        narrow.ttl = 64;
        narrow.linkMtu = 88;
        narrow.datagrams = Payloads({0, 1, 10, 100, 1232, 1233});
        AddTestCase(new SitCaptureTestCase("sit-link-88", narrow), TEST_QUICK);

        // Each multicast datagram by the scope of its address: what stays in the host, what goes
        // out and from which address, with a hop limit of one unless there is another.
        SitTunnelSettings multicast;
        multicast.ttl = 64;

        struct
        {
            uint32_t payload;
            uint8_t trafficClass;
            uint8_t hopLimit;
            const char* destination;
        } const datagrams[] = {{16, 0, 1, "ff02::1"},
                               {16, 0, 1, "ff0e::1"},
                               {16, 0, 1, "ff05::2"},
                               {16, 0, 1, "ff01::1"},
                               {16, 0, 1, "ff02::2"},
                               {16, 0, 5, "ff02::1"},
                               {16, 0, 0, "ff02::1"},
                               {1432, 0, 1, "ff02::1"},
                               {1433, 0, 1, "ff02::1"},
                               {16, 185, 1, "ff0e::1"},
                               {16, 0, 255, "ff0e::1"},
                               {16, 0, 1, "ff02::1:ff00:2"},
                               {16, 0, 1, "ff00::1"},
                               {16, 0, 1, "ff0f::1"},
                               {16, 0, 1, "ff03::1"},
                               {16, 0, 1, "ff02::fb"},
                               {1433, 0, 1, "ff0e::1"},
                               {3000, 0, 7, "ff02::1"}};

        for (const auto& one : datagrams)
        {
            multicast.datagrams.push_back(
                {one.payload, one.trafficClass, one.hopLimit, Ipv6Address(one.destination)});
        }
        AddTestCase(new SitCaptureTestCase("sit-multicast", multicast), TEST_QUICK);

        for (const char* name : {"frag-end",
                                 "frag-overlap",
                                 "frag-ecn-mixed",
                                 "frag-ecn-ect",
                                 "frag-incomplete",
                                 "protocols",
                                 "wrong-destination",
                                 "frag-needed-600",
                                 "routing-headers",
                                 "jumbo",
                                 "inner-frag-duplicate",
                                 "inner-frag-cut",
                                 "inner-frag-atomic",
                                 "inner-frag-incomplete",
                                 "inner-destinations",
                                 "options",
                                 "record-routes",
                                 "source-routes",
                                 "quoted-options"})
        {
            AddInjected(std::string("sit-in-") + name);
        }
    }

    /**
     * Add the test of a capture of frames that were put on the wire towards B, and of B's answers.
     * @param name the capture
     */
    void AddInjected(const std::string& name)
    {
        static const uint8_t macB[] = {2, 0, 0, 0, 0, 0x0b};
        SitTunnelSettings settings;
        settings.ttl = 64;
        settings.interval = MilliSeconds(1);
        if (name.find("incomplete") != std::string::npos)
        {
            settings.settle = Seconds(62); // fragments are waited for for a minute at most
        }
        std::vector<CapturedPacket> frames;
        ReadCapture(DataFile(name), LINKTYPE_ETHERNET, &frames);
        for (const auto& frame : frames)
        {
            if (!std::equal(std::begin(macB), std::end(macB), frame.bytes.begin() + 6))
            {
                settings.frames.push_back(frame);
            }
        }
        AddTestCase(new SitCaptureTestCase(name, settings), TEST_QUICK);
    }
};

static SitTestSuite g_sitTestSuite; ///< the suite
