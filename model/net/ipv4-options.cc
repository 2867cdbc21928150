/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipv4-options.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr std::size_t IPV4_HEADER = 20;          ///< bytes of a header without options
constexpr std::size_t ADDRESS = 4;               ///< bytes of an address, and of a time
constexpr uint8_t PROTOCOL_ICMP = 1;             ///< IP protocol ICMP
constexpr uint8_t OPTION_END = 0;                ///< the list ends
constexpr uint8_t OPTION_NOP = 1;                ///< padding
constexpr uint8_t OPTION_RECORD_ROUTE = 7;       ///< the hosts on the way record their address
constexpr uint8_t OPTION_TIMESTAMP = 68;         ///< the hosts on the way record the time
constexpr uint8_t OPTION_LOOSE_ROUTE = 131;      ///< loose source route
constexpr uint8_t OPTION_CIPSO = 134;            ///< security labels
constexpr uint8_t OPTION_STRICT_ROUTE = 137;     ///< strict source route
constexpr uint8_t OPTION_ROUTER_ALERT = 148;     ///< RFC 2113
constexpr uint8_t OPTION_COPIED = 0x80;          ///< the bit of options that all fragments have
constexpr uint8_t STAMP_TIME = 0;                ///< timestamps: the time alone
constexpr uint8_t STAMP_ADDRESS = 1;             ///< timestamps: address and time
constexpr uint8_t STAMP_PRESPECIFIED = 3;        ///< timestamps: by the hosts that are listed
constexpr uint8_t STAMP_OVERFLOW = 15;           ///< timestamps: as many as can be counted
constexpr std::size_t CIPSO_HEADER = 8;          ///< bytes of the smallest security label
constexpr int64_t MILLISECONDS_A_DAY = 86400000; ///< RFC 791: since midnight UT

/**
 * @param at where four bytes go
 * @param value what is written there
 */
void
Write32(uint8_t* at, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
    {
        at[i] = static_cast<uint8_t>(value >> (24 - 8 * i));
    }
}

/// @returns the time of a timestamp: the simulation starts at midnight
uint32_t
Midnight()
{
    return static_cast<uint32_t>(Simulator::Now().GetMilliSeconds() % MILLISECONDS_A_DAY);
}

/**
 * Go on with a timestamp option that has room.
 * @param option the option, checked
 * @param host the host
 * @returns whether there was room for what belongs into it
 */
bool
Stamp(uint8_t* option, const Ipv4OptionsHost& host)
{
    const std::size_t length = option[1];
    const std::size_t pointer = option[2];
    // The pointer counts from 1.
    uint8_t* place = option + pointer - 1;
    std::size_t size = ADDRESS;
    switch (option[3] & 0x0f)
    {
    case STAMP_TIME:
        break;
    case STAMP_ADDRESS:
        size += ADDRESS;
        if (pointer + size - 1 <= length)
        {
            Write32(place, host.self.Get());
        }
        break;
    case STAMP_PRESPECIFIED:
        size += ADDRESS;
        if (pointer + size - 1 <= length && host.isOtherUnicast(Ipv4Address::Deserialize(place)))
        {
            return true;
        }
        break;
    default:
        return true;
    }
    if (pointer + size - 1 > length)
    {
        return false;
    }
    Write32(place + size - ADDRESS, Midnight());
    option[2] = static_cast<uint8_t>(pointer + size);
    return true;
}

/**
 * Go on with a recorded route that has room.
 * @param option the option, checked
 * @param host the host
 * @returns whether there was room for an address
 */
bool
Record(uint8_t* option, const Ipv4OptionsHost& host)
{
    if (option[2] + ADDRESS - 1 > option[1])
    {
        return false;
    }
    Write32(option + option[2] - 1, host.self.Get());
    option[2] = static_cast<uint8_t>(option[2] + ADDRESS);
    return true;
}

/**
 * Check one option and record in it.
 * @param option the option, whose length has been checked
 * @param host the host
 * @param seen options of which there may be one, seen so far
 * @param[out] wrong number of the octet that is wrong
 * @returns whether all is well
 */
bool
CompileOption(uint8_t* option,
              const Ipv4OptionsHost& host,
              std::vector<uint8_t>* seen,
              std::size_t* wrong)
{
    const uint8_t length = option[1];
    uint8_t type = option[0];
    std::size_t least = 0;
    uint8_t leastPointer = 0;
    switch (type)
    {
    case OPTION_LOOSE_ROUTE:
    case OPTION_STRICT_ROUTE:
        type = OPTION_LOOSE_ROUTE;
        least = 3;
        leastPointer = 4;
        break;
    case OPTION_RECORD_ROUTE:
        least = 3;
        leastPointer = 4;
        break;
    case OPTION_TIMESTAMP:
        least = 4;
        leastPointer = 5;
        break;
    case OPTION_ROUTER_ALERT:
        *wrong = 1;
        return length >= 4;
    case OPTION_CIPSO:
        // The host knows no domain of interpretation.
        *wrong = length < CIPSO_HEADER ? 1 : 2;
        return false;
    default:
        return true;
    }
    const bool again = std::find(seen->begin(), seen->end(), type) != seen->end();
    *wrong = 0;
    if (again && type != OPTION_LOOSE_ROUTE)
    {
        return false;
    }
    *wrong = 1;
    if (length < least)
    {
        return false;
    }
    *wrong = 2;
    if (option[2] < leastPointer)
    {
        return false;
    }
    *wrong = 0;
    if (again)
    {
        return false;
    }
    seen->push_back(type);
    *wrong = 2;
    if (type == OPTION_RECORD_ROUTE)
    {
        return option[2] > length || Record(option, host);
    }
    if (type == OPTION_TIMESTAMP)
    {
        if (option[2] <= length)
        {
            return option[2] + ADDRESS - 1 <= length && Stamp(option, host);
        }
        if ((option[3] & 0x0f) != STAMP_PRESPECIFIED)
        {
            *wrong = 3;
            if (option[3] >> 4 == STAMP_OVERFLOW)
            {
                return false;
            }
            option[3] = static_cast<uint8_t>(option[3] + 0x10);
        }
    }
    return true;
}

} // namespace

