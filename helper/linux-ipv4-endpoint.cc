/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "linux-ipv4-endpoint.h"

#include "ns3/ipv4-options.h"
#include "ns3/linux-host-compat.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/sk-buff.h"
#include "ns3/socket.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(LinuxIpv4Endpoint);

namespace
{

constexpr uint16_t ETHERTYPE_ARP = 0x0806;  //!< EtherType of ARP
constexpr uint8_t PROTOCOL_ICMP = 1;        //!< IP protocol ICMP
constexpr uint8_t PROTOCOL_IGMP = 2;        //!< IP protocol IGMP
constexpr uint8_t PROTOCOL_TCP = 6;         //!< IP protocol TCP
constexpr uint8_t PROTOCOL_UDP = 17;        //!< IP protocol UDP
constexpr uint8_t DEFAULT_TTL = 64;         //!< TTL of what is sent
constexpr uint16_t IPV4_DF = 0x4000;        //!< IPv4's don't-fragment bit
constexpr uint16_t IPV4_MF = 0x2000;        //!< IPv4's more-fragments bit
constexpr uint16_t IPV4_OFFSET = 0x1fff;    //!< bits of IPv4's fragment offset
constexpr uint32_t IPV4_HEADER_LENGTH = 20; //!< bytes of an IPv4 header
constexpr uint32_t ARP_LENGTH = 28;         //!< bytes of an ARP packet
constexpr uint16_t ARP_REQUEST = 1;         //!< ARP operation
constexpr uint16_t ARP_REPLY = 2;           //!< ARP operation
constexpr uint8_t ICMP_ECHO_REPLY = 0;      //!< ICMP type
constexpr uint8_t ICMP_UNREACHABLE = 3;     //!< ICMP type
constexpr uint8_t ICMP_TIME_EXCEEDED = 11;  //!< ICMP type
constexpr uint8_t ICMP_ECHO_REQUEST = 8;    //!< ICMP type
constexpr uint8_t ICMP_PARAMETER = 12;      //!< ICMP type
constexpr uint8_t UNREACHABLE_PROTOCOL = 2; //!< code of unreachable
constexpr uint8_t UNREACHABLE_PORT = 3;     //!< code of unreachable
constexpr uint8_t REASSEMBLY_TIME = 1;      //!< code of time exceeded
/// An ICMP error is never longer than this.
constexpr uint32_t ICMP_ERROR_MAX = 576;
/// Precedence of ICMP errors.
constexpr uint8_t TOS_INTERNET_CONTROL = 0xc0;
constexpr uint8_t TOS_KEPT = 0x1e; //!< what ICMP errors keep of a packet's type of service

/// Requests for a neighbor before its packets are dropped, one a second.
constexpr uint32_t NEIGHBOR_REQUESTS = 3;
/// Packets that may wait for a neighbor.
constexpr size_t NEIGHBOR_QUEUE = 101;
/// Neighbors of an interface, and peers with a limit on errors.
constexpr size_t TABLE_MAX = 4096;

/// Seconds between requests for a neighbor.
constexpr int NEIGHBOR_RETRY = 1;
/// Seconds before a neighbor that only asked us is asked whether it is still there.
constexpr int NEIGHBOR_DELAY = 5;
/// Seconds between ICMP errors to a peer.
constexpr int ERROR_INTERVAL = 1;
constexpr int ERROR_BURST = 6; //!< errors that a peer's limit saves up

/**
 * @param bytes four bytes
 * @returns the address
 */
Ipv4Address
ReadAddress(const uint8_t* bytes)
{
    return Ipv4Address(ReadNetwork32(bytes));
}

/**
 * @param bytes six bytes
 * @returns the address
 */
Mac48Address
ReadMac(const uint8_t* bytes)
{
    Mac48Address mac;
    mac.CopyFrom(bytes);
    return mac;
}

/**
 * @param packet an IPv4 packet whose payload is TCP or UDP
 * @param headerLength length of its header
 * @returns the unfolded sum of pseudo header and payload
 */
uint64_t
TransportSum(const LinuxIpv4Endpoint::Bytes& packet, uint32_t headerLength)
{
    const uint32_t length = static_cast<uint32_t>(packet.size()) - headerLength;
    return ChecksumAdd(&packet[headerLength],
                       length,
                       PseudoHeaderSum(packet.data(), false, packet[9], length));
}

} // namespace

