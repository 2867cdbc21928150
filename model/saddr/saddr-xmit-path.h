/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SADDR_XMIT_PATH_H
#define SADDR_XMIT_PATH_H

#include "source-address-selection.h"

#include "ns3/kernel-lock.h"
#include "ns3/kernel-path.h"
#include "ns3/reference-count.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What a source address selection of Linux 4.14 (`ipv6_dev_get_saddr`) costs: the steps follow from
 * what the selection itself says it did.
 *
 * Of an address (struct inet6_ifaddr), the address, its flags and the reference count are on one
 * line; of an interface's IPv6 state (struct inet6_dev), the list's lock is on a line of its own.
 */
class SaddrXmitPath : public SimpleRefCount<SaddrXmitPath>
{
  public:
    /**
     * @param host the host, copied
     * @param lockKind kind of reader-writer lock of the address lists (KernelLock::GetRwLockKinds)
     * @param rcu whether the lists are walked under RCU: the patch. Neither is a list locked then,
     *        nor a reference taken.
     */
    SaddrXmitPath(const SaddrHost& host, const std::string& lockKind, bool rcu);
    SaddrXmitPath(const SaddrXmitPath&) = delete;
    SaddrXmitPath& operator=(const SaddrXmitPath&) = delete;

    /**
     * A selection.
     * @param path the path
     * @param query the question
     * @returns the answer, with its counts; it points into this object
     */
    SaddrChoice Record(KernelPath& path, const SaddrQuery& query) const;

    /// @returns the host
    const SaddrHost& GetHost() const;

  private:
    /// The lines of an address.
    struct Ifa
    {
        LineField addr;             //!< addr
        LineField flags;            //!< flags
        Ptr<ReferenceCount> refcnt; //!< refcnt
    };

    /// A candidate's values that are known already (struct ipv6_saddr_score).
    struct Score
    {
        const SaddrInterface* interface; //!< its interface
        const SaddrAddress* address;     //!< the address, or null
        int known;                       //!< highest rule already computed
    };

    /**
     * @param query the question
     * @param choice the answer
     * @returns the interfaces that were visited, in order
     */
    std::vector<const SaddrInterface*> GetVisited(const SaddrQuery& query,
                                                  const SaddrChoice& choice) const;
    /**
     * One candidate against the best so far.
     * @param path the path
     * @param verdict how it fared
     * @param best the best so far; changed when the candidate is better
     */
    void RecordCandidate(KernelPath& path, const SaddrVerdict& verdict, Score& best) const;
    /**
     * A rule's value is asked for.
     * @param path the path
     * @param score whose
     * @param rule the rule
     */
    void RecordEvaluation(KernelPath& path, Score& score, SaddrRule rule) const;
    /**
     * A walk of the label table.
     * @param path the path
     * @param address whose label
     * @param kind its kind
     * @param ifindex its interface
     * @param ifa the lines of the address; null: it is on the caller's stack
     */
    void RecordLabel(KernelPath& path,
                     const Ipv6Bits& address,
                     Ipv6AddressType::Kind kind,
                     uint32_t ifindex,
                     const Ifa* ifa) const;

    SaddrHost m_host;                                         //!< the host
    bool m_rcu;                                               //!< the patch
    std::map<const SaddrInterface*, Ptr<KernelLock>> m_locks; //!< idev->lock
    std::map<const SaddrAddress*, Ifa> m_ifas;                //!< addresses
};

} // namespace linuxhost
} // namespace ns3

#endif /* SADDR_XMIT_PATH_H */
