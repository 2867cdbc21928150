/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/csma-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/linux-host-compat.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/sk-buff.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/vlan-demux.h"
#include "ns3/vlan-helper.h"
#include "ns3/vlan-link.h"

#include <algorithm>
#include <functional>
#include <sstream>

using namespace ns3;
using namespace ns3::linuxhost;

/// Some bytes.
using Bytes = std::vector<uint8_t>;

/**
 * @ingroup linux-host-tests
 * @param text hexadecimal digits; spaces do not matter
 * @returns the bytes
 */
static Bytes
FromHex(const std::string& text)
{
    Bytes bytes;
    std::string digits;
    for (const char c : text)
    {
        digits += c == ' ' ? "" : std::string(1, c);
    }
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
    {
        bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

/**
 * @ingroup linux-host-tests
 * @param bytes some bytes
 * @returns hexadecimal digits
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
 * Blank what no host reproduces: the IPv4 identification and the sums over it, in the packet and
 * in the one that an ICMP error quotes.
 * @param frame a tagged frame
 * @param sound set to false when a blanked sum was wrong
 */
static void
BlankIdentification(Bytes* frame, bool* sound)
{
    FrameHeaders headers;
    if (!FindFrameHeaders(*frame, &headers) || headers.etherType != 0x0800)
    {
        return;
    }
    const auto blank = [&](size_t network) {
        uint8_t* header = &(*frame)[network];
        // A host that records in the options of what it receives leaves the checksum alone.
        const bool recorded = network != headers.network && header[0] != 0x45;
        *sound = *sound &&
                 (recorded || ChecksumFold(ChecksumAdd(header, (header[0] & 15) * 4U)) == 0xffff);
        WriteNetwork16(header + 4, 0);
        WriteNetwork16(header + 10, 0);
    };
    const size_t icmp = headers.transport;
    if (headers.ipProtocol == 1 && (*frame)[icmp] == 3)
    {
        *sound =
            *sound && ChecksumFold(ChecksumAdd(&(*frame)[icmp], frame->size() - icmp)) == 0xffff;
        WriteNetwork16(&(*frame)[icmp + 2], 0);
        blank(icmp + 8);
    }
    blank(headers.network);
}

/**
 * @ingroup linux-host-tests
 * A capture of Linux hosts, frame by frame.
 */
class VlanCaptureTestCase : public TestCase
{
  public:
    /**
     * @param file the capture
     * @param settings what made it
     * @param insideFile a capture at B's VLAN device, if there is one
     */
    VlanCaptureTestCase(const std::string& file,
                        const VlanLink::Settings& settings,
                        const std::string& insideFile = "")
        : TestCase("The frames of " + file),
          m_file(file),
          m_insideFile(insideFile),
          m_settings(settings)
    {
    }

  private:
    void DoRun() override
    {
        std::vector<CapturedFrame> expected;
        NS_TEST_ASSERT_MSG_EQ(
            ReadEthernetCapture(std::string(LINUX_HOST_TEST_DATA) + "/vlan/" + m_file, &expected),
            "",
            "the capture is not readable");
        // An echo request's content is the program's that sent it.
        for (const CapturedFrame& captured : expected)
        {
            const Bytes& frame = captured.frame;
            FrameHeaders headers;
            if (FindFrameHeaders(frame, &headers) && headers.ipProtocol == 1 &&
                frame[headers.transport] == 8)
            {
                m_settings.echoId = ReadNetwork16(&frame[headers.transport + 4]);
                m_settings.echoPayload.assign(frame.begin() + headers.transport + 8, frame.end());
            }
        }
        if (m_settings.datagrams.empty())
        {
            // What A sends was put on the wire there.
            for (const CapturedFrame& captured : expected)
            {
                if (captured.frame[11] == 0x0a)
                {
                    m_settings.injected.push_back(captured);
                }
            }
        }
        VlanLink link(m_settings);
        link.Run();
        Compare("wire", link.GetWire(), expected);
        if (!m_insideFile.empty())
        {
            expected.clear();
            NS_TEST_ASSERT_MSG_EQ(
                ReadEthernetCapture(std::string(LINUX_HOST_TEST_DATA) + "/vlan/" + m_insideFile,
                                    &expected),
                "",
                "the capture is not readable");
            Compare("inside", link.GetInside(), expected);
        }
        if (!m_settings.injected.empty() || m_settings.innerId >= 0)
        {
            return;
        }
        // Inside the VLAN device there is the same without the tag.
        const auto& wire = link.GetWire();
        const auto& inside = link.GetInside();
        NS_TEST_ASSERT_MSG_EQ(inside.size(), wire.size(), "number of frames inside");
        for (size_t i = 0; i < inside.size(); i++)
        {
            Bytes untagged = wire[i].frame;
            untagged.erase(untagged.begin() + 12, untagged.begin() + 16);
            const auto same = std::count_if(inside.begin(), inside.end(), [&](const auto& one) {
                return one.frame == untagged;
            });
            NS_TEST_EXPECT_MSG_EQ((same > 0), true, "frame " << i << " inside");
        }
    }

    /**
     * @param where the frames were seen
     * @param frames what was seen
     * @param expected what Linux hosts had there
     */
    void Compare(const std::string& where,
                 const std::vector<CapturedFrame>& frames,
                 const std::vector<CapturedFrame>& expected)
    {
        NS_TEST_ASSERT_MSG_EQ(frames.size(), expected.size(), where << ": number of frames");
        for (size_t i = 0; i < frames.size(); i++)
        {
            Bytes actual = frames[i].frame;
            Bytes wanted = expected[i].frame;
            bool sound = true;
            BlankIdentification(&actual, &sound);
            BlankIdentification(&wanted, &sound);
            NS_TEST_EXPECT_MSG_EQ(sound, true, where << ": checksums of frame " << i);
            NS_TEST_EXPECT_MSG_EQ(ToHex(actual), ToHex(wanted), where << ": frame " << i);
        }
    }

    std::string m_file;            //!< the capture
    std::string m_insideFile;      //!< capture at B's VLAN device, or empty
    VlanLink::Settings m_settings; //!< what made it
};

/**
 * @ingroup linux-host-tests
 * Tags inside tags, tags that stay, tags of all kinds from the wire.
 */
class VlanLinkTestCase : public TestCase
{
  public:
    VlanLinkTestCase()
        : TestCase("Two tags, tags that stay visible, and injected frames")
    {
    }

  private:
    /// An ARP request of A for B in the VLAN, as RFC 826 has it, without Ethernet header.
    static const char* ArpRequest()
    {
        return "0001 0800 06 04 0001 02000000000a c6336401 000000000000 c6336402";
    }

    /// B's answer to it.
    static const char* ArpReply()
    {
        return "0001 0800 06 04 0002 02000000000b c6336402 02000000000a c6336401";
    }

    /**
     * @param frames frames put on the wire at A, a second apart
     * @param id B's VLAN
     * @returns the link after that
     */
    static std::unique_ptr<VlanLink> Inject(const std::vector<Bytes>& frames, uint16_t id = 100)
    {
        VlanLink::Settings settings;
        settings.id = id;
        for (size_t i = 0; i < frames.size(); i++)
        {
            settings.injected.push_back({static_cast<int64_t>(i) * 1000000000, frames[i]});
        }
        auto link = std::make_unique<VlanLink>(settings);
        link->Run();
        return link;
    }

    void DoRun() override
    {
        const std::string toAll = "ffffffffffff 02000000000a ";
        const std::string toA = "02000000000a 02000000000b ";

        VlanLink::Settings settings;
        settings.protocol = 0x88a8;
        settings.innerId = 200;
        settings.egress = {{0, 5}};
        settings.datagrams = {{0, 0}, {1468, 0}, {1472, 0}};
        {
            VlanLink link(settings);
            link.Run();
            const auto& wire = link.GetWire();
            NS_TEST_ASSERT_MSG_EQ(wire.size(), 7, "ARP, two answered datagrams, one lost");
            NS_TEST_EXPECT_MSG_EQ(ToHex(wire[0].frame),
                                  ToHex(FromHex(toAll + "88a8 a064 8100 00c8 0806" + ArpRequest())),
                                  "outer tag with its priority, inner tag");
            NS_TEST_EXPECT_MSG_EQ(ToHex(wire[1].frame),
                                  ToHex(FromHex(toA + "88a8 0064 8100 00c8 0806" + ArpReply())),
                                  "answer");
            NS_TEST_EXPECT_MSG_EQ(wire[4].frame.size(), 14 + 8 + 1496, "room for one tag is left");
            NS_TEST_EXPECT_MSG_EQ(wire[6].frame.size(),
                                  14 + 8 + 1500,
                                  "sent, but too long for the other end");
            NS_TEST_EXPECT_MSG_EQ(ToHex(link.GetInside()[0].frame),
                                  ToHex(FromHex(toAll + "0806" + ArpRequest())),
                                  "no tags inside");
            std::ostringstream counters;
            link.PrintCounters(counters);
            NS_TEST_EXPECT_MSG_NE(counters.str().find("\"ifname\": \"vb.100.200\""),
                                  std::string::npos,
                                  "both devices are counted");
        }

        settings = VlanLink::Settings();
        settings.reorderHeader = false;
        settings.datagrams = {{0, 0}};
        {
            VlanLink link(settings);
            link.Run();
            const auto& inside = link.GetInside();
            NS_TEST_ASSERT_MSG_EQ(inside.size(), 4, "ARP and an answered datagram");
            for (size_t i = 0; i < inside.size(); i++)
            {
                const bool same = std::any_of(
                    link.GetWire().begin(),
                    link.GetWire().end(),
                    [&](const CapturedFrame& one) { return one.frame == inside[i].frame; });
                NS_TEST_EXPECT_MSG_EQ(same, true, "frame " << i << " with its tag");
            }
        }

        // Under a device with its tag in the frame from the start, Linux builds the outer tag
        // first: of one protocol they change places, of two the outer one is there twice.
        settings.innerId = 200;
        {
            VlanLink link(settings);
            link.Run();
            NS_TEST_EXPECT_MSG_EQ(ToHex(link.GetWire().at(0).frame),
                                  ToHex(FromHex(toAll + "8100 00c8 8100 0064 0806" + ArpRequest())),
                                  "places changed");
            NS_TEST_EXPECT_MSG_EQ(link.GetInside().size(), 0, "for another VLAN");
        }
        settings.protocol = 0x88a8;
        {
            VlanLink link(settings);
            link.Run();
            NS_TEST_EXPECT_MSG_EQ(
                ToHex(link.GetWire().at(0).frame),
                ToHex(FromHex(toAll + "88a8 0064 8100 00c8 88a8 0064 0806" + ArpRequest())),
                "twice");
        }
        // On receiving, the tag of the outer device stays visible on the inner one.
        settings.datagrams.clear();
        settings.injected = {{0, FromHex(toAll + "88a8 0064 8100 00c8 0806" + ArpRequest())}};
        {
            VlanLink link(settings);
            link.Run();
            NS_TEST_ASSERT_MSG_EQ(link.GetInside().size(), 2, "request and answer");
            NS_TEST_EXPECT_MSG_EQ(ToHex(link.GetInside()[0].frame),
                                  ToHex(FromHex(toAll + "88a8 0064 0806" + ArpRequest())),
                                  "the outer tag");
        }

        // DEI and priority do not matter for whose frame it is.
        auto link = Inject({FromHex(toAll + "8100 f064 0806" + ArpRequest())});
        NS_TEST_ASSERT_MSG_EQ(link->GetWire().size(), 2, "request and answer");
        NS_TEST_EXPECT_MSG_EQ(ToHex(link->GetWire()[1].frame),
                              ToHex(FromHex(toA + "8100 0064 0806" + ArpReply())),
                              "answer");

        // A priority tag is no VLAN: what is behind it counts.
        link = Inject({FromHex(toAll + "8100 e000 8100 0064 0806" + ArpRequest())});
        NS_TEST_EXPECT_MSG_EQ(link->GetWire().size(), 2, "the VLAN behind a priority tag");
        link = Inject({FromHex(toAll + "8100 e000 0806" + ArpRequest())});
        NS_TEST_ASSERT_MSG_EQ(link->GetWire().size(), 2, "the pair behind a priority tag");
        NS_TEST_EXPECT_MSG_EQ(ToHex(link->GetWire()[1].frame),
                              ToHex(FromHex(toA + "0806" + ArpReply())),
                              "a host answers for any of its addresses");
        link = Inject({FromHex(toAll + "8100 e000 0806" + ArpRequest())}, 0);
        NS_TEST_ASSERT_MSG_EQ(link->GetWire().size(), 2, "VLAN 0 takes priority-tagged frames");
        NS_TEST_EXPECT_MSG_EQ(ToHex(link->GetWire()[1].frame),
                              ToHex(FromHex(toA + "8100 0000 0806" + ArpReply())),
                              "and sends such");

        // Nobody's VLAN, another protocol's tag, no tag at all behind the EtherType.
        link = Inject({FromHex(toAll + "8100 0065 0806" + ArpRequest()),
                       FromHex(toAll + "88a8 0064 0806" + ArpRequest()),
                       FromHex(toAll + "8100"),
                       FromHex(toAll + "8100 00"),
                       FromHex(toAll)});
        NS_TEST_EXPECT_MSG_EQ(link->GetWire().size(), 4, "no answers, and one that is no frame");
        NS_TEST_EXPECT_MSG_EQ(link->GetInside().size(), 0, "nothing inside");
        std::ostringstream counters;
        link->PrintCounters(counters);
        NS_TEST_EXPECT_MSG_NE(counters.str().find("\"packets\": 4, \"errors\": 0, \"dropped\": 0, "
                                                  "\"over_errors\": 0, \"multicast\": 0, "
                                                  "\"otherhost_dropped\": 0"),
                              std::string::npos,
                              "what only ARP would have taken is not counted: " << counters.str());
        // IP counts what is for others, and without anybody to take a frame the device does.
        link = Inject({FromHex(toAll + "8100 0065 0800 4500"),
                       FromHex(toAll + "8100 0065 86dd 6000"),
                       FromHex(toAll + "8100 0065 8100 0064 0806" + ArpRequest()),
                       FromHex(toAll + "8100 e000 88cc 0000")});
        counters.str("");
        link->PrintCounters(counters);
        NS_TEST_EXPECT_MSG_NE(counters.str().find("\"packets\": 4, \"errors\": 0, \"dropped\": 2, "
                                                  "\"over_errors\": 0, \"multicast\": 0, "
                                                  "\"otherhost_dropped\": 2"),
                              std::string::npos,
                              "counted: " << counters.str());

        // A datagram in fragments is answered as a whole.
        settings = VlanLink::Settings();
        settings.datagrams = {{3000, 0}};
        {
            VlanLink fragments(settings);
            fragments.Run();
            const auto& wire = fragments.GetWire();
            NS_TEST_ASSERT_MSG_EQ(wire.size(), 6, "ARP, three fragments, one answer");
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&wire[2].frame[24]), 0x2000, "more to come");
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&wire[4].frame[24]), 2960 / 8, "the last");
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&wire[2].frame[22]),
                                  ReadNetwork16(&wire[4].frame[22]),
                                  "one identification");
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&wire[5].frame[48]), 3028, "quoted as a whole");
        }

        // Linux's LLC, which its VLANs bring along, takes what has a length for an EtherType; raw
        // IPX is nobody's.
        settings = VlanLink::Settings();
        const std::string toB = "02000000000b 02000000000a ";
        for (const char* rest : {"8100 00c8 0010 aaaa0300000008000000000000000000",
                                 "8100 00c8 0010 ffff0300000008000000000000000000",
                                 "8100 0064 8100 0000 0003 424203",
                                 "8100 0064 8100 0000 0003 ffff03"})
        {
            settings.injected.push_back({0, FromHex(toB + rest)});
        }
        {
            VlanLink link(settings);
            link.Run();
            std::ostringstream counters;
            link.PrintCounters(counters);
            // In the VLAN, too, a priority tag is looked behind.
            for (const char* device : {"\"vb\"", "\"vb.100\""})
            {
                const size_t at = counters.str().find("\"ifname\": " + std::string(device));
                const size_t dropped = counters.str().find("\"dropped\": ", at);
                NS_TEST_EXPECT_MSG_EQ(counters.str().substr(dropped, 13),
                                      "\"dropped\": 1,",
                                      "raw IPX at " << device);
            }
        }

        // What is too short for the tag that comes next is not seen on the device.
        settings.injected = {{0, FromHex(toB + "8100 0064 8100 00c8 0800 45")},
                             {1000, FromHex(toB + "8100 0064 8100 00c8 0800 4500")}};
        {
            VlanLink link(settings);
            link.Run();
            NS_TEST_ASSERT_MSG_EQ(link.GetInside().size(), 1, "the longer one");
            NS_TEST_EXPECT_MSG_EQ(ToHex(link.GetInside()[0].frame),
                                  ToHex(FromHex(toB + "8100 00c8 0800 4500")),
                                  "with its tag");
        }

        // Damage of all kinds harms nobody.
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(2);
        settings = VlanLink::Settings();
        settings.innerId = 200;
        const Bytes seeds[] = {
            FromHex(toAll + "8100 0064 8100 00c8 0806" + ArpRequest()),
            FromHex("02000000000b 02000000000a 8100 0064 8100 00c8 0800 4500 0020 0001 2000 4011 "
                    "0000 c6336401 c6336402 1388 0009 000c 0000 01020304"),
        };
        for (int i = 0; i < 3000; i++)
        {
            Bytes frame = seeds[random->GetInteger(0, 1)];
            for (uint32_t k = random->GetInteger(0, 3); k > 0; k--)
            {
                frame[random->GetInteger(12, static_cast<uint32_t>(frame.size()) - 1)] =
                    static_cast<uint8_t>(random->GetInteger(0, 255));
            }
            if (frame.size() > 44 && frame[20] == 8 && frame[21] == 0)
            {
                WriteNetwork16(&frame[32], 0);
                WriteNetwork16(&frame[32],
                               static_cast<uint16_t>(~ChecksumFold(ChecksumAdd(&frame[22], 20))));
            }
            frame.resize(random->GetInteger(0, static_cast<uint32_t>(frame.size()) * 2));
            settings.injected.push_back({i * 1000, frame});
        }
        VlanLink damaged(settings);
        damaged.Run();
        NS_TEST_EXPECT_MSG_EQ((damaged.GetWire().size() > 1000), true, "still alive");
    }
};

