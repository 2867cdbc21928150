/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ns3/boolean.h"
#include "ns3/capture-file.h"
#include "ns3/cpu-engine.h"
#include "ns3/double.h"
#include "ns3/kernel-lock.h"
#include "ns3/linux-host-compat.h"
#include "ns3/machine-presets.h"
#include "ns3/nic-port.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/skb-xmit-path.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/vlan-offload.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/// Sets attributes of a scenario.
using Change = std::function<void(Ptr<VlanOffload>)>;

/**
 * @param after the patch
 * @param change sets other attributes
 * @returns the scenario
 */
Ptr<VlanOffload>
Make(bool after, const Change& change = nullptr)
{
    Ptr<VlanOffload> scenario = CreateObject<VlanOffload>();
    scenario->SetMachine(MachinePresets::Create("dual-opteron-k8"));
    scenario->SetAttribute("CopyVlanFeatures", BooleanValue(after));
    scenario->SetAttribute("Precision", DoubleValue(0.02));
    scenario->SetAttribute("MaxFrames", UintegerValue(60000));
    if (change)
    {
        change(scenario);
    }
    return scenario;
}

/**
 * @param name an attribute
 * @param value its value
 * @returns a change that sets it
 */
Change
Set(const std::string& name, uint64_t value)
{
    return [=](Ptr<VlanOffload> s) { s->SetAttribute(name, UintegerValue(value)); };
}

/**
 * @param list features to switch
 * @returns a change that does
 */
Change
Offloads(const std::string& list)
{
    return [=](Ptr<VlanOffload> s) { s->SetAttribute("Offloads", StringValue(list)); };
}

/**
 * A card by itself: the wire's rate, moderation, rings.
 */
class NicPortTestCase : public TestCase
{
  public:
    NicPortTestCase()
        : TestCase("A card takes the time that bus and wire take")
    {
    }

  private:
    void DoRun() override
    {
        Wire();
        Moderation();
        Rings();
        Spread();
    }

