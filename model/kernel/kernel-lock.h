/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KERNEL_LOCK_H
#define KERNEL_LOCK_H

#include "kernel-primitive.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A lock: a primitive with the operations lock and unlock, and for reader-writer locks read_lock
 * and read_unlock (write_lock and write_unlock are lock and unlock).
 */
class KernelLock : public KernelPrimitive
{
  public:
    /// Operations of a lock.
    enum Operation : uint32_t
    {
        LOCK,
        UNLOCK,
        READ_LOCK,
        READ_UNLOCK
    };

    using KernelPrimitive::KernelPrimitive;

    /**
     * @param operation an operation
     * @returns whether the CPU holds the lock after it
     */
    static bool IsAcquire(uint32_t operation)
    {
        return operation == LOCK || operation == READ_LOCK;
    }

    /**
     * @param operation an operation
     * @returns whether the CPU gives the lock back with it
     */
    static bool IsRelease(uint32_t operation)
    {
        return operation == UNLOCK || operation == READ_UNLOCK;
    }

    std::string GetOperationName(uint32_t operation) const override;

    /**
     * Makes a lock of a kind. The word that its takers write goes onto a line that the caller
     * gives, since what else is on that line matters.
     */
    using Maker = std::function<Ptr<KernelLock>(const std::string& name, Ptr<CacheLine> word)>;

    /// @returns the kinds of spin lock: `ticket`, `tas`, `mcs`, `qspinlock`
    static std::vector<std::string> GetSpinLockKinds();
    /// @returns the kinds of reader-writer lock: `rwlock`, `qrwlock`
    static std::vector<std::string> GetRwLockKinds();
    /**
     * @param kind a kind of spin lock or reader-writer lock
     * @param name the lock's name, e.g. `sit1.txq._xmit_lock`
     * @param word the line that holds the lock's word
     * @returns the lock, or null when there is no such kind
     */
    static Ptr<KernelLock> Make(const std::string& kind,
                                const std::string& name,
                                Ptr<CacheLine> word);
};

} // namespace linuxhost
} // namespace ns3

#endif /* KERNEL_LOCK_H */
