/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gro.h"

#include "ns3/linux-host-compat.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint8_t PROTOCOL_TCP = 6;       //!< IP protocol TCP
constexpr uint8_t PROTOCOL_UDP = 17;      //!< IP protocol UDP
constexpr uint32_t UDP_HEADER_LENGTH = 8; //!< bytes of a UDP header
/// A merged datagram is let go at this number of parts.
constexpr uint32_t UDP_MERGED_MAX = 64;
/// Frames this long need a jumbo option that nothing here builds.
constexpr uint32_t LEGACY_MAX_SIZE = 65536;

constexpr uint8_t TCP_FIN = 0x01; //!< TCP flag FIN
constexpr uint8_t TCP_SYN = 0x02; //!< TCP flag SYN
constexpr uint8_t TCP_RST = 0x04; //!< TCP flag RST
constexpr uint8_t TCP_PSH = 0x08; //!< TCP flag PSH
constexpr uint8_t TCP_URG = 0x20; //!< TCP flag URG
constexpr uint8_t TCP_CWR = 0x80; //!< TCP flag CWR

constexpr uint16_t IPV4_DF = 0x4000;       //!< IPv4's don't-fragment bit
constexpr uint16_t IPV4_FRAGMENT = 0x3fff; //!< bits that make a packet a fragment

} // namespace

GroEngine::GroEngine(Sink sink)
    : GroEngine(std::move(sink), Settings())
{
}

GroEngine::GroEngine(Sink sink, const Settings& settings)
    : m_sink(std::move(sink)),
      m_settings(settings)
{
}

void
GroEngine::Receive(SkBuff skb)
{
    Bucket& bucket = m_buckets[skb.flowHash % BUCKETS];
    Entry entry;
    entry.skb = std::move(skb);
    m_counters.received++;

    for (Entry& held : bucket)
    {
        held.sameFlow = held.skb.flowHash == entry.skb.flowHash &&
                        held.skb.vlanTagPresent == entry.skb.vlanTagPresent &&
                        held.skb.vlanProtocol == entry.skb.vlanProtocol &&
                        held.skb.vlanTci == entry.skb.vlanTci &&
                        entry.skb.data.size() >= ETHERNET_HEADER_LENGTH &&
                        std::equal(entry.skb.data.begin(),
                                   entry.skb.data.begin() + ETHERNET_HEADER_LENGTH,
                                   held.skb.data.begin());
    }

    const auto leaving = ReceiveNetwork(bucket, entry);
    if (leaving != bucket.end())
    {
        Entry left = std::move(*leaving);
        bucket.erase(leaving);
        Complete(std::move(left));
    }
    if (entry.wasMerged)
    {
        m_counters.merged++;
        return;
    }
    if (entry.flush)
    {
        m_counters.passed++;
        m_sink(std::move(entry.skb));
        return;
    }
    if (bucket.size() >= MAX_HELD)
    {
        Entry oldest = std::move(bucket.front());
        bucket.pop_front();
        Complete(std::move(oldest));
    }
    if (!entry.skb.IsGso())
    {
        entry.mss = static_cast<uint32_t>(entry.skb.data.size()) - entry.payloadAt;
    }
    m_counters.held++;
    bucket.push_back(std::move(entry));
}

void
GroEngine::Flush()
{
    for (Bucket& bucket : m_buckets)
    {
        while (!bucket.empty())
        {
            Entry oldest = std::move(bucket.front());
            bucket.pop_front();
            Complete(std::move(oldest));
        }
    }
}

uint32_t
GroEngine::GetHeld() const
{
    size_t held = 0;
    for (const Bucket& bucket : m_buckets)
    {
        held += bucket.size();
    }
    return static_cast<uint32_t>(held);
}

const GroEngine::Counters&
GroEngine::GetCounters() const
{
    return m_counters;
}

