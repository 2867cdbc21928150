/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sk-buff.h"

#include "ns3/linux-host-compat.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint8_t PROTOCOL_HOP_BY_HOP = 0;           //!< IPv6 hop-by-hop options
constexpr uint8_t PROTOCOL_ROUTING = 43;             //!< IPv6 routing header
constexpr uint8_t PROTOCOL_DESTINATION_OPTIONS = 60; //!< IPv6 destination options

/// More datagrams than this are not taken in one UDP segmentation request.
constexpr uint32_t UDP_MAX_SEGMENTS = 128;
/// This segment size means something else inside the kernel.
constexpr uint16_t GSO_BY_FRAGS = 0xffff;

bool
IsTagType(uint16_t etherType)
{
    return etherType == ETHERTYPE_8021Q || etherType == ETHERTYPE_8021AD;
}

} // namespace

bool
operator==(const VirtioNetHeader& a, const VirtioNetHeader& b)
{
    return a.flags == b.flags && a.gsoType == b.gsoType && a.hdrLen == b.hdrLen &&
           a.gsoSize == b.gsoSize && a.csumStart == b.csumStart && a.csumOffset == b.csumOffset;
}

SkBuff::SkBuff(std::vector<uint8_t> bytes)
    : data(std::move(bytes)),
      headLength(static_cast<uint32_t>(data.size()))
{
}

bool
SkBuff::IsGso() const
{
    return gsoSize != 0;
}

bool
SkBuff::IsGsoTcp() const
{
    return IsGso() && (gsoType & (GSO_TYPE_TCPV4 | GSO_TYPE_TCPV6));
}

uint16_t
SkBuff::GetProtocol() const
{
    return data.size() < ETHERNET_HEADER_LENGTH ? 0 : ReadNetwork16(&data[12]);
}

uint32_t
SkBuff::CountTags() const
{
    uint32_t tags = vlanTagPresent ? 1 : 0;
    size_t at = 12;
    while (at + 2 <= data.size() && IsTagType(ReadNetwork16(&data[at])))
    {
        tags++;
        at += VLAN_TAG_LENGTH;
    }
    return tags;
}

bool
SkBuff::UntagVlan()
{
    if (vlanTagPresent || !IsTagType(GetProtocol()))
    {
        return true;
    }
    // Linux wants two more bytes behind the tag.
    if (data.size() < ETHERNET_HEADER_LENGTH + VLAN_TAG_LENGTH + 2)
    {
        return false;
    }
    vlanTagPresent = true;
    vlanProtocol = GetProtocol();
    vlanTci = ReadNetwork16(&data[14]);
    data.erase(data.begin() + 12, data.begin() + 12 + VLAN_TAG_LENGTH);
    headLength -= std::min(headLength, VLAN_TAG_LENGTH);
    // These count from the frame's start, which moved.
    csumStart -= std::min<uint16_t>(csumStart, VLAN_TAG_LENGTH);
    return true;
}

void
SkBuff::PushVlanTag()
{
    if (!vlanTagPresent || data.size() < ETHERNET_HEADER_LENGTH)
    {
        return;
    }
    uint8_t tag[VLAN_TAG_LENGTH];
    WriteNetwork16(tag, vlanProtocol);
    WriteNetwork16(tag + 2, vlanTci);
    data.insert(data.begin() + 12, tag, tag + VLAN_TAG_LENGTH);
    headLength += VLAN_TAG_LENGTH;
    if (ipSummed == ChecksumState::PARTIAL)
    {
        csumStart += VLAN_TAG_LENGTH;
    }
    vlanTagPresent = false;
    vlanProtocol = 0;
    vlanTci = 0;
}

std::string
SkBuff::ApplyVirtioHeader(const VirtioNetHeader& header)
{
    const std::string refused = "EINVAL";
    uint32_t type = 0;
    uint32_t transportMin = 0;
    uint32_t networkMin = 20;
    const uint8_t baseType = header.gsoType & ~VirtioNetHeader::GSO_ECN;
    const uint32_t size = static_cast<uint32_t>(data.size());

    if (size < ETHERNET_HEADER_LENGTH)
    {
        return refused;
    }
    uint32_t headerHint = header.hdrLen;
    if (header.flags & VirtioNetHeader::F_NEEDS_CSUM)
    {
        headerHint = std::max<uint32_t>(headerHint, header.csumStart + header.csumOffset + 2);
    }
    if (headerHint > size || (headerHint != 0 && headerHint < ETHERNET_HEADER_LENGTH))
    {
        return refused;
    }

    if (header.gsoType != VirtioNetHeader::GSO_NONE)
    {
        switch (baseType)
        {
        case VirtioNetHeader::GSO_TCPV4:
            type = GSO_TYPE_TCPV4;
            transportMin = 20;
            break;
        case VirtioNetHeader::GSO_TCPV6:
            type = GSO_TYPE_TCPV6;
            transportMin = 20;
            networkMin = 40;
            break;
        case VirtioNetHeader::GSO_UDP:
            type = GSO_TYPE_UDP;
            transportMin = 8;
            break;
        case VirtioNetHeader::GSO_UDP_L4:
            type = GSO_TYPE_UDP_L4;
            transportMin = 8;
            break;
        default:
            return refused;
        }
        if (header.gsoType & VirtioNetHeader::GSO_ECN)
        {
            type |= GSO_TYPE_TCP_ECN;
        }
        if (header.gsoSize == 0)
        {
            return refused;
        }
    }

    uint32_t payload = 0;
    if (header.flags & VirtioNetHeader::F_NEEDS_CSUM)
    {
        const uint32_t start = header.csumStart;
        const uint32_t offset = header.csumOffset;
        if (start + std::max<uint32_t>(transportMin, offset + 2) > size || start < networkMin ||
            start + transportMin > size)
        {
            return refused;
        }
        ipSummed = ChecksumState::PARTIAL;
        csumStart = header.csumStart;
        csumOffset = header.csumOffset;
        payload = start + transportMin;
    }
    else if (type)
    {
        // Without a checksum to complete nobody looks where the headers are.
        payload = networkMin + transportMin;
        if (payload > size)
        {
            return refused;
        }
    }

    if (header.gsoType == VirtioNetHeader::GSO_NONE)
    {
        return "";
    }
    switch (type & ~GSO_TYPE_TCP_ECN)
    {
    case GSO_TYPE_UDP:
        payload -= transportMin;
        break;
    case GSO_TYPE_UDP_L4:
        if (ipSummed != ChecksumState::PARTIAL || csumOffset != 6 ||
            size - payload > header.gsoSize * UDP_MAX_SEGMENTS || type != GSO_TYPE_UDP_L4)
        {
            return refused;
        }
        break;
    default:
        if (ipSummed == ChecksumState::PARTIAL && csumOffset != 16)
        {
            return refused;
        }
        break;
    }
    if (header.gsoSize == GSO_BY_FRAGS)
    {
        return refused;
    }
    // A frame that fits one segment is a plain one.
    if (size - payload > header.gsoSize)
    {
        gsoSize = header.gsoSize;
        gsoType = type | GSO_TYPE_DODGY;
        gsoSegs = 0;
    }
    return "";
}

