/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-net-device.h"

#include "tun-channel.h"
#include "tun-driver.h"
#include "tun-file.h"
#include "tun-offload-tag.h"

#include "ns3/boolean.h"
#include "ns3/ethernet-header.h"
#include "ns3/gso.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/linux-host-compat.h"
#include "ns3/log.h"
#include "ns3/mac64-address.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/sk-buff.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("TunNetDevice");
NS_OBJECT_ENSURE_REGISTERED(TunNetDevice);

namespace
{

/// Queue length that a TUN device starts with.
constexpr uint32_t TUN_TX_QUEUE_LEN = 500;
/// Queue length that every Ethernet device starts with.
constexpr uint32_t ETHERNET_TX_QUEUE_LEN = 1000;
/// How many addresses of a transmit filter are compared whole.
constexpr std::size_t MAX_EXACT_ADDRESSES = 8;
/// Smallest MTU.
constexpr uint16_t MIN_MTU = 68;
/// Largest MTU and link header together.
constexpr uint32_t MAX_MTU = 65535;
/// What the host reserves before a packet.
constexpr uint32_t HEADROOM = 64;
/// Longest packet for which Linux finds a buffer: 17 fragments of 32 kB, and what fits beside the
/// headroom and the buffer's own 320 bytes into the largest piece of memory, 4 MB.
constexpr uint32_t MAX_WRITE = 17 * 32768 + 4194304 - 320 - HEADROOM;
/// A shorter packet is written into one piece of memory.
constexpr uint32_t LINEAR_WRITE = 4096 - HEADROOM;
/// Of a longer one, most bytes before those in fragments: a page but for the headroom and the
/// buffer's own 320 bytes.
constexpr uint16_t MAX_LINEAR = 4096 - HEADROOM - 320;
/// Smallest EtherType; what is below is the length of an 802.3 frame.
constexpr uint16_t MIN_ETHERTYPE = 0x0600;
/// EtherType of ARP.
constexpr uint16_t ETHERTYPE_ARP = 0x0806;
/// What Linux calls the protocol of an 802.3 frame with an LLC header.
constexpr uint16_t PROTOCOL_802_2 = 0x0004;
/// What Linux calls the protocol of an 802.3 frame without LLC header.
constexpr uint16_t PROTOCOL_802_3 = 0x0001;
/// Link type of an Ethernet device.
constexpr uint16_t ARPHRD_ETHER_TYPE = 1;
/// Link type of a device without link header.
constexpr uint16_t ARPHRD_NONE_TYPE = 0xfffe;

/// Smallest TCP header.
constexpr uint32_t TCP_SIZE = 20;
/// UDP header.
constexpr uint32_t UDP_SIZE = 8;

constexpr uint8_t PROTO_ICMP = 1;
constexpr uint8_t PROTO_TCP = 6;
constexpr uint8_t PROTO_UDP = 17;
constexpr uint8_t PROTO_ICMPV6 = 58;

/// Bytes put before a packet, whatever they mean.
class RawBytes : public Header
{
  public:
    RawBytes() = default;

    /// @param bytes the bytes
    explicit RawBytes(std::vector<uint8_t> bytes)
        : m_bytes(std::move(bytes))
    {
    }

    /// @returns the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::linuxhost::TunRawBytes")
                                .SetParent<Header>()
                                .SetGroupName("LinuxHost")
                                .AddConstructor<RawBytes>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return m_bytes.size();
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.Write(m_bytes.data(), m_bytes.size());
    }

    uint32_t Deserialize(Buffer::Iterator /* start */) override
    {
        return 0;
    }

    void Print(std::ostream& os) const override
    {
        os << m_bytes.size() << " bytes";
    }

  private:
    std::vector<uint8_t> m_bytes; //!< the bytes
};

/**
 * Overwrite the beginning of a packet, and leave its tags alone.
 * @param packet the packet
 * @param bytes its new bytes
 * @param length how many of them are new
 */
void
OverwriteStart(Ptr<Packet> packet, const std::vector<uint8_t>& bytes, uint32_t length)
{
    packet->RemoveAtStart(length);
    packet->AddHeader(RawBytes({bytes.begin(), bytes.begin() + length}));
}

/**
 * @param address a MAC address
 * @returns its place in the hash filter, the upper six bits of the Ethernet CRC
 */
uint32_t
AddressHash(const Mac48Address& address)
{
    uint8_t bytes[6];
    address.CopyTo(bytes);
    uint32_t crc = 0xffffffff;
    for (uint8_t byte : bytes)
    {
        for (int bit = 0; bit < 8; ++bit, byte >>= 1)
        {
            const bool feedback = ((crc >> 31) ^ byte) & 1;
            crc = (crc << 1) ^ (feedback ? 0x04c11db7 : 0);
        }
    }
    return crc >> 26;
}

/**
 * @param bytes where a MAC address begins
 * @returns the address
 */
