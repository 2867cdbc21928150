/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_HELPER_H
#define SIT_HELPER_H

#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"
#include "ns3/object-factory.h"
#include "ns3/sit-net-device.h"

#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Makes sit devices on nodes, as `ip link add type sit` and `ip link set up` do.
 *
 * A node must have IPv4, with addresses and routes, and IPv6. The interface gets its link-local
 * address fe80::a.b.c.d, an ICMPv6 of its own without neighbor discovery, and UDP and TCP behind
 * a check. Global addresses are assigned afterwards, by Ipv6AddressHelper or by hand.
 */
class SitHelper
{
  public:
    SitHelper();

    /**
     * Set an attribute of the devices to come.
     * @param name the attribute of SitNetDevice
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Make a device with the attributes as they are set.
     * @param node the node
     * @returns the device, with its IPv6 interface up
     */
    Ptr<SitNetDevice> Install(Ptr<Node> node) const;
    /**
     * Make a point-to-point device.
     * @param node the node
     * @param local this end's address
     * @param remote the other end's address
     * @returns the device, with its IPv6 interface up
     */
    Ptr<SitNetDevice> Install(Ptr<Node> node, Ipv4Address local, Ipv4Address remote) const;
    /**
     * Make a tunnel between two nodes.
     * @param a a node
     * @param addressOfA its IPv4 address
     * @param b another node
     * @param addressOfB its IPv4 address
     * @returns the devices of both
     */
    NetDeviceContainer Install(Ptr<Node> a,
                               Ipv4Address addressOfA,
                               Ptr<Node> b,
                               Ipv4Address addressOfB) const;
    /**
     * Fix the random streams of what was installed.
     * @param devices the devices
     * @param stream first stream
     * @returns how many streams were used
     */
    int64_t AssignStreams(NetDeviceContainer devices, int64_t stream) const;

    /**
     * Put a configured device on a node and bring its interface up.
     * @param node the node
     * @param device the device
     */
    static void BringUp(Ptr<Node> node, Ptr<SitNetDevice> device);

  private:
    ObjectFactory m_factory; //!< makes the devices
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_HELPER_H */
