/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_LOCKLESS_XMIT_H
#define SIT_LOCKLESS_XMIT_H

#include "patch-scenario.h"

#include "ns3/xmit-path.h"

#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * "sit: enable lockless xmits" (September 2010), and its sisters for ipip and gre.
 *
 * Threads, one a CPU, each with a connected UDP socket that is sent to with an address, send small
 * datagrams to one destination through one tunnel device over a lockless dummy device. The patch
 * gives the tunnel device NETIF_F_LLTX. Without a tunnel it is the same test on the dummy device.
 */
class SitLocklessXmit : public PatchScenario
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    SitLocklessXmit();
    ~SitLocklessXmit() override;

    std::string GetName() const override;
    std::string GetVariant() const override;
    Ptr<KernelPath> GetPath() override;

    /// @returns the tunnels to choose from, and `none`
    static std::vector<std::string> GetTunnels();

  protected:
    void Build(Ptr<CpuEngine> engine) override;
    void Complete(ScenarioResult& result) override;

  private:
    /// What the threads share: routes and devices.
    struct Host;

    /// @returns routes and devices, as the attributes say
    Host MakeHost() const;
    /**
     * @param host what the threads share
     * @param thread a thread
     * @returns its path
     */
    Ptr<KernelPath> RecordPath(const Host& host, uint32_t thread) const;

    bool m_lltx;           //!< NETIF_F_LLTX of the tunnel device
    std::string m_tunnel;  //!< sit, ipip, gre or none
    std::string m_lock;    //!< kind of the transmit lock
    uint32_t m_threads;    //!< number of threads
    uint32_t m_payload;    //!< bytes a datagram
    double m_work;         //!< software work of the tunnel's transmit, instructions
    uint64_t m_frames;     //!< frames of the whole experiment
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_LOCKLESS_XMIT_H */
