/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dummy-net-device.h"

#include "ns3/channel.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("DummyNetDevice");
NS_OBJECT_ENSURE_REGISTERED(DummyNetDevice);

TypeId
DummyNetDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::DummyNetDevice")
                            .SetParent<NetDevice>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<DummyNetDevice>()
                            .AddAttribute("Mtu",
                                          "The MTU.",
                                          UintegerValue(1500),
                                          MakeUintegerAccessor(&DummyNetDevice::m_mtu),
                                          MakeUintegerChecker<uint16_t>(68))
                            .AddTraceSource("MacTx",
                                            "A packet is sent, and gone.",
                                            MakeTraceSourceAccessor(&DummyNetDevice::m_macTxTrace),
                                            "ns3::Packet::TracedCallback");
    return tid;
}

DummyNetDevice::DummyNetDevice(const std::string& name)
    : m_path(name),
      m_ifIndex(0),
      m_address("02:00:00:00:00:01"),
      m_txPackets(0),
      m_txBytes(0)
{
    NS_LOG_FUNCTION(this << name);
}

DummyNetDevice::~DummyNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
DummyNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_node = nullptr;
    NetDevice::DoDispose();
}

bool
DummyNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    ++m_txPackets;
    m_txBytes += packet->GetSize();
    m_macTxTrace(packet);
    if (XmitRecorder* recorder = XmitRecorder::Current())
    {
        m_path.Record(recorder->GetPath(), recorder->GetSkb());
    }
    return true;
}

bool
DummyNetDevice::SendFrom(Ptr<Packet> packet,
                         const Address&,
                         const Address& dest,
                         uint16_t protocolNumber)
{
    return Send(packet, dest, protocolNumber);
}

uint64_t
DummyNetDevice::GetTxPackets() const
{
    return m_txPackets;
}

uint64_t
DummyNetDevice::GetTxBytes() const
{
    return m_txBytes;
}

void
DummyNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
DummyNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
DummyNetDevice::GetChannel() const
{
    return nullptr;
}

void
DummyNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
DummyNetDevice::GetAddress() const
{
    return m_address;
}

bool
DummyNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
DummyNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
DummyNetDevice::IsLinkUp() const
{
    return true;
}

void
DummyNetDevice::AddLinkChangeCallback(Callback<void>)
{
    // Its link is always up.
}

bool
DummyNetDevice::IsBroadcast() const
{
    return true;
}

Address
DummyNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
DummyNetDevice::IsMulticast() const
{
    return true;
}

Address
DummyNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
DummyNetDevice::GetMulticast(Ipv6Address group) const
{
    return Mac48Address::GetMulticast(group);
}

bool
DummyNetDevice::IsBridge() const
{
    return false;
}

bool
DummyNetDevice::IsPointToPoint() const
{
    return false;
}

Ptr<Node>
DummyNetDevice::GetNode() const
{
    return m_node;
}

void
DummyNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
DummyNetDevice::NeedsArp() const
{
    // IFF_NOARP
    return false;
}

void
DummyNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback)
{
    // It never receives.
}

void
DummyNetDevice::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback)
{
    // It never receives.
}

bool
DummyNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace linuxhost
} // namespace ns3
