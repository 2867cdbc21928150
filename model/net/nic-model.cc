/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-model.h"

#include "ns3/double.h"
#include "ns3/log.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("NicModel");
NS_OBJECT_ENSURE_REGISTERED(NicModel);

namespace
{

/// One figure of a preset.
struct Entry
{
    const char* attribute; //!< attribute of NicModel
    double value;          //!< value
    const char* unit;      //!< unit
    const char* kind;      //!< literature, counted or assumed
    const char* source;    //!< source
};

/// A preset.
struct Preset
{
    const char* name;           //!< card
    const char* driver;         //!< driver
    OffloadFlags features;      //!< what it offloads
    OffloadFlags vlanFeatures;  //!< what of that it does in frames with a tag
    std::vector<Entry> entries; //!< figures
};

constexpr OffloadFlags TSO_BOTH = OFFLOAD_TSO | OFFLOAD_TSO6;
constexpr OffloadFlags VLAN_TAGS =
    OFFLOAD_HW_VLAN_CTAG_TX | OFFLOAD_HW_VLAN_CTAG_RX | OFFLOAD_HW_VLAN_CTAG_FILTER;
constexpr OffloadFlags SPECIAL_CSUM = OFFLOAD_IP_CSUM | OFFLOAD_IPV6_CSUM;

const char* const TEN_GIGABIT = "10 Gb/s Ethernet";
const char* const PCIE_1 = "derived: eight lanes of PCIe 1.1, 16 Gb/s, less a fifth for headers of "
                           "128-byte packets";
const char* const PCIE_2 = "derived: eight lanes of PCIe 2.0, 32 Gb/s, less a fifth for headers";
const char* const PCIE_READ = "Neugebauer et al., SIGCOMM 2018: 600 to 1200 ns for 64 bytes";
const char* const PCIE_WRITE = "SimBricks: 500 ns one way; half of the read here";
const char* const WC_WRITE = "Larsen and Lee, NAS 2015: 108 ns between two 64-byte writes to a "
                             "card; 50 to 110 ns";
const char* const MYRI = "myri10ge of Linux 2.6.36 to 3.7";
const char* const MLX4 = "mlx4_en of Linux 2.6.36 to 3.16";
const char* const BETWEEN_FRAMES =
    "a card looks at its timers between two frames: up to the time of one of 1500 bytes. An exact "
    "timer would keep time with the packets";
const char* const COUNTED = "counted in the driver, good to a third";
const char* const PLAIN = "a card without surprises";

/// @returns the presets
const std::vector<Preset>&
GetPresets()
{
    static const std::vector<Preset> PRESETS = {
        {"myri10ge",
         "myri10ge",
         // No insertion of tags: a frame carries its tag from the start, or the stack pushes it.
         OFFLOAD_SG | OFFLOAD_HW_CSUM | TSO_BOTH | OFFLOAD_HIGHDMA | OFFLOAD_RXCSUM | OFFLOAD_LRO,
         OFFLOAD_SG | OFFLOAD_HW_CSUM | TSO_BOTH | OFFLOAD_HIGHDMA,
         {{"LinkRate", 10, "Gb/s", "literature", TEN_GIGABIT},
          {"CableDelay", 100, "ns", "assumed", "ten metres of fibre, and the two ends of it"},
          {"PcieRate", 12.8, "Gb/s", "literature", PCIE_1},
          {"PcieRead", 900, "ns", "literature", PCIE_READ},
          {"PcieWrite", 450, "ns", "literature", PCIE_WRITE},
          {"TxRing", 1024, "descriptors", "assumed", "the firmware says: 512 or 1024"},
          {"RxRing", 1024, "buffers", "assumed", "the firmware says: 512 or 1024"},
          {"Queues", 1, "queues", "literature", "one slice unless the module is told otherwise"},
          {"StopSlots", 12, "descriptors", "literature", MYRI},
          {"WakeShare", 0.5, "share", "literature", MYRI},
          {"DescriptorBytes", 16, "bytes", "literature", MYRI},
          {"DescriptorReach", 4096, "bytes", "literature", "tx_boundary with aligned completions"},
          {"PioBurst", 32, "bytes", "literature", "32 bytes a write, a barrier after each"},
          {"PioTime", 50, "ns", "literature", WC_WRITE},
          {"Doorbell", 50, "ns", "literature", "the valid flags: one more such write"},
          {"CoalesceTime", 75, "us", "literature", "myri10ge_intr_coal_delay"},
          {"CoalesceSpread", 1.2, "us", "assumed", BETWEEN_FRAMES},
          {"CoalesceFrames", 0, "frames", "literature", MYRI},
          {"NapiWeight", 64, "frames", "literature", "myri10ge_napi_weight"},
          {"LroFrames",
           17,
           "frames",
           "literature",
           "MYRI10GE_LRO_MAX_PKTS is 64, cut to MAX_SKB_FRAGS"},
          {"LroFlows", 8, "flows", "literature", "MYRI10GE_MAX_LRO_DESCRIPTORS"},
          {"SentInPoll", 0, "", "literature", "myri10ge_intr calls myri10ge_tx_done"},
          {"ByteLimit", 0, "", "literature", MYRI},
          {"XmitWork", 150, "instructions", "counted", COUNTED},
          {"DescriptorWork", 25, "instructions", "counted", COUNTED},
          {"CompletionWork", 70, "instructions", "counted", COUNTED},
          {"ReceiveWork", 220, "instructions", "counted", COUNTED},
          {"RefillWrites", 0.375, "writes", "literature", "three for eight buffers"},
          {"ReceiveTouch", 2, "lines", "counted", "two of headers; 16 completions share a line"},
          {"InterruptWork", 150, "instructions", "counted", COUNTED}}},
        {"mlx4",
         "mlx4_en",
         OFFLOAD_SG | SPECIAL_CSUM | TSO_BOTH | OFFLOAD_HIGHDMA | OFFLOAD_RXCSUM | OFFLOAD_RXHASH |
             VLAN_TAGS,
         OFFLOAD_SG | SPECIAL_CSUM | TSO_BOTH | OFFLOAD_HIGHDMA,
         {{"LinkRate", 10, "Gb/s", "literature", TEN_GIGABIT},
          {"PcieRate", 25.6, "Gb/s", "literature", PCIE_2},
          {"PcieRead", 900, "ns", "literature", PCIE_READ},
          {"PcieWrite", 450, "ns", "literature", PCIE_WRITE},
          {"TxRing", 512, "descriptors", "literature", MLX4},
          {"RxRing", 1024, "buffers", "literature", MLX4},
          {"Queues", 8, "queues", "literature", "a queue a CPU, up to 16"},
          {"StopSlots",
           41,
           "descriptors",
           "literature",
           "stops when size - 33 - 8 are outstanding"},
          {"WakeShare", 0.9, "share", "literature", MLX4},
          {"DescriptorBytes", 64, "bytes", "literature", "a TXBB"},
          {"DescriptorReach", 65536, "bytes", "literature", "one TXBB holds three segments"},
          {"PioBurst", 0, "bytes", "literature", "the card fetches descriptors"},
          {"PioTime", 50, "ns", "literature", WC_WRITE},
          {"Doorbell", 60, "ns", "literature", WC_WRITE},
          {"CoalesceTime", 16, "us", "literature", MLX4},
          {"CoalesceSpread", 1.2, "us", "assumed", BETWEEN_FRAMES},
          {"CoalesceFrames", 16, "frames", "literature", MLX4},
          {"NapiWeight", 64, "frames", "literature", "NAPI"},
          {"LroFrames", 17, "frames", "literature", "GRO of page fragments: MAX_SKB_FRAGS"},
          {"SentInPoll", 1, "", "literature", "sent packets have interrupts of their own"},
          {"ByteLimit", 1, "", "literature", "netdev_tx_sent_queue since 3.9"},
          {"XmitWork", 190, "instructions", "counted", COUNTED},
          {"DescriptorWork", 25, "instructions", "counted", COUNTED},
          {"CompletionWork", 100, "instructions", "counted", COUNTED},
          {"ReceiveWork", 250, "instructions", "counted", COUNTED},
          {"ReceiveTouch", 2, "lines", "counted", COUNTED},
          {"InterruptWork", 120, "instructions", "counted", COUNTED}}},
        {"generic",
         "generic_nic",
         OFFLOAD_SG | OFFLOAD_HW_CSUM | TSO_BOTH | OFFLOAD_HIGHDMA | OFFLOAD_RXCSUM | VLAN_TAGS,
         OFFLOAD_SG | OFFLOAD_HW_CSUM | TSO_BOTH | OFFLOAD_HIGHDMA,
         {{"LinkRate", 10, "Gb/s", "assumed", PLAIN},
          {"PcieRate", 25.6, "Gb/s", "assumed", PLAIN},
          {"Queues", 4, "queues", "assumed", PLAIN}}},
    };
    return PRESETS;
}

} // namespace