GroEngine::Bucket::iterator
GroEngine::ReceiveNetwork(Bucket& bucket, Entry& entry)
{
    SkBuff& skb = entry.skb;
    // Until the headers have been understood, the frame is one to pass on.
    entry.flush = true;
    const bool tagged =
        skb.GetProtocol() == ETHERTYPE_8021Q || skb.GetProtocol() == ETHERTYPE_8021AD;
    if (!FindFrameHeaders(skb.data, &entry.headers) || (tagged && !m_settings.lookInsideTags))
    {
        return bucket.end();
    }
    if (skb.IsGso())
    {
        entry.segments = std::max(skb.gsoSegs, 1U);
        entry.mss = skb.gsoSize;
    }
    if (tagged)
    {
        for (Entry& held : bucket)
        {
            held.sameFlow = held.sameFlow && held.headers.network == entry.headers.network &&
                            std::equal(skb.data.begin() + ETHERNET_HEADER_LENGTH,
                                       skb.data.begin() + entry.headers.network,
                                       held.skb.data.begin() + ETHERNET_HEADER_LENGTH);
        }
    }
    return entry.headers.etherType == ETHERTYPE_IPV4 ? ReceiveIpv4(bucket, entry)
                                                     : ReceiveIpv6(bucket, entry);
}

GroEngine::Bucket::iterator
GroEngine::ReceiveIpv4(Bucket& bucket, Entry& entry)
{
    const std::vector<uint8_t>& data = entry.skb.data;
    const uint8_t* network = &data[entry.headers.network];
    const uint16_t fragment = ReadNetwork16(network + 6);
    if (network[0] != 0x45 || (fragment & IPV4_FRAGMENT) ||
        ChecksumFold(ChecksumAdd(network, 20)) != 0xffff)
    {
        return bucket.end();
    }
    for (Entry& held : bucket)
    {
        const uint8_t* other = &held.skb.data[held.headers.network];
        held.sameFlow = held.sameFlow && network[9] == other[9] &&
                        std::equal(network + 12, network + 20, other + 12);
    }
    // Padding behind the packet, or the reserved bit.
    entry.flush = ReadNetwork16(network + 2) != data.size() - entry.headers.network ||
                  (fragment & ~IPV4_DF) != 0;
    return ReceiveTransport(bucket, entry);
}

GroEngine::Bucket::iterator
GroEngine::ReceiveIpv6(Bucket& bucket, Entry& entry)
{
    const std::vector<uint8_t>& data = entry.skb.data;
    const uint32_t network = entry.headers.network;
    const uint32_t transport = entry.headers.transport;
    if (transport == 0)
    {
        return bucket.end();
    }
    for (Entry& held : bucket)
    {
        if (!held.sameFlow)
        {
            continue;
        }
        // The traffic class may differ in one flow, the label may not.
        const std::vector<uint8_t>& other = held.skb.data;
        const uint32_t word = ReadNetwork32(&data[network]) ^ ReadNetwork32(&other[network]);
        held.sameFlow = (word & 0xf00fffff) == 0 && data[network + 6] == other[network + 6] &&
                        std::equal(&data[network + 8], &data[network] + 40, &other[network + 8]) &&
                        held.headers.transport == transport &&
                        std::equal(data.begin() + network + 40,
                                   data.begin() + transport,
                                   other.begin() + network + 40);
    }
    entry.flush = ReadNetwork16(&data[network + 4]) != data.size() - network - 40;
    return ReceiveTransport(bucket, entry);
}

GroEngine::Bucket::iterator
GroEngine::ReceiveTransport(Bucket& bucket, Entry& entry)
{
    const SkBuff& skb = entry.skb;
    if (skb.hasFragList || (skb.IsGso() && (!skb.IsGsoTcp() || (skb.gsoType & GSO_TYPE_DODGY))))
    {
        entry.flush = true;
    }
    switch (entry.headers.ipProtocol)
    {
    case PROTOCOL_TCP:
        return ReceiveTcp(bucket, entry);
    case PROTOCOL_UDP:
        return ReceiveUdp(bucket, entry);
    default:
        entry.flush = true;
        return bucket.end();
    }
}

bool
GroEngine::ValidateChecksum(Entry& entry, bool zeroIsNone)
{
    SkBuff& skb = entry.skb;
    const uint32_t transport = entry.headers.transport;
    const uint32_t length = static_cast<uint32_t>(skb.data.size()) - transport;
    if (skb.ipSummed != ChecksumState::NONE)
    {
        return true;
    }
    const bool none = zeroIsNone && ReadNetwork16(&skb.data[transport + entry.checksumAt]) == 0;
    if (!none)
    {
        m_counters.bytesSummed += length;
        const uint64_t pseudo = PseudoHeaderSum(&skb.data[entry.headers.network],
                                                entry.headers.etherType == ETHERTYPE_IPV6,
                                                entry.headers.ipProtocol,
                                                length);
        if (ChecksumFold(ChecksumAdd(&skb.data[transport], length, pseudo)) != 0xffff)
        {
            return false;
        }
    }
    skb.ipSummed = ChecksumState::UNNECESSARY;
    return true;
}

