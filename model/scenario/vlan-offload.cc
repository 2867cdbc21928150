/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-offload.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/linux-host-compat.h"
#include "ns3/log.h"
#include "ns3/machine-presets.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("VlanOffload");
NS_OBJECT_ENSURE_REGISTERED(VlanOffload);

namespace
{

const uint32_t ETHERNET = 14;
const uint32_t IPV4 = 20;
const uint32_t VLAN = 4;
/// TCP's header with timestamps.
const uint32_t TCP = 32;
const uint16_t FIRST_VID = 100;
const double TICKS_PER_SECOND = 1e12;
const double PERCENT = 100;

/**
 * @param kept where frames are kept
 * @param frame a frame on the wire
 */
void
KeepFrame(std::vector<std::vector<uint8_t>>* kept, const std::vector<uint8_t>& frame)
{
    kept->push_back(frame);
}

/**
 * @param window a receive window, bytes
 * @returns the shift (RFC 7323) that TCP agrees on for it: its socket's buffer, of which the window
 * is three quarters, fits in 16 bits
 */
uint32_t
WindowShift(uint64_t window)
{
    const uint64_t MOST = 0xffff;
    const uint32_t LARGEST = 14;
    uint32_t shift = 0;
    while (shift < LARGEST && (window * 4 / 3) >> shift > MOST)
    {
        ++shift;
    }
    return shift;
}

} // namespace

/// Both ends.
struct VlanOffload::Network
{
    /// What is known of a stream's timestamps, in ms.
    struct Stamps
    {
        bool any{false};        //!< a frame has been seen
        uint32_t seen[2]{0, 0}; //!< newest TSval of acknowledgements, of data
    };

    StreamSettings settings;                //!< what shapes the streams
    std::vector<StreamFlow> flows;          //!< streams
    std::vector<Stamps> stamps;             //!< by stream, of the capture
    std::vector<std::vector<uint8_t>> wire; //!< what the cards make of a packet
    End sender;                             //!< sender's devices
    End receiver;                           //!< receiver's devices
    Ptr<StreamSender> sending;              //!< sender
    Ptr<StreamReceiver> receiving;          //!< receiver

    ~Network()
    {
        for (const Ptr<StreamHost>& host : {Ptr<StreamHost>(sending), Ptr<StreamHost>(receiving)})
        {
            if (host)
            {
                host->Stop();
            }
        }
        for (End* end : {&sender, &receiver})
        {
            if (end->node)
            {
                end->parts.transmit = nullptr;
                end->node->Dispose();
            }
        }
    }
};

SkbTransmitter&
VlanOffload::End::GetDevice() const
{
    return vlans.empty() ? static_cast<SkbTransmitter&>(*nic) : *vlans.back();
}

