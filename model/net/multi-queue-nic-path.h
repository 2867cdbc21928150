/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MULTI_QUEUE_NIC_PATH_H
#define MULTI_QUEUE_NIC_PATH_H

#include "ns3/kernel-lock.h"
#include "ns3/kernel-path.h"

#include <functional>
#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A transmit queue of a multi-queue network card, with the queueing discipline under `mq` that is
 * its own, as Linux 4.14 and its mlx4 driver drive it.
 */
class NicQueuePath : public SimpleRefCount<NicQueuePath>
{
  public:
    /**
     * @param name the queue's name, e.g. `eth0.txq3`
     * @param lockKind kind of spin lock (KernelLock::GetSpinLockKinds)
     * @param doorbell what it takes until a doorbell has left the CPU, ns
     * @param scale software work, as a multiple of what was counted
     */
    NicQueuePath(const std::string& name,
                 const std::string& lockKind,
                 double doorbell,
                 double scale);

    /**
     * `dev_queue_xmit` of a packet, with an empty queue: discipline, transmit lock, driver.
     * @param path the path
     * @param dropRoute records skb_dst_drop (the device has IFF_XMIT_DST_RELEASE)
     */
    void RecordXmit(KernelPath& path, const std::function<void(KernelPath&)>& dropRoute) const;
    /**
     * The interrupt that says that packets have left, up to its polling loop.
     * @param path the path
     */
    void RecordCompletionEnter(KernelPath& path) const;
    /**
     * One packet of the polling loop, up to its being freed.
     * @param path the path
     */
    void RecordCompletionPacket(KernelPath& path) const;
    /**
     * What follows the polling loop: the queue's byte limit, the driver's ring.
     * @param path the path
     */
    void RecordCompletionLeave(KernelPath& path) const;

  private:
    double m_doorbell;      //!< ns
    double m_scale;         //!< software work
    Ptr<KernelLock> m_root; //!< lock of the queueing discipline
    Ptr<KernelLock> m_xmit; //!< _xmit_lock
    LineField m_state;      //!< netdev_queue.state, on the line of _xmit_lock
    LineField m_cons;       //!< the ring's consumer index
};

} // namespace linuxhost
} // namespace ns3

#endif /* MULTI_QUEUE_NIC_PATH_H */
