/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipv6-address-type.h"

#include <arpa/inet.h>

namespace ns3
{
namespace linuxhost
{

namespace
{

/**
 * @param bytes eight bytes in network order
 * @returns them as a number
 */
uint64_t
FromBytes(const uint8_t* bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; ++i)
    {
        number = number << 8 | bytes[i];
    }
    return number;
}

/**
 * @param number a number
 * @param[out] bytes it in network order
 */
void
ToBytes(uint64_t number, uint8_t* bytes)
{
    for (int i = 7; i >= 0; --i, number >>= 8)
    {
        bytes[i] = static_cast<uint8_t>(number);
    }
}

} // namespace

Ipv6Bits::Ipv6Bits(const Ipv6Address& address)
{
    uint8_t bytes[16];
    address.GetBytes(bytes);
    high = FromBytes(bytes);
    low = FromBytes(bytes + 8);
}

Ipv6Address
Ipv6Bits::ToAddress() const
{
    uint8_t bytes[16];
    ToBytes(high, bytes);
    ToBytes(low, bytes + 8);
    return Ipv6Address(bytes);
}

std::string
Ipv6Bits::ToText() const
{
    uint8_t bytes[16];
    ToBytes(high, bytes);
    ToBytes(low, bytes + 8);
    char text[INET6_ADDRSTRLEN];
    return inet_ntop(AF_INET6, bytes, text, sizeof(text));
}

bool
Ipv6Bits::Parse(const std::string& text, Ipv6Bits* bits)
{
    uint8_t bytes[16];
    if (text.find('\0') != std::string::npos || inet_pton(AF_INET6, text.c_str(), bytes) != 1)
    {
        return false;
    }
    bits->high = FromBytes(bytes);
    bits->low = FromBytes(bytes + 8);
    return true;
}

Ipv6Bits
Ipv6Bits::Mask(uint8_t length)
{
    // A shift by the whole width is undefined, so the ends are taken apart.
    const uint64_t ones = ~uint64_t{0};
    if (length == 0)
    {
        return {0, 0};
    }
    if (length <= 64)
    {
        return {ones << (64 - length), 0};
    }
    return {ones, length >= 128 ? ones : ones << (128 - length)};
}

Ipv6AddressType
Ipv6AddressType::Of(const Ipv6Bits& address)
{
    Ipv6AddressType type;
    type.scope = GLOBAL;
    type.unspecified = false;
    const auto top = static_cast<uint16_t>(address.high >> 48);
    if ((top & 0xff00) == 0xff00)
    {
        type.multicast = true;
        type.scope = static_cast<int8_t>(top & 0xf);
    }
    else if ((top & 0xffc0) == 0xfe80)
    {
        type.scope = LINK_LOCAL;
    }
    else if ((top & 0xffc0) == 0xfec0)
    {
        type.scope = SITE_LOCAL;
    }
    else if (address.high == 0)
    {
        if (address.low == 0)
        {
            type.scope = INVALID;
            type.unspecified = true;
        }
        else if (address.low == 1)
        {
            type.scope = LINK_LOCAL;
            type.kind = LOOPBACK;
        }
        else if (address.low >> 32 == 0)
        {
            type.kind = V4_COMPAT;
        }
        else if (address.low >> 32 == 0xffff)
        {
            type.kind = V4_MAPPED;
        }
    }
    return type;
}

bool
Ipv6AddressType::NeedsScopeId() const
{
    return multicast ? scope == NODE_LOCAL || scope == LINK_LOCAL
                     : scope == LINK_LOCAL && kind != LOOPBACK;
}

} // namespace linuxhost
} // namespace ns3