TypeId
VlanOffload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::VlanOffload")
            .SetParent<PatchScenario>()
            .SetGroupName("LinuxHost")
            .AddConstructor<VlanOffload>()
            .AddAttribute("CopyVlanFeatures",
                          "Whether vlan_dev_init copies a VLAN device's features to its "
                          "vlan_features: the patch.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&VlanOffload::m_copyFeatures),
                          MakeBooleanChecker())
            .AddAttribute("Nic",
                          "The card at both ends: a preset of NicModel.",
                          StringValue("myri10ge"),
                          MakeStringAccessor(&VlanOffload::m_nic),
                          MakeStringChecker())
            .AddAttribute("Queues",
                          "Transmit and receive queues of the card; 0: as many as it has.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&VlanOffload::m_queues),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("Xps",
                          "Transmit packet steering: on (a CPU sends by the queue whose interrupts "
                          "it gets), off (a flow's hash says the queue), or the queue of CPU 0, 1, "
                          "..., as `0,1,0,1`. Where it names none, the hash does.",
                          StringValue("on"),
                          MakeStringAccessor(&VlanOffload::m_xps),
                          MakeStringChecker())
            .AddAttribute(
                "Ports",
                "The streams' TCP ports: ephemeral (drawn from Linux's range, so that RSS "
                "puts streams together as chance has it), or spread (such that they go "
                "round the receive queues of both ends).",
                StringValue("ephemeral"),
                MakeStringAccessor(&VlanOffload::m_ports),
                MakeStringChecker())
            .AddAttribute("GroFlows",
                          "Streams that GRO merges at a time in a receive queue: MAX_GRO_SKBS.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&VlanOffload::m_groFlows),
                          MakeUintegerChecker<uint32_t>(0, 1 << 16))
            .AddAttribute("GroEvictsOldest",
                          "Whether a frame of one stream more makes the oldest packet leave, as "
                          "since Linux 3.14; else it goes up by itself.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&VlanOffload::m_groEvicts),
                          MakeBooleanChecker())
            .AddAttribute("Mtu",
                          "The MTU, in bytes.",
                          UintegerValue(1500),
                          MakeUintegerAccessor(&VlanOffload::m_mtu),
                          MakeUintegerChecker<uint32_t>(576, 9000))
            .AddAttribute("MessageSize",
                          "Bytes of a send().",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&VlanOffload::m_message),
                          MakeUintegerChecker<uint32_t>(1, 1 << 20))
            .AddAttribute("Flows",
                          "Streams, each with a program at either end.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&VlanOffload::m_flows),
                          MakeUintegerChecker<uint32_t>(1, 64))
            .AddAttribute("Tags",
                          "VLAN devices on each other; 0: none.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&VlanOffload::m_tags),
                          MakeUintegerChecker<uint32_t>(0, 4))
            .AddAttribute("ReorderHeader",
                          "REORDER_HDR of the VLAN devices. Off, frames are built with their tag "
                          "where the card inserts none.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&VlanOffload::m_reorderHeader),
                          MakeBooleanChecker())
            .AddAttribute("Bridged",
                          "Whether frames come with a tag already, as from a bridge.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&VlanOffload::m_bridged),
                          MakeBooleanChecker())
            .AddAttribute("SenderCpus",
                          "The sender's CPUs.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&VlanOffload::m_senderCpus),
                          MakeUintegerChecker<uint32_t>(1, MAX_CPUS))
            .AddAttribute("ReceiverCpus",
                          "The receiver's CPUs.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&VlanOffload::m_receiverCpus),
                          MakeUintegerChecker<uint32_t>(1, MAX_CPUS))
            .AddAttribute("ReceiverMachine",
                          "The receiver's machine: a preset.",
                          StringValue("athlon64-x2"),
                          MakeStringAccessor(&VlanOffload::m_receiverMachineName),
                          MakeStringChecker())
            .AddAttribute("Coalesce",
                          "Time between two interrupts of a card, in us; negative: the card's own.",
                          DoubleValue(-1),
                          MakeDoubleAccessor(&VlanOffload::m_coalesce),
                          MakeDoubleChecker<double>(-1, 1e5))
            .AddAttribute("Offloads",
                          "Features that are switched on the cards, as `tso=off,gro=on`.",
                          StringValue(""),
                          MakeStringAccessor(&VlanOffload::m_offloads),
                          MakeStringChecker())
            .AddAttribute("Lock",
                          "The kind of the spin locks: ticket, tas, mcs or qspinlock.",
                          StringValue("ticket"),
                          MakeStringAccessor(&VlanOffload::m_lock),
                          MakeStringChecker())
            .AddAttribute("SenderWork",
                          "Software work of the sender, as a share of what was counted.",
                          DoubleValue(0.64),
                          MakeDoubleAccessor(&VlanOffload::m_senderWork),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute("ReceiverWork",
                          "Software work of the receiver, as a share of what was counted.",
                          DoubleValue(1.5),
                          MakeDoubleAccessor(&VlanOffload::m_receiverWork),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute("CopyOverlap",
                          "Lines that are under way at a time when the receiver copies to its "
                          "program what DMA has written to memory.",
                          DoubleValue(2),
                          MakeDoubleAccessor(&VlanOffload::m_copyOverlap),
                          MakeDoubleChecker<double>(0.1, 100))
            .AddAttribute(
                "MemoryLatency",
                "A read of a line that DMA has written, in ns: memory of the Athlon 64 X2 "
                "3800+ (InstLatx64).",
                DoubleValue(85),
                MakeDoubleAccessor(&VlanOffload::m_memory),
                MakeDoubleChecker<double>(0, 1e4))
            .AddAttribute("IdleExit",
                          "From an interrupt to a halted CPU until it runs, in ns: C1 takes 1 to 3 "
                          "us on the processors whose driver tables say so.",
                          DoubleValue(1000),
                          MakeDoubleAccessor(&VlanOffload::m_idleExit),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("ReceiveWindow",
                          "The receive window, in bytes: three quarters of tcp_rmem's third value "
                          "after autotuning.",
                          UintegerValue(3145728),
                          MakeUintegerAccessor(&VlanOffload::m_window),
                          MakeUintegerChecker<uint32_t>(65536, 1 << 30))
            .AddAttribute("SendBuffer",
                          "The send buffer, in bytes: tcp_wmem's third value after autotuning.",
                          UintegerValue(4194304),
                          MakeUintegerAccessor(&VlanOffload::m_sendBuffer),
                          MakeUintegerChecker<uint32_t>(65536, 1 << 30))
            .AddAttribute("Tsq",
                          "tcp_limit_output_bytes: bytes of a stream below TCP; 0: no limit.",
                          UintegerValue(131072),
                          MakeUintegerAccessor(&VlanOffload::m_tsq),
                          MakeUintegerChecker<uint32_t>(0, 1 << 30))
            .AddTraceSource("Frame",
                            "A frame of a stream, data or acknowledgement, when its last bit has "
                            "come to the card at the other end of the wire.",
                            MakeTraceSourceAccessor(&VlanOffload::m_frame),
                            "ns3::linuxhost::VlanOffload::FrameTracedCallback");
    return tid;
}

VlanOffload::VlanOffload()
{
    NS_LOG_FUNCTION(this);
}

VlanOffload::~VlanOffload()
{
    NS_LOG_FUNCTION(this);
}

void
VlanOffload::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_network = nullptr;
    m_receiverMachine = nullptr;
    PatchScenario::DoDispose();
}

std::string
VlanOffload::GetName() const
{
    return "vlan-offload";
}

std::string
VlanOffload::GetVariant() const
{
    return m_copyFeatures ? "after" : "before";
}

void
VlanOffload::SetReceiverMachine(Ptr<HostMachine> machine)
{
    NS_LOG_FUNCTION(this << machine);
    m_receiverMachine = machine;
}

Ptr<NicModel>
VlanOffload::MakeNic() const
{
    Ptr<NicModel> nic = NicModel::Create(m_nic);
    NS_ABORT_MSG_IF(!nic, "VlanOffload: Nic=" << m_nic << " is no preset of NicModel");
    if (m_coalesce >= 0)
    {
        nic->SetAttribute("CoalesceTime", DoubleValue(m_coalesce));
    }
    if (m_queues > 0)
    {
        nic->SetAttribute("Queues", DoubleValue(m_queues));
    }
    return nic;
}

/**
 * Switch features of a card.
 * @param features its features
 * @param offloads a list as the attribute Offloads has it
 * @returns the empty string, or what cannot be had and why
 */
static std::string
SwitchOffloads(OffloadFeatures& features, const std::string& offloads)
{
    std::istringstream list(offloads);
    std::string item;
    while (std::getline(list, item, ','))
    {
        const auto equals = item.find('=');
        const std::string state = equals == std::string::npos ? "" : item.substr(equals + 1);
        if (state != "on" && state != "off")
        {
            return item + ": allowed is NAME=on or NAME=off";
        }
        const OffloadChange change = features.SwitchByName(item.substr(0, equals), state == "on");
        if (!change.IsDone())
        {
            return item + ": " + change.Explain();
        }
    }
    return "";
}

std::string
VlanOffload::CheckOffloads(const std::string& nic, const std::string& offloads)
{
    // A whole card: its driver has rules of its own.
    NicNetDevice::Setup setup;
    setup.port = Create<NicPort>(NicModel::Create(nic));
    setup.hands = Create<XmitHands>(1);
    Ptr<NicNetDevice> device = CreateObject<NicNetDevice>();
    device->Install(setup);
    const std::string refused = SwitchOffloads(*device->GetOffloadFeatures(), offloads);
    device->Dispose();
    return refused;
}

VlanOffload::End
VlanOffload::MakeEnd(const std::string& name, uint32_t cpus) const
{
    End end;
    end.node = CreateObject<Node>();
    end.parts.name = name;
    end.parts.cpus = cpus;
    end.parts.port = Create<NicPort>(MakeNic());
    end.parts.hands = Create<XmitHands>(cpus);
    end.nic = CreateObject<NicNetDevice>();
    end.nic->SetAttribute("Mtu", UintegerValue(m_mtu));
    end.node->AddDevice(end.nic);
    NicNetDevice::Setup setup;
    setup.port = end.parts.port;
    setup.hands = end.parts.hands;
    setup.lockKind = m_lock;
    end.nic->Install(setup);
    end.parts.device = end.nic;
    Ptr<NetDevice> lower = end.nic;
    for (uint32_t i = 0; i < m_tags; ++i)
    {
        Ptr<VlanNetDevice> vlan = CreateObject<VlanNetDevice>();
        vlan->SetVid(static_cast<uint16_t>(FIRST_VID + i));
        vlan->SetReorderHeader(m_reorderHeader);
        if (m_copyFeatures)
        {
            vlan->SetVlanFeatures(VlanNetDevice::VlanFeatures::OWN);
        }
        const std::string error = vlan->Attach(lower);
        NS_ABORT_MSG_IF(!error.empty(), "VlanOffload: no VLAN device: " << error);
        end.vlans.push_back(vlan);
        lower = vlan;
    }
    // The devices above follow.
    const std::string error = SwitchOffloads(*end.nic->GetOffloadFeatures(), m_offloads);
    NS_ABORT_MSG_IF(!error.empty(), "VlanOffload: Offloads: " << error);
    return end;
}

SkBuff
VlanOffload::MakePacket(const End& end,
                        const StreamSettings& settings,
                        const StreamFlow& flow,
                        const NicPacket& packet,
                        std::pair<uint32_t, uint32_t> stamps) const
{
    const bool data = packet.payload > 0;
    const uint32_t payload = packet.frames * packet.payload;
    const uint32_t headers = ETHERNET + IPV4 + TCP;
    SkBuff skb(std::vector<uint8_t>(headers + payload, 0));
    uint8_t* bytes = skb.data.data();
    for (uint32_t i = 0; i < payload; ++i)
    {
        bytes[headers + i] = static_cast<uint8_t>(packet.sequence + i);
    }
    // An acknowledgement goes the other way.
    const uint8_t LOCAL = 2;
    const uint8_t SENDER_MAC = 0x0a;
    const uint8_t RECEIVER_MAC = 0x0b;
    bytes[0] = LOCAL;
    bytes[5] = data ? RECEIVER_MAC : SENDER_MAC;
    bytes[6] = LOCAL;
    bytes[11] = data ? SENDER_MAC : RECEIVER_MAC;
    WriteNetwork16(bytes + 12, ETHERTYPE_IPV4);
    uint8_t* ip = bytes + ETHERNET;
    ip[0] = 0x45;
    WriteNetwork16(ip + 2, static_cast<uint16_t>(IPV4 + TCP + payload));
    WriteNetwork16(ip + 4, static_cast<uint16_t>(packet.sequence / settings.mss));
    // TCP looks for the path's MTU.
    const uint8_t DONT_FRAGMENT = 0x40;
    ip[6] = DONT_FRAGMENT;
    ip[8] = 64;
    ip[9] = 6;
    const uint32_t SENDER = 0xc6336401;
    const uint32_t RECEIVER = 0xc6336402;
    WriteNetwork32(ip + 12, data ? SENDER : RECEIVER);
    WriteNetwork32(ip + 16, data ? RECEIVER : SENDER);
    WriteNetwork16(ip + 10, static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(ip, IPV4))));
    uint8_t* tcp = ip + IPV4;
    WriteNetwork16(tcp, data ? flow.senderPort : flow.receiverPort);
    WriteNetwork16(tcp + 2, data ? flow.receiverPort : flow.senderPort);
    WriteNetwork32(tcp + 4, static_cast<uint32_t>(1 + packet.sequence));
    WriteNetwork32(tcp + 8, static_cast<uint32_t>(1 + packet.ack));
    tcp[12] = (TCP / 4) << 4;
    tcp[13] = 0x10;
    // As RFC 7323 scales it, rounded up as Linux does. Nothing is sent to the sender: its own
    // window is as good as any.
    const uint64_t MOST = 0xffff;
    const uint64_t unit = UINT64_C(1) << WindowShift(settings.window);
    const uint64_t window = data ? MOST : (packet.edge - packet.ack + unit - 1) / unit;
    WriteNetwork16(tcp + 14, static_cast<uint16_t>(std::min(window, MOST)));
    // Timestamps, behind two bytes of padding.
    tcp[20] = 1;
    tcp[21] = 1;
    tcp[22] = 8;
    tcp[23] = 10;
    WriteNetwork32(tcp + 24, stamps.first);
    WriteNetwork32(tcp + 28, stamps.second);
    WriteNetwork16(tcp + 16, ChecksumFold(PseudoHeaderSum(ip, false, 6, TCP + payload)));
    skb.ipSummed = ChecksumState::PARTIAL;
    skb.csumStart = ETHERNET + IPV4;
    skb.csumOffset = 16;
    if (settings.sums)
    {
        CompleteChecksum(&skb, false);
    }
    const OffloadFlags features =
        (m_tags > 0 ? end.vlans.back()->GetOffloadFeatures() : end.nic->GetOffloadFeatures())
            ->GetFeatures();
    if (data && (settings.goal > 1 || (features & OFFLOAD_SG)))
    {
        // The payload is in pages.
        skb.headLength = headers;
    }
    if (packet.frames > 1)
    {
        skb.gsoSize = static_cast<uint16_t>(settings.mss);
        skb.gsoSegs = packet.frames;
        skb.gsoType = GSO_TYPE_TCPV4;
    }
    if (m_bridged)
    {
        skb.vlanTagPresent = true;
        skb.vlanProtocol = ETHERTYPE_8021Q;
        skb.vlanTci = FIRST_VID - 1;
        skb.PushVlanTag();
    }
    else if (m_tags > 0)
    {
        end.vlans.back()->MakeHeader(&skb, 0);
    }
    return skb;
}

