/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_NET_DEVICE_H
#define SIT_NET_DEVICE_H

#include "sit-counters.h"
#include "sit-l4-protocol.h"
#include "tunnel-xmit-path.h"

#include "ns3/event-id.h"
#include "ns3/fragment-runs.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-address.h"
#include "ns3/mac64-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

class Ipv4Route;

namespace linuxhost
{

/**
 * @ingroup linux-host
 * Linux's sit device: IPv6 in IPv4 (protocol 41), point-to-point, 6to4 or 6rd.
 *
 * A device with a remote address is point-to-point. One without takes the other end from the inner
 * destination: 2002:AABB:CCDD::/48 leads to AA.BB.CC.DD (6to4), or as the 6rd prefix says.
 * @verbatim
   0                   20                                    60
   +-------------------+-------------------------------------+---------+
   | IPv4, protocol 41 | IPv6                                | payload |
   +-------------------+-------------------------------------+---------+
   @endverbatim
 * The transmit path is the kernel's, stage for stage; see doc/sit.rst.
 */
class SitNetDevice : public NetDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    SitNetDevice();

    /**
     * What `ip link add type sit` checks about a combination of settings.
     * @returns the empty string, or what the kernel (or `ip`) refuses, in one sentence
     */
    std::string CheckSettings() const;
    /**
     * Start to receive, and take the MTU from the device that the remote is reached by
     * (ipip6_tunnel_bind_dev) unless one is set. The node's IPv4 must be configured.
     */
    void Bind();
    /**
     * Also dispose of an object when this device goes.
     * @param object a protocol that the helper made for this device
     */
    void Own(Ptr<Object> object);

    /**
     * Say what a transmission costs: while a path is recorded (XmitRecorder), Send() appends it.
     * @param path the costs; null: nothing is appended
     */
    void SetXmitPath(Ptr<TunnelXmitPath> path);
    /// @returns the counters
    const SitCounters& GetCounters() const;
    /**
     * @param reason a reason
     * @returns how many packets were dropped for it
     */
    uint64_t GetDropCount(SitDropReason reason) const;
    /// @returns this end's IPv4 address, or 0.0.0.0
    Ipv4Address GetLocal() const;
    /// @returns the other end's IPv4 address, or 0.0.0.0
    Ipv4Address GetRemote() const;

    /**
     * A packet for this tunnel came in (ipip6_rcv).
     * @param packet what follows the IPv4 header
     * @param outer the IPv4 header
     */
    void ReceiveOuter(Ptr<Packet> packet, const Ipv4Header& outer);
    /// Note an ICMPv4 error that could not be translated: the next packets report it.
    void NoteError();
    /// @returns whether the TTL is inherited
    bool InheritsTtl() const;
    /**
     * @param destination an inner destination
     * @returns its path's MTU; when it is below the device's, the kernel has a route of its own for
     * the destination, a /128
     */
    uint32_t GetPathMtu(Ipv6Address destination) const;
    /**
     * @param address an address
     * @returns whether this device has it because ns-3 wants one, and Linux has none
     */
    bool IsStandIn(Ipv6Address address) const;
    /**
     * The inner packet that is being handed up, as it arrived (reassembled).
     * @returns its bytes
     */
    const std::vector<uint8_t>& GetDelivering() const;
    /**
     * Count and trace a drop.
     * @param reason why
     * @param packet the packet
     */
    void Drop(SitDropReason reason, Ptr<const Packet> packet);

    // inherited from NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address address) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    /**
     * TracedCallback signature of packets.
     * @param [in] packet the packet
     * @param [in] device the device
     */
    typedef void (*PacketTracedCallback)(Ptr<const Packet> packet, Ptr<SitNetDevice> device);
    /**
     * TracedCallback signature of drops.
     * @param [in] reason why
     * @param [in] packet the packet
     */
    typedef void (*DropTracedCallback)(SitDropReason reason, Ptr<const Packet> packet);

  protected:
    void DoDispose() override;

