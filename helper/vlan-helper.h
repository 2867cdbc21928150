/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_HELPER_H
#define VLAN_HELPER_H

#include "ns3/attribute.h"
#include "ns3/net-device-container.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/vlan-bridge-net-device.h"
#include "ns3/vlan-net-device.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Puts VLAN devices on devices, as `ip link add link DEVICE type vlan id VID` does.
 */
class VlanHelper
{
  public:
    VlanHelper();

    /**
     * Set an attribute of the devices to come.
     * @param name the attribute's name
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    /**
     * Map a packet's priority to a code point on the devices to come.
     * @param priority the packet's priority
     * @param pcp code point, 0 to 7
     * @returns whether the code point is valid
     */
    bool SetEgressPriority(uint32_t priority, uint8_t pcp);
    /**
     * Map a code point to a packet's priority on the devices to come.
     * @param pcp code point, 0 to 7
     * @param priority the packet's priority
     * @returns whether the code point is valid
     */
    bool SetIngressPriority(uint8_t pcp, uint32_t priority);

    /**
     * Put a VLAN device on a device.
     * @param lower a device that is on a node
     * @param vid VLAN id
     * @returns the VLAN device, or null: see GetError()
     */
    Ptr<VlanNetDevice> Install(Ptr<NetDevice> lower, uint16_t vid);
    /**
     * Put a VLAN device on each of several devices.
     * @param lower devices that are on nodes
     * @param vid VLAN id
     * @returns the VLAN devices; fewer than there are lower devices when one was refused
     */
    NetDeviceContainer Install(const NetDeviceContainer& lower, uint16_t vid);
    /// @returns why the last installation was refused, or the empty string
    std::string GetError() const;

  private:
    ObjectFactory m_factory;               //!< makes the devices
    std::map<uint32_t, uint8_t> m_egress;  //!< code point by priority
    std::map<uint8_t, uint32_t> m_ingress; //!< priority by code point
    std::string m_error;                   //!< why the last installation was refused
};

/**
 * @ingroup linux-host
 * Puts a VLAN-aware bridge on a node.
 */
class VlanBridgeHelper
{
  public:
    VlanBridgeHelper();

    /**
     * Set an attribute of the bridges to come.
     * @param name the attribute's name
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    /**
     * Put a bridge on a node.
     * @param node the node
     * @param ports its ports, in order; those that cannot be ports are left out
     * @returns the bridge
     */
    Ptr<VlanBridgeNetDevice> Install(Ptr<Node> node, const NetDeviceContainer& ports);

  private:
    ObjectFactory m_factory; //!< makes the bridges
};

} // namespace linuxhost
} // namespace ns3

#endif /* VLAN_HELPER_H */