NicPacket
VlanOffload::FirstPacket(const StreamSettings& settings, bool data)
{
    NicPacket packet;
    packet.frames = data ? settings.goal : 1;
    packet.payload = data ? settings.mss : 0;
    packet.edge = settings.window;
    return packet;
}

std::shared_ptr<VlanOffload::Network>
VlanOffload::MakeNetwork()
{
    auto network = std::make_shared<Network>();
    network->flows.resize(m_flows);
    network->stamps.resize(m_flows);
    network->sender = MakeEnd("sender", m_senderCpus);
    network->receiver = MakeEnd("receiver", m_receiverCpus);
    End& sender = network->sender;
    End& receiver = network->receiver;

    // TCP asks the device that its route leads to (sk_setup_caps).
    const OffloadFlags top =
        (m_tags > 0 ? sender.vlans.back()->GetOffloadFeatures() : sender.nic->GetOffloadFeatures())
            ->GetFeatures();
    const OffloadFlags card = receiver.nic->GetOffloadFeatures()->GetFeatures();
    StreamSettings& settings = network->settings;
    settings.mss = m_mtu - IPV4 - TCP;
    settings.message = m_message;
    const uint32_t LARGEST = 65535;
    const uint32_t largest = LARGEST - IPV4 - TCP;
    const uint32_t goal = m_tsq > 0 ? std::min(largest, m_tsq / 2) : largest;
    settings.goal = (top & OFFLOAD_GSO) ? std::max(1U, goal / settings.mss) : 1;
    settings.sums = settings.goal == 1 && !CanChecksumProtocol(top, ETHERTYPE_IPV4);
    // A head of 2 KB and the sk_buff beside the pages; a linear packet is all head.
    const uint32_t SK_BUFF = 256;
    const uint32_t HEAD = 2048;
    const uint32_t MAX_TCP_HEADER = 320;
    settings.overhead = HEAD + SK_BUFF;
    if (settings.goal == 1 && !(top & OFFLOAD_SG))
    {
        uint32_t head = HEAD;
        while (head < settings.mss + MAX_TCP_HEADER)
        {
            head *= 2;
        }
        settings.overhead = head + SK_BUFF - settings.mss;
    }
    settings.window = m_window;
    settings.sendBuffer = m_sendBuffer;
    settings.tsq = m_tsq;
    const double LINE = 64;
    settings.coldCopy = m_memory / LINE / m_copyOverlap;
    settings.memory = m_memory;
    settings.idleExit = m_idleExit;
    settings.lro = (card & OFFLOAD_LRO) != 0;
    settings.gro = (card & OFFLOAD_GRO) != 0;
    const NicModel& nic = *receiver.parts.port->GetModel();
    settings.merging.flows = settings.lro   ? static_cast<uint32_t>(nic.lroFlows)
                             : settings.gro ? m_groFlows
                                            : 0;
    settings.merging.frames = static_cast<uint32_t>(nic.lroFrames);
    settings.merging.bytes = LARGEST;
    settings.merging.evicts = !settings.lro && m_groEvicts;
    settings.tags = m_tags;
    settings.untags = !(card & OFFLOAD_HW_VLAN_CTAG_RX);
    settings.reinserts = !m_reorderHeader;
    settings.sumsReceived = !(card & OFFLOAD_RXCSUM);
    settings.lockKind = m_lock;
    settings.visibleTag =
        MakePacket(sender, settings, StreamFlow(), FirstPacket(settings, false)).CountTags() > 0;
    SetFlows(*network);
    SetCpus(*network);
    const uint32_t frame = ETHERNET + IPV4 + TCP + settings.mss;
    settings.pages = nic.CountPages(frame);
    MakeReceiverMachine();
    const double TICKS_PER_NS = 1000;
    for (uint32_t i = 0; i < m_flows; ++i)
    {
        const CpuId program = receiver.parts.programCpu[i];
        const CpuId interrupt =
            receiver.parts.interruptCpu[receiver.parts.port->GetReceiveQueue(i)];
        settings.pageMove +=
            program == interrupt
                ? 0
                : m_receiverMachine->GetLatency(interrupt, program) / TICKS_PER_NS / m_flows;
    }
    Network* both = network.get();
    for (End* end : {&sender, &receiver})
    {
        end->parts.transmit = [this, both, end](Ptr<KernelPath> path, uint32_t queue, bool data) {
            SkbXmitRecorder recorder(path, end->parts.hands);
            end->nic->SelectQueue(queue);
            end->GetDevice().TransmitSkb(MakePacket(*end,
                                                    both->settings,
                                                    both->flows.front(),
                                                    FirstPacket(both->settings, data)),
                                         0);
        };
    }
    network->sending = Create<StreamSender>(sender.parts, settings, network->flows);
    network->receiving = Create<StreamReceiver>(receiver.parts, settings, network->flows);
    receiver.parts.port->SetLost(
        [both](const NicPacket& packet) { both->sending->OnLoss(packet.flow, packet.payload); });
    // The engines have the first ones.
    const int64_t STREAM = 16;
    sender.parts.port->AssignStreams(STREAM);
    receiver.parts.port->AssignStreams(STREAM + 1);
    NicPort::Join(*sender.parts.port, *receiver.parts.port);
    return network;
}

