/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/capture-file.h"
#include "ns3/ip-input-check.h"
#include "ns3/linux-host-compat.h"
#include "ns3/sit-tunnel-topology.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdio>
#include <map>
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
 * the fragments of one packet, and none otherwise), the identification of IPv6 fragments, and the
 * checksums over them, which must be right beforehand.
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
        bool fragment = (((frame[at + 6] << 8) | frame[at + 7]) & 0x3fff) != 0;
        if (InternetSum(&frame[at], IPV4_HEADER) != 0xffff)
        {
            *error = "wrong IPv4 checksum";
        }
        Identify(&frame[at + 4], 2, fragment);
        frame[at + 10] = frame[at + 11] = 0;
        std::size_t next = at + IPV4_HEADER;
        if (frame[at + 9] == 1 && frame.size() >= next + 8 + IPV4_HEADER)
        {
            if (InternetSum(&frame[next], frame.size() - next) != 0xffff)
            {
                *error = "wrong ICMP checksum";
            }
            frame[next + 2] = frame[next + 3] = 0;
            Identify(&frame[next + 8 + 4], 2, false);
            frame[next + 8 + 10] = frame[next + 8 + 11] = 0;
        }
        bool innerFragment = frame[at + 9] == 41 && frame.size() >= next + IPV6_HEADER + 8 &&
                             frame[next + 6] == 44 && (frame[at + 7] | (frame[at + 6] & 0x1f)) == 0;
        if (innerFragment)
        {
            Identify(&frame[next + IPV6_HEADER + 4], 4, true);
        }
        return frame;
    }

  private:
    /**
     * Replace an identification by its number in order of appearance, or by zero.
     * @param at where it is
     * @param size its bytes
     * @param keep whether it must be told from others
     */
    void Identify(uint8_t* at, std::size_t size, bool keep)
    {
        std::string name(reinterpret_cast<char*>(at), size);
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
            std::vector<uint8_t> linux = theirs.Normalize(expected[i].bytes, &error);
            NS_TEST_EXPECT_MSG_EQ(Difference(mine, linux), "", place << "the same bytes");
        }
        NS_TEST_ASSERT_MSG_EQ(wire.size(), expected.size(), m_name << ": number of frames");
    }

    std::string m_name;           //!< the capture
    SitTunnelSettings m_settings; //!< what it was made with
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
    }
};

static SitTestSuite g_sitTestSuite; ///< the suite
