/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_TUNNEL_TOPOLOGY_H
#define SIT_TUNNEL_TOPOLOGY_H

#include "ns3/capture-file.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/sit-net-device.h"
#include "ns3/socket.h"
#include "ns3/veth-link-device.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A datagram that host A sends.
 */
struct SitDatagram
{
    uint32_t payload{0};     //!< payload bytes; byte i is i modulo 256
    uint8_t trafficClass{0}; //!< traffic class
    uint8_t hopLimit{64};    //!< hop limit
    /// Destination; `::`: the other host.
    Ipv6Address destination{Ipv6Address::GetAny()};
};

/**
 * @ingroup linux-host
 * How the two hosts are set up, in the words of `ip link add type sit`.
 */
struct SitTunnelSettings
{
    /// How addresses lead to the other end.
    enum Mode
    {
        POINT_TO_POINT, //!< local and remote
        SIX_TO_FOUR,    //!< 2002::/16
        SIX_RD,         //!< 6rd-prefix 2001:db8::/32
    };

    Mode mode{POINT_TO_POINT};          //!< how addresses lead to the other end
    uint8_t ttl{0};                     //!< ttl; 0: inherit
    uint8_t tos{0};                     //!< tos; 1: inherit
    bool pmtudisc{true};                //!< pmtudisc
    uint16_t mtu{0};                    //!< MTU of the tunnel devices; 0: the kernel's choice
    uint16_t linkMtu{1500};             //!< MTU of the link between the hosts
    Time delay{MicroSeconds(1)};        //!< from one host to the other
    Time gap{MicroSeconds(10)};         //!< shortest between two frames of one host
    bool remoteGiven{false};            //!< whether remote counts
    Ipv4Address remote{"0.0.0.0"};      //!< remote of A's device
    bool peerTunnel{true};              //!< whether B has a tunnel device
    Time interval{MilliSeconds(125)};   //!< between datagrams; least between frames
    Time settle{MilliSeconds(1200)};    //!< from the last of them to the end
    std::vector<SitDatagram> datagrams; //!< what A sends
    std::vector<CapturedPacket> frames; //!< what is put on the wire towards B afterwards
};

/**
 * @ingroup linux-host
 * Two Linux hosts, a veth pair and a sit device on each: the topology of the reference captures.
 *
 * A is 192.0.2.1 and 02:00:00:00:00:0a, B is 192.0.2.2 and 02:00:00:00:00:0b; they know each
 * other's hardware addresses. A sends UDP datagrams from port 5000 to port 9, which is closed at B.
 */
class SitTunnelTopology
{
  public:
    /// @param settings how the hosts are set up
    explicit SitTunnelTopology(const SitTunnelSettings& settings);
    /// Destroys the simulation.
    ~SitTunnelTopology();
    SitTunnelTopology(const SitTunnelTopology&) = delete;
    SitTunnelTopology& operator=(const SitTunnelTopology&) = delete;

    /**
     * @param settings how the hosts would be set up
     * @returns the empty string, or what Linux refuses about it
     */
    static std::string Check(const SitTunnelSettings& settings);

    /// Send and inject everything.
    void Run();

    /// @returns every frame on the wire, at A
    const std::vector<CapturedPacket>& GetWire() const;
    /// @returns every packet at B's sit1
    const std::vector<CapturedPacket>& GetInside() const;
    /// @returns A's sit1
    Ptr<SitNetDevice> GetDeviceA() const;
    /// @returns B's sit1, or null
    Ptr<SitNetDevice> GetDeviceB() const;
    /// @returns host A
    Ptr<Node> GetNodeA() const;
    /// @returns host B
    Ptr<Node> GetNodeB() const;
    /// @returns frames that B found malformed, or that are neither IPv4 nor ARP
    uint64_t GetMalformed() const;
    /// @returns datagrams that A's stack refused to send, for want of a route
    uint32_t GetUnsent() const;

  private:
    /**
     * Make a host.
     * @param mac its hardware address
     * @param address its IPv4 address
     * @param[out] wire its wire device
     * @returns the node
     */
    Ptr<Node> MakeHost(const char* mac, const char* address, Ptr<VethLinkDevice>* wire) const;
    /**
     * Make a host's tunnel.
     * @param node the host
     * @param local its IPv4 address
     * @param remote the other end, or 0.0.0.0
     * @param address its address inside
     * @returns the device
     */
    Ptr<SitNetDevice> MakeTunnel(Ptr<Node> node,
                                 Ipv4Address local,
                                 Ipv4Address remote,
                                 Ipv6Address address) const;
    /**
     * Make a device with the settings.
     * @param settings the settings
     * @param local its local address
     * @param remote its remote
     * @returns the device, not yet on a node
     */
    static Ptr<SitNetDevice> MakeDevice(const SitTunnelSettings& settings,
                                        Ipv4Address local,
                                        Ipv4Address remote);
    /// @param datagram a datagram that A sends now
    void SendDatagram(const SitDatagram& datagram);
    /**
     * Send a UDP datagram to a multicast address, through the tunnel.
     * @param packet the payload, with the tags of its traffic class and hop limit
     * @param destination the address
     * @param hopLimit the hop limit
     */
    void SendMulticast(Ptr<Packet> packet, Ipv6Address destination, uint8_t hopLimit);
    /// @param bytes a frame that A puts on the wire now
    void SendFrame(const std::vector<uint8_t>& bytes);
    /// @param packet a frame on the wire
    void SeeWire(Ptr<const Packet> packet);
    /**
     * @param packet a packet at B's sit1
     * @param device the device
     */
    void SeeInside(Ptr<const Packet> packet, Ptr<SitNetDevice> device);

    SitTunnelSettings m_settings;         //!< how the hosts are set up
    bool m_checksums;                     //!< whether packets had checksums before
    Ptr<Node> m_nodeA;                    //!< host A
    Ptr<Node> m_nodeB;                    //!< host B
    Ptr<VethLinkDevice> m_wireA;          //!< A's wire device
    Ptr<VethLinkDevice> m_wireB;          //!< B's wire device
    Ptr<SitNetDevice> m_deviceA;          //!< A's sit1
    Ptr<SitNetDevice> m_deviceB;          //!< B's sit1
    Ipv6Address m_addressB;               //!< B's address inside
    Ptr<Socket> m_socket;                 //!< A's UDP socket
    uint32_t m_unsent{0};                 //!< datagrams that A's stack refused
    std::vector<CapturedPacket> m_wire;   //!< frames on the wire
    std::vector<CapturedPacket> m_inside; //!< packets at B's sit1
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_TUNNEL_TOPOLOGY_H */