/**
 * @ingroup linux-host-tests
 * The rules for creating a device, its MTU, address and state.
 */
class VlanDeviceRulesTestCase : public TestCase
{
  public:
    VlanDeviceRulesTestCase()
        : TestCase("Creation, MTU, address, filter, up and down")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<Node> nodes[2] = {CreateObject<Node>(), CreateObject<Node>()};
        Ptr<VethLinkDevice> veth = CreateObject<VethLinkDevice>();
        Ptr<VethLinkDevice> peer = CreateObject<VethLinkDevice>();
        const Mac48Address macs[] = {Mac48Address("02:00:00:00:00:01"),
                                     Mac48Address("02:00:00:00:00:02"),
                                     Mac48Address("02:00:00:00:00:03")};
        veth->SetAddress(macs[0]);
        nodes[0]->AddDevice(veth);
        nodes[1]->AddDevice(peer);

        VlanHelper helper;
        Ptr<VlanNetDevice> vlan = helper.Install(veth, 4094);
        NS_TEST_ASSERT_MSG_NE(vlan, nullptr, "the largest id");
        NS_TEST_EXPECT_MSG_EQ(helper.Install(veth, 4095), nullptr, "the id that is none");
        NS_TEST_EXPECT_MSG_EQ(helper.GetError().substr(0, 6), "ERANGE", "its errno");
        NS_TEST_EXPECT_MSG_EQ(helper.Install(veth, 4094), nullptr, "a second device of an id");
        NS_TEST_EXPECT_MSG_EQ(helper.GetError().substr(0, 6), "EEXIST", "its errno");
        helper.SetDeviceAttribute("Protocol", UintegerValue(0x9100));
        NS_TEST_EXPECT_MSG_EQ(helper.Install(veth, 1), nullptr, "a protocol that is none");
        NS_TEST_EXPECT_MSG_EQ(helper.GetError().substr(0, 15), "EPROTONOSUPPORT", "its errno");
        helper.SetDeviceAttribute("Protocol", UintegerValue(0x88a8));
        NS_TEST_EXPECT_MSG_NE(helper.Install(veth, 4094),
                              nullptr,
                              "the same id of another protocol");
        helper = VlanHelper();
        helper.SetDeviceAttribute("LooseBinding", BooleanValue(true));
        Ptr<VlanNetDevice> loose = helper.Install(veth, 2);

