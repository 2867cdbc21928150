/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUX_IPV4_ENDPOINT_H
#define LINUX_IPV4_ENDPOINT_H

#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-reassembly.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

class Node;

namespace linuxhost
{

/**
 * @ingroup linux-host
 * A host's ARP, IPv4, UDP and ICMP as far as they show on the wire of a link between two hosts,
 * with Linux's bytes.
 *
 * ns-3's own IPv4 quotes eight bytes in its ICMP errors, sets no DF and trusts what it receives.
 * Captures of Linux hosts need the kernel's answers, and a frame injected by a user may be
 * anything. So this endpoint takes the place of the stack: all ports are closed, nothing is
 * forwarded, and whatever is malformed is dropped.
 */
class LinuxIpv4Endpoint : public Object
{
  public:
    /// Some bytes.
    using Bytes = std::vector<uint8_t>;

    /// @returns the TypeId
    static TypeId GetTypeId();
    LinuxIpv4Endpoint();

    /**
     * Give the host an interface.
     * @param device a device of the host's node
     * @param address its address; without one it receives for the others' addresses
     * @param mask its prefix
     * @returns the interface's number
     */
    uint32_t AddInterface(Ptr<NetDevice> device,
                          Ipv4Address address = Ipv4Address::GetAny(),
                          Ipv4Mask mask = Ipv4Mask::GetOnes());
    /**
     * @param interface an interface's number
     * @param address a neighbor's address, which is never asked for
     * @param mac its hardware address
     */
    void AddPermanentNeighbor(uint32_t interface, Ipv4Address address, Mac48Address mac);

    /**
     * Send a UDP datagram.
     * @param destination where to
     * @param sourcePort port
     * @param destinationPort port
     * @param payload bytes
     * @param priority of the socket
     * @returns whether there is a route
     */
    bool SendUdp(Ipv4Address destination,
                 uint16_t sourcePort,
                 uint16_t destinationPort,
                 const Bytes& payload,
                 uint32_t priority);
    /**
     * Send an echo request.
     * @param destination where to
     * @param id identifier
     * @param sequence sequence number
     * @param payload bytes
     * @returns whether there is a route
     */
    bool SendEchoRequest(Ipv4Address destination,
                         uint16_t id,
                         uint16_t sequence,
                         const Bytes& payload);

    /**
     * A frame's content from an interface's device.
     * @param device the device
     * @param packet what follows the Ethernet header
     * @param protocol EtherType
     * @param from source address
     * @param to destination address
     * @param type whose frame it is
     */
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType type);

    /// @returns number of packets dropped because they are malformed
    uint64_t GetMalformed() const;

  protected:
    void DoDispose() override;

  private:
    /// How far a neighbor is known.
    enum class NeighborState : uint8_t
    {
        INCOMPLETE, //!< being asked for
        REACHABLE,  //!< answered
        STALE,      //!< learned from a request
        DELAY,      //!< learned from a request and used since
        PROBE,      //!< asked whether it is still there
        PERMANENT,  //!< stated
    };

    /// A packet that waits for its neighbor.
    struct Waiting
    {
        Bytes packet;      //!< the packet
        uint32_t priority; //!< its priority
    };

    /// A neighbor.
    struct Neighbor
    {
        NeighborState state{NeighborState::INCOMPLETE}; //!< how far it is known
        Mac48Address mac;                               //!< hardware address
        std::vector<Waiting> queue;                     //!< packets that wait
        uint32_t asked{0};                              //!< requests without answer
        EventId timer;                                  //!< next step
    };

    /// An interface.
    struct Interface
    {
        Ptr<NetDevice> device;                     //!< device
        Ipv4Address address;                       //!< address
        Ipv4Mask mask;                             //!< prefix
        std::map<Ipv4Address, Neighbor> neighbors; //!< neighbors
    };

    /// Saved up permission to send ICMP errors to a peer.
    struct ErrorLimit
    {
        Time tokens; //!< saved time
        Time last;   //!< when it was looked at
    };