void
VlanOffload::SetFlows(Network& network) const
{
    NS_ABORT_MSG_IF(m_ports != "ephemeral" && m_ports != "spread",
                    "VlanOffload: Ports=" << m_ports << " is neither ephemeral nor spread");
    // ip_local_port_range up to Linux 4.1. netperf's data connections have such ports at both ends.
    const uint32_t FIRST = 32768;
    const uint32_t LAST = 61000;
    const int64_t STREAM = 18;
    Ptr<UniformRandomVariable> draw = CreateObject<UniformRandomVariable>();
    draw->SetStream(STREAM);
    const Ptr<NicPort> there = network.receiver.parts.port;
    const Ptr<NicPort> here = network.sender.parts.port;
    const uint32_t queues = std::min(there->GetNQueues(), there->GetRss()->GetTableSize());
    for (uint32_t i = 0; i < m_flows; ++i)
    {
        StreamFlow& flow = network.flows[i];
        flow.senderPort = static_cast<uint16_t>(draw->GetInteger(FIRST, LAST));
        flow.receiverPort = static_cast<uint16_t>(draw->GetInteger(FIRST, LAST));
        FlowTuple tuple = FlowTuple::FromFrame(MakePacket(network.receiver,
                                                          network.settings,
                                                          flow,
                                                          FirstPacket(network.settings, false))
                                                   .data);
        tuple = tuple.Reverse();
        auto isOwn = [&]() {
            there->SetFlow(i, tuple);
            here->SetFlow(i, tuple.Reverse());
            const uint32_t own = i % queues;
            return there->GetReceiveQueue(i) == own && here->GetReceiveQueue(i) == own;
        };
        // The next port of the sender that puts both ways there; none does if ports are not hashed.
        for (uint32_t tried = FIRST; !isOwn() && m_ports == "spread" && tried <= LAST; ++tried)
        {
            flow.senderPort =
                static_cast<uint16_t>(flow.senderPort < LAST ? flow.senderPort + 1 : FIRST);
            tuple.sourcePort = flow.senderPort;
        }
        network.sender.parts.flowHash.push_back(here->GetRss()->Hash(tuple));
        network.receiver.parts.flowHash.push_back(there->GetRss()->Hash(tuple.Reverse()));
    }
}

