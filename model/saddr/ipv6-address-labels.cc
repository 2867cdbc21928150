/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipv6-address-labels.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

Ipv6AddressLabels
Ipv6AddressLabels::Default()
{
    Ipv6AddressLabels labels;
    labels.Append({0, 1}, 128, 0);
    labels.Append({0, 0}, 96, 3);
    labels.Append({0, 0x0000ffff00000000}, 96, 4);
    labels.Append({0x2001000000000000, 0}, 32, 6);
    labels.Append({0x2001001000000000, 0}, 28, 7);
    labels.Append({0x3ffe000000000000, 0}, 16, 12);
    labels.Append({0x2002000000000000, 0}, 16, 2);
    labels.Append({0xfec0000000000000, 0}, 10, 11);
    labels.Append({0xfc00000000000000, 0}, 7, 5);
    labels.Append({0, 0}, 0, 1);
    return labels;
}

bool
Ipv6AddressLabels::Make(const Ipv6Bits& prefix,
                        uint8_t length,
                        uint32_t label,
                        uint32_t ifindex,
                        Entry* entry)
{
    if (length > 128 || label == NO_LABEL)
    {
        return false;
    }
    // The kind is read off the prefix as it was given, before its host bits are cleared.
    auto kind = Ipv6AddressType::Of(prefix).kind;
    const uint8_t tied = kind == Ipv6AddressType::LOOPBACK ? 128 : 96;
    if (kind == Ipv6AddressType::V4_MAPPED && length > tied)
    {
        return false;
    }
    entry->kind = length == tied ? kind : Ipv6AddressType::ORDINARY;
    entry->mask = Ipv6Bits::Mask(length);
    entry->prefix = prefix & entry->mask;
    entry->length = length;
    entry->label = label;
    entry->ifindex = ifindex;
    return true;
}

std::vector<Ipv6AddressLabels::Entry>::iterator
Ipv6AddressLabels::Find(const Ipv6Bits& prefix, uint8_t length, uint32_t ifindex)
{
    return std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
        return entry.length == length && entry.ifindex == ifindex && entry.prefix == prefix;
    });
}

bool
Ipv6AddressLabels::Add(const Ipv6Bits& prefix,
                       uint8_t length,
                       uint32_t label,
                       uint32_t ifindex,
                       bool replace)
{
    Entry entry;
    if (!Make(prefix, length, label, ifindex, &entry))
    {
        return false;
    }
    // One walk looks for an equal entry and for the place, as in the kernel: an equal entry behind
    // the place is not seen, and stays behind the new one.
    for (auto it = m_entries.begin(); it != m_entries.end(); ++it)
    {
        if (it->length == length && it->ifindex == ifindex && it->prefix == entry.prefix)
        {
            if (replace)
            {
                *it = entry;
            }
            return replace;
        }
        if (it->length < length || (it->length == length && it->ifindex == 0))
        {
            m_entries.insert(it, entry);
            return true;
        }
    }
    m_entries.push_back(entry);
    return true;
}

bool
Ipv6AddressLabels::Append(const Ipv6Bits& prefix, uint8_t length, uint32_t label, uint32_t ifindex)
{
    Entry entry;
    if (!Make(prefix, length, label, ifindex, &entry))
    {
        return false;
    }
    m_entries.push_back(entry);
    return true;
}

bool
Ipv6AddressLabels::Remove(const Ipv6Bits& prefix, uint8_t length, uint32_t ifindex)
{
    auto it =
        length > 128 ? m_entries.end() : Find(prefix & Ipv6Bits::Mask(length), length, ifindex);
    if (it == m_entries.end())
    {
        return false;
    }
    m_entries.erase(it);
    return true;
}

} // namespace linuxhost
} // namespace ns3
