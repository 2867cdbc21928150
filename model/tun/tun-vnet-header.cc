/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-vnet-header.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint32_t IPV4_SIZE = 20;
constexpr uint32_t IPV6_SIZE = 40;
constexpr uint32_t TCP_SIZE = 20;
constexpr uint32_t UDP_SIZE = 8;
constexpr uint16_t TCP_CHECKSUM_OFFSET = 16;
constexpr uint16_t UDP_CHECKSUM_OFFSET = 6;
/// Most datagrams of one UDP send.
constexpr uint32_t UDP_MAX_SEGMENTS = 128;
/// A segment size with a meaning of its own inside the kernel.
constexpr uint16_t GSO_BY_FRAGS = 0xffff;

/**
 * @param data two bytes
 * @param bigEndian their order
 * @returns the number
 */
uint16_t
Read16(const uint8_t* data, bool bigEndian)
{
    return bigEndian ? data[0] << 8 | data[1] : data[1] << 8 | data[0];
}

/**
 * @param data where the two bytes go
 * @param value the number
 * @param bigEndian their order
 */
void
Write16(uint8_t* data, uint16_t value, bool bigEndian)
{
    data[bigEndian ? 0 : 1] = value >> 8;
    data[bigEndian ? 1 : 0] = value & 0xff;
}

} // namespace

TunVnetHeader
TunVnetHeader::Parse(const uint8_t* data, bool tunnel, bool bigEndian)
{
    TunVnetHeader header;
    header.flags = data[0];
    header.gsoType = data[1];
    header.hdrLen = Read16(data + 2, bigEndian);
    header.gsoSize = Read16(data + 4, bigEndian);
    header.csumStart = Read16(data + 6, bigEndian);
    header.csumOffset = Read16(data + 8, bigEndian);
    if (tunnel)
    {
        header.outerThOffset = Read16(data + 20, false);
        header.innerNhOffset = Read16(data + 22, false);
    }
    return header;
}

void
TunVnetHeader::Write(uint8_t* data, bool bigEndian) const
{
    data[0] = flags;
    data[1] = gsoType;
    Write16(data + 2, hdrLen, bigEndian);
    Write16(data + 4, gsoSize, bigEndian);
    Write16(data + 6, csumStart, bigEndian);
    Write16(data + 8, csumOffset, bigEndian);
}

bool
TunVnetHeader::FitsPlain(uint32_t length, uint8_t type, uint32_t headroom) const
{
    uint32_t networkSize = IPV4_SIZE;
    uint32_t transportSize = 0;
    const uint8_t kind = type & ~GSO_ECN;
    if (type != GSO_NONE)
    {
        switch (kind)
        {
        case GSO_TCPV4:
            transportSize = TCP_SIZE;
            break;
        case GSO_TCPV6:
            transportSize = TCP_SIZE;
            networkSize = IPV6_SIZE;
            break;
        case GSO_UDP:
        case GSO_UDP_L4:
            transportSize = UDP_SIZE;
            break;
        default:
            return false;
        }
        if (gsoSize == 0)
        {
            return false;
        }
    }
    uint32_t headersEnd = 0;
    if (flags & F_NEEDS_CSUM)
    {
        const uint32_t start = csumStart;
        const uint32_t fieldEnd = csumOffset + 2u;
        if (start + std::max(transportSize, fieldEnd) > length || start + headroom >= 0xffff ||
            start < networkSize)
        {
            return false;
        }
        headersEnd = start + transportSize;
    }
    else if (type != GSO_NONE)
    {
        headersEnd = networkSize + transportSize;
    }
    if (headersEnd > length)
    {
        return false;
    }
    if (type == GSO_NONE)
    {
        return true;
    }
    if (kind == GSO_UDP_L4 &&
        (!(flags & F_NEEDS_CSUM) || csumOffset != UDP_CHECKSUM_OFFSET || (type & GSO_ECN) ||
         length - headersEnd > uint32_t(gsoSize) * UDP_MAX_SEGMENTS))
    {
        return false;
    }
    if ((kind == GSO_TCPV4 || kind == GSO_TCPV6) && (flags & F_NEEDS_CSUM) &&
        csumOffset != TCP_CHECKSUM_OFFSET)
    {
        return false;
    }
    return gsoSize != GSO_BY_FRAGS;
}

bool
TunVnetHeader::Fits(const uint8_t* packet,
                    uint32_t length,
                    bool tunnelAllowed,
                    uint32_t headroom) const
{
    const uint8_t tunnel = gsoType & (GSO_UDP_TUNNEL_V4 | GSO_UDP_TUNNEL_V6);
    if (!tunnel)
    {
        return FitsPlain(length, gsoType, headroom);
    }
    const uint8_t inner = gsoType & ~(GSO_ECN | tunnel);
    if (!tunnelAllowed || tunnel == (GSO_UDP_TUNNEL_V4 | GSO_UDP_TUNNEL_V6) || inner == GSO_NONE ||
        inner == GSO_UDP || !(flags & F_NEEDS_CSUM))
    {
        return false;
    }
    auto innerSize = [](bool isIpv6) { return isIpv6 ? IPV6_SIZE : IPV4_SIZE; };
    const uint32_t outerNetwork = tunnel == GSO_UDP_TUNNEL_V6 ? IPV6_SIZE : IPV4_SIZE;
    if (outerThOffset < ETHERNET_HEADER_LENGTH + outerNetwork ||
        innerNhOffset < outerThOffset + UDP_SIZE ||
        csumStart < innerNhOffset + innerSize(inner == GSO_TCPV6) ||
        !FitsPlain(length, gsoType & ~tunnel, headroom))
    {
        return false;
    }
    if (inner == GSO_UDP_L4 &&
        csumStart < innerNhOffset + innerSize(packet[innerNhOffset] >> 4 == 6))
    {
        return false;
    }
    return true;
}

bool
TunVnetHeader::IsGso(uint32_t length) const
{
    const uint8_t kind = gsoType & ~(GSO_ECN | GSO_UDP_TUNNEL_V4 | GSO_UDP_TUNNEL_V6);
    if (kind == GSO_NONE)
    {
        return false;
    }
    const bool udp = kind == GSO_UDP || kind == GSO_UDP_L4;
    uint32_t headers = flags & F_NEEDS_CSUM ? csumStart : kind == GSO_TCPV6 ? IPV6_SIZE : IPV4_SIZE;
    // A datagram to be fragmented may count its UDP header among the payload.
    headers += kind == GSO_UDP ? 0 : udp ? UDP_SIZE : TCP_SIZE;
    return length > headers && length - headers > gsoSize;
}

} // namespace linuxhost
} // namespace ns3