void
VlanOffload::SetCpus(Network& network) const
{
    // The sender's programs run where their interrupts come (wake-ups pull them there); the
    // scheduler has moved the receiver's to the next CPU, away from interrupts that leave no time.
    // Where others are already, it is the CPU with the fewest.
    auto place = [this](End& end, bool away) {
        StreamHost::Parts& parts = end.parts;
        const uint32_t queues = parts.port->GetNQueues();
        for (uint32_t i = 0; i < queues; ++i)
        {
            const CpuId cpu = i % parts.cpus;
            parts.interruptCpu.push_back(away ? parts.cpus - 1 - cpu : cpu);
        }
        auto interrupt = [&parts](uint32_t flow) {
            return parts.interruptCpu[parts.port->GetReceiveQueue(flow)];
        };
        std::vector<uint32_t> load(parts.cpus, 0);
        std::vector<uint32_t> sharing(parts.cpus, 0);
        for (uint32_t i = 0; i < m_flows && away; ++i)
        {
            load[interrupt(i)] = 1;
        }
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            const CpuId from = interrupt(i);
            const CpuId first = from + (away ? 1 : 0) + sharing[from]++;
            CpuId best = first % parts.cpus;
            for (CpuId next = first; next < first + parts.cpus; ++next)
            {
                const CpuId cpu = next % parts.cpus;
                best = load[cpu] < load[best] ? cpu : best;
            }
            ++load[best];
            parts.programCpu.push_back(best);
        }
        std::vector<uint32_t> xps(parts.cpus, NicNetDevice::NO_QUEUE);
        const std::string allowed = CheckXps(m_xps, queues);
        NS_ABORT_MSG_IF(!allowed.empty(), "VlanOffload: Xps=" << m_xps << ": allowed: " << allowed);
        if (m_xps == "on")
        {
            for (uint32_t queue = queues; queue-- > 0;)
            {
                xps[parts.interruptCpu[queue]] = queue;
            }
        }
        else if (m_xps != "off")
        {
            std::istringstream list(m_xps);
            std::string item;
            for (CpuId cpu = 0; cpu < parts.cpus && std::getline(list, item, ','); ++cpu)
            {
                xps[cpu] = static_cast<uint32_t>(std::stoul(item));
            }
        }
        end.nic->SetXps(xps);
    };
    place(network.sender, false);
    place(network.receiver, true);
}

std::vector<std::string>
VlanOffload::GetPortChoices()
{
    return {"ephemeral", "spread"};
}