TypeId
LinuxIpv4Endpoint::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::LinuxIpv4Endpoint")
                            .SetParent<Object>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<LinuxIpv4Endpoint>();
    return tid;
}

void
LinuxIpv4Endpoint::DoDispose()
{
    for (Interface& interface : m_interfaces)
    {
        for (auto& entry : interface.neighbors)
        {
            entry.second.timer.Cancel();
        }
    }
    m_interfaces.clear();
    m_reassembly.Clear();
    Object::DoDispose();
}

LinuxIpv4Endpoint::LinuxIpv4Endpoint()
{
    m_reassembly.SetExpired([this](const Bytes& first) {
        SendError(first, ICMP_TIME_EXCEEDED, REASSEMBLY_TIME, NetDevice::PACKET_HOST);
    });
}

uint32_t
LinuxIpv4Endpoint::AddInterface(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask)
{
    Interface interface;
    interface.device = device;
    interface.address = address;
    interface.mask = mask;
    m_interfaces.push_back(interface);
    for (const uint16_t protocol : {ETHERTYPE_IPV4, ETHERTYPE_ARP})
    {
        device->GetNode()->RegisterProtocolHandler(MakeCallback(&LinuxIpv4Endpoint::Receive, this),
                                                   protocol,
                                                   device,
                                                   true);
    }
    return static_cast<uint32_t>(m_interfaces.size() - 1);
}

void
LinuxIpv4Endpoint::AddPermanentNeighbor(uint32_t interface, Ipv4Address address, Mac48Address mac)
{
    if (interface < m_interfaces.size())
    {
        Neighbor& neighbor = m_interfaces[interface].neighbors[address];
        neighbor.state = NeighborState::PERMANENT;
        neighbor.mac = mac;
    }
}

uint64_t
LinuxIpv4Endpoint::GetMalformed() const
{
    return m_malformed + m_reassembly.GetFailures();
}

uint32_t
LinuxIpv4Endpoint::FindInterface(Ptr<NetDevice> device) const
{
    const auto found = std::find_if(m_interfaces.begin(),
                                    m_interfaces.end(),
                                    [&](const Interface& one) { return one.device == device; });
    return static_cast<uint32_t>(found - m_interfaces.begin());
}

bool
LinuxIpv4Endpoint::IsLocal(Ipv4Address address) const
{
    return std::any_of(m_interfaces.begin(), m_interfaces.end(), [&](const Interface& one) {
        return one.address == address && !address.IsAny();
    });
}

bool
LinuxIpv4Endpoint::IsForeignHost(Ipv4Address source) const
{
    return !source.IsMulticast() && !source.IsBroadcast() && !source.IsLocalhost() &&
           !source.IsAny() && !IsLocal(source);
}

uint32_t
LinuxIpv4Endpoint::Route(Ipv4Address destination) const
{
    const auto found =
        std::find_if(m_interfaces.begin(), m_interfaces.end(), [&](const Interface& one) {
            return one.mask.IsMatch(one.address, destination) && one.address != destination &&
                   !destination.IsSubnetDirectedBroadcast(one.mask);
        });
    return static_cast<uint32_t>(found - m_interfaces.begin());
}

bool
LinuxIpv4Endpoint::SendUdp(Ipv4Address destination,
                           uint16_t sourcePort,
                           uint16_t destinationPort,
                           const Bytes& payload,
                           uint32_t priority)
{
    const uint32_t interface = Route(destination);
    const size_t length = 8 + payload.size();
    if (interface == m_interfaces.size() || length > 65535 - IPV4_HEADER_LENGTH)
    {
        return false;
    }
    const Ipv4Address source = m_interfaces[interface].address;
    Bytes datagram(length);
    WriteNetwork16(&datagram[0], sourcePort);
    WriteNetwork16(&datagram[2], destinationPort);
    WriteNetwork16(&datagram[4], static_cast<uint16_t>(length));
    std::copy(payload.begin(), payload.end(), datagram.begin() + 8);
    uint64_t sum = ChecksumAdd(datagram.data(), length, PROTOCOL_UDP + length);
    for (const Ipv4Address& address : {source, destination})
    {
        sum += (address.Get() >> 16) + (address.Get() & 0xffff);
    }
    const uint16_t checksum = ~ChecksumFold(sum);
    WriteNetwork16(&datagram[6], checksum == 0 ? 0xffff : checksum);
    return SendIpv4(source, destination, PROTOCOL_UDP, 0, false, datagram, priority);
}

