/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "destination-address-selection.h"

#include <algorithm>
#include <iterator>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// A candidate with what the rules look at.
struct Ranked
{
    size_t index;         //!< place in the caller's list
    bool usable;          //!< rule 1
    bool scopeMatches;    //!< rule 2
    bool preferred;       //!< rule 3
    int home;             //!< rule 4: 3 home and care-of, 2 home, 1 neither, 0 care-of
    bool labelMatches;    //!< rule 5
    uint32_t precedence;  //!< rule 6
    bool native;          //!< rule 7
    int8_t scope;         //!< rule 8
    bool ipv4;            //!< rule 9 compares within a family
    uint8_t commonPrefix; //!< rule 9
};

/**
 * @param address an address; IPv4 addresses are mapped
 * @returns its scope (RFC 6724, section 3.1 and 3.2)
 */
int8_t
ScopeOf(const Ipv6Bits& address)
{
    const auto type = Ipv6AddressType::Of(address);
    if (type.kind == Ipv6AddressType::V4_MAPPED)
    {
        const auto ipv4 = static_cast<uint32_t>(address.low);
        const bool linkLocal = ipv4 >> 16 == 0xa9fe || ipv4 >> 24 == 127;
        return linkLocal ? Ipv6AddressType::LINK_LOCAL : Ipv6AddressType::GLOBAL;
    }
    return type.scope;
}

/**
 * @param address an address
 * @param policies a policy table
 * @returns the line with the longest prefix that matches, or one of zeros
 */
DaddrPolicy
PolicyOf(const Ipv6Bits& address, const std::vector<DaddrPolicy>& policies)
{
    DaddrPolicy best;
    bool found = false;
    for (const auto& policy : policies)
    {
        const auto mask = Ipv6Bits::Mask(policy.length);
        if ((address & mask) == (policy.prefix & mask) && (!found || policy.length > best.length))
        {
            best = policy;
            found = true;
        }
    }
    return best;
}

/**
 * @param a a destination
 * @param b another
 * @returns whether a is preferred; false when the rules see no difference
 */
bool
IsBetter(const Ranked& a, const Ranked& b)
{
    if (a.usable != b.usable)
    {
        return a.usable;
    }
    if (a.scopeMatches != b.scopeMatches)
    {
        return a.scopeMatches;
    }
    if (a.preferred != b.preferred)
    {
        return a.preferred;
    }
    if (a.home != b.home)
    {
        return a.home > b.home;
    }
    if (a.labelMatches != b.labelMatches)
    {
        return a.labelMatches;
    }
    if (a.precedence != b.precedence)
    {
        return a.precedence > b.precedence;
    }
    if (a.native != b.native)
    {
        return a.native;
    }
    if (a.scope != b.scope)
    {
        return a.scope < b.scope;
    }
    return a.ipv4 == b.ipv4 && a.commonPrefix > b.commonPrefix;
}

} // namespace

std::vector<DaddrPolicy>
Rfc6724Policies()
{
    return {{{0, 1}, 128, 50, 0},
            {{0, 0}, 0, 40, 1},
            {{0, 0x0000ffff00000000}, 96, 35, 4},
            {{0x2002000000000000, 0}, 16, 30, 2},
            {{0x2001000000000000, 0}, 32, 5, 5},
            {{0xfc00000000000000, 0}, 7, 3, 13},
            {{0, 0}, 96, 1, 3},
            {{0xfec0000000000000, 0}, 10, 1, 11},
            {{0x3ffe000000000000, 0}, 16, 1, 12}};
}

std::vector<size_t>
OrderDestinations(const std::vector<DaddrCandidate>& candidates,
                  const std::vector<DaddrPolicy>& policies)
{
    std::vector<Ranked> order;
    for (size_t i = 0; i < candidates.size(); ++i)
    {
        const auto& c = candidates[i];
        const auto policy = PolicyOf(c.destination, policies);
        Ranked ranked{};
        ranked.index = i;
        ranked.usable = c.hasSource;
        ranked.scope = ScopeOf(c.destination);
        ranked.precedence = policy.precedence;
        ranked.native = !c.encapsulated;
        ranked.ipv4 = Ipv6AddressType::Of(c.destination).kind == Ipv6AddressType::V4_MAPPED;
        ranked.home = 1;
        if (c.hasSource)
        {
            ranked.scopeMatches = ranked.scope == ScopeOf(c.source);
            ranked.preferred = !c.sourceDeprecated;
            ranked.home = (c.sourceHome ? 2 : 0) + (c.sourceHome == c.sourceCareOf ? 1 : 0);
            ranked.labelMatches = policy.label == PolicyOf(c.source, policies).label;
            ranked.commonPrefix =
                std::min(CommonPrefixLength(c.source, c.destination), c.sourcePrefixLength);
        }
        // The comparison of prefixes within a family makes the order a partial one, so each
        // destination is moved forward past those that it beats, and no further.
        auto place = order.end();
        while (place != order.begin() && IsBetter(ranked, *std::prev(place)))
        {
            --place;
        }
        order.insert(place, ranked);
    }
    std::vector<size_t> indexes;
    for (const auto& ranked : order)
    {
        indexes.push_back(ranked.index);
    }
    return indexes;
}

} // namespace linuxhost
} // namespace ns3
