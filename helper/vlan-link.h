/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_LINK_H
#define VLAN_LINK_H

#include "ethernet-capture.h"
#include "linux-ipv4-endpoint.h"

#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/veth-link-device.h"
#include "ns3/vlan-net-device.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Two Linux hosts, A and B, joined by a veth pair with a VLAN device on each end.
 *
 * A is 192.0.2.1 (02:00:00:00:00:0a) on the pair and 198.51.100.1/24 in the VLAN, B is .2 (..:0b)
 * in both. On the pair the hosts know each other for good, in the VLAN they use ARP. All ports of
 * B are closed, so it answers datagrams with ICMP.
 */
class VlanLink
{
  public:
    /// A datagram from A's port 5000 to B's port 9.
    struct Datagram
    {
        uint32_t payload{0};  //!< bytes, byte i being i mod 256
        uint32_t priority{0}; //!< of the socket
    };

    /// What the link is like and what happens on it.
    struct Settings
    {
        uint16_t id{100};                    //!< VLAN id
        uint16_t protocol{0x8100};           //!< EtherType of its tag
        bool reorderHeader{true};            //!< REORDER_HDR, on both hosts
        std::map<uint32_t, uint8_t> egress;  //!< A's map of priority to code point
        std::map<uint8_t, uint32_t> ingress; //!< B's map of code point to priority
        int32_t innerId{-1};                 //!< id of an 802.1Q VLAN inside; -1: none
        bool permanentNeighbor{false};       //!< whether A knows B in the VLAN for good
        Time interval{MilliSeconds(150)};    //!< between datagrams
        std::vector<Datagram> datagrams;     //!< from A to B
        uint32_t echoRequests{0};            //!< from A to B, after the datagrams
        uint16_t echoId{1};                  //!< their identifier
        std::vector<uint8_t> echoPayload;    //!< their payload
        std::vector<CapturedFrame> injected; //!< put on the wire at A, after all else
    };

    /// @param settings what the link is like and what happens on it
    explicit VlanLink(const Settings& settings);
    ~VlanLink();
    VlanLink(const VlanLink&) = delete;
    VlanLink& operator=(const VlanLink&) = delete;

    /// Let it happen.
    void Run();
    /// @returns the frames at A's end of the pair
    const std::vector<CapturedFrame>& GetWire() const;
    /// @returns the frames at B's (innermost) VLAN device
    const std::vector<CapturedFrame>& GetInside() const;
    /// @param os where to write the devices and their counters, as one JSON object
    void PrintCounters(std::ostream& os) const;
    /// @param os where to write the counters as a table
    void PrintTable(std::ostream& os) const;

  private:
    struct Host;

    /// A device and what it has counted.
    struct Row
    {
        const Host* host;        //!< its host
        std::string name;        //!< its name
        Ptr<VlanNetDevice> vlan; //!< the VLAN device; null: the end of the pair
        LinkCounters counters;   //!< its counters
    };

    /// @returns the devices of both hosts, lower ones first
    std::vector<Row> GetRows() const;

    /// A host.
    struct Host
    {
        char name;                               //!< 'A' or 'B'
        Ptr<VethLinkDevice> veth;                //!< its end of the pair
        std::vector<Ptr<VlanNetDevice>> vlans;   //!< its VLAN devices, outermost first
        Ptr<LinuxIpv4Endpoint> endpoint;         //!< its stack
        std::map<uint32_t, uint64_t> priorities; //!< packets received, by ingress priority
    };

    /**
     * Make a host's devices.
     * @param host the host
     * @param number 1 for A, 2 for B
     */
    void Build(Host* host, uint32_t number);
    /**
     * Put a frame on the wire at A, as a packet socket does.
     * @param frame the frame
     */
    void Inject(std::vector<uint8_t> frame);
    /**
     * @param host where
     * @param tci the tag
     * @param priority the packet's priority
     */
    static void CountPriority(Host* host, uint16_t tci, uint32_t priority);
    /**
     * @param frames where to note it
     * @param frame a frame that was seen
     */
    static void Note(std::vector<CapturedFrame>* frames, Ptr<const Packet> frame);

    Settings m_settings;                 //!< what the link is like
    Host m_a;                            //!< host A
    Host m_b;                            //!< host B
    std::vector<CapturedFrame> m_wire;   //!< seen at A's end of the pair
    std::vector<CapturedFrame> m_inside; //!< seen at B's VLAN device
    uint64_t m_injected{0};              //!< frames put on the wire
    uint64_t m_refused{0};               //!< frames too short or too long for that
};

} // namespace linuxhost
} // namespace ns3

#endif /* VLAN_LINK_H */
