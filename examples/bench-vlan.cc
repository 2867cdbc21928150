/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * How fast frames go through the pack's software segmentation, and through a VLAN device on ns-3's
 * CSMA device, against CSMA alone in the same run.
 */

#include "ns3/boolean.h"
#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/data-rate.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/example-options.h"
#include "ns3/json-text.h"
#include "ns3/linux-host-compat.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/vlan-offload.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/**
 * @param work what to time
 * @returns the seconds it takes
 */
double
TimeOf(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/**
 * @param values some values
 * @returns the middle one
 */
double
Median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// @returns bytes a second that are segmented and checksummed, in packets of 45 x 1448 bytes
double
SegmentedBytesPerSecond()
{
    const uint32_t MSS = 1448;
    const uint32_t SEGMENTS = 45;
    const uint32_t HEADERS = 14 + 20 + 20;
    std::vector<uint8_t> bytes(HEADERS + SEGMENTS * MSS, 0x5a);
    WriteNetwork16(&bytes[12], ETHERTYPE_IPV4);
    bytes[14] = 0x45;
    bytes[14 + 9] = 6;
    bytes[14 + 20 + 12] = 5 << 4;
    SkBuff skb(bytes);
    skb.gsoType = GSO_TYPE_TCPV4;
    skb.gsoSize = MSS;
    skb.ipSummed = ChecksumState::PARTIAL;
    skb.csumStart = 14 + 20;
    skb.csumOffset = 16;
    const uint32_t PACKETS = 300;
    uint64_t done = 0;
    const double seconds = TimeOf([&]() {
        for (uint32_t i = 0; i < PACKETS; ++i)
        {
            for (const SkBuff& segment : ValidateTransmit(skb, 0, nullptr))
            {
                done += segment.data.size() - HEADERS;
            }
        }
    });
    return static_cast<double>(done) / seconds;
}

/// Counts what arrives.
struct Sink
{
    uint64_t frames{0}; //!< frames

    /// @returns true: it is taken
    bool Receive(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
    {
        ++frames;
        return true;
    }
};

/**
 * @param tagged whether over VLAN devices
 * @returns frames a second from one host to another on a CSMA channel
 */
double
FramesPerSecond(bool tagged)
{
    const uint32_t FRAMES = 20000;
    static constexpr uint32_t SIZE = 1000;
    Ptr<CsmaChannel> channel = CreateObject<CsmaChannel>();
    channel->SetAttribute("DataRate", DataRateValue(DataRate("10Gbps")));
    std::vector<Ptr<NetDevice>> ends;
    std::vector<Ptr<Node>> nodes;
    for (int i = 0; i < 2; ++i)
    {
        Ptr<Node> node = CreateObject<Node>();
        Ptr<CsmaNetDevice> device = CreateObject<CsmaNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetQueue(CreateObject<DropTailQueue<Packet>>());
        node->AddDevice(device);
        device->Attach(channel);
        Ptr<NetDevice> end = device;
        if (tagged)
        {
            Ptr<VlanNetDevice> vlan = CreateObject<VlanNetDevice>();
            vlan->SetVid(100);
            vlan->Attach(device);
            end = vlan;
        }
        ends.push_back(end);
        nodes.push_back(node);
    }
    Sink sink;
    ends[1]->SetReceiveCallback(MakeCallback(&Sink::Receive, &sink));
    Ptr<NetDevice> from = ends[0];
    const Address to = ends[1]->GetAddress();
    const Time GAP = NanoSeconds(1000);
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        Simulator::Schedule(GAP * i, [from, to]() {
            const uint16_t PROTOCOL = 0x88b5;
            from->Send(Create<Packet>(SIZE), to, PROTOCOL);
        });
    }
    const double seconds = TimeOf([]() { Simulator::Run(); });
    for (const auto& node : nodes)
    {
        node->Dispose();
    }
    Simulator::Destroy();
    return static_cast<double>(sink.frames) / seconds;
}

} // namespace

int
main(int argc, char* argv[])
{
    ExampleOptions options("bench-vlan", "how fast segmentation and VLAN devices run");
    bool json = false;
    int64_t rounds = 5;
    options.AddSwitch("json", "Print one JSON object.", &json);
    options.AddInteger("rounds", "Rounds of which the median counts.", 1, 1000, &rounds);
    int exitCode;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    std::vector<double> bytes;
    std::vector<double> ratios;
    std::vector<double> rates;
    for (int64_t i = 0; i < rounds; ++i)
    {
        // In turn: a machine whose speed drifts changes both.
        bytes.push_back(SegmentedBytesPerSecond());
        rates.push_back(FramesPerSecond(true));
        ratios.push_back(rates.back() / FramesPerSecond(false));
    }
    if (json)
    {
        std::cout << "{\"gso_bytes_per_s\": " << JsonNumber(Median(bytes))
                  << ", \"vlan_frames_per_s\": " << JsonNumber(Median(rates))
                  << ", \"vlan_frames_over_csma\": " << JsonNumber(Median(ratios)) << "}"
                  << std::endl;
        return 0;
    }
    std::printf("segmented and checksummed               %6.0f MB/s\n", Median(bytes) / 1e6);
    std::printf("frames over a VLAN on CSMA               %6.0f a second\n", Median(rates));
    std::printf("frames over a VLAN / over CSMA alone     %6.2f\n", Median(ratios));
    return 0;
}