    /// Frames go to the queue that RSS says.
    void Spread()
    {
        struct Row
        {
            uint32_t source;
            uint32_t destination;
            uint16_t sourcePort;
            uint16_t destinationPort;
            uint32_t hash;
        };

        // Of Microsoft's "Verifying the RSS Hash Calculation".
        const Row ROWS[] = {{0x420995bb, 0xa18e6450, 2794, 1766, 0x51ccc178},
                            {0xc75c6f02, 0x41458c53, 14230, 4739, 0xc626b0ea},
                            {0x1813c65f, 0x0c16cfb8, 12898, 38024, 0x5c2b394a}};
        Ptr<NicPort> a = Create<NicPort>(NicModel::Create("mlx4"));
        Ptr<NicPort> b = Create<NicPort>(NicModel::Create("mlx4"));
        NicPort::Join(*a, *b);
        uint32_t flows = 0;
        for (const auto& row : ROWS)
        {
            FlowTuple tuple;
            tuple.addressBytes = 4;
            WriteNetwork32(tuple.source.data(), row.source);
            WriteNetwork32(tuple.destination.data(), row.destination);
            tuple.hasPorts = true;
            tuple.sourcePort = row.sourcePort;
            tuple.destinationPort = row.destinationPort;
            b->SetFlow(flows, tuple);
            NicPacket packet;
            packet.flow = flows++;
            packet.frameBytes = 60;
            a->Post(0, packet);
        }
        NicPacket unknown;
        unknown.flow = flows;
        unknown.frameBytes = 60;
        a->Post(0, unknown);
        uint32_t frames = 0;
        b->SetInterrupt([&](uint32_t queue) {
            NicPacket frame;
            while (b->TakeReceived(queue, &frame))
            {
                const uint32_t hash = frame.flow < flows ? ROWS[frame.flow].hash : 0;
                NS_TEST_ASSERT_MSG_EQ(queue, (hash & 127) % 8, "flow " << frame.flow);
                ++frames;
            }
            b->Unmask(queue);
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(frames, flows + 1, "all of them");
        NS_TEST_ASSERT_MSG_EQ(b->CountReceiveQueues(), 2, "0x78, 0x6a and 0x4a: queues 0 and 2");
        NS_TEST_ASSERT_MSG_EQ(a->CountTransmitQueues(), 1, "sent by one");
        a->Stop();
        b->Stop();
        Simulator::Destroy();
    }

    /// Frames follow each other at the wire's rate.
    void Wire()
    {
        Ptr<NicModel> model = NicModel::Create("myri10ge");
        model->SetAttribute("CoalesceTime", DoubleValue(0));
        Ptr<NicPort> a = Create<NicPort>(model);
        Ptr<NicPort> b = Create<NicPort>(model);
        NicPort::Join(*a, *b);
        NicPacket packet;
        packet.frames = 45;
        packet.frameBytes = 1518;
        packet.payload = 1448;
        std::vector<int64_t> times;
        b->SetInterrupt([&](uint32_t queue) {
            NicPacket frame;
            while (b->TakeReceived(queue, &frame))
            {
                NS_TEST_ASSERT_MSG_EQ(frame.frames, 1, "one frame at a time");
                times.push_back(Simulator::Now().GetNanoSeconds());
            }
            b->Unmask(queue);
        });
        a->Post(0, packet);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(times.size(), 45, "all frames arrive");
        // 1518 bytes, FCS, preamble and gap at 10 Gb/s.
        const double FRAME_NS = (1518 + 4 + 8 + 12) * 0.8;
        NS_TEST_ASSERT_MSG_EQ_TOL((times.back() - times.front()) / 44.0,
                                  FRAME_NS,
                                  0.05,
                                  "at the wire's rate");
        // To the card, read, on the wire, written: at least that.
        NS_TEST_ASSERT_MSG_GT(times.front(),
                              static_cast<int64_t>(450 + 900 + FRAME_NS + 450),
                              "not before it can be there");
        NicPacket sent;
        NS_TEST_ASSERT_MSG_EQ(a->TakeSent(0, &sent), true, "it is sent");
        NS_TEST_ASSERT_MSG_EQ(a->TakeSent(0, &sent), false, "once");
        a->Stop();
        b->Stop();
        Simulator::Destroy();
    }

    /// Interrupts are as far apart as the card is told.
    void Moderation()
    {
        Ptr<NicPort> a = Create<NicPort>(NicModel::Create("myri10ge"));
        Ptr<NicPort> b = Create<NicPort>(NicModel::Create("myri10ge"));
        NicPort::Join(*a, *b);
        std::vector<double> times;
        b->SetInterrupt([&](uint32_t queue) {
            times.push_back(Simulator::Now().GetNanoSeconds() / 1000.0);
            NicPacket frame;
            while (b->TakeReceived(queue, &frame))
            {
            }
            b->Unmask(queue);
        });
        NicPacket packet;
        packet.frames = 300;
        packet.frameBytes = 1518;
        a->Post(0, packet);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_GT(times.size(), 4, "370 us of frames");
        NS_TEST_ASSERT_MSG_LT(times.size(), 8, "but few interrupts");
        for (std::size_t i = 1; i < times.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_GT(times[i] - times[i - 1], 74.9, "75 us apart");
        }
        a->Stop();
        b->Stop();
        Simulator::Destroy();

        // A card with a count interrupts when it is reached.
        Ptr<NicModel> model = NicModel::Create("mlx4");
        Ptr<NicPort> c = Create<NicPort>(model);
        Ptr<NicPort> d = Create<NicPort>(model);
        NicPort::Join(*c, *d);
        std::size_t first = 0;
        d->SetInterrupt([&](uint32_t queue) {
            NicPacket frame;
            std::size_t frames = 0;
            while (d->TakeReceived(queue, &frame))
            {
                ++frames;
            }
            first = first == 0 ? frames : first;
            d->Unmask(queue);
        });
        // Small frames: sixteen take less than the time limit.
        packet.frameBytes = 60;
        c->Post(0, packet);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(first, 16, "after sixteen frames");
        c->Stop();
        d->Stop();
        Simulator::Destroy();
    }

    /// Rings fill up.
    void Rings()
    {
        Ptr<NicModel> model = NicModel::Create("myri10ge");
        model->SetAttribute("RxRing", DoubleValue(64));
        model->SetAttribute("TxRing", DoubleValue(64));
        Ptr<NicPort> a = Create<NicPort>(model);
        Ptr<NicPort> b = Create<NicPort>(model);
        NicPort::Join(*a, *b);
        uint32_t lost = 0;
        b->SetLost([&](const NicPacket&) { ++lost; });
        NicPacket packet;
        packet.frameBytes = 1518;
        uint32_t posted = 0;
        while (!a->IsStopped(0))
        {
            a->Post(0, packet);
            ++posted;
        }
        NS_TEST_ASSERT_MSG_EQ(posted, 64 - 12 + 1, "stops with fewer than twelve free");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(b->GetCounts().received, posted, "there is room for these");
        NS_TEST_ASSERT_MSG_EQ(a->Wake(0), false, "nobody has taken what was sent");
        NicPacket sent;
        while (a->TakeSent(0, &sent))
        {
        }
        NS_TEST_ASSERT_MSG_EQ(a->Wake(0), true, "now it goes on");
        NS_TEST_ASSERT_MSG_EQ(a->Wake(0), false, "it did already");
        packet.frames = 40;
        a->Post(0, packet);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(lost, posted + 40 - 64, "nobody polls: what does not fit is lost");
        NS_TEST_ASSERT_MSG_EQ(b->GetCounts().dropped, lost, "and counted");
        a->Stop();
        b->Stop();
        Simulator::Destroy();

        // Byte queue limits grow until the card never runs dry.
        ByteQueueLimit limit;
        const uint32_t BYTES = 1500;
        limit.Queued(BYTES);
        NS_TEST_ASSERT_MSG_EQ(limit.IsOver(), true, "at first one packet at a time");
        limit.Completed(BYTES);
        NS_TEST_ASSERT_MSG_EQ(limit.IsOver(), false, "it is through");
        NS_TEST_ASSERT_MSG_GT(limit.GetLimit(), BYTES - 1, "the card ran dry: more next time");
    }
};

/**
 * The queueing discipline between CPUs that send at once.
 */
class QdiscTestCase : public TestCase
{
  public:
    QdiscTestCase()
        : TestCase("One CPU at a time is in the driver, and no packet is lost")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t CPUS = 4;
        for (const auto& kind : KernelLock::GetSpinLockKinds())
        {
            Ptr<CpuEngine> engine = CreateObject<CpuEngine>();
            engine->SetMachine(MachinePresets::Create("dual-opteron-k8"));
            engine->AssignStreams(1);
            Ptr<XmitHands> hands = Create<XmitHands>(CPUS);
            Ptr<NicPort> port = Create<NicPort>(NicModel::Create("generic"));
            Ptr<QdiscPath> qdisc = Create<QdiscPath>("eth0.q0", kind, 1000, hands, port, 0);
            uint32_t inside = 0;
            uint32_t most = 0;
            std::vector<uint64_t> driven(CPUS, 0);
            std::vector<uint64_t> handed(CPUS, 0);
            for (CpuId cpu = 0; cpu < CPUS; ++cpu)
            {
                Ptr<KernelPath> path = Create<KernelPath>("sender");
                path->Work("sendto", 100);
                path->Call(
                    [&, hands, cpu](CallMoment&) {
                        hands->At(cpu).skb.flow = cpu;
                        ++handed[cpu];
                    },
                    "sendto");
                qdisc->RecordXmit(*path, [&, hands](KernelPath& driver) {
                    driver.Call(
                        [&, hands](CallMoment& moment) {
                            most = std::max(most, ++inside);
                            ++driven[hands->At(moment.cpu).out.flow];
                        },
                        "xmit");
                    driver.Work("xmit", 200);
                    driver.Call([&](CallMoment&) { --inside; }, "xmit");
                });
                path->Frame();
                engine->AddTask(cpu, path);
            }
            engine->Start();
            const Ticks STRETCH = 2000000000;
            engine->RunUntil(STRETCH);
            NS_TEST_ASSERT_MSG_EQ(most, 1, kind << ": one at a time");
            NS_TEST_ASSERT_MSG_EQ(qdisc->GetDrops(), 0, kind << ": room for all");
            bool shared = false;
            for (const auto& line : engine->GetLines())
            {
                shared = shared || (line.name == "eth0.q0.busylock" && line.transfers > 0);
            }
            NS_TEST_ASSERT_MSG_EQ(shared, true, kind << ": some find it running");
            for (CpuId cpu = 0; cpu < CPUS; ++cpu)
            {
                NS_TEST_ASSERT_MSG_GT(driven[cpu], 100, kind << ": CPU " << cpu << " sends");
                // What is on its way: one in hand and what the discipline holds.
                NS_TEST_ASSERT_MSG_LT(handed[cpu] - driven[cpu], CPUS + 1, kind << ": none lost");
            }
            engine->Dispose();
            port->Stop();
            Simulator::Destroy();
        }
    }
};

/**
 * Which offloads a frame keeps, by configuration: the mask rule of netif_skb_features.
 */
class VlanMaskTestCase : public TestCase
{
  public:
    VlanMaskTestCase()
        : TestCase("The configuration and the rule decide what is lost, and where")
    {
    }

  private:
    /// A configuration, and where the stack segments.
    struct Row
    {
        const char* what;    //!< configuration
        const char* nic;     //!< card
        uint32_t tags;       //!< VLAN devices
        bool reorder;        //!< REORDER_HDR
        bool bridged;        //!< with a tag from a bridge
        bool segmentsBefore; //!< before, the stack segments
        bool segmentsAfter;  //!< and after
        bool gsoBefore;      //!< before, TCP builds large packets
    };

