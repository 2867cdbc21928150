/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOCK_SCALING_H
#define LOCK_SCALING_H

#include "patch-scenario.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Locks, reference counts and read sides under contention: CPUs that do nothing but take and give
 * back one thing, with work inside and outside.
 *
 * For a spin lock it is the experiment of Boyd-Wickizer et al., "Non-scalable locks are dangerous"
 * (OLS 2012): a serial section inside the lock, and so much work outside that the section is a
 * given fraction of the whole; the speed-up is over one CPU that runs it without any cost of the
 * lock.
 */
class LockScaling : public PatchScenario
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    LockScaling();
    ~LockScaling() override;

    std::string GetName() const override;
    std::string GetVariant() const override;
    Ptr<KernelPath> GetPath() override;

    /**
     * Set the attributes Warmup and Batch to what the case at hand takes. Call it after the machine
     * and the other attributes are set.
     *
     * A collapse of a spin lock has to be met by chance: it is given a million rounds, or 3 s, to
     * come.
     */
    void SetDurations();

    /// @returns what can be measured: `lock`, `atomic`, `rwlock`, `refcount`, `rcu`, ...
    static std::vector<std::string> GetPrimitives();

  protected:
    void Build(Ptr<CpuEngine> engine) override;
    void Complete(ScenarioResult& result) override;

  private:
    /**
     * @returns the path of every CPU: they share the lines in it
     */
    Ptr<KernelPath> MakePath() const;

    std::string m_primitive; //!< what is measured
    std::string m_lock;      //!< kind of spin lock
    std::string m_refcount;  //!< kind of reference count
    std::string m_rwlock;    //!< kind of reader-writer lock
    uint32_t m_cpus;         //!< number of CPUs
    double m_serialCycles;   //!< serial section, cycles
    double m_serialFraction; //!< share of the serial section in the whole
};

} // namespace linuxhost
} // namespace ns3

#endif /* LOCK_SCALING_H */