        Ptr<PointToPointNetDevice> wire = CreateObject<PointToPointNetDevice>();
        nodes[1]->AddDevice(wire);
        NS_TEST_EXPECT_MSG_EQ(VlanHelper().Install(wire, 1), nullptr, "no Ethernet");

        // State follows the lower device, unless the binding is loose.
        NS_TEST_EXPECT_MSG_EQ(vlan->IsUp(), false, "the lower device is down");
        NS_TEST_EXPECT_MSG_EQ(vlan->SetUp(true), "ENETDOWN", "so this one cannot be up");
        NS_TEST_EXPECT_MSG_EQ(loose->SetUp(true), "", "but a loose one can");
        NS_TEST_EXPECT_MSG_EQ(loose->IsLinkUp(), false, "though without a link");
        int changes = 0;
        vlan->AddLinkChangeCallback(Callback<void>([&changes]() { changes++; }));
        VethLinkDevice::Join(veth, peer);
        NS_TEST_EXPECT_MSG_EQ(vlan->IsUp(), true, "up with the lower device");
        NS_TEST_EXPECT_MSG_EQ(changes, 1, "and told so");
        veth->SetUp(false);
        NS_TEST_EXPECT_MSG_EQ(vlan->IsUp(), false, "down with the lower device");
        NS_TEST_EXPECT_MSG_EQ(loose->IsUp(), true, "a loose one stays");
        NS_TEST_EXPECT_MSG_EQ(changes, 2, "and told so");
        veth->SetUp(true);

