/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV4_OPTIONS_H
#define IPV4_OPTIONS_H

#include "ns3/ipv4-address.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/**
 * @file
 * @ingroup linux-host
 * The options of IPv4 headers (RFC 791) as a Linux host deals with them: what it refuses, what it
 * records in those of a received packet, and what its answers carry. ns-3's header has none.
 */

namespace ns3
{
namespace linuxhost
{

/// What a host thinks of the options of a packet.
struct Ipv4OptionsVerdict
{
    /// Where the octet is that is wrong, from the start of the header; 0: all is well.
    std::size_t problem{0};
    std::size_t end{0};      //!< where the options end that have been dealt with
    bool sourceRoute{false}; //!< whether one is a source route, which hosts do not accept
};

/// What ip_options_compile and ip_options_echo ask the host.
struct Ipv4OptionsHost
{
    Ipv4Address self;                                //!< address that is recorded
    std::function<bool(Ipv4Address)> isOtherUnicast; //!< whether an address is another host's
};

/**
 * @param packet an IPv4 packet whose header has been checked
 * @returns whether it has options
 */
bool HasIpv4Options(const std::vector<uint8_t>& packet);

/**
 * Check the options of a received packet and record in them what they ask for, the address and
 * the time in ms since midnight (ip_options_compile). The header's checksum stays as it was.
 * @param packet the packet, whose header has been checked
 * @param host the host that received it
 * @returns the verdict
 */
Ipv4OptionsVerdict CompileIpv4Options(std::vector<uint8_t>* packet, const Ipv4OptionsHost& host);

/**
 * The options of an answer (ip_options_echo, ip_options_build): recorded routes and timestamps go
 * on in it.
 * @param packet the packet that is answered, as CompileIpv4Options() left it; one that it did not
 * see gets no answer if it would find something wrong
 * @param end where the options end that count; 0: with the header
 * @param host the host that answers, by the address that it answers from
 * @param[out] options the options, padded to whole words
 * @returns false when there is to be no answer
 */
bool EchoIpv4Options(const std::vector<uint8_t>& packet,
                     std::size_t end,
                     const Ipv4OptionsHost& host,
                     std::vector<uint8_t>* options);

/**
 * @param packet an IPv4 packet whose header has been checked
 * @returns whether an ICMP error may answer it (icmp_send): it is no later fragment, no ICMP error,
 * and no ICMP that nobody knows
 */
bool MayAnswerWithIcmpError(const std::vector<uint8_t>& packet);

/**
 * Blank the options that only a datagram's first fragment carries (ip_options_fragment).
 * @param options the options, which become those of the other fragments
 */
void BlankFirstFragmentOptions(std::vector<uint8_t>* options);

} // namespace linuxhost
} // namespace ns3

#endif /* IPV4_OPTIONS_H */
