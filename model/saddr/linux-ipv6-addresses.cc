/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "linux-ipv6-addresses.h"

#include "destination-address-selection.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/integer.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface-address.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface-address.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/log.h"
#include "ns3/loopback-net-device.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("LinuxIpv6Addresses");

NS_OBJECT_ENSURE_REGISTERED(LinuxIpv6Addresses);

TypeId
LinuxIpv6Addresses::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::LinuxIpv6Addresses")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddConstructor<LinuxIpv6Addresses>()
            .AddAttribute("UseTempaddr",
                          "Sysctl use_tempaddr of interfaces that are added from now on.",
                          IntegerValue(0),
                          MakeIntegerAccessor(&LinuxIpv6Addresses::m_useTempaddr),
                          MakeIntegerChecker<int32_t>())
            .AddAttribute("UseOifAddrsOnly",
                          "Sysctl use_oif_addrs_only of interfaces that are added from now on.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&LinuxIpv6Addresses::m_useOifAddrsOnly),
                          MakeBooleanChecker())
            .AddAttribute("Preferences",
                          "IPV6_ADDR_PREFERENCES of sockets that ask for nothing.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&LinuxIpv6Addresses::m_preferences),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("MobileIpv6",
                          "Whether the kernel has CONFIG_IPV6_MIP6, hence prefers home addresses.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&LinuxIpv6Addresses::SetMobileIpv6,
                                              &LinuxIpv6Addresses::GetMobileIpv6),
                          MakeBooleanChecker())
            .AddAttribute("OptimisticDad",
                          "Whether the kernel has CONFIG_IPV6_OPTIMISTIC_DAD.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxIpv6Addresses::SetOptimisticDad,
                                              &LinuxIpv6Addresses::GetOptimisticDad),
                          MakeBooleanChecker())
            .AddTraceSource("Selection",
                            "A source address has been chosen.",
                            MakeTraceSourceAccessor(&LinuxIpv6Addresses::m_selectionTrace),
                            "ns3::linuxhost::LinuxIpv6Addresses::SelectionCallback");
    return tid;
}

LinuxIpv6Addresses::LinuxIpv6Addresses() = default;

LinuxIpv6Addresses::~LinuxIpv6Addresses() = default;

void
LinuxIpv6Addresses::NotifyNewAggregate()
{
    if (!m_ipv6)
    {
        m_ipv6 = GetObject<Ipv6>();
    }
    Object::NotifyNewAggregate();
}

void
LinuxIpv6Addresses::DoDispose()
{
    for (auto& record : m_records)
    {
        record.second.preferredEnd.Cancel();
        record.second.validEnd.Cancel();
    }
    m_records.clear();
    m_ipv6 = nullptr;
    Object::DoDispose();
}

uint16_t
LinuxIpv6Addresses::CurrentFlags(uint32_t interface, bool arp, const Ipv6InterfaceAddress& address)
{
    Record& record = m_records[{interface, address.GetAddress()}];
    switch (address.GetState())
    {
    case Ipv6InterfaceAddress::DEPRECATED:
        return record.flags | SADDR_DEPRECATED;
    case Ipv6InterfaceAddress::HOMEADDRESS:
        return record.flags | SADDR_HOME;
    case Ipv6InterfaceAddress::INVALID:
        // Duplicate detection failed; Linux keeps such an address, as tentative.
        return (record.flags & ~SADDR_OPTIMISTIC) | SADDR_TENTATIVE;
    case Ipv6InterfaceAddress::TENTATIVE:
    case Ipv6InterfaceAddress::TENTATIVE_OPTIMISTIC:
        // Linux detects no duplicates on devices without address resolution.
        if (!arp || (record.flags & SADDR_NODAD))
        {
            return record.flags;
        }
        record.detecting = true;
        return record.flags | SADDR_TENTATIVE |
               (m_host.interfaces[interface].optimisticDad ? SADDR_OPTIMISTIC : 0);
    default:
        if (record.detecting)
        {
            record.detecting = false;
            record.flags &= ~(SADDR_TENTATIVE | SADDR_OPTIMISTIC);
        }
        return record.flags;
    }
}

