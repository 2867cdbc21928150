/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV6_ADDRESS_TYPE_H
#define IPV6_ADDRESS_TYPE_H

#include "ns3/ipv6-address.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * An IPv6 address as two integers, so that comparing prefixes is arithmetic.
 */
struct Ipv6Bits
{
    uint64_t high{0}; //!< the first 64 bits, as a number
    uint64_t low{0};  //!< the last 64 bits, as a number

    Ipv6Bits() = default;

    /**
     * @param h the first 64 bits
     * @param l the last 64 bits
     */
    constexpr Ipv6Bits(uint64_t h, uint64_t l)
        : high(h),
          low(l)
    {
    }

    /// @param address the address
    explicit Ipv6Bits(const Ipv6Address& address);

    /// @returns the address as ns-3 has it
    Ipv6Address ToAddress() const;
    /// @returns the address as text, in its shortest form
    std::string ToText() const;

    /**
     * Read an address; never aborts, unlike ns3::Ipv6Address.
     * @param text the text
     * @param[out] bits the address
     * @returns whether the text is an IPv6 address
     */
    static bool Parse(const std::string& text, Ipv6Bits* bits);
    /**
     * @param length a prefix length, 0 to 128
     * @returns the mask of that length
     */
    static Ipv6Bits Mask(uint8_t length);

    /**
     * @param other another address
     * @returns whether they are the same
     */
    bool operator==(const Ipv6Bits& other) const
    {
        return high == other.high && low == other.low;
    }

    /**
     * @param other another address
     * @returns whether they differ
     */
    bool operator!=(const Ipv6Bits& other) const
    {
        return !(*this == other);
    }

    /**
     * @param mask a mask
     * @returns the address with only the mask's bits
     */
    Ipv6Bits operator&(const Ipv6Bits& mask) const
    {
        return {high & mask.high, low & mask.low};
    }
};

/**
 * @ingroup linux-host
 * @param a an address
 * @param b another
 * @returns how many leading bits they have in common, 0 to 128
 */
inline uint8_t
CommonPrefixLength(const Ipv6Bits& a, const Ipv6Bits& b)
{
    if (a.high != b.high)
    {
        return static_cast<uint8_t>(__builtin_clzll(a.high ^ b.high));
    }
    if (a.low != b.low)
    {
        return static_cast<uint8_t>(64 + __builtin_clzll(a.low ^ b.low));
    }
    return 128;
}

/**
 * @ingroup linux-host
 * What Linux reads off an address: its scope and the kinds that some rules treat apart.
 */
struct Ipv6AddressType
{
    /// Scopes, with the values that multicast addresses carry.
    enum Scope : int8_t
    {
        INVALID = -1,   //!< of the unspecified address
        NODE_LOCAL = 1, //!< ff01::/16
        LINK_LOCAL = 2, //!< fe80::/10, and ::1
        SITE_LOCAL = 5, //!< fec0::/10
        GLOBAL = 14,    //!< everything else, unique local addresses among them
    };

    /// Kinds that an address label can be tied to; at most one holds.
    enum Kind : uint8_t
    {
        ORDINARY = 0,  //!< none of the others
        LOOPBACK = 1,  //!< ::1
        V4_COMPAT = 2, //!< ::/96, but for :: and ::1
        V4_MAPPED = 3, //!< ::ffff:0:0/96
    };

    int8_t scope{INVALID};  //!< scope; of a multicast address, its own four bits
    Kind kind{ORDINARY};    //!< kind
    bool multicast{false};  //!< ff00::/8
    bool unspecified{true}; //!< ::

    /**
     * @param address an address
     * @returns its type
     */
    static Ipv6AddressType Of(const Ipv6Bits& address);

    /**
     * @returns whether a socket call must name the interface of such an address (`sin6_scope_id`)
     */
    bool NeedsScopeId() const;
};

/**
 * @ingroup linux-host
 * @param address an address
 * @returns whether it is an overlay identifier of 2001:10::/28
 */
inline bool
IsOrchid(const Ipv6Bits& address)
{
    return (address.high >> 36) == 0x2001001;
}

} // namespace linuxhost
} // namespace ns3

#endif /* IPV6_ADDRESS_TYPE_H */
