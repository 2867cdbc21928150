/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-link.h"

#include "vlan-helper.h"

#include "ns3/boolean.h"
#include "ns3/linux-host-compat.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/sk-buff.h"
#include "ns3/uinteger.h"
#include "ns3/vlan-demux.h"

#include <algorithm>
#include <iomanip>

namespace ns3
{
namespace linuxhost
{

namespace
{

constexpr uint16_t SOURCE_PORT = 5000;            //!< port of A's datagrams
constexpr uint16_t DISCARD_PORT = 9;              //!< B's closed port
const char* const PAIR_NETWORK = "192.0.2.0";     //!< network of the pair
const char* const VLAN_NETWORK = "198.51.100.0";  //!< network of the VLAN
const char* const NETWORK_MASK = "255.255.255.0"; //!< mask of both

/**
 * @param network a network
 * @param number of the host
 * @returns the host's address
 */
Ipv4Address
HostAddress(const char* network, uint32_t number)
{
    return Ipv4Address(Ipv4Address(network).Get() + number);
}

/**
 * @param number of the host
 * @returns its hardware address
 */
Mac48Address
HostMac(uint32_t number)
{
    return Mac48Address(number == 1 ? "02:00:00:00:00:0a" : "02:00:00:00:00:0b");
}

/**
 * @param os where to
 * @param counters a device's counters
 */
void
PrintLinkCounters(std::ostream& os, const LinkCounters& counters)
{
    os << R"("stats64": {"rx": {"bytes": )" << counters.rxBytes << R"(, "packets": )"
       << counters.rxPackets << R"(, "errors": )" << counters.rxErrors << R"(, "dropped": )"
       << counters.rxDropped << R"(, "over_errors": 0, "multicast": )" << counters.rxMulticast
       << R"(, "otherhost_dropped": )" << counters.rxOtherhostDropped << R"(}, "tx": {"bytes": )"
       << counters.txBytes << R"(, "packets": )" << counters.txPackets << R"(, "errors": )"
       << counters.txErrors << R"(, "dropped": )" << counters.txDropped
       << R"(, "carrier_errors": 0, "collisions": 0}})";
}

} // namespace

VlanLink::VlanLink(const Settings& settings)
    : m_settings(settings)
{
    m_a.name = 'A';
    m_b.name = 'B';
    Build(&m_a, 1);
    Build(&m_b, 2);
    // A VLAN device comes up with the pair, so the pair is joined last.
    VethLinkDevice::Join(m_a.veth, m_b.veth);
    m_a.veth->TraceConnectWithoutContext("Sniffer", MakeBoundCallback(&VlanLink::Note, &m_wire));
    m_b.vlans.back()->TraceConnectWithoutContext("Sniffer",
                                                 MakeBoundCallback(&VlanLink::Note, &m_inside));
}

VlanLink::~VlanLink()
{
    for (Host* host : {&m_a, &m_b})
    {
        host->endpoint->Dispose();
    }
    Simulator::Destroy();
}

void
VlanLink::Build(Host* host, uint32_t number)
{
    const uint32_t other = 3 - number;
    const Ipv4Mask mask(NETWORK_MASK);
    Ptr<Node> node = CreateObject<Node>();
    host->veth = CreateObject<VethLinkDevice>();
    host->veth->SetAddress(HostMac(number));
    node->AddDevice(host->veth);
    host->endpoint = CreateObject<LinuxIpv4Endpoint>();
    host->endpoint->AddInterface(host->veth, HostAddress(PAIR_NETWORK, number), mask);
    host->endpoint->AddPermanentNeighbor(0, HostAddress(PAIR_NETWORK, other), HostMac(other));

    VlanHelper helper;
    helper.SetDeviceAttribute("Protocol", UintegerValue(m_settings.protocol));
    helper.SetDeviceAttribute("ReorderHeader", BooleanValue(m_settings.reorderHeader));
    if (number == 1)
    {
        for (const auto& entry : m_settings.egress)
        {
            helper.SetEgressPriority(entry.first, entry.second);
        }
    }
    else
    {
        for (const auto& entry : m_settings.ingress)
        {
            helper.SetIngressPriority(entry.first, entry.second);
        }
    }
    host->vlans.push_back(helper.Install(host->veth, m_settings.id));
    host->vlans.back()->TraceConnectWithoutContext(
        "RxTag",
        MakeBoundCallback(&VlanLink::CountPriority, host));
    if (m_settings.innerId >= 0)
    {
        host->endpoint->AddInterface(host->vlans.back());
        // Said, since attributes that are set as ns-3's defaults mean the outer device.
        VlanHelper inner;
        inner.SetDeviceAttribute("Protocol", UintegerValue(ETHERTYPE_8021Q));
        inner.SetDeviceAttribute("ReorderHeader", BooleanValue(true));
        host->vlans.push_back(
            inner.Install(host->vlans.back(), static_cast<uint16_t>(m_settings.innerId)));
    }
    const uint32_t interface =
        host->endpoint->AddInterface(host->vlans.back(), HostAddress(VLAN_NETWORK, number), mask);
    if (number == 1 && m_settings.permanentNeighbor)
    {
        host->endpoint->AddPermanentNeighbor(interface,
                                             HostAddress(VLAN_NETWORK, other),
                                             HostMac(other));
    }
    // Frames of VLAN 0 are the device's own, with a priority, inside a VLAN as well.
    const auto receive = MakeCallback(&LinuxIpv4Endpoint::Receive, PeekPointer(host->endpoint));
    VlanDemux::Of(host->veth)->SetUntaggedCallback(receive);
    for (const Ptr<VlanNetDevice>& vlan : host->vlans)
    {
        VlanDemux::Of(vlan)->SetUntaggedCallback(receive);
    }
}

void
VlanLink::CountPriority(Host* host, uint16_t tci, uint32_t priority)
{
    (void)tci;
    host->priorities[priority]++;
}

void
VlanLink::Note(std::vector<CapturedFrame>* frames, Ptr<const Packet> frame)
{
    CapturedFrame captured;
    captured.nanoseconds = Simulator::Now().GetNanoSeconds();
    captured.frame = PacketToBytes(frame);
    frames->push_back(std::move(captured));
}

void
VlanLink::Inject(std::vector<uint8_t> frame)
{
    // A packet socket takes whole headers only, and room for a tag only for a tag of 802.1Q.
    uint32_t longest = m_a.veth->GetMtu() + ETHERNET_HEADER_LENGTH;
    if (frame.size() >= ETHERNET_HEADER_LENGTH && ReadNetwork16(&frame[12]) == ETHERTYPE_8021Q)
    {
        longest += VLAN_TAG_LENGTH;
    }
    if (frame.size() < ETHERNET_HEADER_LENGTH || frame.size() > longest)
    {
        m_refused++;
        return;
    }
    m_injected++;
    m_a.veth->SendFrame(frame);
}

void
VlanLink::Run()
{
    const uint32_t context = m_a.veth->GetNode()->GetId();
    const Ipv4Address destination = HostAddress(VLAN_NETWORK, 2);
    Time at = m_settings.interval;
    for (const Datagram& datagram : m_settings.datagrams)
    {
        std::vector<uint8_t> payload(datagram.payload);
        for (size_t i = 0; i < payload.size(); i++)
        {
            payload[i] = static_cast<uint8_t>(i);
        }
        Simulator::ScheduleWithContext(context, at, [this, destination, payload, datagram]() {
            m_a.endpoint->SendUdp(destination,
                                  SOURCE_PORT,
                                  DISCARD_PORT,
                                  payload,
                                  datagram.priority);
        });
        at += m_settings.interval;
    }
    for (uint32_t i = 0; i < m_settings.echoRequests; i++)
    {
        Simulator::ScheduleWithContext(context, at, [this, destination, i]() {
            m_a.endpoint->SendEchoRequest(destination,
                                          m_settings.echoId,
                                          static_cast<uint16_t>(i),
                                          m_settings.echoPayload);
        });
        at += m_settings.interval;
    }
    Time last = at;
    for (const CapturedFrame& captured : m_settings.injected)
    {
        // A capture's clock may have been set back in between.
        const Time when = at + NanoSeconds(std::max<int64_t>(captured.nanoseconds, 0));
        last = std::max(last, when);
        const std::vector<uint8_t>& frame = captured.frame;
        Simulator::ScheduleWithContext(context, when, [this, frame]() { Inject(frame); });
    }
    Simulator::Stop(last + Seconds(1));
    Simulator::Run();
}

const std::vector<CapturedFrame>&
VlanLink::GetWire() const
{
    return m_wire;
}

const std::vector<CapturedFrame>&
VlanLink::GetInside() const
{
    return m_inside;
}

std::vector<VlanLink::Row>
VlanLink::GetRows() const
{
    std::vector<Row> rows;
    auto add = [&rows](const Host* host,
                       const std::string& name,
                       Ptr<VlanNetDevice> vlan,
                       LinkCounters counters,
                       Ptr<VlanDemux> demux) {
        counters.rxOtherhostDropped += demux->GetOtherhostDropped();
        counters.rxDropped += demux->GetUnhandled();
        rows.push_back({host, name, vlan, counters});
    };
    for (const Host* host : {&m_a, &m_b})
    {
        std::string name = host->name == 'A' ? "va" : "vb";
        add(host, name, nullptr, host->veth->GetCounters(), VlanDemux::Of(host->veth));
        for (const Ptr<VlanNetDevice>& vlan : host->vlans)
        {
            name += '.' + std::to_string(vlan->GetVid());
            add(host, name, vlan, vlan->GetCounters(), VlanDemux::Of(vlan));
        }
    }
    return rows;
}

void
VlanLink::PrintCounters(std::ostream& os) const
{
    os << R"({"schema": "linux-host.vlan-link/1", "devices": [)";
    const char* separator = "";
    for (const Row& row : GetRows())
    {
        const Host* host = row.host;
        const Ptr<VlanNetDevice>& vlan = row.vlan;
        os << separator << R"({"host": ")" << host->name << R"(", "ifname": ")" << row.name
           << R"(", "mtu": )" << (vlan ? vlan->GetMtu() : host->veth->GetMtu())
           << R"(, "operstate": ")";
        separator = ", ";
        if (!vlan)
        {
            os << (host->veth->IsLinkUp() ? "UP" : "DOWN") << R"(", )";
            PrintLinkCounters(os, row.counters);
            os << "}";
            continue;
        }
        os << (vlan->IsLinkUp() ? "UP" : "LOWERLAYERDOWN")
           << R"(", "linkinfo": {"info_kind": "vlan", "info_data": {"protocol": ")"
           << (vlan->GetProtocol() == ETHERTYPE_8021AD ? "802.1ad" : "802.1Q") << R"(", "id": )"
           << vlan->GetVid() << R"(, "flags": [)"
           << (vlan->GetReorderHeader() ? R"("REORDER_HDR")" : "") << "]}}, ";
        PrintLinkCounters(os, row.counters);
        if (vlan == host->vlans.front())
        {
            os << R"(, "rx_priorities": [)";
            const char* comma = "";
            for (const auto& entry : host->priorities)
            {
                os << comma << R"({"priority": )" << entry.first << R"(, "packets": )"
                   << entry.second << "}";
                comma = ", ";
            }
            os << "]";
        }
        os << "}";
    }
    os << R"(], "inject": {"frames": )" << m_injected << R"(, "refused": )" << m_refused << "}}\n";
}

void
VlanLink::PrintTable(std::ostream& os) const
{
    os << "device              rx   bytes errors   drop  other      tx   bytes errors   drop\n";
    for (const Row& row : GetRows())
    {
        const LinkCounters& of = row.counters;
        os << std::left << std::setw(14) << row.name << std::right << std::setw(8) << of.rxPackets
           << std::setw(8) << of.rxBytes << std::setw(7) << of.rxErrors << std::setw(7)
           << of.rxDropped << std::setw(7) << of.rxOtherhostDropped << std::setw(8) << of.txPackets
           << std::setw(8) << of.txBytes << std::setw(7) << of.txErrors << std::setw(7)
           << of.txDropped << "\n";
    }
    os << m_wire.size() << " frames on the wire, " << m_inside.size()
       << " frames at B's VLAN device\n";
}

} // namespace linuxhost
} // namespace ns3
