/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "kernel-lock.h"

#include "counter-rwlock.h"
#include "mcs-lock.h"
#include "queued-rwlock.h"
#include "queued-spin-lock.h"
#include "test-and-set-lock.h"
#include "ticket-lock.h"

namespace ns3
{
namespace linuxhost
{

namespace
{

/**
 * @returns what makes a lock of class T
 * @tparam T the class
 */
template <typename T>
KernelLock::Maker
MakerOf()
{
    return [](const std::string& name, Ptr<CacheLine> word) -> Ptr<KernelLock> {
        return Create<T>(name, word);
    };
}

/// One kind of lock.
struct Kind
{
    std::string name;        //!< as it is chosen on a command line
    bool readers;            //!< whether it has read_lock
    KernelLock::Maker maker; //!< makes one
};

/// @returns the kinds: a new lock is a new line here
const std::vector<Kind>&
GetKinds()
{
    static const std::vector<Kind> KINDS = {
        {"ticket", false, MakerOf<TicketLock>()},
        {"tas", false, MakerOf<TestAndSetLock>()},
        {"mcs", false, MakerOf<McsLock>()},
        {"qspinlock", false, MakerOf<QueuedSpinLock>()},
        {"rwlock", true, MakerOf<CounterRwlock>()},
        {"qrwlock", true, MakerOf<QueuedRwlock>()},
    };
    return KINDS;
}

/**
 * @param readers which kinds
 * @returns their names
 */
std::vector<std::string>
KindNames(bool readers)
{
    std::vector<std::string> names;
    for (const auto& kind : GetKinds())
    {
        if (kind.readers == readers)
        {
            names.push_back(kind.name);
        }
    }
    return names;
}

} // namespace

std::string
KernelLock::GetOperationName(uint32_t operation) const
{
    static const char* const NAMES[] = {"lock", "unlock", "read_lock", "read_unlock"};
    return NAMES[operation];
}

std::vector<std::string>
KernelLock::GetSpinLockKinds()
{
    return KindNames(false);
}

std::vector<std::string>
KernelLock::GetRwLockKinds()
{
    return KindNames(true);
}

Ptr<KernelLock>
KernelLock::Make(const std::string& kind, const std::string& name, Ptr<CacheLine> word)
{
    for (const auto& known : GetKinds())
    {
        if (known.name == kind)
        {
            return known.maker(name, word);
        }
    }
    return nullptr;
}

} // namespace linuxhost
} // namespace ns3
