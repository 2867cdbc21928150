/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-helper.h"

#include "ns3/uinteger.h"

namespace ns3
{
namespace linuxhost
{

VlanHelper::VlanHelper()
{
    m_factory.SetTypeId("ns3::linuxhost::VlanNetDevice");
}

void
VlanHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

bool
VlanHelper::SetEgressPriority(uint32_t priority, uint8_t pcp)
{
    m_egress[priority] = pcp;
    return pcp <= 7;
}

bool
VlanHelper::SetIngressPriority(uint8_t pcp, uint32_t priority)
{
    m_ingress[pcp] = priority;
    return pcp <= 7;
}

Ptr<VlanNetDevice>
VlanHelper::Install(Ptr<NetDevice> lower, uint16_t vid)
{
    Ptr<VlanNetDevice> device = m_factory.Create<VlanNetDevice>();
    device->SetVid(vid);
    for (const auto& entry : m_egress)
    {
        device->SetEgressPriority(entry.first, entry.second);
    }
    for (const auto& entry : m_ingress)
    {
        device->SetIngressPriority(entry.first, entry.second);
    }
    m_error = device->Attach(lower);
    return m_error.empty() ? device : nullptr;
}

NetDeviceContainer
VlanHelper::Install(const NetDeviceContainer& lower, uint16_t vid)
{
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < lower.GetN(); i++)
    {
        Ptr<VlanNetDevice> device = Install(lower.Get(i), vid);
        if (!device)
        {
            break;
        }
        devices.Add(device);
    }
    return devices;
}

std::string
VlanHelper::GetError() const
{
    return m_error;
}

VlanBridgeHelper::VlanBridgeHelper()
{
    m_factory.SetTypeId("ns3::linuxhost::VlanBridgeNetDevice");
}

void
VlanBridgeHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

Ptr<VlanBridgeNetDevice>
VlanBridgeHelper::Install(Ptr<Node> node, const NetDeviceContainer& ports)
{
    Ptr<VlanBridgeNetDevice> bridge = m_factory.Create<VlanBridgeNetDevice>();
    node->AddDevice(bridge);
    for (uint32_t i = 0; i < ports.GetN(); i++)
    {
        bridge->AddPort(ports.Get(i));
    }
    return bridge;
}

} // namespace linuxhost
} // namespace ns3