    /**
     * @param row a configuration
     * @returns a change that sets it
     */
    static Change Configure(const Row& row)
    {
        return [row](Ptr<VlanOffload> s) {
            s->SetAttribute("Nic", StringValue(row.nic));
            s->SetAttribute("Tags", UintegerValue(row.tags));
            s->SetAttribute("ReorderHeader", BooleanValue(row.reorder));
            s->SetAttribute("Bridged", BooleanValue(row.bridged));
        };
    }

    /**
     * @param scenario a scenario
     * @param symbol a kernel symbol
     * @returns the steps of its path that have it
     */
    static uint32_t CountSteps(Ptr<VlanOffload> scenario, const std::string& symbol)
    {
        uint32_t steps = 0;
        Ptr<KernelPath> path = scenario->GetPath();
        for (const auto& step : path->GetSteps())
        {
            steps += step.symbol == symbol ? 1 : 0;
        }
        return steps;
    }

    void DoRun() override
    {
        // By the code of 3.7 (netif_skb_features, vlan_dev_hard_header): no device segments a frame
        // that carries two tags; a second one beside the frame does not count.
        const Row ROWS[] = {
            {"one VLAN, REORDER_HDR on", "myri10ge", 1, true, false, false, false, true},
            {"one VLAN, REORDER_HDR off", "myri10ge", 1, false, false, true, false, true},
            {"off, but the card inserts tags", "mlx4", 1, false, false, false, false, true},
            {"VLAN on VLAN", "myri10ge", 2, true, false, false, false, false},
            {"VLAN on VLAN, tags in the frame", "myri10ge", 2, false, false, false, true, false},
            {"a tagged frame from a bridge", "myri10ge", 1, true, true, true, false, true},
            {"the same, REORDER_HDR off", "myri10ge", 1, false, true, true, false, true},
            {"no VLAN", "myri10ge", 0, true, false, false, false, true},
        };
        for (const auto& row : ROWS)
        {
            auto segments = [&](bool after) {
                return CountSteps(Make(after, Configure(row)), "skb_segment") > 0;
            };
            NS_TEST_ASSERT_MSG_EQ(segments(false), row.segmentsBefore, row.what << ", before");
            NS_TEST_ASSERT_MSG_EQ(segments(true), row.segmentsAfter, row.what << ", after");
            auto gso = [&](bool after) {
                const std::string text = Make(after, Configure(row))->DescribeFeatures();
                return text.find("packets of 45 x 1448") != std::string::npos;
            };
            NS_TEST_ASSERT_MSG_EQ(gso(false), row.gsoBefore, row.what << ": TCP, before");
            NS_TEST_ASSERT_MSG_EQ(gso(true), true, row.what << ": TCP, after");
        }
        // The path: a second pass over the data before, none after; the discipline's root lock is
        // taken twice for each frame that goes to the card.
        NS_TEST_ASSERT_MSG_GT(CountSteps(Make(false), "csum_partial_copy_generic"), 0, "before");
        NS_TEST_ASSERT_MSG_EQ(CountSteps(Make(true), "csum_partial_copy_generic"), 0, "after");
        uint32_t root = 0;
        bool driver = false;
        Ptr<KernelPath> path = Make(false)->GetPath();
        for (const auto& step : path->GetSteps())
        {
            driver = driver || step.symbol == "tcp_event_new_data_sent";
            root += !driver && step.primitive && step.operation == KernelLock::LOCK &&
                            step.note.rfind("qdisc root", 0) == 0
                        ? 1
                        : 0;
        }
        NS_TEST_ASSERT_MSG_EQ(root, 2, "two acquisitions of the root lock a frame");

        // The patch is one assignment: where it does not bite, nothing differs.
        std::ostringstream difference;
        auto on = [](Ptr<VlanOffload> s) { s->SetAttribute("ReorderHeader", BooleanValue(true)); };
        Ptr<KernelPath> before = Make(false, on)->GetPath();
        Ptr<KernelPath> after = Make(true, on)->GetPath();
        NS_TEST_ASSERT_MSG_EQ(before->GetSteps().size(), after->GetSteps().size(), "same steps");
        // A switch that a rule forbids says which.
        NS_TEST_ASSERT_MSG_EQ(VlanOffload::CheckOffloads("myri10ge", "tso=off,gro=off"), "", "");
        NS_TEST_ASSERT_MSG_NE(VlanOffload::CheckOffloads("myri10ge", "tso=maybe"), "", "no state");
        NS_TEST_ASSERT_MSG_NE(VlanOffload::CheckOffloads("myri10ge", "nonsense=on"), "", "no name");
        // The driver's own rule: LRO needs receive checksums.
        NS_TEST_ASSERT_MSG_NE(VlanOffload::CheckOffloads("myri10ge", "rx=off,lro=on"), "", "rx");
        NS_TEST_ASSERT_MSG_EQ(VlanOffload::CheckOffloads("myri10ge", "lro=on,rx=off"), "", "goes");
    }
};

/**
 * What goes onto the wire is the same, whoever makes the segments.
 */
class VlanWireTestCase : public TestCase
{
  public:
    VlanWireTestCase()
        : TestCase("Segments of the stack and of the card are the same bytes")
    {
    }

  private:
    void DoRun() override
    {
        const auto before = Make(false)->SendOne();
        const auto after = Make(true)->SendOne();
        NS_TEST_ASSERT_MSG_EQ(before.size(), 45, "floor(65483 / 1448) segments");
        NS_TEST_ASSERT_MSG_EQ(after.size(), before.size(), "as many");
        for (std::size_t i = 0; i < before.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ((before[i] == after[i]), true, "segment " << i);
            const auto& frame = before[i];
            NS_TEST_ASSERT_MSG_EQ(frame.size(), 14 + 4 + 20 + 32 + 1448, "with its tag");
            NS_TEST_ASSERT_MSG_EQ(ReadNetwork16(&frame[12]), 0x8100, "802.1Q");
            NS_TEST_ASSERT_MSG_EQ(ReadNetwork16(&frame[14]), 100, "VLAN 100");
            NS_TEST_ASSERT_MSG_EQ(ReadNetwork32(&frame[18 + 20 + 4]), 1 + 1448 * i, "sequence");
            // RFC 1071: the sum over what a checksum covers, itself included, is all ones.
            const uint64_t tcp = PseudoHeaderSum(&frame[18], false, 6, 32 + 1448);
            NS_TEST_ASSERT_MSG_EQ(ChecksumFold(ChecksumAdd(&frame[38], 32 + 1448, tcp)),
                                  0xffff,
                                  "TCP's checksum");
            NS_TEST_ASSERT_MSG_EQ(ChecksumFold(ChecksumAdd(&frame[18], 20)),
                                  0xffff,
                                  "IP's checksum");
        }
        // QinQ: two tags, the outer one first.
        const auto two = Make(true, Set("Tags", 2))->SendOne();
        NS_TEST_ASSERT_MSG_EQ(ReadNetwork16(&two[0][14]), 100, "outer id");
        NS_TEST_ASSERT_MSG_EQ(ReadNetwork16(&two[0][16]), 0x8100, "and another tag");
        NS_TEST_ASSERT_MSG_EQ(ReadNetwork16(&two[0][18]), 101, "inner id");
    }
};

/**
 * What a capture shows is what the run reports.
 */
class VlanCaptureTestCase : public TestCase
{
  public:
    VlanCaptureTestCase()
        : TestCase("A capture has the frames that crossed the wire, when they did")
    {
    }