GroEngine::Bucket::iterator
GroEngine::FindPorts(Bucket& bucket, const Entry& entry)
{
    const uint32_t ports = ReadNetwork32(&entry.skb.data[entry.headers.transport]);
    for (auto held = bucket.begin(); held != bucket.end(); held++)
    {
        if (held->sameFlow && ports == ReadNetwork32(&held->skb.data[held->headers.transport]))
        {
            return held;
        }
        held->sameFlow = false;
    }
    return bucket.end();
}

bool
GroEngine::NetworkDiffers(Entry& held, const Entry& entry)
{
    const uint8_t* a = &entry.skb.data[entry.headers.network];
    const uint8_t* b = &held.skb.data[held.headers.network];
    if (entry.headers.etherType == ETHERTYPE_IPV6)
    {
        const uint32_t word = ReadNetwork32(a) ^ ReadNetwork32(b);
        return (word & 0x0ff00000) != 0 || a[7] != b[7];
    }
    if (a[8] != b[8] || a[1] != b[1] || ((ReadNetwork16(a + 6) ^ ReadNetwork16(b + 6)) & IPV4_DF))
    {
        return true;
    }
    const auto distance = static_cast<uint16_t>(ReadNetwork16(a + 4) - ReadNetwork16(b + 4));
    // The second frame decides whether the flow counts or keeps its identification.
    if (held.segments == 1 && distance == 0)
    {
        held.fixedId = true;
    }
    return distance != (held.fixedId ? 0 : static_cast<uint16_t>(held.segments));
}

bool
GroEngine::Merge(Entry& held, Entry& entry) const
{
    const size_t payload = entry.skb.data.size() - entry.payloadAt;
    const size_t length = held.skb.data.size() - ETHERNET_HEADER_LENGTH + payload;
    if (entry.flush || length >= std::min(m_settings.maxSize, LEGACY_MAX_SIZE))
    {
        return false;
    }
    held.skb.data.insert(held.skb.data.end(),
                         entry.skb.data.begin() + entry.payloadAt,
                         entry.skb.data.end());
    held.segments += entry.segments;
    entry.wasMerged = true;
    return true;
}

GroEngine::Bucket::iterator
GroEngine::ReceiveTcp(Bucket& bucket, Entry& entry)
{
    const std::vector<uint8_t>& data = entry.skb.data;
    const uint32_t transport = entry.headers.transport;
    entry.checksumAt = 16;
    if (transport + 20 > data.size() || (!entry.flush && !ValidateChecksum(entry, false)))
    {
        entry.flush = true;
        return bucket.end();
    }
    const uint32_t headerLength = (data[transport + 12] >> 4) * 4U;
    if (headerLength < 20 || transport + headerLength > data.size())
    {
        entry.flush = true;
        return bucket.end();
    }
    entry.payloadAt = transport + headerLength;
    const uint32_t length = static_cast<uint32_t>(data.size()) - entry.payloadAt;
    const uint8_t flags = data[transport + 13];

    const auto held = FindPorts(bucket, entry);
    uint32_t mss = 1;
    if (held != bucket.end())
    {
        const uint8_t* th = &data[transport];
        const uint8_t* th2 = &held->skb.data[held->headers.transport];
        const uint32_t heldPayload = static_cast<uint32_t>(held->skb.data.size()) - held->payloadAt;
        // Data offset, all flags but FIN and PSH, and the window. CWR never merges.
        bool apart = ((ReadNetwork32(th + 12) ^ ReadNetwork32(th2 + 12)) &
                      ~(static_cast<uint32_t>(TCP_FIN | TCP_PSH) << 16)) != 0;
        apart = apart || (flags & TCP_CWR);
        apart = apart || ReadNetwork32(th + 8) != ReadNetwork32(th2 + 8);
        apart = apart || !std::equal(th + 20, th + headerLength, th2 + 20);
        // This one may note a kept identification, whatever else is said.
        apart = NetworkDiffers(*held, entry) || apart;
        mss = held->mss;
        if (entry.skb.IsGso())
        {
            apart = apart || mss != entry.mss;
        }
        else
        {
            apart = apart || length == 0 || length > mss;
        }
        apart = apart || ReadNetwork32(th2 + 4) + heldPayload != ReadNetwork32(th + 4);
        if (apart || !Merge(*held, entry))
        {
            mss = 1;
        }
        else
        {
            held->skb.data[held->headers.transport + 13] |= flags & (TCP_FIN | TCP_PSH);
        }
    }

    bool flush = entry.skb.IsGso() ? length != entry.segments * entry.skb.gsoSize : length < mss;
    flush = flush || (flags & (TCP_URG | TCP_PSH | TCP_RST | TCP_SYN | TCP_FIN));
    entry.flush = entry.flush || flush;
    return (held != bucket.end() && (!entry.wasMerged || flush)) ? held : bucket.end();
}

