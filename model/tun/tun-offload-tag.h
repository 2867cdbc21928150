/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_OFFLOAD_TAG_H
#define TUN_OFFLOAD_TAG_H

#include "ns3/tag.h"

#include <cstdint>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What the host knows about a packet's checksum and segmentation besides its bytes.
 *
 * Linux lets a packet travel with a checksum that covers the pseudo header only, and tells the next
 * device where the rest belongs. ns-3's layers would take such a packet for a broken one, so here
 * it travels with the whole checksum, and this packet tag remembers the partial one. A tun device
 * whose reader takes partial checksums puts it back, unless somebody has changed the packet since.
 */
class TunOffloadTag : public Tag
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& os) const override;

    bool needsChecksum{false};  //!< whether the checksum may be left to the receiver
    uint32_t checksumBack{0};   //!< from where the sum begins to the packet's end
    uint16_t checksumOffset{0}; //!< from where the sum begins to where it goes
    uint16_t partialSum{0};     //!< the sum of the pseudo header
    uint16_t wholeSum{0};       //!< the checksum, by which a changed packet is known
    uint8_t gsoType{0};         //!< TunVnetHeader::GsoType; not 0: a packet to be segmented
    uint16_t gsoSize{0};        //!< payload of a segment
    uint32_t fragmentBytes{0};  //!< bytes at the packet's end that do not lie in its linear part
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_OFFLOAD_TAG_H */