  private:
    /// @param s a scenario that is to have eight streams of large frames with two tags
    static void Eight(Ptr<VlanOffload> s)
    {
        s->SetAttribute("Flows", UintegerValue(8));
        s->SetAttribute("Tags", UintegerValue(2));
        s->SetAttribute("Mtu", UintegerValue(9000));
    }

    /// What is known of a stream.
    struct Stream
    {
        bool begun{false};  //!< a frame of data has been seen
        uint32_t next{0};   //!< sequence number that follows what was seen
        uint32_t acked{0};  //!< newest acknowledgement
        uint32_t window{0}; //!< its window
        uint64_t acks{0};   //!< acknowledgements
        uint64_t bytes{0};  //!< of data
    };

    void DoRun() override
    {
        Look(false, nullptr, 1448);
        Look(true, nullptr, 1448);
        Look(true, Set("Mtu", 9000), 8948);
        Look(false, Set("Flows", 8), 1448);
        Look(true, Eight, 8948);
        Look(true, Set("Tags", 0), 1448);
        Look(false, Set("Tags", 2), 1448);
        Look(true, Offloads("tx=off"), 1448);
        Unchanged();
        Lost();
        Dropped();
    }

    /**
     * Look at the frames of a run, by way of a file.
     * @param after the patch
     * @param change sets attributes
     * @param mss bytes of the stream in a frame
     */
    void Look(bool after, const Change& change, uint32_t mss)
    {
        Ptr<VlanOffload> scenario = Make(after, change);
        const Time LENGTH = MilliSeconds(10);
        scenario->EnableCapture(LENGTH);
        const ScenarioResult result = scenario->Run();
        std::vector<CapturedPacket> packets;
        for (const auto& frame : scenario->GetCapture())
        {
            packets.push_back({frame.first, frame.second});
        }
        const std::string path = CreateTempDirFilename("frames.pcap");
        {
            std::ofstream file(path, std::ios::binary);
            WriteCapture(file, LINKTYPE_ETHERNET, packets, CaptureClock::NANOSECONDS);
        }
        std::vector<CapturedPacket> read;
        NS_TEST_ASSERT_MSG_EQ(ReadCapture(path, LINKTYPE_ETHERNET, &read), "", "a capture");
        NS_TEST_ASSERT_MSG_EQ(read.size(), packets.size(), "with all of it");
        UintegerValue tags;
        scenario->GetAttribute("Tags", tags);
        std::map<uint32_t, Stream> streams;
        Time last(0);
        uint64_t bytes = 0;
        uint64_t wire = 0;
        for (std::size_t i = 0; i < read.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ((read[i].bytes == packets[i].bytes), true, "frame " << i);
            NS_TEST_ASSERT_MSG_EQ((read[i].time == packets[i].time - packets[0].time),
                                  true,
                                  "time of frame " << i);
            NS_TEST_ASSERT_MSG_EQ((read[i].time >= last), true, "in order of time");
            last = read[i].time;
            const auto payload = Frame(read[i].bytes, static_cast<uint32_t>(tags.Get()), &streams);
            NS_TEST_ASSERT_MSG_EQ((payload == 0 || payload == mss), true, "an MSS, or no data");
            bytes += payload;
            wire += payload > 0 ? read[i].bytes.size() + NicPort::WIRE_OVERHEAD : 0;
        }
        UintegerValue flows;
        scenario->GetAttribute("Flows", flows);
        // A CPU has several programs, each of which runs until it sleeps.
        NS_TEST_ASSERT_MSG_GT(streams.size() * 2, flows.Get(), "most streams");
        NS_TEST_ASSERT_MSG_EQ((last < LENGTH), true, "no longer than it was to be");
        NS_TEST_ASSERT_MSG_GT(last.GetSeconds(), LENGTH.GetSeconds() * 0.95, "nor much shorter");
        const double BITS = 8;
        NS_TEST_ASSERT_MSG_EQ_TOL(bytes * BITS / last.GetSeconds() / 1e6 /
                                      result.GetMetric("goodput_mbps"),
                                  1,
                                  0.03,
                                  "bytes that crossed the wire, and what netperf reports");
        NS_TEST_ASSERT_MSG_EQ_TOL(wire * BITS / last.GetSeconds() / 1e10 * 100 /
                                      result.GetMetric("wire_pct"),
                                  1,
                                  0.03,
                                  "frames, FCS, preamble and gap on 10 Gb/s");
        double acks = 0;
        for (const auto& stream : streams)
        {
            acks += static_cast<double>(stream.second.acks);
        }
        NS_TEST_ASSERT_MSG_EQ_TOL(acks / last.GetSeconds() / result.GetMetric("acks_per_s"),
                                  1,
                                  0.05,
                                  "acknowledgements");
    }

