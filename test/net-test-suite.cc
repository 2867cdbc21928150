/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/gro.h"
#include "ns3/gso.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-options.h"
#include "ns3/ipv4-reassembly.h"
#include "ns3/ipv6-address.h"
#include "ns3/linux-host-compat.h"
#include "ns3/merge-list.h"
#include "ns3/offload-cases.h"
#include "ns3/offload-features.h"
#include "ns3/random-variable-stream.h"
#include "ns3/receive-side-scaling.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <sstream>

using namespace ns3;
using namespace ns3::linuxhost;

/**
 * @ingroup linux-host-tests
 * What a test frame is made of.
 */
struct TestFrame
{
    bool ipv6{false};           //!< over IPv6
    bool udp{false};            //!< UDP, not TCP
    uint32_t payload{0};        //!< bytes
    uint32_t first{0};          //!< value of the first of them; the rest counts up
    uint16_t sourcePort{5000};  //!< port
    uint16_t identification{1}; //!< of IPv4
    uint32_t sequence{1000};    //!< of TCP
    uint8_t flags{0x10};        //!< of TCP
    bool partial{false};        //!< with the pseudo header's sum only

    /// @returns offset of the transport header
    uint32_t Transport() const
    {
        return ipv6 ? 54 : 34;
    }

    /// @returns the frame
    std::vector<uint8_t> Build() const
    {
        const uint32_t length = (udp ? 8 : 20) + payload;
        std::vector<uint8_t> data(Transport() + length);
        data[5] = 0x0b;
        data[11] = 0x0a;
        uint8_t* network = &data[14];
        if (ipv6)
        {
            WriteNetwork16(&data[12], 0x86dd);
            network[0] = 0x60;
            WriteNetwork16(network + 4, static_cast<uint16_t>(length));
            network[6] = udp ? 17 : 6;
            network[7] = 64;
            network[23] = 1;
            network[39] = 2;
        }
        else
        {
            WriteNetwork16(&data[12], 0x0800);
            network[0] = 0x45;
            WriteNetwork16(network + 2, static_cast<uint16_t>(20 + length));
            WriteNetwork16(network + 4, identification);
            network[6] = 0x40;
            network[8] = 64;
            network[9] = udp ? 17 : 6;
            WriteNetwork32(network + 12, 0xc0000201);
            WriteNetwork32(network + 16, 0xc0000202);
            WriteNetwork16(network + 10,
                           static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(network, 20))));
        }
        uint8_t* transport = &data[Transport()];
        WriteNetwork16(transport, sourcePort);
        WriteNetwork16(transport + 2, 9);
        if (udp)
        {
            WriteNetwork16(transport + 4, static_cast<uint16_t>(length));
        }
        else
        {
            WriteNetwork32(transport + 4, sequence);
            transport[12] = 0x50;
            transport[13] = flags;
            WriteNetwork16(transport + 14, 4000);
        }
        for (uint32_t i = 0; i < payload; i++)
        {
            data[Transport() + (udp ? 8 : 20) + i] = static_cast<uint8_t>(first + i);
        }
        const uint64_t pseudo = PseudoHeaderSum(network, ipv6, udp ? 17 : 6, length);
        uint16_t sum = ChecksumFold(pseudo);
        if (!partial)
        {
            sum = ~ChecksumFold(ChecksumAdd(transport, length, pseudo));
            sum = (udp && sum == 0) ? 0xffff : sum;
        }
        WriteNetwork16(transport + (udp ? 6 : 16), sum);
        return data;
    }
};

/**
 * @ingroup linux-host-tests
 * @param data a frame of TestFrame's form, of any length
 * @returns whether all its checksums and lengths are right
 */
static bool
IsSound(const std::vector<uint8_t>& data)
{
    FrameHeaders headers;
    if (!FindFrameHeaders(data, &headers) || headers.transport == 0)
    {
        return false;
    }
    const bool ipv6 = headers.etherType == 0x86dd;
    const uint8_t* network = &data[headers.network];
    const uint32_t length = static_cast<uint32_t>(data.size()) - headers.transport;
    if (ipv6 ? ReadNetwork16(network + 4) != data.size() - headers.network - 40
             : (ReadNetwork16(network + 2) != data.size() - headers.network ||
                ChecksumFold(ChecksumAdd(network, 20)) != 0xffff))
    {
        return false;
    }
    if (headers.ipProtocol == 17 && ReadNetwork16(&data[headers.transport + 4]) != length)
    {
        return false;
    }
    return ChecksumFold(ChecksumAdd(&data[headers.transport],
                                    length,
                                    PseudoHeaderSum(network, ipv6, headers.ipProtocol, length))) ==
           0xffff;
}

/**
 * @ingroup linux-host-tests
 * All recorded cases of Linux 6.18: same frames out, byte for byte.
 */
class RecordedOffloadTestCase : public TestCase
{
  public:
    RecordedOffloadTestCase()
        : TestCase("Segmentation and receive offload as Linux 6.18 recorded them")
    {
    }

  private:
#ifdef LINUX_HOST_HAVE_JSON
    /**
     * @param file whose cases to replay
     * @param gso number of segmentation cases in it
     * @param gro number of receive cases in it
     */
    void Replay(const std::string& file, size_t gso, size_t gro)
    {
        OffloadCases cases;
        const std::string problem =
            LoadOffloadCases(std::string(LINUX_HOST_TEST_DATA) + "/offload/" + file + ".json.gz",
                             &cases);
        // The cases are 3 MB unpacked. Where zlib is missing they are left out, as without JSON.
        if (problem.find("has no zlib") != std::string::npos)
        {
            std::cerr << problem << std::endl;
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(problem, "", "the recorded cases are not readable");
        NS_TEST_ASSERT_MSG_EQ(cases.gso.size(), gso, "segmentation cases are missing");
        NS_TEST_ASSERT_MSG_EQ(cases.gro.size(), gro, "receive cases are missing");
        for (const GsoCase& one : cases.gso)
        {
            NS_TEST_EXPECT_MSG_EQ(CheckGsoCase(one), "", "segmentation of " << one.name);
        }
        for (const GroCase& one : cases.gro)
        {
            NS_TEST_EXPECT_MSG_EQ(CheckGroCase(one), "", "receive offload of " << one.name);
        }
    }
#endif

    void DoRun() override
    {
#ifdef LINUX_HOST_HAVE_JSON
        Replay("linux-6.18-gso-gro", 89, 82);
        // One or a few for each rule that those do not reach. The identification of IPv6 fragments
        // is random in Linux and was replaced by the model's.
        Replay("linux-6.18-rules", 33, 28);
#endif
    }
};

/**
 * @ingroup linux-host-tests
 * The checksum's arithmetic.
 */
class ChecksumTestCase : public TestCase
{
  public:
    ChecksumTestCase()
        : TestCase("Checksums: the example of RFC 1071, and completion")
    {
    }

