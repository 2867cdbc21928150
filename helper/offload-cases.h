/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OFFLOAD_CASES_H
#define OFFLOAD_CASES_H

#include "ns3/sk-buff.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A frame and the header that describes it.
 */
struct DescribedFrame
{
    std::vector<uint8_t> frame; //!< the bytes
    VirtioNetHeader header;     //!< what is known of them
};

/**
 * @ingroup linux-host
 * A frame written to a tap device that is bridged to a device without offloads.
 */
struct GsoCase
{
    std::string name;                      //!< of the case
    DescribedFrame in;                     //!< what is written
    bool writeFails{false};                //!< whether the write is refused
    std::vector<std::vector<uint8_t>> out; //!< what leaves the other device
};

/**
 * @ingroup linux-host
 * A burst of frames received by a device with GRO that is bridged to a tap device.
 */
struct GroCase
{
    std::string name;                     //!< of the case
    std::vector<std::vector<uint8_t>> in; //!< the burst
    std::vector<DescribedFrame> out;      //!< what the tap device's reader gets
};

/**
 * @ingroup linux-host
 * Recorded behavior of a kernel's segmentation and receive offload.
 */
struct OffloadCases
{
    std::vector<GsoCase> gso; //!< of segmentation and checksum completion
    std::vector<GroCase> gro; //!< of receive offload
};

/**
 * @ingroup linux-host
 * @param path a JSON file; one packed by gzip as well, where the pack was built with zlib
 * @param[out] cases what is in it
 * @returns the empty string, or one line that says what is wrong and where
 */
std::string LoadOffloadCases(const std::string& path, OffloadCases* cases);

/**
 * @ingroup linux-host
 * Send a frame through the model's segmentation.
 * @param in the frame as it is written
 * @param[out] writeFails whether the write is refused
 * @returns what leaves the device without offloads; a tag is beside the frame, not in it
 */
std::vector<std::vector<uint8_t>> ReplayGso(const DescribedFrame& in, bool* writeFails);

/**
 * @ingroup linux-host
 * Send a burst through the model's receive offload.
 * @param in the burst
 * @returns what a tap device's reader gets
 */
std::vector<DescribedFrame> ReplayGro(const std::vector<std::vector<uint8_t>>& in);

/**
 * @ingroup linux-host
 * @param testCase a case
 * @returns the empty string when the model does as the kernel did, else the first difference
 */
std::string CheckGsoCase(const GsoCase& testCase);
/**
 * @ingroup linux-host
 * @param testCase a case
 * @returns the empty string when the model does as the kernel did, else the first difference
 */
std::string CheckGroCase(const GroCase& testCase);

} // namespace linuxhost
} // namespace ns3

#endif /* OFFLOAD_CASES_H */
