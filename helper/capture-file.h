/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CAPTURE_FILE_H
#define CAPTURE_FILE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A packet of a capture.
 */
struct CapturedPacket
{
    Time time;                  //!< when it was seen
    std::vector<uint8_t> bytes; //!< the packet
};

/// Link types of captures.
enum CaptureLinkType : uint32_t
{
    LINKTYPE_ETHERNET = 1, //!< Ethernet frames
    LINKTYPE_RAW = 101,    //!< IPv4 or IPv6 packets
};

/**
 * @ingroup linux-host
 * Read a pcap file (either byte order, microseconds or nanoseconds).
 * @param path the file
 * @param linkType the link type it must have
 * @param[out] packets its packets
 * @returns the empty string, or what is wrong and where
 */
std::string ReadCapture(const std::string& path,
                        CaptureLinkType linkType,
                        std::vector<CapturedPacket>* packets);

/// What the times of a capture are written in.
enum class CaptureClock
{
    MICROSECONDS, //!< the usual pcap file
    NANOSECONDS,  //!< with the magic number of nanoseconds
};

/**
 * @ingroup linux-host
 * Write a pcap file (little endian).
 * @param os where it goes
 * @param linkType the link type
 * @param packets the packets
 * @param clock what times are written in
 */
void WriteCapture(std::ostream& os,
                  CaptureLinkType linkType,
                  const std::vector<CapturedPacket>& packets,
                  CaptureClock clock = CaptureClock::MICROSECONDS);

} // namespace linuxhost
} // namespace ns3

#endif /* CAPTURE_FILE_H */
