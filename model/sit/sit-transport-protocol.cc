/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-transport-protocol.h"

#include "ip-input-check.h"
#include "linux-icmp-sender.h"
#include "sit-l4-protocol.h"
#include "sit-net-device.h"

#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-route.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"

#include <vector>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("SitTransportProtocol");
NS_OBJECT_ENSURE_REGISTERED(SitTransportProtocol);

namespace
{

constexpr uint8_t ICMP_PORT_UNREACH = 3; ///< ICMPv4 code: port unreachable

} // namespace

TypeId
SitTransportProtocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::SitTransportProtocol")
                            .SetParent<IpL4Protocol>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<SitTransportProtocol>();
    return tid;
}

void
SitTransportProtocol::DoDispose()
{
    m_device = nullptr;
    m_transport = nullptr;
    IpL4Protocol::DoDispose();
}

void
SitTransportProtocol::Setup(Ptr<SitNetDevice> device, Ptr<IpL4Protocol> transport)
{
    m_device = device;
    m_transport = transport;
}

int
SitTransportProtocol::GetProtocolNumber() const
{
    return m_transport->GetProtocolNumber();
}

IpL4Protocol::RxStatus
SitTransportProtocol::Receive(Ptr<Packet> packet,
                              const Ipv4Header& header,
                              Ptr<Ipv4Interface> incomingInterface)
{
    Ptr<Packet> whole = packet->Copy();
    RxStatus status = m_transport->Receive(packet, header, incomingInterface);
    if (status == RX_ENDPOINT_UNREACH)
    {
        // ns-3's ICMP would quote eight bytes.
        SitL4Protocol::Of(m_transport->GetObject<Node>())
            ->AnswerUnreachable(header, whole, ICMP_PORT_UNREACH);
        return RX_OK;
    }
    return status;
}

IpL4Protocol::RxStatus
SitTransportProtocol::Receive(Ptr<Packet> packet,
                              const Ipv6Header& header,
                              Ptr<Ipv6Interface> incomingInterface)
{
    NS_LOG_FUNCTION(this << packet << header << incomingInterface);
    uint32_t size = packet->GetSize();
    std::vector<uint8_t> segment(size);
    packet->CopyData(segment.data(), size);
    uint8_t addresses[32];
    header.GetSource().Serialize(addresses);
    header.GetDestination().Serialize(addresses + 16);
    uint8_t protocol = static_cast<uint8_t>(GetProtocolNumber());
    std::size_t length = CheckSegment(protocol,
                                      segment.data(),
                                      size,
                                      PseudoHeaderSum6(addresses, addresses + 16, size, protocol),
                                      false,
                                      Node::ChecksumEnabled());
    if (length == 0)
    {
        m_device->Drop(SIT_RX_BAD_SEGMENT, packet);
        return RX_CSUM_FAILED;
    }
    packet->RemoveAtEnd(size - static_cast<uint32_t>(length));
    RxStatus status = m_transport->Receive(packet, header, incomingInterface);
    if (status != RX_ENDPOINT_UNREACH)
    {
        return status;
    }
    std::vector<uint8_t> quoted = m_device->GetDelivering();
    if (!quoted.empty())
    {
        // What UDP cut off is not quoted either.
        quoted.resize(quoted.size() - (size - length));
        m_device->Drop(SIT_RX_NO_PROTOCOL, packet);
        LinuxIcmpSender::Of(m_device->GetNode())
            ->SendError6(quoted,
                         LinuxIcmpSender::ICMPV6_DEST_UNREACH,
                         LinuxIcmpSender::ICMPV6_PORT_UNREACH,
                         0,
                         m_device);
    }
    return RX_OK;
}

void
SitTransportProtocol::SetDownTarget(IpL4Protocol::DownTargetCallback cb)
{
    m_transport->SetDownTarget(cb);
}

void
SitTransportProtocol::SetDownTarget6(IpL4Protocol::DownTargetCallback6 cb)
{
    m_transport->SetDownTarget6(cb);
}

IpL4Protocol::DownTargetCallback
SitTransportProtocol::GetDownTarget() const
{
    return m_transport->GetDownTarget();
}

IpL4Protocol::DownTargetCallback6
SitTransportProtocol::GetDownTarget6() const
{
    return m_transport->GetDownTarget6();
}

} // namespace linuxhost
} // namespace ns3