TypeId
NicModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::linuxhost::NicModel")
            .SetParent<Object>()
            .SetGroupName("LinuxHost")
            .AddConstructor<NicModel>()
            .AddAttribute("LinkRate",
                          "The link's rate, in Gb/s.",
                          DoubleValue(10),
                          MakeDoubleAccessor(&NicModel::linkGbps),
                          MakeDoubleChecker<double>(1e-3, 1e6))
            .AddAttribute("CableDelay",
                          "From one end of the wire to the other, in ns.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&NicModel::cableNs),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("PcieRate",
                          "What DMA moves in one direction, in Gb/s.",
                          DoubleValue(12.8),
                          MakeDoubleAccessor(&NicModel::pcieGbps),
                          MakeDoubleChecker<double>(1e-3, 1e6))
            .AddAttribute("PcieRead",
                          "How long a DMA read takes, there and back, in ns.",
                          DoubleValue(900),
                          MakeDoubleAccessor(&NicModel::pcieReadNs),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("PcieWrite",
                          "How long a DMA write takes, one way, in ns.",
                          DoubleValue(450),
                          MakeDoubleAccessor(&NicModel::pcieWriteNs),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("TxRing",
                          "Descriptors of a transmit ring.",
                          DoubleValue(512),
                          MakeDoubleAccessor(&NicModel::txRing),
                          MakeDoubleChecker<double>(1, 1e6))
            .AddAttribute("RxRing",
                          "Buffers of a receive ring.",
                          DoubleValue(512),
                          MakeDoubleAccessor(&NicModel::rxRing),
                          MakeDoubleChecker<double>(1, 1e6))
            .AddAttribute("Queues",
                          "Transmit and receive queues.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&NicModel::queues),
                          MakeDoubleChecker<double>(1, 1024))
            .AddAttribute("StopSlots",
                          "A transmit queue stops when fewer descriptors are free.",
                          DoubleValue(18),
                          MakeDoubleAccessor(&NicModel::stopSlots),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("WakeShare",
                          "It wakes when no more than this share of the ring is in use.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&NicModel::wakeShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("DescriptorBytes",
                          "Bytes of a descriptor.",
                          DoubleValue(16),
                          MakeDoubleAccessor(&NicModel::descriptorBytes),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("DescriptorReach",
                          "A buffer is cut where its address is a multiple of this, in bytes.",
                          DoubleValue(4096),
                          MakeDoubleAccessor(&NicModel::descriptorReach),
                          MakeDoubleChecker<double>(1, 1e9))
            .AddAttribute("PioBurst",
                          "Bytes of descriptors that the CPU writes to the card at once; 0: the "
                          "card fetches them.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&NicModel::pioBurst),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("PioTime",
                          "What such a write and the barrier after it take, in ns.",
                          DoubleValue(50),
                          MakeDoubleAccessor(&NicModel::pioNs),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute(
                "Doorbell",
                "What it takes until a doorbell has left the CPU, in ns; 0: there is none.",
                DoubleValue(50),
                MakeDoubleAccessor(&NicModel::doorbellNs),
                MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("CoalesceTime",
                          "The time between two interrupts, in us.",
                          DoubleValue(16),
                          MakeDoubleAccessor(&NicModel::coalesceUs),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute(
                "CoalesceSpread",
                "An interrupt is late by up to so much, in us: a card looks at its timers "
                "between two frames.",
                DoubleValue(1.2),
                MakeDoubleAccessor(&NicModel::coalesceSpreadUs),
                MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("CoalesceFrames",
                          "So many events interrupt at once; 0: they wait for the time.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&NicModel::coalesceFrames),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("NapiWeight",
                          "Received frames of one poll.",
                          DoubleValue(64),
                          MakeDoubleAccessor(&NicModel::napiWeight),
                          MakeDoubleChecker<double>(1, 1e6))
            .AddAttribute("LroFrames",
                          "Frames that LRO or GRO merges at most: fragments of a packet.",
                          DoubleValue(17),
                          MakeDoubleAccessor(&NicModel::lroFrames),
                          MakeDoubleChecker<double>(1, 1e6))
            .AddAttribute("LroFlows",
                          "Flows that the driver's LRO merges at a time; one more passes as it is.",
                          DoubleValue(8),
                          MakeDoubleAccessor(&NicModel::lroFlows),
                          MakeDoubleChecker<double>(0, 1e6))
            .AddAttribute("SentInPoll",
                          "1: each poll of the driver takes what was sent; 0: only an interrupt "
                          "does, so that nothing is taken while polls follow each other.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&NicModel::sentInPoll),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("ByteLimit",
                          "1: the driver tells the stack about bytes in flight (BQL).",
                          DoubleValue(0),
                          MakeDoubleAccessor(&NicModel::byteLimit),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("XmitWork",
                          "The driver's work for a frame to send, in instructions.",
                          DoubleValue(150),
                          MakeDoubleAccessor(&NicModel::xmitWork),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("DescriptorWork",
                          "Its work for each descriptor, mapping included, in instructions.",
                          DoubleValue(25),
                          MakeDoubleAccessor(&NicModel::descriptorWork),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("CompletionWork",
                          "Its work for a frame that has been sent, in instructions.",
                          DoubleValue(70),
                          MakeDoubleAccessor(&NicModel::completionWork),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("ReceiveWork",
                          "Its work for a received frame, with the new buffer, in instructions.",
                          DoubleValue(200),
                          MakeDoubleAccessor(&NicModel::receiveWork),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("RefillWrites",
                          "Writes to the card for each new receive buffer, of PioTime.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&NicModel::refillWrites),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("ReceiveTouch",
                          "Lines of a received frame, written by DMA, that the CPU reads before it "
                          "copies: completion and headers.",
                          DoubleValue(2),
                          MakeDoubleAccessor(&NicModel::receiveTouch),
                          MakeDoubleChecker<double>(0, 1e9))
            .AddAttribute("InterruptWork",
                          "Its interrupt handler, in instructions.",
                          DoubleValue(150),
                          MakeDoubleAccessor(&NicModel::interruptWork),
                          MakeDoubleChecker<double>(0, 1e9));
    return tid;
}

NicModel::NicModel()
    : linkGbps(10),
      cableNs(100),
      pcieGbps(12.8),
      pcieReadNs(900),
      pcieWriteNs(450),
      txRing(512),
      rxRing(512),
      queues(1),
      stopSlots(18),
      wakeShare(0.5),
      descriptorBytes(16),
      descriptorReach(4096),
      pioBurst(0),
      pioNs(50),
      doorbellNs(50),
      coalesceUs(16),
      coalesceSpreadUs(1.2),
      coalesceFrames(0),
      napiWeight(64),
      lroFrames(17),
      lroFlows(8),
      sentInPoll(1),
      byteLimit(0),
      xmitWork(150),
      descriptorWork(25),
      completionWork(70),
      receiveWork(200),
      refillWrites(0.125),
      receiveTouch(2),
      interruptWork(150),
      m_name("generic"),
      m_driver("generic_nic"),
      m_features(0),
      m_vlanFeatures(0)
{
    NS_LOG_FUNCTION(this);
}

NicModel::~NicModel()
{
    NS_LOG_FUNCTION(this);
}

std::vector<std::string>
NicModel::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetPresets())
    {
        names.emplace_back(preset.name);
    }
    return names;
}

Ptr<NicModel>
NicModel::Create(const std::string& name)
{
    for (const auto& preset : GetPresets())
    {
        if (name != preset.name)
        {
            continue;
        }
        Ptr<NicModel> nic = CreateObject<NicModel>();
        nic->m_name = preset.name;
        nic->m_driver = preset.driver;
        nic->m_features = preset.features;
        nic->m_vlanFeatures = preset.vlanFeatures;
        for (const auto& entry : preset.entries)
        {
            // What the user has set as ns-3's default goes before the preset.
            TypeId::AttributeInformation info;
            GetTypeId().LookupAttributeByName(entry.attribute, &info);
            if (info.initialValue == info.originalInitialValue)
            {
                nic->SetAttribute(entry.attribute, DoubleValue(entry.value));
            }
            nic->m_sources.push_back(
                {entry.attribute, entry.value, entry.unit, entry.kind, entry.source});
        }
        // What the preset does not say is as the class has it.
        for (const auto& usual : GetPresets().front().entries)
        {
            const auto& said = nic->m_sources;
            if (std::none_of(said.begin(), said.end(), [&usual](const Figure& figure) {
                    return figure.name == usual.attribute;
                }))
            {
                TypeId::AttributeInformation info;
                GetTypeId().LookupAttributeByName(usual.attribute, &info);
                nic->m_sources.push_back(
                    {usual.attribute,
                     std::stod(info.originalInitialValue->SerializeToString(info.checker)),
                     usual.unit,
                     "assumed",
                     PLAIN});
            }
        }
        return nic;
    }
    return nullptr;
}

const std::string&
NicModel::GetName() const
{
    return m_name;
}

const std::string&
NicModel::GetDriver() const
{
    return m_driver;
}

std::vector<Figure>
NicModel::GetFigures() const
{
    std::vector<Figure> figures = m_sources;
    for (auto& figure : figures)
    {
        DoubleValue value;
        GetAttribute(figure.name, value);
        if (value.Get() != figure.value)
        {
            figure.value = value.Get();
            figure.kind = "set";
            figure.source = "by the user";
        }
        figure.name = "Nic" + figure.name;
    }
    return figures;
}

OffloadFlags
NicModel::GetFeatures() const
{
    return m_features;
}

OffloadFlags
NicModel::GetVlanFeatures() const
{
    return m_vlanFeatures;
}

double
NicModel::CountPages(double bytes) const
{
    const double PAGE = 4096;
    const double SHARED = 2;
    return bytes <= PAGE / SHARED ? 1 / SHARED : std::ceil(bytes / PAGE);
}

double
NicModel::CountDescriptors(double bytes) const
{
    // A buffer begins anywhere between two boundaries.
    return 1 + bytes / std::max(1.0, descriptorReach);
}

} // namespace linuxhost
} // namespace ns3
