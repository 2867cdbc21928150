/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "linux-ipv6-l3-protocol.h"

#include "linux-ipv6-addresses.h"

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(LinuxIpv6L3Protocol);

TypeId
LinuxIpv6L3Protocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::LinuxIpv6L3Protocol")
                            .SetParent<Ipv6L3Protocol>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<LinuxIpv6L3Protocol>();
    return tid;
}

Ipv6Address
LinuxIpv6L3Protocol::SourceAddressSelection(uint32_t interface, Ipv6Address dest)
{
    const auto addresses = GetObject<LinuxIpv6Addresses>();
    if (!addresses)
    {
        return Ipv6Address::GetAny();
    }
    // A default route without a gateway is asked for by its destination, `::`.
    const Ipv6Address destination = dest.IsAny() ? Ipv6Address("2000::") : dest;
    SaddrQuery query;
    query.destination = Ipv6Bits(destination);
    query.oif = interface + 1;
    query.preferences = addresses->GetPreferences();
    const auto choice = SelectSourceAddress(addresses->GetHost(), query);
    return choice.source ? choice.source->address.ToAddress() : Ipv6Address::GetAny();
}

void
LinuxIpv6L3Protocol::NotifyAddressChange()
{
    if (const auto addresses = GetObject<LinuxIpv6Addresses>())
    {
        addresses->GetHost();
    }
}

bool
LinuxIpv6L3Protocol::AddAddress(uint32_t i, Ipv6InterfaceAddress address, bool addOnLinkRoute)
{
    const bool added = Ipv6L3Protocol::AddAddress(i, address, addOnLinkRoute);
    NotifyAddressChange();
    return added;
}

bool
LinuxIpv6L3Protocol::RemoveAddress(uint32_t interfaceIndex, uint32_t addressIndex)
{
    const bool removed = Ipv6L3Protocol::RemoveAddress(interfaceIndex, addressIndex);
    NotifyAddressChange();
    return removed;
}

bool
LinuxIpv6L3Protocol::RemoveAddress(uint32_t interfaceIndex, Ipv6Address address)
{
    const bool removed = Ipv6L3Protocol::RemoveAddress(interfaceIndex, address);
    NotifyAddressChange();
    return removed;
}

} // namespace linuxhost
} // namespace ns3