    /**
     * @param device a device
     * @returns its interface's number, or the number of interfaces
     */
    uint32_t FindInterface(Ptr<NetDevice> device) const;
    /**
     * @param address an address
     * @returns whether it is one of this host's
     */
    bool IsLocal(Ipv4Address address) const;
    /**
     * @param destination an address
     * @returns number of the interface that reaches it, or the number of interfaces
     */
    uint32_t Route(Ipv4Address destination) const;
    /**
     * @param source an address that something is from
     * @returns whether it may be another host's (fib_validate_source)
     */
    bool IsForeignHost(Ipv4Address source) const;
    /**
     * Complete an IPv4 packet and send it, in fragments if need be.
     * @param source source address
     * @param destination destination address
     * @param protocol of the payload
     * @param tos type of service
     * @param mayFragment whether DF stays clear even when the packet fits
     * @param payload bytes
     * @param priority of the packet
     * @param identification identification, or -1 for the next
     * @param options options of the header
     * @returns whether there is a route and the devices took all of it
     */
    bool SendIpv4(Ipv4Address source,
                  Ipv4Address destination,
                  uint8_t protocol,
                  uint8_t tos,
                  bool mayFragment,
                  const Bytes& payload,
                  uint32_t priority,
                  int32_t identification = -1,
                  Bytes options = Bytes());
    /**
     * @param address an address
     * @returns whether it is another host's, by this host's addresses (inet_addr_type)
     */
    bool IsOtherUnicast(Ipv4Address address) const;
    /**
     * Deal with the options of a received packet (ip_rcv_options).
     * @param packet the packet, in which they record what they ask for
     * @param type whose frame it came in
     * @returns whether the packet goes on
     */
    bool TakeOptions(Bytes* packet, NetDevice::PacketType type);
    /**
     * The options of an answer.
     * @param packet the packet that is answered
     * @param end where its options end that count; 0: with its header
     * @param[out] options the options
     * @returns whether there is to be an answer
     */
    bool AnswerOptions(const Bytes& packet, size_t end, Bytes* options) const;
    /**
     * Send a packet to a neighbor, asking for its hardware address first if need be.
     * @param interface the interface's number
     * @param next the neighbor's address
     * @param packet the packet
     * @param priority its priority
     * @returns whether it was sent or waits
     */
    bool SendToNeighbor(uint32_t interface,
                        Ipv4Address next,
                        const Bytes& packet,
                        uint32_t priority);
    /**
     * Hand a packet to a device.
     * @param interface the interface's number
     * @param to hardware address
     * @param protocol EtherType
     * @param packet the packet
     * @param priority its priority
     * @returns whether the device took it
     */
    bool SendFrame(uint32_t interface,
                   Mac48Address to,
                   uint16_t protocol,
                   const Bytes& packet,
                   uint32_t priority);
    /**
     * Send an ARP packet.
     * @param interface the interface's number
     * @param operation 1: request, 2: reply
     * @param to hardware address of the frame
     * @param source protocol address of the sender
     * @param targetMac hardware address of the target
     * @param target protocol address of the target
     */
    void SendArp(uint32_t interface,
                 uint16_t operation,
                 Mac48Address to,
                 Ipv4Address source,
                 Mac48Address targetMac,
                 Ipv4Address target);
    /**
     * A neighbor's timer has run out.
     * @param interface the interface's number
     * @param address the neighbor's address
     */
    void NeighborTimeout(uint32_t interface, Ipv4Address address);
    /**
     * A neighbor's hardware address has been learned.
     * @param interface the interface's number
     * @param address the neighbor's address
     * @param mac its hardware address
     * @param confirmed whether it is an answer
     */
    void LearnNeighbor(uint32_t interface, Ipv4Address address, Mac48Address mac, bool confirmed);
    /**
     * @param interface the interface's number
     * @param packet an ARP packet
     * @param type whose frame it is
     */
    void ReceiveArp(uint32_t interface, const Bytes& packet, NetDevice::PacketType type);
    /**
     * @param packet an IPv4 packet, perhaps with padding behind it
     * @param type whose frame it is
     */
    void ReceiveIpv4(Bytes packet, NetDevice::PacketType type);
    /**
     * @param packet a whole IPv4 packet for this host
     * @param headerLength length of its header
     * @param type whose frame it is
     */
    void ReceiveUdp(const Bytes& packet, uint32_t headerLength, NetDevice::PacketType type);
    /**
     * @param packet a whole IPv4 packet for this host
     * @param headerLength length of its header
     */
    void ReceiveIcmp(const Bytes& packet, uint32_t headerLength);
    /**
     * @param packet a whole IPv4 packet for this host
     * @param headerLength length of its header
     */
    void ReceiveTcp(const Bytes& packet, uint32_t headerLength);
    /**
     * Answer a packet with an ICMP error.
     * @param packet the packet
     * @param icmpType type of the error
     * @param code its code
     * @param type whose frame it was
     * @param information second word of the error
     * @param optionsEnd where the packet's options end that the answer goes on with; 0: all
     */
    void SendError(const Bytes& packet,
                   uint8_t icmpType,
                   uint8_t code,
                   NetDevice::PacketType type,
                   uint32_t information = 0,
                   size_t optionsEnd = 0);
    /**
     * @param peer to whom an ICMP error goes
     * @returns whether it may go now
     */
    bool AllowError(Ipv4Address peer);

    std::vector<Interface> m_interfaces;             //!< interfaces
    Ipv4Reassembly m_reassembly;                     //!< incomplete datagrams
    std::map<Ipv4Address, ErrorLimit> m_errorLimits; //!< by peer
    uint16_t m_identification{0};                    //!< of the last packet sent
    uint64_t m_malformed{0};                         //!< malformed packets
};

} // namespace linuxhost
} // namespace ns3

#endif /* LINUX_IPV4_ENDPOINT_H */
