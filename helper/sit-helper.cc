/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-helper.h"

#include "ns3/abort.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-interface-address.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/node.h"
#include "ns3/sit-icmpv6-l4-protocol.h"
#include "ns3/sit-transport-protocol.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

/// The transports that are checked: TCP and UDP.
constexpr int TRANSPORTS[] = {6, 17};

/**
 * @param ipv4 a node's IPv4
 * @returns its first address that is not loopback's, or 0.0.0.0
 */
Ipv4Address
FirstAddress(Ptr<Ipv4> ipv4)
{
    for (uint32_t i = 1; i < ipv4->GetNInterfaces(); ++i)
    {
        if (ipv4->GetNAddresses(i) > 0)
        {
            return ipv4->GetAddress(i, 0).GetLocal();
        }
    }
    return Ipv4Address("0.0.0.0");
}

} // namespace

SitHelper::SitHelper()
{
    m_factory.SetTypeId(SitNetDevice::GetTypeId());
}

void
SitHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

Ptr<SitNetDevice>
SitHelper::Install(Ptr<Node> node) const
{
    Ptr<SitNetDevice> device = m_factory.Create<SitNetDevice>();
    BringUp(node, device);
    return device;
}

Ptr<SitNetDevice>
SitHelper::Install(Ptr<Node> node, Ipv4Address local, Ipv4Address remote) const
{
    Ptr<SitNetDevice> device = m_factory.Create<SitNetDevice>();
    device->SetAttribute("Local", Ipv4AddressValue(local));
    device->SetAttribute("Remote", Ipv4AddressValue(remote));
    BringUp(node, device);
    return device;
}

NetDeviceContainer
SitHelper::Install(Ptr<Node> a, Ipv4Address addressOfA, Ptr<Node> b, Ipv4Address addressOfB) const
{
    NetDeviceContainer devices;
    devices.Add(Install(a, addressOfA, addressOfB));
    devices.Add(Install(b, addressOfB, addressOfA));
    return devices;
}

void
SitHelper::BringUp(Ptr<Node> node, Ptr<SitNetDevice> device)
{
    std::string refused = device->CheckSettings();
    NS_ABORT_MSG_UNLESS(refused.empty(), "sit: " << refused);
    Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    Ptr<Ipv6L3Protocol> ipv6 = node->GetObject<Ipv6L3Protocol>();
    NS_ABORT_MSG_UNLESS(ipv4 && ipv6, "sit needs IPv4 and IPv6 on node " << node->GetId());
    node->AddDevice(device);
    device->Bind();

    uint32_t interface = ipv6->AddInterface(device);
    Ptr<SitIcmpv6L4Protocol> icmpv6 = CreateObject<SitIcmpv6L4Protocol>();
    icmpv6->SetDevice(device);
    ipv6->Insert(icmpv6, interface);
    device->Own(icmpv6);
    for (int number : TRANSPORTS)
    {
        Ptr<IpL4Protocol> transport = ipv6->GetProtocol(number);
        if (transport)
        {
            Ptr<SitTransportProtocol> checked = CreateObject<SitTransportProtocol>();
            checked->Setup(device, transport);
            ipv6->Insert(checked, interface);
            device->Own(checked);
        }
    }
    // Setting it up makes the link-local address; the ICMPv6 must be in place by then.
    ipv6->SetMetric(interface, 1);
    ipv6->SetUp(interface);
    // The kernel gives a tunnel without remote the IPv4-compatible network. ns-3 asks every
    // interface it routes through for a global address, even to forward, so a point-to-point one
    // gets the address alone: an unnumbered tunnel then works on a router.
    Ipv4Address local = device->GetLocal().IsAny() ? FirstAddress(ipv4) : device->GetLocal();
    if (!local.IsAny())
    {
        uint8_t bytes[16]{};
        local.Serialize(bytes + 12);
        uint8_t length = device->IsPointToPoint() ? 128 : 96;
        ipv6->AddAddress(interface, Ipv6InterfaceAddress(Ipv6Address(bytes), Ipv6Prefix(length)));
    }
}

int64_t
SitHelper::AssignStreams(NetDeviceContainer devices, int64_t stream) const
{
    int64_t used = 0;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        Ptr<NetDevice> device = devices.Get(i);
        Ptr<Ipv6L3Protocol> ipv6 = device->GetNode()->GetObject<Ipv6L3Protocol>();
        int32_t interface = ipv6->GetInterfaceForDevice(device);
        Ptr<Icmpv6L4Protocol> icmpv6 =
            DynamicCast<Icmpv6L4Protocol>(ipv6->GetProtocol(58, interface));
        if (icmpv6)
        {
            used += icmpv6->AssignStreams(stream + used);
        }
    }
    return used;
}

} // namespace linuxhost
} // namespace ns3
