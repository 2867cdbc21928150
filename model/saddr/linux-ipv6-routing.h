/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUX_IPV6_ROUTING_H
#define LINUX_IPV6_ROUTING_H

#include "ns3/ipv6-list-routing.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A list of routing protocols whose routes leave with the source that Linux would choose.
 *
 * All sockets of ns-3 take the source of the route that RouteOutput() returns. The protocols of
 * the list find the route as ever; then the source is chosen among all of the node's addresses
 * for the packet's destination and the route's device. Where there is none, the packet has no
 * route and the socket's error is ERROR_ADDRNOTAVAIL. A packet that already has a source keeps it.
 */
class LinuxIpv6Routing : public Ipv6ListRouting
{
  public:
    /// @returns the type id
    static TypeId GetTypeId();

    Ptr<Ipv6Route> RouteOutput(Ptr<Packet> p,
                               const Ipv6Header& header,
                               Ptr<NetDevice> oif,
                               Socket::SocketErrno& sockerr) override;
    void SetIpv6(Ptr<Ipv6> ipv6) override;

  protected:
    void DoDispose() override;

  private:
    Ptr<Ipv6> m_node6; //!< the node's IPv6; the base class keeps its own to itself
};

} // namespace linuxhost
} // namespace ns3

#endif /* LINUX_IPV6_ROUTING_H */