bool
LinuxIpv4Endpoint::SendEchoRequest(Ipv4Address destination,
                                   uint16_t id,
                                   uint16_t sequence,
                                   const Bytes& payload)
{
    const uint32_t interface = Route(destination);
    if (interface == m_interfaces.size() || payload.size() > 65535 - IPV4_HEADER_LENGTH - 8)
    {
        return false;
    }
    Bytes message(8 + payload.size());
    message[0] = ICMP_ECHO_REQUEST;
    WriteNetwork16(&message[4], id);
    WriteNetwork16(&message[6], sequence);
    std::copy(payload.begin(), payload.end(), message.begin() + 8);
    WriteNetwork16(
        &message[2],
        static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(message.data(), message.size()))));
    return SendIpv4(m_interfaces[interface].address,
                    destination,
                    PROTOCOL_ICMP,
                    0,
                    false,
                    message,
                    0);
}

bool
LinuxIpv4Endpoint::SendIpv4(Ipv4Address source,
                            Ipv4Address destination,
                            uint8_t protocol,
                            uint8_t tos,
                            bool mayFragment,
                            const Bytes& payload,
                            uint32_t priority,
                            int32_t identification,
                            Bytes options)
{
    const uint32_t interface = Route(destination);
    if (interface == m_interfaces.size())
    {
        return false;
    }
    const uint32_t mtu = m_interfaces[interface].device->GetMtu();
    const auto header = static_cast<uint32_t>(IPV4_HEADER_LENGTH + options.size());
    const bool fits = header + payload.size() <= mtu;
    const auto id = static_cast<uint16_t>(identification < 0 ? ++m_identification : identification);
    uint32_t at = 0;
    do
    {
        // Only what another fragment follows ends on eight octets.
        const auto left = static_cast<uint32_t>(payload.size()) - at;
        const bool last = header + left <= mtu;
        const uint32_t length = last ? left : (mtu - header) & ~7U;
        Bytes packet(header + length);
        packet[0] = static_cast<uint8_t>(0x40 | header / 4);
        packet[1] = tos;
        WriteNetwork16(&packet[2], static_cast<uint16_t>(header + length));
        WriteNetwork16(&packet[4], id);
        // What fits is not to be fragmented on its way; what does not is fragmented here.
        uint16_t fragment = (fits && !mayFragment) ? IPV4_DF : 0;
        if (!fits)
        {
            fragment = static_cast<uint16_t>((at / 8) | (last ? 0 : IPV4_MF));
        }
        WriteNetwork16(&packet[6], fragment);
        packet[8] = DEFAULT_TTL;
        packet[9] = protocol;
        WriteNetwork32(&packet[12], source.Get());
        WriteNetwork32(&packet[16], destination.Get());
        std::copy(options.begin(), options.end(), packet.begin() + IPV4_HEADER_LENGTH);
        WriteNetwork16(&packet[10],
                       static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(packet.data(), header))));
        std::copy(payload.begin() + at, payload.begin() + at + length, packet.begin() + header);
        BlankFirstFragmentOptions(&options);
        if (!SendToNeighbor(interface, destination, packet, priority))
        {
            // The fragments behind one that was not sent are not sent either.
            return false;
        }
        at += length;
    } while (at < payload.size());
    return true;
}

