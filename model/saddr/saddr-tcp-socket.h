/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SADDR_TCP_SOCKET_H
#define SADDR_TCP_SOCKET_H

#include "ns3/node.h"
#include "ns3/tcp-socket-base.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A TCP socket with IPV6_ADDR_PREFERENCES of its own.
 */
class SaddrTcpSocket : public TcpSocketBase
{
  public:
    /// @returns the type id
    static TypeId GetTypeId();
    /**
     * @param node a node
     * @param preferences SaddrPreference bits
     * @returns a socket of that node, as TcpL4Protocol makes them
     */
    static Ptr<Socket> CreateSocket(Ptr<Node> node, uint16_t preferences);

    int Connect(const Address& address) override;

  private:
    uint16_t m_preferences{0}; //!< SaddrPreference bits
};

/**
 * @ingroup linux-host
 * Provide a node with a socket factory whose TCP sockets have preferences, for applications that
 * are told the type of their sockets' factory.
 * @param node a node
 * @param preferences SaddrPreference bits: tmp or public, home or coa, or one of each
 * @param[out] factory the factory's type
 * @returns whether the preferences are possible
 */
bool ProvideSaddrTcpSocketFactory(Ptr<Node> node, uint16_t preferences, TypeId* factory);

} // namespace linuxhost
} // namespace ns3

#endif /* SADDR_TCP_SOCKET_H */
