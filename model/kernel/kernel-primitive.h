/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KERNEL_PRIMITIVE_H
#define KERNEL_PRIMITIVE_H

#include "ns3/cache-line.h"
#include "ns3/simple-ref-count.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

class CpuEngine;

/**
 * @ingroup linux-host
 * What a primitive says when it has been driven one step on.
 */
struct StepOutcome
{
    /// Kinds of outcome.
    enum Kind : uint8_t
    {
        DONE,   //!< the operation is over at `at`
        AGAIN,  //!< call again at `at`: the next access starts then
        BLOCKED //!< the CPU spins from `at` on, until another CPU's step resumes it
    };

    Kind kind; //!< what happened
    Ticks at;  //!< when

    /**
     * @param t when the operation is over
     * @returns the outcome
     */
    static StepOutcome Done(Ticks t)
    {
        return {DONE, t};
    }

    /**
     * @param t when the next access starts
     * @returns the outcome
     */
    static StepOutcome Again(Ticks t)
    {
        return {AGAIN, t};
    }

    /**
     * @param t since when the CPU spins
     * @returns the outcome
     */
    static StepOutcome Blocked(Ticks t)
    {
        return {BLOCKED, t};
    }
};

/**
 * @ingroup linux-host
 * The moment at which a CPU drives a primitive.
 */
struct StepMoment
{
    CpuEngine& engine; //!< plays the CPUs; resumes those that spin
    CpuId cpu;         //!< the CPU
    Ticks now;         //!< when its next access starts
    Ticks& storesDone; //!< when the stores in the CPU's store buffer will have drained
    Ticks l1Rmw;       //!< locked read-modify-write in the CPU's own L1
    Ticks l1Store;     //!< store in the CPU's own L1
    bool postedStores; //!< whether the CPU goes on while a store waits for its line
    uint32_t& stage;   //!< 0 at first; what the primitive stored last afterwards
    uint64_t& scratch; //!< kept between the stages of one operation
    Ticks argument;    //!< of the step: how long a section lasts

    /**
     * @param line a line
     * @returns when a load from it is done
     */
    Ticks Load(CacheLine& line)
    {
        return line.Read(cpu, now);
    }

    /**
     * A store waits for its line in the store buffer, while the CPU goes on.
     * @param line a line
     * @returns when the CPU goes on
     */
    Ticks Store(CacheLine& line)
    {
        Ticks done = line.Write(cpu, now);
        if (!postedStores)
        {
            return done;
        }
        storesDone = std::max(storesDone, done);
        return now + l1Store;
    }

    /**
     * A locked operation is over only when the CPU's earlier stores have drained.
     * @param line a line
     * @returns when it is done
     */
    Ticks Rmw(CacheLine& line)
    {
        Ticks done = line.Rmw(cpu, now);
        return std::max(done, storesDone + l1Rmw);
    }
};

/**
 * @ingroup linux-host
 * Anything in the kernel that is made of cache lines and has more than one access to it: a lock, a
 * reference count, a sequence lock.
 *
 * An operation (lock, unlock, get, put, ...) is driven in stages: each makes one access to a line
 * at StepMoment::now and says what comes next. A CPU that must wait for another blocks, and is
 * resumed by the other's step through CpuEngine::Resume.
 */
class KernelPrimitive : public SimpleRefCount<KernelPrimitive>
{
  public:
    /**
     * @param name the object's name, e.g. `sit1.txq`
     */
    explicit KernelPrimitive(const std::string& name)
        : m_name(name)
    {
    }

    virtual ~KernelPrimitive() = default;

    /// @returns the object's name
    const std::string& GetName() const
    {
        return m_name;
    }

    /// @returns the kind, as it is chosen on a command line (`ticket`, `mcs`, `qrwlock`)
    virtual std::string GetKind() const = 0;
    /**
     * @param operation an operation
     * @returns what it does, for --print-path (`lock`, `read_unlock`, `get`)
     */
    virtual std::string GetOperationName(uint32_t operation) const = 0;
    /// @returns the lines it is made of
    virtual std::vector<Ptr<CacheLine>> GetLines() const = 0;
    /**
     * Forget everything: no holder, no waiter.
     * @param cpus the number of CPUs of the machine
     */
    virtual void Reset(uint32_t cpus) = 0;

    /**
     * A CPU takes part: said of each that does, after Reset() and before GetLines() is asked. What
     * has a line for each CPU need have it for no others.
     * @param cpu the CPU
     */
    virtual void AddUser(CpuId cpu)
    {
        (void)cpu;
    }

    /**
     * Drive an operation one stage on.
     * @param operation the operation
     * @param moment the moment; the primitive may change stage and scratch
     * @returns what happened
     */
    virtual StepOutcome Step(uint32_t operation, StepMoment& moment) = 0;

  private:
    std::string m_name; //!< the object's name
};

} // namespace linuxhost
} // namespace ns3

#endif /* KERNEL_PRIMITIVE_H */