Mac48Address
ReadAddress(const uint8_t* bytes)
{
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(RawBytes);

TypeId
TunNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::TunNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("LinuxHost")
            .AddConstructor<TunNetDevice>()
            .AddAttribute("Mtu",
                          "Largest packet without link header.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&TunNetDevice::SetMtu, &TunNetDevice::GetMtu),
                          MakeUintegerChecker<uint16_t>(MIN_MTU))
            .AddAttribute(
                "TxQueueLen",
                "Most packets of one queue; 0 from the beginning is what Linux begins "
                "with, 500 of a TUN and 1000 of a TAP device.",
                UintegerValue(0),
                MakeUintegerAccessor(&TunNetDevice::SetTxQueueLen, &TunNetDevice::GetTxQueueLen),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("FinishChecksums",
                          "Whether packets of ns-3's own protocols, which leave checksums zero "
                          "unless ChecksumEnabled is set, get them on their way to the program, "
                          "as every packet of Linux has them.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&TunNetDevice::m_finishChecksums),
                          MakeBooleanChecker())
            .AddAttribute("KeepSegmentation",
                          "Whether what the program writes for segmentation (gso type) crosses the "
                          "node whole, as in Linux: right where it leaves by a tun device or ends "
                          "in this node, wrong where an ns-3 device sends it as one long frame.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TunNetDevice::m_keepSegmentation),
                          MakeBooleanChecker())
            .AddTraceSource("MacTx",
                            "A packet for the program has come to the device.",
                            MakeTraceSourceAccessor(&TunNetDevice::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet for the program has been dropped before it was queued.",
                            MakeTraceSourceAccessor(&TunNetDevice::m_macTxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A packet has come from the program, whoever it is for.",
                            MakeTraceSourceAccessor(&TunNetDevice::m_macPromiscRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet for this node has come from the program.",
                            MakeTraceSourceAccessor(&TunNetDevice::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRxDrop",
                            "A packet from the program has been dropped.",
                            MakeTraceSourceAccessor(&TunNetDevice::m_macRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Packets to and from the program, as a capture of this node's sees "
                            "them.",
                            MakeTraceSourceAccessor(&TunNetDevice::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Packets to and from the program, as a promiscuous capture sees "
                            "them.",
                            MakeTraceSourceAccessor(&TunNetDevice::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

TunNetDevice::TunNetDevice()
    : m_linkType(ARPHRD_NONE_TYPE),
      m_address(Mac64Address::Allocate())
{
}

TunNetDevice::~TunNetDevice() = default;

void
TunNetDevice::DoDispose()
{
    m_queues.clear();
    m_disabled.clear();
    m_filter = nullptr;
    m_socketFilter = nullptr;
    m_steering = nullptr;
    m_driver = nullptr;
    m_node = nullptr;
    m_channel = nullptr;
    m_rxCallback.Nullify();
    m_promiscRxCallback.Nullify();
    NetDevice::DoDispose();
}

void
TunNetDevice::Initialize(TunDriver* driver, const std::string& name, bool tap, uint16_t flags)
{
    m_driver = driver;
    m_name = name;
    m_tap = tap;
    m_flags = flags & TUN_FEATURES;
    m_registered = true;
    m_channel = CreateObject<TunChannel>();
    m_channel->SetDevice(this);
    if (tap)
    {
        m_linkType = ARPHRD_ETHER_TYPE;
        m_address = Mac48Address::Allocate();
    }
    if (m_txQueueLen == 0)
    {
        m_txQueueLen = tap ? ETHERNET_TX_QUEUE_LEN : TUN_TX_QUEUE_LEN;
    }
}

std::string
TunNetDevice::GetName() const
{
    return m_name;
}

bool
TunNetDevice::IsTap() const
{
    return m_tap;
}

bool
TunNetDevice::IsRegistered() const
{
    return m_registered;
}

uint16_t
TunNetDevice::GetFlags() const
{
    return m_flags | (m_tap ? TUN_FLAG_TAP : TUN_FLAG_TUN) | (m_persist ? TUN_FLAG_PERSIST : 0);
}

void
TunNetDevice::SetUp(bool up)
{
    up = up && m_registered;
    if (m_up != up)
    {
        m_up = up;
        NotifyLinkChange();
    }
}

bool
TunNetDevice::IsUp() const
{
    return m_up;
}

bool
TunNetDevice::HasCarrier() const
{
    return m_carrier;
}

void
TunNetDevice::SetCarrier(bool carrier)
{
    if (m_carrier != carrier)
    {
        m_carrier = carrier;
        NotifyLinkChange();
    }
}

void
TunNetDevice::NotifyLinkChange()
{
    m_linkChangeCallbacks();
}

void
TunNetDevice::SetTxQueueLen(uint32_t length)
{
    m_txQueueLen = length;
    auto shorten = [length](const Ptr<TunFile>& file) {
        if (file->m_queue.size() > length)
        {
            file->m_queue.resize(length);
        }
    };
    std::for_each(m_queues.begin(), m_queues.end(), shorten);
    std::for_each(m_disabled.begin(), m_disabled.end(), shorten);
}

uint32_t
TunNetDevice::GetTxQueueLen() const
{
    return m_txQueueLen;
}

uint32_t
TunNetDevice::GetNQueues() const
{
    return m_queues.size();
}

Ptr<TunFile>
TunNetDevice::GetFile(uint32_t queue) const
{
    return queue < m_queues.size() ? m_queues[queue] : nullptr;
}

uint32_t
TunNetDevice::GetNDisabledQueues() const
{
    return m_disabled.size();
}

uint32_t
TunNetDevice::GetOffloads() const
{
    return m_offloads;
}

TunStatistics
TunNetDevice::GetStatistics() const
{
    return m_statistics;
}

uint16_t
TunNetDevice::GetLinkType() const
{
    return m_linkType;
}

int64_t
TunNetDevice::GetOwner() const
{
    return m_owner;
}

int64_t
TunNetDevice::GetGroup() const
{
    return m_group;
}

int32_t
TunNetDevice::Attach(Ptr<TunFile> file)
{
    if (file->m_device && !file->m_detached)
    {
        return -LINUX_EINVAL;
    }
    if (!(m_flags & TUN_FLAG_MULTI_QUEUE) && m_queues.size() == 1)
    {
        return -LINUX_EBUSY;
    }
    if (!file->m_detached && m_queues.size() + m_disabled.size() == TUN_MAX_QUEUES)
    {
        return -LINUX_E2BIG;
    }
    if (file->m_detached)
    {
        m_disabled.remove(file);
        file->m_detached = false;
    }
    file->m_device = this;
    file->SetQueueIndex(m_queues.size());
    m_queues.push_back(file);
    return 0;
}

void
TunNetDevice::Detach(Ptr<TunFile> file, bool clean)
{
    if (!file->m_detached)
    {
        // The last queue takes the index of the one that goes.
        const uint32_t index = file->GetQueueIndex();
        m_queues[index] = m_queues.back();
        m_queues[index]->SetQueueIndex(index);
        m_queues.pop_back();
        // Linux forgets the flows of the index above the one that has gone. Those of that one stay,
        // and go to queue 0 while the index is missing.
        m_flows.ForgetQueue(m_queues.size() + 1);
        file->m_queue.clear();
        if (!clean)
        {
            file->m_detached = true;
            m_disabled.push_back(file);
            return;
        }
    }
    else if (clean)
    {
        m_disabled.remove(file);
        file->m_detached = false;
    }
    file->m_device = nullptr;
    if (m_queues.empty() && m_disabled.empty())
    {
        SetCarrier(false);
        if (!m_persist)
        {
            Unregister();
        }
    }
}

void
TunNetDevice::Unregister()
{
    if (!m_registered)
    {
        return;
    }
    Ptr<TunNetDevice> self = this;
    m_registered = false;
    std::vector<Ptr<TunFile>> files = m_queues;
    files.insert(files.end(), m_disabled.begin(), m_disabled.end());
    m_queues.clear();
    m_disabled.clear();
    for (const auto& file : files)
    {
        file->m_device = nullptr;
        file->m_detached = false;
        file->m_queue.clear();
        file->Shutdown(-LINUX_EFAULT);
    }
    m_flows.Clear();
    m_up = false;
    m_carrier = false;
    NotifyLinkChange();
    if (m_driver)
    {
        m_driver->Forget(self);
        m_driver = nullptr;
    }
}

int32_t
TunNetDevice::SetOffloads(uint64_t offloads)
{
    uint32_t taken = 0;
    uint64_t rest = offloads;
    if (rest & TUN_OFFLOAD_CSUM)
    {
        taken |= TUN_OFFLOAD_CSUM;
        rest &= ~uint64_t(TUN_OFFLOAD_CSUM | TUN_OFFLOAD_UFO);
        const uint64_t tso = TUN_OFFLOAD_TSO4 | TUN_OFFLOAD_TSO6;
        if (rest & tso)
        {
            taken |= rest & (tso | TUN_OFFLOAD_TSO_ECN);
            rest &= ~(tso | TUN_OFFLOAD_TSO_ECN);
        }
        const uint64_t uso = TUN_OFFLOAD_USO4 | TUN_OFFLOAD_USO6;
        if ((rest & uso) == uso)
        {
            taken |= uso;
            rest &= ~uso;
        }
        // GSO inside a tunnel makes no sense without GSO.
        if (taken & (tso | uso))
        {
            if (rest & TUN_OFFLOAD_UDP_TUNNEL_GSO)
            {
                const uint64_t tunnel =
                    TUN_OFFLOAD_UDP_TUNNEL_GSO | TUN_OFFLOAD_UDP_TUNNEL_GSO_CSUM;
                taken |= rest & tunnel;
                rest &= ~tunnel;
            }
        }
    }
    if (rest)
    {
        return -LINUX_EINVAL;
    }
    m_offloads = taken;
    return 0;
}

int64_t
TunNetDevice::Write(Ptr<TunFile> file, Ptr<const Packet> written)
{
    const uint32_t total = written->GetSize();
    uint32_t length = total;
    uint16_t protocol = ETHERTYPE_IPV4;
    std::vector<uint8_t> start(std::min<uint32_t>(total, TUN_PI_SIZE + TunVnetHeader::TUNNEL_SIZE));
    written->CopyData(start.data(), start.size());
    uint32_t offset = 0;

    if (!(m_flags & TUN_FLAG_NO_PI))
    {
        if (length < TUN_PI_SIZE)
        {
            return -LINUX_EINVAL;
        }
        protocol = ReadNetwork16(start.data() + 2);
        offset = TUN_PI_SIZE;
        length -= TUN_PI_SIZE;
    }
    TunVnetHeader header;
    bool tunnel = false;
    if (m_flags & TUN_FLAG_VNET_HDR)
    {
        const uint32_t size = m_vnetHeaderSize;
        if (length < size)
        {
            return -LINUX_EINVAL;
        }
        tunnel = size >= TunVnetHeader::TUNNEL_SIZE;
        header = TunVnetHeader::Parse(start.data() + offset, tunnel, false);
        if (header.flags & TunVnetHeader::F_NEEDS_CSUM)
        {
            header.hdrLen =
                std::max<uint32_t>(header.csumStart + header.csumOffset + 2, header.hdrLen);
        }
        // What follows the fields that are read counts as packet here, as it does in Linux.
        const uint32_t read = tunnel ? TunVnetHeader::TUNNEL_SIZE : TunVnetHeader::SIZE;
        if (header.hdrLen > length - read)
        {
            return -LINUX_EINVAL;
        }
        offset += size;
        length -= size;
    }
    if (m_tap && (length < ETHERNET_HEADER_LENGTH ||
                  (header.hdrLen && header.hdrLen < ETHERNET_HEADER_LENGTH)))
    {
        return -LINUX_EINVAL;
    }

    Ptr<Packet> packet = written->Copy();
    packet->RemoveAtStart(offset);
    auto drop = [this, &packet](int32_t error) -> int64_t {
        ++m_statistics.rxDropped;
        m_macRxDropTrace(packet);
        return error;
    };
    if (file->m_napiFrags && length > MAX_MTU - HEADROOM)
    {
        return drop(-LINUX_EMSGSIZE);
    }
    if (length > MAX_WRITE)
    {
        return drop(-LINUX_ENOBUFS);
    }
    std::vector<uint8_t> bytes = PacketToBytes(packet);
    if (!header.Fits(bytes.data(), length, tunnel, HEADROOM))
    {
        // A TAP device has the count too, but Linux does not show it.
        m_statistics.rxFrameErrors += m_tap ? 0 : 1;
        m_macRxDropTrace(packet);
        return -LINUX_EINVAL;
    }
    if (!m_tap && (m_flags & TUN_FLAG_NO_PI))
    {
        switch (length ? bytes[0] >> 4 : 0)
        {
        case 4:
            protocol = ETHERTYPE_IPV4;
            break;
        case 6:
            protocol = ETHERTYPE_IPV6;
            break;
        default:
            return drop(-LINUX_EINVAL);
        }
    }
    if (!m_up)
    {
        return drop(-LINUX_EIO);
    }
    if (file->m_napi && file->m_detached)
    {
        return -LINUX_EBUSY;
    }

    ++m_statistics.rxPackets;
    m_statistics.rxBytes += length;
    if (m_tap)
    {
        protocol = ReadNetwork16(bytes.data() + 12);
    }
    if (m_queues.size() > 1 && !file->m_detached && !m_steering)
    {
        const auto keys = TunFlowKeys::DissectFlow(bytes.data(),
                                                   length,
                                                   protocol,
                                                   m_tap ? ETHERNET_HEADER_LENGTH : 0);
        m_flows.Update(keys.SymmetricHash(), file->GetQueueIndex());
    }

    TunOffloadTag tag;
    packet->RemovePacketTag(tag);
    tag = TunOffloadTag();
    if (header.flags & TunVnetHeader::F_NEEDS_CSUM)
    {
        uint8_t* field = bytes.data() + header.csumStart + header.csumOffset;
        tag.needsChecksum = true;
        tag.checksumBack = length - header.csumStart;
        tag.checksumOffset = header.csumOffset;
        tag.partialSum = ReadNetwork16(field);
        tag.wholeSum =
            ~ChecksumFold(ChecksumAdd(bytes.data() + header.csumStart, length - header.csumStart));
        if (tag.wholeSum == 0)
        {
            tag.wholeSum = 0xffff;
        }
        WriteNetwork16(field, tag.wholeSum);
        OverwriteStart(packet, bytes, header.csumStart + header.csumOffset + 2);
    }
    if (header.IsGso(length))
    {
        tag.gsoType = header.gsoType;
        tag.gsoSize = header.gsoSize;
        const uint16_t linear = header.hdrLen ? std::min(header.hdrLen, MAX_LINEAR) : MAX_LINEAR;
        tag.fragmentBytes = length < LINEAR_WRITE ? 0 : length - linear;
    }
    if (m_node && Simulator::GetContext() != m_node->GetId())
    {
        Simulator::ScheduleWithContext(m_node->GetId(),
                                       Time(0),
                                       &TunNetDevice::DeliverWritten,
                                       Ptr<TunNetDevice>(this),
                                       packet,
                                       protocol,
                                       tag);
    }
    else
    {
        DeliverWritten(packet, protocol, tag);
    }
    return total;
}

void
TunNetDevice::DeliverWritten(Ptr<Packet> packet, uint16_t protocol, TunOffloadTag tag)
{
    auto piece = [this, protocol](const TunFrame& frame) {
        frame.packet->AddPacketTag(TunOffloadTag());
        Deliver(frame.packet, protocol);
    };
    const bool whole = tag.gsoType == TunVnetHeader::GSO_NONE || m_keepSegmentation;
    if (whole || !Segment(PacketToBytes(packet), protocol, tag, 0, piece))
    {
        packet->AddPacketTag(tag);
        Deliver(packet, protocol);
    }
}

void
TunNetDevice::Deliver(Ptr<Packet> packet, uint16_t protocol)
{
    if (!m_node)
    {
        return;
    }
    Address source = m_address;
    Address destination = m_address;
    PacketType type = PACKET_HOST;
    Ptr<Packet> inner = packet->Copy();
    if (m_tap)
    {
        uint8_t header[ETHERNET_HEADER_LENGTH];
        packet->CopyData(header, sizeof(header));
        const Mac48Address to = ReadAddress(header);
        source = ReadAddress(header + 6);
        destination = to;
        inner->RemoveAtStart(sizeof(header));
        if (to.IsBroadcast())
        {
            type = PACKET_BROADCAST;
        }
        else if (to.IsGroup())
        {
            type = PACKET_MULTICAST;
        }
        else if (Address(to) != m_address)
        {
            type = PACKET_OTHERHOST;
        }
    }
    m_macPromiscRxTrace(packet);
    m_promiscSnifferTrace(packet);
    bool wanted = false;
    if (!m_promiscRxCallback.IsNull())
    {
        wanted = m_promiscRxCallback(this, inner->Copy(), protocol, source, destination, type);
    }
    if (type != PACKET_OTHERHOST)
    {
        m_macRxTrace(packet);
        m_snifferTrace(packet);
        if (!m_rxCallback.IsNull() && m_rxCallback(this, inner, protocol, source))
        {
            wanted = true;
        }
    }
    if (!wanted && !IsKnownProtocol(inner, protocol))
    {
        ++m_statistics.rxDropped;
        m_macRxDropTrace(packet);
    }
}

uint16_t
TunNetDevice::ProtocolOf(uint16_t lengthType, const uint8_t* payload, uint32_t size)
{
    if (lengthType >= MIN_ETHERTYPE)
    {
        return lengthType;
    }
    // 802.3: there is always LLC, except in the raw frames of old NetWare.
    return size >= 2 && ReadNetwork16(payload) == 0xffff ? PROTOCOL_802_3 : PROTOCOL_802_2;
}

bool
TunNetDevice::IsKnownProtocol(Ptr<const Packet> packet, uint16_t protocol) const
{
    const std::vector<uint8_t> payload = PacketToBytes(packet);
    const uint8_t* here = payload.data();
    uint32_t left = payload.size();
    if (m_tap)
    {
        protocol = ProtocolOf(protocol, here, left);
    }
    uint16_t vlanId = 0;
    // Behind a priority tag there may be one of a VLAN; behind that one tags mean nothing.
    while (vlanId == 0 && (protocol == ETHERTYPE_8021Q || protocol == ETHERTYPE_8021AD))
    {
        if (left < VLAN_TAG_LENGTH + 2)
        {
            // A tag that is cut off is thrown away without being counted.
            return true;
        }
        vlanId = ReadNetwork16(here) & 0x0fff;
        protocol = ReadNetwork16(here + 2);
        here += VLAN_TAG_LENGTH;
        left -= VLAN_TAG_LENGTH;
        protocol = ProtocolOf(protocol, here, left);
    }
    return protocol == ETHERTYPE_IPV4 || protocol == ETHERTYPE_ARP || protocol == ETHERTYPE_IPV6 ||
           protocol == PROTOCOL_802_2;
}

bool
TunNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_address, dest, protocolNumber);
}

bool
TunNetDevice::SendFrom(Ptr<Packet> packet,
                       const Address& source,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    Ptr<Packet> frame = packet->Copy();
    if (m_tap)
    {
        if (!Mac48Address::IsMatchingType(source) || !Mac48Address::IsMatchingType(dest))
        {
            NS_LOG_WARN(m_name << ": not a MAC address: " << source << " or " << dest);
            return DropTransmit(frame);
        }
        EthernetHeader header(false);
        header.SetSource(Mac48Address::ConvertFrom(source));
        header.SetDestination(Mac48Address::ConvertFrom(dest));
        header.SetLengthType(protocolNumber);
        frame->AddHeader(header);
    }
    m_macTxTrace(frame);
    if (!m_up || !m_carrier)
    {
        return DropTransmit(frame);
    }
    m_snifferTrace(frame);
    m_promiscSnifferTrace(frame);
    return Transmit(frame, protocolNumber);
}

bool
TunNetDevice::DropTransmit(Ptr<const Packet> packet)
{
    ++m_statistics.txDropped;
    m_macTxDropTrace(packet);
    return false;
}

bool
TunNetDevice::Transmit(Ptr<Packet> packet, uint16_t protocol)
{
    TunOffloadTag tag;
    if (packet->PeekPacketTag(tag) && tag.gsoType != TunVnetHeader::GSO_NONE)
    {
        bool queued = true;
        auto piece = [this, &queued](const TunFrame& frame) { queued = Queue(frame) && queued; };
        return Segment(PacketToBytes(packet), protocol, tag, m_offloads, piece)
                   ? queued
                   : DropTransmit(packet);
    }
    TunFrame frame{packet, protocol, {}};
    FinishOffloads(frame);
    return Queue(frame);
}

bool
TunNetDevice::Queue(const TunFrame& frame)
{
    Ptr<Packet> packet = frame.packet;
    const uint32_t index = SelectQueue(packet, frame.protocol);
    if (index >= m_queues.size() ||
        (!m_txFilter.exact.empty() && !PassesTxFilter(PacketToBytes(packet))))
    {
        return DropTransmit(packet);
    }
    Ptr<TunFile> file = m_queues[index];
    uint32_t keep = packet->GetSize();
    if (file->m_filtered && m_socketFilter)
    {
        keep = std::min(keep, m_socketFilter(packet));
    }
    if (keep && m_filter)
    {
        keep = std::min(keep, m_filter(packet));
    }
    if (keep == 0 || file->m_queue.size() >= m_txQueueLen)
    {
        return DropTransmit(packet);
    }
    packet->RemoveAtEnd(packet->GetSize() - keep);
    file->Enqueue(frame);
    return true;
}

bool
TunNetDevice::Segment(const std::vector<uint8_t>& bytes,
                      uint16_t protocol,
                      const TunOffloadTag& tag,
                      uint32_t offloads,
                      const std::function<void(const TunFrame&)>& sink) const
{
    SkBuff skb;
    // Segmentation wants an Ethernet header; a TUN device's packets borrow one.
    const uint32_t borrowed = m_tap ? 0 : ETHERNET_HEADER_LENGTH;
    const uint32_t size = borrowed + bytes.size();
    skb.data.resize(size);
    std::copy(bytes.begin(), bytes.end(), skb.data.begin() + borrowed);
    if (borrowed)
    {
        WriteNetwork16(&skb.data[12], protocol);
    }
    FrameHeaders headers;
    if (tag.checksumBack > size || !FindFrameHeaders(skb.data, &headers) || headers.transport == 0)
    {
        return false;
    }
    switch (tag.gsoType & ~TunVnetHeader::GSO_ECN)
    {
    case TunVnetHeader::GSO_TCPV4:
        skb.gsoType = GSO_TYPE_TCPV4;
        break;
    case TunVnetHeader::GSO_TCPV6:
        skb.gsoType = GSO_TYPE_TCPV6;
        break;
    case TunVnetHeader::GSO_UDP:
        skb.gsoType = GSO_TYPE_UDP;
        break;
    case TunVnetHeader::GSO_UDP_L4:
        skb.gsoType = GSO_TYPE_UDP_L4;
        break;
    default:
        return false;
    }
    const bool tcp = skb.gsoType & (GSO_TYPE_TCPV4 | GSO_TYPE_TCPV6);
    if (tag.gsoType & TunVnetHeader::GSO_ECN)
    {
        skb.gsoType |= GSO_TYPE_TCP_ECN;
    }
    skb.gsoType |= GSO_TYPE_DODGY;
    skb.gsoSize = tag.gsoSize;
    const uint32_t transportMin = tcp ? TCP_SIZE : UDP_SIZE;
    if (headers.transport + transportMin > size)
    {
        return false;
    }
    skb.headLength =
        headers.transport + (tcp ? (skb.data[headers.transport + 12] >> 4) * 4 : transportMin);
    skb.headLength =
        std::min(size, std::max(skb.headLength, size - std::min(size, tag.fragmentBytes)));
    if (tag.needsChecksum)
    {
        skb.ipSummed = ChecksumState::PARTIAL;
        skb.csumStart = size - tag.checksumBack;
        skb.csumOffset = tag.checksumOffset;
        if (skb.csumStart + skb.csumOffset + 2u > size)
        {
            return false;
        }
        WriteNetwork16(&skb.data[skb.csumStart + skb.csumOffset], tag.partialSum);
    }

    OffloadFlags features = OFFLOAD_SG | OFFLOAD_FRAGLIST | OFFLOAD_SOFT;
    const std::pair<uint32_t, OffloadFlags> wanted[] = {{TUN_OFFLOAD_CSUM, OFFLOAD_HW_CSUM},
                                                        {TUN_OFFLOAD_TSO4, OFFLOAD_TSO},
                                                        {TUN_OFFLOAD_TSO6, OFFLOAD_TSO6},
                                                        {TUN_OFFLOAD_TSO_ECN, OFFLOAD_TSO_ECN},
                                                        {TUN_OFFLOAD_USO4, OFFLOAD_GSO_UDP_L4}};
    for (const auto& [offload, feature] : wanted)
    {
        features |= offloads & offload ? feature : 0;
    }
    bool cut = false;
    ValidateTransmit(skb, features, nullptr, [&](SkBuff&& segment) {
        TunFrame frame;
        frame.packet = BytesToPacket({segment.data.begin() + borrowed, segment.data.end()});
        frame.protocol = protocol;
        static_cast<VirtioNetHeader&>(frame.header) = segment.MakeVirtioHeader();
        if (segment.ipSummed == ChecksumState::PARTIAL)
        {
            frame.header.csumStart -= borrowed;
        }
        if (segment.IsGso())
        {
            // Linux keeps the outermost tag beside the frame until it is read.
            frame.header.hdrLen -= borrowed + (segment.CountTags() ? VLAN_TAG_LENGTH : 0);
        }
        cut = true;
        sink(frame);
    });
    return cut;
}

uint32_t
TunNetDevice::SelectQueue(Ptr<const Packet> packet, uint16_t protocol)
{
    const uint32_t queues = m_queues.size();
    if (queues <= 1)
    {
        return 0;
    }
    if (m_steering)
    {
        return m_steering(packet) % queues;
    }
    const std::vector<uint8_t> bytes = PacketToBytes(packet);
    const uint32_t hash = TunFlowKeys::DissectFlow(bytes.data(),
                                                   bytes.size(),
                                                   protocol,
                                                   m_tap ? ETHERNET_HEADER_LENGTH : 0)
                              .SymmetricHash();
    uint16_t queue = 0;
    if (m_flows.Lookup(hash, &queue))
    {
        // A flow may know a queue that has gone since.
        return queue < queues ? queue : 0;
    }
    return (uint64_t(hash) * queues) >> 32;
}

void
TunNetDevice::PutBefore(Ptr<Packet> packet, const std::vector<uint8_t>& bytes)
{
    packet->AddHeader(RawBytes(bytes));
}

int32_t
TunNetDevice::SetTxFilter(const TunTxFilter& filter)
{
    const auto& addresses = filter.addresses;
    m_txFilter = TxFilter();
    if (addresses.empty())
    {
        return 0;
    }
    const std::size_t exact = std::min(addresses.size(), MAX_EXACT_ADDRESSES);
    uint64_t hashed = 0;
    for (std::size_t i = exact; i < addresses.size(); ++i)
    {
        if (!addresses[i].IsGroup())
        {
            // Only multicast can be hashed: without room for this address there is no filter.
            return 0;
        }
        hashed |= uint64_t(1) << AddressHash(addresses[i]);
    }
    m_txFilter.exact.assign(addresses.begin(), addresses.begin() + exact);
    m_txFilter.hashed = filter.flags & TUN_FILTER_ALLMULTI ? ~uint64_t(0) : hashed;
    return exact;
}

bool
TunNetDevice::PassesTxFilter(const std::vector<uint8_t>& bytes) const
{
    const Mac48Address destination = ReadAddress(bytes.data());
    if (std::find(m_txFilter.exact.begin(), m_txFilter.exact.end(), destination) !=
        m_txFilter.exact.end())
    {
        return true;
    }
    return destination.IsGroup() && (m_txFilter.hashed >> AddressHash(destination)) & 1;
}

bool
TunNetDevice::IsFromThisNode(const TunFlowKeys& keys) const
{
    if (!m_node)
    {
        return false;
    }
    if (keys.version == 4)
    {
        Ptr<Ipv4> ipv4 = m_node->GetObject<Ipv4>();
        return ipv4 &&
               ipv4->GetInterfaceForAddress(Ipv4Address::Deserialize(keys.source.data())) >= 0;
    }
    Ptr<Ipv6> ipv6 = m_node->GetObject<Ipv6>();
    return ipv6 && ipv6->GetInterfaceForAddress(Ipv6Address::Deserialize(keys.source.data())) >= 0;
}

void
TunNetDevice::FinishOffloads(TunFrame& frame)
{
    std::vector<uint8_t> bytes = PacketToBytes(frame.packet);
    const uint32_t size = bytes.size();
    TunOffloadTag tag;
    if (frame.packet->RemovePacketTag(tag))
    {
        const uint32_t start = size - tag.checksumBack;
        const uint32_t field = start + tag.checksumOffset;
        if (tag.needsChecksum && (m_offloads & TUN_OFFLOAD_CSUM) && tag.checksumBack <= size &&
            field + 2 <= size && ReadNetwork16(bytes.data() + field) == tag.wholeSum)
        {
            WriteNetwork16(bytes.data() + field, tag.partialSum);
            OverwriteStart(frame.packet, bytes, field + 2);
            frame.header.flags = TunVnetHeader::F_NEEDS_CSUM;
            frame.header.csumStart = start;
            frame.header.csumOffset = tag.checksumOffset;
        }
        return;
    }
    if (!m_finishChecksums)
    {
        return;
    }
    const auto keys = TunFlowKeys::Dissect(bytes.data(),
                                           size,
                                           frame.protocol,
                                           m_tap ? ETHERNET_HEADER_LENGTH : 0);
    if (keys.version == 0 || keys.transportOffset == 0)
    {
        return;
    }
    const bool zeroMeansMissing = !Node::ChecksumEnabled();
    uint32_t changed = 0;
    uint8_t* network = bytes.data() + keys.networkOffset;
    if (keys.version == 4 && zeroMeansMissing && ReadNetwork16(network + 10) == 0)
    {
        const uint32_t length = keys.transportOffset - keys.networkOffset;
        WriteNetwork16(network + 10, ~ChecksumFold(ChecksumAdd(network, length)));
        changed = keys.networkOffset + 12;
    }
    uint32_t offset = 0;
    bool pseudo = true;
    switch (keys.protocol)
    {
    case PROTO_TCP:
        offset = 16;
        break;
    case PROTO_UDP:
        offset = 6;
        break;
    case PROTO_ICMP:
        offset = keys.version == 4 ? 2 : 0;
        pseudo = false;
        break;
    case PROTO_ICMPV6:
        offset = keys.version == 6 ? 2 : 0;
        break;
    default:
        break;
    }
    const uint32_t field = keys.transportOffset + offset;
    if (offset && !keys.fragment && field + 2 <= size)
    {
        uint8_t* transport = bytes.data() + keys.transportOffset;
        const uint32_t length = size - keys.transportOffset;
        const uint64_t sum =
            pseudo ? PseudoHeaderSum(network, keys.version == 6, keys.protocol, length) : 0;
        const bool hasPorts = keys.protocol == PROTO_TCP || keys.protocol == PROTO_UDP;
        if (hasPorts && (m_offloads & TUN_OFFLOAD_CSUM) && IsFromThisNode(keys))
        {
            WriteNetwork16(transport + offset, ChecksumFold(sum));
            changed = field + 2;
            frame.header.flags = TunVnetHeader::F_NEEDS_CSUM;
            frame.header.csumStart = keys.transportOffset;
            frame.header.csumOffset = offset;
        }
        else if (zeroMeansMissing && ReadNetwork16(transport + offset) == 0)
        {
            uint16_t whole = ~ChecksumFold(ChecksumAdd(transport, length, sum));
            whole = keys.protocol == PROTO_UDP && whole == 0 ? 0xffff : whole;
            WriteNetwork16(transport + offset, whole);
            changed = field + 2;
        }
    }
    if (changed)
    {
        OverwriteStart(frame.packet, bytes, changed);
    }
}

void
TunNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
TunNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
TunNetDevice::GetChannel() const
{
    return m_channel;
}

void
TunNetDevice::SetAddress(Address address)
{
    if (m_tap && !Mac48Address::IsMatchingType(address))
    {
        NS_LOG_WARN(m_name << ": not a MAC address: " << address);
        return;
    }
    m_address = address;
}

Address
TunNetDevice::GetAddress() const
{
    return m_address;
}

bool
TunNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu < MIN_MTU || (m_tap && mtu > MAX_MTU - ETHERNET_HEADER_LENGTH))
    {
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
TunNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
TunNetDevice::IsLinkUp() const
{
    return m_up && m_carrier;
}

void
TunNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChangeCallbacks.ConnectWithoutContext(callback);
}

bool
TunNetDevice::IsBroadcast() const
{
    return true;
}

Address
TunNetDevice::GetBroadcast() const
{
    return m_tap ? Address(Mac48Address::GetBroadcast()) : m_address;
}

bool
TunNetDevice::IsMulticast() const
{
    return true;
}

Address
TunNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return m_tap ? Address(Mac48Address::GetMulticast(multicastGroup)) : m_address;
}

Address
TunNetDevice::GetMulticast(Ipv6Address addr) const
{
    return m_tap ? Address(Mac48Address::GetMulticast(addr)) : m_address;
}

bool
TunNetDevice::IsBridge() const
{
    return false;
}

bool
TunNetDevice::IsPointToPoint() const
{
    // Linux says otherwise of a TUN device, but ns-3's global routing then wants a second device at
    // the other end. As a broadcast link without other routers it is a stub network.
    return false;
}

Ptr<Node>
TunNetDevice::GetNode() const
{
    return m_node;
}

void
TunNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
TunNetDevice::NeedsArp() const
{
    return m_tap;
}

void
TunNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_rxCallback = cb;
}

void
TunNetDevice::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb)
{
    m_promiscRxCallback = cb;
}

bool
TunNetDevice::SupportsSendFrom() const
{
    return m_tap;
}

} // namespace linuxhost
} // namespace ns3
