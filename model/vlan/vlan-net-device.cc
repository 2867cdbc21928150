/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-net-device.h"

#include "vlan-demux.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/ethernet-header.h"
#include "ns3/linux-host-compat.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/skb-xmit-path.h"
#include "ns3/socket.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("VlanNetDevice");
NS_OBJECT_ENSURE_REGISTERED(VlanNetDevice);

namespace
{

/// Largest VLAN id.
constexpr uint16_t VID_MAX = 4094;
/// Smallest MTU of an Ethernet device.
constexpr uint16_t MTU_MIN = 68;

// Instructions of the transmit path, counted in Linux 3.7, good to a third.
constexpr double XMIT = 60;      //!< dev_queue_xmit without a queue
constexpr double HARD_XMIT = 70; //!< vlan_dev_hard_start_xmit

/// What VLAN devices could switch before 4.1.
constexpr OffloadFlags SWITCHED_BEFORE_4_1 = OFFLOAD_ALL_CSUM | OFFLOAD_SG | OFFLOAD_FRAGLIST |
                                             OFFLOAD_ALL_TSO | OFFLOAD_HIGHDMA | OFFLOAD_SCTP_CSUM |
                                             OFFLOAD_ALL_FCOE;
/// What VLAN devices can switch since, software standing in for the lower device.
constexpr OffloadFlags SWITCHED_SINCE_4_1 = OFFLOAD_HW_CSUM | OFFLOAD_SG | OFFLOAD_FRAGLIST |
                                            OFFLOAD_GSO_SOFTWARE | OFFLOAD_HIGHDMA |
                                            OFFLOAD_SCTP_CSUM | OFFLOAD_ALL_FCOE;

} // namespace

