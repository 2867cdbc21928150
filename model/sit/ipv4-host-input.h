/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV4_HOST_INPUT_H
#define IPV4_HOST_INPUT_H

#include "ns3/ipv4-reassembly.h"
#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/tag.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The header of an IPv4 packet for this host, as it was received: ns-3's has no place for options
 * and reserved bits.
 */
class Ipv4HeaderTag : public Tag
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

    bool hostFrame{true};       //!< whether it came in a frame for this host alone
    std::vector<uint8_t> bytes; //!< the header
};

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
     * @param type whose frame it is: what came in a broadcast or multicast is not answered with
     * errors
     * @returns whether it is well formed
     */
    bool Check(Ptr<Packet>* payload, uint16_t* etherType, NetDevice::PacketType type);

  private:
    /**
     * Deal with the options of a packet (ip_rcv_options).
     * @param bytes the packet, which they may change
     * @param ipv4 the host's IPv4
     * @param interface the interface that it came in by
     * @param type whose frame it came in
     * @returns whether the packet goes on
     */
    bool TakeOptions(std::vector<uint8_t>* bytes,
                     Ptr<Ipv4> ipv4,
                     uint32_t interface,
                     NetDevice::PacketType type);
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
