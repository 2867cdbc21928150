/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SIT_LOCKLESS_XMIT_H
#define SIT_LOCKLESS_XMIT_H

#include "patch-scenario.h"

#include "ns3/packet.h"
#include "ns3/xmit-path.h"

#include <functional>
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

    /**
     * Play the beginning of the experiment with a real packet for each frame.
     * @param frames how many frames
     * @param sent called with each packet that the dummy device gets, at its time
     */
    void PlayPackets(uint64_t frames, std::function<void(Ptr<const Packet>)> sent);

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
     * @param thread a thread
     * @returns a datagram of it: what is given to sit, else what the lower device gets
     */
    Ptr<Packet> MakeDatagram(uint32_t thread) const;
    /**
     * @param host what the threads share
     * @param thread a thread
     * @returns its path
     */
    Ptr<KernelPath> RecordPath(const Host& host, uint32_t thread) const;

    /// @param packet a packet that the dummy device got
    void OnSent(Ptr<const Packet> packet);

    std::function<void(Ptr<const Packet>)> m_sent; //!< of PlayPackets
    bool m_lltx;                                   //!< NETIF_F_LLTX of the tunnel device
    std::string m_tunnel;                          //!< sit, ipip, gre or none
    std::string m_lock;                            //!< kind of the transmit lock
    uint32_t m_threads;                            //!< number of threads
    uint32_t m_payload;                            //!< bytes a datagram
    double m_work;     //!< software work of the tunnel's transmit, instructions
    uint64_t m_frames; //!< frames of the whole experiment
};

} // namespace linuxhost
} // namespace ns3

#endif /* SIT_LOCKLESS_XMIT_H */
