/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gso.h"

#include "ns3/linux-host-compat.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint8_t PROTOCOL_TCP = 6;                  //!< IP protocol TCP
constexpr uint8_t PROTOCOL_UDP = 17;                 //!< IP protocol UDP
constexpr uint8_t PROTOCOL_ROUTING = 43;             //!< IPv6 routing header
constexpr uint8_t PROTOCOL_DESTINATION_OPTIONS = 60; //!< IPv6 destination options
constexpr uint8_t PROTOCOL_FRAGMENT = 44;            //!< IPv6 fragment header
constexpr uint32_t FRAGMENT_HEADER_LENGTH = 8;       //!< bytes of an IPv6 fragment header
constexpr uint16_t IPV4_MORE_FRAGMENTS = 0x2000;     //!< IPv4's more-fragments bit
constexpr uint16_t IPV6_MORE_FRAGMENTS = 1;          //!< the fragment header's more-fragments bit
constexpr uint8_t TCP_FIN = 0x01;                    //!< TCP flag FIN
constexpr uint8_t TCP_PSH = 0x08;                    //!< TCP flag PSH
constexpr uint8_t TCP_CWR = 0x80;                    //!< TCP flag CWR

/**
 * Write lengths, identification and header checksum of a segment's network header.
 * @param segment the segment
 * @param headers where its headers are
 * @param identification the IPv4 identification
 */
void
FinishNetworkHeader(SkBuff* segment, const FrameHeaders& headers, uint16_t identification)
{
    uint8_t* network = &segment->data[headers.network];
    const uint32_t length = static_cast<uint32_t>(segment->data.size()) - headers.network;
    if (headers.etherType == ETHERTYPE_IPV6)
    {
        WriteNetwork16(network + 4, static_cast<uint16_t>(length - 40));
        return;
    }
    WriteNetwork16(network + 2, static_cast<uint16_t>(length));
    WriteNetwork16(network + 4, identification);
    WriteNetwork16(network + 10, 0);
    const uint64_t sum = ChecksumAdd(network, headers.transport - headers.network);
    WriteNetwork16(network + 10, static_cast<uint16_t>(~ChecksumFold(sum)));
}

/**
 * Put the checksum of a segment in its place: the pseudo header's sum when the device completes
 * it, else the whole.
 * @param segment the segment
 * @param transport offset of the transport header
 * @param field offset of the checksum, from the transport header
 * @param pseudo sum of the pseudo header
 * @param partial whether the device completes it
 * @param isUdp whether zero means no checksum
 */
void
FinishChecksum(SkBuff* segment,
               uint32_t transport,
               uint32_t field,
               uint16_t pseudo,
               bool partial,
               bool isUdp)
{
    uint8_t* header = &segment->data[transport];
    WriteNetwork16(header + field, pseudo);
    if (partial)
    {
        segment->ipSummed = ChecksumState::PARTIAL;
        segment->csumStart = static_cast<uint16_t>(transport);
        segment->csumOffset = static_cast<uint16_t>(field);
        return;
    }
    segment->ipSummed = ChecksumState::NONE;
    segment->csumStart = 0;
    segment->csumOffset = 0;
    uint16_t sum = ~ChecksumFold(ChecksumAdd(header, segment->data.size() - transport));
    if (isUdp && sum == 0)
    {
        sum = 0xffff;
    }
    WriteNetwork16(header + field, sum);
}

/**
 * @param data a frame
 * @param headers where its headers are
 * @param[out] nextHeader where the field is that names what follows
 * @returns where an IPv6 fragment header goes: behind what every router on the path reads
 */
uint32_t
FindFragmentHeaderPlace(const std::vector<uint8_t>& data,
                        const FrameHeaders& headers,
                        uint32_t* nextHeader)
{
    uint32_t at = headers.network + 40;
    *nextHeader = headers.network + 6;
    bool routing = false;
    while (at < headers.transport)
    {
        const uint8_t type = data[*nextHeader];
        if (type == PROTOCOL_DESTINATION_OPTIONS && routing)
        {
            break;
        }
        routing = routing || type == PROTOCOL_ROUTING;
        *nextHeader = at;
        at += (data[at + 1] + 1U) * 8;
    }
    return at;
}

/**
 * Cut a datagram into IP fragments. The checksum is completed before, as no device could.
 * @param skb the frame
 * @param headers where its headers are
 * @param features what the device does for it
 * @param sink gets each fragment
 * @returns false when the frame cannot be cut
 */
