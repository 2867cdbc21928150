/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "saddr-xmit-path.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

// Instruction counts are of the fast path of Linux 4.14, x86-64, without debugging options: counted
// in the source, one function at a time, good to about a fifth.
const double SELECT = 60;       // ipv6_dev_get_saddr: the destination's type, the outgoing device
const double NEXT_NETDEV = 8;   // its loop over the devices
const double L3_MASTER = 14;    // l3mdev_master_ifindex_rcu
const double WALK = 24;         // __ipv6_dev_get_saddr: entry, exit, an empty list
const double CANDIDATE = 36;    // flags, __ipv6_addr_type, the score's slot
const double RULE = 6;          // the loop over the rules
const double EVALUATION = 16;   // ipv6_get_saddr_eval: call, switch, the rule
const double LABEL_LOOKUP = 24; // ipv6_addr_label, but for the walk
const double LABEL_PROBE = 9;   // __ip6addrlbl_match
const double READ_LOCK = 12;   // _raw_read_lock_bh but for the atomic: call, local_bh_disable, test
const double READ_UNLOCK = 10; // _raw_read_unlock_bh but for the atomic: two calls
const double BH_ENABLE = 20;   // __local_bh_enable_ip: softirqs pending? rescheduling due?
const double REFCOUNT = 14;    // refcount_t out of line: call, overflow checks

const char* const WALKER = "__ipv6_dev_get_saddr";

/**
 * @param host a host
 * @param rule a rule
 * @returns whether the host's kernel was built with it
 */
bool
IsBuilt(const SaddrHost& host, SaddrRule rule)
{
    return (rule != SaddrRule::HOME || host.kernelHasMobileIpv6) &&
           (rule != SaddrRule::NOT_OPTIMISTIC || host.kernelHasOptimisticDad);
}

} // namespace

SaddrXmitPath::SaddrXmitPath(const SaddrHost& host, const std::string& lockKind, bool rcu)
    : m_host(host),
      m_rcu(rcu)
{
    for (const auto& interface : m_host.interfaces)
    {
        std::string name = "inet6_dev(" + interface.name + ").lock";
        m_locks[&interface] = KernelLock::Make(lockKind, name, Create<CacheLine>(name));
        for (const auto& address : interface.addresses)
        {
            name = "inet6_ifaddr(" + address.address.ToText() + ")";
            Ptr<CacheLine> line = Create<CacheLine>(name);
            m_ifas[&address] = {LineField(line, "addr"),
                                LineField(line, "flags"),
                                Create<ReferenceCount>("cmpxchg", name + ".refcnt", line)};
        }
    }
}

const SaddrHost&
SaddrXmitPath::GetHost() const
{
    return m_host;
}

std::vector<const SaddrInterface*>
SaddrXmitPath::GetVisited(const SaddrQuery& query, const SaddrChoice& choice) const
{
    const SaddrInterface* outgoing = nullptr;
    for (const auto& interface : m_host.interfaces)
    {
        outgoing = query.oif != 0 && interface.ifindex == query.oif ? &interface : outgoing;
    }
    std::vector<const SaddrInterface*> visited;
    if (choice.restriction != SaddrRestriction::NONE && outgoing)
    {
        visited.push_back(outgoing);
    }
    const uint32_t domain =
        choice.restriction == SaddrRestriction::L3_DOMAIN ? outgoing->l3Master : 0;
    for (const auto& interface : m_host.interfaces)
    {
        if (domain != 0 && interface.ifindex == domain)
        {
            visited.push_back(&interface);
        }
    }
    for (const auto& interface : m_host.interfaces)
    {
        if (interface.l3Master == domain)
        {
            visited.push_back(&interface);
        }
    }
    // In a VRF the walk ends early when the first two have an address.
    visited.resize(choice.counts.interfaces);
    return visited;
}

void
SaddrXmitPath::RecordLabel(KernelPath& path,
                           const Ipv6Bits& address,
                           Ipv6AddressType::Kind kind,
                           uint32_t ifindex,
                           const Ifa* ifa) const
{
    path.Work("ipv6_addr_label", LABEL_LOOKUP);
    uint32_t probes = 0;
    m_host.labels.Lookup(address, kind, ifindex, &probes);
    if (!ifa)
    {
        path.Work("__ip6addrlbl_match", probes * LABEL_PROBE, "of the destination");
        return;
    }
    for (uint32_t i = 0; i < probes; ++i)
    {
        path.Read(ifa->addr, "__ip6addrlbl_match");
        path.Work("__ip6addrlbl_match", LABEL_PROBE);
    }
}

