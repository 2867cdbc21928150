/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "offload-features.h"

#include "ns3/linux-host-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(OffloadFeatures);

namespace
{

/// A feature and its name in `ethtool -k`.
struct FlagName
{
    OffloadFlags flag; //!< the feature
    const char* name;  //!< its name
};

const FlagName FLAG_NAMES[] = {
    {OFFLOAD_RXCSUM, "rx-checksum"},
    {OFFLOAD_IP_CSUM, "tx-checksum-ipv4"},
    {OFFLOAD_HW_CSUM, "tx-checksum-ip-generic"},
    {OFFLOAD_IPV6_CSUM, "tx-checksum-ipv6"},
    {OFFLOAD_FCOE_CRC, "tx-checksum-fcoe-crc"},
    {OFFLOAD_SCTP_CSUM, "tx-checksum-sctp"},
    {OFFLOAD_SG, "tx-scatter-gather"},
    {OFFLOAD_FRAGLIST, "tx-scatter-gather-fraglist"},
    {OFFLOAD_TSO, "tx-tcp-segmentation"},
    {OFFLOAD_TSO_ECN, "tx-tcp-ecn-segmentation"},
    {OFFLOAD_TSO_MANGLEID, "tx-tcp-mangleid-segmentation"},
    {OFFLOAD_TSO6, "tx-tcp6-segmentation"},
    {OFFLOAD_GSO_ACCECN, "tx-tcp-accecn-segmentation"},
    {OFFLOAD_UFO, "tx-udp-fragmentation"},
    {OFFLOAD_GSO_UDP_L4, "tx-udp-segmentation"},
    {OFFLOAD_GSO, "tx-generic-segmentation"},
    {OFFLOAD_GRO, "rx-gro"},
    {OFFLOAD_LRO, "rx-lro"},
    {OFFLOAD_HW_VLAN_CTAG_RX, "rx-vlan-hw-parse"},
    {OFFLOAD_HW_VLAN_CTAG_TX, "tx-vlan-hw-insert"},
    {OFFLOAD_NTUPLE, "rx-ntuple-filter"},
    {OFFLOAD_RXHASH, "rx-hashing"},
    {OFFLOAD_HIGHDMA, "highdma"},
    {OFFLOAD_HW_VLAN_CTAG_FILTER, "rx-vlan-filter"},
    {OFFLOAD_VLAN_CHALLENGED, "vlan-challenged"},
    {OFFLOAD_LLTX, "tx-lockless"},
    {OFFLOAD_NETNS_LOCAL, "netns-local"},
    {OFFLOAD_GSO_ROBUST, "tx-gso-robust"},
    {OFFLOAD_GSO_PARTIAL, "tx-gso-partial"},
    {OFFLOAD_FSO, "tx-fcoe-segmentation"},
    {OFFLOAD_FCOE_MTU, "fcoe-mtu"},
    {OFFLOAD_NOCACHE_COPY, "tx-nocache-copy"},
    {OFFLOAD_LOOPBACK, "loopback"},
    {OFFLOAD_RXFCS, "rx-fcs"},
    {OFFLOAD_RXALL, "rx-all"},
    {OFFLOAD_HW_VLAN_STAG_TX, "tx-vlan-stag-hw-insert"},
    {OFFLOAD_HW_VLAN_STAG_RX, "rx-vlan-stag-hw-parse"},
    {OFFLOAD_HW_VLAN_STAG_FILTER, "rx-vlan-stag-filter"},
};

/// A short name of `ethtool -K` and the heading under which `ethtool -k` lists it.
struct GroupName
{
    const char* brief;   //!< for `ethtool -K`
    const char* heading; //!< in `ethtool -k`
    OffloadFlags flags;  //!< what it switches
};

const GroupName GROUP_NAMES[] = {
    {"rx", "rx-checksumming", OFFLOAD_RXCSUM},
    {"tx", "tx-checksumming", OFFLOAD_ALL_CSUM | OFFLOAD_FCOE_CRC | OFFLOAD_SCTP_CSUM},
    {"sg", "scatter-gather", OFFLOAD_SG | OFFLOAD_FRAGLIST},
    {"tso", "tcp-segmentation-offload", OFFLOAD_ALL_TSO | OFFLOAD_GSO_ACCECN},
    {"ufo", "udp-fragmentation-offload", OFFLOAD_UFO},
    {"gso", "generic-segmentation-offload", OFFLOAD_GSO},
    {"gro", "generic-receive-offload", OFFLOAD_GRO},
    {"lro", "large-receive-offload", OFFLOAD_LRO},
    {"rxvlan", "rx-vlan-offload", OFFLOAD_HW_VLAN_CTAG_RX},
    {"txvlan", "tx-vlan-offload", OFFLOAD_HW_VLAN_CTAG_TX},
    {"ntuple", "ntuple-filters", OFFLOAD_NTUPLE},
    {"rxhash", "receive-hashing", OFFLOAD_RXHASH},
};

/// What a device of several gets when one of the others has it: software does it for the rest.
constexpr OffloadFlags ONE_FOR_ALL = OFFLOAD_GSO_SOFTWARE | OFFLOAD_GSO_ROBUST | OFFLOAD_SG |
                                     OFFLOAD_HIGHDMA | OFFLOAD_FRAGLIST | OFFLOAD_VLAN_CHALLENGED;
/// What a device of several gets only when all of the others have it.
constexpr OffloadFlags ALL_FOR_ALL = OFFLOAD_NOCACHE_COPY | OFFLOAD_FSO;

bool
IsTagType(uint16_t etherType)
{
    return etherType == ETHERTYPE_8021Q || etherType == ETHERTYPE_8021AD;
}

} // namespace