GroEngine::Bucket::iterator
GroEngine::ReceiveUdp(Bucket& bucket, Entry& entry)
{
    const std::vector<uint8_t>& data = entry.skb.data;
    const uint32_t transport = entry.headers.transport;
    entry.checksumAt = 6;
    if (transport + UDP_HEADER_LENGTH > data.size() ||
        (!entry.flush && !ValidateChecksum(entry, true)) || !m_settings.mergeUdp)
    {
        entry.flush = true;
        return bucket.end();
    }
    const uint32_t length = ReadNetwork16(&data[transport + 4]);
    if (ReadNetwork16(&data[transport + 6]) == 0 || length <= UDP_HEADER_LENGTH ||
        length != data.size() - transport)
    {
        entry.flush = true;
        return bucket.end();
    }
    entry.payloadAt = transport + UDP_HEADER_LENGTH;

    const auto held = FindPorts(bucket, entry);
    if (held == bucket.end())
    {
        return held;
    }
    const uint32_t heldLength = ReadNetwork16(&held->skb.data[held->headers.transport + 4]);
    if (NetworkDiffers(*held, entry) || length > heldLength || !Merge(*held, entry) ||
        length != heldLength || held->segments >= UDP_MERGED_MAX)
    {
        return held;
    }
    return bucket.end();
}

void
GroEngine::Complete(Entry&& entry)
{
    SkBuff& skb = entry.skb;
    m_counters.completed++;
    if (entry.segments > 1)
    {
        const uint32_t size = static_cast<uint32_t>(skb.data.size());
        const uint32_t transport = entry.headers.transport;
        const bool isIpv6 = entry.headers.etherType == ETHERTYPE_IPV6;
        const bool isUdp = entry.headers.ipProtocol == PROTOCOL_UDP;
        uint8_t* network = &skb.data[entry.headers.network];
        const uint32_t length = size - entry.headers.network;
        if (isIpv6)
        {
            WriteNetwork16(network + 4, static_cast<uint16_t>(length - 40));
        }
        else
        {
            // The header's sum is adjusted by what changed.
            uint64_t sum = static_cast<uint16_t>(~ReadNetwork16(network + 10));
            sum += static_cast<uint16_t>(~ReadNetwork16(network + 2));
            sum += length;
            WriteNetwork16(network + 2, static_cast<uint16_t>(length));
            WriteNetwork16(network + 10, static_cast<uint16_t>(~ChecksumFold(sum)));
        }
        uint8_t* header = &skb.data[transport];
        if (isUdp)
        {
            WriteNetwork16(header + 4, static_cast<uint16_t>(size - transport));
            skb.gsoType |= GSO_TYPE_UDP_L4;
        }
        else
        {
            skb.gsoType |= isIpv6 ? GSO_TYPE_TCPV6 : GSO_TYPE_TCPV4;
            if (entry.fixedId)
            {
                skb.gsoType |= GSO_TYPE_TCP_FIXEDID;
            }
        }
        WriteNetwork16(
            header + entry.checksumAt,
            ChecksumFold(
                PseudoHeaderSum(network, isIpv6, entry.headers.ipProtocol, size - transport)));
        skb.ipSummed = ChecksumState::PARTIAL;
        skb.csumStart = static_cast<uint16_t>(transport);
        skb.csumOffset = entry.checksumAt;
        skb.gsoSize = static_cast<uint16_t>(entry.mss);
        skb.gsoSegs = entry.segments;
    }
    m_sink(std::move(skb));
}

} // namespace linuxhost
} // namespace ns3