  private:
    void DoRun() override
    {
        const uint8_t example[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
        NS_TEST_EXPECT_MSG_EQ(ChecksumFold(ChecksumAdd(example, 8)), 0xddf2, "RFC 1071, section 3");

        TestFrame frame;
        frame.payload = 17;
        const auto complete = frame.Build();
        frame.partial = true;
        SkBuff skb(frame.Build());
        skb.ipSummed = ChecksumState::PARTIAL;
        skb.csumStart = 34;
        skb.csumOffset = 16;
        NS_TEST_EXPECT_MSG_EQ(CompleteChecksum(&skb), true, "the field is in the frame");
        NS_TEST_EXPECT_MSG_EQ((skb.data == complete), true, "completed checksum");

        skb.ipSummed = ChecksumState::PARTIAL;
        skb.csumStart = 60;
        skb.csumOffset = 16;
        NS_TEST_EXPECT_MSG_EQ(CompleteChecksum(&skb), false, "the field is outside the frame");

        // RFC 768: a sum of zero is sent as ffff. TCP has no such rule.
        for (const bool replaceZero : {true, false})
        {
            SkBuff skb;
            skb.data = {0xff, 0xff, 0, 0};
            skb.ipSummed = ChecksumState::PARTIAL;
            skb.csumStart = 0;
            skb.csumOffset = 2;
            CompleteChecksum(&skb, replaceZero);
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&skb.data[2]),
                                  (replaceZero ? 0xffff : 0),
                                  "a sum of zero");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * Random frames: segments are sound, and receive offload makes the frame again.
 */
class GsoGroRoundTripTestCase : public TestCase
{
  public:
    GsoGroRoundTripTestCase()
        : TestCase("Random frames segmented and merged again")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        for (int i = 0; i < 200; i++)
        {
            TestFrame frame;
            frame.ipv6 = random->GetInteger(0, 1);
            frame.udp = random->GetInteger(0, 1);
            frame.partial = true;
            const uint32_t mss = random->GetInteger(200, 1400);
            // No more parts than receive offload puts into one datagram.
            frame.payload = random->GetInteger(mss + 13, mss * 40);
            frame.sequence = random->GetInteger(0, 0xffffffff);
            frame.identification = static_cast<uint16_t>(random->GetInteger(0, 0xffff));
            frame.flags = 0x10 | (random->GetInteger(0, 1) ? 0x08 : 0);
            SkBuff skb(frame.Build());
            VirtioNetHeader header;
            header.flags = VirtioNetHeader::F_NEEDS_CSUM;
            header.gsoType = frame.udp    ? VirtioNetHeader::GSO_UDP_L4
                             : frame.ipv6 ? VirtioNetHeader::GSO_TCPV6
                                          : VirtioNetHeader::GSO_TCPV4;
            header.gsoSize = static_cast<uint16_t>(mss);
            header.hdrLen = static_cast<uint16_t>(frame.Transport() + (frame.udp ? 8 : 20));
            header.csumStart = static_cast<uint16_t>(frame.Transport());
            header.csumOffset = frame.udp ? 6 : 16;
            NS_TEST_ASSERT_MSG_EQ(skb.ApplyVirtioHeader(header), "", "a sound request");

            TransmitWork work;
            const auto segments = ValidateTransmit(skb, 0, &work);
            NS_TEST_EXPECT_MSG_EQ(segments.size(),
                                  (frame.payload + mss - 1) / mss,
                                  "number of segments");
            NS_TEST_EXPECT_MSG_EQ(work.segments, segments.size(), "counted segments");

            // A device that segments gets the frame whole, once its headers have been checked.
            const auto whole = ValidateTransmit(skb,
                                                OFFLOAD_SG | OFFLOAD_HW_CSUM | OFFLOAD_TSO |
                                                    OFFLOAD_TSO6 | OFFLOAD_GSO_UDP_L4,
                                                nullptr);
            NS_TEST_ASSERT_MSG_EQ(whole.size(), 1, "one frame");
            NS_TEST_EXPECT_MSG_EQ((whole[0].data == skb.data), true, "unchanged");
            NS_TEST_EXPECT_MSG_EQ(whole[0].gsoSegs, segments.size(), "and its parts counted");

            std::vector<SkBuff> merged;
            GroEngine gro([&merged](SkBuff&& one) { merged.push_back(std::move(one)); });
            for (const SkBuff& segment : segments)
            {
                NS_TEST_EXPECT_MSG_EQ(IsSound(segment.data), true, "a sound segment");
                gro.Receive(segment);
            }
            gro.Flush();
            NS_TEST_ASSERT_MSG_EQ(merged.size(), 1, "all segments in one frame");
            NS_TEST_EXPECT_MSG_EQ((merged[0].data == skb.data), true, "the same frame");
            NS_TEST_EXPECT_MSG_EQ(merged[0].gsoSize, mss, "the same segment size");
            NS_TEST_EXPECT_MSG_EQ((merged[0].ipSummed == ChecksumState::PARTIAL),
                                  true,
                                  "the checksum is partial");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * Rules of receive offload that the recorded cases do not reach.
 */
class GroRulesTestCase : public TestCase
{
  public:
    GroRulesTestCase()
        : TestCase("Receive offload: many flows, tags, damaged frames")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<std::vector<uint8_t>> burst;
        TestFrame frame;
        // The ninth flow pushes the first out.
        frame.payload = 100;
        for (uint16_t i = 0; i < 9; i++)
        {
            frame.sourcePort = 5000 + i;
            burst.push_back(frame.Build());
        }
        frame.sourcePort = 5000;
        frame.sequence = 1100;
        frame.identification = 2;
        burst.push_back(frame.Build());
        const auto out = ReplayGro(burst);
        NS_TEST_EXPECT_MSG_EQ(out.size(), 10, "the first flow was let go before its second frame");

        // The same flow in two VLANs is two flows; a tag in the frame can be looked behind.
        size_t count = 0;
        GroEngine gro([&count](SkBuff&&) { count++; });
        for (uint16_t i = 0; i < 4; i++)
        {
            frame = TestFrame();
            frame.payload = 100;
            frame.sequence = 1000 + 100 * (i / 2);
            frame.identification = 1 + i / 2;
            SkBuff skb(frame.Build());
            skb.vlanTagPresent = true;
            skb.vlanProtocol = 0x8100;
            skb.vlanTci = 100 + i % 2;
            skb.PushVlanTag();
            gro.Receive(skb);
        }
        gro.Flush();
        NS_TEST_EXPECT_MSG_EQ(count, 2, "one merged frame a VLAN");

        // Every truncation of a frame passes without harm.
        frame = TestFrame();
        frame.ipv6 = true;
        frame.payload = 20;
        const auto whole = frame.Build();
        for (size_t length = 0; length < whole.size(); length++)
        {
            SkBuff skb(std::vector<uint8_t>(whole.begin(), whole.begin() + length));
            gro.Receive(skb);
            std::vector<SkBuff> segments;
            skb.gsoSize = 5;
            skb.gsoType = GSO_TYPE_TCPV6;
            GsoSegment(skb, 0, &segments);
            VirtioNetHeader header;
            header.flags = 1;
            header.gsoType = 4;
            header.gsoSize = 5;
            header.csumStart = 54;
            header.csumOffset = 16;
            NS_TEST_EXPECT_MSG_EQ(skb.ApplyVirtioHeader(header).empty(),
                                  (length >= 74),
                                  "a header that points outside is refused");
        }
        gro.Flush();
        NS_TEST_EXPECT_MSG_EQ(gro.GetHeld(), 0, "nothing stays");
    }
};

/**
 * @ingroup linux-host-tests
 * The rules between features, by era.
 */
class OffloadRulesTestCase : public TestCase
{
  public:
    OffloadRulesTestCase()
        : TestCase("Rules between offload features, by era")
    {
    }

  private:
    /**
     * @param era whose rules
     * @param wanted what is asked for
     * @param expected what should remain
     */
    void Check(OffloadEra era, OffloadFlags wanted, OffloadFlags expected)
    {
        std::vector<OffloadRefusal> refusals;
        NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(FixOffloadFlags(wanted, era, &refusals)),
                              OffloadFlagsToString(expected),
                              "of " << OffloadFlagsToString(wanted) << " in era "
                                    << static_cast<int>(era));
        OffloadFlags refused = 0;
        for (const OffloadRefusal& refusal : refusals)
        {
            refused |= refusal.flags;
            NS_TEST_EXPECT_MSG_EQ(refusal.rule.empty(), false, "a refusal names its rule");
        }
        NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(refused),
                              OffloadFlagsToString(wanted & ~expected),
                              "all that is dropped has a rule");
    }

    void DoRun() override
    {
        const OffloadEra eras[] = {OffloadEra::LINUX_3_7,
                                   OffloadEra::LINUX_3_15,
                                   OffloadEra::LINUX_4_14};
        for (const OffloadEra era : eras)
        {
            const bool old = era == OffloadEra::LINUX_3_7;
            Check(era, OFFLOAD_HW_CSUM | OFFLOAD_IP_CSUM | OFFLOAD_IPV6_CSUM, OFFLOAD_HW_CSUM);
            Check(era, OFFLOAD_SG, old ? OffloadFlags(0) : OffloadFlags(OFFLOAD_SG));
            Check(era, OFFLOAD_HW_CSUM | OFFLOAD_TSO | OFFLOAD_TSO6, OFFLOAD_HW_CSUM);
            Check(era, OFFLOAD_SG | OFFLOAD_TSO, old ? OffloadFlags(0) : OffloadFlags(OFFLOAD_SG));
            // Before 3.15 any checksum lets both kinds of segmentation be.
            Check(era,
                  OFFLOAD_SG | OFFLOAD_IP_CSUM | OFFLOAD_TSO | OFFLOAD_TSO6,
                  OFFLOAD_SG | OFFLOAD_IP_CSUM | OFFLOAD_TSO |
                      (old ? OffloadFlags(OFFLOAD_TSO6) : 0));
            Check(era,
                  OFFLOAD_SG | OFFLOAD_HW_CSUM | OFFLOAD_TSO_ECN,
                  OFFLOAD_SG | OFFLOAD_HW_CSUM);
            Check(era, OFFLOAD_GSO, 0);
            Check(era, OFFLOAD_SG | OFFLOAD_IP_CSUM | OFFLOAD_UFO, OFFLOAD_SG | OFFLOAD_IP_CSUM);
            Check(era,
                  OFFLOAD_SG | OFFLOAD_HW_CSUM | OFFLOAD_UFO,
                  OFFLOAD_SG | OFFLOAD_HW_CSUM |
                      (era == OffloadEra::LINUX_4_14 ? 0 : OffloadFlags(OFFLOAD_UFO)));
        }
        Check(OffloadEra::LINUX_4_14,
              OFFLOAD_SG | OFFLOAD_IPV6_CSUM | OFFLOAD_TSO6 | OFFLOAD_TSO_MANGLEID,
              OFFLOAD_SG | OFFLOAD_IPV6_CSUM | OFFLOAD_TSO6);

        // Combining: software stands in for what one device lacks.
        NS_TEST_EXPECT_MSG_EQ(
            OffloadFlagsToString(CombineOffloadFlags(
                CombineOffloadFlags(OFFLOAD_NOCACHE_COPY, OFFLOAD_SG | OFFLOAD_IP_CSUM, ~0ULL),
                OFFLOAD_HW_CSUM | OFFLOAD_TSO | OFFLOAD_LRO,
                ~0ULL)),
            OffloadFlagsToString(OFFLOAD_SG | OFFLOAD_HW_CSUM | OFFLOAD_TSO),
            "two devices combined");
        NS_TEST_EXPECT_MSG_EQ(
            OffloadFlagsToString(
                IntersectOffloadFlags(OFFLOAD_HW_CSUM | OFFLOAD_SG, OFFLOAD_IP_CSUM | OFFLOAD_SG)),
            OffloadFlagsToString(OFFLOAD_IP_CSUM | OFFLOAD_SG),
            "a generic checksum does for the IPv4 one");
    }
};

/**
 * @ingroup linux-host-tests
 * Switching, listing and telling.
 */
class OffloadSwitchTestCase : public TestCase
{
  public:
    OffloadSwitchTestCase()
        : TestCase("Switching offload features as ethtool does")
    {
    }

