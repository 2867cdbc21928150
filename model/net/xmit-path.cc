/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "xmit-path.h"

namespace ns3
{
namespace linuxhost
{

// Instruction counts are of the fast path of Linux 2.6.36, x86-64, without debugging options:
// counted in the source, one function at a time, good to about a fifth. The order of the steps and
// the lines they touch are the source's own.

namespace
{

/// The recorder in use.
XmitRecorder* g_recorder = nullptr;

} // namespace

XmitRecorder::XmitRecorder(Ptr<KernelPath> path, const SkbRefs& skb)
    : PathRecorder(path),
      m_path(path),
      m_skb(skb),
      m_outer(g_recorder)
{
    g_recorder = this;
}

XmitRecorder::~XmitRecorder()
{
    g_recorder = m_outer;
}

XmitRecorder*
XmitRecorder::Current()
{
    return g_recorder;
}

KernelPath&
XmitRecorder::GetPath()
{
    return *m_path;
}

SkbRefs&
XmitRecorder::GetSkb()
{
    return m_skb;
}

Rt6Info::Rt6Info(const std::string& name)
{
    Ptr<CacheLine> line = Create<CacheLine>(name);
    refcnt = LineField(line, "__refcnt");
    node = LineField(line, "rt6i_node");
}

Rtable::Rtable(const std::string& name)
{
    Ptr<CacheLine> line = Create<CacheLine>(name);
    key = LineField(line, "fl");
    refcnt = LineField(line, "__refcnt");
    use = LineField(line, "__use");
    lastuse = LineField(line, "lastuse");
}

void
Rtable::RecordLookup(KernelPath& path, double instructions) const
{
    path.Work("__ip_route_output_key", instructions, "hash, walk the chain");
    path.Read(key, "__ip_route_output_key", "compare the key");
    path.Work("__ip_route_output_key", 25, "rt_is_expired");
    path.Rmw(refcnt, "__ip_route_output_key", "dst_use");
    path.Write(use, "__ip_route_output_key");
    path.Write(lastuse, "__ip_route_output_key");
    path.Work("ip_route_output_flow", 25);
    path.Work("__xfrm_lookup", 45, "no policies: reads only");
}

void
Rtable::RecordRelease(KernelPath& path, const std::string& note) const
{
    path.Rmw(refcnt, "dst_release", note);
    path.Work("dst_release", 12);
}

NetdevQueue::NetdevQueue(const std::string& device, const std::string& lockKind, bool lltx)
    : m_line(Create<CacheLine>(device + ".txq")),
      m_lock(KernelLock::Make(lockKind, device + "._xmit_lock", m_line)),
      m_owner(m_line, "xmit_lock_owner"),
      m_transStart(m_line, "trans_start"),
      m_lltx(lltx)
{
}

bool
NetdevQueue::IsLltx() const
{
    return m_lltx;
}

void
NetdevQueue::RecordEnter(KernelPath& path) const
{
    path.Work("dev_queue_xmit", 70, "rcu_read_lock_bh, dev_pick_tx, noqueue");
    path.Read(m_owner, "dev_queue_xmit", "is this a recursion?");
    if (!m_lltx)
    {
        path.Operate(m_lock, KernelLock::LOCK, "_raw_spin_lock", "HARD_TX_LOCK");
        path.Write(m_owner, "dev_queue_xmit");
    }
}

void
NetdevQueue::RecordHardStart(KernelPath& path, SkbRefs& skb, bool dropRoute)
{
    path.Work("dev_hard_start_xmit", 60);
    if (dropRoute)
    {
        skb.releaseRoute(path);
    }
    if (skb.socket)
    {
        skb.socket->RecordOrphan(path);
        skb.socket = nullptr;
    }
}

void
NetdevQueue::RecordLeave(KernelPath& path) const
{
    path.Work("dev_hard_start_xmit", 15);
    if (!m_lltx)
    {
        path.Write(m_transStart, "dev_hard_start_xmit", "txq_trans_update");
        path.Write(m_owner, "dev_queue_xmit");
        path.Operate(m_lock, KernelLock::UNLOCK, "_raw_spin_unlock", "HARD_TX_UNLOCK");
    }
    path.Work("dev_queue_xmit", 15, "rcu_read_unlock_bh");
}

UdpSocketPath::UdpSocketPath(const std::string& name, uint32_t payload)
    : m_lock(Create<CacheLine>(name + ".sk_lock")),
      m_wmemAlloc(Create<CacheLine>(name + ".sk_wmem_alloc")),
      m_payload(payload)
{
}

void
UdpSocketPath::RecordSyscall(KernelPath& path) const
{
    path.SetMode(CpuMode::USER);
    path.Work("sendto", 150, "the program's loop, the C library's wrapper");
    path.SetMode(CpuMode::SYSTEM);
    path.Work("system_call", 145, "entry and exit: 58 ns on an E5520");
    path.Work("sys_sendto", 110, "copies the address");
    path.Work("fget_light", 20, "one thread a process: no atomic");
    path.Work("sock_sendmsg", 70);
    path.Work("inet_sendmsg", 30);
}

void
UdpSocketPath::RecordAllocate(KernelPath& path) const
{
    path.Work("sock_alloc_send_pskb", 110);
    path.Work("__alloc_skb", 130, "clears the head");
    path.Work("kmem_cache_alloc", 110, "two objects of the CPU's own slabs");
    path.Rmw(m_wmemAlloc, "sock_alloc_send_pskb", "skb_set_owner_w");
    path.Copy("csum_partial_copy_generic", m_payload, "the user's data");
    path.Checksum("csum_partial_copy_generic", m_payload);
}

void
UdpSocketPath::RecordOrphan(KernelPath& path) const
{
    path.Work("sock_wfree", 60, "skb_orphan_try");
    path.Rmw(m_wmemAlloc, "sock_wfree");
    path.Work("sock_wfree", 40, "sk_write_space");
    path.Rmw(m_wmemAlloc, "sock_wfree");
}

Udp6SocketPath::Udp6SocketPath(const std::string& name, uint32_t payload, Ptr<Rt6Info> route)
    : UdpSocketPath(name, payload),
      m_route(route)
{
}

void
Udp6SocketPath::RecordHead(KernelPath& path) const
{
    RecordSyscall(path);
    path.Work("udpv6_sendmsg", 300);
    path.Rmw(m_route->refcnt, "sk_dst_check", "sk_dst_get");
    path.Read(m_route->node, "sk_dst_check", "ip6_dst_check");
    path.Work("sk_dst_check", 40);
    path.Work("ip6_sk_dst_lookup", 110, "ip6_sk_dst_check, ip6_dst_lookup_tail");
    path.Work("__xfrm_lookup", 45, "no policies: reads only");
    path.Work("lock_sock_nested", 50);
    path.Rmw(m_lock, "lock_sock_nested");
    path.Write(m_lock, "lock_sock_nested");
    path.Work("ip6_append_data", 90, "sets up the cork");
    path.Rmw(m_route->refcnt, "ip6_append_data", "the cork's reference");
    path.Work("ip6_append_data", 190);
    RecordAllocate(path);
    path.Work("udp_v6_push_pending_frames", 110, "header, pseudo-header checksum");
    path.Work("ip6_push_pending_frames", 120, "IPv6 header");
    path.Rmw(m_route->refcnt, "ip6_push_pending_frames", "dst_clone");
    path.Work("ip6_push_pending_frames", 50, "per-CPU counters");
    path.Work("ip6_output", 70, "ip6_local_out, empty netfilter hooks");
    path.Work("ip6_finish_output", 60);
}

void
Udp6SocketPath::RecordTail(KernelPath& path) const
{
    path.Work("ip6_push_pending_frames", 30, "ip6_cork_release");
    path.Rmw(m_route->refcnt, "dst_release", "the cork's reference");
    path.Work("dst_release", 12);
    path.Work("udpv6_sendmsg", 50, "per-CPU counter");
    path.Rmw(m_route->refcnt, "dst_release", "end of sendmsg");
    path.Work("dst_release", 12);
    path.Work("release_sock", 40);
    path.Rmw(m_lock, "release_sock");
    path.Write(m_lock, "release_sock");
}

Udp4SocketPath::Udp4SocketPath(const std::string& name, uint32_t payload, Ptr<Rtable> route)
    : UdpSocketPath(name, payload),
      m_route(route)
{
}

void
Udp4SocketPath::RecordHead(KernelPath& path) const
{
    RecordSyscall(path);
    path.Work("udp_sendmsg", 240);
    m_route->RecordLookup(path, 90);
    path.Work("lock_sock_nested", 50);
    path.Rmw(m_lock, "lock_sock_nested");
    path.Write(m_lock, "lock_sock_nested");
    path.Work("ip_append_data", 220, "takes the reference over");
    RecordAllocate(path);
    path.Work("udp_push_pending_frames", 80, "header, pseudo-header checksum");
    path.Work("ip_push_pending_frames", 130, "IPv4 header; moves the reference into the packet");
    path.Work("ip_output", 60, "ip_local_out, empty netfilter hooks");
    path.Work("ip_finish_output", 60);
}

void
Udp4SocketPath::RecordTail(KernelPath& path) const
{
    path.Work("udp_sendmsg", 40, "per-CPU counter");
    path.Work("release_sock", 40);
    path.Rmw(m_lock, "release_sock");
    path.Write(m_lock, "release_sock");
}

DummyXmitPath::DummyXmitPath(const std::string& device)
    : m_queue(device, "ticket", true)
{
}

void
DummyXmitPath::Record(KernelPath& path, SkbRefs& skb) const
{
    m_queue.RecordEnter(path);
    NetdevQueue::RecordHardStart(path, skb, true);
    path.Work("dummy_xmit", 40, "per-CPU counters");
    path.Work("kfree_skb", 90, "skb_release_data");
    path.Work("kmem_cache_free", 110, "two objects, back to the CPU's own slabs");
    m_queue.RecordLeave(path);
}

} // namespace linuxhost
} // namespace ns3