        // MTU.
        NS_TEST_EXPECT_MSG_EQ(vlan->GetMtu(), 1500, "the tag comes on top");
        NS_TEST_EXPECT_MSG_EQ(vlan->SetMtu(1501), false, "ERANGE");
        NS_TEST_EXPECT_MSG_EQ(vlan->SetMtu(1400), true, "smaller is fine");
        veth->SetMtu(1000);
        NS_TEST_EXPECT_MSG_EQ(vlan->GetMtu(), 1000, "lowered with the lower device");
        veth->SetMtu(1500);
        NS_TEST_EXPECT_MSG_EQ(vlan->GetMtu(), 1000, "but not raised with it");

        // Address and filter.
        NS_TEST_EXPECT_MSG_EQ(vlan->GetAddress(), Address(macs[0]), "inherited");
        veth->SetAddress(macs[1]);
        NS_TEST_EXPECT_MSG_EQ(vlan->GetAddress(), Address(macs[1]), "and still so");
        Ptr<VlanNetDevice> inner = VlanHelper().Install(vlan, 7);
        inner->SetAddress(macs[2]);
        Ptr<DeviceAddressFilter> filter = veth->GetObject<DeviceAddressFilter>();
        NS_TEST_ASSERT_MSG_NE(filter, nullptr, "the lower device has been told");
        NS_TEST_EXPECT_MSG_EQ(filter->GetUsers(macs[2]), 1, "of the other address, two devices up");
        const Mac48Address group("01:00:5e:00:00:05");
        inner->GetAddressFilter()->Add(group);
        inner->GetAddressFilter()->ChangePromiscuity(1);
        NS_TEST_EXPECT_MSG_EQ(filter->Accepts(group, macs[1]), true, "multicast");
        NS_TEST_EXPECT_MSG_EQ(filter->GetPromiscuity(), 1, "promiscuity");
        inner->SetUp(false);
        NS_TEST_EXPECT_MSG_EQ(filter->GetPromiscuity(), 0, "not while down");
        NS_TEST_EXPECT_MSG_EQ(filter->Accepts(group, macs[1]), false, "nor multicast");
        inner->SetUp(true);
        inner->SetAddress(macs[1]);
        NS_TEST_EXPECT_MSG_EQ(filter->GetUsers(macs[2]), 0, "the address is no other any more");
        NS_TEST_EXPECT_MSG_EQ(filter->GetPromiscuity(), 1, "up again");

