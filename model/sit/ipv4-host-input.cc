/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipv4-host-input.h"

#include "ip-input-check.h"
#include "linux-icmp-sender.h"

#include "ns3/ipv4-options.h"
#include "ns3/ipv4.h"
#include "ns3/linux-host-compat.h"
#include "ns3/node.h"
#include "ns3/packet.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint16_t ETHERTYPE_ARP = 0x0806; ///< EtherType of ARP
constexpr uint32_t ARP_SIZE = 28;          ///< bytes of an ARP packet for Ethernet and IPv4
constexpr uint32_t TAG_SIZE = 4;           ///< bytes of a tag and the EtherType behind it
constexpr uint8_t ICMP_TIME_EXCEEDED = 11; ///< ICMPv4 time exceeded
constexpr uint8_t ICMP_EXC_FRAGTIME = 1;   ///< code: fragments did not all come in time
constexpr uint8_t ICMP_ECHO_REQUEST = 8;   ///< ICMPv4 echo request
constexpr uint8_t ICMP_PARAMETER = 12;     ///< ICMPv4 parameter problem
constexpr std::size_t IPV4_LONGEST = 60;   ///< bytes of the longest IPv4 header

} // namespace

NS_OBJECT_ENSURE_REGISTERED(Ipv4HeaderTag);

TypeId
Ipv4HeaderTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::Ipv4HeaderTag")
                            .SetParent<Tag>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<Ipv4HeaderTag>();
    return tid;
}

TypeId
Ipv4HeaderTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
Ipv4HeaderTag::GetSerializedSize() const
{
    return static_cast<uint32_t>(2 + bytes.size());
}

