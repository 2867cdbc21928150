/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HOST_MACHINE_H
#define HOST_MACHINE_H

#include "ns3/object.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Simulated time inside a machine, in picoseconds.
 *
 * A cycle is not a whole number of nanoseconds; ns-3's default resolution would round each access.
 */
using Ticks = int64_t;

/// A logical CPU (hardware thread) of a machine, from 0.
using CpuId = uint32_t;

/// No CPU.
constexpr CpuId NO_CPU = 0xffffffff;
/// A time that never comes.
constexpr Ticks NEVER = INT64_MAX;
/// The largest machine, in logical CPUs.
constexpr uint32_t MAX_CPUS = 1024;

/**
 * @ingroup linux-host
 * Where one figure of a run comes from.
 */
struct Figure
{
    std::string name;   //!< what it is called in the output
    double value;       //!< its value
    std::string unit;   //!< its unit
    std::string kind;   //!< `literature`, `counted`, `assumed`, `calibrated`, `fitted` or `set`
    std::string source; //!< who measured or counted it, or what it was fitted to
};

/**
 * @ingroup linux-host
 * A machine: how many CPUs it has, how far apart they are, and what they take for the things that
 * a kernel path is made of.
 *
 * CPUs are numbered as a compact pinning takes them: first one thread of each core, socket by
 * socket, then the second threads in the same order.
 *
 * The distance between two CPUs is the one-way latency of a modified cache line, as a
 * compare-and-swap ping-pong measures it (round trip / 2); it contains the atomic operation. It is
 * built from three figures (sibling threads, one socket, across sockets), or loaded from the CSV
 * that the public tool core-to-core-latency prints.
 */
