/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "source-address-selection.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// A candidate's values in the rules, computed when first asked for.
struct Score
{
    const SaddrInterface* interface{nullptr}; //!< its interface
    const SaddrAddress* address{nullptr};     //!< the address, or null
    int known{-1};                            //!< highest rule already computed
    int32_t values[SADDR_RULES];              //!< values up to that one
};

/// One choice in the making.
class Selection
{
  public:
    /**
     * @param host the host
     * @param query the question
     * @param verdicts where verdicts go, or null
     */
    Selection(const SaddrHost& host, const SaddrQuery& query, std::vector<SaddrVerdict>* verdicts)
        : m_host(host),
          m_query(query),
          m_type(Ipv6AddressType::Of(query.destination)),
          m_verdicts(verdicts)
    {
        m_skipped =
            (host.kernelHasMobileIpv6 ? 0 : 1U << static_cast<int>(SaddrRule::HOME)) |
            (host.kernelHasOptimisticDad ? 0 : 1U << static_cast<int>(SaddrRule::NOT_OPTIMISTIC));
        m_label = Label(query.destination, m_type.kind, query.oif);
    }

    /// @returns the answer
    SaddrChoice Run();

  private:
    /**
     * Look up a label.
     * @param address an address
     * @param kind its kind
     * @param ifindex its interface
     * @returns the label
     */
    uint32_t Label(const Ipv6Bits& address, Ipv6AddressType::Kind kind, uint32_t ifindex)
    {
        ++m_choice.counts.labelLookups;
        return m_host.labels.Lookup(address, kind, ifindex, &m_choice.counts.labelProbes);
    }

    /// @param interface the interface whose addresses are compared
    void Visit(const SaddrInterface& interface)
    {
        if (m_verdicts)
        {
            Compare<true>(interface);
        }
        else
        {
            Compare<false>(interface);
        }
    }

    /**
     * Compare an interface's addresses with the best so far.
     * @tparam EXPLAIN whether verdicts are wanted
     * @param interface the interface
     */
    template <bool EXPLAIN>
    void Compare(const SaddrInterface& interface);
    /**
     * @param score a candidate
     * @param rule a rule
     * @returns the candidate's value in it: larger is better
     */
    int32_t Evaluate(Score& score, int rule);
    /**
     * @param score a candidate
     * @param rule a rule
     * @returns the candidate's value in it
     */
    int32_t Compute(const Score& score, SaddrRule rule);

    const SaddrHost& m_host;               //!< the host
    const SaddrQuery& m_query;             //!< the question
    Ipv6AddressType m_type;                //!< the destination's type
    uint32_t m_skipped{0};                 //!< rules that the kernel was not built with, a bit each
    uint32_t m_label{0};                   //!< the destination's label
    Score m_scores[2];                     //!< the best so far, and the candidate
    int m_best{0};                         //!< which of the two is the best
    SaddrChoice m_choice;                  //!< the answer
    std::vector<SaddrVerdict>* m_verdicts; //!< where verdicts go, or null
};

int32_t
Selection::Compute(const Score& score, SaddrRule rule)
{
    if (rule == SaddrRule::INIT)
    {
        return score.address != nullptr;
    }
    const SaddrAddress& candidate = *score.address;
    const SaddrInterface& interface = *score.interface;
    switch (rule)
    {
    case SaddrRule::LOCAL:
        return candidate.address == m_query.destination;
    case SaddrRule::SCOPE:
        // Too small a scope is worse than any that suffices; of those, the larger is better.
        return candidate.type.scope >= m_type.scope ? -candidate.type.scope
                                                    : candidate.type.scope - 128;
    case SaddrRule::PREFERRED: {
        if (candidate.type.kind != Ipv6AddressType::ORDINARY)
        {
            return 1;
        }
        const bool useOptimistic = m_host.kernelHasOptimisticDad &&
                                   (m_host.allOptimisticDad || interface.optimisticDad) &&
                                   (m_host.allUseOptimistic || interface.useOptimistic);
        const uint16_t avoided = SADDR_DEPRECATED | (useOptimistic ? 0 : SADDR_OPTIMISTIC);
        return (candidate.flags & avoided) == 0;
    }
    case SaddrRule::HOME:
        return ((candidate.flags & SADDR_HOME) != 0) !=
               ((m_query.preferences & SADDR_PREFER_COA) != 0);
    case SaddrRule::OIF:
        return m_query.oif == 0 || m_query.oif == interface.ifindex;
    case SaddrRule::LABEL:
        return Label(candidate.address, candidate.type.kind, interface.ifindex) == m_label;
    case SaddrRule::PRIVACY: {
        const bool asked = m_query.preferences & (SADDR_PREFER_TMP | SADDR_PREFER_PUBLIC);
        const bool wantTemporary =
            asked ? (m_query.preferences & SADDR_PREFER_TMP) != 0 : interface.useTempaddr >= 2;
        return ((candidate.flags & SADDR_TEMPORARY) != 0) == wantTemporary;
    }
    case SaddrRule::ORCHID:
        return IsOrchid(candidate.address) == IsOrchid(m_query.destination);
    case SaddrRule::PREFIX:
        return std::min(CommonPrefixLength(candidate.address, m_query.destination),
                        candidate.prefixLength);
    case SaddrRule::NOT_OPTIMISTIC:
        return (candidate.flags & SADDR_OPTIMISTIC) == 0;
    default:
        return 0;
    }
}

