/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUX_ICMP_SENDER_H
#define LINUX_ICMP_SENDER_H

#include "ns3/ipv4-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv6-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{

class Ipv6Header;
class NetDevice;
class Packet;

namespace linuxhost
{

/**
 * @ingroup linux-host
 * Sends ICMP messages as a Linux host forms them: icmp_send, icmp6_send and icmpv6_echo_reply.
 *
 * Which packets are answered at all, how much of them is quoted, the outer fields, and the rate
 * limits are the kernel's. One object serves a node.
 */
class LinuxIcmpSender : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /// ICMPv6 message types.
    enum Icmpv6Type : uint8_t
    {
        ICMPV6_DEST_UNREACH = 1,   //!< destination unreachable
        ICMPV6_PKT_TOOBIG = 2,     //!< packet too big
        ICMPV6_TIME_EXCEED = 3,    //!< time exceeded
        ICMPV6_PARAMPROB = 4,      //!< parameter problem
        ICMPV6_ECHO_REQUEST = 128, //!< echo request
        ICMPV6_ECHO_REPLY = 129,   //!< echo reply
    };

    /// Codes of ICMPV6_DEST_UNREACH.
    enum Icmpv6UnreachCode : uint8_t
    {
        ICMPV6_NOROUTE = 0,      //!< no route
        ICMPV6_ADDR_UNREACH = 3, //!< address unreachable
        ICMPV6_PORT_UNREACH = 4, //!< port unreachable
    };

    /**
     * The sender of a node, made at the first call.
     * @param node the node
     * @returns its sender
     */
    static Ptr<LinuxIcmpSender> Of(Ptr<Node> node);

    /**
     * Answer an IPv4 packet with an ICMPv4 error (icmp_send).
     * @param packet the packet, with its header, as it arrived
     * @param type the type
     * @param code the code
     * @param information the second word
     * @param optionsEnd where the packet's options end that the answer goes on with; 0: all
     */
    void SendError4(const std::vector<uint8_t>& packet,
                    uint8_t type,
                    uint8_t code,
                    uint32_t information = 0,
                    std::size_t optionsEnd = 0);
    /**
     * Answer an ICMPv4 echo request (icmp_reply). ns-3's own ICMP does so too, but not to options.
     * @param packet the request, with its header, as it arrived
     */
    void SendEchoReply4(const std::vector<uint8_t>& packet);
    /**
     * @param address an IPv4 address
     * @returns whether it is another host's, by this node's addresses (inet_addr_type)
     */
    bool IsOtherUnicast4(Ipv4Address address) const;
    /**
     * Answer an IPv6 packet with an ICMPv6 error (icmp6_send). An error about a packet of this node
     * itself is handed to its own ICMPv6.
     * @param packet the packet, with its header
     * @param type the type
     * @param code the code
     * @param information the second word: pointer or MTU
     * @param device the device that the packet came in by or should have left by
     * @param source forced source address, or `::` for the kernel's choice
     */
    void SendError6(const std::vector<uint8_t>& packet,
                    uint8_t type,
                    uint8_t code,
                    uint32_t information,
                    Ptr<NetDevice> device,
                    Ipv6Address source = Ipv6Address::GetAny());
    /**
     * Answer an echo request (icmpv6_echo_reply).
     * @param message the request's ICMPv6 message
     * @param header the request's header
     * @param device the device that it came in by
     */
    void SendEchoReply6(const std::vector<uint8_t>& message,
                        const Ipv6Header& header,
                        Ptr<NetDevice> device);

    /**
     * Fix the automatic flow label of one flow. The kernel's labels are a hash with a secret of the
     * running system; who wants the bytes of a given system states the labels seen there.
     * @param source source address
     * @param destination destination address
     * @param type ICMPv6 type
     * @param code ICMPv6 code
     * @param label the label
     */
    void SetFlowLabel(Ipv6Address source,
                      Ipv6Address destination,
                      uint8_t type,
                      uint8_t code,
                      uint32_t label);
    /**
     * @param address an address
     * @returns whether it is one of this node's
     */
    bool IsLocal6(Ipv6Address address) const;

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    /// A token bucket that gives one message a period and saves up six.
    struct Bucket
    {
        Time last;          //!< when it was looked at
        int64_t tokens{-1}; //!< saved time, ns; -1 when it is new (and full)
    };

    /**
     * The peer's rate limit (inet_peer_xrlim_allow).
     * @param bucket the peer's bucket
     * @param period time between messages
     * @returns whether a message may be sent now
     */
    static bool Allow(Bucket* bucket, Time period);
    /**
     * The limit on all messages of a host (icmp_global_allow).
     * @returns whether a message may be sent now
     */
    bool GlobalAllow();
    /**
     * @param source source address
     * @param destination destination address
     * @param type ICMPv6 type
     * @param code ICMPv6 code
     * @returns the flow label
     */
    uint32_t FlowLabel(Ipv6Address source,
                       Ipv6Address destination,
                       uint8_t type,
                       uint8_t code) const;
    /**
     * The options of an answer to an IPv4 packet.
     * @param packet the packet
     * @param end where the packet's options end that count; 0: with its header
     * @param source source address of the answer
     * @param[out] options the options
     * @returns whether there is to be an answer
     */
    bool AnswerOptions(const std::vector<uint8_t>& packet,
                       std::size_t end,
                       Ipv4Address source,
                       std::vector<uint8_t>* options) const;
    /**
     * Complete an ICMPv4 message with its checksum and send it.
     * @param message ICMPv4 type, code, zero, and the rest
     * @param header its header
     * @param options the header's options
     * @param route its route
     */
    void Send4(std::vector<uint8_t> message,
               Ipv4Header header,
               const std::vector<uint8_t>& options,
               Ptr<Ipv4Route> route);
    /**
     * Complete a message with its checksum and send it.
     * @param message ICMPv6 type, code, zero, and the rest
     * @param source source address, or `::` for the route's
     * @param destination destination address
     * @param trafficClass traffic class
     * @param device the device that a link-local destination is on
     * @param limited whether the peer's rate limit applies
     */
    void Send6(std::vector<uint8_t> message,
               Ipv6Address source,
               Ipv6Address destination,
               uint8_t trafficClass,
               Ptr<NetDevice> device,
               bool limited);

    bool m_autoFlowLabels{true};            //!< sysctl auto_flowlabels
    uint32_t m_flowLabelSeed{0};            //!< stands for the running system's secret
    Time m_rateLimit4;                      //!< sysctl icmp_ratelimit
    Time m_rateLimit6;                      //!< sysctl net.ipv6.icmp.ratelimit
    uint8_t m_hopLimit{64};                 //!< default TTL and hop limit
    Ptr<Node> m_node;                       //!< the node
    uint16_t m_identification{0};           //!< of the IPv4 packets
    uint32_t m_fragmentIdentification{0};   //!< of IPv6 packets in fragments
    std::map<Ipv4Address, Bucket> m_peers4; //!< rate limits of IPv4 peers
    std::map<Ipv6Address, Bucket> m_peers6; //!< rate limits of IPv6 peers
    Bucket m_global;                        //!< limit on all messages
    /// Flow labels that are stated.
    std::map<std::tuple<Ipv6Address, Ipv6Address, uint8_t, uint8_t>, uint32_t> m_flowLabels;
};

} // namespace linuxhost
} // namespace ns3

#endif /* LINUX_ICMP_SENDER_H */
