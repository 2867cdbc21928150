/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "skb-xmit-path.h"

namespace ns3
{
namespace linuxhost
{

// Instruction counts are of the fast path of Linux 3.7, x86-64, without debugging options: counted
// in the source, one function at a time, good to about a third.

namespace
{

/// The recorder in use.
SkbXmitRecorder* g_recorder = nullptr;

// dev_hard_start_xmit and segmentation.
const double FEATURES = 35;     // netif_skb_features
const double HARD_START = 45;   // dev_hard_start_xmit
const double PUT_TAG = 60;      // __vlan_put_tag: headroom, twelve bytes moved
const double GSO_FRAME = 180;   // dev_gso_segment, skb_gso_segment, inet_, tcp_
const double GSO_ALLOC = 240;   // __alloc_skb, two objects of the CPU's own slabs
const double GSO_SEGMENT = 130; // skb_segment: metadata, headers, the loop
const double GSO_FRAGS = 50;    // skb_segment: references to the fragments
const double GSO_TCP = 60;      // tcp_tso_segment: sequence, flags, checksum
const double GSO_IP = 45;       // inet_gso_segment: identification, length, checksum
const double FREE_SKB = 130;    // kfree_skb, two objects
const double LINEARIZE = 240;   // __pskb_pull_tail

// Queueing discipline and transmit queue.
const double QUEUE_XMIT = 70;   // dev_queue_xmit, netdev_pick_tx
const double DEV_XMIT_SKB = 40; // __dev_xmit_skb
const double DIRECT_XMIT = 50;  // sch_direct_xmit
const double ENQUEUE = 45;      // pfifo_fast_enqueue
const double DEQUEUE = 45;      // pfifo_fast_dequeue
const double TX_ACTION = 90;    // net_tx_action

} // namespace

XmitHands::XmitHands(uint32_t cpus)
    : m_hands(cpus)
{
}

XmitHands::Hand&
XmitHands::At(CpuId cpu)
{
    return m_hands[cpu];
}

void
XmitHands::SetRelease(Release release)
{
    m_release = release;
}

void
XmitHands::Free(uint32_t flow, uint32_t bytes) const
{
    if (bytes > 0 && m_release)
    {
        m_release(flow, bytes);
    }
}

SkbXmitRecorder::SkbXmitRecorder(Ptr<KernelPath> path, Ptr<XmitHands> hands)
    : PathRecorder(path),
      m_path(path),
      m_hands(hands),
      m_outer(g_recorder)
{
    g_recorder = this;
}

SkbXmitRecorder::~SkbXmitRecorder()
{
    g_recorder = m_outer;
}

SkbXmitRecorder*
SkbXmitRecorder::Current()
{
    return g_recorder;
}

KernelPath&
SkbXmitRecorder::GetPath()
{
    return *m_path;
}

Ptr<XmitHands>
SkbXmitRecorder::GetHands() const
{
    return m_hands;
}

SkbXmitRecorder::Silence::Silence(bool silent)
    : m_recorder(g_recorder),
      m_silent(silent)
{
    if (m_silent)
    {
        g_recorder = nullptr;
    }
}

SkbXmitRecorder::Silence::~Silence()
{
    if (m_silent)
    {
        g_recorder = m_recorder;
    }
}

int32_t
SkbXmitRecorder::RecordValidate(KernelPath& path,
                                Ptr<XmitHands> hands,
                                bool atDriver,
                                const SkBuff& skb,
                                const std::vector<SkBuff>& frames,
                                const TransmitWork& work)
{
    path.Work("netif_skb_features", FEATURES, std::to_string(skb.CountTags()) + " tags");
    path.Work("dev_hard_start_xmit", HARD_START);
    if (work.tagsPushed > 0)
    {
        path.Work("__vlan_put_tag", PUT_TAG, "the device inserts no tags");
    }
    if (work.segments == 0)
    {
        if (work.linearized > 0)
        {
            path.Work("__pskb_pull_tail", LINEARIZE);
            path.Copy("skb_copy_bits", work.bytesCopied, "the device does not gather");
        }
        if (work.checksums > 0)
        {
            path.Checksum("skb_checksum_help", work.bytesSummed, "the device does not checksum");
        }
        return -1;
    }
    const SkBuff& first = frames.front();
    const auto size = static_cast<uint32_t>(first.data.size());
    FrameHeaders headers;
    FindFrameHeaders(first.data, &headers);
    const uint32_t headerBytes = size - skb.gsoSize;
    path.Work("skb_gso_segment", GSO_FRAME, "the device does not segment it");
    int32_t loop = path.NewLabel(atDriver ? "next segment, at the driver" : "next segment");
    path.Call(
        [hands, atDriver](CallMoment& moment) {
            XmitHands::Hand& hand = hands->At(moment.cpu);
            (atDriver ? hand.outLeft : hand.left) =
                atDriver ? hand.out.segments : hand.skb.segments;
        },
        "skb_segment",
        "as many segments as it is for");
    path.PlaceLabel(loop);
    path.Work("__alloc_skb", GSO_ALLOC);
    path.Work("skb_segment", GSO_SEGMENT);
    path.Copy("skb_segment", headerBytes, "headers");
    const bool sums = first.ipSummed != ChecksumState::PARTIAL;
    if (first.headLength == size)
    {
        path.Copy(sums ? "csum_partial_copy_generic" : "skb_copy_bits",
                  skb.gsoSize,
                  "the segment's payload: the device does not gather");
    }
    else
    {
        path.Work("skb_segment", GSO_FRAGS, "references to its fragments");
    }
    if (sums)
    {
        path.Checksum("csum_partial_copy_generic", skb.gsoSize, "the device does not checksum");
        path.Checksum("csum_partial", size - skb.gsoSize - headers.transport, "TCP header");
    }
    path.Work("tcp_tso_segment", GSO_TCP);
    path.Work("inet_gso_segment", GSO_IP);
    return loop;
}

void
SkbXmitRecorder::RecordSegmentsEnd(KernelPath& path,
                                   Ptr<XmitHands> hands,
                                   bool atDriver,
                                   int32_t loop)
{
    if (loop < 0)
    {
        return;
    }
    path.Call(
        [hands, atDriver, loop](CallMoment& moment) {
            XmitHands::Hand& hand = hands->At(moment.cpu);
            uint32_t& left = atDriver ? hand.outLeft : hand.left;
            left -= left > 0 ? 1 : 0;
            moment.jump = left > 0 ? loop : -1;
        },
        "dev_hard_start_xmit",
        "until there are no more");
    path.Work("kfree_skb", FREE_SKB, "what was segmented");
    path.Call(
        [hands, atDriver](CallMoment& moment) {
            XmitHands::Hand& hand = hands->At(moment.cpu);
            const XmitSkb& skb = atDriver ? hand.out : hand.skb;
            hands->Free(skb.flow, skb.charge);
        },
        "sock_wfree",
        "its socket is told at once; segments have none");
}

QdiscPath::QdiscPath(const std::string& name,
                     const std::string& lockKind,
                     uint32_t limit,
                     Ptr<XmitHands> hands,
                     Ptr<NicPort> port,
                     uint32_t queue)
    : m_hands(hands),
      m_port(port),
      m_queue(queue),
      m_limit(limit),
      m_running(false),
      m_drops(0)
{
    m_root =
        KernelLock::Make(lockKind, name + ".root_lock", Create<CacheLine>(name + ".root_lock"));
    m_busy = KernelLock::Make(lockKind, name + ".busylock", Create<CacheLine>(name + ".busylock"));
    Ptr<CacheLine> line = Create<CacheLine>(name + ".txq");
    m_xmit = KernelLock::Make(lockKind, name + "._xmit_lock", line);
    m_state = LineField(line, "state");
}

uint64_t
QdiscPath::GetDrops() const
{
    return m_drops;
}

void
QdiscPath::SetDropped(std::function<void(const XmitSkb&)> dropped)
{
    m_dropped = dropped;
}

void
QdiscPath::RecordXmit(KernelPath& path, Driver driver)
{
    m_driver = driver;
    int32_t root = path.NewLabel("root lock");
    int32_t dequeue = path.NewLabel("dequeue");
    int32_t bypass = path.NewLabel("bypass");
    int32_t leave = path.NewLabel("leave");
    int32_t done = path.NewLabel("sent or queued");
    Ptr<XmitHands> hands = m_hands;
    path.Work("dev_queue_xmit", QUEUE_XMIT, "netdev_pick_tx");
    path.Call(
        [this, hands, root](CallMoment& moment) {
            XmitHands::Hand& hand = hands->At(moment.cpu);
            hand.out = hand.skb;
            if (hand.left > 0)
            {
                hand.out.segments = 1;
                hand.out.charge = 0;
            }
            hand.contended = m_running;
            moment.jump = m_running ? -1 : root;
        },
        "__dev_xmit_skb",
        "does another CPU run the discipline?");
    path.Operate(m_busy, KernelLock::LOCK, "_raw_spin_lock", "busylock: one at a time beside it");
    path.PlaceLabel(root);
    path.Operate(m_root, KernelLock::LOCK, "_raw_spin_lock", "qdisc root");
    path.Work("__dev_xmit_skb", DEV_XMIT_SKB);
    path.Call(
        [this, hands, bypass](CallMoment& moment) {
            moment.jump = m_waiting.empty() && !m_running ? bypass : -1;
        },
        "__dev_xmit_skb",
        "empty and not running: bypass it");
    path.Work("pfifo_fast_enqueue", ENQUEUE);
    path.Call(
        [this, hands, leave, dequeue](CallMoment& moment) {
            XmitHands::Hand& hand = hands->At(moment.cpu);
            if (m_waiting.size() >= m_limit)
            {
                ++m_drops;
                hands->Free(hand.out.flow, hand.out.charge);
                if (m_dropped)
                {
                    m_dropped(hand.out);
                }
            }
            else
            {
                m_waiting.push_back(hand.out);
            }
            // Whoever runs it goes on; a stopped queue is run when it is woken.
            const bool others = m_running || m_port->IsStopped(m_queue);
            m_running = m_running || !others;
            moment.jump = others ? leave : dequeue;
        },
        "__dev_xmit_skb",
        "whoever runs it sends this too");
    RecordRun(path, dequeue, bypass);
    path.PlaceLabel(leave);
    path.Operate(m_root, KernelLock::UNLOCK, "_raw_spin_unlock", "qdisc root");
    path.Call(
        [hands, done](CallMoment& moment) {
            XmitHands::Hand& hand = hands->At(moment.cpu);
            moment.jump = hand.contended ? -1 : done;
        },
        "__dev_xmit_skb");
    path.Operate(m_busy, KernelLock::UNLOCK, "_raw_spin_unlock", "busylock");
    path.PlaceLabel(done);
}

void
QdiscPath::RecordRun(KernelPath& path, int32_t dequeue, int32_t bypass)
{
    int32_t stopped = path.NewLabel("stopped");
    int32_t sent = path.NewLabel("one is out");
    Ptr<XmitHands> hands = m_hands;
    path.PlaceLabel(dequeue);
    path.Work("pfifo_fast_dequeue", DEQUEUE);
    path.Call(
        [this, hands](CallMoment& moment) {
            hands->At(moment.cpu).out = m_waiting.front();
            m_waiting.pop_front();
        },
        "pfifo_fast_dequeue");
    path.PlaceLabel(bypass);
    path.Call([this](CallMoment&) { m_running = true; }, "qdisc_run_begin");
    path.Operate(m_root, KernelLock::UNLOCK, "_raw_spin_unlock", "sch_direct_xmit");
    path.Operate(m_xmit, KernelLock::LOCK, "_raw_spin_lock", "HARD_TX_LOCK");
    path.Read(m_state, "sch_direct_xmit", "stopped?");
    path.Work("sch_direct_xmit", DIRECT_XMIT);
    path.Call([this, stopped](
                  CallMoment& moment) { moment.jump = m_port->IsStopped(m_queue) ? stopped : -1; },
              "sch_direct_xmit",
              "the queue may be stopped");
    m_driver(path);
    path.Jump(sent);
    path.PlaceLabel(stopped);
    path.Work("dev_requeue_skb", 30);
    path.Call(
        [this, hands](CallMoment& moment) { m_waiting.push_front(hands->At(moment.cpu).out); },
        "dev_requeue_skb",
        "until the queue is woken");
    path.PlaceLabel(sent);
    path.Operate(m_xmit, KernelLock::UNLOCK, "_raw_spin_unlock", "HARD_TX_UNLOCK");
    path.Operate(m_root, KernelLock::LOCK, "_raw_spin_lock", "qdisc root again");
    path.Call(
        [this, dequeue](CallMoment& moment) {
            m_running = !m_waiting.empty() && !m_port->IsStopped(m_queue);
            moment.jump = m_running ? dequeue : -1;
        },
        "__qdisc_run",
        "more, from others?");
}

bool
QdiscPath::HasDriver() const
{
    return static_cast<bool>(m_driver);
}

void
QdiscPath::RecordRestart(KernelPath& path)
{
    if (!m_driver)
    {
        return;
    }
    int32_t dequeue = path.NewLabel("dequeue, woken");
    int32_t bypass = path.NewLabel("bypass, woken");
    int32_t leave = path.NewLabel("leave, woken");
    path.Work("net_tx_action", TX_ACTION);
    path.Operate(m_root, KernelLock::LOCK, "_raw_spin_lock", "qdisc root");
    path.Call(
        [this, leave](CallMoment& moment) {
            moment.jump = m_running || m_waiting.empty() ? leave : -1;
        },
        "net_tx_action",
        "what waits?");
    RecordRun(path, dequeue, bypass);
    path.PlaceLabel(leave);
    path.Operate(m_root, KernelLock::UNLOCK, "_raw_spin_unlock", "qdisc root");
}

} // namespace linuxhost
} // namespace ns3