bool
FragmentUdp(const SkBuff& skb,
            const FrameHeaders& headers,
            OffloadFlags features,
            const SkBuffSink& sink)
{
    const uint32_t size = static_cast<uint32_t>(skb.data.size());
    const uint32_t mss = skb.gsoSize;
    if (mss == 0 || headers.transport + 8 > size || size - headers.transport <= mss)
    {
        return false;
    }
    const bool isIpv6 = headers.etherType == ETHERTYPE_IPV6;
    std::vector<uint8_t> data = skb.data;
    const uint32_t length = size - headers.transport;
    uint8_t* field = &data[headers.transport + 6];
    WriteNetwork16(field, 0);
    const uint64_t pseudo =
        PseudoHeaderSum(&data[headers.network], isIpv6, headers.ipProtocol, length);
    const uint16_t sum = ~ChecksumFold(ChecksumAdd(&data[headers.transport], length, pseudo));
    WriteNetwork16(field, sum == 0 ? 0xffff : sum);

    uint32_t headerLength = headers.transport;
    uint32_t place = 0;
    if (isIpv6)
    {
        uint32_t nextHeader = 0;
        place = FindFragmentHeaderPlace(data, headers, &nextHeader);
        // The identification is random in Linux. This one repeats with the simulation.
        uint8_t fragment[FRAGMENT_HEADER_LENGTH] = {data[nextHeader]};
        std::copy(field - 2, field + 2, fragment + 4);
        data[nextHeader] = PROTOCOL_FRAGMENT;
        data.insert(data.begin() + place, fragment, fragment + FRAGMENT_HEADER_LENGTH);
        headerLength += FRAGMENT_HEADER_LENGTH;
    }

    uint32_t offset = 0;
    for (uint32_t at = headerLength; at < data.size(); at += mss)
    {
        const uint32_t payload = std::min<uint32_t>(mss, data.size() - at);
        const bool last = at + payload == data.size();
        SkBuff segment;
        segment.data.reserve(headerLength + payload);
        segment.data.assign(data.begin(), data.begin() + headerLength);
        segment.data.insert(segment.data.end(), data.begin() + at, data.begin() + at + payload);
        segment.vlanTagPresent = skb.vlanTagPresent;
        segment.vlanProtocol = skb.vlanProtocol;
        segment.vlanTci = skb.vlanTci;
        segment.headLength = headerLength + ((features & OFFLOAD_SG) ? 0 : payload);
        segment.ipSummed = ChecksumState::UNNECESSARY;
        uint8_t* network = &segment.data[headers.network];
        if (isIpv6)
        {
            const uint16_t more = last ? 0 : IPV6_MORE_FRAGMENTS;
            WriteNetwork16(&segment.data[place + 2], static_cast<uint16_t>(offset) | more);
            // Linux counts the extension headers too.
            offset += segment.data.size() - headers.network - 40 - FRAGMENT_HEADER_LENGTH;
        }
        else
        {
            const uint16_t more = last ? 0 : IPV4_MORE_FRAGMENTS;
            WriteNetwork16(network + 6, static_cast<uint16_t>(offset >> 3) | more);
            offset += payload;
        }
        FinishNetworkHeader(&segment, headers, isIpv6 ? 0 : ReadNetwork16(network + 4));
        sink(std::move(segment));
    }
    return true;
}

} // namespace

void
TransmitWork::Add(const TransmitWork& other)
{
    tagsPushed += other.tagsPushed;
    segments += other.segments;
    bytesCopied += other.bytesCopied;
    bytesSummed += other.bytesSummed;
    linearized += other.linearized;
    checksums += other.checksums;
    dropped += other.dropped;
}

bool
NeedsGso(const SkBuff& skb, OffloadFlags features)
{
    if (!skb.IsGso())
    {
        return false;
    }
    const OffloadFlags needed = GsoTypeToOffloadFlags(skb.gsoType);
    return (features & needed) != needed || (skb.hasFragList && !(features & OFFLOAD_FRAGLIST)) ||
           skb.ipSummed == ChecksumState::NONE;
}

bool
GsoSegment(const SkBuff& skb, OffloadFlags features, std::vector<SkBuff>* segments)
{
    segments->clear();
    return GsoSegment(skb, features, [segments](SkBuff&& segment) {
        segments->push_back(std::move(segment));
    });
}

