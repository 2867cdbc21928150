/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OFFLOAD_FEATURES_H
#define OFFLOAD_FEATURES_H

#include "sk-buff.h"

#include "ns3/callback.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/// A set of offload features, a bit each.
using OffloadFlags = uint64_t;

/**
 * @ingroup linux-host
 * The features of a network device (NETIF_F_*).
 */
enum OffloadFlag : uint64_t
{
    OFFLOAD_SG = 1ULL << 0,                   //!< frames in several pieces
    OFFLOAD_IP_CSUM = 1ULL << 1,              //!< checksum of TCP and UDP over IPv4
    OFFLOAD_IPV6_CSUM = 1ULL << 2,            //!< checksum of TCP and UDP over IPv6
    OFFLOAD_HW_CSUM = 1ULL << 3,              //!< any checksum, by start and offset
    OFFLOAD_SCTP_CSUM = 1ULL << 4,            //!< CRC of SCTP
    OFFLOAD_HIGHDMA = 1ULL << 5,              //!< reads high memory
    OFFLOAD_FRAGLIST = 1ULL << 6,             //!< frames that are lists of buffers
    OFFLOAD_RXCSUM = 1ULL << 7,               //!< verifies checksums
    OFFLOAD_TSO = 1ULL << 8,                  //!< segmentation of TCP over IPv4
    OFFLOAD_TSO6 = 1ULL << 9,                 //!< segmentation of TCP over IPv6
    OFFLOAD_TSO_ECN = 1ULL << 10,             //!< CWR on the first segment only
    OFFLOAD_TSO_MANGLEID = 1ULL << 11,        //!< may keep one IPv4 identification
    OFFLOAD_UFO = 1ULL << 12,                 //!< fragmentation of UDP
    OFFLOAD_GSO_ROBUST = 1ULL << 13,          //!< takes frames whose headers nobody checked
    OFFLOAD_GSO_PARTIAL = 1ULL << 14,         //!< segments behind headers that it does not know
    OFFLOAD_GSO_UDP_L4 = 1ULL << 15,          //!< segmentation of UDP
    OFFLOAD_GSO_ACCECN = 1ULL << 16,          //!< CWR on every segment
    OFFLOAD_FSO = 1ULL << 17,                 //!< segmentation of FCoE
    OFFLOAD_GSO = 1ULL << 18,                 //!< the stack may build frames for segmentation
    OFFLOAD_GRO = 1ULL << 19,                 //!< the stack merges received frames
    OFFLOAD_LRO = 1ULL << 20,                 //!< the device merges received frames
    OFFLOAD_HW_VLAN_CTAG_TX = 1ULL << 21,     //!< inserts an 802.1Q tag
    OFFLOAD_HW_VLAN_CTAG_RX = 1ULL << 22,     //!< takes an 802.1Q tag off
    OFFLOAD_HW_VLAN_CTAG_FILTER = 1ULL << 23, //!< drops 802.1Q ids that nobody wants
    OFFLOAD_HW_VLAN_STAG_TX = 1ULL << 24,     //!< inserts an 802.1ad tag
    OFFLOAD_HW_VLAN_STAG_RX = 1ULL << 25,     //!< takes an 802.1ad tag off
    OFFLOAD_HW_VLAN_STAG_FILTER = 1ULL << 26, //!< drops 802.1ad ids that nobody wants
    OFFLOAD_VLAN_CHALLENGED = 1ULL << 27,     //!< cannot carry tags at all
    OFFLOAD_LLTX = 1ULL << 28,                //!< needs no transmit lock
    OFFLOAD_NETNS_LOCAL = 1ULL << 29,         //!< cannot move to another namespace
    OFFLOAD_RXHASH = 1ULL << 30,              //!< reports a flow hash
    OFFLOAD_NTUPLE = 1ULL << 31,              //!< steers flows by rules
    OFFLOAD_NOCACHE_COPY = 1ULL << 32,        //!< copy from user past the caches
    OFFLOAD_LOOPBACK = 1ULL << 33,            //!< sends to itself
    OFFLOAD_RXFCS = 1ULL << 34,               //!< hands the FCS up
    OFFLOAD_RXALL = 1ULL << 35,               //!< hands damaged frames up
    OFFLOAD_FCOE_CRC = 1ULL << 36,            //!< CRC of FCoE
    OFFLOAD_FCOE_MTU = 1ULL << 37,            //!< frames of FCoE's size
};

