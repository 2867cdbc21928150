/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_TRANSPORT_PROTOCOL_H
#define SIT_TRANSPORT_PROTOCOL_H

#include "ns3/ip-l4-protocol.h"

namespace ns3
{
namespace linuxhost
{

class SitNetDevice;

/**
 * @ingroup linux-host
 * Stands between a sit interface and the node's UDP or TCP.
 *
 * It lets through only segments that ns-3's implementation can parse, and answers a UDP datagram
 * that no socket wants with the port unreachable of Linux. It sits on one interface, beside the
 * node's own transport.
 */
class SitTransportProtocol : public IpL4Protocol
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param device the tunnel; null on an interface of IPv4, where only the answers are Linux's
     * @param transport the node's UDP or TCP
     */
    void Setup(Ptr<SitNetDevice> device, Ptr<IpL4Protocol> transport);

    // inherited from IpL4Protocol
    int GetProtocolNumber() const override;
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet,
                                   const Ipv4Header& header,
                                   Ptr<Ipv4Interface> incomingInterface) override;
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet,
                                   const Ipv6Header& header,
                                   Ptr<Ipv6Interface> incomingInterface) override;
    void SetDownTarget(IpL4Protocol::DownTargetCallback cb) override;
    void SetDownTarget6(IpL4Protocol::DownTargetCallback6 cb) override;
    IpL4Protocol::DownTargetCallback GetDownTarget() const override;
    IpL4Protocol::DownTargetCallback6 GetDownTarget6() const override;

  protected:
    void DoDispose() override;

  private:
    Ptr<SitNetDevice> m_device;    //!< the tunnel
    Ptr<IpL4Protocol> m_transport; //!< the node's UDP or TCP
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_TRANSPORT_PROTOCOL_H */
