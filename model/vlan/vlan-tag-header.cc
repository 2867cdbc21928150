/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-tag-header.h"

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(VlanTagHeader);

TypeId
VlanTagHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::VlanTagHeader")
                            .SetParent<Header>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<VlanTagHeader>();
    return tid;
}

VlanTagHeader::VlanTagHeader(uint16_t tci, uint16_t etherType)
    : m_tci(tci),
      m_etherType(etherType)
{
}

uint16_t
VlanTagHeader::GetTci() const
{
    return m_tci;
}

uint16_t
VlanTagHeader::GetVid() const
{
    return m_tci & VID_MASK;
}

uint8_t
VlanTagHeader::GetPcp() const
{
    return static_cast<uint8_t>(m_tci >> PCP_SHIFT);
}

bool
VlanTagHeader::IsDropEligible() const
{
    return (m_tci & DEI) != 0;
}

uint16_t
VlanTagHeader::GetEtherType() const
{
    return m_etherType;
}

TypeId
VlanTagHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
VlanTagHeader::Print(std::ostream& os) const
{
    os << "vid=" << GetVid() << " pcp=" << +GetPcp() << " dei=" << IsDropEligible()
       << " ethertype=0x" << std::hex << m_etherType << std::dec;
}

uint32_t
VlanTagHeader::GetSerializedSize() const
{
    return LENGTH;
}

void
VlanTagHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_tci);
    start.WriteHtonU16(m_etherType);
}

uint32_t
VlanTagHeader::Deserialize(Buffer::Iterator start)
{
    m_tci = start.ReadNtohU16();
    m_etherType = start.ReadNtohU16();
    return LENGTH;
}

} // namespace linuxhost
} // namespace ns3
