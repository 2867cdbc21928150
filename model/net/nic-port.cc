/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-port.h"

#include "ns3/linux-host-compat.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace linuxhost
{

namespace
{

const double BITS = 8;
const double NS_PER_US = 1000;

/// @returns ns-3's time, ns
double
NowNs()
{
    const double PS_PER_NS = 1000;
    return Simulator::Now().GetPicoSeconds() / PS_PER_NS;
}

/**
 * @param ns a time on ns-3's clock, ns
 * @returns how long until then
 */
Time
Until(double ns)
{
    return NanoSeconds(static_cast<int64_t>(std::ceil(std::max(0.0, ns - NowNs()))));
}

} // namespace

void
ByteQueueLimit::Queued(uint32_t bytes)
{
    m_inFlight += bytes;
    m_held = m_held || IsOver();
}

void
ByteQueueLimit::Completed(uint32_t bytes)
{
    const uint64_t before = m_inFlight;
    m_inFlight -= std::min<uint64_t>(bytes, m_inFlight);
    if (m_held && m_inFlight == 0)
    {
        // The card ran dry while the stack was held back.
        m_limit += std::max<uint64_t>(1, std::min<uint64_t>(before, m_limit + bytes));
        m_lowestSlack = UINT64_MAX;
        m_rounds = 0;
    }
    else if (m_held)
    {
        m_lowestSlack = std::min(m_lowestSlack, m_inFlight);
        const uint32_t PATIENCE = 1000;
        if (++m_rounds >= PATIENCE)
        {
            m_limit -= std::min(m_limit / 2, m_lowestSlack);
            m_lowestSlack = UINT64_MAX;
            m_rounds = 0;
        }
    }
    m_held = IsOver();
}

bool
ByteQueueLimit::IsOver() const
{
    return m_inFlight > m_limit;
}

uint64_t
ByteQueueLimit::GetLimit() const
{
    return m_limit;
}

NicPort::NicPort(Ptr<const NicModel> model)
    : m_model(model),
      m_peer(nullptr),
      m_queues(static_cast<std::size_t>(std::max(1.0, model->queues))),
      m_rss(CreateObject<ReceiveSideScaling>()),
      m_readFree(0),
      m_writeFree(0),
      m_wireFree(0),
      m_counts(),
      m_late(CreateObject<UniformRandomVariable>())
{
    m_rss->SetQueues(GetNQueues());
}

NicPort::~NicPort()
{
    Stop();
}

void
NicPort::Join(NicPort& a, NicPort& b)
{
    a.m_peer = &b;
    b.m_peer = &a;
}

void
NicPort::SetInterrupt(Interrupt interrupt)
{
    m_interrupt = interrupt;
}

void
NicPort::SetLost(std::function<void(const NicPacket&)> lost)
{
    m_lost = lost;
}

void
NicPort::SetArrived(std::function<void(const NicPacket&)> arrived)
{
    m_arrived = arrived;
}

int64_t
NicPort::AssignStreams(int64_t stream)
{
    m_late->SetStream(stream);
    return 1;
}

void
NicPort::Stop()
{
    if (m_peer)
    {
        m_peer->m_peer = nullptr;
        m_peer = nullptr;
    }
    for (auto& queue : m_queues)
    {
        queue.timer.Cancel();
        // The event holds this object.
        queue.timer = EventId();
    }
    m_interrupt = nullptr;
    m_lost = nullptr;
    m_arrived = nullptr;
}

Ptr<const NicModel>
NicPort::GetModel() const
{
    return m_model;
}

uint32_t
NicPort::GetNQueues() const
{
    return static_cast<uint32_t>(m_queues.size());
}

Ptr<ReceiveSideScaling>
NicPort::GetRss() const
{
    return m_rss;
}

void
NicPort::SetFlow(uint32_t flow, const FlowTuple& tuple)
{
    if (m_receiveQueues.size() <= flow)
    {
        m_receiveQueues.resize(flow + 1, m_rss->GetQueue(0));
    }
    m_receiveQueues[flow] = m_rss->GetQueue(m_rss->Hash(tuple));
}

uint32_t
NicPort::GetReceiveQueue(uint32_t flow) const
{
    return flow < m_receiveQueues.size() ? m_receiveQueues[flow] : m_rss->GetQueue(0);
}

const NicPort::Counts&
NicPort::GetCounts() const
{
    return m_counts;
}

uint32_t
NicPort::CountTransmitQueues() const
{
    return static_cast<uint32_t>(std::count_if(m_queues.begin(),
                                               m_queues.end(),
                                               [](const Queue& queue) { return queue.transmits; }));
}

uint32_t
NicPort::CountReceiveQueues() const
{
    return static_cast<uint32_t>(std::count_if(m_queues.begin(),
                                               m_queues.end(),
                                               [](const Queue& queue) { return queue.receives; }));
}

void
NicPort::Post(uint32_t number, const NicPacket& packet)
{
    Queue& queue = m_queues[number];
    queue.transmits = true;
    queue.used += packet.descriptors;
    const uint32_t bytes = packet.frames * packet.frameBytes;
    if (m_model->byteLimit > 0)
    {
        queue.limit.Queued(bytes);
    }
    if (m_model->txRing - queue.used < m_model->stopSlots ||
        (m_model->byteLimit > 0 && queue.limit.IsOver()))
    {
        queue.stopped = true;
        ++m_counts.stops;
    }
    // What the CPU wrote reaches the card, which reads descriptors unless it has them already.
    double ready = NowNs() + m_model->pcieWriteNs;
    ready += m_model->pioBurst > 0 ? 0 : m_model->pcieReadNs;
    if (m_streams.size() <= packet.flow)
    {
        m_streams.resize(packet.flow + 1, 0);
    }
    for (uint32_t i = 0; i < packet.frames; ++i)
    {
        m_readFree = std::max(m_readFree, ready) + packet.frameBytes * BITS / m_model->pcieGbps;
        m_wireFree = std::max(m_wireFree, m_readFree + m_model->pcieReadNs) +
                     (packet.frameBytes + WIRE_OVERHEAD) * BITS / m_model->linkGbps;
        NicPacket frame = packet;
        frame.frames = 1;
        frame.sequence = m_streams[packet.flow];
        m_streams[packet.flow] += packet.payload;
        Ptr<NicPort> self = this;
        Simulator::Schedule(Until(m_wireFree + m_model->cableNs), [self, frame]() {
            if (self->m_peer)
            {
                self->m_peer->Arrive(frame);
            }
        });
    }
    Ptr<NicPort> self = this;
    Simulator::Schedule(Until(m_wireFree + m_model->pcieWriteNs),
                        [self, number, packet]() { self->Sent(number, packet); });
}

void
NicPort::TakeBack(uint32_t flow, uint64_t bytes)
{
    if (flow < m_streams.size())
    {
        m_streams[flow] -= bytes;
    }
}

void
NicPort::Sent(uint32_t queue, const NicPacket& packet)
{
    m_counts.sent += packet.frames;
    m_queues[queue].sent.push_back(packet);
    Event(queue);
}

void
NicPort::Arrive(const NicPacket& packet)
{
    if (m_arrived)
    {
        m_arrived(packet);
    }
    uint32_t number = GetReceiveQueue(packet.flow);
    Queue& queue = m_queues[number];
    queue.receives = true;
    if (queue.buffers >= m_model->rxRing)
    {
        ++m_counts.dropped;
        if (m_lost)
        {
            m_lost(packet);
        }
        return;
    }
    ++queue.buffers;
    m_writeFree = std::max(m_writeFree, NowNs()) + packet.frameBytes * BITS / m_model->pcieGbps;
    Ptr<NicPort> self = this;
    Simulator::Schedule(Until(m_writeFree + m_model->pcieWriteNs),
                        [self, number, packet]() { self->Stored(number, packet); });
}

void
NicPort::Stored(uint32_t queue, const NicPacket& packet)
{
    ++m_counts.received;
    m_queues[queue].received.push_back(packet);
    Event(queue);
}

void
NicPort::Event(uint32_t number)
{
    Queue& queue = m_queues[number];
    ++queue.events;
    if (queue.masked)
    {
        return;
    }
    const bool many = m_model->coalesceFrames > 0 && queue.events >= m_model->coalesceFrames;
    if (IsEventPending(queue.timer) && !many)
    {
        return;
    }
    queue.timer.Cancel();
    // With a count, the time runs from the first event; without, from the last interrupt.
    const double from = m_model->coalesceFrames > 0 ? NowNs() : queue.last;
    const double late = m_late->GetValue(0, m_model->coalesceSpreadUs) * NS_PER_US;
    const double at = many ? NowNs() : from + m_model->coalesceUs * NS_PER_US + late;
    Ptr<NicPort> self = this;
    queue.timer = Simulator::Schedule(Until(at), [self, number]() { self->Fire(number); });
}

void
NicPort::Fire(uint32_t number)
{
    Queue& queue = m_queues[number];
    queue.timer = EventId();
    queue.masked = true;
    queue.events = 0;
    queue.last = NowNs();
    ++m_counts.interrupts;
    if (m_interrupt)
    {
        m_interrupt(number);
    }
}

bool
NicPort::IsStopped(uint32_t queue) const
{
    return m_queues[queue].stopped;
}

bool
NicPort::TakeSent(uint32_t number, NicPacket* packet)
{
    Queue& queue = m_queues[number];
    if (queue.sent.empty())
    {
        return false;
    }
    *packet = queue.sent.front();
    queue.sent.pop_front();
    queue.used -= packet->descriptors;
    queue.taken += packet->frames * packet->frameBytes;
    return true;
}

bool
NicPort::Wake(uint32_t number)
{
    Queue& queue = m_queues[number];
    if (m_model->byteLimit > 0 && queue.taken > 0)
    {
        queue.limit.Completed(queue.taken);
    }
    queue.taken = 0;
    const bool over = m_model->byteLimit > 0 && queue.limit.IsOver();
    if (!queue.stopped || over || queue.used > m_model->wakeShare * m_model->txRing)
    {
        return false;
    }
    queue.stopped = false;
    return true;
}

bool
NicPort::TakeReceived(uint32_t number, NicPacket* packet)
{
    Queue& queue = m_queues[number];
    if (queue.received.empty())
    {
        return false;
    }
    *packet = queue.received.front();
    queue.received.pop_front();
    --queue.buffers;
    return true;
}

void
NicPort::Unmask(uint32_t number)
{
    Queue& queue = m_queues[number];
    queue.masked = false;
    if (!queue.received.empty() || !queue.sent.empty())
    {
        Event(number);
    }
}

} // namespace linuxhost
} // namespace ns3