bool
LinuxIpv4Endpoint::SendToNeighbor(uint32_t interface,
                                  Ipv4Address next,
                                  const Bytes& packet,
                                  uint32_t priority)
{
    auto& neighbors = m_interfaces[interface].neighbors;
    auto found = neighbors.find(next);
    if (found == neighbors.end())
    {
        if (neighbors.size() >= TABLE_MAX)
        {
            return false;
        }
        found = neighbors.insert({next, Neighbor()}).first;
    }
    Neighbor& neighbor = found->second;
    switch (neighbor.state)
    {
    case NeighborState::INCOMPLETE:
        if (neighbor.queue.size() < NEIGHBOR_QUEUE)
        {
            neighbor.queue.push_back({packet, priority});
        }
        if (!IsEventPending(neighbor.timer))
        {
            neighbor.asked = 0;
            NeighborTimeout(interface, next);
        }
        return true;
    case NeighborState::STALE:
        // Used now, so it will be asked whether it is still there.
        neighbor.state = NeighborState::DELAY;
        neighbor.timer = Simulator::Schedule(Seconds(NEIGHBOR_DELAY),
                                             &LinuxIpv4Endpoint::NeighborTimeout,
                                             this,
                                             interface,
                                             next);
        break;
    default:
        break;
    }
    return SendFrame(interface, neighbor.mac, ETHERTYPE_IPV4, packet, priority);
}

bool
LinuxIpv4Endpoint::SendFrame(uint32_t interface,
                             Mac48Address to,
                             uint16_t protocol,
                             const Bytes& packet,
                             uint32_t priority)
{
    Ptr<Packet> frame = BytesToPacket(packet);
    SocketPriorityTag tag;
    tag.SetPriority(static_cast<uint8_t>(std::min<uint32_t>(priority, 255)));
    frame->AddPacketTag(tag);
    return m_interfaces[interface].device->Send(frame, to, protocol);
}

void
LinuxIpv4Endpoint::SendArp(uint32_t interface,
                           uint16_t operation,
                           Mac48Address to,
                           Ipv4Address source,
                           Mac48Address targetMac,
                           Ipv4Address target)
{
    Bytes packet(ARP_LENGTH);
    WriteNetwork16(&packet[0], 1);
    WriteNetwork16(&packet[2], ETHERTYPE_IPV4);
    packet[4] = 6;
    packet[5] = 4;
    WriteNetwork16(&packet[6], operation);
    Mac48Address::ConvertFrom(m_interfaces[interface].device->GetAddress()).CopyTo(&packet[8]);
    WriteNetwork32(&packet[14], source.Get());
    targetMac.CopyTo(&packet[18]);
    WriteNetwork32(&packet[24], target.Get());
    SendFrame(interface, to, ETHERTYPE_ARP, packet, 0);
}

void
LinuxIpv4Endpoint::NeighborTimeout(uint32_t interface, Ipv4Address address)
{
    Neighbor& neighbor = m_interfaces[interface].neighbors[address];
    Mac48Address to = Mac48Address::GetBroadcast();
    if (neighbor.state == NeighborState::DELAY)
    {
        neighbor.state = NeighborState::PROBE;
        neighbor.asked = 0;
    }
    if (neighbor.state == NeighborState::PROBE)
    {
        to = neighbor.mac;
    }
    if (neighbor.asked == NEIGHBOR_REQUESTS)
    {
        neighbor.state = NeighborState::INCOMPLETE;
        neighbor.queue.clear();
        return;
    }
    neighbor.asked++;
    SendArp(interface,
            ARP_REQUEST,
            to,
            m_interfaces[interface].address,
            ReadMac(Bytes(6).data()),
            address);
    neighbor.timer = Simulator::Schedule(Seconds(NEIGHBOR_RETRY),
                                         &LinuxIpv4Endpoint::NeighborTimeout,
                                         this,
                                         interface,
                                         address);
}

void
LinuxIpv4Endpoint::LearnNeighbor(uint32_t interface,
                                 Ipv4Address address,
                                 Mac48Address mac,
                                 bool confirmed)
{
    Neighbor& neighbor = m_interfaces[interface].neighbors[address];
    if (neighbor.state == NeighborState::PERMANENT)
    {
        return;
    }
    const bool same = neighbor.state != NeighborState::INCOMPLETE && neighbor.mac == mac;
    neighbor.mac = mac;
    if (confirmed)
    {
        neighbor.timer.Cancel();
        neighbor.state = NeighborState::REACHABLE;
    }
    else if (!same)
    {
        neighbor.timer.Cancel();
        neighbor.state = NeighborState::STALE;
    }
    std::vector<Waiting> queue;
    queue.swap(neighbor.queue);
    for (const Waiting& waiting : queue)
    {
        SendToNeighbor(interface, address, waiting.packet, waiting.priority);
    }
}

