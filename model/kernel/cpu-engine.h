/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CPU_ENGINE_H
#define CPU_ENGINE_H

#include "kernel-path.h"

#include "ns3/event-id.h"
#include "ns3/host-machine.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Time and frames of a machine, over some stretch of simulated time.
 */
struct CpuUsage
{
    Ticks elapsed;                 //!< length of the stretch
    uint64_t frames;               //!< frames that got through
    double modeTicks[N_CPU_MODES]; //!< time in each mode, all CPUs together
    std::vector<Ticks> idleByCpu;  //!< idle time of each CPU
};

/**
 * @ingroup linux-host
 * One row of a profile.
 */
struct ProfileRow
{
    CpuMode mode;       //!< mode
    std::string symbol; //!< kernel symbol
    double ticks;       //!< time, all CPUs together
};

/**
 * @ingroup linux-host
 * One row of the account of lines: a line, or several of one name.
 */
struct LineRow
{
    std::string name;   //!< the line
    uint64_t transfers; //!< ownership transfers
    Ticks busy;         //!< time it spent moving
};

/**
 * @ingroup linux-host
 * What a CPU did, for a timeline.
 */
struct TimelineSlice
{
    /// Kinds of slice.
    enum Kind : uint8_t
    {
        RUN,  //!< working
        LINE, //!< waiting for a cache line
        SPIN, //!< waiting for a lock
        IDLE  //!< nothing to do
    };

    CpuId cpu;          //!< CPU
    Kind kind;          //!< kind
    std::string symbol; //!< kernel symbol
    Ticks from;         //!< start
    Ticks to;           //!< end
};

/**
 * @ingroup linux-host
 * The CPUs of a machine playing paths.
 *
 * Each CPU has at most one task, pinned to it, that plays its path again and again. The CPUs run on
 * a queue of their own, of one entry a CPU: an entry is the moment of the CPU's next access to a
 * line that others touch as well. Work, and accesses to lines that only this CPU touches, are
 * folded into the time between two entries.
 *
 * The engine follows ns-3's clock: what happens in the machine before time t has been played
 * whenever an ns-3 event at t looks at it, and a step that others can see (KernelPath::Call with
 * visible set) is played by an ns-3 event at its own time.
 *
 * Every instant of every CPU belongs to one (mode, symbol).
 */
