/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef KERNEL_PATH_H
#define KERNEL_PATH_H

#include "kernel-primitive.h"

#include "ns3/cache-line.h"
#include "ns3/simple-ref-count.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

class CpuEngine;

/// What a CPU is doing, as time(1) and a profiler tell it apart.
enum class CpuMode : uint8_t
{
    USER,
    SYSTEM,
    SOFTIRQ,
    SPIN,
    IDLE
};

/// Number of CpuMode values.
constexpr uint32_t N_CPU_MODES = 5;

/**
 * @ingroup linux-host
 * @param mode a mode
 * @returns its name: `user`, `system`, `softirq`, `spin`, `idle`
 */
std::string GetModeName(CpuMode mode);

/**
 * @ingroup linux-host
 * What a call step may do when it is played.
 */
struct CallMoment
{
    CpuEngine& engine; //!< the engine
    CpuId cpu;         //!< the CPU that plays the step
    Ticks now;         //!< simulated time in the machine
    int32_t jump;      //!< set it to a label of the path to go on there; -1: the next step
    Ticks work;        //!< set it to a time that the step takes
    bool sleep;        //!< set it to stop the task here until CpuEngine::Wake
};

/// A function called when a step is played.
using CallFunction = std::function<void(CallMoment&)>;

/**
 * @ingroup linux-host
 * One step of a path.
 */
struct PathStep
{
    /// Kinds of step.
    enum Kind : uint8_t
    {
        WORK,      //!< instructions that miss no cache
        DELAY,     //!< a given time
        COPY,      //!< copy of bytes
        CHECKSUM,  //!< Internet checksum of bytes
        READ,      //!< load from a line
        WRITE,     //!< store to a line
        RMW,       //!< locked read-modify-write of a line
        PRIMITIVE, //!< an operation on a lock, a reference count, ...
        CALL,      //!< a decision or a hand-over, made when the step is played
        LABEL,     //!< a place that a call can jump to
        JUMP,      //!< go on at a label
        FRAME      //!< one frame is through
    };

    Kind kind;                      //!< kind
    CpuMode mode;                   //!< mode it runs in
    std::string symbol;             //!< kernel symbol it is charged to
    double amount;                  //!< instructions, ns, bytes, or the label's number
    LineField field;                //!< of READ, WRITE, RMW
    Ptr<KernelPrimitive> primitive; //!< of PRIMITIVE
    uint32_t operation;             //!< of PRIMITIVE
    CallFunction call;              //!< of CALL
    bool visible;                   //!< of CALL: something outside the machine can see it
    std::string note;               //!< what the source does here, in a few words

    /// @returns what the step does and to what, for --print-path
    std::string Describe() const;
};

/**
 * @ingroup linux-host
 * The steps that the kernel takes for one packet, in order.
 *
 * A path is recorded while a packet walks down the layers (each appends what it costs), or composed
 * by hand, and then played by simulated CPUs. It can be printed, compared with another and changed.
 */
class KernelPath : public SimpleRefCount<KernelPath>
{
  public:
    /// @param name the path's name, e.g. `udpv6_sendmsg over sit1`
    explicit KernelPath(const std::string& name);

    /// @returns the path's name
    const std::string& GetName() const;
    /// @returns the steps
    const std::vector<PathStep>& GetSteps() const;
    /// @returns the steps, to be changed
    std::vector<PathStep>& GetSteps();

    /**
     * The mode of the steps that follow.
     * @param mode the mode
     */
    void SetMode(CpuMode mode);
    /// @returns the mode of the steps that follow
    CpuMode GetMode() const;

