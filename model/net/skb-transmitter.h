/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SKB_TRANSMITTER_H
#define SKB_TRANSMITTER_H

#include "ns3/sk-buff.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A device that takes frames with what travels beside them: for segmentation, with a checksum to
 * complete, with an accelerated tag.
 */
class SkbTransmitter
{
  public:
    virtual ~SkbTransmitter() = default;
    /**
     * Send a frame (dev_queue_xmit).
     * @param skb the frame, with its Ethernet header
     * @param priority the packet's priority
     * @returns whether it was sent
     */
    virtual bool TransmitSkb(const SkBuff& skb, uint32_t priority) = 0;
};

/**
 * @ingroup linux-host
 * Counters of a device, as `ip -s link` shows them.
 */
struct LinkCounters
{
    uint64_t rxBytes{0};            //!< bytes received
    uint64_t rxPackets{0};          //!< packets received
    uint64_t rxErrors{0};           //!< malformed packets received
    uint64_t rxDropped{0};          //!< received packets dropped
    uint64_t rxMulticast{0};        //!< multicast packets received
    uint64_t rxOtherhostDropped{0}; //!< received packets for others, or of a VLAN that nobody has
    uint64_t txBytes{0};            //!< bytes sent
    uint64_t txPackets{0};          //!< packets sent
    uint64_t txErrors{0};           //!< packets that could not be sent
    uint64_t txDropped{0};          //!< packets for sending dropped
};

} // namespace linuxhost
} // namespace ns3

#endif /* SKB_TRANSMITTER_H */
