/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SOURCE_ADDRESS_SELECTION_H
#define SOURCE_ADDRESS_SELECTION_H

#include "ipv6-address-labels.h"
#include "ipv6-address-type.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup linux-host
 * Which source address Linux chooses for an IPv6 destination.
 *
 * SelectSourceAddress() is a function of plain data: it keeps nothing, allocates nothing, and
 * visits interfaces, addresses, rules and label entries in the kernel's order, counting them.
 */

namespace ns3
{
namespace linuxhost
{

/// Flags of an address, as `ip -6 addr` names them.
enum SaddrFlag : uint16_t
{
    SADDR_TENTATIVE = 1 << 0,  //!< duplicate detection still runs: not usable
    SADDR_OPTIMISTIC = 1 << 1, //!< may be used although duplicate detection runs
    SADDR_DEPRECATED = 1 << 2, //!< its preferred lifetime is over
    SADDR_TEMPORARY = 1 << 3,  //!< a privacy address
    SADDR_HOME = 1 << 4,       //!< a Mobile IPv6 home address
    SADDR_NODAD = 1 << 5,      //!< no duplicate detection
};

/// A socket's wishes, with the values of IPV6_ADDR_PREFERENCES.
enum SaddrPreference : uint16_t
{
    SADDR_PREFER_TMP = 0x0001,    //!< a temporary address
    SADDR_PREFER_PUBLIC = 0x0002, //!< a public address
    SADDR_PREFER_COA = 0x0004,    //!< a care-of address
    SADDR_PREFER_HOME = 0x0400,   //!< a home address (the default)
};

/// The rules, in the order in which they are tried.
enum class SaddrRule : uint8_t
{
    INIT,           //!< any address beats none
    LOCAL,          //!< the destination itself
    SCOPE,          //!< the smallest sufficient scope
    PREFERRED,      //!< not deprecated, not optimistic
    HOME,           //!< home address (kernels with Mobile IPv6)
    OIF,            //!< an address of the outgoing interface
    LABEL,          //!< the destination's label
    PRIVACY,        //!< temporary or public, as wished
    ORCHID,         //!< overlay identifiers with overlay identifiers
    PREFIX,         //!< the longest common prefix
    NOT_OPTIMISTIC, //!< not optimistic (kernels with optimistic duplicate detection)
};

/// How many rules there are.
constexpr int SADDR_RULES = 11;

/// An address of an interface.
struct SaddrAddress
{
    Ipv6Bits address;        //!< address
    Ipv6AddressType type;    //!< its type
    uint16_t flags{0};       //!< SaddrFlag bits
    uint8_t prefixLength{0}; //!< prefix length

    SaddrAddress() = default;
    /**
     * @param bits the address
     * @param length the prefix length
     * @param flagBits SaddrFlag bits
     */
    SaddrAddress(const Ipv6Bits& bits, uint8_t length, uint16_t flagBits = 0);
};

/// An interface that has IPv6.
struct SaddrInterface
{
    std::string name;                    //!< name
    uint32_t ifindex{0};                 //!< index, from 1
    uint32_t l3Master{0};                //!< index of its VRF (a VRF has its own), or 0
    int32_t useTempaddr{0};              //!< sysctl `use_tempaddr`
    bool useOifAddrsOnly{false};         //!< sysctl `use_oif_addrs_only`
    bool optimisticDad{false};           //!< sysctl `optimistic_dad`
    bool useOptimistic{false};           //!< sysctl `use_optimistic`
    std::vector<SaddrAddress> addresses; //!< in the kernel's order

    /**
     * Add an address where the kernel puts it: the larger scope first, then the newer.
     * @param address the address
     */
    void AddAddress(const SaddrAddress& address);
};

/// A host: what the choice depends on, apart from the packet.
struct SaddrHost
{
    std::vector<SaddrInterface> interfaces;                 //!< in the order of registration
    Ipv6AddressLabels labels{Ipv6AddressLabels::Default()}; //!< `ip addrlabel`
    bool allOptimisticDad{false};                           //!< sysctl `all.optimistic_dad`
    bool allUseOptimistic{false};                           //!< sysctl `all.use_optimistic`
    bool kernelHasMobileIpv6{false};                        //!< CONFIG_IPV6_MIP6: rule HOME
    bool kernelHasOptimisticDad{true};                      //!< CONFIG_IPV6_OPTIMISTIC_DAD

