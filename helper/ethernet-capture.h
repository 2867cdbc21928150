/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ETHERNET_CAPTURE_H
#define ETHERNET_CAPTURE_H

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
 * A frame and when it was seen.
 */
struct CapturedFrame
{
    int64_t nanoseconds{0};     //!< since the capture's zero
    std::vector<uint8_t> frame; //!< from the destination address on, without FCS
};

/**
 * @ingroup linux-host
 * Read a capture of Ethernet frames (pcap, not pcapng).
 * @param path the file
 * @param[out] frames the frames; times count from the first
 * @returns the empty string, or one line that says what is wrong and where
 */
std::string ReadEthernetCapture(const std::string& path, std::vector<CapturedFrame>* frames);

/**
 * @ingroup linux-host
 * Write a capture of Ethernet frames (pcap, microseconds).
 * @param os where to
 * @param frames the frames
 */
void WriteEthernetCapture(std::ostream& os, const std::vector<CapturedFrame>& frames);

} // namespace linuxhost
} // namespace ns3

#endif /* ETHERNET_CAPTURE_H */