inline int32_t
Selection::Evaluate(Score& score, int rule)
{
    ++m_choice.counts.evaluations;
    if (rule > score.known)
    {
        score.values[rule] = Compute(score, static_cast<SaddrRule>(rule));
        score.known = rule;
    }
    return score.values[rule];
}

template <bool EXPLAIN>
void
Selection::Compare(const SaddrInterface& interface)
{
    ++m_choice.counts.interfaces;
    m_choice.counts.addresses += static_cast<uint32_t>(interface.addresses.size());
    for (const auto& address : interface.addresses)
    {
        Score& best = m_scores[m_best];
        Score& candidate = m_scores[1 - m_best];
        SaddrVerdict verdict;
        if (EXPLAIN)
        {
            verdict.interface = &interface;
            verdict.candidate = &address;
            verdict.rival = best.address;
        }
        if ((address.flags & (SADDR_TENTATIVE | SADDR_OPTIMISTIC)) == SADDR_TENTATIVE)
        {
            verdict.outcome = SaddrVerdict::TENTATIVE;
        }
        else if (address.type.unspecified || address.type.multicast)
        {
            verdict.outcome = SaddrVerdict::NO_SOURCE;
        }
        else
        {
            candidate.interface = &interface;
            candidate.address = &address;
            candidate.known = -1;
            verdict.outcome = SaddrVerdict::TIED;
            for (int rule = 0; rule < SADDR_RULES; ++rule)
            {
                if (m_skipped >> rule & 1)
                {
                    continue;
                }
                const int32_t bestValue = Evaluate(best, rule);
                const int32_t candidateValue = Evaluate(candidate, rule);
                if (bestValue == candidateValue)
                {
                    continue;
                }
                verdict.outcome = SaddrVerdict::LOST;
                if (bestValue < candidateValue)
                {
                    verdict.outcome = SaddrVerdict::IMPROVED;
                    ++m_choice.counts.improvements;
                    m_best = 1 - m_best;
                }
                if (EXPLAIN)
                {
                    verdict.rule = static_cast<SaddrRule>(rule);
                    verdict.rivalValue = bestValue;
                    verdict.candidateValue = candidateValue;
                }
                break;
            }
        }
        if (EXPLAIN)
        {
            m_verdicts->push_back(verdict);
        }
    }
}

SaddrChoice
Selection::Run()
{
    const SaddrInterface* outgoing = nullptr;
    const SaddrInterface* master = nullptr;
    for (const auto& interface : m_host.interfaces)
    {
        if (m_query.oif != 0 && interface.ifindex == m_query.oif)
        {
            outgoing = &interface;
        }
    }

    if (m_query.oif != 0 && m_type.multicast)
    {
        m_choice.restriction = SaddrRestriction::MULTICAST;
    }
    else if (m_query.oif != 0 && m_type.scope <= Ipv6AddressType::LINK_LOCAL)
    {
        m_choice.restriction = SaddrRestriction::SCOPE;
    }
    else if (outgoing && outgoing->useOifAddrsOnly)
    {
        m_choice.restriction = SaddrRestriction::SYSCTL;
    }
    else if (outgoing && outgoing->l3Master != 0)
    {
        m_choice.restriction = SaddrRestriction::L3_DOMAIN;
        for (const auto& interface : m_host.interfaces)
        {
            if (interface.ifindex == outgoing->l3Master)
            {
                master = &interface;
            }
        }
    }

    if (m_choice.restriction == SaddrRestriction::NONE ||
        m_choice.restriction == SaddrRestriction::L3_DOMAIN)
    {
        const uint32_t domain = outgoing ? outgoing->l3Master : 0;
        if (domain != 0)
        {
            // In a VRF, the outgoing interface and the VRF's own addresses come before the others.
            Visit(*outgoing);
            if (master)
            {
                Visit(*master);
            }
        }
        if (m_scores[m_best].address == nullptr)
        {
            for (const auto& interface : m_host.interfaces)
            {
                if (interface.l3Master == domain)
                {
                    Visit(interface);
                }
            }
        }
    }
    else if (outgoing)
    {
        Visit(*outgoing);
    }
    m_choice.source = m_scores[m_best].address;
    m_choice.interface = m_choice.source ? m_scores[m_best].interface : nullptr;
    return m_choice;
}

/**
 * @param scope a scope
 * @returns its name, or its number
 */