bool
GsoSegment(const SkBuff& skb, OffloadFlags features, const SkBuffSink& sink)
{
    FrameHeaders headers;
    if (!FindFrameHeaders(skb.data, &headers) || headers.transport == 0)
    {
        return false;
    }
    const uint32_t size = static_cast<uint32_t>(skb.data.size());
    const uint32_t transport = headers.transport;
    const bool isIpv6 = headers.etherType == ETHERTYPE_IPV6;
    const bool isUdp = headers.ipProtocol == PROTOCOL_UDP;
    uint32_t transportLength = 8;
    uint32_t checksumField = 6;
    if (headers.ipProtocol == PROTOCOL_TCP)
    {
        if (!(skb.gsoType & (isIpv6 ? GSO_TYPE_TCPV6 : GSO_TYPE_TCPV4)) || transport + 20 > size)
        {
            return false;
        }
        transportLength = (skb.data[transport + 12] >> 4) * 4U;
        checksumField = 16;
        if (transportLength < 20)
        {
            return false;
        }
    }
    else if (isUdp && (skb.gsoType & GSO_TYPE_UDP))
    {
        return FragmentUdp(skb, headers, features, sink);
    }
    else if (!isUdp || !(skb.gsoType & GSO_TYPE_UDP_L4))
    {
        return false;
    }
    const uint32_t headerLength = transport + transportLength;
    const uint32_t mss = skb.gsoSize;
    if (mss == 0 || headerLength > size || size - headerLength <= mss)
    {
        return false;
    }

    // The sum that the segments' pseudo headers start from: as the frame brought it, adjusted by
    // the change of length alone, or a new one when it brought none.
    const uint32_t oldLength = size - transport;
    uint16_t frameSum;
    if (skb.ipSummed == ChecksumState::PARTIAL)
    {
        if (skb.csumStart != transport)
        {
            return false;
        }
        frameSum = ReadNetwork16(&skb.data[transport + checksumField]);
    }
    else
    {
        frameSum = ChecksumFold(
            PseudoHeaderSum(&skb.data[headers.network], isIpv6, headers.ipProtocol, oldLength));
    }

    const OffloadFlags needed = GsoTypeToOffloadFlags(skb.gsoType & ~GSO_TYPE_DODGY);
    const bool able = (features & needed) == needed &&
                      (!skb.hasFragList || (features & OFFLOAD_FRAGLIST)) &&
                      (!isUdp || skb.ipSummed == ChecksumState::PARTIAL);
    if ((skb.gsoType & GSO_TYPE_DODGY) && able)
    {
        // Only the headers were in doubt, and they are sound.
        SkBuff whole = skb;
        WriteNetwork16(&whole.data[transport + checksumField], frameSum);
        whole.ipSummed = ChecksumState::PARTIAL;
        whole.csumStart = static_cast<uint16_t>(transport);
        whole.csumOffset = static_cast<uint16_t>(checksumField);
        whole.gsoSegs = (size - headerLength + mss - 1) / mss;
        sink(std::move(whole));
        return true;
    }

    const bool partial = CanChecksumProtocol(features, headers.etherType);
    const bool keepCwr = skb.gsoType & GSO_TYPE_TCP_ACCECN;
    const uint32_t udpLength = isUdp ? ReadNetwork16(&skb.data[transport + 4]) : 0;
    uint16_t identification = isIpv6 ? 0 : ReadNetwork16(&skb.data[headers.network + 4]);
    uint32_t sequence = isUdp ? 0 : ReadNetwork32(&skb.data[transport + 4]);

    for (uint32_t at = headerLength; at < size; at += mss)
    {
        const uint32_t payload = std::min(mss, size - at);
        const bool first = at == headerLength;
        const bool last = at + payload == size;
        SkBuff segment;
        segment.data.reserve(headerLength + payload);
        segment.data.assign(skb.data.begin(), skb.data.begin() + headerLength);
        segment.data.insert(segment.data.end(),
                            skb.data.begin() + at,
                            skb.data.begin() + at + payload);
        segment.vlanTagPresent = skb.vlanTagPresent;
        segment.vlanProtocol = skb.vlanProtocol;
        segment.vlanTci = skb.vlanTci;
        const bool gathers = (features & OFFLOAD_SG) && partial;
        segment.headLength = gathers ? headerLength : headerLength + payload;

        const uint32_t newLength = transportLength + payload;
        uint8_t* header = &segment.data[transport];
        uint64_t sum = frameSum;
        if (isUdp)
        {
            // The old length comes from the datagram's own field.
            sum += (~udpLength & 0xffff) + newLength;
            WriteNetwork16(header + 4, static_cast<uint16_t>(newLength));
        }
        else
        {
            sum += static_cast<uint32_t>(~oldLength) + static_cast<uint64_t>(newLength);
            WriteNetwork32(header + 4, sequence);
            if (!last)
            {
                header[13] &= ~(TCP_FIN | TCP_PSH);
            }
            if (!first && !keepCwr)
            {
                header[13] &= ~TCP_CWR;
            }
        }
        FinishNetworkHeader(&segment, headers, identification);
        FinishChecksum(&segment, transport, checksumField, ChecksumFold(sum), partial, isUdp);
        sink(std::move(segment));
        sequence += payload;
        if (!(skb.gsoType & GSO_TYPE_TCP_FIXEDID))
        {
            identification++;
        }
    }
    return true;
}

