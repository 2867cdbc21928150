/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipv4-reassembly.h"

#include "sk-buff.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint16_t IPV4_DF = 0x4000;       //!< IPv4's don't-fragment bit
constexpr uint16_t IPV4_MF = 0x2000;       //!< IPv4's more-fragments bit
constexpr uint16_t IPV4_OFFSET = 0x1fff;   //!< bits of IPv4's fragment offset
constexpr uint32_t LARGEST_PACKET = 65535; //!< largest IPv4 packet
constexpr int EXPIRES = 30;                //!< sysctl net.ipv4.ipfrag_time, s
constexpr size_t MEMORY_MAX = 4 << 20;     //!< sysctl net.ipv4.ipfrag_high_thresh, bytes
constexpr size_t FRAGMENT_OVERHEAD = 768;  //!< of an sk_buff and its data, about, bytes

} // namespace

Ipv4Reassembly::~Ipv4Reassembly()
{
    Clear();
}

void
Ipv4Reassembly::SetExpired(std::function<void(const Bytes&)> expired)
{
    m_expired = std::move(expired);
}

uint64_t
Ipv4Reassembly::GetFailures() const
{
    return m_failures;
}

void
Ipv4Reassembly::Clear()
{
    for (auto& entry : m_datagrams)
    {
        entry.second.expiry.Cancel();
    }
    m_datagrams.clear();
    m_memory = 0;
}

void
Ipv4Reassembly::Remove(std::map<Key, Datagram>::iterator datagram)
{
    datagram->second.expiry.Cancel();
    m_memory -= datagram->second.memory;
    m_datagrams.erase(datagram);
}

bool
Ipv4Reassembly::Discard(std::map<Key, Datagram>::iterator datagram)
{
    m_failures++;
    Remove(datagram);
    return false;
}

void
Ipv4Reassembly::Expire(const Key& key)
{
    const auto found = m_datagrams.find(key);
    const Bytes first = std::move(found->second.first);
    m_failures++;
    Remove(found);
    if (!first.empty() && m_expired)
    {
        m_expired(first);
    }
}

bool
Ipv4Reassembly::Add(Bytes* packet)
{
    const Bytes& in = *packet;
    const uint32_t header = (in[0] & 15) * 4U;
    const uint16_t field = ReadNetwork16(&in[6]);
    const uint32_t offset = (field & IPV4_OFFSET) * 8U;
    uint32_t end = offset + static_cast<uint32_t>(in.size()) - header;
    Key key{in[4], in[5], in[9]};
    std::copy_n(in.begin() + 12, 8, key.begin() + 3);

    auto found = m_datagrams.find(key);
    if (found == m_datagrams.end())
    {
        if (m_memory >= MEMORY_MAX)
        {
            m_failures++;
            return false;
        }
        found = m_datagrams.emplace(key, Datagram()).first;
        found->second.expiry =
            Simulator::Schedule(Seconds(EXPIRES), &Ipv4Reassembly::Expire, this, key);
    }
    Datagram& datagram = found->second;
    const bool more = field & IPV4_MF;
    // Only the last fragment may end anywhere; the others lose what is beyond eight octets.
    end &= more ? ~7U : ~0U;
    switch (datagram.runs.Insert(offset, end, more))
    {
    case FragmentRuns::DUPLICATE:
        return false;
    case FragmentRuns::WRONG:
        return Discard(found);
    case FragmentRuns::TAKEN:
        break;
    }
    datagram.parts[offset].assign(in.begin() + header, in.begin() + header + (end - offset));
    datagram.memory += in.size() + FRAGMENT_OVERHEAD;
    m_memory += in.size() + FRAGMENT_OVERHEAD;
    datagram.marks.Add(in[1]);
    const auto size = header + end - offset;
    datagram.largest = std::max(datagram.largest, size);
    if (field & IPV4_DF)
    {
        datagram.largestDf = std::max(datagram.largestDf, size);
    }
    if (offset == 0)
    {
        datagram.first.assign(in.begin(), in.begin() + size);
    }
    if (!datagram.runs.IsWhole())
    {
        return false;
    }

    Bytes whole(datagram.first.begin(), datagram.first.begin() + (datagram.first[0] & 15) * 4);
    const size_t wholeHeader = whole.size();
    if (!datagram.marks.IsSound() || wholeHeader + datagram.runs.GetEnd() > LARGEST_PACKET)
    {
        return Discard(found);
    }
    whole[1] = datagram.marks.Apply(whole[1]);
    for (const auto& part : datagram.parts)
    {
        whole.insert(whole.end(), part.second.begin(), part.second.end());
    }
    WriteNetwork16(&whole[2], static_cast<uint16_t>(whole.size()));
    WriteNetwork16(&whole[6], datagram.largestDf == datagram.largest ? IPV4_DF : 0);
    WriteNetwork16(&whole[10], 0);
    WriteNetwork16(&whole[10],
                   static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(whole.data(), wholeHeader))));
    Remove(found);
    packet->swap(whole);
    return true;
}

} // namespace linuxhost
} // namespace ns3