bool
ParseOffloadEra(const std::string& text, OffloadEra* era)
{
    if (text == "3.7")
    {
        *era = OffloadEra::LINUX_3_7;
    }
    else if (text == "3.15")
    {
        *era = OffloadEra::LINUX_3_15;
    }
    else if (text == "4.14")
    {
        *era = OffloadEra::LINUX_4_14;
    }
    else
    {
        return false;
    }
    return true;
}

bool
OffloadChange::IsDone() const
{
    return error.empty() && refusals.empty();
}

std::string
OffloadChange::Explain() const
{
    std::string text = error;
    for (const OffloadRefusal& refusal : refusals)
    {
        text +=
            (text.empty() ? "" : "; ") + OffloadFlagsToString(refusal.flags) + ": " + refusal.rule;
    }
    return text;
}

OffloadFlags
FixOffloadFlags(OffloadFlags features, OffloadEra era, std::vector<OffloadRefusal>* refusals)
{
    const auto drop = [&](bool broken, OffloadFlags flags, const char* rule) {
        if (broken && (features & flags))
        {
            if (refusals)
            {
                refusals->push_back({features & flags, rule});
            }
            features &= ~flags;
        }
    };
    const auto has = [&](OffloadFlags flags) { return (features & flags) != 0; };
    const OffloadFlags special = OFFLOAD_IP_CSUM | OFFLOAD_IPV6_CSUM;

    drop(has(OFFLOAD_HW_CSUM), special, "the generic checksum excludes the IPv4 and IPv6 ones");
    if (era == OffloadEra::LINUX_3_7)
    {
        drop(!has(OFFLOAD_ALL_CSUM), OFFLOAD_SG, "scatter-gather needs a transmit checksum");
    }
    drop(!has(OFFLOAD_SG), OFFLOAD_ALL_TSO, "TCP segmentation needs scatter-gather");
    if (era != OffloadEra::LINUX_3_7)
    {
        drop(!has(OFFLOAD_HW_CSUM | OFFLOAD_IP_CSUM),
             OFFLOAD_TSO | OFFLOAD_TSO_ECN,
             "TCP segmentation needs the generic or the IPv4 checksum");
        drop(!has(OFFLOAD_HW_CSUM | OFFLOAD_IPV6_CSUM),
             OFFLOAD_TSO6,
             "TCP segmentation over IPv6 needs the generic or the IPv6 checksum");
    }
    if (era == OffloadEra::LINUX_4_14)
    {
        drop(!has(OFFLOAD_TSO),
             OFFLOAD_TSO_MANGLEID,
             "a kept identification needs TCP segmentation over IPv4");
    }
    drop((features & OFFLOAD_ALL_TSO) == OFFLOAD_TSO_ECN,
         OFFLOAD_TSO_ECN,
         "ECN segmentation needs TCP segmentation");
    drop(!has(OFFLOAD_SG), OFFLOAD_GSO, "generic segmentation needs scatter-gather");
    if (era != OffloadEra::LINUX_4_14)
    {
        drop(!has(OFFLOAD_HW_CSUM) && (features & special) != special,
             OFFLOAD_UFO,
             "UDP fragmentation needs the generic checksum, or those of IPv4 and IPv6");
        drop(!has(OFFLOAD_SG), OFFLOAD_UFO, "UDP fragmentation needs scatter-gather");
    }
    else
    {
        drop(true, OFFLOAD_UFO, "UDP fragmentation is gone in this kernel");
    }
    return features;
}