void
LinuxIpv6Addresses::Update()
{
    NS_ABORT_MSG_IF(!m_ipv6, "LinuxIpv6Addresses is not on a node with IPv6");
    for (uint32_t i = 0; i < m_ipv6->GetNInterfaces(); ++i)
    {
        const Ptr<NetDevice> device = m_ipv6->GetNetDevice(i);
        const bool loopback = DynamicCast<LoopbackNetDevice>(device) != nullptr;
        if (i == m_host.interfaces.size())
        {
            SaddrInterface added;
            added.name = loopback ? "lo" : "eth" + std::to_string(i - 1);
            added.ifindex = i + 1;
            added.useTempaddr = loopback ? -1 : m_useTempaddr;
            added.useOifAddrsOnly = m_useOifAddrsOnly;
            m_host.interfaces.push_back(added);
        }
        SaddrInterface& interface = m_host.interfaces[i];
        const bool arp = !loopback && device->NeedsArp();
        const uint32_t count = m_ipv6->GetNAddresses(i);
        // New addresses are placed as the kernel places them, hence in ns-3's order of addition.
        for (uint32_t j = 0; j < count; ++j)
        {
            const Ipv6InterfaceAddress known = m_ipv6->GetAddress(i, j);
            const Ipv6Bits bits(known.GetAddress());
            const uint16_t flags = CurrentFlags(i, arp, known);
            auto it = std::find_if(interface.addresses.begin(),
                                   interface.addresses.end(),
                                   [&](const SaddrAddress& a) { return a.address == bits; });
            if (it != interface.addresses.end())
            {
                it->flags = flags;
            }
            else
            {
                interface.AddAddress(
                    SaddrAddress(bits, known.GetPrefix().GetPrefixLength(), flags));
            }
        }
        if (interface.addresses.size() == count)
        {
            continue;
        }
        // Some are gone, and with them what was said about them.
        auto gone = [&](const SaddrAddress& a) {
            for (uint32_t j = 0; j < count; ++j)
            {
                if (Ipv6Bits(m_ipv6->GetAddress(i, j).GetAddress()) == a.address)
                {
                    return false;
                }
            }
            auto record = m_records.find({i, a.address.ToAddress()});
            if (record != m_records.end())
            {
                record->second.preferredEnd.Cancel();
                record->second.validEnd.Cancel();
                m_records.erase(record);
            }
            return true;
        };
        interface.addresses.erase(
            std::remove_if(interface.addresses.begin(), interface.addresses.end(), gone),
            interface.addresses.end());
    }
}

const SaddrHost&
LinuxIpv6Addresses::GetHost()
{
    Update();
    return m_host;
}

SaddrInterface&
LinuxIpv6Addresses::GetInterface(uint32_t interface)
{
    Update();
    NS_ABORT_MSG_IF(interface >= m_host.interfaces.size(),
                    "the node has no IPv6 interface " << interface);
    return m_host.interfaces[interface];
}

const SaddrAddress*
LinuxIpv6Addresses::Find(uint32_t interface, Ipv6Address address)
{
    const Ipv6Bits bits(address);
    for (const auto& known : GetInterface(interface).addresses)
    {
        if (known.address == bits)
        {
            return &known;
        }
    }
    return nullptr;
}

void
LinuxIpv6Addresses::SetMobileIpv6(bool enable)
{
    m_host.kernelHasMobileIpv6 = enable;
}

bool
LinuxIpv6Addresses::GetMobileIpv6() const
{
    return m_host.kernelHasMobileIpv6;
}

void
LinuxIpv6Addresses::SetOptimisticDad(bool enable)
{
    m_host.kernelHasOptimisticDad = enable;
}

bool
LinuxIpv6Addresses::GetOptimisticDad() const
{
    return m_host.kernelHasOptimisticDad;
}

void
LinuxIpv6Addresses::SetUseTempaddr(uint32_t interface, int32_t value)
{
    GetInterface(interface).useTempaddr = value;
}

void
LinuxIpv6Addresses::SetUseOifAddrsOnly(uint32_t interface, bool value)
{
    GetInterface(interface).useOifAddrsOnly = value;
}

void
LinuxIpv6Addresses::SetOptimistic(uint32_t interface, bool dad, bool use)
{
    GetInterface(interface).optimisticDad = dad;
    GetInterface(interface).useOptimistic = use;
}

bool
LinuxIpv6Addresses::SetFlags(uint32_t interface, Ipv6Address address, uint16_t flags)
{
    NS_LOG_FUNCTION(this << interface << address << flags);
    if (!Find(interface, address))
    {
        return false;
    }
    m_records[{interface, address}].flags = flags;
    return true;
}

bool
LinuxIpv6Addresses::GetFlags(uint32_t interface, Ipv6Address address, uint16_t* flags)
{
    const SaddrAddress* known = Find(interface, address);
    if (known)
    {
        *flags = known->flags;
    }
    return known != nullptr;
}

bool
LinuxIpv6Addresses::SetLifetimes(uint32_t interface,
                                 Ipv6Address address,
                                 Time preferred,
                                 Time valid)
{
    NS_LOG_FUNCTION(this << interface << address << preferred << valid);
    if (!Find(interface, address) || preferred.IsStrictlyNegative() || preferred > valid)
    {
        return false;
    }
    Record& record = m_records[{interface, address}];
    record.preferredEnd.Cancel();
    record.validEnd.Cancel();
    record.flags &= ~SADDR_DEPRECATED;
    if (preferred.IsZero())
    {
        record.flags |= SADDR_DEPRECATED;
    }
    else if (preferred != Time::Max())
    {
        record.preferredEnd = Simulator::Schedule(preferred,
                                                  &LinuxIpv6Addresses::Deprecate,
                                                  this,
                                                  interface,
                                                  address);
    }
    if (valid != Time::Max())
    {
        record.validEnd =
            Simulator::Schedule(valid, &LinuxIpv6Addresses::Expire, this, interface, address);
    }
    return true;
}

