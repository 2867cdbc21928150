/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV4_HOST_INPUT_H
#define IPV4_HOST_INPUT_H

#include "ns3/ipv4-reassembly.h"
#include "ns3/net-device.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What a host with IPv4 and ns-3's stack lets in from an Ethernet device: well-formed ARP and IPv4.
 *
 * ns-3's layers trust what they get, so this checks as ip_rcv does, takes priority tags off, and
 * puts fragments for the host together by Linux's rules. IPv6 goes only through the tunnels of this
 * pack.
 */
class Ipv4HostInput
{
  public:
    /// @param device a device that is on the host's node and outlives this
    explicit Ipv4HostInput(NetDevice* device);

    /**
     * @param payload what follows the Ethernet header; when this returns, what is to be handed on:
     * trimmed to its real length, a whole datagram for its last fragment, and null for the others
     * @param etherType the EtherType; when this returns, without priority tags
     * @returns whether it is well formed
     */
    bool Check(Ptr<Packet>* payload, uint16_t* etherType);

  private:
    /**
     * Tell the sender of a datagram that its fragments did not all come.
     * @param first the first fragment
     */
    void Expired(const std::vector<uint8_t>& first);

    NetDevice* m_device;         //!< the device
    Ipv4Reassembly m_reassembly; //!< datagrams for this host in fragments
};

} // namespace linuxhost
} // namespace ns3

#endif /* IPV4_HOST_INPUT_H */
