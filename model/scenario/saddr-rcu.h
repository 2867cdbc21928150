/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SADDR_RCU_H
#define SADDR_RCU_H

#include "patch-scenario.h"

#include "ns3/source-address-selection.h"

#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * "ipv6: ipv6_dev_get_saddr() rcu works" (October 2017).
 *
 * Flows, each an unconnected IPv6 UDP socket, send small datagrams through a multi-queue card, one
 * queue a CPU. Each packet's source address is selected anew. The patch walks the address lists
 * under RCU: without it each list is locked, and the best address so far is held.
 *
 * The completion interrupt of a queue arrives at another CPU, which frees the packets in batches.
 */
class SaddrRcu : public PatchScenario
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    SaddrRcu();
    ~SaddrRcu() override;

    std::string GetName() const override;
    std::string GetVariant() const override;
    Ptr<KernelPath> GetPath() override;

    /**
     * @param host the host's addresses
     * @param query the destination, and the interface that its route leaves by
     */
    void SetHost(const SaddrHost& host, const SaddrQuery& query);

    /**
     * The host that the published test is assumed to have run on, or one like it.
     * @param interfaces interfaces, at least one: `lo`, `eth0`, `eth1` with a link-local address,
     *        and others without one; a single one is `eth0`
     * @param addresses global addresses of `eth0`, at least one
     * @param labels entries of the label table, at least one; the kernel has ten
     * @returns the host
     */
    static SaddrHost MakeHost(uint32_t interfaces, uint32_t addresses, uint32_t labels);
    /**
     * @param host a host with an interface `eth0`
     * @returns the question that the test asks: a global destination behind `eth0`
     */
    static SaddrQuery MakeQuery(const SaddrHost& host);

    /// Interfaces of the assumed host.
    static constexpr uint32_t INTERFACES = 16;
    /// Global addresses of the assumed host's `eth0`.
    static constexpr uint32_t ADDRESSES = 2;
    /// Entries of a kernel's label table.
    static constexpr uint32_t LABELS = 10;

  protected:
    void Build(Ptr<CpuEngine> engine) override;
    void Complete(ScenarioResult& result) override;

  private:
    /// What the flows share: address lists, routes and the card.
    struct Shared;

    /// @returns what the flows share, as the attributes say
    Shared MakeShared() const;
    /**
     * @param shared what the flows share
     * @param cpu a CPU
     * @returns its path: its own flows' packets, and the completion of another CPU's
     */
    Ptr<KernelPath> RecordPath(const Shared& shared, uint32_t cpu) const;
    /// @returns the number of CPUs that have flows
    uint32_t GetNSenders() const;

    bool m_rcu;         //!< the patch
    std::string m_lock; //!< kind of the address lists' locks
    uint32_t m_cpus;    //!< number of CPUs
    uint32_t m_flows;   //!< number of flows
    uint32_t m_payload; //!< bytes a datagram
    uint32_t m_batch;   //!< packets that a completion interrupt finds
    double m_doorbell;  //!< time a doorbell takes to leave the CPU, ns
    double m_work;      //!< software work outside the selection, as a multiple of what was counted
    SaddrHost m_host;   //!< the host's addresses
    SaddrQuery m_query; //!< destination and outgoing interface
};

} // namespace linuxhost
} // namespace ns3

#endif /* SADDR_RCU_H */