std::string
VlanOffload::CheckXps(const std::string& xps, uint32_t queues)
{
    const std::string allowed =
        "on, off, or a queue for each CPU, 0 to " + std::to_string(queues - 1) + ", as 0,1,0,1";
    if (xps == "on" || xps == "off")
    {
        return "";
    }
    std::istringstream list(xps);
    std::string item;
    if (xps.empty() || xps.back() == ',')
    {
        return allowed;
    }
    while (std::getline(list, item, ','))
    {
        const std::size_t DIGITS = 4;
        if (item.empty() || item.size() > DIGITS ||
            item.find_first_not_of("0123456789") != std::string::npos || std::stoul(item) >= queues)
        {
            return allowed;
        }
    }
    return "";
}

void
VlanOffload::MakeReceiverMachine()
{
    if (!m_receiverMachine)
    {
        m_receiverMachine = MachinePresets::Create(m_receiverMachineName);
        NS_ABORT_MSG_IF(!m_receiverMachine,
                        "VlanOffload: ReceiverMachine=" << m_receiverMachineName
                                                        << " is no preset");
        m_receiverMachine->Extend(m_receiverCpus);
    }
    NS_ABORT_MSG_IF(m_receiverMachine->GetNCpus() < m_receiverCpus,
                    "VlanOffload: ReceiverCpus=" << m_receiverCpus << ", the machine has "
                                                 << m_receiverMachine->GetNCpus());
    m_receiverMachine->Freeze();
}

void
VlanOffload::ScaleWork(KernelPath& path, double share)
{
    for (auto& step : path.GetSteps())
    {
        if (step.kind == PathStep::WORK)
        {
            step.amount *= share;
        }
    }
}

Ptr<KernelPath>
VlanOffload::GetPath()
{
    m_machine->Freeze();
    m_network = MakeNetwork();
    Ptr<KernelPath> path = m_network->sending->Record(0);
    ScaleWork(*path, m_senderWork);
    EditPath(*path);
    return path;
}

std::vector<std::vector<uint8_t>>
VlanOffload::SendOne()
{
    std::shared_ptr<Network> network = MakeNetwork();
    std::vector<std::vector<uint8_t>> frames;
    End& end = network->sender;
    end.nic->TraceConnectWithoutContext("Wire", MakeBoundCallback(&KeepFrame, &frames));
    end.parts.transmit(Create<KernelPath>("one packet"), 0, true);
    return frames;
}

void
VlanOffload::EnableCapture(Time length)
{
    NS_LOG_FUNCTION(this << length);
    m_captureLength = length;
}

const std::vector<VlanOffload::WireFrame>&
VlanOffload::GetCapture() const
{
    return m_capture;
}

void
VlanOffload::OnData(const NicPacket& frame)
{
    m_frame(true, frame);
    Capture(true, frame);
}

void
VlanOffload::OnAck(const NicPacket& frame)
{
    m_frame(false, frame);
    Capture(false, frame);
}

void
VlanOffload::Capture(bool data, const NicPacket& frame)
{
    if (m_captureLength.IsZero() || !IsMeasuring())
    {
        return;
    }
    const Time now = Simulator::Now();
    if (m_captureEnd.IsZero())
    {
        m_captureEnd = now + m_captureLength;
    }
    if (now >= m_captureEnd)
    {
        return;
    }
    // Timestamps tick in ms; echoed is the newest that has come from the other end.
    Network& network = *m_network;
    const auto stamp = static_cast<uint32_t>(now.GetMilliSeconds());
    Network::Stamps& stamps = network.stamps[frame.flow];
    if (!stamps.any)
    {
        stamps = {true, {stamp, stamp}};
    }
    stamps.seen[data] = stamp;
    // The same devices make the same bytes of it; they have nothing to do with the card's time.
    End& end = data ? network.sender : network.receiver;
    network.wire.clear();
    SkBuff packet = MakePacket(end,
                               network.settings,
                               network.flows[frame.flow],
                               frame,
                               {stamp, stamps.seen[!data]});
    if (packet.ipSummed == ChecksumState::PARTIAL)
    {
        // It was summed by the card or while it was cut: both leave a sum of zero as it is.
        CompleteChecksum(&packet, false);
    }
    end.GetDevice().TransmitSkb(packet, 0);
    for (auto& bytes : network.wire)
    {
        m_capture.emplace_back(now, std::move(bytes));
    }
}

std::string
VlanOffload::DescribeFeatures()
{
    std::shared_ptr<Network> network = MakeNetwork();
    const End& end = network->sender;
    std::ostringstream os;
    os << (m_tags > 0
               ? end.vlans.back()->DescribeFeatures()
               : "lower device: " +
                     OffloadFlagsToString(end.nic->GetOffloadFeatures()->GetFeatures()) + "\n");
    os << "TCP builds packets of " << network->settings.goal << " x " << network->settings.mss
       << " bytes" << (network->settings.sums ? ", checksummed while they are copied" : "") << "\n";
    SkBuff frame = MakePacket(end,
                              network->settings,
                              network->flows.front(),
                              FirstPacket(network->settings, true));
    for (uint32_t i = m_tags + 1; i-- > 0;)
    {
        Ptr<OffloadFeatures> features =
            i > 0 ? end.vlans[i - 1]->GetOffloadFeatures() : end.nic->GetOffloadFeatures();
        const OffloadFlags selected = features->SelectForFrame(frame);
        TransmitWork work;
        const auto frames = ValidateTransmit(frame, selected, &work);
        os << (i > 0 ? "at vlan " + std::to_string(end.vlans[i - 1]->GetVid())
                     : std::string("at the card"))
           << ", " << frame.CountTags() << " tags"
           << (frame.vlanTagPresent ? " (the last beside the frame)" : "") << ": "
           << OffloadFlagsToString(selected) << "\n  " << frames.size()
           << (frames.size() == 1 ? " frame" : " frames") << ", " << work.bytesCopied
           << " bytes copied, " << work.bytesSummed << " summed, " << work.tagsPushed
           << " tags pushed\n";
        if (frames.empty())
        {
            break;
        }
        frame = frames.front();
        if (i > 0 && (frame.GetProtocol() != ETHERTYPE_8021Q || m_reorderHeader))
        {
            frame.vlanTagPresent = true;
            frame.vlanProtocol = ETHERTYPE_8021Q;
            frame.vlanTci = end.vlans[i - 1]->GetVid();
        }
    }
    return os.str();
}