bool
CompleteChecksum(SkBuff* skb, bool replaceZero)
{
    const size_t field = static_cast<size_t>(skb->csumStart) + skb->csumOffset;
    if (field + 2 > skb->data.size())
    {
        return false;
    }
    uint16_t sum =
        ~ChecksumFold(ChecksumAdd(&skb->data[skb->csumStart], skb->data.size() - skb->csumStart));
    if (sum == 0 && replaceZero)
    {
        sum = 0xffff;
    }
    WriteNetwork16(&skb->data[field], sum);
    skb->ipSummed = ChecksumState::NONE;
    skb->csumStart = 0;
    skb->csumOffset = 0;
    return true;
}

uint32_t
Linearize(SkBuff* skb)
{
    const uint32_t size = static_cast<uint32_t>(skb->data.size());
    const uint32_t copied = size - std::min(size, skb->headLength);
    skb->headLength = size;
    skb->hasFragList = false;
    return copied;
}

std::vector<SkBuff>
ValidateTransmit(const SkBuff& skb, OffloadFlags features, TransmitWork* work)
{
    std::vector<SkBuff> out;
    ValidateTransmit(skb, features, work, [&out](SkBuff&& frame) {
        out.push_back(std::move(frame));
    });
    return out;
}

void
ValidateTransmit(const SkBuff& skb,
                 OffloadFlags features,
                 TransmitWork* work,
                 const SkBuffSink& sink)
{
    TransmitWork done;
    SkBuff frame = skb;
    const OffloadFlags insertion =
        frame.vlanProtocol == ETHERTYPE_8021AD ? OFFLOAD_HW_VLAN_STAG_TX : OFFLOAD_HW_VLAN_CTAG_TX;
    if (frame.vlanTagPresent && !(features & insertion))
    {
        frame.PushVlanTag();
        done.tagsPushed++;
    }

    if (NeedsGso(frame, features))
    {
        const bool cut = GsoSegment(frame, features, [&done, &sink](SkBuff&& segment) {
            if (!segment.IsGso())
            {
                const uint32_t size = static_cast<uint32_t>(segment.data.size());
                done.segments++;
                // A device that gathers gets the payload where it lies.
                done.bytesCopied += segment.headLength == size ? size : segment.headLength;
                done.bytesSummed += segment.ipSummed == ChecksumState::PARTIAL ? 0 : size;
            }
            sink(std::move(segment));
        });
        done.dropped += cut ? 0 : 1;
    }
    else
    {
        const bool fragmented = frame.headLength < frame.data.size();
        if ((frame.hasFragList && !(features & OFFLOAD_FRAGLIST)) ||
            (fragmented && !(features & OFFLOAD_SG)))
        {
            done.bytesCopied += Linearize(&frame);
            done.linearized++;
        }
        FrameHeaders headers;
        FindFrameHeaders(frame.data, &headers);
        bool usable = true;
        if (frame.ipSummed == ChecksumState::PARTIAL &&
            !CanChecksumProtocol(features, headers.etherType))
        {
            done.bytesSummed += static_cast<uint32_t>(frame.data.size()) - frame.csumStart;
            done.checksums++;
            usable = CompleteChecksum(&frame);
        }
        if (usable)
        {
            sink(std::move(frame));
        }
        else
        {
            done.dropped++;
        }
    }

    if (work)
    {
        work->Add(done);
    }
}

} // namespace linuxhost
} // namespace ns3
