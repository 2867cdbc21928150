/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ip-input-check.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr std::size_t IPV4_HEADER = 20; ///< bytes of an IPv4 header without options
constexpr std::size_t IPV6_HEADER = 40; ///< bytes of an IPv6 header
constexpr std::size_t UDP_HEADER = 8;   ///< bytes of a UDP header
constexpr std::size_t TCP_HEADER = 20;  ///< bytes of a TCP header without options
constexpr std::size_t ICMP_HEADER = 8;  ///< bytes of an ICMP header
/// Offset and more-fragments bit of an IPv6 fragment header.
constexpr uint16_t FRAGMENT_FIELD = 0xfff9;

/**
 * @param data two bytes in network order
 * @returns the number
 */
uint16_t
Read16(const uint8_t* data)
{
    return static_cast<uint16_t>((data[0] << 8) | data[1]);
}

/**
 * @param data the options of a TCP header
 * @param size their bytes
 * @returns whether they are a list of well-formed options of lengths that the standard options have
 */
bool
CheckTcpOptions(const uint8_t* data, std::size_t size)
{
    std::size_t at = 0;
    while (at < size && data[at] != 0)
    {
        if (data[at] == 1)
        {
            ++at;
            continue;
        }
        if (at + 1 >= size || data[at + 1] < 2 || at + data[at + 1] > size)
        {
            return false;
        }
        uint8_t length = data[at + 1];
        switch (data[at])
        {
        case 2: // maximum segment size
            if (length != 4)
            {
                return false;
            }
            break;
        case 3: // window scale
            if (length != 3)
            {
                return false;
            }
            break;
        case 4: // selective acknowledgment permitted
            if (length != 2)
            {
                return false;
            }
            break;
        case 5: // selective acknowledgment blocks
            if (length < 10 || (length - 2) % 8 != 0)
            {
                return false;
            }
            break;
        case 8: // timestamps
            if (length != 10)
            {
                return false;
            }
            break;
        default:
            break;
        }
        at += length;
    }
    return true;
}

/**
 * @param data an ICMPv4 message
 * @param size its bytes
 * @returns whether ns-3 can parse it: an error must quote a whole IPv4 header and eight more bytes
 */
bool
CheckIcmpv4(const uint8_t* data, std::size_t size)
{
    bool error = data[0] == 3 || data[0] == 4 || data[0] == 5 || data[0] == 11 || data[0] == 12;
    if (!error)
    {
        return true;
    }
    if (size < ICMP_HEADER + IPV4_HEADER || (data[8] >> 4) != 4)
    {
        return false;
    }
    std::size_t header = (data[8] & 0x0f) * 4U;
    return header >= IPV4_HEADER && size >= ICMP_HEADER + header + 8;
}

/**
 * Judge a jumbo payload option (ipv6_hop_jumbo). No packet inside IPv4 is as large as it promises.
 * @param data the packet
 * @param at where the option is
 * @param verdict gets the problem, if there is one
 */
void
CheckJumbo(const uint8_t* data, std::size_t at, Ipv6Verdict* verdict)
{
    if (data[at + 1] != 4 || at % 4 != 2)
    {
        return;
    }
    bool small = Read16(data + at + 2) == 0;
    if (small || Read16(data + 4) != 0)
    {
        verdict->action = Ipv6Verdict::PARAMETER_PROBLEM;
        verdict->problemCode = 0;
        verdict->problemOffset = small ? at + 2 : at;
    }
}

/**
 * Walk the options of a hop-by-hop or destination options header.
 * @param data the packet
 * @param at where the options start
 * @param end where they end
 * @param hopByHop whether they are hop-by-hop options
 * @param verdict gets the problem, if there is one
 * @returns whether the header may be skipped
 */
bool
WalkOptions(const uint8_t* data,
            std::size_t at,
            std::size_t end,
            bool hopByHop,
            Ipv6Verdict* verdict)
{
    std::size_t padding = 0;
    while (at < end)
    {
        uint8_t type = data[at];
        if (type == 0)
        {
            ++at;
            // Linux refuses more padding than alignment can need.
            if (++padding > 7)
            {
                return false;
            }
            continue;
        }
        if (at + 1 >= end || at + 2U + data[at + 1] > end)
        {
            return false;
        }
        uint8_t length = data[at + 1];
        if (type == 1)
        {
            padding += 2U + length;
            if (padding > 7 || std::any_of(data + at + 2, data + at + 2 + length, [](uint8_t byte) {
                    return byte != 0;
                }))
            {
                return false;
            }
        }
        else
        {
            padding = 0;
            if (hopByHop && type == 0xc2)
            {
                CheckJumbo(data, at, verdict);
                return false;
            }
            if (!hopByHop && type == 0xc9)
            {
                // A home address (RFC 6275) that this host has no binding for.
                return false;
            }
            bool routerAlert = type == 5 && length == 2;
            if (!routerAlert)
            {
                switch (type >> 6)
                {
                case 0: // skip it; but ns-3 knows types of its own that it parses
                    if (type == 5)
                    {
                        return false;
                    }
                    break;
                case 1: // drop
                    return false;
                case 3: // drop, and tell the sender unless the destination is multicast
                    if (data[24] == 0xff)
                    {
                        return false;
                    }
                    // fall through
                default:
                    verdict->action = Ipv6Verdict::PARAMETER_PROBLEM;
                    verdict->problemCode = 2;
                    verdict->problemOffset = at;
                    return false;
                }
            }
        }
        at += 2U + length;
    }
    return true;
}

} // namespace