  private:
    /**
     * @param before what was on
     * @param after what is on
     */
    void Changed(uint64_t before, uint64_t after)
    {
        m_changes++;
        m_last = after;
        NS_TEST_EXPECT_MSG_NE(before, after, "told of no change");
    }

    void DoRun() override
    {
        Ptr<OffloadFeatures> nic = CreateObject<OffloadFeatures>();
        const OffloadFlags transmit =
            OFFLOAD_SG | OFFLOAD_HW_CSUM | OFFLOAD_TSO | OFFLOAD_TSO6 | OFFLOAD_TSO_ECN;
        nic->Register(transmit, transmit | OFFLOAD_HIGHDMA, transmit);
        nic->TraceConnectWithoutContext("Features",
                                        MakeCallback(&OffloadSwitchTestCase::Changed, this));

        OffloadChange change = nic->SwitchByName("sg", false);
        NS_TEST_EXPECT_MSG_EQ(change.Explain(), "", "switching off is never refused");
        NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(change.changed),
                              OffloadFlagsToString(OFFLOAD_SG | OFFLOAD_TSO | OFFLOAD_TSO6 |
                                                   OFFLOAD_TSO_ECN | OFFLOAD_GSO),
                              "segmentation goes with scatter-gather");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(m_last, nic->GetFeatures(), "told what holds");