/// Every way to checksum on transmit.
constexpr OffloadFlags OFFLOAD_ALL_CSUM = OFFLOAD_IP_CSUM | OFFLOAD_IPV6_CSUM | OFFLOAD_HW_CSUM;
/// Every kind of TCP segmentation.
constexpr OffloadFlags OFFLOAD_ALL_TSO =
    OFFLOAD_TSO | OFFLOAD_TSO6 | OFFLOAD_TSO_ECN | OFFLOAD_TSO_MANGLEID;
/// Every feature that a frame for segmentation can ask for.
constexpr OffloadFlags OFFLOAD_GSO_MASK = OFFLOAD_ALL_TSO | OFFLOAD_UFO | OFFLOAD_GSO_ROBUST |
                                          OFFLOAD_GSO_PARTIAL | OFFLOAD_GSO_UDP_L4 |
                                          OFFLOAD_GSO_ACCECN | OFFLOAD_FSO;
/// What software can do in a device's place.
constexpr OffloadFlags OFFLOAD_GSO_SOFTWARE = OFFLOAD_ALL_TSO | OFFLOAD_UFO | OFFLOAD_GSO_UDP_L4;
/// What the stack does by itself, whatever the device.
constexpr OffloadFlags OFFLOAD_SOFT = OFFLOAD_GSO | OFFLOAD_GRO;
/// Insertion of either tag.
constexpr OffloadFlags OFFLOAD_HW_VLAN_TX = OFFLOAD_HW_VLAN_CTAG_TX | OFFLOAD_HW_VLAN_STAG_TX;
/// FCoE.
constexpr OffloadFlags OFFLOAD_ALL_FCOE = OFFLOAD_FCOE_CRC | OFFLOAD_FCOE_MTU | OFFLOAD_FSO;
/// What a user can never switch.
constexpr OffloadFlags OFFLOAD_NEVER_CHANGE =
    OFFLOAD_VLAN_CHALLENGED | OFFLOAD_LLTX | OFFLOAD_NETNS_LOCAL;

/**
 * @ingroup linux-host
 * Whose rules hold. A kernel between two of these follows the older one.
 */
enum class OffloadEra : uint8_t
{
    LINUX_3_7,  //!< up to 3.14
    LINUX_3_15, //!< up to 4.0
    LINUX_4_14, //!< from 4.1, with what came up to 4.14
};

/**
 * @ingroup linux-host
 * @param text "3.7", "3.15" or "4.14"
 * @param[out] era the era of that name
 * @returns whether there is one
 */
bool ParseOffloadEra(const std::string& text, OffloadEra* era);

/**
 * @ingroup linux-host
 * A feature that is off although it was asked for, and the rule that says so.
 */
struct OffloadRefusal
{
    OffloadFlags flags; //!< what is refused
    std::string rule;   //!< the rule
};

/**
 * @ingroup linux-host
 * What came of a switch.
 */
struct OffloadChange
{
    OffloadFlags changed{0};              //!< features that are other than before
    std::vector<OffloadRefusal> refusals; //!< what was asked for and is refused
    std::string error;                    //!< why nothing was tried, or empty

    /// @returns whether all that was asked for is so
    bool IsDone() const;
    /// @returns one line: the error, or each refusal with its rule; empty when all is done
    std::string Explain() const;
};

/**
 * @ingroup linux-host
 * The rules between features that hold for every device (netdev_fix_features).
 * @param features what is wanted
 * @param era whose rules
 * @param[out] refusals what was taken away and why; may be null
 * @returns what remains
 */
OffloadFlags FixOffloadFlags(OffloadFlags features,
                             OffloadEra era,
                             std::vector<OffloadRefusal>* refusals);
/**
 * @ingroup linux-host
 * The features of a device made of others, as a bridge's or bond's (netdev_increment_features).
 * @param all what the others gave so far
 * @param one the next of them
 * @param mask what the upper device is willing to have
 * @returns the combination
 */
OffloadFlags CombineOffloadFlags(OffloadFlags all, OffloadFlags one, OffloadFlags mask);
/**
 * @ingroup linux-host
 * What two devices can both do, knowing that a generic checksum does for the special ones.
 * @param a features
 * @param b features
 * @returns the intersection
 */
OffloadFlags IntersectOffloadFlags(OffloadFlags a, OffloadFlags b);
/**
 * @ingroup linux-host
 * @param features a device's
 * @param etherType of the packet, behind all tags
 * @returns whether it checksums such a packet
 */
bool CanChecksumProtocol(OffloadFlags features, uint16_t etherType);
/**
 * @ingroup linux-host
 * @param gsoType bits of GsoTypeBit
 * @returns the features that such a frame needs
 */
OffloadFlags GsoTypeToOffloadFlags(uint32_t gsoType);
/**
 * @ingroup linux-host
 * @param flags any set
 * @returns its names as `ethtool -k` prints them, with a space between
 */
