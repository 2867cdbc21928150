/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UDP6_UNCONNECTED_PATH_H
#define UDP6_UNCONNECTED_PATH_H

#include "ns3/kernel-path.h"
#include "ns3/reference-count.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The IPv6 routing tables of a network namespace, as net-next had them in October 2017: walked
 * under RCU, with a route of each CPU's own for each route of the main table.
 *
 * Two lines are written by every lookup of every CPU: the reference count of the null entry, which
 * is what the local table answers, and the use count of the main table's route.
 */
class Fib6LookupPath : public SimpleRefCount<Fib6LookupPath>
{
  public:
    /// @param scale software work, as a multiple of what was counted
    explicit Fib6LookupPath(double scale);

    /**
     * `ip6_route_output` of a destination that a route of the main table reaches directly.
     * @param path the path
     * @param clone the count of this CPU's own route, of which a reference is taken
     */
    void Record(KernelPath& path, const LineField& clone) const;

  private:
    double m_scale;                  //!< software work
    Ptr<ReferenceCount> m_nullEntry; //!< ip6_null_entry.dst.__refcnt
    LineField m_next;                //!< rt6_next of the route, which walkers read
    LineField m_use;                 //!< dst.__use of the route
    LineField m_lastuse;             //!< dst.lastuse of the route
};

/**
 * @ingroup linux-host
 * How a user process sends datagrams through an unconnected IPv6 UDP socket without a source
 * address, as Linux 4.14 does it. A path is recorded in parts, in this order: RecordEnter(), the
 * route lookup, the source address selection, RecordBuild(), the device's steps, RecordLeave(); and
 * RecordFree() when the device is done with the packet, on whatever CPU that is.
 */
class Udp6UnconnectedSocketPath : public SimpleRefCount<Udp6UnconnectedSocketPath>
{
  public:
    /**
     * @param name the socket's name
     * @param payload bytes a datagram
     * @param buffers packets on their way at a time: their memory is used again and again
     * @param scale software work, as a multiple of what was counted
     */
    Udp6UnconnectedSocketPath(const std::string& name,
                              uint32_t payload,
                              uint32_t buffers,
                              double scale);

    /**
     * From the program to `ip6_dst_lookup_tail`.
     * @param path the path
     */
    void RecordEnter(KernelPath& path) const;
    /**
     * From the finished lookup to `ip6_finish_output2`.
     * @param path the path
     * @param buffer which buffer the packet gets
     */
    void RecordBuild(KernelPath& path, uint32_t buffer) const;
    /**
     * From the device back to the program.
     * @param path the path
     */
    void RecordLeave(KernelPath& path) const;
    /**
     * The driver frees the packet.
     * @param path the path
     * @param buffer the packet's buffer
     */
    void RecordFree(KernelPath& path, uint32_t buffer) const;

    /// @returns the count of the route of this CPU's own
    const LineField& GetClone() const;
    /// @returns packets on their way at a time
    uint32_t GetNBuffers() const;

  private:
    uint32_t m_payload;               //!< bytes a datagram
    double m_scale;                   //!< software work
    Ptr<ReferenceCount> m_wmemAlloc;  //!< sk_wmem_alloc
    LineField m_clone;                //!< the CPU's own route: __refcnt
    std::vector<LineField> m_buffers; //!< the packets' memory
};

} // namespace linuxhost
} // namespace ns3

#endif /* UDP6_UNCONNECTED_PATH_H */
