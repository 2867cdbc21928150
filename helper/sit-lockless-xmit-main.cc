/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "patch-example.h"
#include "scenario-programs.h"

#include "ns3/boolean.h"
#include "ns3/kernel-lock.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/sit-lockless-xmit.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace linuxhost
{

int
SitLocklessXmitMain(int argc, char* argv[])
{
    PatchExample example("sit-lockless-xmit",
                         "the lockless transmit patch of the IP tunnels (Linux, 2010)",
                         16,
                         KernelLock::GetSpinLockKinds(),
                         "dual-xeon-e5540");
    std::string tunnel = "sit";
    const int64_t USUAL_PAYLOAD = 172;
    int64_t payload = USUAL_PAYLOAD;
    example.GetOptions().AddChoice("tunnel",
                                   "The tunnel that the threads send through.",
                                   SitLocklessXmit::GetTunnels(),
                                   &tunnel);
    example.GetOptions()
        .AddInteger("payload", "UDP payload of a datagram.", 0, 1432, &payload, "bytes");
    example.Bind("ns3::linuxhost::SitLocklessXmit",
                 {{"variant", "Lltx"},
                  {"tunnel", "Tunnel"},
                  {"lock", "Lock"},
                  {"cpus", "Threads"},
                  {"payload", "Payload"}});
    example.SetCase(
        [&]() { return payload == USUAL_PAYLOAD ? "tunnel=" + tunnel : std::string(); });
    const uint64_t CAPTURED = 1000;
    const std::string which = "the first thousand packets of each variant, at their simulated "
                              "times, as its last device of the pack gets them";
    example.SetPacketPlayer(which, [](Ptr<PatchScenario> scenario) {
        std::vector<CapturedPacket> packets;
        DynamicCast<SitLocklessXmit>(scenario)->PlayPackets(
            CAPTURED,
            [&packets](Ptr<const Packet> packet) {
                CapturedPacket captured;
                captured.time = Simulator::Now();
                captured.bytes.resize(packet->GetSize());
                packet->CopyData(captured.bytes.data(), packet->GetSize());
                packets.push_back(captured);
            });
        return packets;
    });
    return example.Run(argc,
                       argv,
                       [&](const PatchExample::Request& request, const std::string& variant) {
                           Ptr<SitLocklessXmit> scenario = CreateObject<SitLocklessXmit>();
                           scenario->SetAttribute("Lltx", BooleanValue(variant == "after"));
                           scenario->SetAttribute("Tunnel", StringValue(tunnel));
                           scenario->SetAttribute("Lock", StringValue(request.lock));
                           scenario->SetAttribute("Threads", UintegerValue(request.cpus));
                           scenario->SetAttribute("Payload",
                                                  UintegerValue(static_cast<uint64_t>(payload)));
                           return scenario;
                       });
}

} // namespace linuxhost
} // namespace ns3