void
LinuxIpv6Addresses::Deprecate(uint32_t interface, Ipv6Address address)
{
    m_records[{interface, address}].flags |= SADDR_DEPRECATED;
}

void
LinuxIpv6Addresses::Expire(uint32_t interface, Ipv6Address address)
{
    m_ipv6->RemoveAddress(interface, address);
    Update();
}

Ipv6AddressLabels&
LinuxIpv6Addresses::GetLabels()
{
    return m_host.labels;
}

void
LinuxIpv6Addresses::SetPreferences(uint16_t preferences)
{
    m_preferences = preferences;
}

uint16_t
LinuxIpv6Addresses::GetPreferences() const
{
    return m_preferences;
}

int
LinuxIpv6Addresses::Connect(Ptr<Socket> socket, const Address& address, uint16_t preferences)
{
    PreferenceScope scope(this, preferences);
    return socket->Connect(address);
}

SaddrChoice
LinuxIpv6Addresses::Select(Ipv6Address destination,
                           int32_t interface,
                           uint16_t preferences,
                           std::vector<SaddrVerdict>* verdicts)
{
    Update();
    SaddrQuery query;
    query.destination = Ipv6Bits(destination);
    query.oif = static_cast<uint32_t>(interface + 1);
    query.preferences = preferences;
    const SaddrChoice choice = SelectSourceAddress(m_host, query, verdicts);
    m_selectionTrace(query, choice);
    return choice;
}

Ipv6Address
LinuxIpv6Addresses::FindSource(const Address& destination)
{
    Socket::SocketErrno error = Socket::ERROR_NOTERROR;
    if (Ipv6Address::IsMatchingType(destination))
    {
        Ipv6Header header;
        header.SetDestination(Ipv6Address::ConvertFrom(destination));
        const auto routing = m_ipv6->GetRoutingProtocol();
        const auto route =
            routing ? routing->RouteOutput(nullptr, header, nullptr, error) : nullptr;
        return route ? route->GetSource() : Ipv6Address::GetAny();
    }
    const auto ipv4 = GetObject<Ipv4>();
    Ipv4Header header;
    header.SetDestination(Ipv4Address::ConvertFrom(destination));
    // ns-3 asks for an interface where the destination is multicast.
    if (!ipv4 || !ipv4->GetRoutingProtocol() || header.GetDestination().IsMulticast())
    {
        return Ipv6Address::GetAny();
    }
    const auto route = ipv4->GetRoutingProtocol()->RouteOutput(nullptr, header, nullptr, error);
    return route ? Ipv6Address::MakeIpv4MappedAddress(route->GetSource()) : Ipv6Address::GetAny();
}

std::vector<Address>
LinuxIpv6Addresses::OrderDestinations(const std::vector<Address>& destinations)
{
    std::vector<DaddrCandidate> candidates;
    for (const auto& destination : destinations)
    {
        const Ipv6Address source = FindSource(destination);
        DaddrCandidate candidate;
        candidate.hasSource = !source.IsAny();
        candidate.source = Ipv6Bits(source);
        if (Ipv6Address::IsMatchingType(destination))
        {
            candidate.destination = Ipv6Bits(Ipv6Address::ConvertFrom(destination));
            for (const auto& interface : GetHost().interfaces)
            {
                for (const auto& address : interface.addresses)
                {
                    if (address.address == candidate.source)
                    {
                        candidate.sourcePrefixLength = address.prefixLength;
                        candidate.sourceDeprecated = address.flags & SADDR_DEPRECATED;
                        candidate.sourceHome = address.flags & SADDR_HOME;
                    }
                }
            }
        }
        else
        {
            const auto ipv4 = GetObject<Ipv4>();
            candidate.destination =
                Ipv6Bits(Ipv6Address::MakeIpv4MappedAddress(Ipv4Address::ConvertFrom(destination)));
            const int32_t i = candidate.hasSource
                                  ? ipv4->GetInterfaceForAddress(source.GetIpv4MappedAddress())
                                  : -1;
            for (uint32_t j = 0; i >= 0 && j < ipv4->GetNAddresses(i); ++j)
            {
                const auto address = ipv4->GetAddress(i, j);
                if (address.GetLocal() == source.GetIpv4MappedAddress())
                {
                    candidate.sourcePrefixLength =
                        static_cast<uint8_t>(96 + address.GetMask().GetPrefixLength());
                }
            }
        }
        candidates.push_back(candidate);
    }
    std::vector<Address> ordered;
    for (size_t index : linuxhost::OrderDestinations(candidates))
    {
        ordered.push_back(destinations[index]);
    }
    return ordered;
}

LinuxIpv6Addresses::PreferenceScope::PreferenceScope(Ptr<LinuxIpv6Addresses> addresses,
                                                     uint16_t preferences)
    : m_addresses(addresses),
      m_before(addresses->m_preferences)
{
    m_addresses->m_preferences = preferences;
}

LinuxIpv6Addresses::PreferenceScope::~PreferenceScope()
{
    m_addresses->m_preferences = m_before;
}

} // namespace linuxhost
} // namespace ns3
