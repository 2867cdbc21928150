/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "capture-file.h"
#include "patch-example.h"
#include "scenario-programs.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/kernel-lock.h"
#include "ns3/machine-presets.h"
#include "ns3/receive-side-scaling.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/vlan-offload.h"

#include <cstdio>
#include <string>

namespace ns3
{
namespace linuxhost
{

namespace
{

/**
 * Print what limits the stream.
 * @param os the stream
 * @param result the result
 */
void
PrintLimit(std::ostream& os, const ScenarioResult& result)
{
    struct Part
    {
        const char* metric; //!< how busy it is, per cent
        const char* name;   //!< what it is
    };

    static const Part PARTS[] = {
        {"send_cpu_pct", "the sender's CPU"},
        {"recv_program_cpu_pct", "the receiver's CPU that copies"},
        {"recv_irq_cpu_pct", "the receiver's CPU with the interrupts"},
        {"wire_pct", "the wire"},
    };
    const double BUSY = 98.5;
    std::string busy;
    std::string all;
    for (const auto& part : PARTS)
    {
        const double percent = result.GetMetric(part.metric);
        char text[96];
        std::snprintf(text, sizeof(text), "%s %.0f %%", part.name, percent);
        all += (all.empty() ? "" : ", ") + std::string(text);
        if (percent >= BUSY)
        {
            busy += (busy.empty() ? "" : ", and ") + std::string(part.name);
        }
    }
    if (busy.empty())
    {
        busy = result.GetMetric("tsq_throttles_per_s") > result.GetMetric("send_irqs_per_s") / 2
                   ? "TSQ, which waits for the card's interrupts"
                   : "none of these";
    }
    PrintFolded(os, "Busy: " + all + ".", "");
    PrintFolded(os, "What limits: " + busy + ".", "");
}

/**
 * Print a result as netperf does.
 * @param os the stream
 * @param result the result
 */
void
PrintAsNetperf(std::ostream& os, const ScenarioResult& result)
{
    double message = 0;
    for (const auto& setting : result.params)
    {
        message = setting.name == "message_size" ? std::stod(setting.json) : message;
    }
    // The socket sizes are what netperf asks for; both are autotuned afterwards.
    const int RECEIVE_SIZE = 87380;
    const int SEND_SIZE = 65536;
    char line[128];
    std::snprintf(line,
                  sizeof(line),
                  "%6d %6d %6.0f  %8.4f   %10.2f   %-8.2f %-8.2f %-7.3f %-7.3f\n",
                  RECEIVE_SIZE,
                  SEND_SIZE,
                  message,
                  static_cast<double>(result.measuredFrames) / result.GetMetric("pps"),
                  result.GetMetric("goodput_mbps"),
                  result.GetMetric("send_util_pct"),
                  result.GetMetric("recv_util_pct"),
                  result.GetMetric("send_us_per_kb"),
                  result.GetMetric("recv_us_per_kb"));
    os << "Recv   Send    Send                          Utilization       Service Demand\n"
          "Socket Socket  Message  Elapsed              Send     Recv     Send    Recv\n"
          "Size   Size    Size     Time     Throughput  local    remote   local   remote\n"
          "bytes  bytes   bytes    secs.    10^6bits/s  % S      % S      us/KB   us/KB\n\n"
       << line << "\n";
    PrintLimit(os, result);
}

} // namespace

int
VlanOffloadMain(int argc, char* argv[])
{
    PatchExample example("vlan-offload",
                         "offloads on VLAN transmit (netdev, December 2012)",
                         4,
                         KernelLock::GetSpinLockKinds(),
                         "dual-opteron-k8");
    ExampleOptions& options = example.GetOptions();
    std::string nic = "myri10ge";
    std::string receiver = "athlon64-x2";
    std::string offloads;
    std::string xps = "on";
    std::string ports = "ephemeral";
    int64_t queues = 0;
    int64_t mtu = 1500;
    int64_t message = 65536;
    int64_t flows = 1;
    int64_t tags = 1;
    int64_t reorder = 0;
    int64_t receiverCpus = 2;
    int64_t tsq = 131072;
    bool bridged = false;
    double coalesce = -1;
    double senderWork = 0;
    double receiverWork = 0;
    std::string receiverFigure;
    options.AddChoice("nic", "The card at both ends.", NicModel::GetNames(), &nic);
    options.AddInteger("queues",
                       "Queues of the card, in each direction; 0: as many as it has.",
                       0,
                       1024,
                       &queues);
    options.AddText("xps",
                    "Transmit queues: of the CPU that gets its interrupts (on), by the flow's hash "
                    "(off), or the queue of CPU 0, 1, ...",
                    &xps,
                    "on|off|QUEUE,...");
    options.AddChoice("ports",
                      "TCP ports of the streams: ephemeral, so that RSS puts streams together as "
                      "chance has it, or such that they spread over the receive queues.",
                      VlanOffload::GetPortChoices(),
                      &ports);
    options.AddInteger("mtu", "The MTU.", 576, 9000, &mtu, "bytes");
    options.AddInteger("message-size", "Bytes of a send().", 1, 1 << 20, &message, "bytes");
    options.AddInteger("flows", "Streams.", 1, 64, &flows);
    options.AddInteger("tags", "VLAN devices on each other.", 0, 4, &tags);
    options.AddInteger("reorder-hdr",
                       "REORDER_HDR of the VLAN devices; 0: frames are built with their tag where "
                       "the card inserts none.",
                       0,
                       1,
                       &reorder);
    options.AddSwitch("bridged", "Frames come with a tag already, as from a bridge.", &bridged);
    options.AddText("offload",
                    "Features to switch on the cards, as ethtool -K names them.",
                    &offloads,
                    "NAME=on|off,...");
    options.AddReal("coalesce",
                    "Time between two interrupts; -1: as the card's driver has it.",
                    -1,
                    1e5,
                    &coalesce,
                    "us");
    options.AddInteger("tsq", "tcp_limit_output_bytes; 0: none.", 0, 1 << 30, &tsq, "bytes");
    options.AddChoice("receiver-machine",
                      "The receiver's machine.",
                      MachinePresets::GetNames(),
                      &receiver);
    options.AddInteger("receiver-cpus", "The receiver's CPUs.", 1, MAX_CPUS, &receiverCpus);
    options.AddReal("sender-work",
                    "Software work of the sender, as a share of what was counted; else as fitted.",
                    0,
                    100,
                    &senderWork);
    options.AddReal("receiver-work",
                    "Software work of the receiver, in the same way.",
                    0,
                    100,
                    &receiverWork);
    options.AddText("receiver-figure",
                    "Other figures for the receiver's machine, as --figure.",
                    &receiverFigure,
                    "NAME=VALUE,...");
    example.AddPrinter("features",
                       "Print what each device offloads, and what remains for a frame, and stop.",
                       [](std::ostream& os, Ptr<PatchScenario> scenario) {
                           os << DynamicCast<VlanOffload>(scenario)->DescribeFeatures();
                       });
    example.AddPrinter("rss",
                       "Print the ports, hashes, queues and CPUs of each stream, and stop.",
                       [](std::ostream& os, Ptr<PatchScenario> scenario) {
                           os << DynamicCast<VlanOffload>(scenario)->DescribeQueues();
                       });
    example.SetResultPrinter(PrintAsNetperf);
    const Time CAPTURED = MilliSeconds(10);
    example.SetPacketPlayer(
        "the frames that cross the wire in the first 10 ms of what is measured of each variant "
        "(data and acknowledgements, at their simulated times; up to 13 MB at 10 Gb/s)",
        [](Ptr<PatchScenario> scenario) {
            std::vector<CapturedPacket> packets;
            for (const auto& frame : DynamicCast<VlanOffload>(scenario)->GetCapture())
            {
                packets.push_back({frame.first, frame.second});
            }
            return packets;
        },
        LINKTYPE_ETHERNET);
    example.Bind("ns3::linuxhost::VlanOffload",
                 {{"variant", "CopyVlanFeatures"},
                  {"nic", "Nic"},
                  {"queues", "Queues"},
                  {"xps", "Xps"},
                  {"ports", "Ports"},
                  {"mtu", "Mtu"},
                  {"message-size", "MessageSize"},
                  {"flows", "Flows"},
                  {"tags", "Tags"},
                  {"reorder-hdr", "ReorderHeader"},
                  {"bridged", "Bridged"},
                  {"offload", "Offloads"},
                  {"lock", "Lock"},
                  {"coalesce", "Coalesce"},
                  {"cpus", "SenderCpus"},
                  {"receiver-machine", "ReceiverMachine"},
                  {"receiver-cpus", "ReceiverCpus"},
                  {"tsq", "Tsq"}});
    // What was published was measured with these.
    example.SetCase([&]() {
        const bool same = nic == "myri10ge" && queues == 0 && mtu == 1500 && message == 65536 &&
                          flows == 1 && tags == 1 && reorder == 0 && !bridged && offloads.empty() &&
                          coalesce == -1 && tsq == 131072 && receiver == "athlon64-x2" &&
                          receiverCpus == 2 && receiverFigure.empty();
        return std::string(same ? "nic=myri10ge" : "");
    });
    return example.Run(
        argc,
        argv,
        [&](const PatchExample::Request& request,
            const std::string& variant) -> Ptr<PatchScenario> {
            Ptr<VlanOffload> scenario = CreateObject<VlanOffload>();
            const double own = NicModel::Create(nic)->queues;
            const std::string wrong = VlanOffload::CheckXps(
                xps,
                static_cast<uint32_t>(queues > 0 ? static_cast<double>(queues) : own));
            if (!wrong.empty())
            {
                options.Fail("xps", xps, wrong);
                return nullptr;
            }
            TypeId::AttributeInformation key;
            ReceiveSideScaling::GetTypeId().LookupAttributeByName("Key", &key);
            const std::string keyText = key.initialValue->SerializeToString(key.checker);
            std::vector<uint8_t> bytes;
            if (!ReceiveSideScaling::ParseKey(keyText, &bytes))
            {
                options.Fail("ns3::linuxhost::ReceiveSideScaling::Key",
                             keyText,
                             ReceiveSideScaling::KEY_ALLOWED);
                return nullptr;
            }
            const std::string refused = VlanOffload::CheckOffloads(nic, offloads);
            if (!refused.empty())
            {
                options.Fail("--offload=" + refused + " (--features lists what the cards have)");
                return nullptr;
            }
            Ptr<HostMachine> machine = MachinePresets::Create(receiver);
            std::string allowed;
            const std::string figure = PatchExample::ApplyFigures(
                machine,
                options.GetAttributes(PatchExample::HOST_MACHINE) + "," + receiverFigure,
                &allowed);
            if (!figure.empty())
            {
                options.Fail("receiver-figure", figure, allowed);
                return nullptr;
            }
            const std::string few = machine->Extend(static_cast<uint32_t>(receiverCpus));
            if (!few.empty())
            {
                options.Fail("receiver-cpus", std::to_string(receiverCpus), few);
                return nullptr;
            }
            scenario->SetReceiverMachine(machine);
            scenario->EnableCapture(options.IsGiven("pcap") ? CAPTURED : Time(0));
            auto set = [&](const char* name, int64_t value) {
                scenario->SetAttribute(name, UintegerValue(static_cast<uint64_t>(value)));
            };
            scenario->SetAttribute("CopyVlanFeatures", BooleanValue(variant == "after"));
            scenario->SetAttribute("Nic", StringValue(nic));
            scenario->SetAttribute("Xps", StringValue(xps));
            scenario->SetAttribute("Ports", StringValue(ports));
            set("Queues", queues);
            scenario->SetAttribute("ReceiverMachine", StringValue(receiver));
            scenario->SetAttribute("ReorderHeader", BooleanValue(reorder != 0));
            scenario->SetAttribute("Bridged", BooleanValue(bridged));
            scenario->SetAttribute("Offloads", StringValue(offloads));
            scenario->SetAttribute("Lock", StringValue(request.lock));
            scenario->SetAttribute("Coalesce", DoubleValue(coalesce));
            set("Mtu", mtu);
            set("MessageSize", message);
            set("Flows", flows);
            set("Tags", tags);
            set("SenderCpus", request.cpus);
            set("ReceiverCpus", receiverCpus);
            set("Tsq", tsq);
            if (options.IsGiven("sender-work"))
            {
                scenario->SetAttribute("SenderWork", DoubleValue(senderWork));
            }
            if (options.IsGiven("receiver-work"))
            {
                scenario->SetAttribute("ReceiverWork", DoubleValue(receiverWork));
            }
            return scenario;
        });
}

} // namespace linuxhost
} // namespace ns3
