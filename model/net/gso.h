/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GSO_H
#define GSO_H

#include "offload-features.h"
#include "sk-buff.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What the stack had to do to a frame because the device does not.
 */
struct TransmitWork
{
    uint32_t tagsPushed{0};  //!< tags put into frames
    uint32_t segments{0};    //!< segments built
    uint32_t bytesCopied{0}; //!< payload copied into segments or linear buffers
    uint32_t bytesSummed{0}; //!< bytes read for checksums
    uint32_t linearized{0};  //!< frames made linear
    uint32_t checksums{0};   //!< checksums completed
    uint32_t dropped{0};     //!< frames that could not be segmented

    /// @param other more work
    void Add(const TransmitWork& other);
};

/**
 * @ingroup linux-host
 * Takes the frames that one is made into, one after the other: there may be millions.
 */
using SkBuffSink = std::function<void(SkBuff&&)>;

/**
 * @ingroup linux-host
 * @param skb a frame
 * @param features what the device does for it
 * @returns whether the stack has to segment it (netif_needs_gso)
 */
bool NeedsGso(const SkBuff& skb, OffloadFlags features);

/**
 * @ingroup linux-host
 * Segment a frame in software: TCP over IPv4 and IPv6, and UDP into datagrams or IP fragments.
 *
 * Each segment gets its sequence number, identification, lengths and checksums; PSH and FIN go on
 * the last segment only, and CWR on the first only unless it is part of an accurate ECN count.
 * Checksums are completed unless the device does that. Tags in the frame are repeated, an
 * accelerated tag goes beside each segment.
 *
 * A frame that the device would segment if its headers were trusted (GSO_TYPE_DODGY) comes out
 * whole when they are sound.
 *
 * @param skb the frame
 * @param features what the device does for it
 * @param[out] segments the segments
 * @returns false when the frame cannot be segmented; it is to be dropped then
 */
bool GsoSegment(const SkBuff& skb, OffloadFlags features, std::vector<SkBuff>* segments);
/**
 * @ingroup linux-host
 * @param skb the frame
 * @param features what the device does for it
 * @param sink gets each segment
 * @returns false when the frame cannot be segmented; then there has been no segment
 */
bool GsoSegment(const SkBuff& skb, OffloadFlags features, const SkBuffSink& sink);

/**
 * @ingroup linux-host
 * Complete a partial checksum (skb_checksum_help).
 * @param skb the frame
 * @param replaceZero whether a sum of zero becomes ffff, as UDP wants it and as that function does
 * for all protocols; TCP itself and cards leave TCP's at zero
 * @returns false when the checksum would lie outside the frame
 */
bool CompleteChecksum(SkBuff* skb, bool replaceZero = true);

/**
 * @ingroup linux-host
 * Bring all bytes of a frame into its head.
 * @param skb the frame
 * @returns the number of bytes that were copied
 */
uint32_t Linearize(SkBuff* skb);

/**
 * @ingroup linux-host
 * Make of a frame what a device can send: the tag in the frame when the device does not insert
 * it, segments when it does not segment, linear when it does not gather, checksummed when it does
 * not checksum, in that order.
 *
 * @param skb the frame
 * @param features what the device does for it, from OffloadFeatures::SelectForFrame
 * @param[out] work what was done; added to; may be null
 * @returns the frames for the device; none when the frame is to be dropped
 */
std::vector<SkBuff> ValidateTransmit(const SkBuff& skb, OffloadFlags features, TransmitWork* work);
/**
 * @ingroup linux-host
 * @param skb the frame
 * @param features what the device does for it, from OffloadFeatures::SelectForFrame
 * @param[out] work what was done; added to; may be null
 * @param sink gets each frame for the device
 */
void ValidateTransmit(const SkBuff& skb,
                      OffloadFlags features,
                      TransmitWork* work,
                      const SkBuffSink& sink);

} // namespace linuxhost
} // namespace ns3

#endif /* GSO_H */
