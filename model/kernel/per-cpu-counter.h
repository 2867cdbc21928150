/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PER_CPU_COUNTER_H
#define PER_CPU_COUNTER_H

#include "kernel-primitive.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A per-CPU counter (percpu_counter): each CPU adds to its own part, and moves it to the shared
 * sum, under a lock, once it has grown to the batch size. With an infinite batch it is a plain
 * per-CPU statistic that is summed up only when somebody reads it.
 */
class PerCpuCounter : public KernelPrimitive
{
  public:
    /// Operations.
    enum Operation : uint32_t
    {
        ADD
    };

    /**
     * @param name the counter's name
     * @param sum the line that holds the shared sum
     * @param batch additions a batch (Linux: 32 at least); 0: never to the shared sum
     */
    PerCpuCounter(const std::string& name, Ptr<CacheLine> sum, uint32_t batch);

    std::string GetOperationName(uint32_t operation) const override;

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    uint32_t m_batch;                    //!< additions a batch; 0: never to the shared sum
    Ptr<CacheLine> m_sum;                //!< the shared sum and its lock
    std::vector<Ptr<CacheLine>> m_local; //!< by CPU: its own part
    std::vector<uint32_t> m_pending;     //!< by CPU: additions since the last batch
};

} // namespace linuxhost
} // namespace ns3

#endif /* PER_CPU_COUNTER_H */
