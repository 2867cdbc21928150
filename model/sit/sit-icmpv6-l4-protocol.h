/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_ICMPV6_L4_PROTOCOL_H
#define SIT_ICMPV6_L4_PROTOCOL_H

#include "ns3/icmpv6-l4-protocol.h"

namespace ns3
{
namespace linuxhost
{

class SitNetDevice;

/**
 * @ingroup linux-host
 * ICMPv6 of a sit interface: a host's answers as Linux forms them, and no neighbor discovery.
 *
 * A tunnel has no neighbors to discover: no duplicate address detection, no router solicitation,
 * and such messages from the other end are ignored. It sits on one interface, beside the node's
 * own ICMPv6.
 */
class SitIcmpv6L4Protocol : public Icmpv6L4Protocol
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    SitIcmpv6L4Protocol();

    /// @param device the tunnel
    void SetDevice(Ptr<SitNetDevice> device);

    // inherited from Icmpv6L4Protocol
    using Icmpv6L4Protocol::Receive;
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet,
                                   const Ipv6Header& header,
                                   Ptr<Ipv6Interface> interface) override;
    void FunctionDadTimeout(Ipv6Interface* interface, Ipv6Address address) override;

  protected:
    void DoDispose() override;

  private:
    Ptr<SitNetDevice> m_device; //!< the tunnel
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_ICMPV6_L4_PROTOCOL_H */