    /**
     * Look at a frame.
     * @param frame its bytes
     * @param tags tags that it has
     * @param streams what was seen before it, by both ports
     * @returns its bytes of data
     */
    uint32_t Frame(const std::vector<uint8_t>& frame,
                   uint32_t tags,
                   std::map<uint32_t, Stream>* streams)
    {
        std::size_t at = 12;
        for (uint32_t i = 0; i < tags; ++i, at += 4)
        {
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&frame[at]), 0x8100, "802.1Q");
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&frame[at + 2]), 100 + i, "from the outermost on");
        }
        NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&frame[at]), 0x0800, "IPv4");
        const uint8_t* ip = &frame[at + 2];
        const uint32_t total = ReadNetwork16(ip + 2);
        NS_TEST_EXPECT_MSG_EQ(total + at + 2, frame.size(), "as long as it says");
        NS_TEST_EXPECT_MSG_EQ(ChecksumFold(ChecksumAdd(ip, 20)), 0xffff, "IP's checksum");
        const uint64_t sum = PseudoHeaderSum(ip, false, 6, total - 20);
        const uint8_t* tcp = ip + 20;
        NS_TEST_EXPECT_MSG_EQ(ChecksumFold(ChecksumAdd(tcp, total - 20, sum)), 0xffff, "TCP's");
        const uint32_t payload = total - 20 - (tcp[12] >> 4) * 4U;
        const bool data = payload > 0;
        const int receiver = data ? 2 : 1;
        NS_TEST_EXPECT_MSG_EQ(ip[19], receiver, "data one way, acknowledgements the other");
        const uint32_t from = ReadNetwork16(tcp);
        const uint32_t to = ReadNetwork16(tcp + 2);
        Stream& stream = (*streams)[data ? from << 16 | to : to << 16 | from];
        const uint32_t sequence = ReadNetwork32(tcp + 4);
        const uint32_t ack = ReadNetwork32(tcp + 8);
        if (data)
        {
            // RFC 9293, section 3.4: without a loss, numbers go on.
            NS_TEST_EXPECT_MSG_EQ((!stream.begun || sequence == stream.next), true, "no gap");
            stream.begun = true;
            stream.next = sequence + payload;
            stream.bytes += payload;
            return payload;
        }
        // What is acknowledged has been seen, and the window begins there.
        const auto ahead = static_cast<int32_t>(stream.next - ack);
        NS_TEST_EXPECT_MSG_EQ((!stream.begun || ahead >= 0 || stream.bytes < ACKED_BEFORE),
                              true,
                              "acknowledged before it was sent");
        if (stream.acks > 0)
        {
            NS_TEST_EXPECT_MSG_EQ((static_cast<int32_t>(ack - stream.acked) >= 0),
                                  true,
                                  "acknowledgements do not go back");
        }
        // 3 MB in units of 128 bytes, less what the program has not read yet.
        const uint32_t window = ReadNetwork16(tcp + 14);
        NS_TEST_EXPECT_MSG_GT(window, 0, "open");
        NS_TEST_EXPECT_MSG_LT(window, 3145728 / 128 + 1, "no more than there is");
        // RFC 5681, section 2: what repeats both is a duplicate, which tells of a loss.
        NS_TEST_EXPECT_MSG_EQ((stream.acks == 0 || ack != stream.acked || window != stream.window),
                              true,
                              "no duplicate");
        stream.acked = ack;
        stream.window = window;
        ++stream.acks;
        return 0;
    }

    /// A run is the same with and without a capture.
    void Unchanged()
    {
        std::string text[2];
        for (bool captures : {false, true})
        {
            Ptr<VlanOffload> scenario = Make(true);
            scenario->EnableCapture(captures ? MilliSeconds(10) : Time(0));
            std::ostringstream os;
            scenario->Run().WriteJson(os);
            text[captures] = os.str();
            NS_TEST_ASSERT_MSG_EQ(scenario->GetCapture().empty(), !captures, "if it was asked for");
        }
        NS_TEST_ASSERT_MSG_EQ((text[0] == text[1]), true, "byte for byte");
    }

    /// What a full queue drops has not been sent: the stream has no gap there.
    void Dropped()
    {
        Ptr<VlanOffload> scenario = Make(false, [](Ptr<VlanOffload> s) {
            s->SetAttribute("Flows", UintegerValue(64));
            s->SetAttribute("Tsq", UintegerValue(0));
            s->SetAttribute("MaxFrames", UintegerValue(20000));
        });
        scenario->EnableCapture(MilliSeconds(40));
        const ScenarioResult result = scenario->Run();
        NS_TEST_ASSERT_MSG_GT(result.GetMetric("qdisc_drops_per_s"), 0, "it is full");
        NS_TEST_ASSERT_MSG_EQ(result.GetMetric("rx_drops_per_s"), 0, "nothing else is");
        std::map<uint32_t, Stream> streams;
        for (const auto& frame : scenario->GetCapture())
        {
            Frame(frame.second, 1, &streams);
        }
        NS_TEST_ASSERT_MSG_GT(streams.size(), 1, "more than one");
    }

    /// Frames for which there is no buffer have crossed the wire all the same.
    void Lost()
    {
        Ptr<NicPort> a = Create<NicPort>(NicModel::Create("myri10ge"));
        Ptr<NicModel> model = NicModel::Create("myri10ge");
        model->SetAttribute("RxRing", DoubleValue(4));
        Ptr<NicPort> b = Create<NicPort>(model);
        NicPort::Join(*a, *b);
        std::vector<uint64_t> sequences;
        b->SetArrived([&](const NicPacket& frame) {
            NS_TEST_EXPECT_MSG_EQ(frame.frames, 1, "one at a time");
            sequences.push_back(frame.sequence);
        });
        NicPacket packet;
        packet.frames = 10;
        packet.frameBytes = 1518;
        packet.payload = 1448;
        a->Post(0, packet);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(b->GetCounts().dropped, 6, "four have a buffer");
        // They are sent again.
        a->TakeBack(0, 6 * 1448);
        packet.frames = 6;
        a->Post(0, packet);
        // Another stream has its own count.
        packet.flow = 1;
        a->Post(0, packet);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sequences.size(), 22, "all have crossed");
        for (std::size_t i = 0; i < sequences.size(); ++i)
        {
            const std::size_t place = i < 10 ? i : i < 16 ? i - 6 : i - 16;
            NS_TEST_ASSERT_MSG_EQ(sequences[i], 1448 * place, "frame " << i);
        }
        a->Stop();
        b->Stop();
        Simulator::Destroy();
    }

    /// Acknowledged before it was seen may be what was under way when the capture began: TSQ lets
    /// two packets of 64 KB be below TCP, and the card takes as long with them.
    static constexpr uint64_t ACKED_BEFORE = 4 * 65536;
};

/**
 * The published experiment.
 */
class VlanOffloadTestCase : public TestCase
{
  public:
    VlanOffloadTestCase()
        : TestCase("vlan-offload beside its published figures")
    {
    }

