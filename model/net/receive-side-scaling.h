/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECEIVE_SIDE_SCALING_H
#define RECEIVE_SIDE_SCALING_H

#include "ns3/object.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What tells a flow from others: its addresses, and its ports if it has any.
 */
struct FlowTuple
{
    uint32_t addressBytes{0};              //!< 4: IPv4, 16: IPv6, 0: neither
    std::array<uint8_t, 16> source{};      //!< source address, from its first byte on
    std::array<uint8_t, 16> destination{}; //!< destination address
    bool hasPorts{false};                  //!< whether there are ports
    uint16_t sourcePort{0};                //!< source port
    uint16_t destinationPort{0};           //!< destination port

    /// @returns the tuple of what comes back
    FlowTuple Reverse() const;
    /**
     * As cards read it, behind any tags: ports of TCP only, and of no fragment.
     * @param frame a frame
     * @returns its tuple
     */
    static FlowTuple FromFrame(const std::vector<uint8_t>& frame);
};

/**
 * @ingroup linux-host
 * Receive side scaling: a card hashes a frame's addresses and ports (Toeplitz), and looks the queue
 * up in a table that the driver has filled.
 *
 * All frames of a flow come to one queue. Flows whose hashes fall on one entry, or on entries with
 * the same queue, share it, however many queues are idle.
 */
class ReceiveSideScaling : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    ReceiveSideScaling();
    ~ReceiveSideScaling() override;

    /// What a key may be, for messages.
    static constexpr const char* KEY_ALLOWED =
        "40 to 64 bytes as hexadecimal digits, with or without colons between them";
    /**
     * @param text a key as ethtool -x prints it
     * @param[out] key its bytes
     * @returns whether it is one
     */
    static bool ParseKey(const std::string& text, std::vector<uint8_t>* key);

    /// @param text the key
    void SetKey(std::string text);
    /// @returns the key
    std::string GetKey() const;
    /// @param entries of the table, which is filled anew
    void SetTableSize(uint32_t entries);
    /// @returns entries of the table
    uint32_t GetTableSize() const;
    /// @param queues the table has these in turn from now on, as drivers fill it
    void SetQueues(uint32_t queues);
    /// @param table the queue of each entry (ethtool -X)
    void SetTable(std::vector<uint32_t> table);
    /// @returns the queue of each entry
    const std::vector<uint32_t>& GetTable() const;

    /**
     * @param input bytes, of which the key's, less four, are looked at
     * @param size number of bytes
     * @returns the Toeplitz hash
     */
    uint32_t Hash(const uint8_t* input, std::size_t size) const;
    /**
     * @param tuple a flow
     * @returns its hash: of the 4-tuple, or of the addresses; 0 when it has none
     */
    uint32_t Hash(const FlowTuple& tuple) const;
    /**
     * @param hash a hash
     * @returns its queue
     */
    uint32_t GetQueue(uint32_t hash) const;

  private:
    std::vector<uint8_t> m_key;    //!< key
    std::vector<uint32_t> m_table; //!< queue of each entry
    uint32_t m_queues;             //!< queues that it was filled with
    bool m_hashPorts;              //!< ports are hashed
};

} // namespace linuxhost
} // namespace ns3

#endif /* RECEIVE_SIDE_SCALING_H */