        change = nic->SwitchByName("tx-tcp-segmentation", true);
        NS_TEST_EXPECT_MSG_EQ(change.Explain(),
                              "tx-tcp-segmentation: TCP segmentation needs scatter-gather",
                              "the rule is named");
        std::ostringstream listing;
        nic->Print(listing);
        NS_TEST_EXPECT_MSG_NE(listing.str().find("\ttx-tcp-segmentation: off [requested on]\n"),
                              std::string::npos,
                              "the listing says that it is wanted");
        NS_TEST_EXPECT_MSG_NE(listing.str().find("\nhighdma: on [fixed]\n"),
                              std::string::npos,
                              "the listing says what is fixed");

        change = nic->SwitchByName("sg", true);
        NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(nic->GetFeatures() & transmit),
                              OffloadFlagsToString(transmit),
                              "what is wanted comes back with scatter-gather");

        NS_TEST_EXPECT_MSG_EQ(nic->SwitchByName("lro", true).Explain(),
                              "rx-lro: fixed by the device",
                              "what the device does not have");
        NS_TEST_EXPECT_MSG_EQ(nic->SwitchByName("warp", true).Explain(),
                              "warp: no such feature",
                              "an unknown name");
        nic->Dispose();
        Simulator::Destroy();
    }

    int m_changes{0};   //!< how often told
    uint64_t m_last{0}; //!< what was told last
};

/**
 * @ingroup linux-host-tests
 * What holds for one frame, and what is done to it then.
 */
class FrameFeaturesTestCase : public TestCase
{
  public:
    FrameFeaturesTestCase()
        : TestCase("Features of a frame by its tags and checksum, by era")
    {
    }

  private:
    void DoRun() override
    {
        const OffloadFlags transmit = OFFLOAD_SG | OFFLOAD_HW_CSUM | OFFLOAD_TSO | OFFLOAD_HIGHDMA;
        TestFrame frame;
        frame.payload = 100;
        frame.partial = true;
        const auto plain = [&frame]() {
            SkBuff skb(frame.Build());
            skb.ipSummed = ChecksumState::PARTIAL;
            skb.csumStart = 34;
            skb.csumOffset = 16;
            return skb;
        };
        const auto tagged = [&plain](int tags, bool accelerated) {
            SkBuff skb = plain();
            for (int i = 0; i < tags; i++)
            {
                skb.vlanTagPresent = true;
                skb.vlanProtocol = 0x8100;
                skb.vlanTci = static_cast<uint16_t>(100 + i);
                if (i + 1 < tags || !accelerated)
                {
                    skb.PushVlanTag();
                }
            }
            return skb;
        };
        const OffloadFlags carried = transmit | OFFLOAD_SOFT;

        for (const OffloadEra era :
             {OffloadEra::LINUX_3_7, OffloadEra::LINUX_3_15, OffloadEra::LINUX_4_14})
        {
            Ptr<OffloadFeatures> device = CreateObject<OffloadFeatures>();
            device->SetEra(era);
            device->Register(transmit, transmit, 0);
            NS_TEST_EXPECT_MSG_EQ(device->SelectForFrame(plain()), carried, "without a tag");
            // Blank vlan_features: nothing but memory for a tagged frame.
            NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(device->SelectForFrame(tagged(1, false))),
                                  "highdma",
                                  "a tag in the frame, vlan_features blank");
            NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(device->SelectForFrame(tagged(1, true))),
                                  "highdma",
                                  "a tag beside the frame, vlan_features blank");
            device->SetVlanFeatures(transmit);
            NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(device->SelectForFrame(tagged(1, false))),
                                  OffloadFlagsToString(transmit),
                                  "a tag in the frame");
            NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(device->SelectForFrame(tagged(2, false))),
                                  OffloadFlagsToString(transmit & ~OFFLOAD_TSO),
                                  "two tags in the frame");
            const bool looksBeside = era == OffloadEra::LINUX_4_14;
            NS_TEST_EXPECT_MSG_EQ(
                OffloadFlagsToString(device->SelectForFrame(tagged(2, true))),
                OffloadFlagsToString(looksBeside ? transmit & ~OFFLOAD_TSO : transmit),
                "one tag in the frame and one beside");

            // A checksum that the device cannot do.
            device = CreateObject<OffloadFeatures>();
            device->SetEra(era);
            const OffloadFlags v6only = OFFLOAD_SG | OFFLOAD_IPV6_CSUM | OFFLOAD_TSO6;
            device->Register(v6only, v6only, v6only);
            OffloadFlags left = OFFLOAD_SOFT | OFFLOAD_TSO6;
            if (era != OffloadEra::LINUX_3_7)
            {
                left |= OFFLOAD_SG;
            }
            if (era == OffloadEra::LINUX_4_14)
            {
                left &= ~OFFLOAD_TSO6;
            }
            NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(device->SelectForFrame(plain())),
                                  OffloadFlagsToString(left),
                                  "an IPv4 checksum on a device that knows IPv6 only");
        }

        // Then: the tag into the frame, gathered, summed.
        SkBuff skb = tagged(1, true);
        skb.headLength = 54;
        TransmitWork work;
        const auto out = ValidateTransmit(skb, 0, &work);
        NS_TEST_ASSERT_MSG_EQ(out.size(), 1, "one frame");
        NS_TEST_EXPECT_MSG_EQ(IsSound(out[0].data), true, "a sound frame");
        NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&out[0].data[12]), 0x8100, "tagged");
        NS_TEST_EXPECT_MSG_EQ(work.tagsPushed, 1, "tag");
        NS_TEST_EXPECT_MSG_EQ(work.linearized, 1, "gathered");
        NS_TEST_EXPECT_MSG_EQ(work.bytesCopied, 100, "payload was in fragments");
        NS_TEST_EXPECT_MSG_EQ(work.checksums, 1, "summed");
        NS_TEST_EXPECT_MSG_EQ(work.bytesSummed, 120, "transport header and payload");
    }
};

