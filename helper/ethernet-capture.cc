/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ethernet-capture.h"

#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint32_t MAGIC_MICROSECONDS = 0xa1b2c3d4; //!< first word of a file with microseconds
constexpr uint32_t MAGIC_NANOSECONDS = 0xa1b23c4d;  //!< first word of a file with nanoseconds
constexpr uint32_t LINK_ETHERNET = 1;               //!< link type of Ethernet
/// Longest frame that is kept, as capture programs have it.
constexpr uint32_t SNAP_LENGTH = 262144;

/**
 * @param text a file's content
 * @param at where a number begins
 * @param swapped whether the file's byte order is big endian
 * @returns the number
 */
uint32_t
Read32(const std::string& text, size_t at, bool swapped)
{
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++)
    {
        const auto byte = static_cast<uint8_t>(text[at + (swapped ? i : 3 - i)]);
        value = (value << 8) | byte;
    }
    return value;
}

/**
 * @param os where to
 * @param value a number
 * @param bytes how many
 */
void
Write(std::ostream& os, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
    {
        os.put(static_cast<char>(value & 0xff));
        value >>= 8;
    }
}

} // namespace

std::string
ReadEthernetCapture(const std::string& path, std::vector<CapturedFrame>* frames)
{
    struct stat status;
    std::ifstream file(path, std::ios::binary);
    if (stat(path.c_str(), &status) != 0 || !file.is_open())
    {
        return path + ": cannot be read";
    }
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    {
        return path + ": not a file";
    }
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    if (text.size() < 24)
    {
        return path + ": byte 0: expected the 24-byte header of a pcap file";
    }
    bool swapped = false;
    uint32_t magic = Read32(text, 0, false);
    if (magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS)
    {
        swapped = true;
        magic = Read32(text, 0, true);
    }
    if (magic != MAGIC_MICROSECONDS && magic != MAGIC_NANOSECONDS)
    {
        return path + ": byte 0: not a pcap file (pcapng is not read)";
    }
    const uint32_t linkType = Read32(text, 20, swapped) & 0xffff;
    if (linkType != LINK_ETHERNET)
    {
        return path + ": byte 20: expected link type 1 (Ethernet), found " +
               std::to_string(linkType);
    }
    const int64_t unit = magic == MAGIC_NANOSECONDS ? 1 : 1000;
    int64_t first = 0;
    size_t at = 24;
    while (at < text.size())
    {
        const std::string place = path + ": frame " + std::to_string(frames->size());
        if (text.size() - at < 16)
        {
            return place + ": the record's header is cut off";
        }
        const int64_t time = static_cast<int64_t>(Read32(text, at, swapped)) * 1000000000 +
                             static_cast<int64_t>(Read32(text, at + 4, swapped)) * unit;
        const uint32_t length = Read32(text, at + 8, swapped);
        at += 16;
        if (length > SNAP_LENGTH)
        {
            return place + ": expected at most " + std::to_string(SNAP_LENGTH) + " bytes, found " +
                   std::to_string(length);
        }
        if (length > text.size() - at)
        {
            return place + ": the frame is cut off";
        }
        if (frames->empty())
        {
            first = time;
        }
        CapturedFrame captured;
        captured.nanoseconds = time - first;
        captured.frame.assign(text.begin() + static_cast<std::ptrdiff_t>(at),
                              text.begin() + static_cast<std::ptrdiff_t>(at + length));
        frames->push_back(std::move(captured));
        at += length;
    }
    return "";
}

void
WriteEthernetCapture(std::ostream& os, const std::vector<CapturedFrame>& frames)
{
    Write(os, MAGIC_MICROSECONDS, 4);
    Write(os, 2, 2);
    Write(os, 4, 2);
    Write(os, 0, 4);
    Write(os, 0, 4);
    Write(os, SNAP_LENGTH, 4);
    Write(os, LINK_ETHERNET, 4);
    for (const CapturedFrame& captured : frames)
    {
        const auto length = static_cast<uint32_t>(captured.frame.size());
        Write(os, static_cast<uint32_t>(captured.nanoseconds / 1000000000), 4);
        Write(os, static_cast<uint32_t>(captured.nanoseconds % 1000000000 / 1000), 4);
        Write(os, length, 4);
        Write(os, length, 4);
        os.write(reinterpret_cast<const char*>(captured.frame.data()), length);
    }
}

} // namespace linuxhost
} // namespace ns3
