/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_READ_PATH_H
#define TUN_READ_PATH_H

#include "packet-lines.h"

#include "ns3/kernel-path.h"
#include "ns3/store-barrier.h"
#include "ns3/wait-queue.h"

#include <deque>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * One queue of a tap device (struct tun_file) between those who send through the device and those
 * who read its file: what each does per packet, before and after "net-tun: restructure tun_do_read
 * for better sleep/wakeup efficiency" (Linux 3.15 and 3.16).
 *
 * Before, a reader is on the wait queue for as long as it is inside read(), and who sends wakes the
 * queue in any case. After, a reader looks for a packet first, waits exclusively and only when
 * there is none, and who sends looks without the lock whether anybody waits.
 */
class TunQueuePath : public SimpleRefCount<TunQueuePath>
{
  public:
    /// What one queue is like.
    struct Settings
    {
        std::string name;     //!< name
        std::string lockKind; //!< kind of spin lock
        bool restructured;    //!< the patch
        bool blocking;        //!< readers sleep; else they poll
        uint32_t limit;       //!< txqueuelen: packets from which on packets are dropped
        uint32_t size;        //!< bytes a frame
    };

    /**
     * @param settings what it is like
     * @param slots the packets
     */
    TunQueuePath(const Settings& settings, Ptr<PacketSlots> slots);

    /// @param task a task that reads the queue's file
    void AddReader(Ptr<KernelTask> task);
    /// @returns packets dropped because the queue was full
    uint64_t GetDrops() const;
    /// @returns the wait queue
    const WaitQueue& GetWaitQueue() const;

    /**
     * `tun_net_xmit`: queue the packet that the CPU has at hand, and wake the readers.
     * @param path the sender's path
     * @param sharesCache of each reader, whether its CPU shares the sender's last-level cache
     */
    void RecordXmit(KernelPath& path, const std::vector<bool>& sharesCache);
    /**
     * `tun_do_read`: a packet from the queue, or none when the readers do not block.
     * @param path the reader's path
     * @param reader the reader, as they were added
     * @param scale the share of the counted work that is done
     * @param none a label, to go on at when there is no packet and the readers do not block
     */
    void RecordRead(KernelPath& path, uint32_t reader, double scale, int32_t none);

    /**
     * The allocation of a packet, and its data.
     * @param path the sender's path
     * @param scale the share of the counted work that is done
     */
    void RecordAllocate(KernelPath& path, double scale);

    /**
     * A locked operation on a line of the CPU's own: it waits until the stores so far have drained.
     * @param path a path
     * @param symbol kernel symbol
     * @param note what it is
     */
    void RecordBarrier(KernelPath& path, const std::string& symbol, const std::string& note);

  private:
    /**
     * `skb_dequeue`
     * @param path the reader's path
     */
    void RecordDequeue(KernelPath& path);
    /**
     * Copy the packet to the user and free it.
     * @param path the reader's path
     * @param scale the share of the counted work that is done
     */
    void RecordConsume(KernelPath& path, double scale);

    Settings m_settings;                   //!< what it is like
    Ptr<PacketSlots> m_slots;              //!< packets
    LineField m_qlen;                      //!< sk_receive_queue.qlen
    LineField m_tail;                      //!< sk_receive_queue.prev, same line
    Ptr<KernelLock> m_lock;                //!< sk_receive_queue.lock, same line
    std::deque<uint32_t> m_queue;          //!< sk_receive_queue
    Ptr<WaitQueue> m_wait;                 //!< wq.wait
    std::vector<Ptr<WaitEntry>> m_readers; //!< readers
    uint64_t m_drops;                      //!< dropped packets
    Ptr<PacketLines> m_skbFront;           //!< sk_buff: links, length
    Ptr<PacketLines> m_skbBack;            //!< sk_buff: pointers to the data, references
    Ptr<PacketLines> m_free;               //!< start of the data's object: the allocator's link
    Ptr<PacketLines> m_data;               //!< the frame
    Ptr<PacketLines> m_shared;             //!< skb_shared_info
    Ptr<StoreBarrier> m_barrier;           //!< locked operations on lines of the CPU's own
    Ptr<SlabPages> m_skbSlab;              //!< slabs of sk_buffs
    Ptr<SlabPages> m_dataSlab;             //!< slabs of data
};

/**
 * @ingroup linux-host
 * A program that writes frames to one tap device as fast as it can; a bridge hands them to another,
 * whose queues others read. It all happens inside write(). As Linux 3.15 does it.
 */
class TunSendPath
{
  public:
    /**
     * @param work software work of a packet up to the second device, in instructions
     * @param lockKind kind of spin lock
     * @param size bytes a frame
     */
    TunSendPath(double work, const std::string& lockKind, uint32_t size);

    /**
     * @param path the sender's path
     * @param queues the second device's queues, used in turn
     * @param sharesCache of each queue's readers, whether their CPUs share the sender's last-level
     *        cache
     */
    void Record(KernelPath& path,
                const std::vector<Ptr<TunQueuePath>>& queues,
                const std::vector<std::vector<bool>>& sharesCache) const;

    /// @returns the work as it was counted in the source, in instructions
    static double GetCounted();

  private:
    double m_scale;         //!< share of the counted work
    std::string m_lockKind; //!< kind of spin lock
    uint32_t m_size;        //!< bytes a frame
};

/**
 * @ingroup linux-host
 * A program that reads frames from a queue of a tap device.
 */
class TunReceivePath
{
  public:
    /// @param work software work of a packet in the reader, sleep apart, in instructions
    explicit TunReceivePath(double work);

    /**
     * @param path the reader's path
     * @param queue the queue
     * @param reader which of its readers this is
     */
    void Record(KernelPath& path, Ptr<TunQueuePath> queue, uint32_t reader) const;

    /// @returns the work as it was counted in the source, in instructions
    static double GetCounted();

  private:
    double m_scale; //!< share of the counted work
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_READ_PATH_H */