VirtioNetHeader
SkBuff::MakeVirtioHeader() const
{
    VirtioNetHeader header;
    const uint32_t tagLength = vlanTagPresent ? VLAN_TAG_LENGTH : 0;
    if (IsGso())
    {
        header.hdrLen = static_cast<uint16_t>(headLength);
        header.gsoSize = gsoSize;
        if (gsoType & GSO_TYPE_TCPV4)
        {
            header.gsoType = VirtioNetHeader::GSO_TCPV4;
        }
        else if (gsoType & GSO_TYPE_TCPV6)
        {
            header.gsoType = VirtioNetHeader::GSO_TCPV6;
        }
        else if (gsoType & GSO_TYPE_UDP_L4)
        {
            header.gsoType = VirtioNetHeader::GSO_UDP_L4;
        }
        if (gsoType & GSO_TYPE_TCP_ECN)
        {
            header.gsoType |= VirtioNetHeader::GSO_ECN;
        }
    }
    if (ipSummed == ChecksumState::PARTIAL)
    {
        header.flags = VirtioNetHeader::F_NEEDS_CSUM;
        header.csumStart = static_cast<uint16_t>(csumStart + tagLength);
        header.csumOffset = csumOffset;
    }
    else if (ipSummed == ChecksumState::UNNECESSARY)
    {
        header.flags = VirtioNetHeader::F_DATA_VALID;
    }
    return header;
}

bool
FindFrameHeaders(const std::vector<uint8_t>& data, FrameHeaders* headers)
{
    *headers = FrameHeaders();
    const size_t size = data.size();
    size_t at = 12;
    while (at + 2 <= size && IsTagType(ReadNetwork16(&data[at])))
    {
        at += VLAN_TAG_LENGTH;
    }
    if (at + 2 > size)
    {
        return false;
    }
    headers->etherType = ReadNetwork16(&data[at]);
    at += 2;
    headers->network = static_cast<uint32_t>(at);
    if (headers->etherType == ETHERTYPE_IPV4)
    {
        if (at + 20 > size)
        {
            return false;
        }
        const uint32_t length = (data[at] & 15) * 4U;
        if (length < 20 || at + length > size)
        {
            return false;
        }
        headers->ipProtocol = data[at + 9];
        headers->transport = static_cast<uint32_t>(at + length);
        return true;
    }
    if (headers->etherType != ETHERTYPE_IPV6 || at + 40 > size)
    {
        return false;
    }
    uint8_t next = data[at + 6];
    at += 40;
    while (next == PROTOCOL_HOP_BY_HOP || next == PROTOCOL_ROUTING ||
           next == PROTOCOL_DESTINATION_OPTIONS)
    {
        if (at + 8 > size)
        {
            return true;
        }
        const uint32_t length = (data[at + 1] + 1U) * 8U;
        if (at + length > size)
        {
            return true;
        }
        headers->hasExtensions = true;
        next = data[at];
        at += length;
    }
    headers->ipProtocol = next;
    headers->transport = static_cast<uint32_t>(at);
    return true;
}

uint64_t
ChecksumAdd(const uint8_t* bytes, size_t length, uint64_t sum)
{
    size_t i = 0;
    for (; i + 1 < length; i += 2)
    {
        sum += ReadNetwork16(bytes + i);
    }
    if (i < length)
    {
        sum += static_cast<uint64_t>(bytes[i]) << 8;
    }
    return sum;
}

uint16_t
ChecksumFold(uint64_t sum)
{
    while (sum >> 16)
    {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return static_cast<uint16_t>(sum);
}

uint64_t
PseudoHeaderSum(const uint8_t* network, bool isIpv6, uint8_t ipProtocol, uint32_t length)
{
    const uint64_t sum = isIpv6 ? ChecksumAdd(network + 8, 32) : ChecksumAdd(network + 12, 8);
    return sum + ipProtocol + (length >> 16) + (length & 0xffff);
}

std::vector<uint8_t>
PacketToBytes(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    return bytes;
}

Ptr<Packet>
BytesToPacket(const std::vector<uint8_t>& bytes)
{
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

} // namespace linuxhost
} // namespace ns3