void
Ipv4HeaderTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU8(hostFrame ? 1 : 0);
    buffer.WriteU8(static_cast<uint8_t>(bytes.size()));
    buffer.Write(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

void
Ipv4HeaderTag::Deserialize(TagBuffer buffer)
{
    hostFrame = buffer.ReadU8() != 0;
    bytes.resize(std::min<std::size_t>(buffer.ReadU8(), IPV4_LONGEST));
    buffer.Read(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

void
Ipv4HeaderTag::Print(std::ostream& os) const
{
    os << bytes.size() << " bytes";
}

Ipv4HostInput::Ipv4HostInput(NetDevice* device)
    : m_device(device)
{
    m_reassembly.SetExpired([this](const std::vector<uint8_t>& first) { Expired(first); });
}

bool
Ipv4HostInput::Check(Ptr<Packet>* payload, uint16_t* etherType, NetDevice::PacketType type)
{
    // A tag of id 0 says the priority only.
    uint8_t tag[TAG_SIZE];
    while ((*etherType == ETHERTYPE_8021Q || *etherType == ETHERTYPE_8021AD) &&
           (*payload)->CopyData(tag, TAG_SIZE) == TAG_SIZE &&
           (((tag[0] & 0x0f) << 8) | tag[1]) == 0)
    {
        *etherType = static_cast<uint16_t>((tag[2] << 8) | tag[3]);
        (*payload)->RemoveAtStart(TAG_SIZE);
    }
    std::vector<uint8_t> bytes((*payload)->GetSize());
    (*payload)->CopyData(bytes.data(), static_cast<uint32_t>(bytes.size()));
    if (*etherType == ETHERTYPE_ARP)
    {
        static const uint8_t ethernetIpv4[] = {0, 1, 8, 0, 6, 4, 0};
        return bytes.size() >= ARP_SIZE &&
               std::equal(std::begin(ethernetIpv4), std::end(ethernetIpv4), bytes.begin()) &&
               (bytes[7] == 1 || bytes[7] == 2);
    }
    if (*etherType != ETHERTYPE_IPV4)
    {
        return false;
    }
    std::size_t length = CheckIpv4Packet(bytes.data(), bytes.size(), Node::ChecksumEnabled());
    if (length == 0)
    {
        return false;
    }
    bytes.resize(length);
    bool fragment = (((bytes[6] << 8) | bytes[7]) & 0x3fff) != 0;
    Ptr<Ipv4> ipv4 = m_device->GetNode()->GetObject<Ipv4>();
    int32_t interface = ipv4 ? ipv4->GetInterfaceForDevice(m_device) : -1;
    if (interface >= 0 && HasIpv4Options(bytes) &&
        !TakeOptions(&bytes, ipv4, static_cast<uint32_t>(interface), type))
    {
        return false;
    }
    if (fragment && interface >= 0 &&
        ipv4->IsDestinationAddress(Ipv4Address::Deserialize(&bytes[16]), interface))
    {
        if (!m_reassembly.Add(&bytes))
        {
            *payload = nullptr;
            return true;
        }
        fragment = false;
    }
    // A fragment of one of ns-3's protocols could carry past this check what no check has seen, so
    // only those of tunnel packets are forwarded.
    std::size_t header = (bytes[0] & 0x0f) * 4U;
    uint8_t upper = bytes[9];
    uint32_t size = static_cast<uint32_t>(bytes.size() - header);
    if (upper != IP_PROTOCOL_IPV6 &&
        (fragment || CheckSegment(upper,
                                  bytes.data() + header,
                                  size,
                                  PseudoHeaderSum4(&bytes[12], &bytes[16], size, upper),
                                  true,
                                  Node::ChecksumEnabled()) == 0))
    {
        return false;
    }
    // A fragment that ends beyond 65535 bytes is the old ping of death.
    std::size_t offset = (((bytes[6] & 0x1f) << 8) | bytes[7]) * 8U;
    if (offset + bytes.size() > 65535)
    {
        return false;
    }
    if (upper == IP_PROTOCOL_ICMP && !fragment && bytes[header] == ICMP_ECHO_REQUEST &&
        interface >= 0 && ipv4->GetInterfaceForAddress(Ipv4Address::Deserialize(&bytes[16])) >= 0)
    {
        // ns-3's reply would have neither options nor the request's code. Who is not one other host
        // gets none.
        Ptr<LinuxIcmpSender> icmp = LinuxIcmpSender::Of(m_device->GetNode());
        if (icmp->IsOtherUnicast4(Ipv4Address::Deserialize(&bytes[12])))
        {
            icmp->SendEchoReply4(bytes);
        }
        *payload = nullptr;
        return true;
    }
    const bool own = interface >= 0 &&
                     ipv4->IsDestinationAddress(Ipv4Address::Deserialize(&bytes[16]), interface);
    const std::vector<uint8_t> received(bytes.begin(), bytes.begin() + header);
    if (HasIpv4Options(bytes))
    {
        // What is quoted keeps its checksum, but ns-3 checks that of what it gets.
        bytes[10] = 0;
        bytes[11] = 0;
        const uint32_t sum = ~InternetSum(bytes.data(), header);
        bytes[10] = static_cast<uint8_t>(sum >> 8);
        bytes[11] = static_cast<uint8_t>(sum);
    }
    *payload = Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
    if (own)
    {
        Ipv4HeaderTag tag;
        tag.hostFrame = type == NetDevice::PACKET_HOST;
        tag.bytes = received;
        (*payload)->AddPacketTag(tag);
    }
    return true;
}

bool
Ipv4HostInput::TakeOptions(std::vector<uint8_t>* bytes,
                           Ptr<Ipv4> ipv4,
                           uint32_t interface,
                           NetDevice::PacketType type)
{
    const Ipv4Address source = Ipv4Address::Deserialize(&(*bytes)[12]);
    const Ipv4Address destination = Ipv4Address::Deserialize(&(*bytes)[16]);
    const bool own = ipv4->GetInterfaceForAddress(destination) >= 0;
    Ptr<LinuxIcmpSender> icmp = LinuxIcmpSender::Of(m_device->GetNode());
    if ((!own && ipv4->IsForwarding(interface)) || !icmp->IsOtherUnicast4(source) ||
        destination.IsLocalhost())
    {
        // It goes on by itself, or routing refuses it before anybody looks at its options.
        return true;
    }
    const Ipv4Address self = own || ipv4->GetNAddresses(interface) == 0
                                 ? destination
                                 : ipv4->GetAddress(interface, 0).GetLocal();
    const Ipv4OptionsVerdict verdict = CompileIpv4Options(
        bytes,
        {self, [icmp](Ipv4Address address) { return icmp->IsOtherUnicast4(address); }});
    if (verdict.problem == 0)
    {
        return !verdict.sourceRoute;
    }
    if (type == NetDevice::PACKET_HOST && (own || icmp->IsOtherUnicast4(destination)))
    {
        icmp->SendError4(*bytes,
                         ICMP_PARAMETER,
                         0,
                         static_cast<uint32_t>(verdict.problem) << 24,
                         verdict.end);
    }
    return false;
}

void
Ipv4HostInput::Expired(const std::vector<uint8_t>& first)
{
    LinuxIcmpSender::Of(m_device->GetNode())
        ->SendError4(first, ICMP_TIME_EXCEEDED, ICMP_EXC_FRAGTIME);
}

} // namespace linuxhost
} // namespace ns3