TypeId
VlanNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::VlanNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("LinuxHost")
            .AddConstructor<VlanNetDevice>()
            .AddAttribute("Vid",
                          "VLAN id.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&VlanNetDevice::SetVid, &VlanNetDevice::GetVid),
                          MakeUintegerChecker<uint16_t>(0, VID_MAX))
            .AddAttribute(
                "Protocol",
                "EtherType of the tag: 0x8100 (802.1Q) or 0x88a8 (802.1ad).",
                UintegerValue(ETHERTYPE_8021Q),
                MakeUintegerAccessor(&VlanNetDevice::SetProtocol, &VlanNetDevice::GetProtocol),
                MakeUintegerChecker<uint16_t>())
            .AddAttribute("ReorderHeader",
                          "Whether frames are without their tag on this device (REORDER_HDR).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&VlanNetDevice::SetReorderHeader,
                                              &VlanNetDevice::GetReorderHeader),
                          MakeBooleanChecker())
            .AddAttribute("LooseBinding",
                          "Whether the device stays up when the lower one goes down.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&VlanNetDevice::m_looseBinding),
                          MakeBooleanChecker())
            .AddTraceSource("Sniffer",
                            "Every frame sent or received, as it is seen on this device.",
                            MakeTraceSourceAccessor(&VlanNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Drop",
                            "A packet was dropped.",
                            MakeTraceSourceAccessor(&VlanNetDevice::m_drop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("RxTag",
                            "A tag was received, and the priority that it maps to.",
                            MakeTraceSourceAccessor(&VlanNetDevice::m_rxTag),
                            "ns3::linuxhost::VlanNetDevice::TagTracedCallback");
    return tid;
}

VlanNetDevice::VlanNetDevice()
    : m_ifIndex(0),
      m_vid(1),
      m_protocol(ETHERTYPE_8021Q),
      m_reorderHeader(true),
      m_looseBinding(false),
      m_vlanFeaturesFrom(VlanFeatures::ERA),
      m_up(false),
      m_wasLinkUp(false),
      m_hasAddress(false),
      m_mtu(0),
      m_ingress{},
      m_features(CreateObject<OffloadFeatures>()),
      m_filter(CreateObject<DeviceAddressFilter>()),
      m_ownAddressWanted(false)
{
}

VlanNetDevice::~VlanNetDevice() = default;

void
VlanNetDevice::DoDispose()
{
    // Nobody is to hear of a link that goes down with the whole node.
    m_linkChange.clear();
    Detach();
    // They are aggregated to this device: holding them would keep all of it alive.
    m_features = nullptr;
    m_filter = nullptr;
    m_node = nullptr;
    m_rx.Nullify();
    m_promiscRx.Nullify();
    NetDevice::DoDispose();
}

std::string
VlanNetDevice::Attach(Ptr<NetDevice> lower)
{
    if (m_lower)
    {
        return "EBUSY: the device is on a lower one already";
    }
    if (!lower || !lower->GetNode())
    {
        return "ENODEV: the lower device is on no node";
    }
    if (m_vid > VID_MAX)
    {
        return "ERANGE: the VLAN id is above 4094";
    }
    if (m_protocol != ETHERTYPE_8021Q && m_protocol != ETHERTYPE_8021AD)
    {
        return "EPROTONOSUPPORT: the protocol is neither 802.1Q nor 802.1ad";
    }
    if (lower->IsPointToPoint() || !Mac48Address::IsMatchingType(lower->GetAddress()))
    {
        return "EOPNOTSUPP: the lower device does not carry Ethernet frames";
    }
    Ptr<OffloadFeatures> features = lower->GetObject<OffloadFeatures>();
    if (features && (features->GetFeatures() & OFFLOAD_VLAN_CHALLENGED))
    {
        return "EOPNOTSUPP: the lower device cannot carry tags";
    }
    m_lower = lower;
    if (!VlanDemux::Of(lower)->Add(this))
    {
        m_lower = nullptr;
        return "EEXIST: the lower device has a VLAN of this protocol and id";
    }
    if (m_mtu == 0 || m_mtu > lower->GetMtu())
    {
        m_mtu = lower->GetMtu();
    }
    RegisterFeatures();
    if (features)
    {
        features->TraceConnectWithoutContext(
            "Features",
            MakeCallback(&VlanNetDevice::LowerFeaturesChanged, this));
    }
    lower->AddLinkChangeCallback(MakeCallback(&VlanNetDevice::LowerLinkChanged, this));
    if (!GetObject<OffloadFeatures>())
    {
        AggregateObject(m_features);
        AggregateObject(m_filter);
    }
    if (!m_node)
    {
        lower->GetNode()->AddDevice(this);
    }
    if (IsLowerUp())
    {
        SetUp(true);
    }
    return "";
}

Ptr<NetDevice>
VlanNetDevice::GetLowerDevice() const
{
    return m_lower;
}

void
VlanNetDevice::Detach()
{
    if (!m_lower)
    {
        return;
    }
    SetUp(false);
    Ptr<VlanDemux> demux = m_lower->GetObject<VlanDemux>();
    if (demux)
    {
        demux->Remove(this);
    }
    Ptr<OffloadFeatures> features = m_lower->GetObject<OffloadFeatures>();
    if (features)
    {
        features->TraceDisconnectWithoutContext(
            "Features",
            MakeCallback(&VlanNetDevice::LowerFeaturesChanged, this));
    }
    // ns-3's devices keep their link callbacks for good: ours asks m_lower first.
    m_lower = nullptr;
}

void
VlanNetDevice::SetVid(uint16_t vid)
{
    if (!m_lower)
    {
        m_vid = vid;
    }
}

uint16_t
VlanNetDevice::GetVid() const
{
    return m_vid;
}

void
VlanNetDevice::SetProtocol(uint16_t protocol)
{
    if (!m_lower)
    {
        m_protocol = protocol;
    }
}

uint16_t
VlanNetDevice::GetProtocol() const
{
    return m_protocol;
}

void
VlanNetDevice::SetReorderHeader(bool on)
{
    m_reorderHeader = on;
}

bool
VlanNetDevice::GetReorderHeader() const
{
    return m_reorderHeader;
}

void
VlanNetDevice::SetVlanFeatures(VlanFeatures from)
{
    m_vlanFeaturesFrom = from;
}

bool
VlanNetDevice::SetEgressPriority(uint32_t priority, uint8_t pcp)
{
    if (pcp > 7)
    {
        return false;
    }
    m_egress[priority] = pcp;
    return true;
}

uint8_t
VlanNetDevice::GetEgressPriority(uint32_t priority) const
{
    const auto found = m_egress.find(priority);
    return found == m_egress.end() ? 0 : found->second;
}

bool
VlanNetDevice::SetIngressPriority(uint8_t pcp, uint32_t priority)
{
    if (pcp > 7)
    {
        return false;
    }
    m_ingress[pcp] = priority;
    return true;
}

uint32_t
VlanNetDevice::GetIngressPriority(uint8_t pcp) const
{
    return pcp > 7 ? 0 : m_ingress[pcp];
}

bool
VlanNetDevice::IsLowerUp() const
{
    return m_lower && m_lower->IsLinkUp();
}

std::string
VlanNetDevice::SetUp(bool up)
{
    if (up && !m_looseBinding && !IsLowerUp())
    {
        return "ENETDOWN";
    }
    if (up != m_up)
    {
        m_up = up;
        UpdateFilter();
        NotifyLinkChange();
    }
    return "";
}

bool
VlanNetDevice::IsUp() const
{
    return m_up;
}

void
VlanNetDevice::LowerLinkChanged()
{
    if (!m_lower)
    {
        return;
    }
    if (!m_looseBinding)
    {
        SetUp(IsLowerUp());
    }
    NotifyLinkChange();
}

void
VlanNetDevice::NotifyLinkChange()
{
    const bool up = IsLinkUp();
    if (up == m_wasLinkUp)
    {
        return;
    }
    m_wasLinkUp = up;
    for (const auto& callback : m_linkChange)
    {
        callback();
    }
}

void
VlanNetDevice::UpdateFilter()
{
    const bool wanted = m_lower && m_hasAddress && Address(m_address) != m_lower->GetAddress();
    if (wanted && !m_ownAddressWanted)
    {
        m_filter->Add(m_address);
    }
    else if (!wanted && m_ownAddressWanted)
    {
        m_filter->Remove(m_address);
    }
    m_ownAddressWanted = wanted;
    Ptr<DeviceAddressFilter> below;
    if (m_up && m_lower)
    {
        below = m_lower->GetObject<DeviceAddressFilter>();
        if (!below)
        {
            below = CreateObject<DeviceAddressFilter>();
            m_lower->AggregateObject(below);
        }
    }
    m_filter->SetLower(below);
}

Ptr<DeviceAddressFilter>
VlanNetDevice::GetAddressFilter() const
{
    return m_filter;
}

OffloadFlags
VlanNetDevice::GetLowerFeatures() const
{
    Ptr<OffloadFeatures> features = m_lower ? m_lower->GetObject<OffloadFeatures>() : nullptr;
    return features ? features->GetFeatures() : 0;
}

void
VlanNetDevice::RegisterFeatures()
{
    Ptr<OffloadFeatures> lower = m_lower->GetObject<OffloadFeatures>();
    const OffloadEra era = lower ? lower->GetEra() : OffloadEra::LINUX_3_7;
    const OffloadFlags belowVlan = lower ? lower->GetVlanFeatures() : 0;
    const bool since41 = era == OffloadEra::LINUX_4_14;
    OffloadFlags hardware = since41 ? SWITCHED_SINCE_4_1 : SWITCHED_BEFORE_4_1;
    // From 4.1 on software stands in, so everything is on from the start.
    const OffloadFlags features = OFFLOAD_LLTX | (since41 ? hardware : belowVlan);
    OffloadFlags vlanFeatures = 0;
    switch (m_vlanFeaturesFrom)
    {
    case VlanFeatures::OWN:
        vlanFeatures = features;
        break;
    case VlanFeatures::ERA:
        vlanFeatures = since41 ? belowVlan & ~OFFLOAD_ALL_FCOE : 0;
        break;
    case VlanFeatures::BLANK:
        break;
    }
    m_features->SetEra(era);
    if (lower)
    {
        m_features->SetGsoMaxSegments(lower->GetGsoMaxSegments());
        m_features->SetGsoMaxSize(lower->GetGsoMaxSize());
    }
    m_features->SetFixer(MakeCallback(&VlanNetDevice::FixFeatures, this));
    m_features->Register(hardware, features, vlanFeatures);
}

OffloadFlags
VlanNetDevice::FixFeatures(OffloadFlags features, std::vector<OffloadRefusal>* refusals)
{
    if (!m_lower)
    {
        return features;
    }
    Ptr<OffloadFeatures> lower = m_lower->GetObject<OffloadFeatures>();
    const OffloadFlags lowerOn = lower ? lower->GetFeatures() : 0;
    const OffloadFlags lowerVlan = lower ? lower->GetVlanFeatures() : 0;
    OffloadFlags fixed;
    if (m_features->GetEra() == OffloadEra::LINUX_4_14)
    {
        OffloadFlags able = IntersectOffloadFlags(lowerVlan | OFFLOAD_RXCSUM, lowerOn);
        if (able & (OFFLOAD_IP_CSUM | OFFLOAD_IPV6_CSUM))
        {
            able |= OFFLOAD_HW_CSUM;
        }
        fixed = IntersectOffloadFlags(features, able) |
                (features & (OFFLOAD_SOFT | OFFLOAD_GSO_SOFTWARE));
    }
    else
    {
        fixed = (((features & lowerVlan) | OFFLOAD_RXCSUM) & lowerOn) | (features & OFFLOAD_SOFT);
    }
    fixed |= OFFLOAD_LLTX;
    const OffloadFlags notInVlan = features & ~fixed & ~lowerVlan;
    const OffloadFlags notOn = features & ~fixed & ~notInVlan;
    if (notInVlan)
    {
        refusals->push_back({notInVlan, "the lower device does not offer it inside a VLAN"});
    }
    if (notOn)
    {
        refusals->push_back({notOn, "it is off on the lower device"});
    }
    return fixed;
}

void
VlanNetDevice::LowerFeaturesChanged(uint64_t before, uint64_t after)
{
    NS_LOG_FUNCTION(this << before << after);
    Ptr<OffloadFeatures> lower = m_lower ? m_lower->GetObject<OffloadFeatures>() : nullptr;
    if (lower)
    {
        m_features->SetGsoMaxSegments(lower->GetGsoMaxSegments());
        m_features->SetGsoMaxSize(lower->GetGsoMaxSize());
        m_features->Update();
    }
}

Ptr<OffloadFeatures>
VlanNetDevice::GetOffloadFeatures() const
{
    return m_features;
}

std::string
VlanNetDevice::DescribeFeatures() const
{
    std::ostringstream os;
    os << "vlan " << m_vid << ": " << OffloadFlagsToString(m_features->GetFeatures())
       << "\n  inside a VLAN: " << OffloadFlagsToString(m_features->GetVlanFeatures()) << "\n";
    Ptr<VlanNetDevice> vlan = DynamicCast<VlanNetDevice>(m_lower);
    if (vlan)
    {
        return os.str() + vlan->DescribeFeatures();
    }
    Ptr<OffloadFeatures> lower = m_lower ? m_lower->GetObject<OffloadFeatures>() : nullptr;
    os << "lower device: " << OffloadFlagsToString(lower ? lower->GetFeatures() : 0)
       << "\n  inside a VLAN: " << OffloadFlagsToString(lower ? lower->GetVlanFeatures() : 0)
       << "\n";
    return os.str();
}

const TransmitWork&
VlanNetDevice::GetTransmitWork() const
{
    return m_work;
}

const LinkCounters&
VlanNetDevice::GetCounters() const
{
    return m_counters;
}

bool
VlanNetDevice::HasVisibleTag() const
{
    const OffloadFlags insertion =
        m_protocol == ETHERTYPE_8021AD ? OFFLOAD_HW_VLAN_STAG_TX : OFFLOAD_HW_VLAN_CTAG_TX;
    return !m_reorderHeader && !(GetLowerFeatures() & insertion);
}

VlanNetDevice*
VlanNetDevice::GetLowerVlan() const
{
    return dynamic_cast<VlanNetDevice*>(PeekPointer(m_lower));
}

void
VlanNetDevice::MakeHeader(SkBuff* skb, uint32_t priority) const
{
    for (const VlanNetDevice* device = this; device; device = device->GetLowerVlan())
    {
        if (device->HasVisibleTag() && !skb->vlanTagPresent)
        {
            skb->vlanTagPresent = true;
            skb->vlanProtocol = device->m_protocol;
            skb->vlanTci = device->MakeTci(priority);
            skb->PushVlanTag();
        }
    }
}

uint16_t
VlanNetDevice::MakeTci(uint32_t priority) const
{
    return static_cast<uint16_t>(m_vid | (GetEgressPriority(priority) << VlanTagHeader::PCP_SHIFT));
}

bool
VlanNetDevice::TransmitSkb(const SkBuff& skb, uint32_t priority)
{
    NS_LOG_FUNCTION(this << priority);
    if (!m_up || !m_lower || skb.data.size() < ETHERNET_HEADER_LENGTH)
    {
        m_counters.txDropped++;
        m_drop(BytesToPacket(skb.data));
        return false;
    }
    TransmitWork work;
    std::vector<SkBuff> frames = ValidateTransmit(skb, m_features->SelectForFrame(skb), &work);
    m_counters.txDropped += work.dropped;
    m_work.Add(work);

    Ptr<OffloadFeatures> lowerFeatures = m_lower->GetObject<OffloadFeatures>();
    auto* below = dynamic_cast<SkbTransmitter*>(PeekPointer(m_lower));
    bool sent = !frames.empty();
    SkbXmitRecorder* recorder = sent ? SkbXmitRecorder::Current() : nullptr;
    int32_t loop = -1;
    if (recorder)
    {
        recorder->GetPath().Work("dev_queue_xmit", XMIT, "no discipline, no lock");
        loop = SkbXmitRecorder::RecordValidate(recorder->GetPath(),
                                               recorder->GetHands(),
                                               false,
                                               skb,
                                               frames,
                                               work);
        recorder->GetPath().Work("vlan_dev_hard_start_xmit", HARD_XMIT, "per-CPU counters");
    }
    for (SkBuff& frame : frames)
    {
        // All segments take the same way: one is recorded.
        SkbXmitRecorder::Silence silence(&frame != &frames.front());
        if (!m_sniffer.IsEmpty())
        {
            m_sniffer(BytesToPacket(frame.data));
        }
        // What carries this tag already is left as it is, unless tags are beside the frames.
        if (frame.GetProtocol() != m_protocol || m_reorderHeader)
        {
            frame.vlanTagPresent = true;
            frame.vlanProtocol = m_protocol;
            frame.vlanTci = MakeTci(priority);
        }
        const uint64_t bytes = frame.data.size();
        bool accepted = true;
        if (below)
        {
            accepted = below->TransmitSkb(frame, priority);
        }
        else
        {
            // A device of ns-3 sends whole frames only, so its pass through the stack is made here.
            const OffloadFlags features =
                lowerFeatures ? lowerFeatures->SelectForFrame(frame) & ~OFFLOAD_HW_VLAN_TX : 0;
            for (const SkBuff& whole : ValidateTransmit(frame, features, nullptr))
            {
                Mac48Address source;
                Mac48Address destination;
                destination.CopyFrom(&whole.data[0]);
                source.CopyFrom(&whole.data[6]);
                Ptr<Packet> packet = Create<Packet>(whole.data.data() + ETHERNET_HEADER_LENGTH,
                                                    static_cast<uint32_t>(whole.data.size()) -
                                                        ETHERNET_HEADER_LENGTH);
                accepted = SendBelow(packet, source, destination, whole.GetProtocol()) && accepted;
            }
        }
        if (accepted)
        {
            m_counters.txPackets++;
            m_counters.txBytes += bytes;
        }
        else
        {
            m_counters.txDropped++;
            sent = false;
        }
    }
    if (recorder)
    {
        SkbXmitRecorder::RecordSegmentsEnd(recorder->GetPath(), recorder->GetHands(), false, loop);
    }
    return sent;
}

void
VlanNetDevice::Sniff(Ptr<const Packet> packet,
                     const Address& source,
                     const Address& dest,
                     uint16_t protocol)
{
    if (m_sniffer.IsEmpty())
    {
        return;
    }
    Ptr<Packet> frame = packet->Copy();
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(Mac48Address::ConvertFrom(dest));
    header.SetLengthType(protocol);
    frame->AddHeader(header);
    m_sniffer(frame);
}

bool
VlanNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, GetAddress(), dest, protocolNumber);
}

