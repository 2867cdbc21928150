/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_VNET_HEADER_H
#define TUN_VNET_HEADER_H

#include "ns3/sk-buff.h"

#include <cstdint>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The virtio-net header that IFF_VNET_HDR puts before each packet.
 *
 * \verbatim
    byte  0     1        2..3     4..5      6..7        8..9
        +-----+--------+--------+---------+-----------+------------+
        |flags|gso type|hdr len |gso size |csum start |csum offset |   10 bytes
        +-----+--------+--------+---------+-----------+------------+
        | buffers (10..11)                                         |   12 bytes and more: skipped
        +----------------------------------------------------------+
   \endverbatim
 * Numbers are in the byte order that TUNSETVNETLE chose; a host's own order is little endian here.
 */
struct TunVnetHeader : VirtioNetHeader
{
    /// Size without the fields that the device skips.
    static constexpr uint32_t SIZE = 10;
    /// From this size on (TUNSETVNETHDRSZ), Linux also reads the fields of a UDP tunnel.
    static constexpr uint32_t TUNNEL_SIZE = 24;

    static constexpr uint8_t F_UDP_TUNNEL_CSUM = 8;    //!< flag: the outer checksum is wanted
    static constexpr uint8_t GSO_UDP_TUNNEL_V4 = 0x20; //!< added: inside a UDP tunnel over IPv4
    static constexpr uint8_t GSO_UDP_TUNNEL_V6 = 0x40; //!< added: inside a UDP tunnel over IPv6

    uint16_t outerThOffset{0}; //!< outer transport header, of a tunnel
    uint16_t innerNhOffset{0}; //!< inner network header, of a tunnel

    /**
     * @param data the bytes
     * @param tunnel whether the fields of a tunnel are there too
     * @param bigEndian whether numbers are big endian
     * @returns the header
     */
    static TunVnetHeader Parse(const uint8_t* data, bool tunnel, bool bigEndian);
    /**
     * @param[out] data where the first SIZE bytes go
     * @param bigEndian whether numbers are big endian
     */
    void Write(uint8_t* data, bool bigEndian) const;
    /**
     * Whether a packet can be what this header says of it.
     * @param length the packet's length
     * @param packet its bytes
     * @param tunnelAllowed whether GSO inside a UDP tunnel is allowed
     * @param headroom what the host reserves before the packet; csumStart counts on top of it
     * @returns whether the host takes the packet
     */
    bool Fits(const uint8_t* packet, uint32_t length, bool tunnelAllowed, uint32_t headroom) const;
    /**
     * @param length the packet's length
     * @returns whether the packet is larger than one segment
     */
    bool IsGso(uint32_t length) const;

  private:
    /**
     * Fits() for what is not a tunnel, or for the inside of one.
     * @param length the packet's length
     * @param type the GSO type without tunnel bits
     * @param headroom what the host reserves before the packet
     * @returns whether the host takes the packet
     */
    bool FitsPlain(uint32_t length, uint8_t type, uint32_t headroom) const;
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_VNET_HEADER_H */
