/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SK_BUFF_H
#define SK_BUFF_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/// Length of an Ethernet header without tags.
constexpr uint32_t ETHERNET_HEADER_LENGTH = 14;
/// Length of one VLAN tag.
constexpr uint32_t VLAN_TAG_LENGTH = 4;

/**
 * @ingroup linux-host
 * What is known of a frame's transport checksum (ip_summed).
 */
enum class ChecksumState : uint8_t
{
    NONE,        //!< nothing: complete on transmit, unverified on receive
    UNNECESSARY, //!< verified on receive
    PARTIAL,     //!< only the pseudo header's sum is in the field; the rest is still to be added
};

/**
 * @ingroup linux-host
 * What a device must be able to do to segment a frame, one bit each.
 */
enum GsoTypeBit : uint32_t
{
    GSO_TYPE_TCPV4 = 1 << 0,       //!< TCP over IPv4
    GSO_TYPE_DODGY = 1 << 1,       //!< from an untrusted source: the headers need checking
    GSO_TYPE_TCP_ECN = 1 << 2,     //!< CWR is set: on the first segment only (RFC 3168)
    GSO_TYPE_TCP_FIXEDID = 1 << 3, //!< all segments keep one IPv4 identification
    GSO_TYPE_TCPV6 = 1 << 4,       //!< TCP over IPv6
    GSO_TYPE_UDP = 1 << 5,         //!< UDP fragmentation
    GSO_TYPE_UDP_L4 = 1 << 6,      //!< UDP segmentation: datagrams of equal size
    GSO_TYPE_TCP_ACCECN = 1 << 7,  //!< CWR is part of a counter: on every segment (RFC 9768)
};

/**
 * @ingroup linux-host
 * The header a frame has on a tap device with IFF_VNET_HDR, and on a virtio ring.
 */
struct VirtioNetHeader
{
    static constexpr uint8_t F_NEEDS_CSUM = 1; //!< flag: checksum is partial
    static constexpr uint8_t F_DATA_VALID = 2; //!< flag: checksum was verified
    static constexpr uint8_t GSO_NONE = 0;     //!< type: not segmented
    static constexpr uint8_t GSO_TCPV4 = 1;    //!< type: TCP over IPv4
    static constexpr uint8_t GSO_UDP = 3;      //!< type: UDP fragmentation
    static constexpr uint8_t GSO_TCPV6 = 4;    //!< type: TCP over IPv6
    static constexpr uint8_t GSO_UDP_L4 = 5;   //!< type: UDP segmentation
    static constexpr uint8_t GSO_ECN = 0x80;   //!< added to a TCP type: CWR is set

    uint8_t flags{0};       //!< F_NEEDS_CSUM, F_DATA_VALID
    uint8_t gsoType{0};     //!< one of the types, with or without GSO_ECN
    uint16_t hdrLen{0};     //!< bytes that should be linear
    uint16_t gsoSize{0};    //!< payload of a segment
    uint16_t csumStart{0};  //!< where the summed bytes begin, from the frame's start
    uint16_t csumOffset{0}; //!< where the checksum is, from csumStart
};

/**
 * @ingroup linux-host
 * @param a one header
 * @param b another
 * @returns whether all fields are equal
 */
bool operator==(const VirtioNetHeader& a, const VirtioNetHeader& b);

/**
 * @ingroup linux-host
 * A frame and what travels beside it through a Linux network stack.
 *
 * The bytes begin with the destination address and have no FCS. A tag that is "accelerated" is
 * not among them: it is in the vlan fields, for a device that inserts it by itself.
 */
struct SkBuff
{
    std::vector<uint8_t> data;                   //!< the frame
    uint32_t headLength{0};                      //!< linear bytes; the rest is in fragments
    bool hasFragList{false};                     //!< some of the rest is a list of buffers
    ChecksumState ipSummed{ChecksumState::NONE}; //!< of the transport checksum
    uint16_t csumStart{0};                       //!< with PARTIAL: first summed byte
    uint16_t csumOffset{0};                      //!< with PARTIAL: the field, from csumStart
    uint32_t gsoType{0};                         //!< bits of GsoTypeBit
    uint16_t gsoSize{0};                         //!< payload of a segment; 0: not segmented
    uint32_t gsoSegs{0};                         //!< number of segments; 0: not counted
    bool vlanTagPresent{false};                  //!< there is an accelerated tag
    uint16_t vlanProtocol{0};                    //!< its EtherType
    uint16_t vlanTci{0};                         //!< its priority, DEI and id
    uint32_t flowHash{0};                        //!< the device's hash of the flow; 0: none