  private:
    /// A packet on its way through the transmit path.
    struct Transmission
    {
        Ptr<Packet> packet;         //!< the inner packet
        std::vector<uint8_t> bytes; //!< its bytes
        uint8_t tos{0};             //!< outer TOS, before its ECN bits are decided
        bool df{false};             //!< outer DF
        bool locked{false};         //!< the path's MTU is locked: no DF
        uint32_t pathMtu{0};        //!< largest outer packet
        Ptr<Ipv4Route> route;       //!< route to the other end
        Ipv4Header outer;           //!< outer header
    };

    /// Inner fragments of one packet.
    struct Reassembly
    {
        std::vector<uint8_t> first;                       //!< first fragment's headers
        std::size_t nextHeaderAt{0};                      //!< octet that names the fragment header
        uint8_t nextHeader{0};                            //!< what the fragments hold
        std::map<std::size_t, std::vector<uint8_t>> data; //!< by offset
        FragmentRuns runs;                                //!< what is there
        FragmentMarks marks;                              //!< ECN marks on them
        std::vector<uint8_t> report;                      //!< first fragment, for the sender
        EventId timeout;                                  //!< gives up
    };

    /// Source, destination and identification of fragments.
    using FragmentKey = std::tuple<Ipv6Address, Ipv6Address, uint32_t>;

    // The transmit path, by stages.
    /**
     * Make headers that ns-3's own sockets wrote into what a Linux host writes.
     * @param transmission the packet
     */
    void AdoptHeaders(Transmission* transmission) const;
    /**
     * The whole of it (ipip6_tunnel_xmit).
     * @param transmission the packet
     * @param recorder records what it costs, or null
     */
    void TunnelXmit(Transmission* transmission, XmitRecorder* recorder);
    /**
     * Find the other end: the remote, 6rd or 6to4 (try_6rd), or an IPv4-compatible next hop.
     * @param transmission the packet
     * @returns its address, or 0.0.0.0
     */
    Ipv4Address FindEndpoint(const Transmission& transmission) const;
    /**
     * @param endpoint where outer packets go
     * @param route the route there, or null to look for it
     * @returns MTU of the device that they leave by, or 0 if there is none
     */
    uint32_t LinkMtu(Ipv4Address endpoint, Ptr<Ipv4Route> route) const;
    /**
     * Look up the outer route (ip_route_output_flow).
     * @param transmission the packet
     * @returns whether there is a unicast route that does not lead back here
     */
    bool RouteOuter(Transmission* transmission);
    /**
     * Compare with the path's MTU, and lower the inner route's (skb_dst_update_pmtu).
     * @param transmission the packet
     * @returns whether the packet fits or may be fragmented
     */
    bool CheckMtu(Transmission* transmission);
    /**
     * Report an ICMPv4 error that came back earlier (dst_link_failure).
     * @param transmission the packet
     */
    void ReportEarlierErrors(const Transmission& transmission);
    /**
     * Fill in the outer header (iptunnel_xmit).
     * @param transmission the packet
     */
    void BuildOuterHeader(Transmission* transmission);
    /**
     * Send it and count it (ip_local_out, ip_do_fragment, iptunnel_xmit_stats).
     * @param transmission the packet
     */
    void Output(Transmission* transmission);
    /**
     * Lower what the node's IPv6 knows of a destination's path MTU.
     * @param destination the inner destination
     * @param mtu the path's MTU
     */
    void UpdateInnerPathMtu(Ipv6Address destination, uint32_t mtu);