void
LinuxIpv4Endpoint::Receive(Ptr<NetDevice> device,
                           Ptr<const Packet> packet,
                           uint16_t protocol,
                           const Address& from,
                           const Address& to,
                           NetDevice::PacketType type)
{
    (void)from;
    (void)to;
    const uint32_t interface = FindInterface(device);
    if (interface == m_interfaces.size() || type == NetDevice::PACKET_OTHERHOST)
    {
        return;
    }
    if (protocol == ETHERTYPE_ARP)
    {
        ReceiveArp(interface, PacketToBytes(packet), type);
    }
    else if (protocol == ETHERTYPE_IPV4)
    {
        ReceiveIpv4(PacketToBytes(packet), type);
    }
}

void
LinuxIpv4Endpoint::ReceiveArp(uint32_t interface, const Bytes& packet, NetDevice::PacketType type)
{
    if (packet.size() < ARP_LENGTH || ReadNetwork16(&packet[0]) != 1 ||
        ReadNetwork16(&packet[2]) != ETHERTYPE_IPV4 || packet[4] != 6 || packet[5] != 4)
    {
        m_malformed++;
        return;
    }
    const uint16_t operation = ReadNetwork16(&packet[6]);
    const Mac48Address senderMac = ReadMac(&packet[8]);
    const Ipv4Address sender = ReadAddress(&packet[14]);
    const Ipv4Address target = ReadAddress(&packet[24]);
    if ((operation != ARP_REQUEST && operation != ARP_REPLY) || target.IsMulticast() ||
        target.IsLocalhost())
    {
        return;
    }
    auto& neighbors = m_interfaces[interface].neighbors;
    const bool known = neighbors.count(sender) > 0;
    if (operation == ARP_REQUEST && IsLocal(target))
    {
        if (!sender.IsAny() && !IsForeignHost(sender))
        {
            return;
        }
        // Somebody who asks for us from nowhere is checking that the address is free.
        if (!sender.IsAny() && (known || neighbors.size() < TABLE_MAX))
        {
            LearnNeighbor(interface, sender, senderMac, false);
        }
        SendArp(interface, ARP_REPLY, senderMac, target, senderMac, sender);
        return;
    }
    if (known)
    {
        LearnNeighbor(interface,
                      sender,
                      senderMac,
                      operation == ARP_REPLY && type == NetDevice::PACKET_HOST);
    }
}

void
LinuxIpv4Endpoint::ReceiveIpv4(Bytes packet, NetDevice::PacketType type)
{
    if (packet.size() < IPV4_HEADER_LENGTH || (packet[0] >> 4) != 4)
    {
        m_malformed++;
        return;
    }
    uint32_t headerLength = (packet[0] & 15) * 4U;
    const uint32_t total = ReadNetwork16(&packet[2]);
    if (headerLength < IPV4_HEADER_LENGTH || total < headerLength || total > packet.size() ||
        ChecksumFold(ChecksumAdd(packet.data(), headerLength)) != 0xffff)
    {
        m_malformed++;
        return;
    }
    packet.resize(total);
    const Ipv4Address source = ReadAddress(&packet[12]);
    const Ipv4Address destination = ReadAddress(&packet[16]);
    if (!source.IsAny() && !IsForeignHost(source))
    {
        return;
    }
    if (HasIpv4Options(packet) && !TakeOptions(&packet, type))
    {
        return;
    }
    if (!IsLocal(destination))
    {
        return;
    }
    if (ReadNetwork16(&packet[6]) & (IPV4_MF | IPV4_OFFSET))
    {
        if (!m_reassembly.Add(&packet))
        {
            return;
        }
        headerLength = (packet[0] & 15) * 4U;
    }
    switch (packet[9])
    {
    case PROTOCOL_UDP:
        ReceiveUdp(packet, headerLength, type);
        break;
    case PROTOCOL_ICMP:
        ReceiveIcmp(packet, headerLength);
        break;
    case PROTOCOL_TCP:
        if (type == NetDevice::PACKET_HOST)
        {
            ReceiveTcp(packet, headerLength);
        }
        break;
    case PROTOCOL_IGMP:
        break;
    default:
        SendError(packet, ICMP_UNREACHABLE, UNREACHABLE_PROTOCOL, type);
        break;
    }
}