bool
VlanNetDevice::SendFrom(Ptr<Packet> packet,
                        const Address& source,
                        const Address& dest,
                        uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    if (!m_up || !m_lower || !Mac48Address::IsMatchingType(source) ||
        !Mac48Address::IsMatchingType(dest))
    {
        m_counters.txDropped++;
        m_drop(packet);
        return false;
    }
    SocketPriorityTag priorityTag;
    const uint32_t priority = packet->PeekPacketTag(priorityTag) ? priorityTag.GetPriority() : 0;
    for (const VlanNetDevice* device = this; device; device = device->GetLowerVlan())
    {
        if (device->HasVisibleTag())
        {
            packet->AddHeader(VlanTagHeader(device->MakeTci(priority), protocolNumber));
            protocolNumber = device->m_protocol;
        }
    }
    return Transmit(packet, source, dest, protocolNumber, priority);
}

bool
VlanNetDevice::SendBelow(Ptr<Packet> packet,
                         const Address& source,
                         const Address& dest,
                         uint16_t protocol)
{
    // Not every device of ns-3 can send for others.
    if (source == m_lower->GetAddress())
    {
        return m_lower->Send(packet, dest, protocol);
    }
    return m_lower->SupportsSendFrom() && m_lower->SendFrom(packet, source, dest, protocol);
}