/**
 * @ingroup linux-host-tests
 * The Toeplitz hash, and the table behind it.
 */
class ReceiveSideScalingTestCase : public TestCase
{
  public:
    ReceiveSideScalingTestCase()
        : TestCase("RSS hashes as Microsoft's verification suite says")
    {
    }

  private:
    /// A flow and its hashes.
    struct Row
    {
        const char* destination; //!< address
        uint16_t destinationPort;
        const char* source; //!< address
        uint16_t sourcePort;
        uint32_t addresses; //!< hash of the addresses
        uint32_t all;       //!< hash of addresses and ports
    };

    /**
     * @param row a flow
     * @returns its tuple
     */
    static FlowTuple MakeTuple(const Row& row)
    {
        FlowTuple tuple;
        if (std::string(row.source).find(':') == std::string::npos)
        {
            tuple.addressBytes = 4;
            Ipv4Address(row.source).Serialize(tuple.source.data());
            Ipv4Address(row.destination).Serialize(tuple.destination.data());
        }
        else
        {
            tuple.addressBytes = 16;
            Ipv6Address(row.source).Serialize(tuple.source.data());
            Ipv6Address(row.destination).Serialize(tuple.destination.data());
        }
        tuple.hasPorts = true;
        tuple.sourcePort = row.sourcePort;
        tuple.destinationPort = row.destinationPort;
        return tuple;
    }

