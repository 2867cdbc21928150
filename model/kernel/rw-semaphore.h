/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RW_SEMAPHORE_H
#define RW_SEMAPHORE_H

#include "kernel-primitive.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The read side of a reader-writer semaphore (5.x), with no writer about: `down_read` adds to the
 * count and stores who has it, `up_read` subtracts; count and owner are on one line.
 */
class RwSemaphore : public KernelPrimitive
{
  public:
    /// Operations.
    enum Operation : uint32_t
    {
        DOWN_READ,
        UP_READ
    };

    /**
     * @param name the semaphore's name
     * @param word the line that holds count and owner
     */
    RwSemaphore(const std::string& name, Ptr<CacheLine> word);

    std::string GetKind() const override;
    std::string GetOperationName(uint32_t operation) const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    /// Stages of down_read.
    enum Stage : uint32_t
    {
        COUNT, //!< add to the count
        OWNER  //!< read and store the owner
    };

    Ptr<CacheLine> m_word; //!< count and owner
};

} // namespace linuxhost
} // namespace ns3

#endif /* RW_SEMAPHORE_H */