uint32_t
InternetSum(const uint8_t* data, std::size_t size, uint32_t sum)
{
    uint64_t total = sum;
    for (std::size_t i = 0; i + 1 < size; i += 2)
    {
        total += Read16(data + i);
    }
    if (size % 2)
    {
        total += static_cast<uint32_t>(data[size - 1]) << 8;
    }
    while (total >> 16)
    {
        total = (total & 0xffff) + (total >> 16);
    }
    return static_cast<uint32_t>(total);
}

uint32_t
PseudoHeaderSum6(const uint8_t* source,
                 const uint8_t* destination,
                 uint32_t length,
                 uint8_t protocol)
{
    uint32_t sum = InternetSum(source, 16);
    sum = InternetSum(destination, 16, sum);
    return sum + (length >> 16) + (length & 0xffff) + protocol;
}

uint32_t
PseudoHeaderSum4(const uint8_t* source,
                 const uint8_t* destination,
                 uint32_t length,
                 uint8_t protocol)
{
    uint32_t sum = InternetSum(source, 4);
    sum = InternetSum(destination, 4, sum);
    return sum + (length >> 16) + (length & 0xffff) + protocol;
}

std::size_t
CheckIpv4Packet(const uint8_t* data, std::size_t size, bool checksums)
{
    if (size < IPV4_HEADER || (data[0] >> 4) != 4)
    {
        return 0;
    }
    std::size_t header = (data[0] & 0x0f) * 4U;
    if (header < IPV4_HEADER || size < header || (checksums && InternetSum(data, header) != 0xffff))
    {
        return 0;
    }
    std::size_t total = Read16(data + 2);
    if (total < header || total > size)
    {
        return 0;
    }
    return total;
}

std::size_t
CheckSegment(uint8_t protocol,
             const uint8_t* data,
             std::size_t size,
             uint32_t pseudoSum,
             bool zeroUdpChecksum,
             bool checksums)
{
    switch (protocol)
    {
    case IP_PROTOCOL_UDP: {
        if (size < UDP_HEADER)
        {
            return 0;
        }
        std::size_t length = Read16(data + 4);
        if (length < UDP_HEADER || length > size)
        {
            return 0;
        }
        if (!checksums)
        {
            return length;
        }
        if (Read16(data + 6) == 0)
        {
            return zeroUdpChecksum ? length : 0;
        }
        // The pseudo header holds the length by the UDP header.
        uint32_t sum = pseudoSum + (0xffff - (size & 0xffff)) + (length & 0xffff);
        return InternetSum(data, length, sum) == 0xffff ? length : 0;
    }
    case IP_PROTOCOL_TCP: {
        if (size < TCP_HEADER)
        {
            return 0;
        }
        std::size_t header = (data[12] >> 4) * 4U;
        if (header < TCP_HEADER || header > size ||
            !CheckTcpOptions(data + TCP_HEADER, header - TCP_HEADER))
        {
            return 0;
        }
        return !checksums || InternetSum(data, size, pseudoSum) == 0xffff ? size : 0;
    }
    case IP_PROTOCOL_ICMP:
        if (size < ICMP_HEADER || (checksums && InternetSum(data, size) != 0xffff) ||
            !CheckIcmpv4(data, size))
        {
            return 0;
        }
        return size;
    default:
        return size;
    }
}

