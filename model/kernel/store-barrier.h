/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STORE_BARRIER_H
#define STORE_BARRIER_H

#include "kernel-primitive.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A full barrier, or a locked operation on a line of the CPU's own: the CPU waits until its stores
 * have drained.
 *
 * CpuEngine folds what nobody else sees into work; this is for the places where stores to lines of
 * others may still be on their way.
 *
 * A locked operation on a line of others waits as well until all buffered writes have drained
 * (Intel's manual, volume 3, 8.2.5), before it asks for its line: the two waits add up. DRAIN,
 * before it, is the first of them.
 */
class StoreBarrier : public KernelPrimitive
{
  public:
    /// Operations.
    enum Operation : uint32_t
    {
        BARRIER, //!< a locked operation on a line of the CPU's own
        DRAIN    //!< the wait at the start of a locked operation on a line of others
    };

    /// @param line a line that is stored to before it
    explicit StoreBarrier(Ptr<CacheLine> line);

    std::string GetKind() const override;
    std::string GetOperationName(uint32_t operation) const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    Ptr<CacheLine> m_line; //!< the line
};

} // namespace linuxhost
} // namespace ns3

#endif /* STORE_BARRIER_H */