class CpuEngine : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    CpuEngine();
    ~CpuEngine() override;

    /**
     * @param machine the machine whose CPUs play
     */
    void SetMachine(Ptr<HostMachine> machine);
    /// @returns the machine
    Ptr<HostMachine> GetMachine() const;

    /**
     * Pin a task to a CPU.
     * @param cpu the CPU, which has no task yet
     * @param path what it plays, again and again
     */
    void AddTask(CpuId cpu, Ptr<KernelPath> path);
    /**
     * Compile the paths and start the tasks at ns-3's present time. A task's first round starts at
     * a random moment within one round of work, so that the CPUs are not in step.
     */
    void Start();
    /**
     * Play everything that happens up to a moment.
     * @param until the moment, in ticks since Start()
     */
    void RunUntil(Ticks until);
    /// Play everything that happens up to ns-3's present time.
    void Sync();
    /// @returns the moment up to which everything has been played
    Ticks GetNow() const;

    /**
     * A step of one CPU lets another, blocked in a primitive, go on.
     * @param cpu the CPU that spins
     * @param at when it sees that it may go on
     * @param again whether the primitive wants to be called again then; else the operation is over
     */
    void Resume(CpuId cpu, Ticks at, bool again = false);
    /**
     * Let a task that sleeps in a call step go on.
     * @param cpu its CPU
     * @param at when it runs again
     */
    void Wake(CpuId cpu, Ticks at);

    /// @returns a random number in [0, 1)
    double Draw()
    {
        return static_cast<double>(m_random() >> 32) * (1.0 / 4294967296.0);
    }

    /// Forget all time and frames counted so far.
    void ClearCounters();
    /// @returns time and frames since the counters were cleared
    CpuUsage GetUsage();
    /// @returns time by mode and symbol since the counters were cleared, largest first
    std::vector<ProfileRow> GetProfile();
    /// @returns the lines that moved since the counters were cleared, busiest first
    std::vector<LineRow> GetLines();
    /// @returns accesses to shared lines since Start()
    uint64_t GetAccesses() const;

    /**
     * Keep what the CPUs do, for a timeline.
     * @param last how far back, in ticks
     */
    void EnableTimeline(Ticks last);
    /// @returns what the CPUs did last, in order of time
    std::vector<TimelineSlice> GetTimeline();

    /**
     * Assign fixed random variable streams.
     * @param stream the first stream to use
     * @returns the number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    /// A small and fast generator, with the constants of Knuth's MMIX; its upper half is used.
    using Random = std::linear_congruential_engine<uint64_t,
                                                   UINT64_C(6364136223846793005),
                                                   UINT64_C(1442695040888963407),
                                                   0>;

    /// How an operation is executed.
    enum Code : uint8_t
    {
        NOTHING,
        READ,
        WRITE,
        RMW,
        PRIMITIVE,
        CALL
    };

    /// A share of an operation's work.
    struct WorkPart
    {
        CpuMode mode;       //!< mode
        std::string symbol; //!< symbol
        double ticks;       //!< mean time
    };

    /// One access to a shared line (or primitive, or call), and the work until the next.
    struct Op
    {
        Code code;                  //!< what is done
        CpuMode mode;               //!< mode of the access
        uint32_t frames;            //!< frames that are through after it
        bool visible;               //!< of a call: others can see it
        uint32_t next;              //!< the operation that follows
        uint32_t operation;         //!< of a primitive
        Ticks argument;             //!< of a primitive
        CacheLine* line;            //!< of an access
        KernelPrimitive* primitive; //!< of a primitive
        const CallFunction* call;   //!< of a call
        double mean;                //!< mean time of the work after it, ticks
        Ticks stallTicks;           //!< counted: the access
        Ticks spinTicks;            //!< counted: spinning
        Ticks workTicks;            //!< counted: the work after it
    };

    /// What an operation is called; apart from it, to keep the inner loop's data small.
    struct OpText
    {
        std::string symbol;         //!< symbol of the access
        std::vector<WorkPart> work; //!< the work after it
    };

    /// A task's path, compiled for its CPU.
    struct Program
    {
        Ptr<KernelPath> path;         //!< the path
        std::vector<Op> ops;          //!< its operations
        std::vector<OpText> texts;    //!< their names
        std::vector<uint32_t> labels; //!< operation of each label
        bool visible;                 //!< has a visible call
    };

    /// A CPU.
    struct Cpu
    {
        std::unique_ptr<Program> program; //!< what it plays, or null
        uint32_t next;                    //!< the operation to execute next
        Op* current;                      //!< the operation it is in, or null: idle
        uint32_t stage;                   //!< of a primitive
        uint64_t scratch;                 //!< of a primitive
        Ticks storesDone;                 //!< when its store buffer has drained
        Ticks accounted;                  //!< up to here its time is in the counters
        Ticks stallEnd;                   //!< the current access lasts until then
        Ticks spinEnd;                    //!< and its spinning until then
        Ticks irqEnd;                     //!< and a timer interrupt until then
        Ticks nextTick;                   //!< when the next timer interrupt is due
        Ticks irqTicks;                   //!< counted: timer interrupts
        Ticks idleTicks;                  //!< counted: idle
        bool sleeping;                    //!< stopped in a call
        uint64_t frames;                  //!< counted: frames
    };

    /**
     * @param cpu a CPU
     */
    void Compile(CpuId cpu);
    /**
     * Execute a CPU's next operation.
     * @param id the CPU
     * @param now when
     */
    void Step(CpuId id, Ticks now);
    /**
     * The current operation's access is over: work, then the next.
     * @param id the CPU
     * @param at when the access is over
     */
    void Continue(CpuId id, Ticks at);
    /**
     * Count a CPU's time.
     * @param id the CPU
     * @param until up to when
     */
    void Account(CpuId id, Ticks until);

    /**
     * @param cpu a CPU
     * @param op an operation of its program
     * @returns what it is called
     */
    static const OpText& GetText(const Cpu& cpu, const Op* op)
    {
        return cpu.program->texts[op - cpu.program->ops.data()];
    }

    /// Count the time of all CPUs up to the present.
    void AccountAll();
    /**
     * @param cpu CPU
     * @param kind kind
     * @param symbol symbol
     * @param from start
     * @param to end
     */
    void Record(CpuId cpu,
                TimelineSlice::Kind kind,
                const std::string& symbol,
                Ticks from,
                Ticks to);
    /**
     * Change the time of a CPU's entry in the queue.
     * @param cpu the CPU
     * @param at the time
     */
    void SetKey(CpuId cpu, Ticks at);
    /**
     * @param step a step of a path
     * @returns how long it takes when nobody else touches its line
     */
    double GetLocalTicks(const PathStep& step) const;
    /// Follow ns-3's clock up to now, and schedule the next visit.
    void Follow();
    /// Schedule the next visit, at the next entry of the queue.
    void ScheduleFollow();

    Ptr<HostMachine> m_machine;            //!< the machine
    std::string m_distribution;            //!< distribution of work times
    HostMachine::Costs m_costs;            //!< the machine's figures
    double m_spread;                       //!< spread of work times
    int m_draws;                           //!< distribution, as a number
    std::vector<Cpu> m_cpus;               //!< CPUs
    std::vector<Ptr<CacheLine>> m_lines;   //!< lines that more than one CPU touches
    std::vector<Ticks> m_keys;             //!< queue: time of each CPU's entry
    std::vector<uint32_t> m_tree;          //!< queue: tournament tree over m_keys
    uint32_t m_leaves;                     //!< queue: number of leaves
    Ticks m_now;                           //!< everything up to here has been played
    Ticks m_cleared;                       //!< when the counters were cleared
    Time m_started;                        //!< ns-3's time of Start()
    bool m_running;                        //!< whether Start() was called
    bool m_visible;                        //!< whether a task has visible steps
    uint64_t m_accesses;                   //!< accesses to shared lines
    int64_t m_stream;                      //!< random variable stream
    Random m_random;                       //!< random numbers of the CPUs
    EventId m_follow;                      //!< the next visit
    Ticks m_timelineLast;                  //!< how far back the timeline goes; 0: none
    std::size_t m_timelineEnough;          //!< old slices are dropped when there are so many
    std::vector<TimelineSlice> m_timeline; //!< slices
};

} // namespace linuxhost
} // namespace ns3

#endif /* CPU_ENGINE_H */