    // The receive path.
    /**
     * The IPv4 address inside a 6to4 or 6rd address (check_6rd).
     * @param address 16 bytes of an IPv6 address
     * @param[out] embedded the IPv4 address
     * @returns whether the address has the prefix
     */
    bool EmbeddedIpv4(const uint8_t* address, Ipv4Address* embedded) const;
    /**
     * packet_is_spoofed.
     * @param outer the outer header
     * @param bytes the inner packet
     * @returns whether inner and outer addresses disagree
     */
    bool IsSpoofed(const Ipv4Header& outer, const std::vector<uint8_t>& bytes) const;
    /**
     * Hand an inner packet to the node's IPv6 after the checks of ipv6_rcv.
     * @param bytes the packet
     */
    void Deliver(std::vector<uint8_t> bytes);
    /**
     * Forward an inner packet if it can be.
     * @param bytes the packet
     */
    void DeliverForwarded(const std::vector<uint8_t>& bytes);
    /**
     * Take an inner fragment (ipv6_frag_rcv).
     * @param bytes the packet
     * @param at where its fragment header is
     * @param nextHeaderAt where the octet is that names the fragment header
     * @param[out] whole the reassembled packet
     * @returns whether the packet is complete
     */
    bool Reassemble(const std::vector<uint8_t>& bytes,
                    std::size_t at,
                    std::size_t nextHeaderAt,
                    std::vector<uint8_t>* whole);
    /**
     * Give up on some fragments (ip6frag_expire_frag_queue).
     * @param key whose
     */
    void ReassemblyTimeout(FragmentKey key);
    /**
     * Pass a packet to the node.
     * @param packet the packet
     */
    void HandUp(Ptr<Packet> packet);
    /**
     * Drop a received packet and tell its sender.
     * @param reason why
     * @param bytes the packet
     * @param type ICMPv6 type
     * @param code ICMPv6 code
     * @param information the second word
     */
    void Refuse(SitDropReason reason,
                const std::vector<uint8_t>& bytes,
                uint8_t type,
                uint8_t code,
                uint32_t information);

    Ptr<Node> m_node;                     //!< the node
    uint32_t m_ifIndex{0};                //!< interface index
    Ipv4Address m_local;                  //!< this end, or 0.0.0.0
    Ipv4Address m_remote;                 //!< the other end, or 0.0.0.0
    uint8_t m_ttl{0};                     //!< outer TTL; 0: the inner hop limit
    uint8_t m_tos{0};                     //!< outer TOS; 1: the inner traffic class
    bool m_pmtuDiscovery{true};           //!< whether DF is set
    uint16_t m_mtu{0};                    //!< MTU; 0: not yet bound
    Ipv6Address m_sixRdPrefix;            //!< 6rd prefix (6to4's by default)
    uint8_t m_sixRdPrefixLength{16};      //!< its length
    Ipv4Address m_relayPrefix;            //!< leading bits of all IPv4 addresses in use
    uint8_t m_relayPrefixLength{0};       //!< how many
    SitCounters m_counters;               //!< counters
    uint64_t m_drops[SIT_DROP_REASONS]{}; //!< drops by reason
    uint32_t m_errors{0};                 //!< ICMPv4 errors to be reported
    Time m_errorTime;                     //!< when the last came
    std::map<Ipv6Address, std::pair<uint32_t, Time>> m_innerMtu; //!< path MTUs told to IPv6
    std::map<FragmentKey, Reassembly> m_reassembly;              //!< inner fragments
    std::vector<uint8_t> m_delivering;                           //!< packet that is being handed up
    std::vector<Ptr<Object>> m_owned;                            //!< go with this device
    std::vector<Callback<void>> m_linkChange;                    //!< told when the device is bound
    NetDevice::ReceiveCallback m_receive;                        //!< to the node
    PromiscReceiveCallback m_promiscReceive;                     //!< to the node, every packet

    /// An inner packet comes from the stack.
    TracedCallback<Ptr<const Packet>, Ptr<SitNetDevice>> m_txPreTrace;
    /// The packet leaves with its outer header.
    TracedCallback<Ptr<const Packet>, Ptr<SitNetDevice>> m_txTrace;
    /// A packet comes in with its outer header.
    TracedCallback<Ptr<const Packet>, Ptr<SitNetDevice>> m_rxTrace;
    /// The inner packet as the host sees it.
    TracedCallback<Ptr<const Packet>, Ptr<SitNetDevice>> m_rxPostTrace;
    /// A packet was dropped.
    TracedCallback<SitDropReason, Ptr<const Packet>> m_dropTrace;
    Ptr<TunnelXmitPath> m_xmitPath; //!< what a transmission costs, or null
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_NET_DEVICE_H */