    SkBuff() = default;
    /// @param bytes the frame, all of it linear
    explicit SkBuff(std::vector<uint8_t> bytes);

    /// @returns whether this is a frame for segmentation
    bool IsGso() const;
    /// @returns whether it is for TCP segmentation
    bool IsGsoTcp() const;
    /// @returns the EtherType at the usual place: a tag's, if one is in the frame
    uint16_t GetProtocol() const;
    /// @returns number of tags: the accelerated one and those in the frame
    uint32_t CountTags() const;

    /**
     * Take the outermost tag out of the frame and put it beside it, as reception does.
     * @returns false when the frame is too short to hold the tag that it announces and two bytes
     */
    bool UntagVlan();
    /// Put an accelerated tag into the frame.
    void PushVlanTag();

    /**
     * Do what a write to a tap device does with the header before the frame.
     * @param header the header
     * @returns the empty string, or the errno name of the refusal
     */
    std::string ApplyVirtioHeader(const VirtioNetHeader& header);
    /// @returns the header with which a tap device hands this frame to its reader
    VirtioNetHeader MakeVirtioHeader() const;
};

/**
 * @ingroup linux-host
 * Where a frame's headers are.
 */
struct FrameHeaders
{
    uint16_t etherType{0};     //!< behind all tags
    uint32_t network{0};       //!< offset of the network header
    uint32_t transport{0};     //!< offset of the transport header; 0: there is none
    uint8_t ipProtocol{0};     //!< of the transport header
    bool hasExtensions{false}; //!< IPv6 extension headers lie between
};

/**
 * @ingroup linux-host
 * @param data a frame
 * @param[out] headers where its headers are
 * @returns whether it is IPv4 or IPv6 with a whole network header
 */
bool FindFrameHeaders(const std::vector<uint8_t>& data, FrameHeaders* headers);

/**
 * @ingroup linux-host
 * @param bytes where the sum begins
 * @param length number of bytes
 * @param sum what to add to
 * @returns the unfolded ones' complement sum of 16-bit words
 */
uint64_t ChecksumAdd(const uint8_t* bytes, size_t length, uint64_t sum = 0);
/**
 * @ingroup linux-host
 * @param sum an unfolded sum
 * @returns the sum in 16 bits, not complemented
 */
uint16_t ChecksumFold(uint64_t sum);
/**
 * @ingroup linux-host
 * The sum of the pseudo header of TCP and UDP.
 * @param network the IPv4 or IPv6 header
 * @param isIpv6 which of the two
 * @param ipProtocol TCP or UDP
 * @param length of the transport header and what follows
 * @returns the unfolded sum
 */
uint64_t PseudoHeaderSum(const uint8_t* network, bool isIpv6, uint8_t ipProtocol, uint32_t length);

/**
 * @ingroup linux-host
 * @param bytes two bytes in network order
 * @returns the number
 */
inline uint16_t
ReadNetwork16(const uint8_t* bytes)
{
    return static_cast<uint16_t>((bytes[0] << 8) | bytes[1]);
}

/**
 * @ingroup linux-host
 * @param bytes four bytes in network order
 * @returns the number
 */
inline uint32_t
ReadNetwork32(const uint8_t* bytes)
{
    return (static_cast<uint32_t>(ReadNetwork16(bytes)) << 16) | ReadNetwork16(bytes + 2);
}

/**
 * @ingroup linux-host
 * @param bytes where two bytes go in network order
 * @param value the number
 */
inline void
WriteNetwork16(uint8_t* bytes, uint16_t value)
{
    bytes[0] = static_cast<uint8_t>(value >> 8);
    bytes[1] = static_cast<uint8_t>(value);
}

/**
 * @ingroup linux-host
 * @param bytes where four bytes go in network order
 * @param value the number
 */
inline void
WriteNetwork32(uint8_t* bytes, uint32_t value)
{
    WriteNetwork16(bytes, static_cast<uint16_t>(value >> 16));
    WriteNetwork16(bytes + 2, static_cast<uint16_t>(value));
}

/**
 * @ingroup linux-host
 * @param packet any packet
 * @returns its bytes
 */
std::vector<uint8_t> PacketToBytes(Ptr<const Packet> packet);
/**
 * @ingroup linux-host
 * @param bytes any bytes
 * @returns a packet of them
 */
Ptr<Packet> BytesToPacket(const std::vector<uint8_t>& bytes);

} // namespace linuxhost
} // namespace ns3

#endif /* SK_BUFF_H */
