/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "linux-ipv6-routing.h"

#include "linux-ipv6-addresses.h"
#include "saddr-preference-tag.h"

#include "ns3/ipv6-header.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("LinuxIpv6Routing");

NS_OBJECT_ENSURE_REGISTERED(LinuxIpv6Routing);

TypeId
LinuxIpv6Routing::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::LinuxIpv6Routing")
                            .SetParent<Ipv6ListRouting>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<LinuxIpv6Routing>();
    return tid;
}

void
LinuxIpv6Routing::SetIpv6(Ptr<Ipv6> ipv6)
{
    m_node6 = ipv6;
    Ipv6ListRouting::SetIpv6(ipv6);
}

void
LinuxIpv6Routing::DoDispose()
{
    m_node6 = nullptr;
    Ipv6ListRouting::DoDispose();
}

Ptr<Ipv6Route>
LinuxIpv6Routing::RouteOutput(Ptr<Packet> p,
                              const Ipv6Header& header,
                              Ptr<NetDevice> oif,
                              Socket::SocketErrno& sockerr)
{
    const Ipv6Address destination = header.GetDestination();
    if (destination.IsLinkLocalMulticast() && !oif)
    {
        // Static routing aborts here; connect() without a scope is an invalid argument.
        sockerr = Socket::ERROR_INVAL;
        return nullptr;
    }
    const Ptr<Ipv6Route> found = Ipv6ListRouting::RouteOutput(p, header, oif, sockerr);
    const auto addresses = m_node6->GetObject<LinuxIpv6Addresses>();
    if (!found || !addresses)
    {
        return found;
    }

    Ipv6Address source = header.GetSource();
    if (source.IsAny())
    {
        uint16_t preferences = addresses->GetPreferences();
        SaddrPreferenceTag tag;
        if (p && p->PeekPacketTag(tag))
        {
            preferences = tag.GetPreferences();
        }
        const auto choice =
            addresses->Select(destination,
                              m_node6->GetInterfaceForDevice(found->GetOutputDevice()),
                              preferences);
        if (!choice.source)
        {
            NS_LOG_LOGIC("no source address for " << destination);
            sockerr = Socket::ERROR_ADDRNOTAVAIL;
            return nullptr;
        }
        source = choice.source->address.ToAddress();
    }
    // The route may belong to a protocol's cache.
    const auto route = Create<Ipv6Route>();
    route->SetDestination(found->GetDestination());
    route->SetGateway(found->GetGateway());
    route->SetOutputDevice(found->GetOutputDevice());
    route->SetSource(source);
    return route;
}

} // namespace linuxhost
} // namespace ns3
