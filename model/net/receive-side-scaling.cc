/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "receive-side-scaling.h"

#include "sk-buff.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/linux-host-compat.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("ReceiveSideScaling");
NS_OBJECT_ENSURE_REGISTERED(ReceiveSideScaling);

namespace
{

const uint32_t BITS = 8;
const uint8_t PROTOCOL_TCP = 6;
const uint32_t IPV4_BYTES = 4;
const uint32_t IPV6_BYTES = 16;
/// More fragments, or an offset.
const uint16_t IPV4_FRAGMENT = 0x3fff;

/// The key of Microsoft's "Verifying the RSS Hash Calculation", which many drivers use.
const char* const VERIFICATION_KEY = "6d:5a:56:da:25:5b:0e:c2:41:67:25:3d:43:a3:8f:b0:d0:ca:2b:cb:"
                                     "ae:7b:30:b4:77:cb:2d:a3:80:30:f2:0c:6a:42:b7:3b:be:ac:01:fa";

} // namespace

FlowTuple
FlowTuple::Reverse() const
{
    FlowTuple back = *this;
    std::swap(back.source, back.destination);
    std::swap(back.sourcePort, back.destinationPort);
    return back;
}

FlowTuple
FlowTuple::FromFrame(const std::vector<uint8_t>& frame)
{
    FlowTuple tuple;
    FrameHeaders headers;
    if (!FindFrameHeaders(frame, &headers))
    {
        return tuple;
    }
    const bool ipv6 = headers.etherType == ETHERTYPE_IPV6;
    const uint8_t* network = &frame[headers.network];
    tuple.addressBytes = ipv6 ? IPV6_BYTES : IPV4_BYTES;
    const uint8_t* addresses = network + (ipv6 ? 8 : 12);
    std::copy_n(addresses, tuple.addressBytes, tuple.source.begin());
    std::copy_n(addresses + tuple.addressBytes, tuple.addressBytes, tuple.destination.begin());
    const bool fragment = !ipv6 && (ReadNetwork16(network + 6) & IPV4_FRAGMENT) != 0;
    if (headers.ipProtocol == PROTOCOL_TCP && headers.transport > 0 && !fragment &&
        headers.transport + 4 <= frame.size())
    {
        tuple.hasPorts = true;
        tuple.sourcePort = ReadNetwork16(&frame[headers.transport]);
        tuple.destinationPort = ReadNetwork16(&frame[headers.transport + 2]);
    }
    return tuple;
}

TypeId
ReceiveSideScaling::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::ReceiveSideScaling")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddConstructor<ReceiveSideScaling>()
            .AddAttribute(
                "Key",
                "The key of the hash: 40 to 64 bytes as hexadecimal digits.",
                StringValue(VERIFICATION_KEY),
                MakeStringAccessor(&ReceiveSideScaling::SetKey, &ReceiveSideScaling::GetKey),
                MakeStringChecker())
            .AddAttribute("TableSize",
                          "Entries of the indirection table. 128 is what RSS was specified with "
                          "(seven bits of the hash), and what many cards have.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&ReceiveSideScaling::SetTableSize,
                                               &ReceiveSideScaling::GetTableSize),
                          MakeUintegerChecker<uint32_t>(1, 1 << 16))
            .AddAttribute("HashPorts",
                          "Whether ports are hashed (the 4-tuple), or addresses only.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&ReceiveSideScaling::m_hashPorts),
                          MakeBooleanChecker());
    return tid;
}

ReceiveSideScaling::ReceiveSideScaling()
    : m_queues(1),
      m_hashPorts(true)
{
    NS_LOG_FUNCTION(this);
}

ReceiveSideScaling::~ReceiveSideScaling()
{
    NS_LOG_FUNCTION(this);
}

bool
ReceiveSideScaling::ParseKey(const std::string& text, std::vector<uint8_t>* key)
{
    const std::size_t SHORTEST = 40;
    const std::size_t LONGEST = 64;
    key->clear();
    for (std::size_t i = 0; i < text.size(); i += 2)
    {
        i += !key->empty() && text[i] == ':' ? 1 : 0;
        if (i + 1 >= text.size() || !std::isxdigit(static_cast<unsigned char>(text[i])) ||
            !std::isxdigit(static_cast<unsigned char>(text[i + 1])))
        {
            return false;
        }
        key->push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    }
    return key->size() >= SHORTEST && key->size() <= LONGEST;
}

void
ReceiveSideScaling::SetKey(std::string text)
{
    NS_LOG_FUNCTION(this << text);
    std::vector<uint8_t> key;
    NS_ABORT_MSG_IF(!ParseKey(text, &key),
                    "ReceiveSideScaling: Key=" << text << ": allowed are " << KEY_ALLOWED);
    m_key = key;
}

std::string
ReceiveSideScaling::GetKey() const
{
    std::string text;
    for (uint8_t byte : m_key)
    {
        char digits[4];
        std::snprintf(digits, sizeof(digits), text.empty() ? "%02x" : ":%02x", byte);
        text += digits;
    }
    return text;
}

void
ReceiveSideScaling::SetTableSize(uint32_t entries)
{
    NS_LOG_FUNCTION(this << entries);
    m_table.resize(entries);
    SetQueues(m_queues);
}

uint32_t
ReceiveSideScaling::GetTableSize() const
{
    return static_cast<uint32_t>(m_table.size());
}

void
ReceiveSideScaling::SetQueues(uint32_t queues)
{
    NS_LOG_FUNCTION(this << queues);
    NS_ABORT_MSG_IF(queues == 0, "ReceiveSideScaling: no queues");
    m_queues = queues;
    for (std::size_t i = 0; i < m_table.size(); ++i)
    {
        m_table[i] = static_cast<uint32_t>(i % queues);
    }
}

void
ReceiveSideScaling::SetTable(std::vector<uint32_t> table)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(table.empty(), "ReceiveSideScaling: an empty table");
    m_table = std::move(table);
}

const std::vector<uint32_t>&
ReceiveSideScaling::GetTable() const
{
    return m_table;
}

uint32_t
ReceiveSideScaling::Hash(const uint8_t* input, std::size_t size) const
{
    // A window of 32 bits slides along the key; each bit of the input that is set adds, modulo 2,
    // what the window shows then.
    uint32_t window = ReadNetwork32(m_key.data());
    uint32_t hash = 0;
    for (std::size_t i = 0; i < std::min(size, m_key.size() - sizeof(window)); ++i)
    {
        const uint8_t next = m_key[i + sizeof(window)];
        for (uint32_t bit = BITS; bit-- > 0;)
        {
            hash ^= (input[i] >> bit) & 1 ? window : 0;
            window = (window << 1) | ((next >> bit) & 1);
        }
    }
    return hash;
}

uint32_t
ReceiveSideScaling::Hash(const FlowTuple& tuple) const
{
    uint8_t input[2 * IPV6_BYTES + 4];
    uint8_t* end = std::copy_n(tuple.source.begin(), tuple.addressBytes, input);
    end = std::copy_n(tuple.destination.begin(), tuple.addressBytes, end);
    if (tuple.hasPorts && m_hashPorts)
    {
        WriteNetwork16(end, tuple.sourcePort);
        WriteNetwork16(end + 2, tuple.destinationPort);
        end += 4;
    }
    return Hash(input, static_cast<std::size_t>(end - input));
}

uint32_t
ReceiveSideScaling::GetQueue(uint32_t hash) const
{
    return m_table[hash % m_table.size()];
}

} // namespace linuxhost
} // namespace ns3
