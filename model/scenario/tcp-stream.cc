/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-stream.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

// Instruction counts are of the fast path of Linux 3.7, x86-64, without debugging options: counted
// in the source, one function at a time, good to about a third. The order of the steps is the
// source's own.

namespace
{

const double SYSCALL = 145;      // system_call: 58 ns on an E5520
const double SWITCH = 350;       // schedule, context_switch
const double TRY_TO_WAKE = 300;  // try_to_wake_up, ttwu_queue
const double IRQ = 350;          // do_IRQ: entry, exit, the interrupt controller
const double SOFTIRQ = 120;      // __do_softirq
const double NET_RX = 80;        // net_rx_action
const double POLL = 60;          // the driver's poll
const double IP_OUTPUT = 330;    // ip_queue_xmit, ip_local_out, ip_output, ip_finish_output
const double TRANSMIT = 320;     // tcp_transmit_skb: clone, header, timestamps
const double ALLOC_SKB = 240;    // __alloc_skb, two objects
const double FREE_SKB = 130;     // kfree_skb, two objects
const double FREE_FRAGMENT = 40; // put_page
const double RECEIVE_SKB = 120;  // __netif_receive_skb
const double VLAN_UNTAG = 60;    // vlan_untag
const double VLAN_RECEIVE = 90;  // vlan_do_receive, another round
const double VLAN_INSERT = 80;   // skb_cow, twelve bytes moved
const double IP_RCV = 170;       // ip_rcv, route from the socket (early demux)
const double TCP_RCV = 150;      // tcp_v4_rcv: lookup
const double TCP_ACK = 350;      // tcp_rcv_established, tcp_ack
const double CLEAN_SKB = 120;    // tcp_clean_rtx_queue
const double TCP_DATA = 420;     // tcp_v4_do_rcv, tcp_rcv_established, tcp_queue_rcv
const double GRO_FRAME = 280;    // napi_gro_frags: dev, vlan, inet, tcp; skb_gro_receive
const double PAGE_ALLOC = 220;   // alloc_pages, map, with its share of the buddy lists
const double PAGE_FREE = 180;    // free_hot_cold_page, the same
const double LRO_FRAME = 240;    // lro_receive_frags: headers, checks, checksum, descriptor
const double PAGES = 600;        // alloc_pages and free of 32 KB (skb_page_frag_refill)
const double FRAGMENT = 32768;   // bytes of it
const double SPIN_LOCK = 9;      // beside the atomic operation

/// Bytes that the program copies between two looks at interrupts.
const uint32_t CHUNK = 4096;

/// TCP's initial window, in segments.
const uint32_t FIRST_WINDOW = 10;
const double TICKS_PER_NS = 1000;

} // namespace

StreamHost::StreamHost(const Parts& parts,
                       const StreamSettings& settings,
                       std::vector<StreamFlow>& flows)
    : m_parts(parts),
      m_settings(settings),
      m_flows(flows),
      m_cpus(parts.cpus)
{
    m_parts.port->SetInterrupt([this](uint32_t queue) { OnInterrupt(queue); });
}

void
StreamHost::SetEngine(Ptr<CpuEngine> engine)
{
    m_engine = engine;
}

void
StreamHost::Stop()
{
    m_parts.port->Stop();
    m_parts.hands->SetRelease(nullptr);
    m_engine = nullptr;
}

Ptr<NicPort>
StreamHost::GetPort() const
{
    return m_parts.port;
}

double
StreamHost::GetBusy() const
{
    CpuUsage usage = m_engine->GetUsage();
    double busy = 0;
    for (CpuMode mode : {CpuMode::USER, CpuMode::SYSTEM, CpuMode::SOFTIRQ, CpuMode::SPIN})
    {
        busy += usage.modeTicks[static_cast<uint32_t>(mode)];
    }
    return busy;
}

double
StreamHost::GetBusy(CpuId cpu) const
{
    CpuUsage usage = m_engine->GetUsage();
    return static_cast<double>(usage.elapsed - usage.idleByCpu[cpu]);
}

const StreamHost::Parts&
StreamHost::GetParts() const
{
    return m_parts;
}

