/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "udp6-unconnected-path.h"

namespace ns3
{
namespace linuxhost
{

// Instruction counts are of the fast path of Linux 4.14, x86-64, without debugging options: counted
// in the source, one function at a time, good to about a fifth. The order of the steps and the
// lines they touch are the source's own.

Fib6LookupPath::Fib6LookupPath(double scale)
    : m_scale(scale)
{
    const std::string null = "ip6_null_entry.__refcnt";
    m_nullEntry = Create<ReferenceCount>("inc_not_zero", null, Create<CacheLine>(null));
    Ptr<CacheLine> route = Create<CacheLine>("rt6_info(main)");
    m_next = LineField(route, "rt6_next");
    m_use = LineField(route, "__use");
    m_lastuse = LineField(route, "lastuse");
}

void
Fib6LookupPath::Record(KernelPath& path, const LineField& clone) const
{
    path.Work("ip6_route_output_flags", 60 * m_scale);
    path.Work("fib6_rule_lookup", 50 * m_scale, "no rules: the local table, then the main one");
    path.Work("fib6_lookup", 80 * m_scale, "local table");
    path.Work("ip6_pol_route", 90 * m_scale, "selects twice: with reachability, and without");
    path.Operate(m_nullEntry, ReferenceCount::GET, "ip6_pol_route", "nothing: the null entry");
    path.Work("dst_release", 12 * m_scale);
    path.Operate(m_nullEntry, ReferenceCount::PUT, "dst_release", "ip6_rt_put of the null entry");
    path.Work("fib6_lookup", 110 * m_scale, "main table");
    path.Work("ip6_pol_route", 30 * m_scale);
    path.Read(m_next, "ip6_pol_route", "find_rr_leaf");
    path.Work("find_match", 90 * m_scale);
    path.Work("ip6_pol_route", 50 * m_scale, "no exceptions");
    path.Write(m_use, "ip6_pol_route", "dst_use_noref");
    path.Write(m_lastuse, "ip6_pol_route");
    path.Work("ip6_pol_route", 25 * m_scale, "rt6_get_pcpu_route");
    path.Rmw(clone, "ip6_pol_route", "this CPU's own route");
    path.Work("__local_bh_enable_ip", 16 * m_scale);
}

Udp6UnconnectedSocketPath::Udp6UnconnectedSocketPath(const std::string& name,
                                                     uint32_t payload,
                                                     uint32_t buffers,
                                                     double scale)
    : m_payload(payload),
      m_scale(scale),
      m_clone(Create<CacheLine>(name + ".rt6_pcpu"), "__refcnt")
{
    const std::string wmem = name + ".sk_wmem_alloc";
    m_wmemAlloc = Create<ReferenceCount>("cmpxchg", wmem, Create<CacheLine>(wmem));
    for (uint32_t i = 0; i < buffers; ++i)
    {
        m_buffers.emplace_back(Create<CacheLine>(name + ".sk_buff" + std::to_string(i)));
    }
}

const LineField&
Udp6UnconnectedSocketPath::GetClone() const
{
    return m_clone;
}

uint32_t
Udp6UnconnectedSocketPath::GetNBuffers() const
{
    return static_cast<uint32_t>(m_buffers.size());
}

void
Udp6UnconnectedSocketPath::RecordEnter(KernelPath& path) const
{
    path.SetMode(CpuMode::USER);
    path.Work("send_omni", 200 * m_scale, "the program's loop, the C library's wrapper");
    path.SetMode(CpuMode::SYSTEM);
    path.Work("entry_SYSCALL_64", 145 * m_scale, "entry and exit: 58 ns on an E5520");
    path.Work("SYSC_sendto", 130 * m_scale, "copies the address");
    path.Work("sockfd_lookup_light", 30 * m_scale, "one thread a process: no atomic");
    path.Work("sock_sendmsg", 50 * m_scale);
    path.Work("inet_sendmsg", 30 * m_scale);
    path.Work("udpv6_sendmsg", 170 * m_scale);
    path.Work("ip6_sk_dst_lookup_flow", 50 * m_scale, "not connected: nothing is cached");
    path.Work("ip6_dst_lookup_tail", 80 * m_scale);
}

void
Udp6UnconnectedSocketPath::RecordBuild(KernelPath& path, uint32_t buffer) const
{
    path.Work("xfrm_lookup_route", 60 * m_scale, "no policies: reads only");
    path.Work("ip6_make_skb", 60 * m_scale);
    path.Work("ip6_setup_cork", 60 * m_scale);
    path.Rmw(m_clone, "ip6_setup_cork", "the cork's reference");
    path.Work("__ip6_append_data", 130 * m_scale);
    path.Work("sock_alloc_send_pskb", 90 * m_scale);
    path.Work("__alloc_skb", 130 * m_scale);
    path.Work("kmem_cache_alloc_node", 110 * m_scale, "two objects of the CPU's own slabs");
    path.Write(m_buffers.at(buffer), "__alloc_skb", "clears what was freed last");
    path.Work("refcount_add_not_zero", 14 * m_scale);
    path.Operate(m_wmemAlloc,
                 ReferenceCount::GET,
                 "refcount_add_not_zero",
                 "skb_set_owner_w; the stores before it drain first");
    path.Copy("copy_user_generic_string", m_payload, "the user's data");
    path.Work("ip_generic_getfrag", 50 * m_scale);
    path.Work("__ip6_make_skb", 125 * m_scale, "IPv6 header, per-CPU counters");
    path.Rmw(m_clone, "__ip6_make_skb", "dst_clone");
    path.Work("dst_release", 12 * m_scale);
    path.Rmw(m_clone, "dst_release", "the cork's reference");
    path.Work("udp_v6_send_skb", 110 * m_scale, "header; the device checksums");
    path.Work("ip6_send_skb", 30 * m_scale);
    path.Work("ip6_local_out", 50 * m_scale);
    path.Work("nf_hook_slow", 50 * m_scale);
    path.Work("ip6t_do_table", 125 * m_scale, "per-CPU counters");
    path.Work("ip6_output", 50 * m_scale);
    path.Work("ip6_finish_output", 40 * m_scale);
    path.Work("ip6_finish_output2", 110 * m_scale, "neighbour under RCU, header from its cache");
}

void
Udp6UnconnectedSocketPath::RecordLeave(KernelPath& path) const
{
    path.Work("udpv6_sendmsg", 30 * m_scale, "per-CPU counter");
    path.Work("dst_release", 12 * m_scale);
    path.Rmw(m_clone, "dst_release", "end of sendmsg");
}

void
Udp6UnconnectedSocketPath::RecordFree(KernelPath& path, uint32_t buffer) const
{
    path.Read(m_buffers.at(buffer), "napi_consume_skb");
    path.Work("napi_consume_skb", 60 * m_scale);
    path.Work("sock_wfree", 30 * m_scale);
    path.Work("refcount_sub_and_test", 14 * m_scale);
    path.Operate(m_wmemAlloc, ReferenceCount::PUT, "refcount_sub_and_test", "all but one byte");
    path.Work("sock_wfree", 40 * m_scale, "sk_write_space");
    path.Work("refcount_sub_and_test", 14 * m_scale);
    path.Operate(m_wmemAlloc, ReferenceCount::PUT, "refcount_sub_and_test", "the last byte");
    path.Work("skb_release_data", 60 * m_scale);
    path.Work("kmem_cache_free", 110 * m_scale, "two objects");
    path.Write(m_buffers.at(buffer), "kmem_cache_free", "the list of free objects");
}

} // namespace linuxhost
} // namespace ns3