std::string
ScopeName(int8_t scope)
{
    switch (scope)
    {
    case Ipv6AddressType::NODE_LOCAL:
        return "node-local";
    case Ipv6AddressType::LINK_LOCAL:
        return "link-local";
    case Ipv6AddressType::SITE_LOCAL:
        return "site-local";
    case Ipv6AddressType::GLOBAL:
        return "global";
    default:
        return "scope " + std::to_string(scope);
    }
}

/**
 * @param rule a rule
 * @param address an address
 * @param value its value in the rule
 * @returns what the value says of the address
 */
std::string
Describe(SaddrRule rule, const SaddrAddress& address, int32_t value)
{
    const bool yes = value != 0;
    switch (rule)
    {
    case SaddrRule::LOCAL:
        return yes ? "the destination itself" : "not the destination";
    case SaddrRule::SCOPE:
        return ScopeName(address.type.scope) + (value < -64 ? ", too small" : "");
    case SaddrRule::PREFERRED:
        return yes ? "preferred" : (address.flags & SADDR_DEPRECATED) ? "deprecated" : "optimistic";
    case SaddrRule::HOME:
        return (address.flags & SADDR_HOME) ? "home address" : "no home address";
    case SaddrRule::OIF:
        return yes ? "on the outgoing interface" : "on another interface";
    case SaddrRule::LABEL:
        return yes ? "the destination's label" : "another label";
    case SaddrRule::PRIVACY:
        return std::string((address.flags & SADDR_TEMPORARY) ? "temporary" : "public") +
               (yes ? ", as wished" : ", not as wished");
    case SaddrRule::ORCHID:
        return yes ? "as the destination" : "unlike the destination";
    case SaddrRule::PREFIX:
        return std::to_string(value) + " common bits";
    case SaddrRule::NOT_OPTIMISTIC:
        return yes ? "not optimistic" : "optimistic";
    default:
        return "";
    }
}

} // namespace

SaddrAddress::SaddrAddress(const Ipv6Bits& bits, uint8_t length, uint16_t flagBits)
    : address(bits),
      type(Ipv6AddressType::Of(bits)),
      flags(flagBits),
      prefixLength(length)
{
}

void
SaddrInterface::AddAddress(const SaddrAddress& address)
{
    auto place = std::find_if(addresses.begin(), addresses.end(), [&](const SaddrAddress& other) {
        return address.type.scope >= other.type.scope;
    });
    addresses.insert(place, address);
}

const SaddrInterface*
SaddrHost::FindInterface(const std::string& name) const
{
    for (const auto& interface : interfaces)
    {
        if (interface.name == name)
        {
            return &interface;
        }
    }
    return nullptr;
}

SaddrChoice
SelectSourceAddress(const SaddrHost& host,
                    const SaddrQuery& query,
                    std::vector<SaddrVerdict>* verdicts)
{
    return Selection(host, query, verdicts).Run();
}

const char*
ToString(SaddrRule rule)
{
    static const char* const NAMES[SADDR_RULES] = {"INIT",
                                                   "LOCAL",
                                                   "SCOPE",
                                                   "PREFERRED",
                                                   "HOME",
                                                   "OIF",
                                                   "LABEL",
                                                   "PRIVACY",
                                                   "ORCHID",
                                                   "PREFIX",
                                                   "NOT_OPTIMISTIC"};
    return NAMES[static_cast<int>(rule)];
}

const char*
ToString(SaddrRestriction restriction)
{
    switch (restriction)
    {
    case SaddrRestriction::MULTICAST:
        return "only the outgoing interface: the destination is multicast";
    case SaddrRestriction::SCOPE:
        return "only the outgoing interface: the destination's scope is link-local or smaller";
    case SaddrRestriction::SYSCTL:
        return "only the outgoing interface: its use_oif_addrs_only is set";
    case SaddrRestriction::L3_DOMAIN:
        return "only the interfaces of the outgoing interface's VRF";
    default:
        return "all interfaces";
    }
}

std::string
ToString(const SaddrVerdict& verdict)
{
    switch (verdict.outcome)
    {
    case SaddrVerdict::TENTATIVE:
        return "skipped: tentative";
    case SaddrVerdict::NO_SOURCE:
        return "skipped: no unicast address";
    case SaddrVerdict::TIED:
        return "ties with " + verdict.rival->address.ToText() + ", which came first";
    default:
        break;
    }
    if (verdict.rule == SaddrRule::INIT)
    {
        return "first candidate";
    }
    return std::string(verdict.outcome == SaddrVerdict::IMPROVED ? "beats " : "loses to ") +
           verdict.rival->address.ToText() + " by rule " + ToString(verdict.rule) + ": " +
           Describe(verdict.rule, *verdict.candidate, verdict.candidateValue) + " against " +
           Describe(verdict.rule, *verdict.rival, verdict.rivalValue);
}

} // namespace linuxhost
} // namespace ns3