    void DoRun() override
    {
        // Windows driver documentation, "Verifying the RSS Hash Calculation".
        const Row ROWS[] = {
            {"161.142.100.80", 1766, "66.9.149.187", 2794, 0x323e8fc2, 0x51ccc178},
            {"65.69.140.83", 4739, "199.92.111.2", 14230, 0xd718262a, 0xc626b0ea},
            {"12.22.207.184", 38024, "24.19.198.95", 12898, 0xd2d0a5de, 0x5c2b394a},
            {"209.142.163.6", 2217, "38.27.205.30", 48228, 0x82989176, 0xafc7327f},
            {"202.188.127.2", 1303, "153.39.163.191", 44251, 0x5d1809c5, 0x10e828a2},
            {"3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2cc18cd5, 0x40207d3d},
            {"ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0f0c461c, 0xdde51bbf},
            {"fe80::200:f8ff:fe21:67cf",
             38024,
             "3ffe:1900:4545:3:200:f8ff:fe21:67cf",
             44251,
             0x4b61e985,
             0x02d1feef},
        };
        Ptr<ReceiveSideScaling> rss = CreateObject<ReceiveSideScaling>();
        Ptr<ReceiveSideScaling> two = CreateObject<ReceiveSideScaling>();
        two->SetAttribute("HashPorts", BooleanValue(false));
        for (const auto& row : ROWS)
        {
            FlowTuple tuple = MakeTuple(row);
            NS_TEST_EXPECT_MSG_EQ(rss->Hash(tuple), row.all, row.source << ", with ports");
            NS_TEST_EXPECT_MSG_EQ(two->Hash(tuple), row.addresses, row.source << ", 2-tuple");
            tuple.hasPorts = false;
            NS_TEST_EXPECT_MSG_EQ(rss->Hash(tuple), row.addresses, row.source << ", no ports");
        }
        Frames();
        Table();
        Keys();
    }

    /// What is hashed is what is in the frame.
    void Frames()
    {
        Ptr<ReceiveSideScaling> rss = CreateObject<ReceiveSideScaling>();
        TestFrame form;
        form.sourcePort = 2794;
        std::vector<uint8_t> frame = form.Build();
        // The first row of the verification suite.
        WriteNetwork32(&frame[26], 0x420995bb);
        WriteNetwork32(&frame[30], 0xa18e6450);
        WriteNetwork16(&frame[36], 1766);
        const FlowTuple tuple = FlowTuple::FromFrame(frame);
        NS_TEST_EXPECT_MSG_EQ(rss->Hash(tuple), 0x51ccc178, "TCP over IPv4");
        const FlowTuple back = tuple.Reverse();
        NS_TEST_EXPECT_MSG_EQ(back.sourcePort, 1766, "what comes back");
        NS_TEST_EXPECT_MSG_EQ((back.source == tuple.destination), true, "from there");
        SkBuff tagged(frame);
        tagged.vlanTagPresent = true;
        tagged.vlanProtocol = 0x8100;
        tagged.PushVlanTag();
        NS_TEST_EXPECT_MSG_EQ(rss->Hash(FlowTuple::FromFrame(tagged.data)),
                              0x51ccc178,
                              "behind a tag");
        frame[20] = 0x20;
        NS_TEST_EXPECT_MSG_EQ(rss->Hash(FlowTuple::FromFrame(frame)),
                              0x323e8fc2,
                              "a fragment: addresses only, lest it part from the others");
        frame[20] = 0x40;
        frame[23] = 17;
        NS_TEST_EXPECT_MSG_EQ(rss->Hash(FlowTuple::FromFrame(frame)), 0x323e8fc2, "UDP: the same");
        WriteNetwork16(&frame[12], 0x0806);
        NS_TEST_EXPECT_MSG_EQ(rss->Hash(FlowTuple::FromFrame(frame)), 0, "ARP has no hash");
        form.ipv6 = true;
        const FlowTuple six = FlowTuple::FromFrame(form.Build());
        NS_TEST_EXPECT_MSG_EQ(six.addressBytes, 16, "IPv6");
        NS_TEST_EXPECT_MSG_EQ(six.hasPorts, true, "with ports");
        NS_TEST_EXPECT_MSG_EQ(six.source[15], 1, "source");
        NS_TEST_EXPECT_MSG_EQ(six.destination[15], 2, "destination");
    }

    /// The table spreads hashes over queues.
    void Table()
    {
        Ptr<ReceiveSideScaling> rss = CreateObject<ReceiveSideScaling>();
        NS_TEST_EXPECT_MSG_EQ(rss->GetTable().size(), 128, "seven bits of the hash");
        NS_TEST_EXPECT_MSG_EQ(rss->GetQueue(0x51ccc178), 0, "one queue");
        rss->SetQueues(6);
        for (uint32_t i = 0; i < 128; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(rss->GetTable()[i], i % 6, "queues in turn");
        }
        NS_TEST_EXPECT_MSG_EQ(rss->GetQueue(0x51ccc178), 0x78 % 6, "by the lowest seven bits");
        rss->SetAttribute("TableSize", UintegerValue(16));
        NS_TEST_EXPECT_MSG_EQ(rss->GetQueue(0x51ccc178), 8 % 6, "by the lowest four");
        rss->SetTable({5, 5, 2, 2});
        NS_TEST_EXPECT_MSG_EQ(rss->GetQueue(0x51ccc178), 5, "as it was set");
        NS_TEST_EXPECT_MSG_EQ(rss->GetQueue(0xc626b0ea), 2, "as it was set");
    }

    /// A key comes from a user.
    void Keys()
    {
        std::vector<uint8_t> key;
        std::string text = "6D5A";
        for (uint32_t i = 2; i < 40; ++i)
        {
            text += i % 2 ? ":00" : "00";
        }
        NS_TEST_EXPECT_MSG_EQ(ReceiveSideScaling::ParseKey(text, &key), true, "with some colons");
        NS_TEST_EXPECT_MSG_EQ(key.size(), 40, "bytes");
        NS_TEST_EXPECT_MSG_EQ(key[1], 0x5a, "byte");
        for (const std::string& wrong : {std::string(),
                                         std::string("6d"),
                                         text + "0",
                                         text + ":",
                                         ":" + text,
                                         text + "zz",
                                         std::string(130, '0')})
        {
            NS_TEST_EXPECT_MSG_EQ(ReceiveSideScaling::ParseKey(wrong, &key), false, wrong);
        }
        // Each bit of the input shows the key from that bit on.
        Ptr<ReceiveSideScaling> rss = CreateObject<ReceiveSideScaling>();
        rss->SetAttribute("Key", StringValue(text));
        const uint8_t FIRST[] = {0x80};
        const uint8_t SECOND[] = {0x40};
        NS_TEST_EXPECT_MSG_EQ(rss->Hash(FIRST, 1), 0x6d5a0000, "the key's first 32 bits");
        NS_TEST_EXPECT_MSG_EQ(rss->Hash(SECOND, 1), 0xdab40000, "one bit further");
    }
};

/// Some bytes.
using Bytes = std::vector<uint8_t>;

/**
 * @param text hexadecimal digits and spaces
 * @returns the bytes
 */
static Bytes
FromHex(const std::string& text)
{
    std::string digits;
    std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char one) {
        return one != ' ';
    });
    Bytes bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/**
 * @param bytes some bytes
 * @returns them as hexadecimal digits
 */
static std::string
ToHex(const Bytes& bytes)
{
    std::ostringstream os;
    os << std::hex;
    for (const uint8_t byte : bytes)
    {
        os << (byte >> 4) << (byte & 15);
    }
    return os.str();
}

/**
 * @ingroup linux-host-tests
 * Options of IPv4 headers, by RFC 791 and by what Linux 6.1 was seen to answer.
 */
class Ipv4OptionsTestCase : public TestCase
{
  public:
    Ipv4OptionsTestCase()
        : TestCase("Options of IPv4 headers: what is recorded, refused and answered with")
    {
    }

  private:
    /**
     * Receive options and answer them, at 3 s after midnight.
     * @param given the options
     * @param problem where the octet is that is wrong; 0: nowhere
     * @param compiled the options as they are then
     * @param answer the options of the answer, or `none` if there is to be no answer
     */
    void Check(const std::string& given,
               size_t problem,
               const std::string& compiled,
               const std::string& answer)
    {
        const Bytes options = FromHex(given);
        Bytes packet = FromHex("4500 0000 0000 0000 4011 0000 c0000209 c0000202");
        packet.insert(packet.end(), options.begin(), options.end());
        packet[0] = static_cast<uint8_t>(0x40 | packet.size() / 4);
        const Ipv4OptionsHost host{Ipv4Address("192.0.2.2"), [](Ipv4Address address) {
                                       return address != Ipv4Address("192.0.2.2");
                                   }};
        const Ipv4OptionsVerdict verdict = CompileIpv4Options(&packet, host);
        NS_TEST_EXPECT_MSG_EQ(verdict.problem, problem, given << ": the octet that is wrong");
        NS_TEST_EXPECT_MSG_EQ(ToHex(Bytes(packet.begin() + 20, packet.end())),
                              ToHex(FromHex(compiled)),
                              given << ": recorded");
        Bytes echoed;
        const bool answered = EchoIpv4Options(packet, verdict.end, host, &echoed);
        NS_TEST_EXPECT_MSG_EQ((answered ? ToHex(echoed) : "none"),
                              (answer == "none" ? answer : ToHex(FromHex(answer))),
                              given << ": answered");
    }