class HostMachine : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    HostMachine();
    ~HostMachine() override;

    /// The figures of the machine in ticks, for the simulation's inner loop.
    struct Costs
    {
        Ticks l1Load;           //!< load, line in the CPU's own L1
        Ticks l1Store;          //!< store, line in the CPU's own L1
        Ticks l1Rmw;            //!< locked read-modify-write, line in the CPU's own L1
        Ticks sharedSocket;     //!< read of a clean line held in the reader's socket
        Ticks modifiedSocket;   //!< load of a line modified in the reader's socket; 0: transfer
        Ticks modifiedCross;    //!< load of a line modified in another socket; 0: transfer
        Ticks sharedCross;      //!< read of a clean line held in another socket only
        Ticks sharedService;    //!< time a line is busy with one such read, when serial
        bool serialSharedReads; //!< whether such reads are served one after the other
        bool postedStores;      //!< whether a CPU goes on while a store waits for its line
        Ticks tickPeriod;       //!< time between two timer interrupts of a CPU; 0: none
        Ticks tickWork;         //!< what a timer interrupt takes
        double snoopShare;      //!< share of a transfer after which the owner loses the line
    };

    /**
     * Make the machine usable: called by the engine. Topology and latencies are known after it.
     *
     * Its CPUs stay what they are: attributes are set before it.
     */
    void Freeze();
    /**
     * Let the machine have at least this many CPUs, by adding sockets of the same kind.
     * @param cpus number of logical CPUs, 1 to MAX_CPUS
     * @returns the empty string, or why it cannot (the machine is in use, or its matrix has no
     * more)
     */
    std::string Extend(uint32_t cpus);
    /**
     * Read a CPU-to-CPU matrix, as core-to-core-latency prints it: one row a CPU, values in ns
     * separated by commas, empty on and above the diagonal (a full square will do as well).
     * @param is the text
     * @returns the empty string, or what is wrong and in which row
     */
    std::string LoadMatrix(std::istream& is);
    /**
     * Set a CPU-to-CPU matrix.
     * @param cpus number of CPUs
     * @param ns the latencies, row by row, in ns
     */
    void SetMatrix(uint32_t cpus, const std::vector<double>& ns);

    /// @returns the number of logical CPUs
    uint32_t GetNCpus() const;
    /// @returns the machine's name
    std::string GetName() const;
    /// @returns the clock in GHz
    double GetClockGhz() const;

    /// @returns the figures in ticks
    const Costs& GetCosts() const
    {
        return m_costs;
    }

    /**
     * @param cpu a CPU
     * @returns the socket it is in
     */
    uint32_t GetSocket(CpuId cpu) const
    {
        return m_socket[cpu];
    }

    /**
     * @param cpu a CPU
     * @returns the core it is a thread of, counted over the machine
     */
    uint32_t GetCore(CpuId cpu) const
    {
        return m_core[cpu];
    }

    /// @returns the number of sockets
    uint32_t GetNSockets() const;

    /// @returns whether the distances come from a matrix (and not from three figures)
    bool HasMatrix() const
    {
        return !m_matrix.empty();
    }

    /**
     * @param from the CPU that has the line modified
     * @param to the CPU that wants it
     * @returns the time that the line takes
     */
    Ticks GetLatency(CpuId from, CpuId to) const
    {
        if (!m_matrix.empty())
        {
            return m_matrix[from * m_nCpus + to];
        }
        return m_core[from] == m_core[to]       ? m_siblingTicks
               : m_socket[from] == m_socket[to] ? m_socketTicks
                                                : m_crossTicks;
    }

    /**
     * @param from the CPU that has the line modified
     * @param to the CPU that loads from it
     * @returns the time that the load takes
     */
    Ticks GetLoadLatency(CpuId from, CpuId to) const
    {
        Ticks load = m_core[from] == m_core[to]       ? 0
                     : m_socket[from] == m_socket[to] ? m_costs.modifiedSocket
                                                      : m_costs.modifiedCross;
        return load > 0 ? load : GetLatency(from, to);
    }

    /// @returns the latency between threads of a core, where there is no matrix
    Ticks GetSiblingLatency() const
    {
        return m_siblingTicks;
    }

    /// @returns the latency between cores of a socket, where there is no matrix
    Ticks GetSocketLatency() const
    {
        return m_socketTicks;
    }

    /// @returns the latency across sockets, where there is no matrix
    Ticks GetCrossLatency() const
    {
        return m_crossTicks;
    }

    /**
     * @param cycles a number of core cycles
     * @returns the time they take
     */
    Ticks CyclesToTicks(double cycles) const;
    /**
     * @param instructions a number of instructions of kernel code that misses no cache
     * @returns the time they take
     */
    Ticks InstructionsToTicks(double instructions) const;
    /**
     * @param bytes a number of bytes
     * @returns the time a copy takes
     */
    Ticks CopyTicks(double bytes) const;
    /**
     * @param bytes a number of bytes
     * @returns the time an Internet checksum takes
     */
    Ticks ChecksumTicks(double bytes) const;
    /// @returns the relative half-width of the spread of work times
    double GetWorkSpread() const;

    /**
     * @param figure where a figure comes from; replaces what was said of the same name
     */
    void SetFigure(const Figure& figure);
    /// @returns where the machine's figures come from, with their values as they are now
    std::vector<Figure> GetFigures() const;

  protected:
    void DoDispose() override;

  private:
    /// Tell from the matrix which CPUs are threads of one core, and which are in one socket.
    void FindTopology();

    std::string m_name;               //!< name
    uint32_t m_sockets;               //!< number of sockets
    uint32_t m_coresPerSocket;        //!< cores a socket
    uint32_t m_threadsPerCore;        //!< hardware threads a core
    double m_clockGhz;                //!< clock, GHz
    double m_cyclesPerInstruction;    //!< of kernel code that hits its caches
    double m_siblingNs;               //!< transfer between threads of a core, ns
    double m_socketNs;                //!< transfer in a socket, ns
    double m_crossNs;                 //!< transfer across sockets, ns
    double m_l1LoadCycles;            //!< load from own L1, cycles
    double m_l1StoreCycles;           //!< store to own L1, cycles
    double m_l1RmwCycles;             //!< locked RMW in own L1, cycles
    double m_sharedSocketNs;          //!< clean line, same socket, ns
    double m_modifiedSocketNs;        //!< load of a modified line, same socket, ns
    double m_modifiedCrossNs;         //!< load of a modified line, other socket, ns
    double m_sharedCrossNs;           //!< clean line, other socket, ns
    double m_sharedServiceNs;         //!< line busy with one shared read, ns
    bool m_serialSharedReads;         //!< whether shared reads are served one by one
    bool m_postedStores;              //!< whether stores wait in a store buffer
    double m_snoopShare;              //!< see Costs::snoopShare
    double m_copyBytesPerCycle;       //!< copy rate
    double m_checksumBytesPerCycle;   //!< checksum rate
    double m_tickHz;                  //!< timer interrupts a second
    double m_tickNs;                  //!< what a timer interrupt takes, ns
    double m_workSpread;              //!< relative half-width of work times
    bool m_frozen;                    //!< whether Freeze() has run
    Costs m_costs;                    //!< figures in ticks
    uint32_t m_nCpus;                 //!< number of logical CPUs
    std::vector<uint32_t> m_socket;   //!< socket of each CPU
    std::vector<uint32_t> m_core;     //!< core of each CPU
    std::vector<Ticks> m_matrix;      //!< latencies, or empty
    Ticks m_siblingTicks;             //!< m_siblingNs
    Ticks m_socketTicks;              //!< m_socketNs
    Ticks m_crossTicks;               //!< m_crossNs
    std::vector<Figure> m_provenance; //!< sources
};

} // namespace linuxhost
} // namespace ns3

#endif /* HOST_MACHINE_H */
