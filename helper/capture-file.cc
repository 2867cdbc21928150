/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "capture-file.h"

#include "example-options.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr std::size_t FILE_HEADER = 24;      ///< bytes of a pcap file's header
constexpr std::size_t RECORD_HEADER = 16;    ///< bytes of a record's header
constexpr uint32_t MAX_RECORD = 262144;      ///< longest record that is believed
constexpr uint32_t MAGIC_MICRO = 0xa1b2c3d4; ///< pcap with microseconds
constexpr uint32_t MAGIC_NANO = 0xa1b23c4d;  ///< pcap with nanoseconds

/**
 * @param data four bytes
 * @param swapped whether they are big endian
 * @returns the number
 */
uint32_t
Read32(const char* data, bool swapped)
{
    uint8_t b[4];
    std::memcpy(b, data, 4);
    if (swapped)
    {
        std::swap(b[0], b[3]);
        std::swap(b[1], b[2]);
    }
    return b[0] | (b[1] << 8) | (b[2] << 16) | (uint32_t(b[3]) << 24);
}

/**
 * @param os where the number goes, little endian
 * @param number the number
 * @param bytes how many bytes of it
 */
void
WriteNumber(std::ostream& os, uint32_t number, int bytes)
{
    for (int i = 0; i < bytes; ++i)
    {
        os.put(static_cast<char>(number >> (8 * i)));
    }
}

} // namespace

std::string
ReadCapture(const std::string& path, CaptureLinkType linkType, std::vector<CapturedPacket>* packets)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        return path + ": cannot be read (" + std::strerror(errno) + ")";
    }
    if (!IsRegularInput(path))
    {
        return path + ": a file is expected, not a folder";
    }
    std::string data{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (data.size() < FILE_HEADER)
    {
        return path + ": shorter than a pcap file's header of 24 bytes";
    }
    bool swapped = false;
    uint32_t magic = Read32(data.data(), false);
    if (magic != MAGIC_MICRO && magic != MAGIC_NANO)
    {
        swapped = true;
        magic = Read32(data.data(), true);
    }
    if (magic != MAGIC_MICRO && magic != MAGIC_NANO)
    {
        return path + ": not a pcap file (its first four bytes are no pcap magic number)";
    }
    uint32_t found = Read32(data.data() + 20, swapped) & 0x0fffffff;
    if (found != linkType)
    {
        return path + ": link type " + std::to_string(found) + ", expected " +
               std::to_string(linkType);
    }
    std::size_t at = FILE_HEADER;
    int64_t start = 0;
    packets->clear();
    while (at < data.size())
    {
        std::string place = path + ": packet " + std::to_string(packets->size() + 1) + " at byte " +
                            std::to_string(at) + ": ";
        if (data.size() - at < RECORD_HEADER)
        {
            return place + "the file ends in its header";
        }
        int64_t time =
            Read32(data.data() + at, swapped) * int64_t(1000000000) +
            Read32(data.data() + at + 4, swapped) * int64_t(magic == MAGIC_NANO ? 1 : 1000);
        uint32_t captured = Read32(data.data() + at + 8, swapped);
        uint32_t length = Read32(data.data() + at + 12, swapped);
        at += RECORD_HEADER;
        if (captured > MAX_RECORD || captured > data.size() - at)
        {
            return place + "the file ends before its " + std::to_string(captured) + " bytes";
        }
        if (captured < length)
        {
            return place + "captured in part (" + std::to_string(captured) + " of " +
                   std::to_string(length) + " bytes)";
        }
        if (packets->empty())
        {
            start = time;
        }
        packets->push_back({NanoSeconds(time - start),
                            std::vector<uint8_t>(data.begin() + at, data.begin() + at + captured)});
        at += captured;
    }
    return "";
}

void
WriteCapture(std::ostream& os,
             CaptureLinkType linkType,
             const std::vector<CapturedPacket>& packets,
             CaptureClock clock)
{
    const bool nano = clock == CaptureClock::NANOSECONDS;
    const int64_t SECOND = nano ? 1000000000 : 1000000;
    WriteNumber(os, nano ? MAGIC_NANO : MAGIC_MICRO, 4);
    WriteNumber(os, 2, 2);
    WriteNumber(os, 4, 2);
    WriteNumber(os, 0, 4);
    WriteNumber(os, 0, 4);
    WriteNumber(os, MAX_RECORD, 4);
    WriteNumber(os, linkType, 4);
    for (const auto& packet : packets)
    {
        int64_t time = nano ? packet.time.GetNanoSeconds() : packet.time.GetMicroSeconds();
        uint32_t size = static_cast<uint32_t>(packet.bytes.size());
        WriteNumber(os, static_cast<uint32_t>(time / SECOND), 4);
        WriteNumber(os, static_cast<uint32_t>(time % SECOND), 4);
        WriteNumber(os, size, 4);
        WriteNumber(os, size, 4);
        os.write(reinterpret_cast<const char*>(packet.bytes.data()), size);
    }
}

} // namespace linuxhost
} // namespace ns3
