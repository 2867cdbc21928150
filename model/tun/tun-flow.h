/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_FLOW_H
#define TUN_FLOW_H

#include "ns3/nstime.h"

#include <cstdint>
#include <list>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What a packet's headers say about the flow that it belongs to.
 */
struct TunFlowKeys
{
    uint16_t etherType{0};            //!< of the network header, behind VLAN tags
    uint8_t version{0};               //!< IP version, 0 when it is not IP
    uint8_t protocol{0};              //!< transport protocol
    bool fragment{false};             //!< whether it is a fragment
    uint32_t networkOffset{0};        //!< where the network header begins
    uint32_t transportOffset{0};      //!< where the transport header begins, 0 when there is none
    std::vector<uint8_t> source;      //!< network address
    std::vector<uint8_t> destination; //!< network address
    uint16_t sourcePort{0};           //!< port, or upper half of ESP's SPI; 0: none
    uint16_t destinationPort{0};      //!< port, or lower half of ESP's SPI; 0: none

    /**
     * Read the headers of a packet.
     * @param data the packet
     * @param size its length
     * @param etherType what begins at offset
     * @param offset where the network header (or a VLAN tag) begins
     * @returns what was found before the headers ended or made no sense
     */
    static TunFlowKeys Dissect(const uint8_t* data,
                               uint32_t size,
                               uint16_t etherType,
                               uint32_t offset);
    /**
     * Read the headers of a packet, and of the one inside it when it is a tunnel's: IP in IP, GRE,
     * PPPoE. Linux tells flows by the innermost headers.
     * @param data the packet
     * @param size its length
     * @param etherType what begins at offset
     * @param offset where the network header (or a VLAN tag) begins
     * @returns what was found of the innermost packet
     */
    static TunFlowKeys DissectFlow(const uint8_t* data,
                                   uint32_t size,
                                   uint16_t etherType,
                                   uint32_t offset);
    /// @returns a hash that is the same for both directions of a flow, and never 0
    uint32_t SymmetricHash() const;
};

/**
 * @ingroup linux-host
 * The flow table of a multi-queue device: which queue a flow was last written to.
 *
 * A packet for the program is put in the queue from which the program last answered that flow.
 * As in Linux there are 1024 buckets and 4096 flows at most, and a flow is forgotten 3 s after it
 * was last written.
 */
class TunFlowTable
{
  public:
    /// Most flows; a new one is not learned when the table is full.
    static constexpr uint32_t MAX_FLOWS = 4096;

    TunFlowTable();

    /**
     * Learn where a flow is written.
     * @param hash the flow's hash
     * @param queue the queue it was written to
     */
    void Update(uint32_t hash, uint16_t queue);
    /**
     * @param hash a flow's hash
     * @param[out] queue the queue it was last written to
     * @returns whether the flow is known
     */
    bool Lookup(uint32_t hash, uint16_t* queue);
    /// @returns the number of flows that are known
    uint32_t GetNFlows() const;
    /// Forget all flows.
    void Clear();

  private:
    /// A flow.
    struct Flow
    {
        uint32_t hash;  //!< its hash
        uint16_t queue; //!< where it was last written
        Time updated;   //!< when
    };

    /**
     * Forget the flows of a bucket that are too old.
     * @param bucket the bucket
     */
    void Expire(std::list<Flow>& bucket);
    /// Forget all flows that are too old.
    void ExpireAll();

    std::vector<std::list<Flow>> m_buckets; //!< flows by the low bits of their hash
    uint32_t m_count{0};                    //!< number of flows
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_FLOW_H */
