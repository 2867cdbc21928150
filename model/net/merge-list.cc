/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "merge-list.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

MergeList::MergeList(const Limits& limits)
    : m_limits(limits)
{
}

MergeList::Verdict
MergeList::Offer(uint32_t flow, uint32_t bytes, Packet* leaving)
{
    const auto held = std::find_if(m_held.begin(), m_held.end(), [flow](const Packet& packet) {
        return packet.flow == flow;
    });
    if (held != m_held.end())
    {
        if (held->frames >= m_limits.frames || held->bytes + bytes > m_limits.bytes)
        {
            *leaving = *held;
            m_held.erase(held);
            return AFTER;
        }
        ++held->frames;
        held->bytes += bytes;
        return HELD;
    }
    const bool merges = m_limits.flows > 0 && m_limits.frames > 1;
    if (merges && m_held.size() >= m_limits.flows && m_limits.evicts)
    {
        TakeOldest(leaving);
        return AFTER;
    }
    const Packet packet{flow, 1, bytes};
    if (!merges || m_held.size() >= m_limits.flows)
    {
        *leaving = packet;
        return ALONE;
    }
    m_held.push_back(packet);
    return HELD;
}

bool
MergeList::TakeOldest(Packet* oldest)
{
    if (m_held.empty())
    {
        return false;
    }
    *oldest = m_held.front();
    m_held.erase(m_held.begin());
    return true;
}

uint32_t
MergeList::GetHeld() const
{
    return static_cast<uint32_t>(m_held.size());
}

} // namespace linuxhost
} // namespace ns3
