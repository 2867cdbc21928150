/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * Fuzzer of what a host with sit devices receives: whatever the frames, nothing aborts.
 *
 * Input: one octet of switches, then frames, each two octets of length (big endian) and its bytes.
 *
 *   bits 0-1  mode: point-to-point, 6to4, 6rd, no tunnel at the receiver
 *   bit  2    the receiver forwards
 *   bit  3    the bytes are inner packets, and get an Ethernet and an IPv4 header from the peer
 *   bit  4    wrong checksums are made right, so that what is behind them is reached
 */

#include "ns3/boolean.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ip-input-check.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/sit-tunnel-topology.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

constexpr std::size_t MAX_FRAMES = 32;      ///< most frames of one input
constexpr std::size_t MAX_FRAME = 1514;     ///< longest frame
constexpr std::size_t ETHERNET_HEADER = 14; ///< bytes of an Ethernet header
constexpr std::size_t IPV4_HEADER = 20;     ///< bytes of an IPv4 header
constexpr std::size_t IPV6_HEADER = 40;     ///< bytes of an IPv6 header

/**
 * @param at where a checksum belongs
 * @param sum the sum over what it covers
 */
void
PutChecksum(uint8_t* at, uint32_t sum)
{
    at[0] = static_cast<uint8_t>(~sum >> 8);
    at[1] = static_cast<uint8_t>(~sum);
}

/**
 * Make the checksums of a frame right, as far as its headers make sense.
 * @param frame the frame
 */
void
RepairChecksums(std::vector<uint8_t>* frame)
{
    if (frame->size() < ETHERNET_HEADER + IPV4_HEADER || (*frame)[12] != 8 || (*frame)[13] != 0)
    {
        return;
    }
    uint8_t* ip = frame->data() + ETHERNET_HEADER;
    std::size_t size = frame->size() - ETHERNET_HEADER;
    std::size_t header = (ip[0] & 0x0f) * 4U;
    if (header < IPV4_HEADER || header > size)
    {
        return;
    }
    ip[10] = ip[11] = 0;
    PutChecksum(ip + 10, InternetSum(ip, header));
    uint8_t* upper = ip + header;
    size -= header;
    if (ip[9] == IP_PROTOCOL_ICMP && size >= 8)
    {
        upper[2] = upper[3] = 0;
        PutChecksum(upper + 2, InternetSum(upper, size));
    }
    if (ip[9] != IP_PROTOCOL_IPV6 || size < IPV6_HEADER)
    {
        return;
    }
    uint8_t* inner = upper;
    std::size_t segment = size - IPV6_HEADER;
    std::size_t at = inner[6] == IP_PROTOCOL_UDP      ? 6
                     : inner[6] == IP_PROTOCOL_TCP    ? 16
                     : inner[6] == IP_PROTOCOL_ICMPV6 ? 2
                                                      : segment;
    if (at + 2 <= segment)
    {
        uint8_t* data = inner + IPV6_HEADER;
        data[at] = data[at + 1] = 0;
        uint32_t pseudo =
            PseudoHeaderSum6(inner + 8, inner + 24, static_cast<uint32_t>(segment), inner[6]);
        PutChecksum(data + at, InternetSum(data, segment, pseudo));
    }
}

/**
 * @param inner an inner packet
 * @returns a frame that carries it from A to B
 */
std::vector<uint8_t>
Wrap(const std::vector<uint8_t>& inner)
{
    std::vector<uint8_t> frame = {2, 0, 0, 0, 0, 0x0b, 2,  0, 0, 0,   0, 0x0a, 8, 0,   0x45, 0, 0,
                                  0, 0, 0, 0, 0, 64,   41, 0, 0, 192, 0, 2,    1, 192, 0,    2, 2};
    std::size_t total = IPV4_HEADER + inner.size();
    frame[ETHERNET_HEADER + 2] = static_cast<uint8_t>(total >> 8);
    frame[ETHERNET_HEADER + 3] = static_cast<uint8_t>(total);
    PutChecksum(&frame[ETHERNET_HEADER + 10], InternetSum(&frame[ETHERNET_HEADER], IPV4_HEADER));
    frame.insert(frame.end(), inner.begin(), inner.end());
    return frame;
}

} // namespace

/**
 * One input of the fuzzer.
 * @param data the input
 * @param size its bytes
 * @returns 0
 */
extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    if (size < 3)
    {
        return 0;
    }
    uint8_t switches = data[0];
    SitTunnelSettings settings;
    switch (switches & 3)
    {
    case 1:
        settings.mode = SitTunnelSettings::SIX_TO_FOUR;
        break;
    case 2:
        settings.mode = SitTunnelSettings::SIX_RD;
        break;
    case 3:
        settings.peerTunnel = false;
        break;
    default:
        break;
    }
    settings.interval = MilliSeconds(1);
    // Long enough for reassembly to time out.
    settings.settle = Seconds(100);
    std::size_t at = 1;
    while (at + 2 <= size && settings.frames.size() < MAX_FRAMES)
    {
        std::size_t length = (data[at] << 8) | data[at + 1];
        at += 2;
        length = std::min({length, size - at, MAX_FRAME - ETHERNET_HEADER - IPV4_HEADER});
        std::vector<uint8_t> bytes(data + at, data + at + length);
        at += length;
        if (switches & 8)
        {
            bytes = Wrap(bytes);
        }
        if (switches & 16)
        {
            RepairChecksums(&bytes);
        }
        settings.frames.push_back({Time(0), bytes});
    }
    SitTunnelTopology topology(settings);
    Ptr<Node> receiver = topology.GetNodeB();
    if (switches & 4)
    {
        receiver->GetObject<Ipv6L3Protocol>()->SetAttribute("IpForward", BooleanValue(true));
    }
    Ptr<Socket> echo = Socket::CreateSocket(receiver, UdpSocketFactory::GetTypeId());
    echo->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 7));
    topology.Run();
    return 0;
}
