/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "saddr-helper.h"

#include "ns3/abort.h"
#include "ns3/icmpv6-l4-protocol.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-static-routing-helper.h"
#include "ns3/linux-ipv6-l3-protocol.h"
#include "ns3/linux-ipv6-routing.h"
#include "ns3/node.h"
#include "ns3/packet-socket-factory.h"
#include "ns3/packet.h"
#include "ns3/saddr-preference-tag.h"
#include "ns3/saddr-tcp-socket.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-l4-protocol.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

/**
 * @tparam T a class that a node has one object of
 * @param node the node, which gets one
 */
template <typename T>
void
Provide(Ptr<Node> node)
{
    if (!node->GetObject<T>())
    {
        node->AggregateObject(CreateObject<T>());
    }
}

/**
 * Mark a packet that an application is about to send.
 * @param preferences SaddrPreference bits
 * @param packet the packet
 */
void
Mark(uint16_t preferences, Ptr<const Packet> packet)
{
    packet->AddPacketTag(SaddrPreferenceTag(preferences));
}

} // namespace

SaddrHelper::SaddrHelper()
    : m_routing6(Ipv6StaticRoutingHelper().Copy())
{
    m_addresses.SetTypeId(LinuxIpv6Addresses::GetTypeId());
}

SaddrHelper::~SaddrHelper() = default;

void
SaddrHelper::SetRoutingHelper(const Ipv4RoutingHelper& routing)
{
    m_routing4.reset(routing.Copy());
}

void
SaddrHelper::SetRoutingHelper(const Ipv6RoutingHelper& routing)
{
    m_routing6.reset(routing.Copy());
}

void
SaddrHelper::SetIpv4StackInstall(bool enable)
{
    m_ipv4 = enable;
}

void
SaddrHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_addresses.Set(name, value);
}

void
SaddrHelper::Install(NodeContainer nodes) const
{
    for (auto it = nodes.Begin(); it != nodes.End(); ++it)
    {
        Install(*it);
    }
}

void
SaddrHelper::Install(Ptr<Node> node) const
{
    NS_ABORT_MSG_IF(node->GetObject<Ipv6>(),
                    "SaddrHelper::Install: node " << node->GetId()
                                                  << " already has IPv6; install this one first");
    if (m_ipv4 && !node->GetObject<Ipv4>())
    {
        InternetStackHelper ipv4;
        ipv4.SetIpv6StackInstall(false);
        if (m_routing4)
        {
            ipv4.SetRoutingHelper(*m_routing4);
        }
        ipv4.Install(node);
    }

    const auto ipv6 = CreateObject<LinuxIpv6L3Protocol>();
    node->AggregateObject(ipv6);
    Provide<Icmpv6L4Protocol>(node);

    // A list gives up its entries, so that Ipv6RoutingHelper::GetRouting() finds them here.
    const auto routing = CreateObject<LinuxIpv6Routing>();
    const auto created = m_routing6->Create(node);
    const auto list = DynamicCast<Ipv6ListRouting>(created);
    if (list)
    {
        for (uint32_t i = 0; i < list->GetNRoutingProtocols(); ++i)
        {
            int16_t priority = 0;
            const auto entry = list->GetRoutingProtocol(i, priority);
            routing->AddRoutingProtocol(entry, priority);
        }
    }
    else
    {
        routing->AddRoutingProtocol(created, 0);
    }
    ipv6->SetRoutingProtocol(routing);
    ipv6->RegisterExtensions();
    ipv6->RegisterOptions();

    Provide<TrafficControlLayer>(node);
    Provide<UdpL4Protocol>(node);
    Provide<TcpL4Protocol>(node);
    Provide<PacketSocketFactory>(node);
    node->AggregateObject(m_addresses.Create<LinuxIpv6Addresses>());
}

Ptr<LinuxIpv6Addresses>
SaddrHelper::GetAddresses(Ptr<Node> node)
{
    return node->GetObject<LinuxIpv6Addresses>();
}

bool
SaddrHelper::SetPreferences(Ptr<Application> application, uint16_t preferences)
{
    TypeIdValue protocol;
    if (application->GetAttributeFailSafe("Protocol", protocol) &&
        protocol.Get() == TcpSocketFactory::GetTypeId())
    {
        TypeId factory;
        return ProvideSaddrTcpSocketFactory(application->GetNode(), preferences, &factory) &&
               application->SetAttributeFailSafe("Protocol", TypeIdValue(factory));
    }
    const std::string type = application->GetInstanceTypeId().GetName();
    return (type == "ns3::UdpClient" || type == "ns3::UdpEchoClient") &&
           application->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Mark, preferences));
}

} // namespace linuxhost
} // namespace ns3
