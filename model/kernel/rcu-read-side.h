/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RCU_READ_SIDE_H
#define RCU_READ_SIDE_H

#include "kernel-primitive.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The read side of RCU: nothing shared is touched. Without kernel preemption it compiles to
 * nothing; with it, a counter of the task goes up and down.
 */
class RcuReadSide : public KernelPrimitive
{
  public:
    /// Operations.
    enum Operation : uint32_t
    {
        READ_LOCK,
        READ_UNLOCK
    };

    /**
     * @param name what it protects
     * @param preemptible whether the kernel is built with preemption
     */
    RcuReadSide(const std::string& name, bool preemptible);

    std::string GetOperationName(uint32_t operation) const override;

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    bool m_preemptible;                  //!< whether the kernel is preemptible
    std::vector<Ptr<CacheLine>> m_local; //!< by CPU: the task's nesting counter
};

} // namespace linuxhost
} // namespace ns3

#endif /* RCU_READ_SIDE_H */
