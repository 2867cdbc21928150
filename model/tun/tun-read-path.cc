/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-read-path.h"

namespace ns3
{
namespace linuxhost
{

// Instruction counts are of the fast path of Linux 3.15, x86-64, without debugging options, good to
// about a third; the two sums are what is fitted. The order of the steps and the lines they touch
// are the source's own.

namespace
{

// The sender.
const double USER_LOOP = 150; // the program's loop, the C library's wrapper
const double WRITE = 260;     // entry and exit, sys_write, fget_light, do_sync_write
const double GET_USER = 200;  // tun_chr_aio_write, tun_get_user, eth_type_trans
const double ALLOC_SKB = 330; // sock_alloc_send_pskb, __alloc_skb, two objects
const double FLOW_HASH = 120; // flow dissector
const double NETIF_RX = 150;  // netif_rx_ni, enqueue_to_backlog
const double SOFTIRQ = 230;   // do_softirq, net_rx_action
const double BACKLOG = 100;   // process_backlog
const double RECEIVE = 170;   // __netif_receive_skb_core
const double BRIDGE = 480;    // br_handle_frame to br_dev_queue_push_xmit, four hooks
const double DEV_XMIT = 280;  // __dev_queue_xmit, sch_direct_xmit, dev_hard_start_xmit
const double TUN_XMIT = 130;  // tun_net_xmit, socket filter
const double SENDER_COUNTED = USER_LOOP + WRITE + GET_USER + ALLOC_SKB + FLOW_HASH + NETIF_RX +
                              SOFTIRQ + BACKLOG + RECEIVE + BRIDGE + DEV_XMIT + TUN_XMIT;

// The reader.
const double READ = 260;      // entry and exit, sys_read, fget_light, do_sync_read
const double DO_READ = 110;   // tun_chr_aio_read, tun_do_read
const double PUT_USER = 150;  // tun_put_user
const double FREE_SKB = 130;  // kfree_skb, skb_release_data
const double SLAB_FREE = 220; // __slab_free, two objects
const double READER_COUNTED = USER_LOOP + READ + DO_READ + PUT_USER + FREE_SKB + SLAB_FREE;

// What differs between the variants: skb_dequeue, or sock_error, the timeout, the flags and the
// walk of __skb_recv_datagram, without the lock's own work and the unlinking; and
// wait_for_more_packets.
const double DEQUEUE = 10;
const double RECV_DATAGRAM = 42;
const double WAIT_FOR_MORE = 45;

const double SLAB_REFILL = 6; // __slab_alloc: 200, once in 32 objects

/// Bytes of the data's object before the frame: NET_SKB_PAD and NET_IP_ALIGN.
const uint32_t HEADROOM = 66;
const uint32_t LINE = 64;

/**
 * @param path a path
 */
void
IrqSave(KernelPath& path)
{
    path.Work("_raw_spin_lock_irqsave",
              RunQueue::SPIN_LOCK + RunQueue::IRQ_SAVE,
              "save and restore the interrupt flag");
}

} // namespace

TunQueuePath::TunQueuePath(const Settings& settings, Ptr<PacketSlots> slots)
    : m_settings(settings),
      m_slots(slots),
      m_drops(0)
{
    Ptr<CacheLine> line = Create<CacheLine>(settings.name + ".sk_receive_queue");
    m_qlen = LineField(line, "qlen");
    m_tail = LineField(line, "prev");
    m_lock = KernelLock::Make(settings.lockKind, settings.name + ".sk_receive_queue.lock", line);
    m_wait = Create<WaitQueue>(settings.name + ".wq", settings.lockKind);
    const uint32_t PAIR = 2;
    m_skbFront = Create<PacketLines>("skb.front", slots, PAIR);
    m_skbBack = Create<PacketLines>("skb.back", slots, PAIR);
    m_free = Create<PacketLines>("skb.data object", slots, 1);
    uint32_t last = HEADROOM + settings.size - 1;
    uint32_t frame = last / LINE - HEADROOM / LINE + 1;
    m_data = Create<PacketLines>("skb.data", slots, frame);
    m_shared = Create<PacketLines>("skb_shared_info", slots, 1);
    m_barrier = Create<StoreBarrier>(line);
    m_skbSlab = Create<SlabPages>("skbuff_head_cache", slots);
    m_dataSlab = Create<SlabPages>("kmalloc", slots);
}

void
TunQueuePath::AddReader(Ptr<KernelTask> task)
{
    m_readers.push_back(Create<WaitEntry>(task));
}

uint64_t
TunQueuePath::GetDrops() const
{
    return m_drops;
}

const WaitQueue&
TunQueuePath::GetWaitQueue() const
{
    return *m_wait;
}

void
TunQueuePath::RecordBarrier(KernelPath& path, const std::string& symbol, const std::string& note)
{
    path.Operate(m_barrier, StoreBarrier::BARRIER, symbol, note);
}

void
TunQueuePath::RecordAllocate(KernelPath& path, double scale)
{
    const char* const SYMBOL = "kmem_cache_alloc";
    const double SHARE = ALLOC_SKB * scale / 3;
    Ptr<PacketSlots> slots = m_slots;
    path.Work("sock_alloc_send_pskb", SHARE / 2);
    path.Call([slots](CallMoment& moment) { slots->Allocate(moment.cpu); }, SYMBOL, "the next one");
    path.Operate(m_skbSlab, SlabPages::ALLOCATE, SYMBOL);
    path.Operate(m_skbFront, PacketLines::PREFETCH, SYMBOL, "prefetch_freepointer");
    path.Operate(m_skbFront, PacketLines::STORE_RECYCLED, "__alloc_skb", "clear");
    path.Operate(m_skbBack, PacketLines::STORE_RECYCLED, "__alloc_skb", "clear");
    path.Work(SYMBOL, SHARE + SLAB_REFILL);
    path.Operate(m_dataSlab, SlabPages::ALLOCATE, SYMBOL);
    path.Operate(m_free, PacketLines::PREFETCH, SYMBOL, "prefetch_freepointer");
    path.Operate(m_shared, PacketLines::STORE_RECYCLED, "__alloc_skb", "clear");
    path.Work("__alloc_skb", SHARE + SLAB_REFILL);
    path.Work("sock_alloc_send_pskb", SHARE / 2);
    RecordBarrier(path, "sock_alloc_send_pskb", "sk_wmem_alloc");
    path.Operate(m_data, PacketLines::STORE_RECYCLED, "copy_from_user", "the frame");
    path.Copy("copy_from_user", m_settings.size);
}

void
TunQueuePath::RecordXmit(KernelPath& path, const std::vector<bool>& sharesCache)
{
    int32_t drop = path.NewLabel("drop");
    int32_t queued = path.NewLabel("queued");
    path.Read(m_qlen, "tun_net_xmit", "full? no lock");
    path.Call(
        [this, drop](CallMoment& moment) {
            moment.jump = m_queue.size() >= m_settings.limit ? drop : -1;
        },
        "tun_net_xmit",
        "qlen * numqueues against tx_queue_len");
    path.Work("sock_wfree", 60, "skb_orphan");
    IrqSave(path);
    path.Operate(m_barrier, StoreBarrier::DRAIN, "_raw_spin_lock_irqsave");
    path.Operate(m_lock, KernelLock::LOCK, "_raw_spin_lock_irqsave", "skb_queue_tail");
    path.Work("skb_queue_tail", 12);
    path.Call(
        [this](CallMoment& moment) {
            PacketSlots::Hand& hand = m_slots->At(moment.cpu);
            hand.neighbour = m_queue.empty() ? PacketSlots::NONE : m_queue.back();
            m_queue.push_back(hand.packet);
        },
        "skb_queue_tail",
        "last in the queue");
    path.Operate(m_skbFront, PacketLines::STORE_NEIGHBOUR, "skb_queue_tail", "link");
    path.Write(m_qlen, "skb_queue_tail");
    path.Operate(m_lock, KernelLock::UNLOCK, "_raw_spin_unlock_irqrestore", "skb_queue_tail");
    // Readers that poll are never on the queue.
    std::vector<Ptr<WaitEntry>> waiters;
    if (m_settings.blocking)
    {
        waiters = m_readers;
    }
    if (!m_settings.restructured)
    {
        m_wait->RecordWakeUp(path, waiters, sharesCache, false);
    }
    else
    {
        path.Work("sock_def_readable", 15);
        int32_t nobody = path.NewLabel("nobody waits");
        m_wait->RecordHasSleeper(path, nobody);
        m_wait->RecordWakeUp(path, waiters, sharesCache, true);
        path.PlaceLabel(nobody);
        path.Work("sock_def_readable", 7, "sk_wake_async");
    }
    path.Jump(queued);
    path.PlaceLabel(drop);
    path.Call([this](CallMoment&) { ++m_drops; }, "tun_net_xmit", "tx_dropped");
    path.Work("kfree_skb", FREE_SKB + SLAB_FREE, "back to the CPU's own slabs");
    path.PlaceLabel(queued);
}

void
TunQueuePath::RecordDequeue(KernelPath& path)
{
    const char* const SYMBOL = m_settings.restructured ? "__skb_recv_datagram" : "skb_dequeue";
    int32_t empty = path.NewLabel("empty");
    path.Work(SYMBOL, m_settings.restructured ? RECV_DATAGRAM : DEQUEUE);
    IrqSave(path);
    path.Operate(m_barrier, StoreBarrier::DRAIN, "_raw_spin_lock_irqsave");
    path.Operate(m_lock, KernelLock::LOCK, "_raw_spin_lock_irqsave", SYMBOL);
    path.Work(SYMBOL, 12);
    path.Call(
        [this, empty](CallMoment& moment) {
            PacketSlots::Hand& hand = m_slots->At(moment.cpu);
            hand = {PacketSlots::NONE, PacketSlots::NONE};
            if (m_queue.empty())
            {
                moment.jump = empty;
                return;
            }
            hand.packet = m_queue.front();
            m_queue.pop_front();
            hand.neighbour = m_queue.empty() ? PacketSlots::NONE : m_queue.front();
        },
        SYMBOL,
        "the first, if any");
    path.Operate(m_skbFront, PacketLines::LOAD, SYMBOL, "next, prev");
    path.Operate(m_skbFront, PacketLines::STORE, SYMBOL, "unlink");
    path.Operate(m_skbFront, PacketLines::STORE_NEIGHBOUR, SYMBOL, "unlink");
    path.Write(m_qlen, SYMBOL);
    path.PlaceLabel(empty);
    path.Operate(m_lock, KernelLock::UNLOCK, "_raw_spin_unlock_irqrestore", SYMBOL);
}

void
TunQueuePath::RecordConsume(KernelPath& path, double scale)
{
    path.Work("tun_put_user", PUT_USER * scale);
    path.Operate(m_skbBack, PacketLines::LOAD, "tun_put_user", "where the frame is");
    path.Operate(m_shared, PacketLines::LOAD_AHEAD, "copy_to_user", "adjacent line");
    path.Operate(m_data, PacketLines::LOAD, "copy_to_user", "the frame");
    path.Copy("copy_to_user", m_settings.size);
    path.Operate(m_shared, PacketLines::LOAD, "skb_release_data");
    path.Work("kfree_skb", FREE_SKB * scale);
    const double SHARE = SLAB_FREE * scale / 2;
    path.Work("__slab_free", SHARE);
    path.Operate(m_free, PacketLines::STORE, "__slab_free", "the allocator's link");
    path.Operate(m_dataSlab, SlabPages::FREE, "__slab_free", "cmpxchg_double");
    path.Work("__slab_free", SHARE);
    path.Operate(m_skbFront, PacketLines::STORE, "__slab_free", "the allocator's link");
    path.Operate(m_skbSlab, SlabPages::FREE, "__slab_free", "cmpxchg_double");
}

void
TunQueuePath::RecordRead(KernelPath& path, uint32_t reader, double scale, int32_t none)
{
    Ptr<WaitEntry> entry = m_readers.at(reader);
    Ptr<KernelTask> task = entry->task;
    int32_t again = path.NewLabel("again");
    int32_t sleep = path.NewLabel("sleep");
    int32_t read = path.NewLabel("read");
    bool waits = m_settings.blocking;
    bool patched = m_settings.restructured;

    if (waits && !patched)
    {
        m_wait->RecordAdd(path, entry);
    }
    path.PlaceLabel(again);
    if (waits && !patched)
    {
        task->RecordSetState(path, "tun_do_read", false, false);
    }
    RecordDequeue(path);
    int32_t otherwise = waits ? sleep : none;
    path.Call(
        [this, otherwise](CallMoment& moment) {
            bool empty = m_slots->At(moment.cpu).packet == PacketSlots::NONE;
            moment.jump = empty ? otherwise : -1;
        },
        "tun_do_read",
        waits ? "empty: sleep" : "empty: EAGAIN");
    RecordConsume(path, scale);
    if (waits && !patched)
    {
        task->RecordSetState(path, "tun_do_read", true, false);
        m_wait->RecordRemove(path, entry);
    }
    if (!waits)
    {
        return;
    }
    path.Jump(read);
    path.PlaceLabel(sleep);
    if (!patched)
    {
        path.Work("tun_do_read", 25, "signal_pending, reg_state");
        task->RecordSchedule(path);
    }
    else
    {
        int32_t finish = path.NewLabel("finish");
        m_wait->RecordPrepareExclusive(path, entry);
        path.Work("__skb_recv_datagram", WAIT_FOR_MORE, "errors, shutdown");
        path.Read(m_tail, "__skb_recv_datagram", "still empty? no lock");
        path.Call(
            [this, finish](CallMoment& moment) { moment.jump = m_queue.empty() ? -1 : finish; },
            "__skb_recv_datagram",
            "no: do not sleep");
        path.Work("schedule_timeout", 25, "signal_pending; no timeout");
        task->RecordSchedule(path);
        path.PlaceLabel(finish);
        m_wait->RecordFinish(path, entry);
    }
    path.Jump(again);
    path.PlaceLabel(read);
}

TunSendPath::TunSendPath(double work, const std::string& lockKind, uint32_t size)
    : m_scale(work / SENDER_COUNTED),
      m_lockKind(lockKind),
      m_size(size)
{
}

double
TunSendPath::GetCounted()
{
    return SENDER_COUNTED;
}

void
TunSendPath::Record(KernelPath& path,
                    const std::vector<Ptr<TunQueuePath>>& queues,
                    const std::vector<std::vector<bool>>& sharesCache) const
{
    auto lock = [this](const std::string& name) {
        return KernelLock::Make(m_lockKind, name, Create<CacheLine>(name));
    };
    Ptr<KernelLock> backlog = lock("input_pkt_queue.lock");
    Ptr<KernelLock> qdisc = lock("tap0.qdisc.lock");
    Ptr<KernelLock> txq = lock("tap0._xmit_lock");
    auto hold = [&path](Ptr<KernelLock> l, const std::string& note, double work) {
        path.Operate(l, KernelLock::LOCK, "_raw_spin_lock", note);
        path.Work(note, work);
        path.Operate(l, KernelLock::UNLOCK, "_raw_spin_unlock", note);
    };
    std::vector<int32_t> labels;
    for (std::size_t i = 0; i < queues.size(); ++i)
    {
        labels.push_back(path.NewLabel("queue " + std::to_string(i)));
    }
    int32_t sent = path.NewLabel("sent");
    if (queues.size() > 1)
    {
        auto turn = std::make_shared<std::size_t>(0);
        path.Call(
            [labels, turn](CallMoment& moment) {
                moment.jump = labels[*turn];
                *turn = (*turn + 1) % labels.size();
            },
            "sendmmsg",
            "the flow whose turn it is");
    }
    for (std::size_t i = 0; i < queues.size(); ++i)
    {
        if (queues.size() > 1)
        {
            path.PlaceLabel(labels[i]);
        }
        TunQueuePath& queue = *queues[i];
        path.SetMode(CpuMode::USER);
        path.Work("write", USER_LOOP * m_scale, "the program's loop, the C library's wrapper");
        path.SetMode(CpuMode::SYSTEM);
        path.Work("sys_write", WRITE * m_scale, "entry and exit, fget_light");
        path.Work("tun_get_user", GET_USER * m_scale);
        path.Copy("tun_get_user", m_size, "the user's frame");
        queue.RecordAllocate(path, m_scale);
        path.Work("__skb_get_hash", FLOW_HASH * m_scale);
        path.Work("netif_rx_ni", NETIF_RX * m_scale);
        queue.RecordBarrier(path, "enqueue_to_backlog", "input_pkt_queue.lock");
        hold(backlog, "enqueue_to_backlog", 20);
        path.SetMode(CpuMode::SOFTIRQ);
        path.Work("net_rx_action", SOFTIRQ * m_scale, "do_softirq in line: one packet each");
        hold(backlog, "process_backlog", 20);
        path.Work("process_backlog", BACKLOG * m_scale);
        path.Work("__netif_receive_skb_core", RECEIVE * m_scale);
        path.Work("br_handle_frame", BRIDGE * m_scale, "and forward; four empty hooks");
        hold(qdisc, "__dev_xmit_skb", 20);
        path.Work("__dev_queue_xmit", DEV_XMIT * m_scale);
        path.Operate(txq, KernelLock::LOCK, "_raw_spin_lock", "HARD_TX_LOCK");
        path.Work("tun_net_xmit", TUN_XMIT * m_scale);
        queue.RecordXmit(path, sharesCache[i]);
        path.Operate(txq, KernelLock::UNLOCK, "_raw_spin_unlock", "HARD_TX_UNLOCK");
        queue.RecordBarrier(path, "sch_direct_xmit", "tap0.qdisc.lock");
        hold(qdisc, "sch_direct_xmit", 20);
        path.SetMode(CpuMode::SYSTEM);
        if (queues.size() > 1)
        {
            path.Jump(sent);
        }
    }
    path.PlaceLabel(sent);
}

TunReceivePath::TunReceivePath(double work)
    : m_scale(work / READER_COUNTED)
{
}

double
TunReceivePath::GetCounted()
{
    return READER_COUNTED;
}

void
TunReceivePath::Record(KernelPath& path, Ptr<TunQueuePath> queue, uint32_t reader) const
{
    int32_t none = path.NewLabel("EAGAIN");
    path.SetMode(CpuMode::USER);
    path.Work("read", USER_LOOP * m_scale, "the program's loop, the C library's wrapper");
    path.SetMode(CpuMode::SYSTEM);
    path.Work("sys_read", READ * m_scale, "entry and exit, fget_light");
    path.Work("tun_do_read", DO_READ * m_scale);
    queue->RecordRead(path, reader, m_scale, none);
    path.Frame();
    path.PlaceLabel(none);
}

} // namespace linuxhost
} // namespace ns3
