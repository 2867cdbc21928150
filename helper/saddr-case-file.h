/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SADDR_CASE_FILE_H
#define SADDR_CASE_FILE_H

#include "ns3/source-address-selection.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A question of a case file, and the answer that a kernel gave.
 */
struct SaddrCaseQuery
{
    SaddrQuery query;        //!< the question
    std::string preference;  //!< the preference as the file names it, or empty
    bool hasExpected{false}; //!< false where the kernel had no address to give
    Ipv6Bits expected;       //!< the kernel's answer
};

/**
 * @ingroup linux-host
 * A host of a case file with its questions.
 */
struct SaddrCase
{
    int64_t id{0};                       //!< number in the file
    SaddrHost host;                      //!< the host
    std::vector<SaddrCaseQuery> queries; //!< the questions
};

/**
 * @ingroup linux-host
 * Reads hosts from JSON: interfaces with the addresses and flags that `ip -6 -j addr` prints,
 * sysctls, and the lines of `ip addrlabel`.
 *
 * Whatever the text, the result is a host or one line that names the place
 * (`cases[3].queries[0].dst`) and what was expected there. A build without the JSON library says
 * so instead.
 */
class SaddrCaseFile
{
  public:
    /// @returns whether this build can read JSON
    static bool IsSupported();
    /**
     * Read a file of cases: `{"cases": [...]}`.
     * @param in the text
     * @param[out] cases the cases
     * @returns the empty string, or what is wrong
     */
    static std::string ReadCases(std::istream& in, std::vector<SaddrCase>* cases);
    /**
     * Read one host: an object as in a file of cases; its questions are not looked at.
     * @param in the text
     * @param[out] host the host
     * @returns the empty string, or what is wrong
     */
    static std::string ReadHost(std::istream& in, SaddrHost* host);
    /**
     * @param name a preference: `tmp`, `public`, `home` or `coa`
     * @param[out] preference its SaddrPreference bit
     * @returns whether there is one of that name
     */
    static bool ParsePreference(const std::string& name, uint16_t* preference);
};

} // namespace linuxhost
} // namespace ns3

#endif /* SADDR_CASE_FILE_H */
