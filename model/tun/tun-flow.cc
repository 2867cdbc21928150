/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-flow.h"

#include "ns3/hash.h"
#include "ns3/linux-host-compat.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// Number of buckets, a power of 2.
constexpr uint32_t BUCKETS = 1024;
/// How long a flow is remembered.
const int64_t EXPIRE_SECONDS = 3;
/// How many tags and extension headers are looked behind.
constexpr int MAX_HEADERS = 15;

constexpr uint8_t PROTO_HOPOPTS = 0;
constexpr uint8_t PROTO_IPIP = 4;
constexpr uint8_t PROTO_TCP = 6;
constexpr uint8_t PROTO_UDP = 17;
constexpr uint8_t PROTO_DCCP = 33;
constexpr uint8_t PROTO_IPV6 = 41;
constexpr uint8_t PROTO_ROUTING = 43;
constexpr uint8_t PROTO_FRAGMENT = 44;
constexpr uint8_t PROTO_GRE = 47;
constexpr uint8_t PROTO_ESP = 50;
constexpr uint8_t PROTO_DSTOPTS = 60;
constexpr uint8_t PROTO_SCTP = 132;
constexpr uint8_t PROTO_UDPLITE = 136;

/// EtherType of a PPPoE session.
constexpr uint16_t ETHERTYPE_PPPOE = 0x8864;
/// EtherType of Ethernet inside GRE.
constexpr uint16_t ETHERTYPE_BRIDGED = 0x6558;

/**
 * @param data two bytes in network order
 * @returns the number
 */
uint16_t
Net16(const uint8_t* data)
{
    return data[0] << 8 | data[1];
}

/**
 * @param keys what was found of a packet
 * @param data the packet
 * @param size its length
 * @param[out] etherType what begins inside it
 * @param[out] offset where
 * @returns whether it is a tunnel's packet
 */
bool
FindInner(const TunFlowKeys& keys,
          const uint8_t* data,
          uint32_t size,
          uint16_t* etherType,
          uint32_t* offset)
{
    if (keys.version == 0)
    {
        const uint8_t* pppoe = data + keys.networkOffset;
        // Version 1, type 1, code 0.
        if (keys.etherType != ETHERTYPE_PPPOE || keys.networkOffset + 8 > size ||
            Net16(pppoe) != 0x1100)
        {
            return false;
        }
        *offset = keys.networkOffset + 8;
        const uint16_t protocol = Net16(pppoe + 6);
        *etherType = protocol == 0x0021 ? ETHERTYPE_IPV4 : protocol == 0x0057 ? ETHERTYPE_IPV6 : 0;
        return *etherType != 0;
    }
    if (keys.fragment || keys.transportOffset == 0)
    {
        return false;
    }
    *offset = keys.transportOffset;
    switch (keys.protocol)
    {
    case PROTO_IPIP:
        *etherType = ETHERTYPE_IPV4;
        return true;
    case PROTO_IPV6:
        *etherType = ETHERTYPE_IPV6;
        return true;
    case PROTO_GRE: {
        if (*offset + 4 > size)
        {
            return false;
        }
        const uint16_t flags = Net16(data + *offset);
        // Neither routing nor another version.
        if (flags & 0x4007)
        {
            return false;
        }
        *etherType = Net16(data + *offset + 2);
        // Checksum, key and sequence number are there or not.
        *offset +=
            4 + (flags & 0x8000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) + (flags & 0x1000 ? 4 : 0);
        if (*etherType == ETHERTYPE_BRIDGED)
        {
            if (*offset + 14 > size)
            {
                return false;
            }
            *etherType = Net16(data + *offset + 12);
            *offset += 14;
        }
        return true;
    }
    default:
        return false;
    }
}

} // namespace

