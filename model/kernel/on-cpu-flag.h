/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ON_CPU_FLAG_H
#define ON_CPU_FLAG_H

#include "kernel-primitive.h"

#include <functional>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A task's on_cpu flag: set while a CPU has the task's registers. Who wakes a task that is still
 * on its way out spins until the flag is clear.
 */
class OnCpuFlag : public KernelPrimitive
{
  public:
    /// Operations.
    enum Operation : uint32_t
    {
        SET,
        CLEAR,
        WAIT
    };

    /**
     * @param name the flag's name
     * @param line the line it is on
     */
    OnCpuFlag(const std::string& name, Ptr<CacheLine> line);

    std::string GetKind() const override;
    std::string GetOperationName(uint32_t operation) const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

    /// @param listener is told of each moment at which a CPU sets it: the task's first step there
    void SetListener(std::function<void(Ticks)> listener);

  private:
    Ptr<CacheLine> m_line;                 //!< the line
    bool m_set;                            //!< the flag
    std::vector<CpuId> m_waiters;          //!< CPUs that spin
    std::function<void(Ticks)> m_listener; //!< told of each set
};

} // namespace linuxhost
} // namespace ns3

#endif /* ON_CPU_FLAG_H */