bool
LinuxIpv4Endpoint::IsOtherUnicast(Ipv4Address address) const
{
    return IsForeignHost(address) && address.Get() >> 24 != 0 &&
           std::none_of(m_interfaces.begin(), m_interfaces.end(), [&](const Interface& one) {
               return !one.address.IsAny() &&
                      address == one.address.GetSubnetDirectedBroadcast(one.mask);
           });
}

bool
LinuxIpv4Endpoint::TakeOptions(Bytes* packet, NetDevice::PacketType type)
{
    Ipv4Address self = ReadAddress(&(*packet)[16]);
    if (!IsLocal(self))
    {
        // Nothing is forwarded, but this is looked at before that is known.
        const uint32_t back = Route(ReadAddress(&(*packet)[12]));
        if (back == m_interfaces.size() || !IsOtherUnicast(self))
        {
            return false;
        }
        self = m_interfaces[back].address;
    }
    const Ipv4OptionsVerdict verdict =
        CompileIpv4Options(packet,
                           {self, [this](Ipv4Address address) { return IsOtherUnicast(address); }});
    if (verdict.problem != 0)
    {
        SendError(*packet,
                  ICMP_PARAMETER,
                  0,
                  type,
                  static_cast<uint32_t>(verdict.problem) << 24,
                  verdict.end);
        return false;
    }
    return !verdict.sourceRoute;
}

bool
LinuxIpv4Endpoint::AnswerOptions(const Bytes& packet, size_t end, Bytes* options) const
{
    Ipv4Address self = ReadAddress(&packet[16]);
    if (!IsLocal(self))
    {
        self = m_interfaces[Route(ReadAddress(&packet[12]))].address;
    }
    return EchoIpv4Options(packet,
                           end,
                           {self, [this](Ipv4Address address) { return IsOtherUnicast(address); }},
                           options);
}

void
LinuxIpv4Endpoint::ReceiveUdp(const Bytes& packet,
                              uint32_t headerLength,
                              NetDevice::PacketType type)
{
    const uint32_t available = static_cast<uint32_t>(packet.size()) - headerLength;
    if (available < 8)
    {
        m_malformed++;
        return;
    }
    const uint32_t length = ReadNetwork16(&packet[headerLength + 4]);
    if (length < 8 || length > available)
    {
        m_malformed++;
        return;
    }
    if (ReadNetwork16(&packet[headerLength + 6]) != 0)
    {
        const Bytes exact(packet.begin(), packet.begin() + headerLength + length);
        if (ChecksumFold(TransportSum(exact, headerLength)) != 0xffff)
        {
            m_malformed++;
            return;
        }
    }
    SendError(packet, ICMP_UNREACHABLE, UNREACHABLE_PORT, type);
}

void
LinuxIpv4Endpoint::ReceiveIcmp(const Bytes& packet, uint32_t headerLength)
{
    const size_t length = packet.size() - headerLength;
    if (length < 8 || ChecksumFold(ChecksumAdd(&packet[headerLength], length)) != 0xffff)
    {
        m_malformed++;
        return;
    }
    if (packet[headerLength] != ICMP_ECHO_REQUEST)
    {
        return;
    }
    Bytes options;
    if (!AnswerOptions(packet, 0, &options))
    {
        return;
    }
    Bytes reply(packet.begin() + headerLength, packet.end());
    reply[0] = ICMP_ECHO_REPLY;
    WriteNetwork16(&reply[2], 0);
    WriteNetwork16(&reply[2],
                   static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(reply.data(), reply.size()))));
    SendIpv4(ReadAddress(&packet[16]),
             ReadAddress(&packet[12]),
             PROTOCOL_ICMP,
             packet[1],
             true,
             reply,
             0,
             -1,
             options);
}

