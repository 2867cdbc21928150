/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPV6_ADDRESS_LABELS_H
#define IPV6_ADDRESS_LABELS_H

#include "ipv6-address-type.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The table of `ip addrlabel`: prefix to label, the first entry that matches wins.
 *
 * The table is walked from its start, as the kernel walks its list; a match with the longest
 * prefix comes first because entries are kept sorted. The walk's length is counted, since it is
 * what a lookup costs.
 */
class Ipv6AddressLabels
{
  public:
    /// The label where no entry matches; not allowed in an entry.
    static constexpr uint32_t NO_LABEL = 0xffffffff;

    /// One entry.
    struct Entry
    {
        Ipv6Bits prefix;                                       //!< prefix, host bits clear
        Ipv6Bits mask;                                         //!< its mask
        uint32_t label{0};                                     //!< label
        uint32_t ifindex{0};                                   //!< interface, or 0 for all
        uint8_t length{0};                                     //!< prefix length
        Ipv6AddressType::Kind kind{Ipv6AddressType::ORDINARY}; //!< kind; ORDINARY: any will do
    };

    /// An empty table.
    Ipv6AddressLabels() = default;
    /// @returns the table that a kernel starts with
    static Ipv6AddressLabels Default();

    /**
     * Add an entry in its place.
     * @param prefix the prefix; host bits are cleared
     * @param length its length, 0 to 128
     * @param label the label
     * @param ifindex an interface's index, or 0 for all
     * @param replace whether an entry with this prefix and interface may be replaced
     * @returns false when such an entry was met and must not be replaced, the length exceeds 128
     *          (96 for an IPv4-mapped prefix), or the label is NO_LABEL
     */
    bool Add(const Ipv6Bits& prefix,
             uint8_t length,
             uint32_t label,
             uint32_t ifindex = 0,
             bool replace = false);
    /**
     * Add an entry at the end, for a table that is read in the kernel's order (which can hold
     * the same prefix twice).
     * @param prefix the prefix
     * @param length its length
     * @param label the label
     * @param ifindex an interface's index, or 0 for all
     * @returns false when the length or the label is not allowed
     */
    bool Append(const Ipv6Bits& prefix, uint8_t length, uint32_t label, uint32_t ifindex = 0);
    /**
     * Remove an entry.
     * @param prefix the prefix
     * @param length its length
     * @param ifindex the entry's interface, or 0
     * @returns whether there was one
     */
    bool Remove(const Ipv6Bits& prefix, uint8_t length, uint32_t ifindex = 0);

    /**
     * Find an address's label.
     * @param address the address
     * @param kind its kind
     * @param ifindex the interface it is on, or would leave by
     * @param[in,out] probes grows by the entries that were looked at
     * @returns the label, or NO_LABEL
     */
    uint32_t Lookup(const Ipv6Bits& address,
                    Ipv6AddressType::Kind kind,
                    uint32_t ifindex,
                    uint32_t* probes) const
    {
        uint32_t looked = 0;
        for (const auto& entry : m_entries)
        {
            ++looked;
            // The prefix is what rules most entries out.
            if ((address.high & entry.mask.high) == entry.prefix.high &&
                (address.low & entry.mask.low) == entry.prefix.low &&
                (entry.ifindex == 0 || entry.ifindex == ifindex) &&
                (entry.kind == Ipv6AddressType::ORDINARY || entry.kind == kind))
            {
                *probes += looked;
                return entry.label;
            }
        }
        *probes += looked;
        return NO_LABEL;
    }

    /// @returns the entries, in the order in which they are tried
    const std::vector<Entry>& GetEntries() const
    {
        return m_entries;
    }

  private:
    /**
     * Check and build an entry.
     * @param prefix the prefix
     * @param length its length
     * @param label the label
     * @param ifindex an interface's index, or 0
     * @param[out] entry the entry
     * @returns whether it is allowed
     */
    static bool Make(const Ipv6Bits& prefix,
                     uint8_t length,
                     uint32_t label,
                     uint32_t ifindex,
                     Entry* entry);
    /**
     * @param prefix a prefix, host bits clear
     * @param length its length
     * @param ifindex the entry's interface, or 0
     * @returns the entry, or the end
     */
    std::vector<Entry>::iterator Find(const Ipv6Bits& prefix, uint8_t length, uint32_t ifindex);

    std::vector<Entry> m_entries; //!< in the order in which they are tried
};

} // namespace linuxhost
} // namespace ns3

#endif /* IPV6_ADDRESS_LABELS_H */
