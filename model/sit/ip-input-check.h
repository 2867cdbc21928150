/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IP_INPUT_CHECK_H
#define IP_INPUT_CHECK_H

#include <cstddef>
#include <cstdint>

/**
 * @file
 * @ingroup linux-host
 * What a Linux host checks in a packet before it believes any of its fields.
 *
 * ns-3's own stack trusts the bytes it reads. Everything that comes from a real capture, from a
 * fuzzer or from a hostile peer passes here first.
 */

namespace ns3
{
namespace linuxhost
{

/// IP protocol numbers and IPv6 next headers that are named in the pack.
enum IpProtocolNumber : uint8_t
{
    IP_PROTOCOL_HOPOPTS = 0,   //!< IPv6 hop-by-hop options
    IP_PROTOCOL_ICMP = 1,      //!< ICMPv4
    IP_PROTOCOL_TCP = 6,       //!< TCP
    IP_PROTOCOL_UDP = 17,      //!< UDP
    IP_PROTOCOL_IPV6 = 41,     //!< IPv6 in IPv4: sit
    IP_PROTOCOL_ROUTING = 43,  //!< IPv6 routing header
    IP_PROTOCOL_FRAGMENT = 44, //!< IPv6 fragment header
    IP_PROTOCOL_AUTH = 51,     //!< IPv6 authentication header
    IP_PROTOCOL_ICMPV6 = 58,   //!< ICMPv6
    IP_PROTOCOL_NONE = 59,     //!< nothing follows
    IP_PROTOCOL_DSTOPTS = 60,  //!< IPv6 destination options
};

/**
 * The Internet checksum over some bytes.
 * @param data the bytes
 * @param size how many
 * @param sum what to start from (a pseudo header's sum)
 * @returns the ones' complement sum, not complemented, folded to 16 bits
 */
uint32_t InternetSum(const uint8_t* data, std::size_t size, uint32_t sum = 0);

/**
 * The sum of an IPv6 pseudo header.
 * @param source 16 bytes of source address
 * @param destination 16 bytes of destination address
 * @param length upper-layer length
 * @param protocol upper-layer protocol
 * @returns the sum, to be given to InternetSum()
 */
uint32_t PseudoHeaderSum6(const uint8_t* source,
                          const uint8_t* destination,
                          uint32_t length,
                          uint8_t protocol);

/**
 * The sum of an IPv4 pseudo header.
 * @param source 4 bytes of source address
 * @param destination 4 bytes of destination address
 * @param length upper-layer length
 * @param protocol upper-layer protocol
 * @returns the sum, to be given to InternetSum()
 */
uint32_t PseudoHeaderSum4(const uint8_t* source,
                          const uint8_t* destination,
                          uint32_t length,
                          uint8_t protocol);

/**
 * The checks of ip_rcv: version, lengths, header checksum.
 * @param data the packet
 * @param size its bytes
 * @param checksums whether the simulation's packets carry checksums (Node::ChecksumEnabled())
 * @returns the packet's length by its header (what follows is padding), or 0 when it is malformed
 */
std::size_t CheckIpv4Packet(const uint8_t* data, std::size_t size, bool checksums);

/**
 * The checks that an upper layer makes before ns-3's implementation may parse a segment.
 * @param protocol ICMPv4, UDP or TCP; others are not looked into
 * @param data the segment
 * @param size its bytes
 * @param pseudoSum sum of the pseudo header with `size` as its length; unused for ICMPv4
 * @param zeroUdpChecksum whether a UDP checksum of zero means none was computed (IPv4)
 * @param checksums whether the simulation's packets carry checksums (Node::ChecksumEnabled())
 * @returns the segment's length (UDP may be shorter than what IP carried), or 0 when it is
 * malformed or its checksum is wrong
 */
std::size_t CheckSegment(uint8_t protocol,
                         const uint8_t* data,
                         std::size_t size,
                         uint32_t pseudoSum,
                         bool zeroUdpChecksum,
                         bool checksums);

/**
 * What ipv6_rcv and the extension headers' handlers decide about a packet for this host.
 */
struct Ipv6Verdict
{
    /// What to do.
    enum Action
    {
        DELIVER,           //!< hand it on
        FRAGMENT,          //!< a fragment: reassemble first
        DROP,              //!< drop in silence
        PARAMETER_PROBLEM, //!< drop, and tell the sender
    };

    Action action;             //!< what to do
    std::size_t length;        //!< the packet's length by its header; the rest is padding
    uint8_t upperProtocol;     //!< DELIVER: the protocol after all extension headers
    std::size_t upperOffset;   //!< DELIVER: where it starts; FRAGMENT: where the fragment header is
    std::size_t nextHeaderAt;  //!< where the octet is that names upperProtocol
    uint8_t problemCode;       //!< PARAMETER_PROBLEM: 0 field, 1 next header, 2 option
    std::size_t problemOffset; //!< PARAMETER_PROBLEM: offset of the octet
};

/**
 * The checks of ipv6_rcv on the fixed header.
 * @param data the packet
 * @param size its bytes
 * @returns the packet's length by its header, or 0 when it must be dropped
 */
std::size_t CheckIpv6Header(const uint8_t* data, std::size_t size);

/**
 * @param data a packet
 * @param length its length
 * @param header what a fragment header in it names
 * @param at where that is
 * @returns whether the packet ends within the header above IPv6, or before it
 * (ipv6frag_thdr_truncated)
 */
bool IsUpperHeaderCut(const uint8_t* data, std::size_t length, uint8_t header, std::size_t at);

/**
 * Walk the extension headers of a packet that is addressed to this host.
 * @param data the packet, whose fixed header passed CheckIpv6Header()
 * @param length its length by its header
 * @returns the verdict
 */
Ipv6Verdict WalkIpv6Extensions(const uint8_t* data, std::size_t length);

} // namespace linuxhost
} // namespace ns3

#endif /* IP_INPUT_CHECK_H */