void
SaddrXmitPath::RecordEvaluation(KernelPath& path, Score& score, SaddrRule rule) const
{
    static const char* const EVALUATE = "ipv6_get_saddr_eval";
    path.Work(EVALUATE, EVALUATION, ToString(rule));
    if (static_cast<int>(rule) <= score.known)
    {
        return;
    }
    score.known = static_cast<int>(rule);
    if (!score.address)
    {
        return;
    }
    const Ifa& ifa = m_ifas.at(score.address);
    switch (rule)
    {
    case SaddrRule::LOCAL:
    case SaddrRule::ORCHID:
    case SaddrRule::PREFIX:
        path.Read(ifa.addr, EVALUATE);
        break;
    case SaddrRule::PREFERRED:
    case SaddrRule::HOME:
    case SaddrRule::PRIVACY:
    case SaddrRule::NOT_OPTIMISTIC:
        path.Read(ifa.flags, EVALUATE);
        break;
    case SaddrRule::LABEL:
        RecordLabel(path,
                    score.address->address,
                    score.address->type.kind,
                    score.interface->ifindex,
                    &ifa);
        break;
    default:
        // INIT and SCOPE look at the score alone, OIF at the device.
        break;
    }
}

void
SaddrXmitPath::RecordCandidate(KernelPath& path, const SaddrVerdict& verdict, Score& best) const
{
    const Ifa& ifa = m_ifas.at(verdict.candidate);
    path.Read(ifa.flags, WALKER, verdict.candidate->address.ToText());
    path.Work(WALKER, CANDIDATE);
    if (verdict.outcome == SaddrVerdict::TENTATIVE || verdict.outcome == SaddrVerdict::NO_SOURCE)
    {
        return;
    }
    Score candidate{verdict.interface, verdict.candidate, -1};
    const int last =
        verdict.outcome == SaddrVerdict::TIED ? SADDR_RULES - 1 : static_cast<int>(verdict.rule);
    for (int i = 0; i <= last; ++i)
    {
        const auto rule = static_cast<SaddrRule>(i);
        if (IsBuilt(m_host, rule))
        {
            path.Work(WALKER, RULE);
            RecordEvaluation(path, best, rule);
            RecordEvaluation(path, candidate, rule);
        }
    }
    if (verdict.outcome != SaddrVerdict::IMPROVED)
    {
        return;
    }
    if (!m_rcu)
    {
        if (best.address)
        {
            path.Work("refcount_sub_and_test", REFCOUNT);
            path.Operate(m_ifas.at(best.address).refcnt,
                         ReferenceCount::PUT,
                         "refcount_sub_and_test",
                         "in6_ifa_put of the old best");
        }
        path.Work("refcount_inc_not_zero", REFCOUNT);
        path.Operate(ifa.refcnt,
                     ReferenceCount::GET,
                     "refcount_inc_not_zero",
                     "in6_ifa_hold of the new best");
    }
    best = candidate;
}

SaddrChoice
SaddrXmitPath::Record(KernelPath& path, const SaddrQuery& query) const
{
    std::vector<SaddrVerdict> verdicts;
    SaddrChoice choice = SelectSourceAddress(m_host, query, &verdicts);
    path.Work("ipv6_dev_get_saddr", SELECT);
    RecordLabel(path,
                query.destination,
                Ipv6AddressType::Of(query.destination).kind,
                query.oif,
                nullptr);
    const bool all = choice.restriction == SaddrRestriction::NONE;
    Score best{nullptr, nullptr, -1};
    auto verdict = verdicts.begin();
    for (const auto* interface : GetVisited(query, choice))
    {
        if (all)
        {
            path.Work("ipv6_dev_get_saddr", NEXT_NETDEV, interface->name);
            path.Work("l3mdev_master_ifindex_rcu", L3_MASTER);
        }
        path.Work(WALKER, WALK / 2);
        if (!m_rcu)
        {
            path.Work("_raw_read_lock_bh", READ_LOCK);
            path.Operate(m_locks.at(interface), KernelLock::READ_LOCK, "_raw_read_lock_bh");
        }
        for (std::size_t i = 0; i < interface->addresses.size(); ++i)
        {
            RecordCandidate(path, *verdict++, best);
        }
        path.Work(WALKER, WALK / 2);
        if (!m_rcu)
        {
            path.Operate(m_locks.at(interface), KernelLock::READ_UNLOCK, "_raw_read_unlock_bh");
            path.Work("_raw_read_unlock_bh", READ_UNLOCK);
            path.Work("__local_bh_enable_ip", BH_ENABLE);
        }
    }
    if (choice.source)
    {
        path.Read(m_ifas.at(choice.source).addr, "ipv6_dev_get_saddr", "copies the address");
        if (!m_rcu)
        {
            path.Work("refcount_sub_and_test", REFCOUNT);
            path.Operate(m_ifas.at(choice.source).refcnt,
                         ReferenceCount::PUT,
                         "refcount_sub_and_test",
                         "in6_ifa_put of the best");
        }
    }
    return choice;
}

} // namespace linuxhost
} // namespace ns3