std::size_t
CheckIpv6Header(const uint8_t* data, std::size_t size)
{
    if (size < IPV6_HEADER || (data[0] >> 4) != 6)
    {
        return 0;
    }
    const uint8_t* source = data + 8;
    const uint8_t* destination = data + 24;
    auto isLoopback = [](const uint8_t* address) {
        return std::all_of(address, address + 15, [](uint8_t byte) { return byte == 0; }) &&
               address[15] == 1;
    };
    auto isMapped = [](const uint8_t* address) {
        return std::all_of(address, address + 10, [](uint8_t byte) { return byte == 0; }) &&
               address[10] == 0xff && address[11] == 0xff;
    };
    // A multicast, loopback or mapped source, a loopback destination, or a multicast scope that may
    // not be on any wire (0 reserved, 1 interface-local).
    if (source[0] == 0xff || isLoopback(source) || isLoopback(destination) || isMapped(source) ||
        (destination[0] == 0xff && (destination[1] & 0x0f) < 2))
    {
        return 0;
    }
    if (Read16(data + 4) == 0 && data[6] == IP_PROTOCOL_HOPOPTS)
    {
        // The length is to be in a jumbo payload option.
        return size;
    }
    std::size_t length = IPV6_HEADER + Read16(data + 4);
    return length > size ? 0 : length;
}

bool
IsUpperHeaderCut(const uint8_t* data, std::size_t length, uint8_t header, std::size_t at)
{
    while (header == IP_PROTOCOL_HOPOPTS || header == IP_PROTOCOL_DSTOPTS ||
           header == IP_PROTOCOL_ROUTING || header == IP_PROTOCOL_FRAGMENT ||
           header == IP_PROTOCOL_AUTH)
    {
        if (at + 4 > length ||
            (header == IP_PROTOCOL_FRAGMENT && (Read16(data + at + 2) & 0xfff8) != 0))
        {
            return false;
        }
        std::size_t size = header == IP_PROTOCOL_FRAGMENT ? 8
                           : header == IP_PROTOCOL_AUTH   ? (data[at + 1] + 2U) * 4U
                                                          : (data[at + 1] + 1U) * 8U;
        header = data[at];
        at += size;
    }
    switch (header)
    {
    case IP_PROTOCOL_NONE:
        return false;
    case IP_PROTOCOL_TCP:
        return at + TCP_HEADER > length;
    case IP_PROTOCOL_UDP:
        return at + UDP_HEADER > length;
    case IP_PROTOCOL_ICMPV6:
        return at + ICMP_HEADER > length;
    default:
        return at + 1 > length;
    }
}

Ipv6Verdict
WalkIpv6Extensions(const uint8_t* data, std::size_t length)
{
    Ipv6Verdict verdict{Ipv6Verdict::DROP, length, data[6], IPV6_HEADER, 6, 0, 0};
    bool first = true;
    while (true)
    {
        uint8_t header = verdict.upperProtocol;
        std::size_t at = verdict.upperOffset;
        if (header != IP_PROTOCOL_HOPOPTS && header != IP_PROTOCOL_DSTOPTS &&
            header != IP_PROTOCOL_ROUTING && header != IP_PROTOCOL_FRAGMENT)
        {
            verdict.action = header == IP_PROTOCOL_NONE ? Ipv6Verdict::DROP : Ipv6Verdict::DELIVER;
            return verdict;
        }
        if (header == IP_PROTOCOL_HOPOPTS && !first)
        {
            // Only the first header may be hop-by-hop options.
            verdict.action = Ipv6Verdict::PARAMETER_PROBLEM;
            verdict.problemCode = 1;
            verdict.problemOffset = verdict.nextHeaderAt;
            return verdict;
        }
        if (at + 8 > length)
        {
            return verdict;
        }
        if (header == IP_PROTOCOL_FRAGMENT)
        {
            if ((Read16(data + at + 2) & FRAGMENT_FIELD) != 0)
            {
                verdict.action = Ipv6Verdict::FRAGMENT;
                return verdict;
            }
            // All of it: the header is skipped like any other.
            verdict.nextHeaderAt = at;
            verdict.upperProtocol = data[at];
            verdict.upperOffset = at + 8;
            first = false;
            continue;
        }
        std::size_t size = (data[at + 1] + 1U) * 8U;
        if (at + size > length)
        {
            return verdict;
        }
        if (header == IP_PROTOCOL_ROUTING)
        {
            // A source-routed packet with hops left is not for a host: no type is accepted. Those
            // of segment routing and of mobility, which a host has to be set up for, are dropped
            // whatever is left.
            uint8_t type = data[at + 2];
            if (data[24] == 0xff || (type >= 2 && type <= 4))
            {
                return verdict;
            }
            if (data[at + 3] != 0)
            {
                verdict.action = Ipv6Verdict::PARAMETER_PROBLEM;
                verdict.problemCode = 0;
                verdict.problemOffset = at + 2;
                return verdict;
            }
        }
        else if (!WalkOptions(data, at + 2, at + size, header == IP_PROTOCOL_HOPOPTS, &verdict))
        {
            return verdict;
        }
        verdict.nextHeaderAt = at;
        verdict.upperProtocol = data[at];
        verdict.upperOffset = at + size;
        first = false;
    }
}

} // namespace linuxhost
} // namespace ns3
