/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRO_H
#define GRO_H

#include "sk-buff.h"

#include <array>
#include <cstdint>
#include <functional>
#include <list>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Generic receive offload of one NAPI instance, with the rules of Linux 6.18.
 *
 * Receive() takes a frame as the driver hands it over; a frame that may grow is held. What leaves
 * (merged or not) goes to the sink in the order in which it is complete. Flush() ends the poll.
 *
 * TCP over IPv4 and IPv6 is merged when ports, addresses, acknowledgment, window, flags (but FIN
 * and PSH), options, TTL, TOS and DF are equal, CWR is not set, the sequence number is the next
 * one, and the identification is the next one or always the same. UDP is merged, when the device
 * forwards it so, into datagrams of equal size.
 */
class GroEngine
{
  public:
    /// Where frames go.
    using Sink = std::function<void(SkBuff&&)>;

    /// Settings of the device.
    struct Settings
    {
        uint32_t maxSize{65536};   //!< a merged frame stays below this, without its MAC header
        bool mergeUdp{true};       //!< rx-udp-gro-forwarding
        bool lookInsideTags{true}; //!< the 802.1Q module is there to look behind a tag in the frame
    };

    /// What happened.
    struct Counters
    {
        uint64_t received{0};    //!< frames taken
        uint64_t merged{0};      //!< of them, added to a held one
        uint64_t held{0};        //!< of them, held
        uint64_t passed{0};      //!< of them, passed on at once
        uint64_t completed{0};   //!< held frames that left
        uint64_t bytesSummed{0}; //!< bytes read for checksums
    };

    /// @param sink where frames go
    explicit GroEngine(Sink sink);
    /**
     * @param sink where frames go
     * @param settings the device's
     */
    GroEngine(Sink sink, const Settings& settings);

    /// @param skb a received frame
    void Receive(SkBuff skb);
    /// Let all held frames go (the poll is over).
    void Flush();
    /// @returns number of frames held
    uint32_t GetHeld() const;
    /// @returns what happened so far
    const Counters& GetCounters() const;

  private:
    /// Number of lists that held frames are hashed to.
    static constexpr uint32_t BUCKETS = 8;
    /// Most frames held in a list.
    static constexpr uint32_t MAX_HELD = 8;

    /// A frame and how far it has been understood.
    struct Entry
    {
        SkBuff skb;             //!< the frame
        FrameHeaders headers;   //!< where its headers are
        uint32_t payloadAt{0};  //!< where the transport payload begins
        uint32_t segments{1};   //!< frames in it
        uint32_t mss{0};        //!< payload of the first of them
        uint16_t checksumAt{0}; //!< checksum field, from the transport header
        bool fixedId{false};    //!< all of them have one identification
        bool sameFlow{false};   //!< may be of the flow of the frame being received
        bool flush{false};      //!< must not be held
        bool wasMerged{false};  //!< went into a held frame
    };

    /// A list of held frames, oldest first.
    using Bucket = std::list<Entry>;

    /**
     * @param bucket held frames
     * @param entry the new frame
     * @returns the held frame that has to leave now, or bucket.end()
     */
    Bucket::iterator ReceiveNetwork(Bucket& bucket, Entry& entry);
    /**
     * @param bucket held frames
     * @param entry the new frame, from its IPv4 header on
     * @returns the held frame that has to leave now, or bucket.end()
     */
    Bucket::iterator ReceiveIpv4(Bucket& bucket, Entry& entry);
    /**
     * @param bucket held frames
     * @param entry the new frame, from its IPv6 header on
     * @returns the held frame that has to leave now, or bucket.end()
     */
    Bucket::iterator ReceiveIpv6(Bucket& bucket, Entry& entry);
    /**
     * @param bucket held frames
     * @param entry the new frame, from its transport header on
     * @returns the held frame that has to leave now, or bucket.end()
     */
    Bucket::iterator ReceiveTransport(Bucket& bucket, Entry& entry);
    /**
     * @param bucket held frames
     * @param entry the new frame, from its TCP header on
     * @returns the held frame that has to leave now, or bucket.end()
     */
    Bucket::iterator ReceiveTcp(Bucket& bucket, Entry& entry);
    /**
     * @param bucket held frames
     * @param entry the new frame, from its UDP header on
     * @returns the held frame that has to leave now, or bucket.end()
     */
    Bucket::iterator ReceiveUdp(Bucket& bucket, Entry& entry);
    /**
     * @param entry a frame
     * @param zeroIsNone whether a field of zero means that there is no checksum
     * @returns whether its transport checksum is right, or known to be
     */
    bool ValidateChecksum(Entry& entry, bool zeroIsNone);
    /**
     * @param bucket held frames
     * @param entry a frame
     * @returns the held frame with its ports, or bucket.end(); frames with others are marked
     */
    static Bucket::iterator FindPorts(Bucket& bucket, const Entry& entry);
    /**
     * @param held a held frame
     * @param entry a frame of its flow
     * @returns whether their network headers keep them apart
     */
    static bool NetworkDiffers(Entry& held, const Entry& entry);
    /**
     * Add a frame's payload to a held frame.
     * @param held the held frame
     * @param entry the frame
     * @returns false when it would be too large
     */
    bool Merge(Entry& held, Entry& entry) const;
    /// @param entry a frame that leaves
    void Complete(Entry&& entry);

    Sink m_sink;                           //!< where frames go
    Settings m_settings;                   //!< the device's
    std::array<Bucket, BUCKETS> m_buckets; //!< held frames
    Counters m_counters;                   //!< what happened
};

} // namespace linuxhost
} // namespace ns3

#endif /* GRO_H */
