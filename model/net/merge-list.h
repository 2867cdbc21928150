/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MERGE_LIST_H
#define MERGE_LIST_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The packets that one NAPI context makes of the frames of a poll, by GRO or by a driver's LRO: one
 * a flow, of so many flows at a time. Frames are counted, not kept; GroEngine has the bytes.
 */
class MergeList
{
  public:
    /// How much is merged.
    struct Limits
    {
        uint32_t flows{8};     //!< flows held at a time; 0: nothing is merged
        uint32_t frames{17};   //!< frames of a packet
        uint32_t bytes{65535}; //!< payload of a packet, bytes
        /// Whether one flow too many makes the oldest leave (GRO since Linux 3.14); else its frame
        /// goes up by itself (GRO before that, LRO).
        bool evicts{false};
    };

    /// A packet.
    struct Packet
    {
        uint32_t flow{0};   //!< flow
        uint32_t frames{0}; //!< frames of it
        uint32_t bytes{0};  //!< payload, bytes
    };

    /// What becomes of a frame.
    enum Verdict
    {
        HELD,  //!< it is in a packet
        AFTER, //!< a packet has to leave first; then it is to be offered again
        ALONE, //!< it leaves at once
    };

    /// Holds nothing, merges nothing.
    MergeList() = default;
    /// @param limits how much is merged
    explicit MergeList(const Limits& limits);

    /**
     * @param flow a frame's flow
     * @param bytes its payload, bytes
     * @param[out] leaving the packet that leaves now, unless the frame is held
     * @returns what becomes of the frame
     */
    Verdict Offer(uint32_t flow, uint32_t bytes, Packet* leaving);
    /**
     * @param[out] oldest the packet that was begun first, which leaves
     * @returns whether there was one
     */
    bool TakeOldest(Packet* oldest);
    /// @returns packets held
    uint32_t GetHeld() const;

  private:
    Limits m_limits{0, 1, 0, false}; //!< how much is merged
    std::vector<Packet> m_held;      //!< packets, oldest first
};

} // namespace linuxhost
} // namespace ns3

#endif /* MERGE_LIST_H */