    /**
     * @param name an interface's name
     * @returns the interface, or null
     */
    const SaddrInterface* FindInterface(const std::string& name) const;
};

/// A question.
struct SaddrQuery
{
    Ipv6Bits destination;    //!< destination
    uint32_t oif{0};         //!< index of the outgoing interface, 0 when there is no route
    uint16_t preferences{0}; //!< SaddrPreference bits
};

/// Why only some interfaces were looked at.
enum class SaddrRestriction : uint8_t
{
    NONE,      //!< every interface of the host outside VRFs
    MULTICAST, //!< the outgoing one: the destination is multicast
    SCOPE,     //!< the outgoing one: the destination's scope is link-local or smaller
    SYSCTL,    //!< the outgoing one: its `use_oif_addrs_only` is set
    L3_DOMAIN, //!< the interfaces of one VRF
};

/// What a choice took: the kernel's work, from which its cost follows.
struct SaddrCounts
{
    uint32_t interfaces{0};   //!< interfaces visited; before the RCU patches, two RMWs each
    uint32_t addresses{0};    //!< addresses visited, the skipped ones too
    uint32_t improvements{0}; //!< times the best changed; before the patches, a hold and a put each
    uint32_t evaluations{0};  //!< times a rule's value was asked for
    uint32_t labelLookups{0}; //!< walks of the label table
    uint32_t labelProbes{0};  //!< entries of it that were looked at
};

/// How a candidate fared.
struct SaddrVerdict
{
    /// Outcomes.
    enum Outcome : uint8_t
    {
        IMPROVED,  //!< became the best so far
        LOST,      //!< a rule preferred the best so far
        TIED,      //!< all rules equal: the best so far stays
        TENTATIVE, //!< not usable yet
        NO_SOURCE, //!< unspecified or multicast
    };

    const SaddrInterface* interface{nullptr}; //!< its interface
    const SaddrAddress* candidate{nullptr};   //!< the candidate
    const SaddrAddress* rival{nullptr};       //!< the best so far, or null
    Outcome outcome{LOST};                    //!< outcome
    SaddrRule rule{SaddrRule::INIT};          //!< the rule that decided, after IMPROVED and LOST
    int32_t candidateValue{0};                //!< the candidate's value in it
    int32_t rivalValue{0};                    //!< the rival's
};

/// An answer.
struct SaddrChoice
{
    const SaddrInterface* interface{nullptr};             //!< the chosen address's interface
    const SaddrAddress* source{nullptr};                  //!< the source, or null: no address
    SaddrRestriction restriction{SaddrRestriction::NONE}; //!< which interfaces were visited
    SaddrCounts counts;                                   //!< the work
};

/**
 * @ingroup linux-host
 * Choose the source address as Linux does.
 * @param host the host
 * @param query the question
 * @param[out] verdicts when not null, how each visited address fared, in order
 * @returns the answer; its pointers are into the host
 */
SaddrChoice SelectSourceAddress(const SaddrHost& host,
                                const SaddrQuery& query,
                                std::vector<SaddrVerdict>* verdicts = nullptr);

/**
 * @ingroup linux-host
 * @param rule a rule
 * @returns its name
 */
const char* ToString(SaddrRule rule);
/**
 * @ingroup linux-host
 * @param restriction a restriction
 * @returns it in words
 */
const char* ToString(SaddrRestriction restriction);
/**
 * @ingroup linux-host
 * @param verdict a verdict
 * @returns it in words, the values and the rival named
 */
std::string ToString(const SaddrVerdict& verdict);

} // namespace linuxhost
} // namespace ns3

#endif /* SOURCE_ADDRESS_SELECTION_H */