        // Priority maps.
        NS_TEST_EXPECT_MSG_EQ(vlan->SetEgressPriority(3, 8), false, "no such code point");
        NS_TEST_EXPECT_MSG_EQ(vlan->SetEgressPriority(3, 7), true, "code point 7");
        NS_TEST_EXPECT_MSG_EQ(+vlan->GetEgressPriority(3), 7, "mapped");
        NS_TEST_EXPECT_MSG_EQ(+vlan->GetEgressPriority(4), 0, "not mapped");
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tests
 * VLAN devices under ns-3's own stack, on its Csma devices.
 */
class VlanCsmaTestCase : public TestCase
{
  public:
    VlanCsmaTestCase()
        : TestCase("ns-3's stack over a VLAN, and over a VLAN in a VLAN, on Csma")
    {
    }

  private:
    /**
     * @param socket the receiver
     */
    void Receive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_received += packet->GetSize();
        }
    }

    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(2);
        CsmaHelper csma;
        NetDeviceContainer lower = csma.Install(nodes);
        VlanHelper helper;
        NetDeviceContainer outer = helper.Install(lower, 10);
        NetDeviceContainer inner = helper.Install(outer, 20);
        InternetStackHelper().Install(nodes);
        const char* networks[] = {"10.0.0.0", "10.0.10.0", "10.0.20.0"};
        const NetDeviceContainer* levels[] = {&lower, &outer, &inner};
        for (int i = 0; i < 3; i++)
        {
            Ipv4AddressHelper(networks[i], "255.255.255.0").Assign(*levels[i]);
        }
        Ptr<Socket> sink =
            Socket::CreateSocket(nodes.Get(1), TypeId::LookupByName("ns3::UdpSocketFactory"));
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        sink->SetRecvCallback(MakeCallback(&VlanCsmaTestCase::Receive, this));
        Ptr<Socket> source =
            Socket::CreateSocket(nodes.Get(0), TypeId::LookupByName("ns3::UdpSocketFactory"));
        for (const char* address : {"10.0.0.2", "10.0.10.2", "10.0.20.2"})
        {
            source->SendTo(Create<Packet>(1000), 0, InetSocketAddress(Ipv4Address(address), 9));
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, 3000, "one datagram on each level");
        const LinkCounters& counters = DynamicCast<VlanNetDevice>(inner.Get(1))->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.rxPackets, 2, "an ARP packet and the datagram");
        Simulator::Destroy();
    }

    uint32_t m_received{0}; //!< bytes
};

/**
 * @ingroup linux-host-tests
 * Which offloads a frame keeps on its way through VLAN devices.
 */
class VlanFeaturesTestCase : public TestCase
{
  public:
    VlanFeaturesTestCase()
        : TestCase("Offloads through VLAN devices, before and after the patch")
    {
    }

  private:
    /// What a NIC without tag insertion offers.
    static constexpr OffloadFlags TRANSMIT =
        OFFLOAD_SG | OFFLOAD_HW_CSUM | OFFLOAD_TSO | OFFLOAD_TSO6 | OFFLOAD_TSO_ECN;