void
LinuxIpv4Endpoint::ReceiveTcp(const Bytes& packet, uint32_t headerLength)
{
    constexpr uint8_t FIN = 0x01;
    constexpr uint8_t SYN = 0x02;
    constexpr uint8_t RST = 0x04;
    constexpr uint8_t ACK = 0x10;
    const uint32_t length = static_cast<uint32_t>(packet.size()) - headerLength;
    const uint8_t* header = packet.data() + headerLength;
    if (length < 20 || (header[12] >> 4) * 4U < 20 || (header[12] >> 4) * 4U > length ||
        ChecksumFold(TransportSum(packet, headerLength)) != 0xffff)
    {
        m_malformed++;
        return;
    }
    const uint8_t flags = header[13];
    if (flags & RST)
    {
        return;
    }
    Bytes options;
    if (!AnswerOptions(packet, 0, &options))
    {
        return;
    }
    Bytes reset(20);
    std::copy(header + 2, header + 4, reset.begin());
    std::copy(header, header + 2, reset.begin() + 2);
    reset[12] = 0x50;
    if (flags & ACK)
    {
        std::copy(header + 8, header + 12, reset.begin() + 4);
        reset[13] = RST;
    }
    else
    {
        const uint32_t used =
            length - (header[12] >> 4) * 4U + ((flags & SYN) ? 1 : 0) + ((flags & FIN) ? 1 : 0);
        WriteNetwork32(&reset[8], ReadNetwork32(header + 4) + used);
        reset[13] = RST | ACK;
    }
    WriteNetwork16(&reset[16],
                   static_cast<uint16_t>(~ChecksumFold(
                       ChecksumAdd(reset.data(),
                                   reset.size(),
                                   PseudoHeaderSum(packet.data(), false, PROTOCOL_TCP, 20)))));
    SendIpv4(ReadAddress(&packet[16]),
             ReadAddress(&packet[12]),
             PROTOCOL_TCP,
             packet[1],
             false,
             reset,
             0,
             0,
             options);
}

bool
LinuxIpv4Endpoint::AllowError(Ipv4Address peer)
{
    const Time now = Simulator::Now();
    const Time interval = Seconds(ERROR_INTERVAL);
    const Time full = interval * int64_t(ERROR_BURST);
    auto found = m_errorLimits.find(peer);
    if (found == m_errorLimits.end())
    {
        if (m_errorLimits.size() >= TABLE_MAX)
        {
            return false;
        }
        found = m_errorLimits.insert({peer, {full, now}}).first;
    }
    ErrorLimit& limit = found->second;
    limit.tokens = std::min(full, limit.tokens + (now - limit.last));
    limit.last = now;
    if (limit.tokens < interval)
    {
        return false;
    }
    limit.tokens -= interval;
    return true;
}

void
LinuxIpv4Endpoint::SendError(const Bytes& packet,
                             uint8_t icmpType,
                             uint8_t code,
                             NetDevice::PacketType type,
                             uint32_t information,
                             size_t optionsEnd)
{
    const Ipv4Address source = ReadAddress(&packet[12]);
    Bytes options;
    if (type != NetDevice::PACKET_HOST || !MayAnswerWithIcmpError(packet) ||
        Route(source) == m_interfaces.size() || !AnswerOptions(packet, optionsEnd, &options) ||
        !AllowError(source))
    {
        return;
    }
    const size_t quoted =
        std::min<size_t>(packet.size(), ICMP_ERROR_MAX - IPV4_HEADER_LENGTH - options.size() - 8);
    Bytes message(8 + quoted);
    message[0] = icmpType;
    message[1] = code;
    WriteNetwork32(&message[4], information);
    std::copy(packet.begin(), packet.begin() + quoted, message.begin() + 8);
    WriteNetwork16(
        &message[2],
        static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(message.data(), message.size()))));
    const Ipv4Address destination = ReadAddress(&packet[16]);
    SendIpv4(IsLocal(destination) ? destination : m_interfaces[Route(source)].address,
             source,
             PROTOCOL_ICMP,
             (packet[1] & TOS_KEPT) | TOS_INTERNET_CONTROL,
             true,
             message,
             0,
             -1,
             options);
}

} // namespace linuxhost
} // namespace ns3
