/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "veth-link-device.h"

#include "ns3/channel.h"
#include "ns3/ethernet-header.h"
#include "ns3/gso.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("VethLinkDevice");
NS_OBJECT_ENSURE_REGISTERED(VethLinkDevice);

namespace
{

constexpr uint16_t ETHERTYPE_ARP = 0x0806; ///< EtherType of ARP
constexpr uint32_t ARP_SIZE = 28;          ///< bytes of an ARP packet for Ethernet and IPv4

} // namespace

TypeId
VethLinkDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::VethLinkDevice")
                            .SetParent<NetDevice>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<VethLinkDevice>()
                            .AddAttribute("Mtu",
                                          "Largest packet in a frame, in bytes.",
                                          UintegerValue(1500),
                                          MakeUintegerAccessor(&VethLinkDevice::m_mtu),
                                          MakeUintegerChecker<uint16_t>(68))
                            .AddAttribute("Delay",
                                          "Time from one end to the other.",
                                          TimeValue(MicroSeconds(10)),
                                          MakeTimeAccessor(&VethLinkDevice::m_delay),
                                          MakeTimeChecker(Time(0)))
                            .AddAttribute("Gap",
                                          "Shortest time between two frames of one end: long "
                                          "enough for the other host to answer the first.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&VethLinkDevice::m_gap),
                                          MakeTimeChecker(Time(0)))
                            .AddTraceSource("Sniffer",
                                            "Every frame sent or received.",
                                            MakeTraceSourceAccessor(&VethLinkDevice::m_sniffer),
                                            "ns3::Packet::TracedCallback")
                            .AddTraceSource("Drop",
                                            "A frame was dropped.",
                                            MakeTraceSourceAccessor(&VethLinkDevice::m_drop),
                                            "ns3::Packet::TracedCallback");
    return tid;
}

VethLinkDevice::VethLinkDevice()
    : m_ifIndex(0),
      m_mtu(1500),
      m_up(false),
      m_features(CreateObject<OffloadFeatures>())
{
    m_features->Register(0, 0, 0);
}

VethLinkDevice::~VethLinkDevice() = default;

void
VethLinkDevice::DoDispose()
{
    m_peer = nullptr;
    m_node = nullptr;
    m_rx.Nullify();
    m_promiscRx.Nullify();
    m_linkChange.clear();
    m_inputCheck = nullptr;
    // They are aggregated to this device: holding them would keep all of it alive.
    m_features = nullptr;
    NetDevice::DoDispose();
}

void
VethLinkDevice::Join(Ptr<VethLinkDevice> a, Ptr<VethLinkDevice> b)
{
    a->m_peer = b;
    b->m_peer = a;
    for (const Ptr<VethLinkDevice>& end : {a, b})
    {
        end->SetUp(true);
    }
}

void
VethLinkDevice::SetInputCheck(InputCheck check)
{
    m_inputCheck = check;
}

void
VethLinkDevice::SetUp(bool up)
{
    if (up == m_up)
    {
        return;
    }
    m_up = up;
    // The carrier of each end is whether the other is up.
    const auto notify = [](const Ptr<VethLinkDevice>& end) {
        for (const auto& callback : end->m_linkChange)
        {
            callback();
        }
    };
    notify(this);
    if (m_peer)
    {
        notify(m_peer);
    }
}

Ptr<OffloadFeatures>
VethLinkDevice::GetOffloadFeatures() const
{
    return m_features;
}

const LinkCounters&
VethLinkDevice::GetCounters() const
{
    return m_counters;
}

bool
VethLinkDevice::Transmit(Ptr<Packet> frame)
{
    const Time now = Simulator::Now();
    const Time departure = std::max(now, m_nextDeparture);
    m_nextDeparture = departure + m_gap;
    if (departure == now)
    {
        return Depart(frame);
    }
    Simulator::Schedule(departure - now, &VethLinkDevice::Depart, this, frame);
    return true;
}

bool
VethLinkDevice::Depart(Ptr<Packet> frame)
{
    const uint32_t size = frame->GetSize();
    if (!IsLinkUp() || size < ETHERNET_HEADER_LENGTH)
    {
        m_counters.txDropped++;
        m_drop(frame);
        return false;
    }
    m_sniffer(frame);
    if (size > m_peer->m_mtu + ETHERNET_HEADER_LENGTH + VLAN_TAG_LENGTH)
    {
        // The other end does not take it, and the sender is told.
        m_counters.txDropped++;
        m_peer->m_counters.rxDropped++;
        m_drop(frame);
        return false;
    }
    m_counters.txPackets++;
    m_counters.txBytes += size;
    Simulator::ScheduleWithContext(m_peer->m_node->GetId(),
                                   m_delay,
                                   &VethLinkDevice::Receive,
                                   m_peer,
                                   frame);
    return true;
}

