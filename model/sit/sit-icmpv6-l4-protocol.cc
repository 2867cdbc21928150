/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-icmpv6-l4-protocol.h"

#include "ip-input-check.h"
#include "linux-icmp-sender.h"
#include "sit-net-device.h"

#include "ns3/boolean.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6-route.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"

#include <vector>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("SitIcmpv6L4Protocol");
NS_OBJECT_ENSURE_REGISTERED(SitIcmpv6L4Protocol);

namespace
{

constexpr uint32_t ICMP_HEADER = 8;     ///< bytes of an ICMPv6 header
constexpr uint32_t IPV6_HEADER = 40;    ///< bytes of an IPv6 header
constexpr uint32_t IPV6_MIN_MTU = 1280; ///< smallest MTU of IPv6

} // namespace

TypeId
SitIcmpv6L4Protocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::SitIcmpv6L4Protocol")
                            .SetParent<Icmpv6L4Protocol>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<SitIcmpv6L4Protocol>();
    return tid;
}

SitIcmpv6L4Protocol::SitIcmpv6L4Protocol()
{
}

void
SitIcmpv6L4Protocol::DoDispose()
{
    m_device = nullptr;
    Icmpv6L4Protocol::DoDispose();
}

void
SitIcmpv6L4Protocol::SetDevice(Ptr<SitNetDevice> device)
{
    m_device = device;
    SetNode(device->GetNode());
    SetAttribute("DAD", BooleanValue(false));
    Ptr<IpL4Protocol> self = this;
    self->SetDownTarget6(
        MakeCallback(&Ipv6L3Protocol::Send, m_device->GetNode()->GetObject<Ipv6L3Protocol>()));
}

void
SitIcmpv6L4Protocol::FunctionDadTimeout(Ipv6Interface* interface, Ipv6Address address)
{
    NS_LOG_FUNCTION(this << interface << address);
    // The address is good at once, and no router is asked for.
    for (uint32_t i = 0; i < interface->GetNAddresses(); ++i)
    {
        if (interface->GetAddress(i).GetAddress() == address)
        {
            interface->SetState(address, Ipv6InterfaceAddress::PREFERRED);
            return;
        }
    }
}

IpL4Protocol::RxStatus
SitIcmpv6L4Protocol::Receive(Ptr<Packet> packet,
                             const Ipv6Header& header,
                             Ptr<Ipv6Interface> interface)
{
    NS_LOG_FUNCTION(this << packet << header << interface);
    if (!m_device)
    {
        return RX_OK;
    }
    uint32_t size = packet->GetSize();
    std::vector<uint8_t> message(size);
    packet->CopyData(message.data(), size);
    uint8_t addresses[32];
    header.GetSource().Serialize(addresses);
    header.GetDestination().Serialize(addresses + 16);
    uint32_t sum = PseudoHeaderSum6(addresses, addresses + 16, size, IP_PROTOCOL_ICMPV6);
    if (size < ICMP_HEADER || InternetSum(message.data(), size, sum) != 0xffff)
    {
        m_device->Drop(SIT_RX_BAD_SEGMENT, packet);
        return RX_CSUM_FAILED;
    }
    switch (message[0])
    {
    case LinuxIcmpSender::ICMPV6_ECHO_REQUEST:
        if (!header.GetSource().IsAny())
        {
            LinuxIcmpSender::Of(m_device->GetNode())->SendEchoReply6(message, header, m_device);
        }
        return RX_OK;
    case LinuxIcmpSender::ICMPV6_PKT_TOOBIG: {
        uint32_t mtu =
            (uint32_t(message[4]) << 24) | (message[5] << 16) | (message[6] << 8) | message[7];
        if (mtu < IPV6_MIN_MTU || mtu >= m_device->GetMtu())
        {
            // No path of IPv6 is narrower, and a report never widens one.
            return RX_OK;
        }
        break;
    }
    case LinuxIcmpSender::ICMPV6_DEST_UNREACH:
    case LinuxIcmpSender::ICMPV6_TIME_EXCEED:
    case LinuxIcmpSender::ICMPV6_PARAMPROB:
        break;
    default:
        // Neighbor discovery, multicast listeners, echo replies: nobody here waits for them.
        return RX_OK;
    }
    // An error for a socket: ns-3 wants the whole quoted header and eight more bytes.
    if (size < ICMP_HEADER + IPV6_HEADER + 8 || (message[ICMP_HEADER] >> 4) != 6)
    {
        m_device->Drop(SIT_RX_BAD_SEGMENT, packet);
        return RX_OK;
    }
    return Icmpv6L4Protocol::Receive(packet, header, interface);
}

} // namespace linuxhost
} // namespace ns3
