/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUNNEL_XMIT_PATH_H
#define TUNNEL_XMIT_PATH_H

#include "ns3/xmit-path.h"

#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What the transmit function of an IP tunnel (sit, ipip, gre) costs in 2.6.37: an outer route
 * lookup a packet, the inner route dropped, an outer header, and down to the lower device.
 *
 * The three are alike; what differs is the socket's path before them.
 */
class TunnelXmitPath : public SimpleRefCount<TunnelXmitPath>
{
  public:
    /**
     * @param device the device's name, e.g. `sit1`
     * @param symbol its transmit function, e.g. `ipip6_tunnel_xmit`
     * @param lockKind kind of its transmit lock
     * @param lltx whether it has NETIF_F_LLTX: the one bit that the patch sets
     * @param work software work of the transmit function and of IPv4 output, in instructions
     */
    TunnelXmitPath(const std::string& device,
                   const std::string& symbol,
                   const std::string& lockKind,
                   bool lltx,
                   double work);

    /**
     * `dev_queue_xmit` of the tunnel device, up to the call of its transmit function.
     * @param path the path
     * @param skb the packet; it has no socket afterwards
     */
    void RecordBegin(KernelPath& path, SkbRefs& skb) const;
    /**
     * The outer route is looked up.
     * @param path the path
     */
    void RecordLookup(KernelPath& path) const;
    /**
     * The path MTU is checked, the outer route put in the place of the inner one, and the outer
     * header built.
     * @param path the path
     * @param skb the packet; its route is the outer one afterwards
     */
    void RecordHeader(KernelPath& path, SkbRefs& skb) const;
    /**
     * IPv4 output, down to the lower device.
     * @param path the path
     */
    void RecordOutput(KernelPath& path) const;
    /**
     * Back from the lower device.
     * @param path the path
     */
    void RecordLeave(KernelPath& path) const;

    /// @returns the names of the tunnels: `sit`, `ipip`, `gre`
    static std::vector<std::string> GetKinds();
    /**
     * @param kind a tunnel
     * @returns its transmit function's kernel symbol
     */
    static std::string GetSymbol(const std::string& kind);

  private:
    /**
     * @param share instructions counted for a stretch of the function
     * @returns the instructions it gets of the whole
     */
    double Scale(double share) const;

    std::string m_symbol; //!< transmit function
    NetdevQueue m_queue;  //!< transmit queue
    Ptr<Rtable> m_outer;  //!< outer route
    double m_work;        //!< software work, instructions
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUNNEL_XMIT_PATH_H */