    /**
     * Work that misses no cache.
     * @param symbol kernel symbol
     * @param instructions how many instructions
     * @param note what they do
     */
    void Work(const std::string& symbol, double instructions, const std::string& note = "");
    /**
     * Something that takes a given time on this machine.
     * @param symbol kernel symbol
     * @param ns how long, in ns
     * @param note what it is
     */
    void Delay(const std::string& symbol, double ns, const std::string& note = "");
    /**
     * Copy bytes.
     * @param symbol kernel symbol
     * @param bytes how many
     * @param note from where to where
     */
    void Copy(const std::string& symbol, double bytes, const std::string& note = "");
    /**
     * Checksum bytes.
     * @param symbol kernel symbol
     * @param bytes how many
     * @param note of what
     */
    void Checksum(const std::string& symbol, double bytes, const std::string& note = "");
    /**
     * Load from a line.
     * @param field what is read
     * @param symbol kernel symbol
     * @param note why
     */
    void Read(const LineField& field, const std::string& symbol, const std::string& note = "");
    /**
     * Store to a line.
     * @param field what is written
     * @param symbol kernel symbol
     * @param note why
     */
    void Write(const LineField& field, const std::string& symbol, const std::string& note = "");
    /**
     * Locked read-modify-write.
     * @param field what is changed
     * @param symbol kernel symbol
     * @param note why
     */
    void Rmw(const LineField& field, const std::string& symbol, const std::string& note = "");
    /**
     * An operation on a primitive.
     * @param primitive the primitive
     * @param operation the operation
     * @param symbol kernel symbol
     * @param note why
     * @param instructions argument of the operation: how much work a section holds
     */
    void Operate(Ptr<KernelPrimitive> primitive,
                 uint32_t operation,
                 const std::string& symbol,
                 const std::string& note = "",
                 double instructions = 0);
    /**
     * A decision or a hand-over.
     * @param call what is called when the step is played
     * @param symbol kernel symbol
     * @param note what it decides
     * @param visible whether anything outside the machine can see it: it is then called at its own
     *        time on ns-3's clock
     */
    void Call(CallFunction call,
              const std::string& symbol,
              const std::string& note = "",
              bool visible = false);
    /**
     * @param name what it is called in --print-path; empty: a number
     * @returns a new label, to be placed with PlaceLabel
     */
    int32_t NewLabel(const std::string& name = "");
    /// @param label where it is, is here
    void PlaceLabel(int32_t label);
    /// @param label where to go on
    void Jump(int32_t label);
    /// One frame is through.
    void Frame();

    /**
     * Append the steps of another path.
     * @param other the other path; it has no labels
     */
    void Append(const KernelPath& other);

    /**
     * Print the steps: number, mode, symbol, what is done to which line, and under which locks.
     * @param os the stream
     */
    void Print(std::ostream& os) const;
    /**
     * Print what differs between two paths: lines that only the one has start with `-`, those that
     * only the other has with `+`.
     * @param os the stream
     * @param before the one
     * @param after the other
     */
    static void PrintDifference(std::ostream& os,
                                const KernelPath& before,
                                const KernelPath& after);

  private:
    /**
     * @param kind the new step's kind
     * @param symbol its symbol
     * @param amount its amount
     * @param note its note
     * @returns the step, appended
     */
    PathStep& Add(PathStep::Kind kind,
                  const std::string& symbol,
                  double amount,
                  const std::string& note);

    std::string m_name;                //!< name
    CpuMode m_mode;                    //!< mode of the steps that follow
    std::vector<std::string> m_labels; //!< names of the labels
    std::vector<PathStep> m_steps;     //!< the steps
};

/**
 * @ingroup linux-host
 * The path that is being recorded, if any.
 *
 * A device's transmit function asks PathRecorder::Current() and appends its steps; when nothing is
 * recorded it gets null and does what any ns-3 device does.
 */
class PathRecorder
{
  public:
    /**
     * Record into a path, until this object goes.
     * @param path the path
     */
    explicit PathRecorder(Ptr<KernelPath> path);
    ~PathRecorder();
    PathRecorder(const PathRecorder&) = delete;
    PathRecorder& operator=(const PathRecorder&) = delete;

    /// @returns the path that is being recorded, or null
    static KernelPath* Current();

  private:
    Ptr<KernelPath> m_path; //!< the path
    KernelPath* m_outer;    //!< what was recorded before
};

} // namespace linuxhost
} // namespace ns3

#endif /* KERNEL_PATH_H */
