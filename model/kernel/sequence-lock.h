/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SEQUENCE_LOCK_H
#define SEQUENCE_LOCK_H

#include "kernel-primitive.h"

#include <deque>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A sequence lock: readers read the sequence before and after and start again when a writer came
 * between; writers, one at a time, write it twice.
 *
 * A read section is one operation, whose argument is the work inside it. The data read inside is on
 * the sequence's own line, or on lines that the path reads by itself.
 */
class SequenceLock : public KernelPrimitive
{
  public:
    /// Operations of a sequence lock.
    enum Operation : uint32_t
    {
        READ_SECTION,
        WRITE_LOCK,
        WRITE_UNLOCK
    };

    /**
     * @param name the lock's name
     * @param word the line that holds the sequence
     */
    SequenceLock(const std::string& name, Ptr<CacheLine> word);

    std::string GetOperationName(uint32_t operation) const override;

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    /// Stages of the read operation.
    enum Stage : uint32_t
    {
        BEGIN, //!< read the sequence, do the section's work
        RETRY  //!< read the sequence again
    };

    Ptr<CacheLine> m_word;        //!< the sequence
    bool m_writing;               //!< whether a writer is in its section
    uint64_t m_writes;            //!< number of writes
    std::deque<CpuId> m_writers;  //!< writers that wait
    std::vector<CpuId> m_readers; //!< readers that poll while a writer is in its section
};

} // namespace linuxhost
} // namespace ns3

#endif /* SEQUENCE_LOCK_H */
