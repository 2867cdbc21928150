/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUX_IPV6_L3_PROTOCOL_H
#define LINUX_IPV6_L3_PROTOCOL_H

#include "ns3/ipv6-l3-protocol.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * ns-3's IPv6 with Linux's source address selection.
 *
 * Routing protocols ask for a source with the route's destination, also when they forward and on
 * interfaces without any address; this answers `::` where ns3::Ipv6L3Protocol would abort.
 * LinuxIpv6Routing then sets the source that belongs to the packet's own destination.
 */
class LinuxIpv6L3Protocol : public Ipv6L3Protocol
{
  public:
    /// @returns the type id
    static TypeId GetTypeId();

    Ipv6Address SourceAddressSelection(uint32_t interface, Ipv6Address dest) override;
    bool AddAddress(uint32_t i, Ipv6InterfaceAddress address, bool addOnLinkRoute = true) override;
    bool RemoveAddress(uint32_t interfaceIndex, uint32_t addressIndex) override;
    bool RemoveAddress(uint32_t interfaceIndex, Ipv6Address address) override;

  private:
    /// Let Linux's view of the addresses follow a change at once.
    void NotifyAddressChange();
};

} // namespace linuxhost
} // namespace ns3

#endif /* LINUX_IPV6_L3_PROTOCOL_H */
