/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TEST_AND_SET_LOCK_H
#define TEST_AND_SET_LOCK_H

#include "kernel-lock.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A test-and-set spin lock (with a test before each further try, as Linux had before 2.6.25): the
 * waiters loop on the word, and at a release all that see it free try to take it. Unfair: the
 * nearest to the one that releases wins; the others' failed tries move the line about.
 */
class TestAndSetLock : public KernelLock
{
  public:
    /**
     * @param name the lock's name
     * @param word the line that holds the lock's word
     */
    TestAndSetLock(const std::string& name, Ptr<CacheLine> word);

    std::string GetKind() const override;
    std::vector<Ptr<CacheLine>> GetLines() const override;
    void Reset(uint32_t cpus) override;
    StepOutcome Step(uint32_t operation, StepMoment& moment) override;

  private:
    Ptr<CacheLine> m_word;        //!< free or taken
    bool m_held;                  //!< whether somebody has it
    std::vector<CpuId> m_waiters; //!< in order of arrival
};

} // namespace linuxhost
} // namespace ns3

#endif /* TEST_AND_SET_LOCK_H */
