/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COUNTER_RWLOCK_H
#define COUNTER_RWLOCK_H

#include "kernel-lock.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The x86 reader-writer lock up to 3.14: a counter that readers decrement and a writer takes whole.
 * Readers never wait for readers, but each pays two locked operations on the one line. Who does not
 * get it undoes its operation, polls, and tries again.
 */
class CounterRwlock : public KernelLock
{
  public:
    /**
     * @param name the lock's name
     * @param word the line that holds the lock's word
     */
    CounterRwlock(const std::string& name, Ptr<CacheLine> word);

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    /// Stages of the two lock operations.
    enum Stage : uint32_t
    {
        TRY, //!< take
        UNDO //!< give back what was taken in vain
    };

    Ptr<CacheLine> m_word;        //!< the counter
    bool m_writer;                //!< whether a writer has it
    uint32_t m_readers;           //!< number of readers that have it
    std::vector<CpuId> m_waiters; //!< polling CPUs
};

} // namespace linuxhost
} // namespace ns3

#endif /* COUNTER_RWLOCK_H */