bool
VlanNetDevice::Transmit(Ptr<Packet> packet,
                        const Address& source,
                        const Address& dest,
                        uint16_t protocol,
                        uint32_t priority)
{
    if (!m_up || !m_lower)
    {
        m_counters.txDropped++;
        m_drop(packet);
        return false;
    }
    Sniff(packet, source, dest, protocol);
    const uint64_t bytes = packet->GetSize() + ETHERNET_HEADER_LENGTH;
    // What carries this tag already is left as it is, unless tags are beside the frames.
    if (protocol != m_protocol || m_reorderHeader)
    {
        packet->AddHeader(VlanTagHeader(MakeTci(priority), protocol));
        protocol = m_protocol;
    }
    VlanNetDevice* below = GetLowerVlan();
    const bool sent = below ? below->Transmit(packet, source, dest, protocol, priority)
                            : SendBelow(packet, source, dest, protocol);
    if (!sent)
    {
        m_counters.txDropped++;
        return false;
    }
    m_counters.txPackets++;
    m_counters.txBytes += bytes;
    return true;
}

void
VlanNetDevice::ReceiveTagged(Ptr<Packet> packet,
                             const VlanTagHeader& tag,
                             const Address& from,
                             const Address& to,
                             PacketType type)
{
    NS_LOG_FUNCTION(this << packet << from << to << type);
    if (!m_up)
    {
        m_drop(packet);
        return;
    }
    // The lower device knows its own address only.
    if (type == PACKET_OTHERHOST && to == GetAddress())
    {
        type = PACKET_HOST;
    }
    const uint32_t priority = m_ingress[tag.GetPcp()];
    SocketPriorityTag priorityTag;
    packet->RemovePacketTag(priorityTag);
    if (priority != 0)
    {
        // ns-3's tag holds eight bits.
        priorityTag.SetPriority(static_cast<uint8_t>(std::min<uint32_t>(priority, 255)));
        packet->AddPacketTag(priorityTag);
    }
    m_counters.rxPackets++;
    m_counters.rxBytes += packet->GetSize();
    if (type == PACKET_MULTICAST)
    {
        m_counters.rxMulticast++;
    }
    m_rxTag(tag.GetTci(), priority);

    const bool tagFollows =
        tag.GetEtherType() == ETHERTYPE_8021Q || tag.GetEtherType() == ETHERTYPE_8021AD;
    if (tagFollows)
    {
        // A priority tag is taken off on every device, whether a VLAN is on it or not.
        VlanDemux::Of(this);
    }

    // A tag that stays in the frame is seen on the devices above as well.
    const VlanNetDevice* below = GetLowerVlan();
    m_visible = below ? below->m_visible : std::vector<VisibleTag>();
    if (!m_reorderHeader)
    {
        m_visible.push_back({m_protocol, tag.GetTci()});
    }
    // What is too short for the tag that it says comes next is dropped before taps see it.
    const bool cut = tagFollows && packet->GetSize() < VlanTagHeader::LENGTH + 2;
    if (!m_sniffer.IsEmpty() && !cut)
    {
        Ptr<Packet> seen = packet->Copy();
        uint16_t seenProtocol = tag.GetEtherType();
        // A tag that comes next has been taken off by now, and is seen where taps put such: first.
        VlanTagHeader next;
        const uint16_t nextProtocol = seenProtocol;
        const bool reordered =
            tagFollows && !m_visible.empty() && seen->GetSize() >= VlanTagHeader::LENGTH;
        if (reordered)
        {
            seen->RemoveHeader(next);
            seenProtocol = next.GetEtherType();
        }
        for (auto visible = m_visible.rbegin(); visible != m_visible.rend(); visible++)
        {
            seen->AddHeader(VlanTagHeader(visible->tci, seenProtocol));
            seenProtocol = visible->protocol;
        }
        if (reordered)
        {
            seen->AddHeader(VlanTagHeader(next.GetTci(), seenProtocol));
            seenProtocol = nextProtocol;
        }
        Sniff(seen, from, to, seenProtocol);
    }

    if (!m_promiscRx.IsNull())
    {
        m_promiscRx(this, packet, tag.GetEtherType(), from, to, type);
    }
    if (type != PACKET_OTHERHOST && !m_rx.IsNull())
    {
        m_rx(this, packet, tag.GetEtherType(), from);
    }
}