OffloadFlags
CombineOffloadFlags(OffloadFlags all, OffloadFlags one, OffloadFlags mask)
{
    if (mask & OFFLOAD_HW_CSUM)
    {
        mask |= OFFLOAD_ALL_CSUM;
    }
    mask |= OFFLOAD_VLAN_CHALLENGED;
    all |= one & (ONE_FOR_ALL | OFFLOAD_ALL_CSUM) & mask;
    all &= one | ~ALL_FOR_ALL;
    if (all & OFFLOAD_HW_CSUM)
    {
        all &= ~(OFFLOAD_IP_CSUM | OFFLOAD_IPV6_CSUM);
    }
    return all;
}

OffloadFlags
IntersectOffloadFlags(OffloadFlags a, OffloadFlags b)
{
    if ((a ^ b) & OFFLOAD_HW_CSUM)
    {
        OffloadFlags& generic = (a & OFFLOAD_HW_CSUM) ? a : b;
        generic |= OFFLOAD_IP_CSUM | OFFLOAD_IPV6_CSUM;
    }
    return a & b;
}

bool
CanChecksumProtocol(OffloadFlags features, uint16_t etherType)
{
    return (features & OFFLOAD_HW_CSUM) ||
           (etherType == ETHERTYPE_IPV4 && (features & OFFLOAD_IP_CSUM)) ||
           (etherType == ETHERTYPE_IPV6 && (features & OFFLOAD_IPV6_CSUM));
}

OffloadFlags
GsoTypeToOffloadFlags(uint32_t gsoType)
{
    const std::pair<uint32_t, OffloadFlags> pairs[] = {
        {GSO_TYPE_TCPV4, OFFLOAD_TSO},
        {GSO_TYPE_DODGY, OFFLOAD_GSO_ROBUST},
        {GSO_TYPE_TCP_ECN, OFFLOAD_TSO_ECN},
        {GSO_TYPE_TCP_FIXEDID, OFFLOAD_TSO_MANGLEID},
        {GSO_TYPE_TCPV6, OFFLOAD_TSO6},
        {GSO_TYPE_UDP, OFFLOAD_UFO},
        {GSO_TYPE_UDP_L4, OFFLOAD_GSO_UDP_L4},
        {GSO_TYPE_TCP_ACCECN, OFFLOAD_GSO_ACCECN},
    };
    OffloadFlags flags = 0;
    for (const auto& pair : pairs)
    {
        flags |= (gsoType & pair.first) ? pair.second : 0;
    }
    return flags;
}

std::string
OffloadFlagsToString(OffloadFlags flags)
{
    std::string text;
    for (const FlagName& entry : FLAG_NAMES)
    {
        if (flags & entry.flag)
        {
            if (!text.empty())
            {
                text += ' ';
            }
            text += entry.name;
        }
    }
    return text;
}

TypeId
OffloadFeatures::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::OffloadFeatures")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddConstructor<OffloadFeatures>()
            .AddAttribute("GsoMaxSegments",
                          "Largest number of segments in one frame handed to the device.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&OffloadFeatures::SetGsoMaxSegments,
                                               &OffloadFeatures::GetGsoMaxSegments),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("GsoMaxSize",
                          "Largest frame for segmentation handed to the device, in bytes.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&OffloadFeatures::SetGsoMaxSize,
                                               &OffloadFeatures::GetGsoMaxSize),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("Features",
                            "The device's features changed.",
                            MakeTraceSourceAccessor(&OffloadFeatures::m_changed),
                            "ns3::linuxhost::OffloadFeatures::FeaturesTracedCallback");
    return tid;
}

