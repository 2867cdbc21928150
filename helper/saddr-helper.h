/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SADDR_HELPER_H
#define SADDR_HELPER_H

#include "ns3/application.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv6-routing-helper.h"
#include "ns3/linux-ipv6-addresses.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <memory>
#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Installs the Internet stack with Linux's IPv6 source address selection.
 *
 * Used in place of InternetStackHelper. From ns-3.39 on, an InternetStackHelper may be run on the
 * same nodes afterwards and leaves what is there.
 */
class SaddrHelper
{
  public:
    SaddrHelper();
    ~SaddrHelper();
    SaddrHelper(const SaddrHelper&) = delete;
    SaddrHelper& operator=(const SaddrHelper&) = delete;

    /// @param routing creates the IPv4 routing protocol; the default is InternetStackHelper's
    void SetRoutingHelper(const Ipv4RoutingHelper& routing);
    /// @param routing creates the IPv6 routing protocol; the default is static routing
    void SetRoutingHelper(const Ipv6RoutingHelper& routing);
    /// @param enable whether nodes get IPv4, too
    void SetIpv4StackInstall(bool enable);
    /**
     * Set an attribute of LinuxIpv6Addresses.
     * @param name the attribute's name
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// @param nodes nodes without IPv6
    void Install(NodeContainer nodes) const;
    /// @param node a node without IPv6
    void Install(Ptr<Node> node) const;

    /**
     * @param node a node
     * @returns its addresses as Linux sees them, or null where the helper was not used
     */
    static Ptr<LinuxIpv6Addresses> GetAddresses(Ptr<Node> node);
    /**
     * Give an application's sockets preferences of their own, before it starts.
     *
     * Applications whose attribute `Protocol` is TCP (OnOffApplication, BulkSendApplication) get
     * sockets that have them; of UdpClient (from ns-3.39 on) and UdpEchoClient, each packet is
     * marked. An application's own code uses SaddrPreferenceTag or LinuxIpv6Addresses::Connect().
     * @param application an application on a node of this helper
     * @param preferences SaddrPreference bits: tmp or public, home or coa, or one of each
     * @returns false where the application is of another kind, or the preferences contradict
     */
    static bool SetPreferences(Ptr<Application> application, uint16_t preferences);

  private:
    std::unique_ptr<Ipv4RoutingHelper> m_routing4; //!< creates the IPv4 routing protocol, or null
    std::unique_ptr<Ipv6RoutingHelper> m_routing6; //!< creates the IPv6 routing protocol
    ObjectFactory m_addresses;                     //!< creates LinuxIpv6Addresses
    bool m_ipv4{true};                             //!< whether nodes get IPv4
};

} // namespace linuxhost
} // namespace ns3

#endif /* SADDR_HELPER_H */
