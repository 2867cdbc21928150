/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "store-barrier.h"

namespace ns3
{
namespace linuxhost
{

StoreBarrier::StoreBarrier(Ptr<CacheLine> line)
    : KernelPrimitive(line->GetName()),
      m_line(line)
{
}

std::string
StoreBarrier::GetKind() const
{
    return "barrier";
}

std::string
StoreBarrier::GetOperationName(uint32_t operation) const
{
    return operation == DRAIN ? "drain stores before" : "wait for stores to";
}

std::vector<Ptr<CacheLine>>
StoreBarrier::GetLines() const
{
    return {m_line};
}

void
StoreBarrier::Reset(uint32_t)
{
}

StepOutcome
StoreBarrier::Step(uint32_t operation, StepMoment& moment)
{
    Ticks drained = std::max(moment.now, moment.storesDone);
    return StepOutcome::Done(operation == DRAIN ? drained : drained + moment.l1Rmw);
}

} // namespace linuxhost
} // namespace ns3