void
VlanNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
VlanNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
VlanNetDevice::GetChannel() const
{
    return m_lower ? m_lower->GetChannel() : nullptr;
}

void
VlanNetDevice::SetAddress(Address address)
{
    if (m_ownAddressWanted)
    {
        m_filter->Remove(m_address);
        m_ownAddressWanted = false;
    }
    m_address = Mac48Address::ConvertFrom(address);
    m_hasAddress = true;
    UpdateFilter();
}

Address
VlanNetDevice::GetAddress() const
{
    return (m_hasAddress || !m_lower) ? Address(m_address) : m_lower->GetAddress();
}

void
VlanNetDevice::FollowLowerMtu() const
{
    if (m_lower)
    {
        // Lowered with the lower device, but never raised with it.
        m_mtu = std::min(m_mtu, m_lower->GetMtu());
    }
}

bool
VlanNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu < MTU_MIN || (m_lower && mtu > m_lower->GetMtu()))
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
VlanNetDevice::GetMtu() const
{
    FollowLowerMtu();
    return m_mtu;
}

bool
VlanNetDevice::IsLinkUp() const
{
    return m_up && IsLowerUp();
}

void
VlanNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.push_back(callback);
}

bool
VlanNetDevice::IsBroadcast() const
{
    return true;
}

Address
VlanNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
VlanNetDevice::IsMulticast() const
{
    return true;
}

Address
VlanNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
VlanNetDevice::GetMulticast(Ipv6Address address) const
{
    return Mac48Address::GetMulticast(address);
}

bool
VlanNetDevice::IsBridge() const
{
    return false;
}

bool
VlanNetDevice::IsPointToPoint() const
{
    return false;
}

Ptr<Node>
VlanNetDevice::GetNode() const
{
    return m_node;
}

void
VlanNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
VlanNetDevice::NeedsArp() const
{
    return true;
}

void
VlanNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_rx = cb;
}

void
VlanNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscRx = cb;
}

bool
VlanNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace linuxhost
} // namespace ns3
