/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QUEUED_RWLOCK_H
#define QUEUED_RWLOCK_H

#include "kernel-lock.h"

#include <deque>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The queued reader-writer lock (qrwlock) of 3.16 and later: readers add to a count, and who cannot
 * have it waits its turn in a queue, so that writers do not starve. A read side without writers is
 * two locked adds on one line.
 */
class QueuedRwlock : public KernelLock
{
  public:
    /**
     * @param name the lock's name
     * @param word the line that holds the lock's word
     */
    QueuedRwlock(const std::string& name, Ptr<CacheLine> word);

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    /// Stages of the two lock operations.
    enum Stage : uint32_t
    {
        TRY,    //!< take
        GRANTED //!< the head of the queue sees that it may
    };

    /// One that waits.
    struct Waiter
    {
        CpuId cpu;   //!< CPU
        bool reader; //!< whether it wants to read
    };

    /**
     * Let the head of the queue go on, when it may.
     * @param engine the engine
     */
    void Grant(CpuEngine& engine);

    Ptr<CacheLine> m_word;      //!< the count
    bool m_writer;              //!< whether a writer has it
    uint32_t m_readers;         //!< number of readers that have it
    std::deque<Waiter> m_queue; //!< waiters
};

} // namespace linuxhost
} // namespace ns3

#endif /* QUEUED_RWLOCK_H */
