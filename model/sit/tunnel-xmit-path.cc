/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tunnel-xmit-path.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

// How the work is spread over the function, as counted in the source of 2.6.37.
const double BEFORE_LOOKUP = 120; // checks, the flow's key
const double LOOKUP = 90;         // __ip_route_output_key: hash, walk the chain
const double MTU = 60;            // path MTU
const double HEADER = 120;        // outer header
const double IP_OUTPUT = 60;      // ip_local_out, empty netfilter hooks
const double FINISH_OUTPUT = 80;  // hard header from the cache
const double STATISTICS = 30;     // per-CPU tstats
const double COUNTED =
    BEFORE_LOOKUP + LOOKUP + MTU + HEADER + IP_OUTPUT + FINISH_OUTPUT + STATISTICS;

} // namespace

TunnelXmitPath::TunnelXmitPath(const std::string& device,
                               const std::string& symbol,
                               const std::string& lockKind,
                               bool lltx,
                               double work)
    : m_symbol(symbol),
      m_queue(device, lockKind, lltx),
      m_outer(Create<Rtable>("rtable.outer")),
      m_work(work)
{
}

std::vector<std::string>
TunnelXmitPath::GetKinds()
{
    return {"sit", "ipip", "gre"};
}

std::string
TunnelXmitPath::GetSymbol(const std::string& kind)
{
    return kind == "sit"    ? "ipip6_tunnel_xmit"
           : kind == "ipip" ? "ipip_tunnel_xmit"
                            : "ipgre_tunnel_xmit";
}

double
TunnelXmitPath::Scale(double share) const
{
    return m_work * share / COUNTED;
}

void
TunnelXmitPath::RecordBegin(KernelPath& path, SkbRefs& skb) const
{
    m_queue.RecordEnter(path);
    // The device clears IFF_XMIT_DST_RELEASE: it needs the inner route.
    NetdevQueue::RecordHardStart(path, skb, false);
    path.Work(m_symbol, Scale(BEFORE_LOOKUP), "checks, the flow's key");
}

void
TunnelXmitPath::RecordLookup(KernelPath& path) const
{
    m_outer->RecordLookup(path, Scale(LOOKUP));
}

void
TunnelXmitPath::RecordHeader(KernelPath& path, SkbRefs& skb) const
{
    path.Work(m_symbol, Scale(MTU), "path MTU");
    skb.releaseRoute(path);
    Ptr<Rtable> outer = m_outer;
    skb.releaseRoute = [outer](KernelPath& p) { outer->RecordRelease(p, "lower device"); };
    path.Work(m_symbol, Scale(HEADER), "outer header");
}

void
TunnelXmitPath::RecordOutput(KernelPath& path) const
{
    path.Work("ip_output", Scale(IP_OUTPUT), "ip_local_out, empty netfilter hooks");
    path.Work("ip_finish_output", Scale(FINISH_OUTPUT), "hard header from the cache");
}

void
TunnelXmitPath::RecordLeave(KernelPath& path) const
{
    path.Work(m_symbol, Scale(STATISTICS), "per-CPU tstats");
    m_queue.RecordLeave(path);
}

} // namespace linuxhost
} // namespace ns3
