/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_TAG_HEADER_H
#define VLAN_TAG_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What follows the EtherType of a VLAN tag: tag control information and the next EtherType.
 *
 * @verbatim
    0                   1                   2                   3
    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
   +-----+-+-----------------------+-------------------------------+
   | PCP |D|          VID          |           EtherType           |
   +-----+-+-----------------------+-------------------------------+
   @endverbatim
 */
class VlanTagHeader : public Header
{
  public:
    static constexpr uint16_t VID_MASK = 0x0fff; //!< bits of the VLAN id
    static constexpr uint16_t DEI = 0x1000;      //!< drop eligible
    static constexpr uint16_t PCP_SHIFT = 13;    //!< where the priority begins
    static constexpr uint32_t LENGTH = 4;        //!< bytes

    /// @returns the TypeId
    static TypeId GetTypeId();
    VlanTagHeader() = default;
    /**
     * @param tci priority, DEI and id
     * @param etherType of what follows
     */
    VlanTagHeader(uint16_t tci, uint16_t etherType);

    /// @returns priority, DEI and id
    uint16_t GetTci() const;
    /// @returns the VLAN id
    uint16_t GetVid() const;
    /// @returns the priority code point
    uint8_t GetPcp() const;
    /// @returns whether the frame may be dropped first
    bool IsDropEligible() const;
    /// @returns EtherType of what follows
    uint16_t GetEtherType() const;

    // inherited from Header
    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint16_t m_tci{0};       //!< priority, DEI and id
    uint16_t m_etherType{0}; //!< of what follows
};

} // namespace linuxhost
} // namespace ns3

#endif /* VLAN_TAG_HEADER_H */
