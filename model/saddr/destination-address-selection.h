/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DESTINATION_ADDRESS_SELECTION_H
#define DESTINATION_ADDRESS_SELECTION_H

#include "ipv6-address-type.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/// A line of a policy table.
struct DaddrPolicy
{
    Ipv6Bits prefix;        //!< prefix; IPv4 addresses are those of ::ffff:0:0/96
    uint8_t length{0};      //!< its length
    uint32_t precedence{0}; //!< the larger is preferred
    uint32_t label{0};      //!< destinations are preferred whose source has the same label
};

/// A destination that a name resolves to.
struct DaddrCandidate
{
    Ipv6Bits destination;            //!< destination; IPv4 addresses are mapped
    bool hasSource{false};           //!< whether there is a source for it, hence a route
    Ipv6Bits source;                 //!< the source; IPv4 addresses are mapped
    uint8_t sourcePrefixLength{128}; //!< its prefix length; of an IPv4 address, 96 more
    bool sourceDeprecated{false};    //!< whether it is deprecated
    bool sourceHome{false};          //!< whether it is a home address
    bool sourceCareOf{false};        //!< whether it is a care-of address
    bool encapsulated{false};        //!< whether packets go through an IPv6 transition tunnel
};

/**
 * @ingroup linux-host
 * @returns the policy table of RFC 6724, section 2.1
 */
std::vector<DaddrPolicy> Rfc6724Policies();

/**
 * @ingroup linux-host
 * Order destinations by the ten rules of RFC 6724, section 6, as getaddrinfo() does.
 * @param candidates the destinations
 * @param policies the policy table
 * @returns the destinations' indexes, the best first
 */
std::vector<size_t> OrderDestinations(const std::vector<DaddrCandidate>& candidates,
                                      const std::vector<DaddrPolicy>& policies = Rfc6724Policies());

} // namespace linuxhost
} // namespace ns3

#endif /* DESTINATION_ADDRESS_SELECTION_H */
