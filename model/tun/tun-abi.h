/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_ABI_H
#define TUN_ABI_H

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup linux-host
 * The numbers of Linux's tun interface: flags, offloads, errors.
 *
 * Linux's own names (IFF_TUN, TUN_F_CSUM, EBADFD) are macros of its headers, so the constants here
 * are named a little differently and live happily beside those headers.
 */

namespace ns3
{
namespace linuxhost
{

/// Flags of TUNSETIFF, TUNGETIFF and TUNSETQUEUE, with Linux's values.
enum TunFlag : uint16_t
{
    TUN_FLAG_TUN = 0x0001,          //!< IFF_TUN: packets without link header
    TUN_FLAG_TAP = 0x0002,          //!< IFF_TAP: Ethernet frames
    TUN_FLAG_NAPI = 0x0010,         //!< IFF_NAPI: received packets pass a NAPI queue
    TUN_FLAG_NAPI_FRAGS = 0x0020,   //!< IFF_NAPI_FRAGS: they pass it as page fragments
    TUN_FLAG_NO_CARRIER = 0x0040,   //!< IFF_NO_CARRIER: attach without raising the carrier
    TUN_FLAG_MULTI_QUEUE = 0x0100,  //!< IFF_MULTI_QUEUE: a queue for each file
    TUN_FLAG_ATTACH_QUEUE = 0x0200, //!< IFF_ATTACH_QUEUE: of TUNSETQUEUE
    TUN_FLAG_DETACH_QUEUE = 0x0400, //!< IFF_DETACH_QUEUE: of TUNSETQUEUE
    TUN_FLAG_PERSIST = 0x0800,      //!< IFF_PERSIST: told by TUNGETIFF
    TUN_FLAG_NO_PI = 0x1000,        //!< IFF_NO_PI: no packet information header
    TUN_FLAG_NO_FILTER = 0x1000,    //!< IFF_NOFILTER: told by TUNGETIFF; the same bit as IFF_NO_PI
    TUN_FLAG_ONE_QUEUE = 0x2000,    //!< IFF_ONE_QUEUE: kept, without effect
    TUN_FLAG_VNET_HDR = 0x4000,     //!< IFF_VNET_HDR: a virtio-net header before the packet
    TUN_FLAG_EXCL = 0x8000,         //!< IFF_TUN_EXCL: refuse a device that exists
};

/// The flags that a device takes over from TUNSETIFF.
constexpr uint16_t TUN_FEATURES = TUN_FLAG_NO_PI | TUN_FLAG_ONE_QUEUE | TUN_FLAG_VNET_HDR |
                                  TUN_FLAG_MULTI_QUEUE | TUN_FLAG_NAPI | TUN_FLAG_NAPI_FRAGS;

/// Offloads of TUNSETOFFLOAD, with Linux's values.
enum TunOffload : uint32_t
{
    TUN_OFFLOAD_CSUM = 0x01,                //!< TUN_F_CSUM: the reader takes partial checksums
    TUN_OFFLOAD_TSO4 = 0x02,                //!< TUN_F_TSO4: and large TCP segments over IPv4
    TUN_OFFLOAD_TSO6 = 0x04,                //!< TUN_F_TSO6: and over IPv6
    TUN_OFFLOAD_TSO_ECN = 0x08,             //!< TUN_F_TSO_ECN: also with CWR set
    TUN_OFFLOAD_UFO = 0x10,                 //!< TUN_F_UFO: accepted, without effect
    TUN_OFFLOAD_USO4 = 0x20,                //!< TUN_F_USO4: large UDP sends over IPv4
    TUN_OFFLOAD_USO6 = 0x40,                //!< TUN_F_USO6: and over IPv6
    TUN_OFFLOAD_UDP_TUNNEL_GSO = 0x80,      //!< TUN_F_UDP_TUNNEL_GSO: GSO inside a UDP tunnel
    TUN_OFFLOAD_UDP_TUNNEL_GSO_CSUM = 0x100 //!< TUN_F_UDP_TUNNEL_GSO_CSUM: with outer checksum
};

/// What TunFile::Poll tells, with Linux's values.
enum TunPoll : uint16_t
{
    TUN_POLLIN = 0x001,  //!< a packet can be read
    TUN_POLLOUT = 0x004, //!< a packet can be written
    TUN_POLLERR = 0x008, //!< no device
};

/// TUN_PKT_STRIP, in the flags of the packet information header: the packet was truncated.
constexpr uint16_t TUN_PKT_STRIP = 0x0001;
/// TUN_FLT_ALLMULTI, in the flags of a transmit filter: every multicast address passes.
constexpr uint16_t TUN_FILTER_ALLMULTI = 0x0001;

/// Most queues of a device (MAX_TAP_QUEUES).
constexpr uint32_t TUN_MAX_QUEUES = 256;
/// Size of the packet information header.
constexpr uint32_t TUN_PI_SIZE = 4;

/// Linux's error numbers; calls return them negative.
enum LinuxErrno : int32_t
{
    LINUX_EPERM = 1,          //!< not the owner
    LINUX_EIO = 5,            //!< the device is down
    LINUX_E2BIG = 7,          //!< too many queues
    LINUX_EBADF = 9,          //!< the file is closed
    LINUX_EAGAIN = 11,        //!< nothing to read
    LINUX_ENOMEM = 12,        //!< no memory
    LINUX_EFAULT = 14,        //!< bad address; also, the device went away under a sleeping reader
    LINUX_EBUSY = 16,         //!< taken
    LINUX_EEXIST = 17,        //!< the file has a device already
    LINUX_ENODEV = 19,        //!< no such device
    LINUX_EINVAL = 22,        //!< invalid argument
    LINUX_ENFILE = 23,        //!< no number left for a name template
    LINUX_EBADFD = 77,        //!< the file has no device
    LINUX_EMSGSIZE = 90,      //!< packet too long
    LINUX_EOPNOTSUPP = 95,    //!< not supported
    LINUX_EADDRNOTAVAIL = 99, //!< not a unicast address
    LINUX_ENETDOWN = 100,     //!< the device is down
    LINUX_ENOBUFS = 105,      //!< no buffer space
};

/**
 * @ingroup linux-host
 * @param error an error number, positive or negative
 * @returns its name, such as `EINVAL`, or the number as text
 */
std::string LinuxErrnoName(int32_t error);

/**
 * @ingroup linux-host
 * @param name a flag's name, such as `IFF_TAP`
 * @param[out] flag the flag
 * @returns whether there is such a flag
 */
bool TunFlagFromName(const std::string& name, uint16_t* flag);

/**
 * @ingroup linux-host
 * @param flags flags of TUNGETIFF
 * @returns their names, in order of their values
 */
std::vector<std::string> TunFlagNames(uint16_t flags);

/**
 * @ingroup linux-host
 * What the tun device counts, under the names of `ip -s link`.
 *
 * Received is what the program wrote, sent is what it read.
 */
struct TunStatistics
{
    uint64_t rxPackets{0};     //!< packets written by the program and taken by the host
    uint64_t rxBytes{0};       //!< their bytes, without packet information and virtio-net header
    uint64_t rxErrors{0};      //!< always 0, as in Linux
    uint64_t rxDropped{0};     //!< written but dropped: device down, unknown version or protocol
    uint64_t rxFrameErrors{0}; //!< TUN: written with a virtio-net header that does not fit
    uint64_t txPackets{0};     //!< packets read by the program
    uint64_t txBytes{0};       //!< their whole length, also of truncated ones
    uint64_t txErrors{0};      //!< always 0, as in Linux
    uint64_t txDropped{0};     //!< not queued: no queue, filtered out, or queue full
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_ABI_H */
