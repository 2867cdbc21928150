/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_L4_PROTOCOL_H
#define SIT_L4_PROTOCOL_H

#include "ns3/ip-l4-protocol.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

class Ipv4L3Protocol;
class Node;

namespace linuxhost
{

class SitNetDevice;

/// @ingroup linux-host
/// Why a sit device, or protocol 41 without a device, drops a packet.
enum SitDropReason
{
    SIT_TX_NOT_IPV6,      //!< sending: not an IPv6 packet
    SIT_TX_NO_ENDPOINT,   //!< sending: no remote, and no IPv4 address in the destination
    SIT_TX_NO_ROUTE,      //!< sending: no unicast route to the other end
    SIT_TX_LOOP,          //!< sending: the route leads back into the tunnel
    SIT_TX_TINY_MTU,      //!< sending: the path's MTU leaves no room
    SIT_TX_TOO_BIG,       //!< sending: larger than the path's MTU, the sender was told
    SIT_RX_TRUNCATED,     //!< received: shorter than an IPv6 header
    SIT_RX_MARTIAN,       //!< received: an IPv4 source that is not one host's
    SIT_RX_NO_TUNNEL,     //!< received: no tunnel has these ends, the sender was told
    SIT_RX_SPOOFED,       //!< received: inner and outer addresses disagree (6to4, 6rd)
    SIT_RX_ECN,           //!< received: congestion mark on an inner packet without ECN
    SIT_RX_MALFORMED,     //!< received: the inner packet's header or options are malformed
    SIT_RX_NOT_LOCAL,     //!< received: for somebody else, and this host does not forward
    SIT_RX_NO_PROTOCOL,   //!< received: nothing here speaks the inner packet's protocol
    SIT_RX_BAD_SEGMENT,   //!< received: malformed or wrong checksum above IPv6
    SIT_RX_UNFORWARDABLE, //!< received: hop limit, route or MTU does not let it be forwarded
    SIT_RX_FRAGMENT,      //!< received: overlapping, oversized or timed-out inner fragments
    SIT_DROP_REASONS,     //!< how many reasons there are
};

/**
 * @ingroup linux-host
 * @param reason a reason
 * @returns its name, lower case with underscores
 */
std::string SitDropReasonName(SitDropReason reason);

/**
 * @ingroup linux-host
 * IP protocol 41 of a node: finds the tunnel of a received packet (tunnel64_rcv,
 * ipip6_tunnel_lookup), tells the sender when there is none, and brings ICMPv4 errors about tunnel
 * packets to the tunnel (ipip6_err).
 */
class SitL4Protocol : public IpL4Protocol
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * The protocol of a node, made and inserted into its IPv4 at the first call. A node with this
     * and no tunnel is a host that has the sit module loaded and no device.
     * @param node the node, which must have IPv4
     * @returns its protocol 41
     */
    static Ptr<SitL4Protocol> Of(Ptr<Node> node);

    /// @param device a tunnel to receive for
    void AddTunnel(Ptr<SitNetDevice> device);
    /// @param device a tunnel to receive for no longer
    void RemoveTunnel(Ptr<SitNetDevice> device);
    /**
     * ipip6_tunnel_lookup: both ends match, then the remote, then the local end, then neither is
     * set.
     * @param remote the other end's address
     * @param local this end's address
     * @returns the tunnel, or null
     */
    Ptr<SitNetDevice> Lookup(Ipv4Address remote, Ipv4Address local) const;
    /**
     * @param destination the other end
     * @param deviceMtu MTU of the device that leads there
     * @param[out] locked whether packets must not carry DF since the path is absurdly narrow
     * @returns what is known of the path's MTU
     */
    uint32_t GetPathMtu(Ipv4Address destination, uint32_t deviceMtu, bool* locked) const;
    /**
     * Answer a packet for this host that nobody wants with an ICMPv4 destination unreachable.
     * @param header the packet's header
     * @param packet what follows it
     * @param code the code
     */
    void AnswerUnreachable(const Ipv4Header& header, Ptr<const Packet> packet, uint8_t code);
    /// @returns an identification for the next IPv4 packet
    uint16_t NextIdentification();
    /**
     * @param reason a reason
     * @returns how many packets were dropped for it without reaching a device
     */
    uint64_t GetDropCount(SitDropReason reason) const;

    // inherited from IpL4Protocol
    int GetProtocolNumber() const override;
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet,
                                   const Ipv4Header& header,
                                   Ptr<Ipv4Interface> incomingInterface) override;
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet,
                                   const Ipv6Header& header,
                                   Ptr<Ipv6Interface> incomingInterface) override;
    void SetDownTarget(IpL4Protocol::DownTargetCallback cb) override;
    void SetDownTarget6(IpL4Protocol::DownTargetCallback6 cb) override;
    IpL4Protocol::DownTargetCallback GetDownTarget() const override;
    IpL4Protocol::DownTargetCallback6 GetDownTarget6() const override;

  protected:
    void DoDispose() override;

  private:
    /// What is known of a path.
    struct PathMtu
    {
        uint32_t mtu; //!< its MTU
        bool locked;  //!< below the smallest MTU that is believed
        Time expires; //!< when this is forgotten
    };

    /**
     * Sees what IPv4 delivers to this node, for the ICMPv4 errors: ReceiveIcmp() gets too little of
     * the quoted packet.
     * @param header the IPv4 header
     * @param packet what follows it
     * @param interface the interface
     */
    void LocalDelivered(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);
    /**
     * An ICMPv4 error about a tunnel packet (ipip6_err).
     * @param reporter who sent the error
     * @param message the ICMPv4 message
     * @param quoted where the quoted packet starts in it
     */
    void IcmpError(Ipv4Address reporter, const std::vector<uint8_t>& message, std::size_t quoted);
    /**
     * ipv4_update_pmtu.
     * @param destination the other end
     * @param mtu the MTU that a router reported
     */
    void UpdatePathMtu(Ipv4Address destination, uint32_t mtu);
    /**
     * Count and trace a drop.
     * @param reason why
     * @param packet the packet
     */
    void Drop(SitDropReason reason, Ptr<const Packet> packet);

    Ptr<Node> m_node;                                //!< the node
    std::vector<Ptr<SitNetDevice>> m_tunnels;        //!< the tunnels, oldest first
    std::map<Ipv4Address, PathMtu> m_pathMtu;        //!< known paths
    uint16_t m_identification{0};                    //!< of the last IPv4 packet
    uint64_t m_drops[SIT_DROP_REASONS]{};            //!< drops that reached no device
    bool m_answerUnknown{true};                      //!< attribute AnswerUnknownProtocols
    IpL4Protocol::DownTargetCallback m_downTarget;   //!< not used: packets leave with a header
    IpL4Protocol::DownTargetCallback6 m_downTarget6; //!< not used

    /// A received packet was dropped before it reached a device.
    TracedCallback<SitDropReason, Ptr<const Packet>> m_dropTrace;
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_L4_PROTOCOL_H */