  private:
    void DoRun() override
    {
        // A. Gallatin, netdev, 6 December 2012.
        ScenarioResult before = Make(false)->Run();
        NS_TEST_ASSERT_MSG_EQ_TOL(before.GetMetric("goodput_mbps") / 5660.66, 1, 0.01, "fitted");
        NS_TEST_ASSERT_MSG_EQ_TOL(before.GetMetric("send_util_pct"), 25.54, 2, "sender");
        NS_TEST_ASSERT_MSG_EQ_TOL(before.GetMetric("recv_util_pct"), 51.41, 2, "fitted");
        ScenarioResult after = Make(true)->Run();
        NS_TEST_ASSERT_MSG_EQ_TOL(after.GetMetric("goodput_mbps") / 9081.39, 1, 0.05, "goodput");
        NS_TEST_ASSERT_MSG_EQ_TOL(after.GetMetric("send_util_pct"), 15.66, 4, "sender");
        NS_TEST_ASSERT_MSG_EQ_TOL(after.GetMetric("recv_util_pct"), 76.42, 4, "receiver");
        NS_TEST_ASSERT_MSG_EQ_TOL(after.GetMetric("send_us_per_kb") / 0.565, 1, 0.12, "sender");
        NS_TEST_ASSERT_MSG_EQ_TOL(after.GetMetric("recv_us_per_kb") / 1.379, 1, 0.12, "receiver");

        // What limits: before, the sender's CPU; after, the receiver's that copies.
        NS_TEST_ASSERT_MSG_EQ_TOL(before.GetMetric("send_cpu_pct"), 100, 0.5, "it is busy");
        NS_TEST_ASSERT_MSG_LT(before.GetMetric("recv_program_cpu_pct"), 90, "it is not");
        NS_TEST_ASSERT_MSG_LT(after.GetMetric("send_cpu_pct"), 90, "no longer");
        NS_TEST_ASSERT_MSG_GT(after.GetMetric("recv_program_cpu_pct"), 95, "that one is");
        NS_TEST_ASSERT_MSG_LT(after.GetMetric("wire_pct"), 97, "the wire is not full");

        // netperf's formula: CPUs times time, over KB of 1024 bytes.
        const double kbs = after.GetMetric("goodput_mbps") * 1e6 / 8 / 1024;
        NS_TEST_ASSERT_MSG_EQ_TOL(after.GetMetric("send_us_per_kb"),
                                  after.GetMetric("send_util_pct") / 100 * 4 * 1e6 / kbs,
                                  1e-6,
                                  "service demand");

        // The accounts close: both hosts' busy time is the sum of its modes, and all rows of the
        // profile, idle among them, are all CPUs all the time.
        for (const auto& result : {before, after})
        {
            const double hosts = result.GetMetric("send_util_pct") / 100 * 4 +
                                 result.GetMetric("recv_util_pct") / 100 * 2;
            NS_TEST_ASSERT_MSG_EQ_TOL(hosts, result.GetMetric("cpus_busy"), 1e-6, "busy time");
            NS_TEST_ASSERT_MSG_EQ(result.GetMetric("rx_drops_per_s"), 0, "nothing is lost");
            NS_TEST_ASSERT_MSG_EQ(result.GetMetric("qdisc_drops_per_s"), 0, "nor dropped");
        }
        Ptr<VlanOffload> scenario = Make(true);
        ScenarioResult whole = scenario->Run();
        double ticks = 0;
        for (const auto& row : scenario->GetProfile())
        {
            ticks += row.ticks;
        }
        const double elapsed = whole.measuredFrames / whole.GetMetric("pps") * 1e12;
        NS_TEST_ASSERT_MSG_EQ_TOL(ticks / elapsed, 6, 1e-3, "six CPUs, all the time");
        NS_TEST_ASSERT_MSG_EQ_TOL(whole.GetMetric("pps"),
                                  after.GetMetric("pps"),
                                  0,
                                  "the same seed, the same result");
    }
};

/**
 * Sweeps have the direction that they should have.
 */
class VlanSweepTestCase : public TestCase
{
  public:
    VlanSweepTestCase()
        : TestCase("Each knob does what it should")
    {
    }

  private:
    /**
     * @param after the patch
     * @param change sets other attributes
     * @returns goodput, Mb/s
     */
    static double Goodput(bool after, const Change& change = nullptr)
    {
        Ptr<VlanOffload> scenario = Make(after, change);
        scenario->SetAttribute("MaxFrames", UintegerValue(25000));
        return scenario->Run().GetMetric("goodput_mbps");
    }

    void DoRun() override
    {
        const double before = Goodput(false);
        const double after = Goodput(true);
        // Ten gigabits less headers, tags, preamble and gap.
        const double WIRE_1500 = 1448.0 / (1500 + 18 + 4 + 20) * 1e4;
        const double WIRE_9000 = 8948.0 / (9000 + 18 + 4 + 20) * 1e4;
        NS_TEST_ASSERT_MSG_LT(after, WIRE_1500, "no faster than the wire");
        NS_TEST_ASSERT_MSG_EQ_TOL(Goodput(true, Set("Mtu", 9000)) / WIRE_9000,
                                  1,
                                  0.01,
                                  "large frames fill the wire");
        NS_TEST_ASSERT_MSG_GT(Goodput(false, Set("Mtu", 9000)), before, "fewer segments");
        NS_TEST_ASSERT_MSG_LT(Goodput(true, Set("ReceiverCpus", 1)),
                              0.8 * after,
                              "one CPU for interrupts and copies");
        // TSQ lets two packets go an interrupt: 2 x 65160 bytes in 150 us are 6.95 Gb/s.
        NS_TEST_ASSERT_MSG_EQ_TOL(
            Goodput(true,
                    [](Ptr<VlanOffload> s) { s->SetAttribute("Coalesce", DoubleValue(150)); }),
            2 * 65160 * 8 / 150.0,
            70,
            "two packets an interrupt");
        const double tso = Goodput(true, Offloads("tso=off"));
        NS_TEST_ASSERT_MSG_LT(tso, after, "segments cost");
        NS_TEST_ASSERT_MSG_GT(tso, before, "without a second pass over the data, less");
        NS_TEST_ASSERT_MSG_GT(Goodput(true, Offloads("tx=off")),
                              before,
                              "a card that is honest about checksums beats lost offloads");
        ScenarioResult flows = Make(false, Set("Flows", 4))->Run();
        NS_TEST_ASSERT_MSG_GT(flows.GetMetric("goodput_mbps"), 1.3 * before, "four CPUs send");
        bool root = false;
        for (const auto& line : flows.lines)
        {
            root = root || line.name == "eth2.q0.root_lock";
        }
        NS_TEST_ASSERT_MSG_EQ(root, true, "they contend for the discipline's lock");
        NS_TEST_ASSERT_MSG_GT(
            Make(true, Offloads("lro=off,gro=off"))->Run().GetMetric("recv_us_per_kb"),
            1.1 * Make(true)->Run().GetMetric("recv_us_per_kb"),
            "frames that are not merged cost");
        const double slow = Goodput(false, [](Ptr<VlanOffload> s) {
            s->GetMachine()->SetAttribute("ClockGhz", DoubleValue(1.1));
        });
        NS_TEST_ASSERT_MSG_EQ_TOL(slow / before, 0.53, 0.03, "half the clock, about half the rate");
    }
};

/**
 * Several queues: RSS, XPS, and what is merged in one.
 */
class VlanQueuesTestCase : public TestCase
{
  public:
    VlanQueuesTestCase()
        : TestCase("Streams are spread over queues by hash and by CPU")
    {
    }

  private:
    /**
     * @param changes set attributes beside those of eight streams over a card with eight queues
     * @returns a short run
     */
    static ScenarioResult Play(const std::vector<std::pair<std::string, std::string>>& changes)
    {
        Ptr<VlanOffload> scenario = Configure(changes);
        scenario->SetAttribute("MaxFrames", UintegerValue(8000));
        return scenario->Run();
    }

