/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-net-device.h"

#include "ns3/log.h"

#include <cmath>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("NicNetDevice");
NS_OBJECT_ENSURE_REGISTERED(NicNetDevice);

TypeId
NicNetDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::NicNetDevice")
                            .SetParent<DummyNetDevice>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<NicNetDevice>()
                            .AddTraceSource("Wire",
                                            "A frame as it leaves the card.",
                                            MakeTraceSourceAccessor(&NicNetDevice::m_wire),
                                            "ns3::linuxhost::NicNetDevice::WireTracedCallback")
                            .AddTraceSource("PhyRxEnd",
                                            "A frame whose last bit has come from the wire, "
                                            "whether or not there is a buffer for it.",
                                            MakeTraceSourceAccessor(&NicNetDevice::m_phyRxEnd),
                                            "ns3::linuxhost::NicNetDevice::FrameTracedCallback");
    return tid;
}

NicNetDevice::NicNetDevice()
    : DummyNetDevice("eth2"),
      m_queue(0)
{
    NS_LOG_FUNCTION(this);
}

NicNetDevice::~NicNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
NicNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    // It is aggregated to this device: holding it would keep both alive.
    m_features = nullptr;
    m_qdiscs.clear();
    if (m_setup.port)
    {
        m_setup.port->SetArrived(nullptr);
    }
    m_setup.port = nullptr;
    m_setup.hands = nullptr;
    DummyNetDevice::DoDispose();
}

void
NicNetDevice::Install(const Setup& setup)
{
    NS_LOG_FUNCTION(this << setup.name);
    m_setup = setup;
    setup.port->SetArrived([this](const NicPacket& frame) { m_phyRxEnd(frame); });
    Ptr<const NicModel> model = setup.port->GetModel();
    m_features = CreateObject<OffloadFeatures>();
    m_features->SetEra(setup.era);
    m_features->SetFixer(MakeCallback(&NicNetDevice::FixFeatures, this));
    m_features->Register(model->GetFeatures(), model->GetFeatures(), model->GetVlanFeatures());
    AggregateObject(m_features);
    for (uint32_t i = 0; i < setup.port->GetNQueues(); ++i)
    {
        m_qdiscs.push_back(Create<QdiscPath>(setup.name + ".q" + std::to_string(i),
                                             setup.lockKind,
                                             setup.queueLength,
                                             setup.hands,
                                             setup.port,
                                             i));
    }
}

OffloadFlags
NicNetDevice::FixFeatures(OffloadFlags features, std::vector<OffloadRefusal>* refusals)
{
    if (!(features & OFFLOAD_RXCSUM) && (features & OFFLOAD_LRO))
    {
        refusals->push_back({OFFLOAD_LRO, "LRO needs receive checksums"});
        features &= ~OFFLOAD_LRO;
    }
    return features;
}

void
NicNetDevice::SetXps(std::vector<uint32_t> queues)
{
    NS_LOG_FUNCTION(this);
    m_xps = std::move(queues);
}

uint32_t
NicNetDevice::GetXps(CpuId cpu) const
{
    return cpu < m_xps.size() ? m_xps[cpu] : NO_QUEUE;
}

uint32_t
NicNetDevice::PickQueue(CpuId cpu, uint32_t hash) const
{
    const auto queues = static_cast<uint32_t>(m_qdiscs.size());
    const uint32_t own = GetXps(cpu);
    if (own < queues)
    {
        return own;
    }
    // The hash's share of its range is the queue's (skb_tx_hash).
    const uint32_t HASH_BITS = 32;
    return static_cast<uint32_t>((static_cast<uint64_t>(hash) * queues) >> HASH_BITS);
}

void
NicNetDevice::SelectQueue(uint32_t queue)
{
    m_queue = queue;
}

Ptr<OffloadFeatures>
NicNetDevice::GetOffloadFeatures() const
{
    return m_features;
}

Ptr<QdiscPath>
NicNetDevice::GetQdisc(uint32_t queue) const
{
    return m_qdiscs[queue];
}

const TransmitWork&
NicNetDevice::GetTransmitWork() const
{
    return m_work;
}