    /**
     * Send a frame of ten segments through one VLAN device or two.
     * @param era whose kernel
     * @param inserts whether the NIC inserts tags
     * @param reorder REORDER_HDR
     * @param depth number of VLAN devices
     * @param from where vlan_features come from
     * @param[out] topSegments segments made on the uppermost VLAN device
     * @returns whether that device offers segmentation to those above
     */
    bool Run(OffloadEra era,
             bool inserts,
             bool reorder,
             int depth,
             VlanNetDevice::VlanFeatures from,
             uint32_t* topSegments)
    {
        Ptr<Node> nodes[2] = {CreateObject<Node>(), CreateObject<Node>()};
        Ptr<VethLinkDevice> nic = CreateObject<VethLinkDevice>();
        Ptr<VethLinkDevice> peer = CreateObject<VethLinkDevice>();
        nodes[0]->AddDevice(nic);
        nodes[1]->AddDevice(peer);
        VethLinkDevice::Join(nic, peer);
        OffloadFlags features = TRANSMIT | OFFLOAD_HIGHDMA;
        features |= inserts ? OFFLOAD_HW_VLAN_TX : 0;
        nic->GetOffloadFeatures()->SetEra(era);
        nic->GetOffloadFeatures()->Register(features, features, TRANSMIT);

        Ptr<NetDevice> below = nic;
        Ptr<VlanNetDevice> top;
        for (int i = 0; i < depth; i++)
        {
            top = CreateObject<VlanNetDevice>();
            top->SetVid(static_cast<uint16_t>(100 + i));
            top->SetReorderHeader(reorder);
            top->SetVlanFeatures(from);
            top->Attach(below);
            below = top;
        }

        Bytes data = FromHex("02000000000b 02000000000a 0800 4500 0000 0001 4000 4006 0000 "
                             "c6336401 c6336402 1388 0009 000003e8 0000004d 5010 0fa0 0000 0000");
        data.resize(data.size() + 10000);
        WriteNetwork16(&data[16], static_cast<uint16_t>(data.size() - 14));
        SkBuff skb(data);
        skb.headLength = 54;
        skb.ipSummed = ChecksumState::PARTIAL;
        skb.csumStart = 34;
        skb.csumOffset = 16;
        skb.gsoType = GSO_TYPE_TCPV4;
        skb.gsoSize = 1000;
        skb.gsoSegs = 10;
        top->MakeHeader(&skb, 0);
        NS_TEST_EXPECT_MSG_EQ(top->TransmitSkb(skb, 0), true, "sent");
        NS_TEST_EXPECT_MSG_EQ(nic->GetCounters().txPackets, 10, "ten frames on the wire");
        NS_TEST_EXPECT_MSG_EQ(nic->GetCounters().txBytes,
                              10U * (1054 + 4 * depth),
                              "each with its tags");
        *topSegments = top->GetTransmitWork().segments;
        const bool offers = top->GetOffloadFeatures()->GetFeatures() & OFFLOAD_TSO;
        Simulator::Run();
        Simulator::Destroy();
        return offers;
    }

