/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "offload-cases.h"

#include "ns3/gro.h"
#include "ns3/gso.h"
#include "ns3/offload-features.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/stat.h>

#ifdef LINUX_HOST_HAVE_JSON
#include <nlohmann/json.hpp>
#endif
#ifdef LINUX_HOST_HAVE_ZLIB
#include <zlib.h>
#endif

namespace ns3
{
namespace linuxhost
{

namespace
{

/// MTU of all devices of the recorded bridge.
constexpr uint32_t RECORDED_MTU = 9000;
/// A write to a tap device keeps a frame below this in one piece: with its headroom it fits a page.
constexpr uint32_t TAP_WHOLE_BELOW = 4096 - 64;
/// Of a longer one it puts at most so much into the linear part.
constexpr uint32_t TAP_LINEAR_MAX = 3712;

/**
 * @param bytes of a frame
 * @returns the frame as a write to a tap device builds it
 */
SkBuff
MakeWrittenSkb(const std::vector<uint8_t>& bytes)
{
    SkBuff skb(bytes);
    if (skb.headLength >= TAP_WHOLE_BELOW)
    {
        skb.headLength = TAP_LINEAR_MAX;
    }
    return skb;
}

/**
 * @param expected what the kernel did
 * @param actual what the model did
 * @param where which frame
 * @returns the empty string, or the first difference
 */
std::string
CompareBytes(const std::vector<uint8_t>& expected,
             const std::vector<uint8_t>& actual,
             const std::string& where)
{
    if (expected == actual)
    {
        return "";
    }
    std::ostringstream os;
    const size_t common = std::min(expected.size(), actual.size());
    const auto at = static_cast<size_t>(
        std::mismatch(expected.begin(), expected.begin() + common, actual.begin()).first -
        expected.begin());
    os << where;
    if (at < common)
    {
        os << " byte " << at << ": expected 0x" << std::hex << +expected[at] << ", got 0x"
           << +actual[at] << std::dec;
    }
    if (expected.size() != actual.size())
    {
        os << (at < common ? "," : ":") << " expected " << expected.size() << " bytes, got "
           << actual.size();
    }
    return os.str();
}

#ifdef LINUX_HOST_HAVE_JSON

using Json = nlohmann::json;

/// What is wrong with a file and where: thrown and caught in this file alone.
struct FormError
{
    std::string text; //!< place and what was expected
};

/**
 * @param object a JSON object
 * @param key a key that it must have
 * @param place where the object is
 * @returns the value
 */
const Json&
Member(const Json& object, const std::string& key, const std::string& place)
{
    if (!object.is_object())
    {
        throw FormError{place + ": expected an object"};
    }
    const auto found = object.find(key);
    if (found == object.end())
    {
        throw FormError{place + "." + key + ": missing"};
    }
    return *found;
}

/**
 * @param value a JSON value that must be hexadecimal text
 * @param place where it is
 * @returns the bytes
 */
std::vector<uint8_t>
ReadFrame(const Json& value, const std::string& place)
{
    if (!value.is_string())
    {
        throw FormError{place + ": expected a frame in hexadecimal"};
    }
    const std::string text = value.get<std::string>();
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    if (text.size() % 2)
    {
        throw FormError{place + ": expected an even number of hexadecimal digits"};
    }
    // The longest frame that any length field can describe, and some.
    if (text.size() > 2 * 262144)
    {
        throw FormError{place + ": expected at most 262144 bytes"};
    }
    std::vector<uint8_t> bytes;
    bytes.reserve(text.size() / 2);
    for (size_t i = 0; i < text.size(); i += 2)
    {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0)
        {
            throw FormError{place + ": expected hexadecimal digits only"};
        }
        bytes.push_back(static_cast<uint8_t>(high * 16 + low));
    }
    return bytes;
}

/**
 * @param value a JSON value that must be a virtio-net header
 * @param place where it is
 * @returns the header
 */
VirtioNetHeader
ReadHeader(const Json& value, const std::string& place)
{
    const auto field = [&](const std::string& key, uint64_t max) {
        const Json& number = Member(value, key, place);
        if (!number.is_number_integer() || number.get<int64_t>() < 0 ||
            number.get<uint64_t>() > max)
        {
            throw FormError{place + "." + key + ": expected an integer from 0 to " +
                            std::to_string(max)};
        }
        return number.get<uint64_t>();
    };
    VirtioNetHeader header;
    header.flags = static_cast<uint8_t>(field("flags", 255));
    header.gsoType = static_cast<uint8_t>(field("gso_type", 255));
    header.hdrLen = static_cast<uint16_t>(field("hdr_len", 65535));
    header.gsoSize = static_cast<uint16_t>(field("gso_size", 65535));
    header.csumStart = static_cast<uint16_t>(field("csum_start", 65535));
    header.csumOffset = static_cast<uint16_t>(field("csum_offset", 65535));
    return header;
}

/**
 * @param value a JSON value that must be a list
 * @param place where it is
 * @returns the list
 */
const Json&
ReadList(const Json& value, const std::string& place)
{
    if (!value.is_array())
    {
        throw FormError{place + ": expected a list"};
    }
    return value;
}

/**
 * @param object a case
 * @param place where it is
 * @returns its name, or its place when it has none
 */
std::string
ReadName(const Json& object, const std::string& place)
{
    const Json& name = Member(object, "name", place);
    if (!name.is_string())
    {
        throw FormError{place + ".name: expected text"};
    }
    return name.get<std::string>();
}

/**
 * @param place a list's
 * @param index of an entry
 * @returns the entry's place
 */
std::string
At(const std::string& place, size_t index)
{
    return place + "[" + std::to_string(index) + "]";
}

/**
 * @param root the file's JSON value
 * @param[out] cases what is in it
 */
void
ReadCases(const Json& root, OffloadCases* cases)
{
    if (!root.is_object() || (!root.contains("gso") && !root.contains("gro")))
    {
        throw FormError{"top level: expected an object with gso, gro or both"};
    }
    if (root.contains("gso"))
    {
        const Json& list = ReadList(root["gso"], "gso");
        for (size_t i = 0; i < list.size(); i++)
        {
            const std::string place = At("gso", i);
            GsoCase one;
            one.name = ReadName(list[i], place);
            one.in.frame = ReadFrame(Member(list[i], "in", place), place + ".in");
            one.in.header = ReadHeader(Member(list[i], "vnet_hdr", place), place + ".vnet_hdr");
            const auto refused = list[i].find("write_error");
            one.writeFails = refused != list[i].end() && !refused->is_null();
            const Json& out = ReadList(Member(list[i], "out", place), place + ".out");
            for (size_t k = 0; k < out.size(); k++)
            {
                one.out.push_back(ReadFrame(out[k], At(place + ".out", k)));
            }
            cases->gso.push_back(std::move(one));
        }
    }
    if (root.contains("gro"))
    {
        const Json& list = ReadList(root["gro"], "gro");
        for (size_t i = 0; i < list.size(); i++)
        {
            const std::string place = At("gro", i);
            GroCase one;
            one.name = ReadName(list[i], place);
            const Json& in = ReadList(Member(list[i], "in", place), place + ".in");
            for (size_t k = 0; k < in.size(); k++)
            {
                one.in.push_back(ReadFrame(in[k], At(place + ".in", k)));
            }
            const Json& out = ReadList(Member(list[i], "out", place), place + ".out");
            for (size_t k = 0; k < out.size(); k++)
            {
                const std::string at = At(place + ".out", k);
                DescribedFrame described;
                described.frame = ReadFrame(Member(out[k], "frame", at), at + ".frame");
                described.header = ReadHeader(Member(out[k], "vnet_hdr", at), at + ".vnet_hdr");
                one.out.push_back(std::move(described));
            }
            cases->gro.push_back(std::move(one));
        }
    }
}

/**
 * @param packed the bytes of a gzip file
 * @param[out] text what is in it
 * @returns the empty string, or what is wrong
 */
std::string
Unpack(const std::string& packed, std::string* text)
{
#ifdef LINUX_HOST_HAVE_ZLIB
    constexpr size_t LIMIT = 1U << 30;
    z_stream stream = {};
    if (inflateInit2(&stream, 15 + 16) != Z_OK)
    {
        return "zlib does not start";
    }
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::vector<char> buffer(1U << 16);
    int state = Z_OK;
    while (state == Z_OK && text->size() < LIMIT)
    {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        state = inflate(&stream, Z_NO_FLUSH);
        text->append(buffer.data(), buffer.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END ? "" : "not a whole gzip file";
#else
    (void)packed;
    (void)text;
    return "packed by gzip, and this build has no zlib: unpack it first (gunzip)";
#endif
}

#endif /* LINUX_HOST_HAVE_JSON */

} // namespace

std::string
LoadOffloadCases(const std::string& path, OffloadCases* cases)
{
#ifdef LINUX_HOST_HAVE_JSON
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
    {
        return path + ": cannot be read";
    }
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
    {
        return path + ": not a file";
    }
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.good() && !file.eof())
    {
        return path + ": cannot be read";
    }
    if (text.size() >= 2 && text[0] == '\x1f' && text[1] == '\x8b')
    {
        std::string unpacked;
        const std::string problem = Unpack(text, &unpacked);
        if (!problem.empty())
        {
            return path + ": " + problem;
        }
        text.swap(unpacked);
    }
    try
    {
        ReadCases(Json::parse(text), cases);
    }
    catch (const FormError& error)
    {
        return path + ": " + error.text;
    }
    catch (const Json::parse_error& error)
    {
        return path + ": byte " + std::to_string(error.byte) + ": not JSON";
    }
    catch (const Json::exception& error)
    {
        return path + ": " + error.what();
    }
    return "";
#else
    (void)cases;
    return path + ": this build has no nlohmann/json and reads no JSON files";
#endif
}

std::vector<std::vector<uint8_t>>
ReplayGso(const DescribedFrame& in, bool* writeFails)
{
    std::vector<std::vector<uint8_t>> out;
    SkBuff skb = MakeWrittenSkb(in.frame);
    *writeFails = !skb.ApplyVirtioHeader(in.header).empty();
    if (*writeFails || !skb.UntagVlan())
    {
        return out;
    }
    // A bridge passes what fits the MTU, with room for a tag, and what will be segmented.
    if (!skb.IsGso() && skb.data.size() > RECORDED_MTU + ETHERNET_HEADER_LENGTH + VLAN_TAG_LENGTH)
    {
        return out;
    }
    for (SkBuff& frame : ValidateTransmit(skb, OFFLOAD_HW_VLAN_TX, nullptr))
    {
        out.push_back(std::move(frame.data));
    }
    return out;
}

std::vector<DescribedFrame>
ReplayGro(const std::vector<std::vector<uint8_t>>& in)
{
    std::vector<DescribedFrame> out;
    Ptr<OffloadFeatures> tap = CreateObject<OffloadFeatures>();
    const OffloadFlags user =
        OFFLOAD_HW_CSUM | OFFLOAD_TSO | OFFLOAD_TSO6 | OFFLOAD_TSO_ECN | OFFLOAD_GSO_UDP_L4;
    const OffloadFlags always = OFFLOAD_SG | OFFLOAD_FRAGLIST;
    tap->SetEra(OffloadEra::LINUX_4_14);
    tap->Register(user | always | OFFLOAD_HW_VLAN_TX,
                  user | always | OFFLOAD_HW_VLAN_TX,
                  user | always);

    const auto toReader = [&](SkBuff&& skb) {
        if (!skb.UntagVlan() ||
            (!skb.IsGso() &&
             skb.data.size() > RECORDED_MTU + ETHERNET_HEADER_LENGTH + VLAN_TAG_LENGTH))
        {
            return;
        }
        for (SkBuff& frame : ValidateTransmit(skb, tap->SelectForFrame(skb), nullptr))
        {
            DescribedFrame described;
            described.header = frame.MakeVirtioHeader();
            frame.PushVlanTag();
            described.frame = std::move(frame.data);
            out.push_back(std::move(described));
        }
    };
    GroEngine::Settings settings;
    // The recorded kernel had no 802.1Q module loaded.
    settings.lookInsideTags = false;
    GroEngine gro(toReader, settings);
    for (const std::vector<uint8_t>& frame : in)
    {
        if (frame.size() >= ETHERNET_HEADER_LENGTH)
        {
            gro.Receive(MakeWrittenSkb(frame));
        }
    }
    gro.Flush();
    return out;
}

std::string
CheckGsoCase(const GsoCase& testCase)
{
    bool writeFails = false;
    const auto out = ReplayGso(testCase.in, &writeFails);
    if (writeFails != testCase.writeFails)
    {
        return writeFails ? "the write was refused" : "the write was not refused";
    }
    for (size_t i = 0; i < std::min(out.size(), testCase.out.size()); i++)
    {
        const std::string difference =
            CompareBytes(testCase.out[i], out[i], "frame " + std::to_string(i));
        if (!difference.empty())
        {
            return difference;
        }
    }
    if (out.size() != testCase.out.size())
    {
        return "expected " + std::to_string(testCase.out.size()) + " frames, got " +
               std::to_string(out.size());
    }
    return "";
}

std::string
CheckGroCase(const GroCase& testCase)
{
    const auto out = ReplayGro(testCase.in);
    for (size_t i = 0; i < std::min(out.size(), testCase.out.size()); i++)
    {
        const DescribedFrame& expected = testCase.out[i];
        const std::string where = "frame " + std::to_string(i);
        const std::string difference = CompareBytes(expected.frame, out[i].frame, where);
        if (!difference.empty())
        {
            return difference;
        }
        if (!(expected.header == out[i].header))
        {
            const auto text = [](const VirtioNetHeader& header) {
                std::ostringstream os;
                os << "flags " << +header.flags << " gso_type " << +header.gsoType << " hdr_len "
                   << header.hdrLen << " gso_size " << header.gsoSize << " csum_start "
                   << header.csumStart << " csum_offset " << header.csumOffset;
                return os.str();
            };
            return where + " header: expected " + text(expected.header) + ", got " +
                   text(out[i].header);
        }
    }
    if (out.size() != testCase.out.size())
    {
        return "expected " + std::to_string(testCase.out.size()) + " frames, got " +
               std::to_string(out.size());
    }
    return "";
}

} // namespace linuxhost
} // namespace ns3
