/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "patch-example.h"
#include "scenario-programs.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/idle-governor.h"
#include "ns3/kernel-lock.h"
#include "ns3/string.h"
#include "ns3/tun-read-wakeup.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace linuxhost
{

int
TunReadWakeupMain(int argc, char* argv[])
{
    PatchExample example("tun-read-wakeup",
                         "the tun read patch (Linux 3.16, 2014)",
                         2,
                         KernelLock::GetSpinLockKinds(),
                         "dual-xeon-e5-2690");
    ExampleOptions& options = example.GetOptions();
    const std::string BOTH = "both";
    std::string placement = BOTH;
    int64_t size = 64;
    int64_t queues = 1;
    int64_t readers = 1;
    int64_t blocking = 1;
    int64_t txQueueLen = 500;
    double idleLimit = 1000;
    std::string idleStates;
    double senderWork = 0;
    double readerWork = 0;
    std::vector<std::string> placements = TunReadWakeup::GetPlacements();
    placements.push_back(BOTH);
    const std::vector<std::string> both = {"same-socket", "cross-socket"};
    options.AddChoice("placement",
                      "Where the readers are, seen from the sender; both: same and cross socket.",
                      placements,
                      &placement,
                      both);
    options.AddInteger("size", "A frame's size.", 64, 1514, &size, "bytes");
    options.AddInteger("queues", "Queues of tap0.", 1, 8, &queues);
    options.AddInteger("readers", "Readers of each queue.", 1, 8, &readers);
    options.AddInteger("blocking", "1: readers sleep; 0: they poll.", 0, 1, &blocking);
    options.AddInteger("txqueuelen", "Packets that tap0 holds.", 1, 100000, &txQueueLen);
    options.AddReal("idle-limit",
                    "Longest exit latency of an idle state; 0: idle CPUs poll.",
                    0,
                    1e6,
                    &idleLimit,
                    "us");
    options.AddText("idle-states",
                    "Idle states in place of the machine's: exit latency and shortest time worth "
                    "it, in us; irq: only an interrupt ends it.",
                    &idleStates,
                    "NAME:EXIT:RESIDENCY[:irq]/...",
                    [](const std::string& text) {
                        std::vector<IdleState> states;
                        return text.empty() ? "" : IdleGovernor::Parse(text, &states);
                    });
    options.AddReal("sender-work",
                    "Software work of the sender, a packet; else as fitted.",
                    0,
                    1e7,
                    &senderWork,
                    "instructions");
    options.AddReal("reader-work",
                    "Software work of a reader, sleep apart, a packet; else as fitted.",
                    0,
                    1e7,
                    &readerWork,
                    "instructions");
    example.Bind("ns3::linuxhost::TunReadWakeup",
                 {{"variant", "Restructured"},
                  {"placement", "Placement"},
                  {"lock", "Lock"},
                  {"size", "Size"},
                  {"queues", "Queues"},
                  {"readers", "Readers"},
                  {"blocking", "Blocking"},
                  {"txqueuelen", "TxQueueLen"},
                  {"idle-limit", "IdleLimit"},
                  {"idle-states", "IdleStates"}});
    example.SetParts("placement", [&]() {
        return placement == BOTH ? both : std::vector<std::string>{placement};
    });
    return example.Run(
        argc,
        argv,
        [&](const PatchExample::Request& request,
            const std::string& variant) -> Ptr<PatchScenario> {
            auto wanted = static_cast<uint32_t>(queues * readers);
            if (options.IsGiven("cpus") && request.cpus != wanted + 1)
            {
                options.Fail("cpus",
                             std::to_string(request.cpus),
                             std::to_string(wanted + 1) + ": the sender's and the readers'");
                return nullptr;
            }
            request.machine->Freeze();
            auto cpus = TunReadWakeup::GetReaderCpus(request.machine, request.part, wanted);
            if (cpus.size() < wanted)
            {
                options.Fail("placement",
                             placement,
                             "one with CPUs for " + std::to_string(wanted) + " readers; " +
                                 request.machine->GetName() + " has " +
                                 std::to_string(cpus.size()) + " at " + request.part);
                return nullptr;
            }
            Ptr<TunReadWakeup> scenario = CreateObject<TunReadWakeup>();
            auto set = [&](const char* name, int64_t value) {
                scenario->SetAttribute(name, UintegerValue(static_cast<uint64_t>(value)));
            };
            scenario->SetAttribute("Restructured", BooleanValue(variant == "after"));
            scenario->SetAttribute("Placement", StringValue(request.part));
            scenario->SetAttribute("Lock", StringValue(request.lock));
            scenario->SetAttribute("Blocking", BooleanValue(blocking != 0));
            scenario->SetAttribute("IdleLimit", DoubleValue(idleLimit));
            scenario->SetAttribute("IdleStates", StringValue(idleStates));
            set("Size", size);
            set("Queues", queues);
            set("Readers", readers);
            set("TxQueueLen", txQueueLen);
            if (options.IsGiven("sender-work"))
            {
                scenario->SetAttribute("SenderWork", DoubleValue(senderWork));
            }
            if (options.IsGiven("reader-work"))
            {
                scenario->SetAttribute("ReaderWork", DoubleValue(readerWork));
            }
            return scenario;
        });
}

} // namespace linuxhost
} // namespace ns3