OffloadFeatures::OffloadFeatures()
    : m_era(OffloadEra::LINUX_3_7),
      m_hardware(0),
      m_wanted(0),
      m_features(0),
      m_vlanFeatures(0)
{
}

OffloadFeatures::~OffloadFeatures() = default;

void
OffloadFeatures::SetEra(OffloadEra era)
{
    m_era = era;
}

OffloadEra
OffloadFeatures::GetEra() const
{
    return m_era;
}

void
OffloadFeatures::Register(OffloadFlags hardware, OffloadFlags features, OffloadFlags vlanFeatures)
{
    m_hardware = (hardware | OFFLOAD_SOFT) & ~OFFLOAD_NEVER_CHANGE;
    m_features = features | OFFLOAD_SOFT;
    m_wanted = m_features & m_hardware;
    m_hardware |= OFFLOAD_NOCACHE_COPY;
    // Memory is reached the same way with a tag and without.
    m_vlanFeatures = vlanFeatures | OFFLOAD_HIGHDMA;
    Update();
}

void
OffloadFeatures::SetFixer(Fixer fixer)
{
    m_fixer = fixer;
}

void
OffloadFeatures::Update()
{
    const OffloadFlags before = m_features;
    OffloadFlags features = (m_features & ~m_hardware) | m_wanted;
    m_refusals.clear();
    if (!m_fixer.IsNull())
    {
        features = m_fixer(features, &m_refusals);
    }
    m_features = FixOffloadFlags(features, m_era, &m_refusals);
    if (m_features != before)
    {
        m_changed(before, m_features);
    }
}

OffloadFlags
OffloadFeatures::GetFeatures() const
{
    return m_features;
}

OffloadFlags
OffloadFeatures::GetHardwareFeatures() const
{
    return m_hardware;
}

OffloadFlags
OffloadFeatures::GetWantedFeatures() const
{
    return m_wanted;
}

OffloadFlags
OffloadFeatures::GetVlanFeatures() const
{
    return m_vlanFeatures;
}

void
OffloadFeatures::SetVlanFeatures(OffloadFlags flags)
{
    if (flags != m_vlanFeatures)
    {
        m_vlanFeatures = flags;
        m_changed(m_features, m_features);
    }
}

const std::vector<OffloadRefusal>&
OffloadFeatures::GetRefusals() const
{
    return m_refusals;
}

void
OffloadFeatures::SetGsoMaxSegments(uint32_t segments)
{
    m_gsoMaxSegments = segments;
}

uint32_t
OffloadFeatures::GetGsoMaxSegments() const
{
    return m_gsoMaxSegments;
}

void
OffloadFeatures::SetGsoMaxSize(uint32_t size)
{
    m_gsoMaxSize = size;
}

uint32_t
OffloadFeatures::GetGsoMaxSize() const
{
    return m_gsoMaxSize;
}

OffloadChange
OffloadFeatures::Switch(OffloadFlags flags, bool on)
{
    OffloadChange change;
    const OffloadFlags able = flags & m_hardware;
    if (!able)
    {
        const bool alreadySo = on ? (m_features & flags) == flags : !(m_features & flags);
        if (!alreadySo)
        {
            change.error = OffloadFlagsToString(flags) + ": fixed by the device";
        }
        return change;
    }
    const OffloadFlags before = m_features;
    m_wanted = on ? (m_wanted | able) : (m_wanted & ~able);
    Update();
    change.changed = before ^ m_features;
    const OffloadFlags missing = on ? able & ~m_features : 0;
    for (const OffloadRefusal& refusal : m_refusals)
    {
        if (refusal.flags & missing)
        {
            change.refusals.push_back({refusal.flags & missing, refusal.rule});
        }
    }
    return change;
}