    /**
     * @param changes set attributes beside those of eight streams over a card with eight queues
     * @returns the scenario
     */
    static Ptr<VlanOffload> Configure(
        const std::vector<std::pair<std::string, std::string>>& changes)
    {
        Ptr<VlanOffload> scenario = Make(true, Set("Flows", 8));
        scenario->SetAttribute("Nic", StringValue("mlx4"));
        for (const auto& change : changes)
        {
            scenario->SetAttribute(change.first, StringValue(change.second));
        }
        return scenario;
    }

    /// The card: XPS first, else the hash's share of its range.
    void Pick()
    {
        NicNetDevice::Setup setup;
        setup.port = Create<NicPort>(NicModel::Create("mlx4"));
        setup.hands = Create<XmitHands>(2);
        Ptr<NicNetDevice> device = CreateObject<NicNetDevice>();
        device->Install(setup);
        const uint32_t HASH = 0x51ccc178;
        NS_TEST_ASSERT_MSG_EQ(device->PickQueue(0, HASH), 2, "0.3195 of eight");
        NS_TEST_ASSERT_MSG_EQ(device->PickQueue(0, UINT32_MAX), 7, "the last");
        device->SetXps({3, NicNetDevice::NO_QUEUE});
        NS_TEST_ASSERT_MSG_EQ(device->PickQueue(0, HASH), 3, "the CPU's");
        NS_TEST_ASSERT_MSG_EQ(device->PickQueue(1, HASH), 2, "it has none");
        NS_TEST_ASSERT_MSG_EQ(device->PickQueue(2, HASH), 2, "nor has this one");
        device->Dispose();
        NS_TEST_ASSERT_MSG_EQ(VlanOffload::CheckXps("0,7,1", 8), "", "queues of the card");
        for (const auto& wrong : {"", "8", "0,", ",0", "on,0", "-1", "99999999999"})
        {
            NS_TEST_ASSERT_MSG_NE(VlanOffload::CheckXps(wrong, 8), "", wrong);
        }
    }

    /**
     * What is said of the queues, and what is used.
     * @param ports how ports are chosen
     */
    void Compare(const std::string& ports)
    {
        std::istringstream text(Configure({{"Ports", ports}, {"Xps", "off"}})->DescribeQueues());
        std::string line;
        std::getline(text, line);
        std::getline(text, line);
        std::set<uint32_t> data;
        std::set<uint32_t> acks;
        std::set<uint32_t> dataSent;
        std::set<uint32_t> acksSent;
        for (uint32_t i = 0; i < 8; ++i)
        {
            uint32_t flow;
            uint32_t port;
            std::string word;
            std::string hash;
            uint32_t queue;
            uint32_t interrupt;
            uint32_t cpu;
            text >> flow >> port >> word >> port >> hash >> queue >> interrupt >> cpu;
            uint64_t value = std::stoul(hash, nullptr, 16);
            NS_TEST_ASSERT_MSG_EQ(flow, i, "in order");
            NS_TEST_ASSERT_MSG_EQ(queue, (value & 127) % 8, "the table's");
            NS_TEST_ASSERT_MSG_EQ(interrupt, queue % 4, "the sender's CPUs in turn");
            acks.insert(queue);
            acksSent.insert(static_cast<uint32_t>(value * 8 >> 32));
            text >> hash >> queue >> interrupt >> cpu;
            value = std::stoul(hash, nullptr, 16);
            NS_TEST_ASSERT_MSG_EQ(queue, (value & 127) % 8, "the table's");
            data.insert(queue);
            dataSent.insert(static_cast<uint32_t>(value * 8 >> 32));
        }
        const ScenarioResult off = Play({{"Ports", ports}, {"Xps", "off"}});
        NS_TEST_ASSERT_MSG_EQ(off.GetMetric("data_rx_queues"), data.size(), ports);
        NS_TEST_ASSERT_MSG_EQ(off.GetMetric("ack_rx_queues"), acks.size(), ports);
        NS_TEST_ASSERT_MSG_EQ(off.GetMetric("data_tx_queues"), dataSent.size(), ports);
        NS_TEST_ASSERT_MSG_EQ(off.GetMetric("ack_tx_queues"), acksSent.size(), ports);
        const ScenarioResult on = Play({{"Ports", ports}});
        NS_TEST_ASSERT_MSG_EQ(on.GetMetric("data_rx_queues"), data.size(), "RSS knows no XPS");
        NS_TEST_ASSERT_MSG_EQ(on.GetMetric("data_tx_queues"), 4, "a queue a CPU of the sender");
        NS_TEST_ASSERT_MSG_EQ(on.GetMetric("ack_tx_queues"), 2, "and of the receiver");
        if (ports == "spread")
        {
            NS_TEST_ASSERT_MSG_EQ(data.size(), 8, "a queue a stream");
            NS_TEST_ASSERT_MSG_EQ(acks.size(), 8, "at both ends");
        }
        else
        {
            // All of eight is one in 400: 8! / 8^8. This seed has no such luck.
            NS_TEST_ASSERT_MSG_LT(data.size(), 8, "some share one");
        }
    }