    /// All kinds, when the simulation is 3 s old (0bb8 in ms).
    void CheckAll()
    {
        const std::string self = "c0000202";
        const std::string time = "00000bb8";
        Check("01010101", 0, "01010101", "");
        Check("01000707", 0, "01000000", "");
        // Recorded routes: here and by the answer; full; without room for an address.
        Check("070704 00000000 00", 0, "070708" + self + "00", "070708" + self + "00");
        Check("070b04 00000000 00000000 00",
              0,
              "070b08" + self + "00000000 00",
              "070b0c" + self + self + "00");
        Check("070708 c0000201 00", 0, "070708 c0000201 00", "070708 c0000201 00");
        Check("070b05 00000000 00000000 00", 0, "070b09 00" + self + "000000 00", "none");
        Check("070706 00000000 00", 22, "070706 00000000 00", "");
        Check("070303 00", 22, "070303 00", "");
        Check("070100 00", 20, "070100 00", "");
        Check("010107 09", 22, "010107 09", "");
        Check("070704 00000000 070704 00000000 0000",
              27,
              "070708" + self + "070704 00000000 0000",
              "070708" + self + "00");
        // Timestamps: alone, with addresses, by listed hosts; overflown.
        Check("44080500 00000000", 0, "44080900" + time, "44080900" + time);
        Check("440c0500 00000000 00000000",
              0,
              "440c0900" + time + "00000000",
              "440c0d00" + time + time);
        Check("440c0501 00000000 00000000", 0, "440c0d01" + self + time, "440c0d01" + self + time);
        Check("440c0503" + self + "00000000",
              0,
              "440c0d03" + self + time,
              "440c0d03" + self + time);
        Check("440c0503 c0000209 00000000",
              0,
              "440c0503 c0000209 00000000",
              "440c0503 c0000209 00000000");
        Check("44080900 00000001", 0, "44080910 00000001", "44080910 00000001");
        Check("440809f0 00000001", 23, "440809f0 00000001", "");
        Check("440809f3 00000001", 0, "440809f3 00000001", "440809f3 00000001");
        Check("44080501 00000000", 22, "44080501 00000000", "");
        Check("44080400 00000000", 22, "44080400 00000000", "");
        // Whatever their order, routes come first; alerts and labels are not echoed.
        Check("94040000 44080500 00000000 070704 00000000 00",
              0,
              "94040000 44080900" + time + "070708" + self + "00",
              "070708" + self + "44080900" + time + "00");
        Check("940300 00", 21, "940300 00", "");
        Check("8608 00000001 0000", 22, "8608 00000001 0000", "");
        Check("5e040102", 0, "5e040102", "");
        Check("830703 c0000201 00", 22, "830703 c0000201 00", "");
    }

    void DoRun() override
    {
        Simulator::Schedule(Seconds(3), &Ipv4OptionsTestCase::CheckAll, this);
        Simulator::Run();
        Simulator::Destroy();

        Bytes packet =
            FromHex("4700 0000 0000 0000 4011 0000 c0000209 c0000202 890708 c0000209 00");
        const Ipv4OptionsHost host{Ipv4Address("192.0.2.2"), [](Ipv4Address) { return true; }};
        NS_TEST_EXPECT_MSG_EQ(CompileIpv4Options(&packet, host).sourceRoute, true, "source route");
        // Routes and timestamps are in the first fragment only, alerts in all (RFC 791).
        Bytes options = FromHex("94040000 070704 00000000 01 44080500 00000000 00000000");
        BlankFirstFragmentOptions(&options);
        NS_TEST_EXPECT_MSG_EQ(
            ToHex(options),
            ToHex(FromHex("94040000 01010101010101 01 0101010101010101 00000000")),
            "blanked");
        packet = FromHex("4500 0000 0000 0000 4001 0000 c0000209 c0000202 0300 0000");
        NS_TEST_EXPECT_MSG_EQ(MayAnswerWithIcmpError(packet), false, "an error");
        packet[20] = 8;
        NS_TEST_EXPECT_MSG_EQ(MayAnswerWithIcmpError(packet), true, "an echo request");
        packet[7] = 5;
        NS_TEST_EXPECT_MSG_EQ(MayAnswerWithIcmpError(packet), false, "a later fragment");
    }
};

/**
 * @ingroup linux-host-tests
 * Fragments of datagrams that never become whole take room up to 4 MB (ipfrag_high_thresh), and 30
 * s (ipfrag_time); what finds no room is counted.
 */
class ReassemblyRoomTestCase : public TestCase
{
  public:
    ReassemblyRoomTestCase()
        : TestCase("Incomplete datagrams leave room for others")
    {
    }

