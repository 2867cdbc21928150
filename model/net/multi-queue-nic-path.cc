/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "multi-queue-nic-path.h"

namespace ns3
{
namespace linuxhost
{

// Instruction counts are of the fast path of Linux 4.14, x86-64, without debugging options: counted
// in the source, one function at a time, good to about a fifth.

NicQueuePath::NicQueuePath(const std::string& name,
                           const std::string& lockKind,
                           double doorbell,
                           double scale)
    : m_doorbell(doorbell),
      m_scale(scale)
{
    const std::string root = name + ".qdisc.lock";
    m_root = KernelLock::Make(lockKind, root, Create<CacheLine>(root));
    Ptr<CacheLine> line = Create<CacheLine>(name);
    m_xmit = KernelLock::Make(lockKind, name + "._xmit_lock", line);
    m_state = LineField(line, "state");
    m_cons = LineField(Create<CacheLine>(name + ".ring"), "cons");
}

void
NicQueuePath::RecordXmit(KernelPath& path, const std::function<void(KernelPath&)>& dropRoute) const
{
    path.Work("__dev_queue_xmit", 110 * m_scale);
    path.Work("__netdev_pick_tx", 70 * m_scale, "the queue of this CPU");
    dropRoute(path);
    path.Work("__dev_queue_xmit", 60 * m_scale, "the queue is empty: bypass it");
    path.Operate(m_root, KernelLock::LOCK, "_raw_spin_lock", "qdisc root");
    path.Work("sch_direct_xmit", 40 * m_scale);
    path.Work("validate_xmit_skb", 60 * m_scale);
    path.Operate(m_root, KernelLock::UNLOCK, "sch_direct_xmit");
    path.Operate(m_xmit, KernelLock::LOCK, "_raw_spin_lock", "HARD_TX_LOCK");
    path.Read(m_state, "sch_direct_xmit", "stopped?");
    path.Work("dev_hard_start_xmit", 50 * m_scale);
    path.Read(m_cons, "mlx4_en_xmit", "room in the ring?");
    path.Work("mlx4_en_xmit", 190 * m_scale, "descriptor, byte limit, doorbell");
    path.Operate(m_xmit, KernelLock::UNLOCK, "sch_direct_xmit", "HARD_TX_UNLOCK");
    path.Delay("_raw_spin_lock", m_doorbell, "the doorbell leaves before a locked operation");
    path.Operate(m_root, KernelLock::LOCK, "_raw_spin_lock", "qdisc root again");
    path.Work("sch_direct_xmit", 30 * m_scale);
    path.Operate(m_root, KernelLock::UNLOCK, "__dev_queue_xmit");
    path.Work("__local_bh_enable_ip", 16 * m_scale);
}

void
NicQueuePath::RecordCompletionEnter(KernelPath& path) const
{
    path.Work("do_IRQ", 350 * m_scale, "entry, exit, the interrupt controller");
    path.Work("mlx4_msi_x_interrupt", 120 * m_scale);
    path.Work("__do_softirq", 120 * m_scale);
    path.Work("net_rx_action", 100 * m_scale);
    path.Work("mlx4_en_poll_tx_cq", 120 * m_scale);
}

void
NicQueuePath::RecordCompletionPacket(KernelPath& path) const
{
    path.Work("mlx4_en_poll_tx_cq", 40 * m_scale);
    path.Work("mlx4_en_free_tx_desc", 60 * m_scale);
}

void
NicQueuePath::RecordCompletionLeave(KernelPath& path) const
{
    path.Write(m_cons, "mlx4_en_poll_tx_cq");
    path.Work("dql_completed", 60 * m_scale);
    path.Rmw(m_state, "mlx4_en_poll_tx_cq", "netdev_tx_completed_queue: was it stopped?");
}

} // namespace linuxhost
} // namespace ns3