std::string OffloadFlagsToString(OffloadFlags flags);

/**
 * @ingroup linux-host
 * The feature sets of one network device. Aggregate one to a NetDevice.
 *
 * A device has what it can switch (hw_features), what the user wants of that (wanted_features),
 * what is on (features) and what holds inside a VLAN (vlan_features). Update() computes what is on
 * from what is wanted: first the device's own rules, then those between features. A device that
 * is stacked on this one listens to the trace source `Features` and updates itself in turn.
 */
class OffloadFeatures : public Object
{
  public:
    /// The device's own rules: what remains of the features, and why the rest does not.
    using Fixer = Callback<OffloadFlags, OffloadFlags, std::vector<OffloadRefusal>*>;

    /// @returns the TypeId
    static TypeId GetTypeId();
    OffloadFeatures();
    ~OffloadFeatures() override;

    /// @param era whose rules hold
    void SetEra(OffloadEra era);
    /// @returns whose rules hold
    OffloadEra GetEra() const;

    /**
     * Bring the device into the stack (register_netdevice).
     * @param hardware what it can switch
     * @param features what is on at first; what is not in hardware stays so for good
     * @param vlanFeatures what holds inside a VLAN
     */
    void Register(OffloadFlags hardware, OffloadFlags features, OffloadFlags vlanFeatures);
    /// @param fixer the device's own rules
    void SetFixer(Fixer fixer);
    /// Compute the features again, and tell those above when they changed.
    void Update();

    /// @returns what is on
    OffloadFlags GetFeatures() const;
    /// @returns what can be switched
    OffloadFlags GetHardwareFeatures() const;
    /// @returns what the user wants
    OffloadFlags GetWantedFeatures() const;
    /// @returns what holds inside a VLAN
    OffloadFlags GetVlanFeatures() const;
    /// @param flags what holds inside a VLAN; those above are told
    void SetVlanFeatures(OffloadFlags flags);
    /// @returns what is wanted but off, with the rules
    const std::vector<OffloadRefusal>& GetRefusals() const;

    /// @param segments largest number of segments that the device takes at once
    void SetGsoMaxSegments(uint32_t segments);
    /// @returns largest number of segments that the device takes at once
    uint32_t GetGsoMaxSegments() const;
    /// @param size largest frame for segmentation, in bytes
    void SetGsoMaxSize(uint32_t size);
    /// @returns largest frame for segmentation, in bytes
    uint32_t GetGsoMaxSize() const;

    /**
     * Switch features.
     * @param flags which
     * @param on to which state
     * @returns what came of it
     */
    OffloadChange Switch(OffloadFlags flags, bool on);
    /**
     * Switch a feature by name, as `ethtool -K` does.
     * @param name a name of `ethtool -k`, or a short one: rx, tx, sg, tso, ufo, gso, gro, lro,
     *             rxvlan, txvlan, ntuple, rxhash
     * @param on to which state
     * @returns what came of it
     */
    OffloadChange SwitchByName(const std::string& name, bool on);
    /// @param os where to list the features, as `ethtool -k` does
    void Print(std::ostream& os) const;

    /**
     * What holds for one frame (netif_skb_features).
     * @param skb the frame
     * @returns the features
     */
    OffloadFlags SelectForFrame(const SkBuff& skb) const;

    /**
     * TracedCallback signature.
     * @param before what was on
     * @param after what is on
     */
    typedef void (*FeaturesTracedCallback)(uint64_t before, uint64_t after);

  private:
    /**
     * @param skb a frame
     * @param features what holds so far
     * @param etherType of the packet in the frame
     * @returns what holds once checksum and memory are thought of (harmonize_features)
     */
    OffloadFlags Harmonize(const SkBuff& skb, OffloadFlags features, uint16_t etherType) const;

    OffloadEra m_era;                             //!< whose rules hold
    OffloadFlags m_hardware;                      //!< can be switched
    OffloadFlags m_wanted;                        //!< wanted of those
    OffloadFlags m_features;                      //!< on
    OffloadFlags m_vlanFeatures;                  //!< hold inside a VLAN
    uint32_t m_gsoMaxSegments;                    //!< most segments in a frame
    uint32_t m_gsoMaxSize;                        //!< most bytes in a frame
    Fixer m_fixer;                                //!< the device's own rules
    std::vector<OffloadRefusal> m_refusals;       //!< wanted but off
    TracedCallback<uint64_t, uint64_t> m_changed; //!< before, after
};

} // namespace linuxhost
} // namespace ns3

#endif /* OFFLOAD_FEATURES_H */