    void DoRun() override
    {
        Pick();
        Compare("ephemeral");
        Compare("spread");
        const ScenarioResult one = Play({{"Xps", "5,5,5,5"}});
        NS_TEST_ASSERT_MSG_EQ(one.GetMetric("data_tx_queues"), 1, "all CPUs by one");
        NS_TEST_ASSERT_MSG_EQ(one.GetMetric("ack_tx_queues"), 1, "acknowledgements alike");

        // Streams that share a queue share its CPU.
        auto overload = [](uint32_t queues) {
            return [queues](Ptr<VlanOffload> s) {
                s->SetAttribute("MaxFrames", UintegerValue(25000));
                s->SetAttribute("Nic", StringValue("mlx4"));
                s->SetAttribute("Ports", StringValue("spread"));
                s->SetAttribute("Offloads", StringValue("gro=off"));
                s->SetAttribute("Queues", UintegerValue(queues));
                s->SetAttribute("Flows", UintegerValue(2));
                s->SetAttribute("ReceiverCpus", UintegerValue(4));
            };
        };
        const ScenarioResult shared = Make(true, overload(1))->Run();
        const ScenarioResult apart = Make(true, overload(2))->Run();
        NS_TEST_ASSERT_MSG_GT(shared.GetMetric("recv_irq_cpu_pct"), 99, "it is busy");
        NS_TEST_ASSERT_MSG_LT(shared.GetMetric("goodput_mbps"),
                              0.9 * apart.GetMetric("goodput_mbps"),
                              "two CPUs take more");

        // Frames a packet: with room for all streams as many as each sends in a row; with room for
        // one, the others' frames pass as they are.
        auto merging = [](uint32_t held, bool evicts) {
            return [held, evicts](Ptr<VlanOffload> s) {
                s->SetAttribute("MaxFrames", UintegerValue(25000));
                s->SetAttribute("Offloads", StringValue("lro=off"));
                s->SetAttribute("Flows", UintegerValue(4));
                s->SetAttribute("GroFlows", UintegerValue(held));
                s->SetAttribute("GroEvictsOldest", BooleanValue(evicts));
            };
        };
        auto merged = [](const ScenarioResult& result) {
            return result.GetMetric("pps") / result.GetMetric("merged_packets_per_s");
        };
        const double eight = merged(Make(true, merging(8, false))->Run());
        const double passed = merged(Make(true, merging(1, false))->Run());
        NS_TEST_ASSERT_MSG_GT(eight, 1.5 * passed, "passed");
        // Streams come in trains: making room costs less than passing.
        NS_TEST_ASSERT_MSG_GT(merged(Make(true, merging(1, true))->Run()),
                              1.5 * passed,
                              "pushed out");
        NS_TEST_ASSERT_MSG_EQ_TOL(merged(Make(true, merging(0, false))->Run()), 1, 1e-3, "none");
        // One stream needs no more than one.
        NS_TEST_ASSERT_MSG_EQ_TOL(Make(true, Offloads("lro=off"))->Run().GetMetric("goodput_mbps"),
                                  Make(true,
                                       [](Ptr<VlanOffload> s) {
                                           s->SetAttribute("Offloads", StringValue("lro=off"));
                                           s->SetAttribute("GroFlows", UintegerValue(1));
                                       })
                                      ->Run()
                                      .GetMetric("goodput_mbps"),
                                  0,
                                  "the same");
    }
};

/**
 * Odd settings get somewhere.
 */
class VlanOddTestCase : public TestCase
{
  public:
    VlanOddTestCase()
        : TestCase("Nothing hangs")
    {
    }

  private:
    void DoRun() override
    {
        struct Odd
        {
            const char* what;
            Change change;
        };

        auto both = [](Change a, Change b) {
            return [=](Ptr<VlanOffload> s) {
                a(s);
                b(s);
            };
        };
        const Odd ODD[] = {
            {"one byte a message", Set("MessageSize", 1)},
            {"large messages", Set("MessageSize", 1 << 20)},
            {"small frames", Set("Mtu", 576)},
            {"many flows", both(Set("Flows", 32), Set("ReceiverCpus", 1))},
            {"a small window", Set("ReceiveWindow", 65536)},
            {"a small send buffer", Set("SendBuffer", 65536)},
            {"no TSQ, one sender's CPU", both(Set("Tsq", 0), Set("SenderCpus", 1))},
            {"four tags", Set("Tags", 4)},
            {"a slow receiver, whose ring overflows",
             [](Ptr<VlanOffload> s) { s->SetAttribute("ReceiverWork", DoubleValue(20)); }},
            {"nothing offloaded", Offloads("tx=off,sg=off,tso=off,gso=off,gro=off,lro=off,rx=off")},
            {"many queues",
             both(Set("Flows", 8),
                  [](Ptr<VlanOffload> s) { s->SetAttribute("Nic", StringValue("mlx4")); })},
            {"more queues than CPUs, by hash",
             both(Set("Queues", 64),
                  [](Ptr<VlanOffload> s) { s->SetAttribute("Xps", StringValue("off")); })},
            {"an overloaded CPU among many",
             [](Ptr<VlanOffload> s) {
                 s->SetAttribute("Nic", StringValue("mlx4"));
                 s->SetAttribute("Offloads", StringValue("gro=off"));
                 s->SetAttribute("Queues", UintegerValue(2));
                 s->SetAttribute("Flows", UintegerValue(8));
                 s->SetAttribute("ReceiverCpus", UintegerValue(8));
             }},
            {"a fast sender",
             [](Ptr<VlanOffload> s) { s->SetAttribute("SenderWork", DoubleValue(0)); }},
        };
        for (const auto& odd : ODD)
        {
            for (bool after : {false, true})
            {
                Ptr<VlanOffload> scenario = Make(after, odd.change);
                scenario->SetAttribute("MaxFrames", UintegerValue(5000));
                ScenarioResult result = scenario->Run();
                NS_TEST_ASSERT_MSG_GT(result.GetMetric("goodput_mbps"),
                                      1,
                                      odd.what << ": something gets through");
                NS_TEST_ASSERT_MSG_LT(result.GetMetric("wire_pct"),
                                      101,
                                      odd.what << ": not more than the wire takes");
            }
        }
    }
};

/**
 * The result does not depend on ns-3's scheduler.
 */
class VlanSchedulerTestCase : public TestCase
{
  public:
    VlanSchedulerTestCase()
        : TestCase("Each of ns-3's schedulers gives the same result")
    {
    }

  private:
    void DoRun() override
    {
        std::string first;
        for (const auto& type : {"ns3::MapScheduler", "ns3::HeapScheduler"})
        {
            ObjectFactory factory;
            factory.SetTypeId(type);
            Simulator::SetScheduler(factory);
            Ptr<VlanOffload> scenario = Make(true);
            scenario->SetAttribute("MaxFrames", UintegerValue(2000));
            std::ostringstream os;
            scenario->Run().WriteJson(os);
            first = first.empty() ? os.str() : first;
            NS_TEST_ASSERT_MSG_EQ((os.str() == first), true, type);
        }
        ObjectFactory usual;
        usual.SetTypeId("ns3::MapScheduler");
        Simulator::SetScheduler(usual);
        Simulator::Destroy();
    }
};

/**
 * The card, the queueing discipline, and the vlan transmit patch.
 */
class VlanOffloadTestSuite : public TestSuite
{
  public:
    VlanOffloadTestSuite()
        : TestSuite("linux-host-vlan-offload", TEST_SUITE_UNIT)
    {
        AddTestCase(new NicPortTestCase, TEST_QUICK);
        AddTestCase(new QdiscTestCase, TEST_QUICK);
        AddTestCase(new VlanMaskTestCase, TEST_QUICK);
        AddTestCase(new VlanWireTestCase, TEST_QUICK);
        AddTestCase(new VlanCaptureTestCase, TEST_QUICK);
        AddTestCase(new VlanOffloadTestCase, TEST_QUICK);
        AddTestCase(new VlanSweepTestCase, TEST_QUICK);
        AddTestCase(new VlanQueuesTestCase, TEST_QUICK);
        AddTestCase(new VlanOddTestCase, TEST_QUICK);
        AddTestCase(new VlanSchedulerTestCase, TEST_QUICK);
    }
};

/// The suite.
VlanOffloadTestSuite g_vlanOffloadTestSuite;

} // namespace