std::vector<CpuId>
StreamHost::GetUsedCpus() const
{
    std::vector<CpuId> used = m_parts.programCpu;
    used.insert(used.end(), m_parts.interruptCpu.begin(), m_parts.interruptCpu.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

void
StreamHost::OnInterrupt(uint32_t queue)
{
    if (!m_engine)
    {
        return;
    }
    m_engine->Sync();
    CpuId cpu = m_parts.interruptCpu[queue];
    m_cpus[cpu].interrupts.push_back(queue);
    Wake(cpu, m_engine->GetNow());
}

void
StreamHost::Wake(CpuId cpu, Ticks now)
{
    if (m_cpus[cpu].idle)
    {
        m_cpus[cpu].idle = false;
        // Spread as work is: a constant would keep waker and sleeper in step.
        double spread = m_engine->GetMachine()->GetWorkSpread();
        double exit =
            m_settings.idleExit * TICKS_PER_NS * (1 + spread * (2 * m_engine->Draw() - 1));
        m_engine->Wake(cpu, now + static_cast<Ticks>(exit));
    }
}

void
StreamHost::JumpTo(KernelPath& path, std::function<int32_t()> label, const std::string& symbol)
{
    path.Call([label](CallMoment& moment) { moment.jump = label(); }, symbol, "back");
}

void
StreamHost::RecordDispatch(KernelPath& path, CpuId id, const Labels& labels)
{
    path.SetMode(CpuMode::SYSTEM);
    path.PlaceLabel(labels.dispatch);
    path.Call(
        [this, id, labels](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            if (!cpu.interrupts.empty())
            {
                cpu.back = labels.dispatch;
                moment.jump = labels.interrupt;
                return;
            }
            const auto flows = static_cast<uint32_t>(m_flows.size());
            for (uint32_t i = 1; i <= flows; ++i)
            {
                uint32_t flow = (cpu.last + i) % flows;
                if (m_parts.programCpu[flow] == id && IsRunnable(m_flows[flow]))
                {
                    cpu.flow = flow;
                    cpu.last = flow;
                    int32_t resume = GetResume(m_flows[flow]);
                    moment.jump = resume >= 0 ? resume : labels.start;
                    return;
                }
            }
            cpu.idle = true;
            moment.sleep = true;
        },
        "cpu_idle",
        "an interrupt, a program, or nothing to do");
    path.Jump(labels.dispatch);
}

void
StreamHost::RecordInterruptible(KernelPath& path, CpuId id, const Labels& labels)
{
    int32_t on = path.NewLabel();
    path.Call(
        [this, id, labels, on](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            if (!cpu.interrupts.empty())
            {
                cpu.back = on;
                moment.jump = labels.interrupt;
            }
        },
        "common_interrupt",
        "if one is pending");
    path.PlaceLabel(on);
}

void
StreamHost::RecordInterrupt(KernelPath& path, CpuId id, const Labels& labels)
{
    const NicModel& nic = *m_parts.port->GetModel();
    path.SetMode(CpuMode::SYSTEM);
    path.PlaceLabel(labels.interrupt);
    path.Work("do_IRQ", IRQ);
    path.Work(nic.GetDriver() + "_intr", nic.interruptWork);
    path.Call(
        [this, id](CallMoment&) {
            Cpu& cpu = m_cpus[id];
            cpu.queue = cpu.interrupts.front();
            cpu.interrupts.pop_front();
        },
        nic.GetDriver() + "_intr",
        "napi_schedule");
    path.SetMode(CpuMode::SOFTIRQ);
    path.Work("__do_softirq", SOFTIRQ);
    path.Work("net_rx_action", NET_RX);
    path.Work(nic.GetDriver() + "_poll", POLL);
}

void
StreamHost::RecordSent(KernelPath& path, CpuId id, bool data)
{
    const std::string symbol = m_parts.port->GetModel()->GetDriver() + "_tx_done";
    int32_t next = path.NewLabel("sent packets");
    int32_t none = path.NewLabel("no more sent");
    path.PlaceLabel(next);
    path.Call(
        [this, id, none](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            if (!m_parts.port->TakeSent(cpu.queue, &cpu.packet))
            {
                moment.jump = none;
                return;
            }
            m_parts.hands->Free(cpu.packet.flow, cpu.packet.charge);
        },
        symbol,
        "is one sent?");
    m_parts.device->RecordCompletion(path);
    path.Jump(next);
    path.PlaceLabel(none);
    // A queue that was stopped goes on.
    for (uint32_t queue = 0; queue < m_parts.port->GetNQueues(); ++queue)
    {
        if (m_parts.interruptCpu[queue] != id)
        {
            continue;
        }
        int32_t skip = path.NewLabel();
        path.Call(
            [this, id, queue, skip](CallMoment& moment) {
                bool woken = m_cpus[id].queue == queue && m_parts.port->Wake(queue);
                moment.jump = woken ? -1 : skip;
            },
            "netif_tx_wake_queue",
            "was the queue stopped?");
        Ptr<QdiscPath> qdisc = m_parts.device->GetQdisc(queue);
        if (!qdisc->HasDriver())
        {
            // The first CPU that is recorded sends further down its path.
            m_parts.transmit(Create<KernelPath>("to come"), queue, data);
        }
        qdisc->RecordRestart(path);
        path.PlaceLabel(skip);
    }
}

void
StreamHost::RecordPollEnd(KernelPath& path, CpuId id)
{
    const NicModel& nic = *m_parts.port->GetModel();
    path.Work("napi_complete", 60);
    path.Delay(nic.GetDriver() + "_poll", nic.pioNs, "interrupts on: one write to the card");
    path.Call([this, id](CallMoment&) { m_parts.port->Unmask(m_cpus[id].queue); },
              nic.GetDriver() + "_poll",
              "interrupts again",
              true);
    JumpTo(path, [this, id]() { return m_cpus[id].back; }, "irq_exit");
}

void
StreamHost::RecordNetwork(KernelPath& path) const
{
    path.Work("tcp_transmit_skb", TRANSMIT);
    path.Work("ip_queue_xmit", IP_OUTPUT, "route from the socket; empty netfilter hooks");
    path.Work(m_settings.visibleTag ? "vlan_dev_hard_header" : "neigh_resolve_output",
              m_settings.visibleTag ? 60 : 40,
              m_settings.visibleTag ? "the tag is in the header" : "header from the cache");
}

void
StreamHost::RecordTransmit(Ptr<KernelPath> path, CpuId id, bool data)
{
    const uint32_t queues = m_parts.port->GetNQueues();
    if (queues == 1)
    {
        m_parts.transmit(path, 0, data);
        return;
    }
    // Those that any CPU can choose for any flow: a socket keeps the choice of another CPU.
    std::vector<int32_t> labels(queues, -1);
    for (CpuId cpu : GetUsedCpus())
    {
        for (uint32_t hash : m_parts.flowHash)
        {
            labels[m_parts.device->PickQueue(cpu, hash)] = 0;
        }
    }
    for (auto& label : labels)
    {
        label = label < 0 ? label : path->NewLabel("transmit queue");
    }
    int32_t done = path->NewLabel("in the queue");
    path->Call(
        [this, id, data, labels](CallMoment& moment) {
            const XmitSkb& skb = m_parts.hands->At(id).skb;
            StreamFlow& flow = m_flows[skb.flow];
            // Packets of a stream must not overtake each other in two queues: it keeps its queue
            // while others of it are below TCP (ooo_okay).
            const bool keeps = data && flow.wmem > skb.charge;
            const uint32_t queue =
                keeps ? flow.xmitQueue : m_parts.device->PickQueue(id, m_parts.flowHash[skb.flow]);
            flow.xmitQueue = data ? queue : flow.xmitQueue;
            moment.jump = labels[queue];
        },
        "netdev_pick_tx",
        "the CPU's queue, or that of the flow's hash");
    for (uint32_t queue = 0; queue < queues; ++queue)
    {
        if (labels[queue] >= 0)
        {
            path->PlaceLabel(labels[queue]);
            m_parts.transmit(path, queue, data);
            path->Jump(done);
        }
    }
    path->PlaceLabel(done);
}

void
StreamHost::RecordReceive(KernelPath& path) const
{
    path.Work("__netif_receive_skb", RECEIVE_SKB);
    for (uint32_t i = 0; i < m_settings.tags; ++i)
    {
        if (m_settings.untags || i > 0)
        {
            path.Work("vlan_untag", VLAN_UNTAG, "tag from the frame");
        }
        path.Work("vlan_do_receive", VLAN_RECEIVE, "the VLAN device; another round");
        if (m_settings.reinserts)
        {
            path.Work("vlan_insert_tag", VLAN_INSERT, "REORDER_HDR is off");
        }
    }
    path.Work("ip_rcv", IP_RCV);
    path.Work("tcp_v4_rcv", TCP_RCV);
}

StreamSender::StreamSender(const Parts& parts,
                           const StreamSettings& settings,
                           std::vector<StreamFlow>& flows)
    : StreamHost(parts, settings, flows)
{
    for (auto& flow : flows)
    {
        flow.cwnd = static_cast<uint64_t>(FIRST_WINDOW) * settings.mss;
        flow.edge = settings.window;
        flow.offered = settings.window;
    }
    parts.hands->SetRelease([this](uint32_t flow, uint32_t bytes) {
        StreamFlow& owner = m_flows[flow];
        owner.wmem -= std::min<uint64_t>(bytes, owner.wmem);
        owner.queued = owner.queued || owner.throttled;
        owner.throttled = false;
    });
    for (uint32_t queue = 0; queue < parts.port->GetNQueues(); ++queue)
    {
        parts.device->GetQdisc(queue)->SetDropped([this](const XmitSkb& skb) {
            const uint32_t bytes = skb.segments * skb.payload;
            m_flows[skb.flow].neverPosted += bytes;
            OnLoss(skb.flow, bytes);
        });
    }
}

bool
StreamSender::IsRunnable(const StreamFlow& flow) const
{
    return flow.sendRunnable;
}

int32_t
StreamSender::GetResume(const StreamFlow& flow) const
{
    return flow.sendResume;
}

uint32_t
StreamSender::Choose(StreamFlow& flow) const
{
    if (m_settings.tsq > 0 && flow.wmem >= m_settings.tsq)
    {
        flow.throttles += flow.throttled ? 0 : 1;
        flow.throttled = true;
        return 0;
    }
    const uint64_t waiting = (flow.written - flow.sent) / m_settings.mss;
    const uint64_t inFlight = flow.sent - flow.acked;
    const uint64_t byWindow = flow.edge - std::min(flow.edge, flow.sent);
    const uint64_t byCwnd = flow.cwnd - std::min(flow.cwnd, inFlight);
    const uint64_t allowed = std::min(byWindow, byCwnd) / m_settings.mss;
    const uint64_t wanted = std::min<uint64_t>(waiting, m_settings.goal);
    if (wanted == 0 || allowed == 0)
    {
        return 0;
    }
    // tcp_tso_should_defer: better a large packet soon than a small one now.
    const uint64_t DIVISOR = 3;
    const uint64_t enough = std::min(flow.edge - flow.acked, flow.cwnd) / m_settings.mss / DIVISOR;
    if (allowed < wanted && inFlight > 0 && allowed < enough)
    {
        return 0;
    }
    return static_cast<uint32_t>(std::min(wanted, allowed));
}

void
StreamSender::OnAck(StreamFlow& flow, const NicPacket& packet) const
{
    flow.edge = std::max(flow.edge, packet.edge);
    if (flow.lost > 0)
    {
        // What was lost is sent again.
        SendAgain(packet.flow, std::min(flow.lost, flow.sent - std::max(flow.acked, packet.ack)));
    }
    if (packet.ack <= flow.acked)
    {
        return;
    }
    const uint64_t bytes = packet.ack - flow.acked;
    flow.acked = packet.ack;
    flow.cwnd += flow.cwnd < flow.threshold ? bytes : bytes * m_settings.mss / flow.cwnd;
    flow.cwnd = std::min<uint64_t>(flow.cwnd, 2 * static_cast<uint64_t>(m_settings.window));
}

void
StreamSender::OnLoss(uint32_t number, uint32_t bytes)
{
    StreamFlow& flow = m_flows[number];
    if (bytes > 0 && flow.lost == 0)
    {
        // TCP_RTO_MIN
        Simulator::Schedule(MilliSeconds(200),
                            &StreamSender::OnTimeout,
                            Ptr<StreamSender>(this),
                            number,
                            flow.acked);
        flow.cwnd = std::max<uint64_t>(flow.cwnd / 2, 2 * m_settings.mss);
        flow.threshold = flow.cwnd;
    }
    flow.lost += bytes;
}

void
StreamSender::SendAgain(uint32_t number, uint64_t bytes) const
{
    StreamFlow& flow = m_flows[number];
    flow.sent -= bytes;
    flow.lost = 0;
    // The card counts what comes to it.
    m_parts.port->TakeBack(number, bytes - std::min(bytes, flow.neverPosted));
    flow.neverPosted = 0;
}

void
StreamSender::OnTimeout(uint32_t number, uint64_t acked)
{
    if (!m_engine)
    {
        return;
    }
    StreamFlow& flow = m_flows[number];
    if (flow.lost == 0 || flow.acked != acked)
    {
        return;
    }
    SendAgain(number, std::min(flow.lost, flow.sent - flow.acked));
    // A frame that the receiver has not told of yet has left the network: nothing else would make
    // it tell, without a timer of its own.
    flow.cwnd = flow.sent - flow.acked + m_settings.mss;
    // What is left to do is the tasklet's: the CPU of the program is sent there.
    flow.queued = true;
    const auto& cpus = m_parts.interruptCpu;
    const auto queue = std::find(cpus.begin(), cpus.end(), m_parts.programCpu[number]);
    OnInterrupt(queue == cpus.end() ? 0 : static_cast<uint32_t>(queue - cpus.begin()));
}

Ptr<KernelPath>
StreamSender::Record(CpuId id)
{
    Ptr<KernelPath> record = Create<KernelPath>("netperf TCP_STREAM, " + m_parts.name);
    KernelPath& path = *record;
    const NicModel& nic = *m_parts.port->GetModel();
    Labels labels{path.NewLabel("dispatch"), path.NewLabel("send"), path.NewLabel("interrupt")};
    int32_t chunk = path.NewLabel("next page");
    int32_t blocked = path.NewLabel("no memory");
    int32_t resumed = path.NewLabel("memory again");
    int32_t pushed = path.NewLabel("pushed");
    int32_t sent = path.NewLabel("all copied");
    int32_t xmit = path.NewLabel("tcp_write_xmit");
    RecordDispatch(path, id, labels);

    // send(): copies, and sends whenever there is enough.
    const bool gso = m_settings.goal > 1;
    const uint32_t unit = gso ? CHUNK : m_settings.mss;
    const uint32_t chunks = std::max(1U, (m_settings.message + unit - 1) / unit);
    const uint32_t bytes = (m_settings.message + chunks - 1) / chunks;
    path.PlaceLabel(labels.start);
    path.SetMode(CpuMode::USER);
    path.Work("netperf", 200, "the program's loop, the C library's wrapper");
    path.SetMode(CpuMode::SYSTEM);
    path.Work("system_call", SYSCALL, "entry and exit");
    path.Work("sys_sendto", 130, "fget_light");
    path.Work("sock_sendmsg", 70);
    path.Work("inet_sendmsg", 30);
    path.Work("tcp_sendmsg", 180, "lock_sock, tcp_send_mss");
    path.Call([this, id](CallMoment&) { m_flows[m_cpus[id].flow].message = m_settings.message; },
              "tcp_sendmsg");
    path.PlaceLabel(chunk);
    path.Call(
        [this, id, blocked](CallMoment& moment) {
            const StreamFlow& flow = m_flows[m_cpus[id].flow];
            moment.jump = flow.written - flow.acked >= m_settings.sendBuffer ? blocked : -1;
        },
        "tcp_sendmsg",
        "sk_stream_memory_free");
    path.Work("tcp_sendmsg", 60, "the loop over pages");
    if (gso)
    {
        path.Work("skb_page_frag_refill", PAGES * bytes / FRAGMENT, "pages of 32 KB");
        path.Copy("copy_user_generic_string", bytes, "the user's data");
    }
    else
    {
        path.Work("sk_stream_alloc_skb", ALLOC_SKB + 60);
        path.Copy(m_settings.sums ? "csum_partial_copy_generic" : "copy_user_generic_string",
                  bytes,
                  "the user's data");
        if (m_settings.sums)
        {
            path.Checksum("csum_partial_copy_generic", bytes, "the device does not checksum");
        }
    }
    path.Call(
        [this, id, xmit, pushed, bytes](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            StreamFlow& flow = m_flows[cpu.flow];
            uint32_t now = std::min(bytes, flow.message);
            flow.written += now;
            flow.message -= now;
            const uint64_t goal = static_cast<uint64_t>(m_settings.goal) * m_settings.mss;
            if (flow.message == 0 || flow.written - flow.sent >= goal)
            {
                cpu.xmitFlow = cpu.flow;
                cpu.xmitBack = pushed;
                moment.jump = xmit;
            }
        },
        "tcp_push",
        "is there enough for a packet?");
    path.PlaceLabel(pushed);
    path.SetMode(CpuMode::SYSTEM);
    RecordInterruptible(path, id, labels);
    path.Call(
        [this, id, sent](CallMoment& moment) {
            moment.jump = m_flows[m_cpus[id].flow].message == 0 ? sent : -1;
        },
        "tcp_sendmsg");
    path.Jump(chunk);
    path.PlaceLabel(sent);
    path.Work("release_sock", 60);
    path.Jump(labels.dispatch);

    path.PlaceLabel(blocked);
    path.Work("sk_stream_wait_memory", 220, "release_sock, prepare_to_wait");
    path.Work("schedule", SWITCH);
    path.Call(
        [this, id, resumed](CallMoment&) {
            StreamFlow& flow = m_flows[m_cpus[id].flow];
            flow.sendResume = resumed;
            flow.blocked = flow.written - flow.acked >= m_settings.sendBuffer * 2 / 3;
            flow.sendRunnable = !flow.blocked;
        },
        "sk_stream_wait_memory",
        "until a third is free");
    path.Jump(labels.dispatch);
    path.PlaceLabel(resumed);
    path.Work("schedule", SWITCH);
    path.Work("sk_stream_wait_memory", 80, "finish_wait, lock_sock");
    path.Call([this, id](CallMoment&) { m_flows[m_cpus[id].flow].sendResume = -1; },
              "sk_stream_wait_memory");
    path.Jump(chunk);

    // tcp_write_xmit: as many packets as may be sent now.
    path.PlaceLabel(xmit);
    path.Work("tcp_write_xmit", 100, "windows, TSQ, tcp_tso_should_defer");
    path.Call(
        [this, id](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            StreamFlow& flow = m_flows[cpu.xmitFlow];
            const uint32_t segments = Choose(flow);
            if (segments == 0)
            {
                moment.jump = cpu.xmitBack;
                return;
            }
            XmitHands::Hand& hand = m_parts.hands->At(id);
            hand.left = 0;
            hand.outLeft = 0;
            hand.skb.flow = cpu.xmitFlow;
            hand.skb.segments = segments;
            hand.skb.payload = m_settings.mss;
            hand.skb.charge = segments * m_settings.mss + m_settings.overhead;
            flow.sent += static_cast<uint64_t>(segments) * m_settings.mss;
            flow.wmem += hand.skb.charge;
        },
        "tcp_write_xmit",
        "how many segments may be sent?");
    if (gso)
    {
        path.Work("tcp_sendmsg", ALLOC_SKB + 60, "sk_stream_alloc_skb of the next packet");
    }
    RecordNetwork(path);
    RecordTransmit(record, id, true);
    path.SetMode(CpuMode::SYSTEM);
    path.Work("tcp_event_new_data_sent", 60);
    path.Jump(xmit);

    // The interrupt: what was sent, acknowledgements, and what they let go.
    int32_t receive = path.NewLabel("received packets");
    int32_t received = path.NewLabel("no more received");
    int32_t clean = path.NewLabel("acknowledged packets");
    int32_t cleaned = path.NewLabel("all freed");
    int32_t acted = path.NewLabel("acknowledgement done");
    int32_t asleep = path.NewLabel("nobody waits for memory");
    int32_t tasklet = path.NewLabel("TSQ tasklet");
    int32_t done = path.NewLabel("nobody throttled");
    RecordInterrupt(path, id, labels);
    RecordSent(path, id, true);
    path.PlaceLabel(receive);
    path.Call(
        [this, id, received](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            moment.jump = m_parts.port->TakeReceived(cpu.queue, &cpu.packet) ? -1 : received;
        },
        nic.GetDriver() + "_clean_rx_done",
        "is there a packet?");
    path.Delay(nic.GetDriver() + "_rx_done",
               nic.receiveTouch * m_settings.memory,
               "completion and headers, from memory");
    path.Work(nic.GetDriver() + "_rx_done", nic.receiveWork);
    RecordReceive(path);
    path.Work("tcp_ack", TCP_ACK);
    path.Call(
        [this, id](CallMoment&) { OnAck(m_flows[m_cpus[id].packet.flow], m_cpus[id].packet); },
        "tcp_ack",
        "windows");
    path.PlaceLabel(clean);
    path.Call(
        [this, id, cleaned](CallMoment& moment) {
            StreamFlow& flow = m_flows[m_cpus[id].packet.flow];
            const uint64_t packet = static_cast<uint64_t>(m_settings.goal) * m_settings.mss;
            moment.jump = flow.cleaned + packet > flow.acked ? cleaned : -1;
            flow.cleaned += moment.jump < 0 ? packet : 0;
        },
        "tcp_clean_rtx_queue",
        "is the oldest packet acknowledged?");
    path.Work("tcp_clean_rtx_queue", CLEAN_SKB);
    path.Work("kfree_skb", FREE_SKB + (gso ? 3 : 1) * FREE_FRAGMENT, "its pages");
    path.Jump(clean);
    path.PlaceLabel(cleaned);
    path.Work("kfree_skb", FREE_SKB, "the acknowledgement");
    path.Call(
        [this, id, asleep](CallMoment& moment) {
            StreamFlow& flow = m_flows[m_cpus[id].packet.flow];
            const bool wakes =
                flow.blocked && flow.written - flow.acked <= m_settings.sendBuffer * 2 / 3;
            moment.jump = wakes ? -1 : asleep;
        },
        "sk_stream_write_space",
        "does anybody wait?");
    path.Work("try_to_wake_up", TRY_TO_WAKE);
    path.Call(
        [this, id](CallMoment& moment) {
            const uint32_t number = m_cpus[id].packet.flow;
            m_flows[number].blocked = false;
            m_flows[number].sendRunnable = true;
            Wake(m_parts.programCpu[number], moment.now);
        },
        "try_to_wake_up");
    path.PlaceLabel(asleep);
    path.Call(
        [this, id, xmit, acted](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            cpu.xmitFlow = cpu.packet.flow;
            cpu.xmitBack = acted;
            moment.jump = xmit;
        },
        "tcp_data_snd_check");
    path.PlaceLabel(acted);
    path.SetMode(CpuMode::SOFTIRQ);
    path.Jump(receive);
    path.PlaceLabel(received);
    path.PlaceLabel(tasklet);
    path.Call(
        [this, id, xmit, tasklet, done](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            moment.jump = done;
            for (uint32_t i = 0; i < m_flows.size(); ++i)
            {
                StreamFlow& flow = m_flows[i];
                if (flow.queued)
                {
                    flow.queued = false;
                    cpu.xmitFlow = i;
                    cpu.xmitBack = tasklet;
                    moment.jump = xmit;
                    return;
                }
            }
        },
        "tcp_tasklet_func",
        "who was held back, and is no longer?");
    path.PlaceLabel(done);
    path.SetMode(CpuMode::SOFTIRQ);
    RecordPollEnd(path, id);
    return record;
}

StreamReceiver::StreamReceiver(const Parts& parts,
                               const StreamSettings& settings,
                               std::vector<StreamFlow>& flows)
    : StreamHost(parts, settings, flows),
      m_merged(0),
      m_acks(0)
{
    for (auto& cpu : m_cpus)
    {
        cpu.merging = MergeList(settings.merging);
    }
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        std::string name = flows.size() == 1 ? "sk" : "sk" + std::to_string(i);
        Ptr<CacheLine> line = Create<CacheLine>(name + ".sk_lock");
        m_shared.push_back({KernelLock::Make(settings.lockKind, name + ".slock", line),
                            LineField(Create<CacheLine>(name + ".skb")),
                            LineField(Create<CacheLine>(name + ".task")),
                            LineField(Create<CacheLine>(name + ".rq"))});
    }
}

bool
StreamReceiver::IsRunnable(const StreamFlow& flow) const
{
    return flow.receiveRunnable;
}

int32_t
StreamReceiver::GetResume(const StreamFlow& flow) const
{
    return flow.receiveResume;
}

uint64_t
StreamReceiver::GetMerged() const
{
    return m_merged;
}

uint64_t
StreamReceiver::GetAcks() const
{
    return m_acks;
}

void
StreamReceiver::RecordForFlow(KernelPath& path,
                              std::function<uint32_t()> flow,
                              const std::function<void(const Shared&)>& body)
{
    for (uint32_t i = 0; i < m_shared.size(); ++i)
    {
        if (m_shared.size() == 1)
        {
            body(m_shared[i]);
            return;
        }
        int32_t other = path.NewLabel();
        path.Call([flow, i, other](CallMoment& moment) { moment.jump = flow() == i ? -1 : other; },
                  "lock_sock",
                  "this socket?");
        body(m_shared[i]);
        path.PlaceLabel(other);
    }
}

void
StreamReceiver::RecordProgram(KernelPath& path,
                              CpuId id,
                              const Labels& labels,
                              int32_t tcp,
                              int32_t ack)
{
    int32_t copy = path.NewLabel("next fragment");
    int32_t freed = path.NewLabel("packet read");
    int32_t empty = path.NewLabel("queue empty");
    int32_t flush = path.NewLabel("packets for the owner");
    int32_t awake = path.NewLabel("data or woken");
    int32_t resumed = path.NewLabel("woken");
    int32_t done = path.NewLabel("recv() over");
    int32_t told = path.NewLabel("window told");
    auto flow = [this, id]() { return m_cpus[id].flow; };
    // The slock's holder looks at the backlog and says who owns the socket.
    auto own = [&](const std::string& symbol, std::function<void(CallMoment&, StreamFlow&)> then) {
        RecordForFlow(path, flow, [&](const Shared& shared) {
            path.Work("lock_sock_nested", SPIN_LOCK + 40);
            path.Operate(shared.lock, KernelLock::LOCK, "_raw_spin_lock_bh", "slock");
            path.Call(
                [this, id, then](CallMoment& moment) { then(moment, m_flows[m_cpus[id].flow]); },
                symbol);
            path.Operate(shared.lock, KernelLock::UNLOCK, "_raw_spin_unlock_bh", "slock");
        });
    };
    auto lock = [&]() {
        own("lock_sock_nested", [](CallMoment&, StreamFlow& flow) { flow.owned = true; });
    };
    // Packets that came meanwhile go through TCP, one by one until there are none.
    auto workOff = [&](const std::string& symbol, const std::string& what) {
        int32_t again = path.NewLabel(what);
        int32_t none = path.NewLabel(what + ": none left");
        path.PlaceLabel(again);
        path.Call(
            [this, id, tcp, again, none](CallMoment& moment) {
                Cpu& cpu = m_cpus[id];
                StreamFlow& flow = m_flows[cpu.flow];
                if (flow.backlog.empty())
                {
                    moment.jump = none;
                    return;
                }
                cpu.tcpFlow = cpu.flow;
                cpu.tcpBytes = flow.backlog.front();
                cpu.tcpBack = again;
                flow.backlog.pop_front();
                moment.jump = tcp;
            },
            symbol,
            what);
        path.PlaceLabel(none);
        return again;
    };
    // The socket has an owner until its backlog is empty.
    auto release = [&]() {
        int32_t again = workOff("__release_sock", "packets for the owner");
        own("release_sock",
            [](CallMoment&, StreamFlow& flow) { flow.owned = !flow.backlog.empty(); });
        path.Call(
            [this, id, again](CallMoment& moment) {
                moment.jump = m_flows[m_cpus[id].flow].owned ? again : -1;
            },
            "release_sock");
    };

    path.PlaceLabel(labels.start);
    path.SetMode(CpuMode::USER);
    path.Work("netserver", 200, "the program's loop, the C library's wrapper");
    path.SetMode(CpuMode::SYSTEM);
    path.Work("system_call", SYSCALL, "entry and exit");
    path.Work("sys_recvfrom", 130, "fget_light");
    path.Work("sock_recvmsg", 70);
    path.Work("inet_recvmsg", 30);
    path.Work("tcp_recvmsg", 120);
    lock();
    path.Call([this, id](CallMoment&) { m_flows[m_cpus[id].flow].read = 0; }, "tcp_recvmsg");

    // A fragment of a packet is what one frame brought.
    path.PlaceLabel(copy);
    path.Call(
        [this, id, empty](CallMoment& moment) {
            StreamFlow& flow = m_flows[m_cpus[id].flow];
            if (flow.left == 0)
            {
                if (flow.queue.empty())
                {
                    moment.jump = empty;
                    return;
                }
                flow.left = flow.queue.front();
                flow.queue.pop_front();
            }
        },
        "tcp_recvmsg",
        "is there a packet?");
    path.Work("skb_copy_datagram_iovec", 70, "a fragment");
    path.Delay("copy_user_generic_string",
               m_settings.mss * m_settings.coldCopy,
               "from memory, where DMA put it");
    if (m_settings.sumsReceived)
    {
        path.Checksum("csum_partial_copy_to_user", m_settings.mss, "the card did not check it");
    }
    path.Work("put_page", FREE_FRAGMENT);
    path.Work("free_hot_cold_page", PAGE_FREE * m_settings.pages);
    path.Delay("put_page",
               m_settings.pageMove * m_settings.pages,
               "the page's descriptor: the driver has allocated it");
    path.Call(
        [this, id, freed](CallMoment& moment) {
            StreamFlow& flow = m_flows[m_cpus[id].flow];
            const uint32_t bytes = std::min(flow.left, m_settings.mss);
            flow.left -= bytes;
            flow.read += bytes;
            flow.consumed += bytes;
            moment.jump = flow.left == 0 ? -1 : freed;
        },
        "tcp_recvmsg",
        "all of the packet?");
    path.Work("kfree_skb", FREE_SKB);
    path.PlaceLabel(freed);
    RecordInterruptible(path, id, labels);
    path.Call(
        [this, id, done](CallMoment& moment) {
            moment.jump = m_flows[m_cpus[id].flow].read >= m_settings.receive ? done : -1;
        },
        "tcp_recvmsg",
        "is the buffer full?");
    path.Jump(copy);

    // Nothing queued: what came meanwhile is in the backlog.
    path.PlaceLabel(empty);
    path.Call(
        [this, id, done, flush](CallMoment& moment) {
            const StreamFlow& flow = m_flows[m_cpus[id].flow];
            if (flow.read > 0)
            {
                moment.jump = flow.backlog.empty() ? done : flush;
            }
        },
        "tcp_recvmsg",
        "something was read: that will do");
    path.Work("sk_wait_data", 120, "prepare_to_wait");
    release();
    path.Call(
        [this, id, awake](CallMoment& moment) {
            moment.jump = m_flows[m_cpus[id].flow].queue.empty() ? -1 : awake;
        },
        "sk_wait_data",
        "is there anything now?");
    path.Work("schedule", SWITCH);
    path.Call(
        [this, id, resumed, labels](CallMoment& moment) {
            StreamFlow& flow = m_flows[m_cpus[id].flow];
            flow.receiveResume = resumed;
            // A packet may have come meanwhile.
            flow.asleep = flow.queue.empty();
            flow.receiveRunnable = !flow.asleep;
            moment.jump = labels.dispatch;
        },
        "schedule",
        "until there is data");
    path.PlaceLabel(resumed);
    path.Work("schedule", SWITCH);
    path.Call([this, id](CallMoment&) { m_flows[m_cpus[id].flow].receiveResume = -1; }, "schedule");
    path.PlaceLabel(awake);
    path.Work("sk_wait_data", 60, "finish_wait");
    lock();
    workOff("tcp_prequeue_process", "the prequeue");
    path.Jump(copy);
    path.PlaceLabel(flush);
    path.Work("release_sock", 40);
    release();
    lock();
    path.Jump(copy);

    path.PlaceLabel(done);
    path.Work("tcp_cleanup_rbuf", 60);
    path.Call(
        [this, id, ack, told](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            const StreamFlow& flow = m_flows[cpu.flow];
            const uint64_t now = flow.offered - flow.received;
            const uint64_t could = flow.consumed + m_settings.window - flow.received;
            const bool due = flow.received - flow.told > m_settings.mss;
            if (due || could >= 2 * now)
            {
                cpu.tcpFlow = cpu.flow;
                cpu.ackBack = told;
                moment.jump = ack;
            }
        },
        "tcp_cleanup_rbuf",
        "is an acknowledgement due, or the window twice as large?");
    path.PlaceLabel(told);
    path.SetMode(CpuMode::SYSTEM);
    release();
    path.Jump(labels.dispatch);
}

void
StreamReceiver::RecordPoll(KernelPath& path, CpuId id, int32_t sent, int32_t deliver)
{
    const NicModel& nic = *m_parts.port->GetModel();
    const std::string symbol = nic.GetDriver() + "_clean_rx_done";
    int32_t poll = path.NewLabel("poll");
    int32_t next = path.NewLabel("next frame");
    int32_t merge = path.NewLabel("merge");
    int32_t over = path.NewLabel("poll over");
    int32_t flushed = path.NewLabel("flushed");
    path.SetMode(CpuMode::SOFTIRQ);
    path.PlaceLabel(poll);
    path.Call([this, id](CallMoment&) { m_cpus[id].polled = 0; }, symbol);
    path.PlaceLabel(next);
    path.Call(
        [this, id, over](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            if (cpu.polled >= m_parts.port->GetModel()->napiWeight ||
                !m_parts.port->TakeReceived(cpu.queue, &cpu.packet))
            {
                moment.jump = over;
                return;
            }
            ++cpu.polled;
        },
        symbol,
        "is there a frame?");
    path.Delay(nic.GetDriver() + "_rx_done",
               nic.receiveTouch * m_settings.memory,
               "completion and headers, from memory");
    path.Work(nic.GetDriver() + "_rx_done", nic.receiveWork);
    path.Work("get_page_from_freelist", PAGE_ALLOC * m_settings.pages, "a new buffer");
    path.Delay("get_page_from_freelist",
               m_settings.pageMove * m_settings.pages,
               "the page's descriptor: the reader has freed it");
    path.Delay(nic.GetDriver() + "_submit_8rx", nic.refillWrites * nic.pioNs, "the card is told");
    if (m_settings.lro)
    {
        path.Work("__lro_proc_segment", LRO_FRAME);
    }
    else if (m_settings.gro)
    {
        path.Work("napi_gro_frags", GRO_FRAME);
    }
    path.Frame();
    path.PlaceLabel(merge);
    path.Call(
        [this, id, deliver, merge, next](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            const auto verdict =
                cpu.merging.Offer(cpu.packet.flow, cpu.packet.payload, &cpu.delivered);
            cpu.deliverBack = verdict == MergeList::AFTER ? merge : next;
            moment.jump = verdict == MergeList::HELD ? next : deliver;
        },
        m_settings.lro ? "__lro_proc_segment" : "napi_gro_frags",
        "into the packet of its flow that is being merged");
    path.PlaceLabel(over);
    path.Call(
        [this, id, deliver, over, flushed](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            if (cpu.merging.TakeOldest(&cpu.delivered))
            {
                cpu.deliverBack = cpu.merging.GetHeld() > 0 ? over : flushed;
                moment.jump = deliver;
            }
        },
        m_settings.lro ? "lro_flush_all" : "napi_gro_flush");
    path.PlaceLabel(flushed);
    path.SetMode(CpuMode::SOFTIRQ);
    int32_t complete = path.NewLabel("no more work");
    path.Call(
        [this, id, complete](CallMoment& moment) {
            moment.jump = m_cpus[id].polled < m_parts.port->GetModel()->napiWeight ? complete : -1;
        },
        "net_rx_action",
        "was that all?");
    path.Work("net_rx_action", NET_RX, "the device is polled again");
    path.Jump(nic.sentInPoll > 0 ? sent : poll);
    path.PlaceLabel(complete);
    RecordPollEnd(path, id);
}

void
StreamReceiver::RecordDeliver(KernelPath& path, CpuId id, int32_t deliver, int32_t tcp)
{
    int32_t queued = path.NewLabel("owned or awaited");
    int32_t looked = path.NewLabel("TCP is through");
    int32_t awake = path.NewLabel("nobody sleeps");
    auto flow = [this, id]() { return m_cpus[id].delivered.flow; };
    path.PlaceLabel(deliver);
    path.SetMode(CpuMode::SOFTIRQ);
    path.Work("__alloc_skb", ALLOC_SKB, "for the merged frames");
    RecordReceive(path);
    RecordForFlow(path, flow, [&](const Shared& shared) {
        path.Write(shared.packet, "tcp_v4_rcv", "the packet");
        path.Work("_raw_spin_lock", SPIN_LOCK);
        path.Operate(shared.lock, KernelLock::LOCK, "_raw_spin_lock", "bh_lock_sock_nested");
        path.Work("tcp_v4_rcv", 30);
    });
    path.Call(
        [this, id, tcp, queued, looked](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            StreamFlow& flow = m_flows[cpu.delivered.flow];
            ++m_merged;
            if (flow.owned || flow.asleep)
            {
                flow.backlog.push_back(cpu.delivered.bytes);
                moment.jump = queued;
                return;
            }
            cpu.tcpFlow = cpu.delivered.flow;
            cpu.tcpBytes = cpu.delivered.bytes;
            cpu.tcpBack = looked;
            moment.jump = tcp;
        },
        "tcp_v4_rcv",
        "backlog of the owner, prequeue of who waits, or at once");
    path.PlaceLabel(queued);
    path.Work("sk_add_backlog", 40);
    path.PlaceLabel(looked);
    path.SetMode(CpuMode::SOFTIRQ);
    RecordForFlow(path, flow, [&](const Shared& shared) {
        path.Operate(shared.lock, KernelLock::UNLOCK, "_raw_spin_unlock", "bh_unlock_sock");
    });
    path.Call(
        [this, id, awake](CallMoment& moment) {
            moment.jump = m_flows[m_cpus[id].delivered.flow].asleep ? -1 : awake;
        },
        "sock_def_readable",
        "does the reader sleep?");
    path.Work("try_to_wake_up", TRY_TO_WAKE);
    RecordForFlow(path, flow, [&](const Shared& shared) {
        path.Rmw(shared.task, "try_to_wake_up", "pi_lock, state");
        path.Rmw(shared.runQueue, "try_to_wake_up", "rq->lock, enqueue");
    });
    path.Call(
        [this, id](CallMoment& moment) {
            const uint32_t number = m_cpus[id].delivered.flow;
            m_flows[number].asleep = false;
            m_flows[number].receiveRunnable = true;
            Wake(m_parts.programCpu[number], moment.now);
        },
        "try_to_wake_up");
    path.PlaceLabel(awake);
    JumpTo(path, [this, id]() { return m_cpus[id].deliverBack; }, "netif_receive_skb");
}

Ptr<KernelPath>
StreamReceiver::Record(CpuId id)
{
    Ptr<KernelPath> record = Create<KernelPath>("netserver, " + m_parts.name);
    KernelPath& path = *record;
    Labels labels{path.NewLabel("dispatch"), path.NewLabel("recv"), path.NewLabel("interrupt")};
    int32_t tcp = path.NewLabel("TCP's input");
    int32_t through = path.NewLabel("acknowledged");
    int32_t ack = path.NewLabel("acknowledge");
    int32_t deliver = path.NewLabel("deliver");
    RecordDispatch(path, id, labels);
    RecordProgram(path, id, labels, tcp, ack);
    RecordInterrupt(path, id, labels);
    int32_t sent = path.NewLabel("what was sent");
    path.PlaceLabel(sent);
    RecordSent(path, id, false);
    RecordPoll(path, id, sent, deliver);
    RecordDeliver(path, id, deliver, tcp);

    path.PlaceLabel(tcp);
    path.SetMode(CpuMode::SYSTEM);
    auto flow = [this, id]() { return m_cpus[id].tcpFlow; };
    RecordForFlow(path, flow, [&](const Shared& shared) {
        path.Read(shared.packet, "tcp_rcv_established", "the packet");
    });
    path.Delay("tcp_rcv_established", m_settings.memory, "headers");
    path.Work("tcp_rcv_established", TCP_DATA, "tcp_queue_rcv, tcp_event_data_recv");
    path.Call(
        [this, id, ack, through](CallMoment& moment) {
            Cpu& cpu = m_cpus[id];
            StreamFlow& flow = m_flows[cpu.tcpFlow];
            flow.queue.push_back(cpu.tcpBytes);
            flow.received += cpu.tcpBytes;
            if (flow.received - flow.told >= 2 * m_settings.mss)
            {
                cpu.ackBack = through;
                moment.jump = ack;
            }
        },
        "__tcp_ack_snd_check",
        "two frames' worth: acknowledge");
    path.PlaceLabel(through);
    JumpTo(path, [this, id]() { return m_cpus[id].tcpBack; }, "tcp_v4_do_rcv");

    path.PlaceLabel(ack);
    path.SetMode(CpuMode::SYSTEM);
    path.Work("tcp_send_ack", ALLOC_SKB + 40);
    path.Call(
        [this, id](CallMoment&) {
            Cpu& cpu = m_cpus[id];
            StreamFlow& flow = m_flows[cpu.tcpFlow];
            flow.told = flow.received;
            flow.offered = std::max(flow.offered, flow.consumed + m_settings.window);
            ++m_acks;
            XmitHands::Hand& hand = m_parts.hands->At(id);
            hand = XmitHands::Hand();
            hand.skb.flow = cpu.tcpFlow;
            hand.skb.ack = flow.told;
            hand.skb.edge = flow.offered;
        },
        "tcp_send_ack",
        "tcp_select_window");
    RecordNetwork(path);
    RecordTransmit(record, id, false);
    path.SetMode(CpuMode::SYSTEM);
    JumpTo(path, [this, id]() { return m_cpus[id].ackBack; }, "tcp_send_ack");
    return record;
}

} // namespace linuxhost
} // namespace ns3
