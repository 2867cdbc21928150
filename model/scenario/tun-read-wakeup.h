/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_READ_WAKEUP_H
#define TUN_READ_WAKEUP_H

#include "patch-scenario.h"

#include "ns3/tun-read-path.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * "net-tun: restructure tun_do_read for better sleep/wakeup efficiency" (May 2014).
 *
 * A generator, pinned to one CPU, writes frames to tap1 as fast as it can; a bridge hands them to
 * tap0, which a consumer, pinned to another CPU, reads. The consumer sleeps when tap0's queue is
 * empty.
 */
class TunReadWakeup : public PatchScenario
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    TunReadWakeup();
    ~TunReadWakeup() override;

    std::string GetName() const override;
    std::string GetVariant() const override;
    Ptr<KernelPath> GetPath() override;

    /// @returns where the readers can be: `same-socket`, `cross-socket`, `sibling`
    static std::vector<std::string> GetPlacements();
    /**
     * @param machine a machine, frozen
     * @param placement where the readers are to be, seen from CPU 0
     * @param readers how many
     * @returns their CPUs; fewer when there are not so many
     */
    static std::vector<CpuId> GetReaderCpus(Ptr<const HostMachine> machine,
                                            const std::string& placement,
                                            uint32_t readers);

  protected:
    void DoDispose() override;
    void Build(Ptr<CpuEngine> engine) override;
    void Complete(ScenarioResult& result) override;
    std::vector<Count> GetCounts() const override;

  private:
    /// What sender and readers share.
    struct Host;

    /// @returns what they share, as the attributes say
    std::shared_ptr<Host> MakeHost() const;
    /// @returns the idle states, without polling
    std::vector<IdleState> GetIdleStates() const;

    bool m_restructured;          //!< the patch
    std::string m_placement;      //!< where the readers are
    std::string m_lock;           //!< kind of spin lock
    uint32_t m_size;              //!< bytes a frame
    uint32_t m_queues;            //!< queues
    uint32_t m_readers;           //!< readers a queue
    bool m_blocking;              //!< readers sleep
    uint32_t m_limit;             //!< txqueuelen
    double m_idleLimit;           //!< longest idle exit latency, us
    std::string m_idleStates;     //!< idle states, or empty: the machine's
    double m_senderWork;          //!< instructions
    double m_readerWork;          //!< instructions
    std::shared_ptr<Host> m_host; //!< of the run
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_READ_WAKEUP_H */