TunFlowKeys
TunFlowKeys::Dissect(const uint8_t* data, uint32_t size, uint16_t etherType, uint32_t offset)
{
    TunFlowKeys keys;
    for (int tags = 0; (etherType == ETHERTYPE_8021Q || etherType == ETHERTYPE_8021AD) &&
                       tags < MAX_HEADERS && offset + 4 <= size;
         ++tags)
    {
        etherType = Net16(data + offset + 2);
        offset += 4;
    }
    keys.etherType = etherType;
    keys.networkOffset = offset;
    uint32_t transport = 0;
    if (etherType == ETHERTYPE_IPV4 && offset + 20 <= size)
    {
        const uint8_t* ip = data + offset;
        const uint32_t length = (ip[0] & 0x0f) * 4;
        if (ip[0] >> 4 != 4 || length < 20 || offset + length > size)
        {
            return keys;
        }
        keys.version = 4;
        keys.protocol = ip[9];
        keys.fragment = (Net16(ip + 6) & 0x3fff) != 0;
        keys.source.assign(ip + 12, ip + 16);
        keys.destination.assign(ip + 16, ip + 20);
        transport = offset + length;
    }
    else if (etherType == ETHERTYPE_IPV6 && offset + 40 <= size)
    {
        const uint8_t* ip = data + offset;
        if (ip[0] >> 4 != 6)
        {
            return keys;
        }
        keys.version = 6;
        keys.protocol = ip[6];
        keys.source.assign(ip + 8, ip + 24);
        keys.destination.assign(ip + 24, ip + 40);
        transport = offset + 40;
        for (int headers = 0; headers < MAX_HEADERS && transport + 8 <= size; ++headers)
        {
            const uint8_t* extension = data + transport;
            if (keys.protocol == PROTO_HOPOPTS || keys.protocol == PROTO_ROUTING ||
                keys.protocol == PROTO_DSTOPTS)
            {
                transport += (extension[1] + 1) * 8;
            }
            else if (keys.protocol == PROTO_FRAGMENT)
            {
                keys.fragment = true;
                transport += 8;
            }
            else
            {
                break;
            }
            keys.protocol = extension[0];
        }
    }
    if (transport == 0 || transport > size)
    {
        return keys;
    }
    keys.transportOffset = transport;
    const bool hasPorts = keys.protocol == PROTO_TCP || keys.protocol == PROTO_UDP ||
                          keys.protocol == PROTO_DCCP || keys.protocol == PROTO_SCTP ||
                          keys.protocol == PROTO_UDPLITE || keys.protocol == PROTO_ESP;
    if (hasPorts && !keys.fragment && transport + 4 <= size)
    {
        keys.sourcePort = Net16(data + transport);
        keys.destinationPort = Net16(data + transport + 2);
    }
    return keys;
}

TunFlowKeys
TunFlowKeys::DissectFlow(const uint8_t* data, uint32_t size, uint16_t etherType, uint32_t offset)
{
    TunFlowKeys keys = Dissect(data, size, etherType, offset);
    for (int tunnels = 0; tunnels < MAX_HEADERS && FindInner(keys, data, size, &etherType, &offset);
         ++tunnels)
    {
        const TunFlowKeys inner = Dissect(data, size, etherType, offset);
        if (inner.version == 0)
        {
            keys.etherType = inner.etherType;
            break;
        }
        keys = inner;
    }
    return keys;
}

uint32_t
TunFlowKeys::SymmetricHash() const
{
    std::vector<uint8_t> lower = source;
    std::vector<uint8_t> upper = destination;
    for (auto [end, port] :
         {std::make_pair(&lower, sourcePort), std::make_pair(&upper, destinationPort)})
    {
        end->push_back(port >> 8);
        end->push_back(port & 0xff);
    }
    if (upper < lower)
    {
        std::swap(lower, upper);
    }
    lower.insert(lower.end(), upper.begin(), upper.end());
    lower.push_back(etherType >> 8);
    lower.push_back(etherType & 0xff);
    lower.push_back(protocol);
    const uint32_t hash = Hash32(reinterpret_cast<const char*>(lower.data()), lower.size());
    return hash ? hash : 1;
}

TunFlowTable::TunFlowTable()
    : m_buckets(BUCKETS)
{
}

void
TunFlowTable::Update(uint32_t hash, uint16_t queue)
{
    auto& bucket = m_buckets[hash % BUCKETS];
    for (auto& flow : bucket)
    {
        if (flow.hash == hash)
        {
            flow.queue = queue;
            flow.updated = Simulator::Now();
            return;
        }
    }
    if (m_count >= MAX_FLOWS)
    {
        ExpireAll();
    }
    if (m_count < MAX_FLOWS)
    {
        bucket.push_front({hash, queue, Simulator::Now()});
        ++m_count;
    }
}

bool
TunFlowTable::Lookup(uint32_t hash, uint16_t* queue)
{
    auto& bucket = m_buckets[hash % BUCKETS];
    Expire(bucket);
    for (const auto& flow : bucket)
    {
        if (flow.hash == hash)
        {
            *queue = flow.queue;
            return true;
        }
    }
    return false;
}

uint32_t
TunFlowTable::GetNFlows() const
{
    return m_count;
}

void
TunFlowTable::Clear()
{
    for (auto& bucket : m_buckets)
    {
        bucket.clear();
    }
    m_count = 0;
}

void
TunFlowTable::Expire(std::list<Flow>& bucket)
{
    const Time oldest = Simulator::Now() - Seconds(EXPIRE_SECONDS);
    const auto before = bucket.size();
    bucket.remove_if([&oldest](const Flow& flow) { return flow.updated <= oldest; });
    m_count -= before - bucket.size();
}

void
TunFlowTable::ExpireAll()
{
    for (auto& bucket : m_buckets)
    {
        Expire(bucket);
    }
}

} // namespace linuxhost
} // namespace ns3