    void DoRun() override
    {
        const auto blank = VlanNetDevice::VlanFeatures::ERA;
        const auto patched = VlanNetDevice::VlanFeatures::OWN;
        uint32_t segments = 0;

        // One VLAN with the defaults keeps its offloads.
        bool offers = Run(OffloadEra::LINUX_3_7, false, true, 1, blank, &segments);
        NS_TEST_EXPECT_MSG_EQ(offers, true, "one VLAN offers segmentation");
        NS_TEST_EXPECT_MSG_EQ(segments, 0, "and leaves it to the NIC");
        // With the tag in the frame from the start it loses them all, unless patched.
        Run(OffloadEra::LINUX_3_7, false, false, 1, blank, &segments);
        NS_TEST_EXPECT_MSG_EQ(segments, 10, "REORDER_HDR off, NIC without tag insertion");
        Run(OffloadEra::LINUX_3_7, false, false, 1, patched, &segments);
        NS_TEST_EXPECT_MSG_EQ(segments, 0, "the same with the patch");
        Run(OffloadEra::LINUX_3_7, true, false, 1, blank, &segments);
        NS_TEST_EXPECT_MSG_EQ(segments, 0, "REORDER_HDR off, NIC with tag insertion");
        // A VLAN in a VLAN has nothing to lose.
        offers = Run(OffloadEra::LINUX_3_7, false, true, 2, blank, &segments);
        NS_TEST_EXPECT_MSG_EQ(offers, false, "a VLAN in a VLAN offers nothing");
        NS_TEST_EXPECT_MSG_EQ(segments, 10, "so a frame that comes all the same is segmented");
        offers = Run(OffloadEra::LINUX_3_7, false, true, 2, patched, &segments);
        NS_TEST_EXPECT_MSG_EQ(offers, true, "with the patch it offers segmentation");
        NS_TEST_EXPECT_MSG_EQ(segments, 0, "and leaves it to those below");
        // From 4.1 on the lower device's features hold inside.
        offers = Run(OffloadEra::LINUX_4_14, false, true, 2, blank, &segments);
        NS_TEST_EXPECT_MSG_EQ(offers, true, "a VLAN in a VLAN since 4.1");
        NS_TEST_EXPECT_MSG_EQ(segments, 0, "leaves it to those below");

        // What is switched off below goes off above, through both devices, and comes back.
        Ptr<Node> node = CreateObject<Node>();
        Ptr<VethLinkDevice> nic = CreateObject<VethLinkDevice>();
        node->AddDevice(nic);
        nic->GetOffloadFeatures()->Register(TRANSMIT, TRANSMIT, TRANSMIT);
        Ptr<VlanNetDevice> outer = CreateObject<VlanNetDevice>();
        outer->SetVlanFeatures(VlanNetDevice::VlanFeatures::OWN);
        outer->Attach(nic);
        Ptr<VlanNetDevice> inner = VlanHelper().Install(outer, 2);
        Ptr<OffloadFeatures> top = inner->GetOffloadFeatures();
        NS_TEST_EXPECT_MSG_EQ((top->GetFeatures() & TRANSMIT), TRANSMIT, "all of it");
        nic->GetOffloadFeatures()->SwitchByName("sg", false);
        NS_TEST_EXPECT_MSG_EQ(OffloadFlagsToString(top->GetFeatures() & TRANSMIT),
                              "tx-checksum-ip-generic",
                              "segmentation went with scatter-gather");
        NS_TEST_EXPECT_MSG_EQ(top->SwitchByName("tx-tcp-segmentation", true).Explain(),
                              "tx-tcp-segmentation: it is off on the lower device",
                              "and the rule is named");
        nic->GetOffloadFeatures()->SwitchByName("sg", true);
        NS_TEST_EXPECT_MSG_EQ((top->GetFeatures() & TRANSMIT), TRANSMIT, "all of it again");
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tests
 * The VLAN-aware bridge.
 */
class VlanBridgeTestCase : public TestCase
{
  public:
    VlanBridgeTestCase()
        : TestCase("A VLAN-aware bridge: access, trunk, PVID, filtering, learning by VLAN")
    {
    }

  private:
    /**
     * @param port which port's far end saw it
     * @param frame the frame
     */
    void Seen(uint32_t port, Ptr<const Packet> frame)
    {
        m_seen[port].push_back(PacketToBytes(frame));
    }

    /**
     * Send a frame into a port and note where it comes out.
     * @param port the port
     * @param from last byte of the source address
     * @param to last byte of the destination address; 255: broadcast
     * @param tag tag in hexadecimal, or nothing
     * @param expected the ports where it should come out, each with the tag it should have
     */
    void Check(uint32_t port,
               uint8_t from,
               uint8_t to,
               const std::string& tag,
               const std::map<uint32_t, std::string>& expected)
    {
        const auto frame = [&](const std::string& with) {
            Bytes bytes = to == 255 ? Bytes(6, 0xff) : Bytes{2, 0, 0, 0, 0, to};
            for (const uint8_t byte : {2, 0, 0, 0, 0})
            {
                bytes.push_back(byte);
            }
            bytes.push_back(from);
            const Bytes rest = FromHex(with + "88b5 01020304");
            bytes.insert(bytes.end(), rest.begin(), rest.end());
            return bytes;
        };
        for (auto& seen : m_seen)
        {
            seen.clear();
        }
        m_hosts[port]->SendFrame(frame(tag));
        m_seen[port].clear();
        Simulator::Run();
        for (uint32_t other = 0; other < 4; other++)
        {
            const auto found = expected.find(other);
            NS_TEST_EXPECT_MSG_EQ(m_seen[other].size(),
                                  (found == expected.end() ? 0 : 1),
                                  "frames from port " << port << " out of port " << other);
            if (found != expected.end() && m_seen[other].size() == 1)
            {
                NS_TEST_EXPECT_MSG_EQ(ToHex(m_seen[other][0]),
                                      ToHex(frame(found->second)),
                                      "frame from port " << port << " out of port " << other);
            }
        }
    }

    void DoRun() override
    {
        Ptr<Node> node = CreateObject<Node>();
        NetDeviceContainer ports;
        for (uint32_t i = 0; i < 4; i++)
        {
            Ptr<VethLinkDevice> port = CreateObject<VethLinkDevice>();
            port->SetAddress(Mac48Address::Allocate());
            node->AddDevice(port);
            ports.Add(port);
            m_hosts[i] = CreateObject<VethLinkDevice>();
            CreateObject<Node>()->AddDevice(m_hosts[i]);
            VethLinkDevice::Join(port, m_hosts[i]);
            m_hosts[i]->TraceConnectWithoutContext(
                "Sniffer",
                Callback<void, Ptr<const Packet>>(
                    [this, i](Ptr<const Packet> frame) { Seen(i, frame); }));
        }
        Ptr<VlanBridgeNetDevice> bridge = VlanBridgeHelper().Install(node, ports);
        NS_TEST_ASSERT_MSG_EQ(bridge->GetNPorts(), 4, "ports");

        // As it comes, all ports are in VLAN 1, untagged.
        Check(0, 1, 255, "", {{1, ""}, {2, ""}, {3, ""}});

        // Ports 0 and 1 in VLAN 10 and 20; 2 a trunk of both; 3 a trunk with native VLAN 10.
        bridge->SetAccess(0, 10);
        bridge->SetAccess(1, 20);
        bridge->SetTrunk(2, {10, 20});
        bridge->SetTrunk(3, {20}, 10);
        Check(0, 1, 255, "", {{2, "8100 000a"}, {3, ""}});
        Check(1, 2, 255, "", {{2, "8100 0014"}, {3, "8100 0014"}});
        // Priority and DEI go with the frame.
        Check(2, 3, 255, "8100 f00a", {{0, ""}, {3, ""}});
        Check(0, 1, 255, "8100 e000", {{2, "8100 e00a"}, {3, ""}});
        // No VLAN, no way in.
        Check(2, 3, 255, "", {});
        Check(2, 3, 255, "8100 001e", {});
        Check(0, 1, 255, "8100 0014", {});
        NS_TEST_EXPECT_MSG_EQ(bridge->GetFiltered(), 3, "filtered on entering");
        // Learned in one VLAN, not known in the other.
        Check(3, 9, 1, "", {{0, ""}});
        Check(2, 4, 9, "8100 000a", {{3, ""}});
        Check(2, 4, 9, "8100 0014", {{1, ""}, {3, "8100 0014"}});
        // The same address in two VLANs is two stations.
        Check(1, 1, 255, "", {{2, "8100 0014"}, {3, "8100 0014"}});
        Check(2, 5, 1, "8100 000a", {{0, ""}});
        Check(2, 5, 1, "8100 0014", {{1, ""}});
        // A tag of another kind is no tag here; too short a tag is no frame.
        Check(0, 1, 255, "88a8 0014", {{2, "8100 000a 88a8 0014"}, {3, "88a8 0014"}});
        m_hosts[0]->SendFrame(FromHex("ffffffffffff 020000000001 8100 00"));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bridge->GetMalformed(), 1, "too short a tag");
        // Gone from a VLAN, what was learned there is forgotten.
        bridge->RemoveVlan(0, 10);
        NS_TEST_EXPECT_MSG_EQ(bridge->Lookup(10, Mac48Address("02:00:00:00:00:01")),
                              +VlanBridgeNetDevice::SELF,
                              "forgotten");
        NS_TEST_EXPECT_MSG_EQ(bridge->SetAccess(0, 4095), false, "no such VLAN");
        NS_TEST_EXPECT_MSG_EQ(bridge->SetAccess(9, 1), false, "no such port");
        // Without filtering, tags do not matter.
        bridge->SetAttribute("Filtering", BooleanValue(false));
        Check(2, 6, 255, "8100 001e", {{0, "8100 001e"}, {1, "8100 001e"}, {3, "8100 001e"}});
        Check(1, 7, 6, "", {{2, ""}});
        for (auto& host : m_hosts)
        {
            host = nullptr;
        }
        Simulator::Destroy();
    }

    Ptr<VethLinkDevice> m_hosts[4]; //!< far ends of the ports
    std::vector<Bytes> m_seen[4];   //!< what they saw
};

/**
 * @ingroup linux-host-tests
 * Tests of VLAN devices and the VLAN-aware bridge.
 */
class VlanTestSuite : public TestSuite
{
  public:
    VlanTestSuite()
        : TestSuite("linux-host-vlan", TEST_SUITE_UNIT)
    {
        VlanLink::Settings basic;
        basic.datagrams = {{172, 0}, {0, 0}, {1472, 0}};
        basic.echoRequests = 1;
        AddTestCase(new VlanCaptureTestCase("vlan-basic.pcap", basic), TEST_QUICK);
        VlanLink::Settings pcp;
        pcp.permanentNeighbor = true;
        pcp.egress = {{0, 1}, {1, 0}};
        for (uint8_t priority = 0; priority < 8; priority++)
        {
            if (priority > 1)
            {
                pcp.egress[priority] = priority;
            }
            pcp.datagrams.push_back({16, priority});
        }
        AddTestCase(new VlanCaptureTestCase("vlan-pcp.pcap", pcp), TEST_QUICK);

        // Two tags on a pair that has room for one: what does not fit is counted all the way up,
        // and the fragments behind it stay unsent.
        VlanLink::Settings qinq;
        qinq.protocol = 0x88a8;
        qinq.innerId = 200;
        qinq.interval = MilliSeconds(300);
        for (const uint32_t payload : {172, 0, 1464, 1468, 1469, 1472, 1473, 3000})
        {
            qinq.datagrams.push_back({payload, 0});
        }
        qinq.echoRequests = 1;
        AddTestCase(new VlanCaptureTestCase("vlan-qinq-ad.pcap", qinq), TEST_QUICK);
        VlanLink::Settings priorities;
        priorities.protocol = 0x88a8;
        priorities.innerId = 200;
        priorities.permanentNeighbor = true;
        priorities.egress = {{1, 1}, {2, 2}, {5, 5}};
        priorities.ingress = {{1, 6}, {2, 3}, {5, 1}};
        priorities.datagrams = {{16, 0}, {16, 1}, {16, 2}, {16, 5}};
        AddTestCase(new VlanCaptureTestCase("vlan-qinq-priorities.pcap", priorities), TEST_QUICK);
        VlanLink::Settings ingress;
        ingress.permanentNeighbor = true;
        ingress.ingress = {{0, 3}, {1, 0}, {2, 7}, {3, 100}, {4, 4}, {5, 65536}, {6, 0}, {7, 1}};
        for (uint8_t priority = 0; priority < 8; priority++)
        {
            ingress.egress[priority] = priority;
            ingress.datagrams.push_back({16, priority});
        }
        AddTestCase(new VlanCaptureTestCase("vlan-ingress.pcap", ingress), TEST_QUICK);

        VlanLink::Settings plain;
        for (const char* name :
             {"priority-tags", "unknown", "arp", "fragments", "options", "fragments-options"})
        {
            AddTestCase(new VlanCaptureTestCase(std::string("vlan-in-") + name + ".pcap", plain),
                        TEST_QUICK);
        }
        plain.reorderHeader = false;
        AddTestCase(new VlanCaptureTestCase("vlan-in-reorder-off.pcap",
                                            plain,
                                            "vlan-in-reorder-off-inside.pcap"),
                    TEST_QUICK);
        plain.protocol = 0x88a8;
        plain.innerId = 200;
        AddTestCase(new VlanCaptureTestCase("vlan-in-qinq-reorder-off.pcap", plain), TEST_QUICK);
        plain.reorderHeader = true;
        AddTestCase(new VlanCaptureTestCase("vlan-in-qinq.pcap", plain), TEST_QUICK);
        AddTestCase(new VlanLinkTestCase, TEST_QUICK);
        AddTestCase(new VlanDeviceRulesTestCase, TEST_QUICK);
        AddTestCase(new VlanCsmaTestCase, TEST_QUICK);
        AddTestCase(new VlanFeaturesTestCase, TEST_QUICK);
        AddTestCase(new VlanBridgeTestCase, TEST_QUICK);
    }
};

static VlanTestSuite g_vlanTestSuite; //!< the suite