bool
NicNetDevice::TransmitSkb(const SkBuff& skb, uint32_t priority)
{
    NS_LOG_FUNCTION(this << priority);
    TransmitWork work;
    const std::vector<SkBuff> frames =
        ValidateTransmit(skb, m_features->SelectForFrame(skb), &work);
    m_work.Add(work);
    if (frames.empty())
    {
        return false;
    }
    if (SkbXmitRecorder* recorder = SkbXmitRecorder::Current())
    {
        Ptr<XmitHands> hands = recorder->GetHands();
        const uint32_t queue = m_queue;
        m_qdiscs[queue]->RecordXmit(
            recorder->GetPath(),
            [this, hands, skb, frames, work, queue](KernelPath& path) {
                int32_t loop =
                    SkbXmitRecorder::RecordValidate(path, hands, true, skb, frames, work);
                RecordDriver(path, frames.front(), queue);
                SkbXmitRecorder::RecordSegmentsEnd(path, hands, true, loop);
            });
    }
    // What the hardware does, so that frames can be looked at.
    for (const SkBuff& frame : frames)
    {
        std::vector<SkBuff> sent = {frame};
        if (frame.IsGso() &&
            !GsoSegment(frame, m_features->GetFeatures() & ~OFFLOAD_GSO_MASK, &sent))
        {
            return false;
        }
        for (SkBuff& whole : sent)
        {
            if (whole.ipSummed == ChecksumState::PARTIAL)
            {
                constexpr uint16_t UDP_CHECKSUM = 6;
                CompleteChecksum(&whole, whole.csumOffset == UDP_CHECKSUM);
            }
            if (whole.vlanTagPresent)
            {
                whole.PushVlanTag();
            }
            m_wire(whole.data);
        }
    }
    return true;
}

void
NicNetDevice::RecordDriver(KernelPath& path, const SkBuff& frame, uint32_t queue) const
{
    Ptr<NicPort> port = m_setup.port;
    Ptr<XmitHands> hands = m_setup.hands;
    const NicModel& model = *port->GetModel();
    const std::string xmit = model.GetDriver() + "_xmit";
    const auto bytes = static_cast<double>(frame.data.size());
    // Fragments of 32 KB, and the head.
    const double FRAGMENT = 32768;
    const bool pieces = frame.headLength < frame.data.size();
    const double descriptors =
        model.CountDescriptors(bytes) + (pieces ? std::ceil(bytes / FRAGMENT) : 0);
    path.Work(xmit, model.xmitWork);
    path.Work(xmit, model.descriptorWork * descriptors, "map, fill descriptors");
    if (model.pioBurst > 0)
    {
        const double writes = std::ceil(descriptors * model.descriptorBytes / model.pioBurst);
        path.Delay(model.GetDriver() + "_submit_req",
                   writes * model.pioNs,
                   std::to_string(static_cast<int>(writes)) +
                       " writes to the card, a barrier each");
    }
    const bool segments = frame.IsGso();
    const uint32_t tag = frame.vlanTagPresent ? 4 : 0;
    const uint32_t whole = static_cast<uint32_t>(frame.data.size()) + tag;
    // The bytes of one frame on the wire: those of the first segment.
    uint32_t wire = whole;
    if (segments)
    {
        FrameHeaders headers;
        FindFrameHeaders(frame.data, &headers);
        const uint32_t transport = (frame.data[headers.transport + 12] >> 4) * 4U;
        wire = headers.transport + transport + frame.gsoSize + tag;
    }
    path.Call(
        [=](CallMoment& moment) {
            XmitHands::Hand& hand = hands->At(moment.cpu);
            NicPacket packet;
            packet.flow = hand.out.flow;
            packet.frames = hand.outLeft > 0 ? 1 : hand.out.segments;
            packet.frameBytes = wire;
            packet.payload = hand.out.payload;
            packet.ack = hand.out.ack;
            packet.edge = hand.out.edge;
            packet.charge = hand.outLeft > 0 ? 0 : hand.out.charge;
            packet.descriptors = descriptors;
            port->Post(queue, packet);
        },
        xmit,
        "the card has it",
        true);
    if (model.doorbellNs > 0)
    {
        path.Delay(xmit, model.doorbellNs, model.pioBurst > 0 ? "valid flags" : "doorbell");
    }
    if (model.byteLimit > 0)
    {
        path.Work("dql_queued", 25, "netdev_tx_sent_queue");
    }
}

void
NicNetDevice::RecordCompletion(KernelPath& path) const
{
    const NicModel& model = *m_setup.port->GetModel();
    path.Work(model.GetDriver() + "_tx_done", model.completionWork, "unmap");
    path.Work("dev_kfree_skb_irq", 25);
    path.Work("net_tx_action", 30);
    path.Work("kfree_skb", 130, "two objects");
}

} // namespace linuxhost
} // namespace ns3
