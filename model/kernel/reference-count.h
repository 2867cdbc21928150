/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REFERENCE_COUNT_H
#define REFERENCE_COUNT_H

#include "kernel-primitive.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A reference count. What taking and dropping a reference costs depends on how it is kept:
 *
 * - `atomic`: one locked operation each (atomic_inc, atomic_dec_and_test);
 * - `cmpxchg`: a read and a compare-exchange that is tried again when another CPU came between
 *   (refcount_t);
 * - `inc_not_zero`: taken by a compare-exchange loop, dropped by one locked operation
 *   (atomic_inc_not_zero and atomic_dec_return: dst_hold and dst_release of 4.12 and later);
 * - `percpu`: each CPU counts for itself (percpu_ref, this_cpu_inc).
 */
class ReferenceCount : public KernelPrimitive
{
  public:
    /// Operations of a reference count.
    enum Operation : uint32_t
    {
        GET,
        PUT
    };

    /**
     * @param kind atomic, cmpxchg, inc_not_zero or percpu
     * @param name the count's name
     * @param word the line that holds it
     */
    ReferenceCount(const std::string& kind, const std::string& name, Ptr<CacheLine> word);

    /// @returns the kinds
    static std::vector<std::string> GetKinds();

    std::string GetOperationName(uint32_t operation) const override;

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    std::string m_kind;                  //!< kind
    Ptr<CacheLine> m_word;               //!< the count
    uint64_t m_changes;                  //!< how often it has changed
    std::vector<Ptr<CacheLine>> m_local; //!< by CPU: its own count
};

} // namespace linuxhost
} // namespace ns3

#endif /* REFERENCE_COUNT_H */
