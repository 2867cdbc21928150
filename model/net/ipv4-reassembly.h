/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV4_REASSEMBLY_H
#define IPV4_REASSEMBLY_H

#include "fragment-runs.h"

#include "ns3/event-id.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * IPv4 fragments of one host, put together as Linux does (ip_defrag), which discards datagrams that
 * ns-3 would accept: those whose fragments overlap, disagree about the end, or mix ECN marks.
 */
class Ipv4Reassembly
{
  public:
    /// Bytes of a packet.
    using Bytes = std::vector<uint8_t>;

    Ipv4Reassembly() = default;
    ~Ipv4Reassembly();
    Ipv4Reassembly(const Ipv4Reassembly&) = delete;
    Ipv4Reassembly& operator=(const Ipv4Reassembly&) = delete;

    /**
     * @param expired is told of datagrams of which something is still missing after 30 s (sysctl
     * net.ipv4.ipfrag_time): the first fragment, for the ICMP error
     */
    void SetExpired(std::function<void(const Bytes&)> expired);
    /**
     * @param packet a fragment whose header has been checked, without anything behind it; the whole
     * datagram when this returns true
     * @returns whether it is whole now
     */
    bool Add(Bytes* packet);
    /// @returns number of datagrams that were discarded, and of fragments that found no room
    uint64_t GetFailures() const;
    /// Forget all fragments.
    void Clear();

  private:
    /// What the fragments of a datagram have in common: addresses, identification, protocol.
    using Key = std::array<uint8_t, 11>;

    /// A datagram of which not all fragments have arrived.
    struct Datagram
    {
        Bytes first;                     //!< the first fragment
        std::map<uint32_t, Bytes> parts; //!< payload by offset
        FragmentRuns runs;               //!< what is there
        uint32_t largest{0};             //!< longest fragment
        uint32_t largestDf{0};           //!< longest fragment with DF
        FragmentMarks marks;             //!< ECN marks on them
        size_t memory{0};                //!< bytes that Linux would hold for it
        EventId expiry;                  //!< when it is given up
    };

    /**
     * Give a datagram up.
     * @param datagram which
     * @returns false
     */
    bool Discard(std::map<Key, Datagram>::iterator datagram);
    /**
     * Forget a datagram.
     * @param datagram which
     */
    void Remove(std::map<Key, Datagram>::iterator datagram);
    /**
     * The time of a datagram is over.
     * @param key which
     */
    void Expire(const Key& key);

    std::map<Key, Datagram> m_datagrams;         //!< the incomplete ones
    std::function<void(const Bytes&)> m_expired; //!< told of those whose time is over
    uint64_t m_failures{0};                      //!< datagrams discarded, fragments refused
    size_t m_memory{0};                          //!< bytes that Linux would hold for all
};

} // namespace linuxhost
} // namespace ns3

#endif /* IPV4_REASSEMBLY_H */