bool
VethLinkDevice::TransmitSkb(const SkBuff& skb, uint32_t priority)
{
    NS_LOG_FUNCTION(this << priority);
    TransmitWork work;
    std::vector<SkBuff> frames = ValidateTransmit(skb, m_features->SelectForFrame(skb), &work);
    m_counters.txDropped += work.dropped;
    bool sent = !frames.empty();
    for (SkBuff& frame : frames)
    {
        // This device's hardware is the other end's memory: what the features leave is done here.
        frame.PushVlanTag();
        std::vector<SkBuff> whole;
        if (frame.IsGso())
        {
            GsoSegment(frame, 0, &whole);
        }
        else
        {
            whole.push_back(std::move(frame));
        }
        for (SkBuff& one : whole)
        {
            if (one.ipSummed == ChecksumState::PARTIAL)
            {
                CompleteChecksum(&one);
            }
            sent = Transmit(BytesToPacket(one.data)) && sent;
        }
    }
    return sent;
}

bool
VethLinkDevice::SendFrame(const std::vector<uint8_t>& frame)
{
    return Transmit(BytesToPacket(frame));
}

void
VethLinkDevice::Receive(Ptr<Packet> frame)
{
    if (!m_node || !m_up)
    {
        return;
    }
    NS_LOG_FUNCTION(this << frame);
    m_sniffer(frame);
    m_counters.rxPackets++;
    m_counters.rxBytes += frame->GetSize();
    EthernetHeader header(false);
    Ptr<Packet> packet = frame->Copy();
    packet->RemoveHeader(header);
    uint16_t protocol = header.GetLengthType();
    const Mac48Address destination = header.GetDestination();
    PacketType type = PACKET_OTHERHOST;
    if (destination == m_address)
    {
        type = PACKET_HOST;
    }
    else if (destination.IsBroadcast())
    {
        type = PACKET_BROADCAST;
    }
    else if (destination.IsGroup())
    {
        type = PACKET_MULTICAST;
    }
    if (!m_promiscRx.IsNull())
    {
        m_promiscRx(this, packet, protocol, header.GetSource(), destination, type);
    }
    if (type == PACKET_OTHERHOST)
    {
        m_counters.rxOtherhostDropped++;
    }
    else if (m_inputCheck && !m_inputCheck(&packet, &protocol, type))
    {
        m_counters.rxErrors++;
        m_drop(frame);
    }
    else if (packet && !m_rx.IsNull())
    {
        m_rx(this, packet, protocol, header.GetSource());
    }
}

void
VethLinkDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
VethLinkDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
VethLinkDevice::GetChannel() const
{
    return nullptr;
}

void
VethLinkDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
VethLinkDevice::GetAddress() const
{
    return m_address;
}

bool
VethLinkDevice::SetMtu(const uint16_t mtu)
{
    if (mtu < 68)
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
VethLinkDevice::GetMtu() const
{
    return m_mtu;
}

bool
VethLinkDevice::IsLinkUp() const
{
    return m_up && m_peer && m_peer->m_up && m_peer->m_node;
}

void
VethLinkDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.push_back(callback);
}

bool
VethLinkDevice::IsBroadcast() const
{
    return true;
}

Address
VethLinkDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
VethLinkDevice::IsMulticast() const
{
    return true;
}

Address
VethLinkDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
VethLinkDevice::GetMulticast(Ipv6Address address) const
{
    return Mac48Address::GetMulticast(address);
}

bool
VethLinkDevice::IsBridge() const
{
    return false;
}

bool
VethLinkDevice::IsPointToPoint() const
{
    return false;
}

bool
VethLinkDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
VethLinkDevice::SendFrom(Ptr<Packet> packet,
                         const Address& source,
                         const Address& dest,
                         uint16_t protocolNumber)
{
    if (!Mac48Address::IsMatchingType(source) || !Mac48Address::IsMatchingType(dest))
    {
        m_counters.txDropped++;
        m_drop(packet);
        return false;
    }
    if (protocolNumber == ETHERTYPE_ARP && packet->GetSize() == ARP_SIZE)
    {
        uint8_t arp[ARP_SIZE];
        packet->CopyData(arp, ARP_SIZE);
        if (arp[7] == 1)
        {
            // ns-3 asks for the broadcast address; Linux leaves the wanted address zero.
            std::fill(arp + 18, arp + 24, 0);
            packet = Create<Packet>(arp, ARP_SIZE);
        }
    }
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(Mac48Address::ConvertFrom(dest));
    header.SetLengthType(protocolNumber);
    packet->AddHeader(header);
    return Transmit(packet);
}

Ptr<Node>
VethLinkDevice::GetNode() const
{
    return m_node;
}

void
VethLinkDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    if (node && !GetObject<OffloadFeatures>())
    {
        AggregateObject(m_features);
    }
}

bool
VethLinkDevice::NeedsArp() const
{
    return true;
}

void
VethLinkDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_rx = cb;
}

void
VethLinkDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscRx = cb;
}

bool
VethLinkDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace linuxhost
} // namespace ns3
