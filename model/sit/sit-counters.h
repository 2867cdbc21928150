/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_COUNTERS_H
#define SIT_COUNTERS_H

#include <cstdint>
#include <functional>
#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A tunnel device's counters, under the names that `ip -s -s link` prints.
 */
struct SitCounters
{
    uint64_t rxBytes{0};           //!< bytes of inner packets received
    uint64_t rxPackets{0};         //!< inner packets received
    uint64_t rxErrors{0};          //!< received and refused
    uint64_t rxDropped{0};         //!< received and not handed on
    uint64_t rxOverErrors{0};      //!< receive ring overruns (a tunnel has none)
    uint64_t rxMulticast{0};       //!< multicast packets received (a tunnel counts none)
    uint64_t rxLengthErrors{0};    //!< wrong length
    uint64_t rxCrcErrors{0};       //!< wrong checksum (a tunnel checks none)
    uint64_t rxFrameErrors{0};     //!< an outer congestion mark on an inner packet without ECN
    uint64_t rxFifoErrors{0};      //!< receive fifo overruns (a tunnel has none)
    uint64_t rxMissedErrors{0};    //!< missed (a tunnel misses none)
    uint64_t txBytes{0};           //!< bytes of inner packets sent
    uint64_t txPackets{0};         //!< inner packets sent
    uint64_t txErrors{0};          //!< not sent
    uint64_t txDropped{0};         //!< accepted and not sent
    uint64_t txCarrierErrors{0};   //!< no IPv4 route to the other end
    uint64_t txCollisions{0};      //!< the route leads into the tunnel itself, or its MTU is tiny
    uint64_t txAbortedErrors{0};   //!< refused by the IPv4 layer
    uint64_t txFifoErrors{0};      //!< transmit fifo errors (a tunnel has none)
    uint64_t txWindowErrors{0};    //!< window errors (a tunnel has none)
    uint64_t txHeartbeatErrors{0}; //!< heartbeat errors (a tunnel has none)

    /// Called with direction (`rx` or `tx`), name and value.
    using Visitor = std::function<void(const std::string&, const std::string&, uint64_t)>;
    /**
     * Visit each counter, in the order of `ip -s -s -j link`.
     * @param visit called for each
     */
    void Visit(const Visitor& visit) const;
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_COUNTERS_H */