  private:
    void DoRun() override
    {
        Ipv4Reassembly reassembly;
        auto add = [&](uint16_t identification, uint16_t field, uint32_t payload) {
            std::vector<uint8_t> fragment(20 + payload);
            fragment[0] = 0x45;
            fragment[4] = static_cast<uint8_t>(identification >> 8);
            fragment[5] = static_cast<uint8_t>(identification);
            fragment[6] = static_cast<uint8_t>(field >> 8);
            fragment[7] = static_cast<uint8_t>(field);
            fragment[9] = 17;
            return reassembly.Add(&fragment) ? fragment.size() : 0;
        };
        const uint16_t MORE = 0x2000;
        for (uint16_t i = 0; i < 500; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(add(i, MORE, 1480), 0, "its end is missing");
        }
        NS_TEST_ASSERT_MSG_EQ(add(1000, MORE, 1480), 0, "its end is missing");
        NS_TEST_ASSERT_MSG_EQ(add(1000, 1480 / 8, 20), 1520, "a datagram of two fragments");
        NS_TEST_ASSERT_MSG_EQ(reassembly.GetFailures(), 0, "nothing was lost");
        for (uint16_t i = 1001; i < 4001; ++i)
        {
            add(i, MORE, 1480);
        }
        NS_TEST_ASSERT_MSG_GT(reassembly.GetFailures(), 0, "4 MB hold no 3500 fragments");
        add(5000, MORE, 1480);
        NS_TEST_ASSERT_MSG_EQ(add(5000, 1480 / 8, 20), 0, "no room");
        Simulator::Stop(Seconds(31));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(add(6000, MORE, 1480), 0, "its end is missing");
        NS_TEST_ASSERT_MSG_EQ(add(6000, 1480 / 8, 20), 1520, "there is room again");
        reassembly.Clear();
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tests
 * Which frames of a poll become one packet.
 */
class MergeListTestCase : public TestCase
{
  public:
    MergeListTestCase()
        : TestCase("A NAPI context merges frames of eight flows at a time")
    {
    }

  private:
    void DoRun() override
    {
        MergeList::Packet out;
        MergeList none;
        NS_TEST_EXPECT_MSG_EQ(none.Offer(3, 1448, &out), MergeList::ALONE, "nothing is merged");
        NS_TEST_EXPECT_MSG_EQ(out.flow, 3, "it is the frame");
        NS_TEST_EXPECT_MSG_EQ(out.bytes, 1448, "it is the frame");

        // MAX_GRO_SKBS and MYRI10GE_MAX_LRO_DESCRIPTORS are eight.
        MergeList::Limits limits;
        MergeList list(limits);
        for (uint32_t i = 0; i < 24; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(list.Offer(i % 8, 100, &out), MergeList::HELD, "in turn");
        }
        NS_TEST_EXPECT_MSG_EQ(list.GetHeld(), 8, "a packet a flow");
        // Until Linux 3.14, and in LRO, a ninth goes up by itself.
        NS_TEST_EXPECT_MSG_EQ(list.Offer(8, 100, &out), MergeList::ALONE, "a ninth");
        NS_TEST_EXPECT_MSG_EQ(out.flow, 8, "by itself");
        NS_TEST_EXPECT_MSG_EQ(list.Offer(7, 100, &out), MergeList::HELD, "the others go on");
        for (uint32_t i = 0; i < 8; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(list.TakeOldest(&out), true, "the end of the poll");
            NS_TEST_EXPECT_MSG_EQ(out.flow, i, "oldest first");
            NS_TEST_EXPECT_MSG_EQ(out.frames, (i == 7 ? 4 : 3), "frames");
            NS_TEST_EXPECT_MSG_EQ(out.bytes, 100 * out.frames, "bytes");
        }
        NS_TEST_EXPECT_MSG_EQ(list.TakeOldest(&out), false, "that was all");

        // Since then, the oldest makes room.
        limits.evicts = true;
        MergeList since(limits);
        for (uint32_t i = 0; i < 8; ++i)
        {
            since.Offer(i, 100, &out);
        }
        NS_TEST_EXPECT_MSG_EQ(since.Offer(8, 100, &out), MergeList::AFTER, "a ninth");
        NS_TEST_EXPECT_MSG_EQ(out.flow, 0, "the oldest leaves");
        NS_TEST_EXPECT_MSG_EQ(since.Offer(8, 100, &out), MergeList::HELD, "it is held");
        NS_TEST_EXPECT_MSG_EQ(since.GetHeld(), 8, "still eight");
        NS_TEST_EXPECT_MSG_EQ(since.Offer(0, 100, &out), MergeList::AFTER, "back again");
        NS_TEST_EXPECT_MSG_EQ(out.flow, 1, "at the expense of the next");

        // A packet has 17 fragments (MAX_SKB_FRAGS), and less than 64 KB.
        limits.evicts = false;
        MergeList full(limits);
        for (uint32_t i = 0; i < 17; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(full.Offer(0, 1448, &out), MergeList::HELD, "there is room");
        }
        NS_TEST_EXPECT_MSG_EQ(full.Offer(0, 1448, &out), MergeList::AFTER, "one too many");
        NS_TEST_EXPECT_MSG_EQ(out.frames, 17, "that was a packet");
        NS_TEST_EXPECT_MSG_EQ(full.GetHeld(), 0, "it is gone");
        for (uint32_t i = 0; i < 7; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(full.Offer(0, 8948, &out), MergeList::HELD, "there is room");
        }
        NS_TEST_EXPECT_MSG_EQ(full.Offer(0, 8948, &out), MergeList::AFTER, "71584 bytes");
        NS_TEST_EXPECT_MSG_EQ(out.bytes, 7 * 8948, "less than 64 KB");
    }
};

/**
 * @ingroup linux-host-tests
 * Tests of what devices share.
 */
class NetTestSuite : public TestSuite
{
  public:
    NetTestSuite()
        : TestSuite("linux-host-net", TEST_SUITE_UNIT)
    {
        AddTestCase(new RecordedOffloadTestCase, TEST_QUICK);
        AddTestCase(new ChecksumTestCase, TEST_QUICK);
        AddTestCase(new GsoGroRoundTripTestCase, TEST_QUICK);
        AddTestCase(new GroRulesTestCase, TEST_QUICK);
        AddTestCase(new OffloadRulesTestCase, TEST_QUICK);
        AddTestCase(new OffloadSwitchTestCase, TEST_QUICK);
        AddTestCase(new FrameFeaturesTestCase, TEST_QUICK);
        AddTestCase(new ReceiveSideScalingTestCase, TEST_QUICK);
        AddTestCase(new MergeListTestCase, TEST_QUICK);
        AddTestCase(new ReassemblyRoomTestCase, TEST_QUICK);
        AddTestCase(new Ipv4OptionsTestCase, TEST_QUICK);
    }
};

static NetTestSuite g_netTestSuite; //!< the suite