bool
HasIpv4Options(const std::vector<uint8_t>& packet)
{
    return (packet[0] & 0x0f) * 4U > IPV4_HEADER;
}

Ipv4OptionsVerdict
CompileIpv4Options(std::vector<uint8_t>* packet, const Ipv4OptionsHost& host)
{
    Ipv4OptionsVerdict verdict;
    std::vector<uint8_t>& bytes = *packet;
    std::vector<uint8_t> seen;
    const std::size_t end = (bytes[0] & 0x0f) * 4U;
    std::size_t& at = verdict.end;
    at = IPV4_HEADER;
    while (at < end)
    {
        if (bytes[at] == OPTION_END)
        {
            std::fill(bytes.begin() + at, bytes.begin() + end, OPTION_END);
            at = end;
            break;
        }
        if (bytes[at] == OPTION_NOP)
        {
            ++at;
            continue;
        }
        if (at + 1 >= end || bytes[at + 1] < 2 || at + bytes[at + 1] > end)
        {
            verdict.problem = at;
            break;
        }
        std::size_t wrong = 0;
        if (!CompileOption(&bytes[at], host, &seen, &wrong))
        {
            verdict.problem = at + wrong;
            break;
        }
        at += bytes[at + 1];
    }
    verdict.sourceRoute = std::find(seen.begin(), seen.end(), OPTION_LOOSE_ROUTE) != seen.end();
    return verdict;
}

bool
EchoIpv4Options(const std::vector<uint8_t>& packet,
                std::size_t end,
                const Ipv4OptionsHost& host,
                std::vector<uint8_t>* options)
{
    options->clear();
    if (end == 0)
    {
        end = (packet[0] & 0x0f) * 4U;
    }
    std::vector<uint8_t> stamps;
    for (std::size_t at = IPV4_HEADER; at < end && packet[at] != OPTION_END;)
    {
        if (packet[at] == OPTION_NOP)
        {
            ++at;
            continue;
        }
        // What routing refuses later has not been compiled, and may be anything.
        const uint8_t type = packet[at];
        const std::size_t length = at + 1 < end ? packet[at + 1] : 0;
        const std::size_t least = type == OPTION_TIMESTAMP ? 5 : 4;
        if (length < 2 || at + length > end ||
            ((type == OPTION_RECORD_ROUTE || type == OPTION_TIMESTAMP) &&
             (length + 1 < least || packet[at + 2] < least)))
        {
            return false;
        }
        std::vector<uint8_t> option(packet.begin() + at, packet.begin() + at + length);
        at += length;
        if (type == OPTION_RECORD_ROUTE)
        {
            if (option[2] <= option[1] && !Record(option.data(), host))
            {
                return false;
            }
            *options = option;
        }
        else if (type == OPTION_TIMESTAMP)
        {
            // Half an entry of a list of hosts is left alone, less is an error.
            const bool half = (option[3] & 0x0f) == STAMP_PRESPECIFIED &&
                              option[2] + ADDRESS - 1 <= option[1] &&
                              option[2] + 2 * ADDRESS - 1 > option[1];
            if (option[2] <= option[1] && !half && !Stamp(option.data(), host))
            {
                return false;
            }
            stamps = option;
        }
    }
    options->insert(options->end(), stamps.begin(), stamps.end());
    options->resize((options->size() + 3) / 4 * 4, OPTION_END);
    return true;
}

bool
MayAnswerWithIcmpError(const std::vector<uint8_t>& packet)
{
    // The types that are no errors: echo, timestamps, information and address masks.
    static const uint8_t questions[] = {0, 8, 13, 14, 15, 16, 17, 18};
    if ((packet[6] & 0x1f) != 0 || packet[7] != 0)
    {
        return false;
    }
    const std::size_t at = (packet[0] & 0x0f) * 4U;
    return packet[9] != PROTOCOL_ICMP ||
           (at < packet.size() &&
            std::find(std::begin(questions), std::end(questions), packet[at]) !=
                std::end(questions));
}

void
BlankFirstFragmentOptions(std::vector<uint8_t>* options)
{
    for (std::size_t at = 0; at < options->size() && (*options)[at] != OPTION_END;)
    {
        const uint8_t type = (*options)[at];
        const std::size_t next = at + (type == OPTION_NOP ? 1 : (*options)[at + 1]);
        if (!(type & OPTION_COPIED))
        {
            std::fill(options->begin() + at, options->begin() + next, OPTION_NOP);
        }
        at = next;
    }
}

} // namespace linuxhost
} // namespace ns3