std::string
VlanOffload::DescribeQueues()
{
    std::shared_ptr<Network> network = MakeNetwork();
    std::ostringstream os;
    const char* const COLUMNS = "     hash      rx queue  irq CPU  CPU";
    os << "                        sender (acknowledgements)                receiver (data)\n"
       << "flow  ports        " << COLUMNS << COLUMNS << "\n";
    for (uint32_t i = 0; i < m_flows; ++i)
    {
        const StreamFlow& flow = network->flows[i];
        const StreamHost::Parts& here = network->sender.parts;
        const StreamHost::Parts& there = network->receiver.parts;
        const uint32_t acks = here.port->GetReceiveQueue(i);
        const uint32_t data = there.port->GetReceiveQueue(i);
        char line[128];
        // At the sender, of acknowledgements. Both cards have the same key.
        std::snprintf(line,
                      sizeof(line),
                      "%4u  %5u > %5u     0x%08x  %8u  %7u  %3u     0x%08x  %8u  %7u  %3u\n",
                      i,
                      flow.senderPort,
                      flow.receiverPort,
                      there.flowHash[i],
                      acks,
                      here.interruptCpu[acks],
                      here.programCpu[i],
                      here.flowHash[i],
                      data,
                      there.interruptCpu[data],
                      there.programCpu[i]);
        os << line;
    }
    for (const End* end : {&network->sender, &network->receiver})
    {
        os << end->parts.name << " transmits (queue by CPU; -: by the hash):";
        for (CpuId cpu = 0; cpu < end->parts.cpus; ++cpu)
        {
            const uint32_t queue = end->nic->GetXps(cpu);
            os << " " << (queue == NicNetDevice::NO_QUEUE ? "-" : std::to_string(queue));
        }
        os << "\n";
    }
    return os.str();
}

void
VlanOffload::Build(Ptr<CpuEngine> engine)
{
    m_network = MakeNetwork();
    m_capture.clear();
    m_captureEnd = Time(0);
    m_network->receiver.nic->TraceConnectWithoutContext("PhyRxEnd",
                                                        MakeCallback(&VlanOffload::OnData, this));
    m_network->sender.nic->TraceConnectWithoutContext("PhyRxEnd",
                                                      MakeCallback(&VlanOffload::OnAck, this));
    m_nicFigures = m_network->sending->GetPort()->GetModel()->GetFigures();
    m_network->sending->SetEngine(engine);
    for (CpuId cpu : m_network->sending->GetUsedCpus())
    {
        Ptr<KernelPath> path = m_network->sending->Record(cpu);
        ScaleWork(*path, m_senderWork);
        EditPath(*path);
        engine->AddTask(cpu, path);
    }
    Ptr<CpuEngine> other = AddHost("receiver", m_receiverMachine);
    m_network->receiving->SetEngine(other);
    for (CpuId cpu : m_network->receiving->GetUsedCpus())
    {
        Ptr<KernelPath> path = m_network->receiving->Record(cpu);
        ScaleWork(*path, m_receiverWork);
        EditPath(*path);
        other->AddTask(cpu, path);
    }
    if (!m_captureLength.IsZero())
    {
        for (End* end : {&m_network->sender, &m_network->receiver})
        {
            end->nic->TraceConnectWithoutContext("Wire",
                                                 MakeBoundCallback(&KeepFrame, &m_network->wire));
        }
    }
}

std::vector<PatchScenario::Count>
VlanOffload::GetCounts() const
{
    const Network& network = *m_network;
    const NicPort::Counts& sent = network.sending->GetPort()->GetCounts();
    const NicPort::Counts& received = network.receiving->GetPort()->GetCounts();
    auto percent = [](const StreamHost& host, uint32_t cpus) {
        return host.GetBusy() / TICKS_PER_SECOND / cpus * PERCENT;
    };
    double drops = 0;
    for (uint32_t i = 0; i < network.sending->GetPort()->GetNQueues(); ++i)
    {
        drops += static_cast<double>(network.sender.nic->GetQdisc(i)->GetDrops());
    }
    auto percentOf = [](const StreamHost& host, CpuId cpu) {
        return host.GetBusy(cpu) / TICKS_PER_SECOND * PERCENT;
    };
    double throttles = 0;
    for (const auto& flow : network.flows)
    {
        throttles += static_cast<double>(flow.throttles);
    }
    const double NS_PER_S = 1e9;
    const double BITS = 8;
    const double wireNs = (ETHERNET + VLAN * (m_tags + (m_bridged ? 1 : 0)) + IPV4 + TCP +
                           network.settings.mss + NicPort::WIRE_OVERHEAD) *
                          BITS / network.sending->GetPort()->GetModel()->linkGbps;
    const StreamHost::Parts& here = network.sending->GetParts();
    const StreamHost::Parts& there = network.receiving->GetParts();
    const CpuId interrupt = there.interruptCpu[there.port->GetReceiveQueue(0)];
    return {{"send_util_pct", percent(*network.sending, m_senderCpus)},
            {"recv_util_pct", percent(*network.receiving, m_receiverCpus)},
            {"send_cpu_pct", percentOf(*network.sending, here.programCpu.front())},
            {"recv_program_cpu_pct", percentOf(*network.receiving, there.programCpu.front())},
            {"recv_irq_cpu_pct", percentOf(*network.receiving, interrupt)},
            {"wire_pct", static_cast<double>(sent.sent) * wireNs / NS_PER_S * PERCENT},
            {"tsq_throttles_per_s", throttles},
            {"send_irqs_per_s", static_cast<double>(sent.interrupts)},
            {"recv_irqs_per_s", static_cast<double>(received.interrupts)},
            {"merged_packets_per_s", static_cast<double>(network.receiving->GetMerged())},
            {"acks_per_s", static_cast<double>(network.receiving->GetAcks())},
            {"queue_stops_per_s", static_cast<double>(sent.stops)},
            {"qdisc_drops_per_s", drops},
            {"rx_drops_per_s", static_cast<double>(received.dropped)}};
}