OffloadChange
OffloadFeatures::SwitchByName(const std::string& name, bool on)
{
    for (const GroupName& group : GROUP_NAMES)
    {
        if (name == group.brief || name == group.heading)
        {
            return Switch(group.flags, on);
        }
    }
    for (const FlagName& entry : FLAG_NAMES)
    {
        if (name == entry.name)
        {
            return Switch(entry.flag, on);
        }
    }
    OffloadChange change;
    change.error = name + ": no such feature";
    return change;
}

void
OffloadFeatures::Print(std::ostream& os) const
{
    const auto state = [this](OffloadFlags flags) {
        std::string text = (m_features & flags) ? "on" : "off";
        if (!(m_hardware & flags))
        {
            text += " [fixed]";
        }
        else if (((m_wanted ^ m_features) & flags & m_hardware) != 0)
        {
            text += (m_wanted & flags & ~m_features) ? " [requested on]" : " [requested off]";
        }
        return text;
    };
    OffloadFlags listed = 0;
    for (const GroupName& group : GROUP_NAMES)
    {
        const bool single = (group.flags & (group.flags - 1)) == 0;
        os << group.heading << ": "
           << (single ? state(group.flags) : ((m_features & group.flags) ? "on" : "off")) << "\n";
        listed |= group.flags;
        if (single)
        {
            continue;
        }
        for (const FlagName& entry : FLAG_NAMES)
        {
            if (entry.flag & group.flags)
            {
                os << "\t" << entry.name << ": " << state(entry.flag) << "\n";
            }
        }
    }
    for (const FlagName& entry : FLAG_NAMES)
    {
        if (!(entry.flag & listed))
        {
            os << entry.name << ": " << state(entry.flag) << "\n";
        }
    }
}

OffloadFlags
OffloadFeatures::Harmonize(const SkBuff& skb, OffloadFlags features, uint16_t etherType) const
{
    if (skb.ipSummed != ChecksumState::NONE && !CanChecksumProtocol(features, etherType))
    {
        features &= ~OFFLOAD_ALL_CSUM;
        if (m_era == OffloadEra::LINUX_3_7)
        {
            features &= ~OFFLOAD_SG;
        }
        else if (m_era == OffloadEra::LINUX_4_14)
        {
            features &= ~OFFLOAD_GSO_MASK;
        }
    }
    return features;
}

OffloadFlags
OffloadFeatures::SelectForFrame(const SkBuff& skb) const
{
    OffloadFlags features = m_features;
    if (skb.gsoSegs > m_gsoMaxSegments ||
        (m_era == OffloadEra::LINUX_4_14 && skb.IsGso() && skb.data.size() >= m_gsoMaxSize))
    {
        features &= ~OFFLOAD_GSO_MASK;
    }
    const auto isTag = [this](uint16_t etherType) {
        return etherType == ETHERTYPE_8021Q ||
               (m_era != OffloadEra::LINUX_3_7 && IsTagType(etherType));
    };
    FrameHeaders headers;
    FindFrameHeaders(skb.data, &headers);
    const bool tagInFrame = isTag(skb.GetProtocol());
    const bool secondTagInFrame =
        tagInFrame && skb.data.size() >= 18 && isTag(ReadNetwork16(&skb.data[16]));
    if (!tagInFrame && !skb.vlanTagPresent)
    {
        return Harmonize(skb, features, headers.etherType);
    }
    const OffloadFlags insertion =
        m_era == OffloadEra::LINUX_3_7 ? OffloadFlags(OFFLOAD_HW_VLAN_CTAG_TX) : OFFLOAD_HW_VLAN_TX;
    const OffloadFlags inVlan = m_vlanFeatures | insertion;
    const OffloadFlags underTwoTags =
        OFFLOAD_SG | OFFLOAD_HIGHDMA | OFFLOAD_FRAGLIST | OFFLOAD_HW_CSUM | insertion;
    if (m_era == OffloadEra::LINUX_4_14)
    {
        features = IntersectOffloadFlags(features, inVlan);
        if (secondTagInFrame || (skb.vlanTagPresent && tagInFrame))
        {
            features &= underTwoTags;
        }
    }
    else
    {
        features &= inVlan;
        // These kernels look only into the frame for a second tag.
        if (secondTagInFrame)
        {
            features &= underTwoTags;
        }
    }
    return Harmonize(skb, features, headers.etherType);
}

} // namespace linuxhost
} // namespace ns3
