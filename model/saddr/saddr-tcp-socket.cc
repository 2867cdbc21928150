/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "saddr-tcp-socket.h"

#include "linux-ipv6-addresses.h"

#include "ns3/object-factory.h"
#include "ns3/rtt-estimator.h"
#include "ns3/socket-factory.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

/**
 * A socket factory whose sockets have preferences. Applications name a factory by its type, so
 * there is one type for each preference.
 * @tparam PREFERENCES SaddrPreference bits
 */
template <uint16_t PREFERENCES>
class PreferringTcpSocketFactory : public SocketFactory
{
  public:
    /// @returns the type id
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::linuxhost::SaddrTcpSocketFactory" + std::to_string(PREFERENCES))
                .SetParent<SocketFactory>()
                .SetGroupName("LinuxHost");
        return tid;
    }

    Ptr<Socket> CreateSocket() override
    {
        return SaddrTcpSocket::CreateSocket(GetObject<Node>(), PREFERENCES);
    }
};

/**
 * @tparam PREFERENCES SaddrPreference bits
 * @param node a node, which gets the factory
 * @param preferences the preferences that are looked for
 * @param[out] factory the factory's type, where the preferences are these
 * @returns whether they are
 */
template <uint16_t PREFERENCES>
bool
Provide(Ptr<Node> node, uint16_t preferences, TypeId* factory)
{
    using Factory = PreferringTcpSocketFactory<PREFERENCES>;
    if (preferences != PREFERENCES)
    {
        return false;
    }
    if (!node->GetObject<Factory>())
    {
        node->AggregateObject(CreateObject<Factory>());
    }
    *factory = Factory::GetTypeId();
    return true;
}

/**
 * @tparam PREFERENCES each of the possible preferences
 * @param node a node, which gets the factory
 * @param preferences SaddrPreference bits
 * @param[out] factory the factory's type
 * @returns whether the preferences are possible
 */
template <uint16_t... PREFERENCES>
bool
ProvideOneOf(Ptr<Node> node, uint16_t preferences, TypeId* factory)
{
    return (Provide<PREFERENCES>(node, preferences, factory) || ...);
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(SaddrTcpSocket);

TypeId
SaddrTcpSocket::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::SaddrTcpSocket")
                            .SetParent<TcpSocketBase>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<SaddrTcpSocket>();
    return tid;
}

Ptr<Socket>
SaddrTcpSocket::CreateSocket(Ptr<Node> node, uint16_t preferences)
{
    const auto tcp = node->GetObject<TcpL4Protocol>();
    const auto create = [&](const std::string& attribute) {
        TypeIdValue type;
        tcp->GetAttribute(attribute, type);
        ObjectFactory factory;
        factory.SetTypeId(type.Get());
        return factory.Create<Object>();
    };
    const auto socket = CreateObject<SaddrTcpSocket>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(DynamicCast<RttEstimator>(create("RttEstimatorType")));
    socket->SetCongestionControlAlgorithm(DynamicCast<TcpCongestionOps>(create("SocketType")));
    socket->SetRecoveryAlgorithm(DynamicCast<TcpRecoveryOps>(create("RecoveryType")));
    tcp->AddSocket(socket);
    socket->m_preferences = preferences;
    return socket;
}

int
SaddrTcpSocket::Connect(const Address& address)
{
    const auto addresses = m_node->GetObject<LinuxIpv6Addresses>();
    if (!addresses)
    {
        return TcpSocketBase::Connect(address);
    }
    LinuxIpv6Addresses::PreferenceScope scope(addresses, m_preferences);
    return TcpSocketBase::Connect(address);
}

bool
ProvideSaddrTcpSocketFactory(Ptr<Node> node, uint16_t preferences, TypeId* factory)
{
    return ProvideOneOf<SADDR_PREFER_TMP,
                        SADDR_PREFER_PUBLIC,
                        SADDR_PREFER_COA,
                        SADDR_PREFER_HOME,
                        SADDR_PREFER_TMP | SADDR_PREFER_COA,
                        SADDR_PREFER_TMP | SADDR_PREFER_HOME,
                        SADDR_PREFER_PUBLIC | SADDR_PREFER_COA,
                        SADDR_PREFER_PUBLIC | SADDR_PREFER_HOME>(node, preferences, factory);
}

} // namespace linuxhost
} // namespace ns3