void
VlanOffload::Complete(ScenarioResult& result)
{
    const StreamSettings& settings = m_network->settings;
    result.AddText("receiver_machine", m_receiverMachine->GetName());
    result.AddBoolean("copy_vlan_features", m_copyFeatures);
    result.AddText("nic", m_nic);
    result.AddNumber("mtu", m_mtu);
    result.AddNumber("message_size", m_message);
    result.AddNumber("flows", m_flows);
    result.AddNumber("tags", m_tags);
    result.AddBoolean("reorder_hdr", m_reorderHeader);
    result.AddBoolean("bridged", m_bridged);
    result.AddNumber("sender_cpus", m_senderCpus);
    result.AddNumber("receiver_cpus", m_receiverCpus);
    result.AddNumber("coalesce_us", m_coalesce);
    result.AddText("offloads", m_offloads);
    result.AddText("lock", m_lock);
    result.AddNumber("segments_per_packet", settings.goal);
    result.AddNumber("mss", settings.mss);
    result.AddNumber("receive_window", m_window);
    result.AddNumber("send_buffer", m_sendBuffer);
    result.AddNumber("tsq", m_tsq);
    const NicPort& sending = *m_network->sending->GetPort();
    const NicPort& receiving = *m_network->receiving->GetPort();
    result.AddNumber("queues", sending.GetNQueues());
    result.AddText("xps", m_xps);
    result.AddText("ports", m_ports);
    result.AddNumber("gro_flows", m_groFlows);
    result.AddBoolean("gro_evicts_oldest", m_groEvicts);
    auto interval = [&](const std::string& name) {
        for (const auto& metric : result.metrics)
        {
            if (metric.name == name)
            {
                return metric.ci95 / std::max(metric.value, 1e-12);
            }
        }
        return 0.0;
    };
    const double MEGABITS = 8e-6;
    const double KB = 1024;
    const double US_PER_S = 1e6;
    const double pps = result.GetMetric("pps");
    const double kbs = pps * settings.mss / KB;
    const double spread = interval("pps");
    auto demand = [&](const std::string& util, uint32_t cpus) {
        return result.GetMetric(util) / PERCENT * cpus * US_PER_S / kbs;
    };
    const double goodput = pps * settings.mss * MEGABITS;
    const double send = demand("send_util_pct", m_senderCpus);
    const double receive = demand("recv_util_pct", m_receiverCpus);
    result.metrics.push_back({"goodput_mbps", goodput, spread * goodput});
    result.metrics.push_back(
        {"send_us_per_kb", send, send * std::max(spread, interval("send_util_pct"))});
    result.metrics.push_back(
        {"recv_us_per_kb", receive, receive * std::max(spread, interval("recv_util_pct"))});
    // How far the streams are spread: queues that had something of them.
    result.metrics.push_back(
        {"data_tx_queues", static_cast<double>(sending.CountTransmitQueues()), 0});
    result.metrics.push_back(
        {"data_rx_queues", static_cast<double>(receiving.CountReceiveQueues()), 0});
    result.metrics.push_back(
        {"ack_tx_queues", static_cast<double>(receiving.CountTransmitQueues()), 0});
    result.metrics.push_back(
        {"ack_rx_queues", static_cast<double>(sending.CountReceiveQueues()), 0});
    result.figures.insert(result.figures.end(), m_nicFigures.begin(), m_nicFigures.end());
    for (auto figure : m_receiverMachine->GetFigures())
    {
        figure.name = "Receiver" + figure.name;
        result.figures.push_back(figure);
    }
    auto figure = [&](const char* name,
                      double value,
                      const char* unit,
                      const char* kind,
                      const char* source) {
        result.figures.push_back(MakeFigure(name, value, unit, kind, source));
    };
    figure("MemoryLatency", m_memory, "ns", "literature", "InstLatx64, Athlon 64 X2 3800+");
    figure("IdleExit", m_idleExit, "ns", "assumed", "C1: 1 to 3 us where it is known");
    figure("SenderWork",
           m_senderWork,
           "of the counted instructions",
           "fitted",
           "to the throughput before (5660.66 Mb/s)");
    figure("ReceiverWork",
           m_receiverWork,
           "of the counted instructions",
           "fitted",
           "to the receiver's utilization before (51.41 %)");
    figure("CopyOverlap",
           m_copyOverlap,
           "lines",
           "assumed",
           "a K8 core has room for two to three lines of a string copy, and fetches one ahead");
    figure("ReceiveWindow",
           m_window,
           "bytes",
           "assumed",
           "three quarters of tcp_rmem's third value, after autotuning");
    figure("SendBuffer",
           m_sendBuffer,
           "bytes",
           "assumed",
           "tcp_wmem's third value, after autotuning");
    figure("Tsq", m_tsq, "bytes", "literature", "tcp_limit_output_bytes of Linux 3.6 and 3.7");
    result.figures.push_back({"PathWork",
                              0,
                              "instructions",
                              "counted",
                              "sockets, TCP, IP, VLAN, queueing, NAPI of 3.7, good to a third; "
                              "see --print-path"});
    // Nobody looks at the devices any more.
    m_network = nullptr;
}

} // namespace linuxhost
} // namespace ns3
