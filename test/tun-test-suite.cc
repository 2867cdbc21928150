/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/bridge-helper.h"
#include "ns3/csma-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/linux-host-compat.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"
#include "ns3/sit-helper.h"
#include "ns3/sk-buff.h"
#include "ns3/test.h"
#include "ns3/tun-driver.h"
#include "ns3/tun-flow.h"
#include "ns3/tun-helper.h"
#include "ns3/tun-replay.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/vlan-helper.h"

#include <algorithm>
#include <fstream>

using namespace ns3;
using namespace ns3::linuxhost;

/**
 * @defgroup linux-host-tun-tests Tests of the tun device
 * @ingroup linux-host
 * @ingroup tests
 */

namespace
{

/**
 * @param text bytes in hexadecimal; blanks do not count
 * @returns the bytes
 */
std::vector<uint8_t>
FromHex(std::string text)
{
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    std::vector<uint8_t> bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    {
        bytes.push_back(std::stoul(text.substr(i, 2), nullptr, 16));
    }
    return bytes;
}

/**
 * @param source last byte of the source address in 10.0.0.0/24
 * @param destination last byte of the destination address
 * @param sourcePort the source port
 * @param destinationPort the destination port
 * @param size size of the payload
 * @returns an IPv4 packet with a UDP datagram, checksums complete
 */
std::vector<uint8_t>
UdpPacket(uint8_t source,
          uint8_t destination,
          uint16_t sourcePort,
          uint16_t destinationPort,
          uint16_t size)
{
    const uint8_t header[] = {0x45, 0, 0,  0, 0, 1,      0,  0, 64, 17,
                              0,    0, 10, 0, 0, source, 10, 0, 0,  destination};
    std::vector<uint8_t> bytes(28 + size, 0x5a);
    std::copy(std::begin(header), std::end(header), bytes.begin());
    WriteNetwork16(&bytes[2], bytes.size());
    WriteNetwork16(&bytes[10], ~ChecksumFold(ChecksumAdd(bytes.data(), 20)));
    WriteNetwork16(&bytes[20], sourcePort);
    WriteNetwork16(&bytes[22], destinationPort);
    WriteNetwork16(&bytes[24], 8 + size);
    WriteNetwork16(&bytes[26], 0);
    const uint64_t pseudo = PseudoHeaderSum(bytes.data(), false, 17, 8 + size);
    WriteNetwork16(&bytes[26], ~ChecksumFold(ChecksumAdd(&bytes[20], 8 + size, pseudo)));
    return bytes;
}

/**
 * @param bytes an IPv4 packet with TCP or UDP
 * @returns whether its checksums are right
 */
bool
ChecksumsAreRight(const std::vector<uint8_t>& bytes)
{
    const uint32_t length = bytes.size() - 20;
    const uint64_t pseudo = PseudoHeaderSum(bytes.data(), false, bytes[9], length);
    return ChecksumFold(ChecksumAdd(bytes.data(), 20)) == 0xffff &&
           ChecksumFold(ChecksumAdd(&bytes[20], length, pseudo)) == 0xffff;
}

/**
 * @param first what comes first
 * @param second what comes behind
 * @returns both in a row
 */
std::vector<uint8_t>
Join(const std::vector<uint8_t>& first, const std::vector<uint8_t>& second)
{
    std::vector<uint8_t> both(first.size() + second.size());
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), both.begin()));
    return both;
}

} // namespace

/**
 * @ingroup linux-host-tun-tests
 * Recordings of Linux, step by step and read by read.
 */
class TunReplayTestCase : public TestCase
{
  public:
    /**
     * @param file a recording in test/data/tun
     * @param total how many steps or reads it has
     * @param reads whether it is one of reads
     */
    TunReplayTestCase(const std::string& file, uint32_t total, bool reads)
        : TestCase("Replay of " + file),
          m_path(std::string(LINUX_HOST_TEST_DATA) + "/tun/" + file),
          m_total(total),
          m_reads(reads)
    {
    }

  private:
    void DoRun() override
    {
        const TunReplayReport report = m_reads ? ReplayTunReads(m_path) : ReplayTunAnswers(m_path);
        NS_TEST_ASSERT_MSG_EQ(report.error, "", "The recording should be read");
        for (const auto& difference : report.differences)
        {
            NS_TEST_EXPECT_MSG_EQ(true, false, difference);
        }
        NS_TEST_EXPECT_MSG_EQ(report.right, m_total, "As many as Linux should be right");
        NS_TEST_EXPECT_MSG_EQ(report.total, m_total, "As many as were recorded should be played");
    }

    std::string m_path; //!< the recording
    uint32_t m_total;   //!< steps or reads in it
    bool m_reads;       //!< of reads
};

/**
 * @ingroup linux-host-tun-tests
 * Linux, with nobody reading and a queue length of 500: of 600 packets 500 can be read, and 100
 * are counted as dropped on transmit.
 */
class TunOverflowTestCase : public TestCase
{
  public:
    TunOverflowTestCase()
        : TestCase("Tail drop without back-pressure")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<Node> node = CreateObject<Node>();
        Ptr<TunNetDevice> device = DynamicCast<TunNetDevice>(TunHelper().Install(node).Get(0));
        Ptr<TunFile> file = TunHelper::GetFile(device);
        NS_TEST_EXPECT_MSG_EQ(device->GetTxQueueLen(), 500, "Queue length that Linux begins with");
        for (uint32_t i = 0; i < 600; ++i)
        {
            device->Send(BytesToPacket(UdpPacket(1, 2, 5000, 9, i)),
                         device->GetBroadcast(),
                         0x0800);
        }
        NS_TEST_EXPECT_MSG_EQ(device->GetStatistics().txDropped, 100, "Dropped");
        NS_TEST_EXPECT_MSG_EQ(device->GetStatistics().txPackets, 0, "Nothing was read yet");
        uint32_t read = 0;
        TunReadResult result = file->Read(2048);
        for (; result.result > 0; result = file->Read(2048), ++read)
        {
            NS_TEST_EXPECT_MSG_EQ(result.result, 28 + read, "The oldest are kept, in order");
        }
        NS_TEST_EXPECT_MSG_EQ(result.result, -LINUX_EAGAIN, "Then there is nothing");
        NS_TEST_EXPECT_MSG_EQ(read, 500, "Readable");
        NS_TEST_EXPECT_MSG_EQ(device->GetStatistics().txPackets, 500, "Counted when they are read");
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tun-tests
 * A program behind a TUN device that sends every datagram back, and ns-3's own UDP sockets before
 * it; checksums complete, or left to the program.
 */
class TunStackTestCase : public TestCase
{
  public:
    /**
     * @param ipv6 whether IPv6 is used
     * @param offload whether the program takes partial checksums
     */
    TunStackTestCase(bool ipv6, bool offload)
        : TestCase(std::string("UDP sockets over TUN, ") + (ipv6 ? "IPv6" : "IPv4") +
                   (offload ? ", partial checksums" : "")),
          m_ipv6(ipv6),
          m_offload(offload)
    {
    }

  private:
    /**
     * The program: swaps addresses and ports, which changes no checksum, and writes it back.
     * @param file its file
     */
    void Echo(Ptr<TunFile> file)
    {
        for (TunReadResult read = file->Read(2048); read.result > 0; read = file->Read(2048))
        {
            auto& data = read.data;
            const uint32_t header = m_offload ? 10 : 0;
            const uint32_t transport = header + (m_ipv6 ? 40 : 20);
            if (data[header + (m_ipv6 ? 6 : 9)] != 17)
            {
                continue; // neighbor discovery of ns-3
            }
            ++m_echoed;
            if (m_offload)
            {
                const TunVnetHeader vnet = TunVnetHeader::Parse(data.data(), false, false);
                NS_TEST_EXPECT_MSG_EQ(+vnet.flags, 1, "The checksum should be partial");
                NS_TEST_EXPECT_MSG_EQ(vnet.csumStart, (m_ipv6 ? 40 : 20), "It begins at UDP");
                NS_TEST_EXPECT_MSG_EQ(vnet.csumOffset, 6, "It goes to UDP's field");
            }
            else if (!m_ipv6)
            {
                NS_TEST_EXPECT_MSG_EQ(ChecksumsAreRight(data), true, "Checksums are complete");
            }
            const uint32_t size = m_ipv6 ? 16 : 4;
            auto source = data.begin() + header + (m_ipv6 ? 8 : 12);
            std::swap_ranges(source, source + size, source + size);
            std::swap_ranges(data.begin() + transport,
                             data.begin() + transport + 2,
                             data.begin() + transport + 2);
            NS_TEST_EXPECT_MSG_EQ(file->Write(data), read.result, "All should be written");
        }
    }

    /**
     * A datagram has come back.
     * @param socket where
     */
    void Receive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_received += packet->GetSize();
        }
    }

    /**
     * @param socket from where to send
     * @param to where to
     */
    void SendTo(Ptr<Socket> socket, Address to)
    {
        socket->SendTo(Create<Packet>(100), 0, to);
    }

    void DoRun() override
    {
        Ptr<Node> node = CreateObject<Node>();
        InternetStackHelper stack;
        stack.Install(node);
        TunHelper helper;
        helper.SetVnetHeaderSize(m_offload ? 10 : 0);
        if (m_offload)
        {
            helper.SetOffloads(TUN_OFFLOAD_CSUM);
        }
        NetDeviceContainer devices = helper.Install(node);
        Ptr<TunFile> file = TunHelper::GetFile(devices.Get(0));
        file->SetReadableCallback(MakeCallback(&TunStackTestCase::Echo, this));
        Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        Address to;
        if (m_ipv6)
        {
            Ipv6AddressHelper addresses("fd00:7::", Ipv6Prefix(64));
            addresses.Assign(devices);
            socket->Bind6();
            to = Inet6SocketAddress("fd00:7::99", 7);
        }
        else
        {
            Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
            addresses.Assign(devices);
            Ipv4GlobalRoutingHelper::PopulateRoutingTables();
            socket->Bind();
            to = InetSocketAddress("10.0.0.99", 7);
        }
        socket->SetRecvCallback(MakeCallback(&TunStackTestCase::Receive, this));
        Simulator::ScheduleWithContext(node->GetId(),
                                       Seconds(2),
                                       &TunStackTestCase::SendTo,
                                       this,
                                       socket,
                                       to);
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_echoed, 1, "The program should see the datagram");
        NS_TEST_EXPECT_MSG_EQ(m_received, 100, "And the socket the answer");
        Simulator::Destroy();
    }

    bool m_ipv6;            //!< IPv6
    bool m_offload;         //!< partial checksums
    uint32_t m_echoed{0};   //!< datagrams that the program saw
    uint32_t m_received{0}; //!< bytes that came back
};

/**
 * @ingroup linux-host-tun-tests
 * A TAP device and a CSMA device under ns-3's bridge: a program on one side, a host on the other.
 */
class TapBridgeTestCase : public TestCase
{
  public:
    TapBridgeTestCase()
        : TestCase("TAP under ns-3's bridge")
    {
    }

  private:
    /**
     * The program: answers ARP for 10.0.0.2, and counts UDP.
     * @param file its file
     */
    void Program(Ptr<TunFile> file)
    {
        for (TunReadResult read = file->Read(2048); read.result > 0; read = file->Read(2048))
        {
            auto& data = read.data;
            const uint16_t type = ReadNetwork16(&data[12]);
            if (type == 0x0806 && data[21] == 1)
            {
                auto reply = data;
                std::copy(data.begin() + 6, data.begin() + 12, reply.begin());
                const auto mac = FromHex("02000000000b");
                std::copy(mac.begin(), mac.end(), reply.begin() + 6);
                reply[21] = 2;
                std::copy(data.begin() + 22, data.begin() + 32, reply.begin() + 32);
                std::copy(mac.begin(), mac.end(), reply.begin() + 22);
                std::copy(data.begin() + 38, data.begin() + 42, reply.begin() + 28);
                file->Write(reply);
            }
            else if (type == 0x0800 && data[23] == 17)
            {
                ++m_datagrams;
                NS_TEST_EXPECT_MSG_EQ(ChecksumsAreRight({data.begin() + 14, data.end()}),
                                      true,
                                      "ns-3's zero checksums should have been filled in");
            }
        }
    }

    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(2);
        CsmaHelper csma;
        NetDeviceContainer link = csma.Install(nodes);
        TunHelper helper;
        helper.SetTap(true);
        NetDeviceContainer taps = helper.Install(nodes.Get(1));
        BridgeHelper bridge;
        bridge.Install(nodes.Get(1), NetDeviceContainer(link.Get(1), taps.Get(0)));
        InternetStackHelper stack;
        stack.Install(nodes.Get(0));
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        addresses.Assign(NetDeviceContainer(link.Get(0)));
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        Ptr<TunFile> file = TunHelper::GetFile(taps.Get(0));
        file->SetReadableCallback(MakeCallback(&TapBridgeTestCase::Program, this));
        Ptr<Socket> socket = Socket::CreateSocket(nodes.Get(0), UdpSocketFactory::GetTypeId());
        socket->Bind();
        Simulator::ScheduleWithContext(nodes.Get(0)->GetId(), Seconds(1), [socket]() {
            socket->SendTo(Create<Packet>(50), 0, InetSocketAddress("10.0.0.2", 9));
        });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_datagrams, 1, "The datagram should reach the program");
        Simulator::Destroy();
    }

    uint32_t m_datagrams{0}; //!< datagrams that the program saw
};

/**
 * @ingroup linux-host-tun-tests
 * The pack's VLAN device and bridge on TAP devices: tags as IEEE 802.1Q has them.
 */
class TapVlanTestCase : public TestCase
{
  public:
    TapVlanTestCase()
        : TestCase("TAP under the pack's VLAN device and bridge")
    {
    }

  private:
    /**
     * A VLAN device has a packet.
     * @param packet the packet
     * @param protocol its protocol
     * @returns true
     */
    bool Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t protocol, const Address&)
    {
        m_received += packet->GetSize();
        m_protocol = protocol;
        return true;
    }

    /// A VLAN device sends and receives through a TAP device.
    void CheckVlanDevice()
    {
        Ptr<Node> node = CreateObject<Node>();
        TunHelper helper;
        helper.SetTap(true);
        NetDeviceContainer taps = helper.Install(node);
        Ptr<TunFile> file = TunHelper::GetFile(taps.Get(0));
        Ptr<VlanNetDevice> vlan = VlanHelper().Install(taps.Get(0), 42);
        NS_TEST_ASSERT_MSG_NE(vlan, nullptr, "a VLAN device fits on a TAP device");
        vlan->SetReceiveCallback(MakeCallback(&TapVlanTestCase::Receive, this));
        Simulator::ScheduleWithContext(node->GetId(), Seconds(1), [vlan]() {
            vlan->Send(Create<Packet>(50), Mac48Address("02:00:00:00:00:0b"), 0x0800);
        });
        Simulator::Schedule(Seconds(2), [this, file]() {
            TunReadResult read = file->Read(2048);
            NS_TEST_ASSERT_MSG_EQ(read.result, 68, "header, tag and packet");
            std::vector<uint8_t> tag(read.data.begin() + 12, read.data.begin() + 18);
            NS_TEST_EXPECT_MSG_EQ((tag == FromHex("8100 002a 0800")), true, "the tag of VLAN 42");
            // Back with the addresses exchanged; and once more for a VLAN that nobody has.
            std::swap_ranges(read.data.begin(), read.data.begin() + 6, read.data.begin() + 6);
            NS_TEST_EXPECT_MSG_EQ(file->Write(read.data), 68, "written");
            read.data[15] = 43;
            NS_TEST_EXPECT_MSG_EQ(file->Write(read.data), 68, "written as well");
        });
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, 50, "VLAN 42's packet comes to its device");
        NS_TEST_EXPECT_MSG_EQ(m_protocol, 0x0800, "without its tag");
        Simulator::Destroy();
    }

    /// A bridge of an access port and a trunk, both TAP devices.
    void CheckBridge()
    {
        Ptr<Node> node = CreateObject<Node>();
        TunHelper helper;
        helper.SetTap(true);
        helper.SetName("a");
        NetDeviceContainer taps = helper.Install(node);
        helper.SetName("b");
        taps.Add(helper.Install(node));
        Ptr<VlanBridgeNetDevice> bridge = VlanBridgeHelper().Install(node, taps);
        NS_TEST_ASSERT_MSG_EQ(bridge->GetNPorts(), 2, "TAP devices can be ports");
        bridge->SetAccess(0, 10);
        bridge->SetTrunk(1, {10});
        Ptr<TunFile> access = TunHelper::GetFile(taps.Get(0));
        Ptr<TunFile> trunk = TunHelper::GetFile(taps.Get(1));
        auto frame = FromHex("ffffffffffff 02000000000a 0800");
        frame.resize(64, 0x5a);
        Simulator::Schedule(Seconds(1), [this, access, frame]() {
            NS_TEST_EXPECT_MSG_EQ(access->Write(frame), 64, "written");
        });
        Simulator::Schedule(Seconds(2), [this, trunk]() {
            TunReadResult read = trunk->Read(2048);
            NS_TEST_ASSERT_MSG_EQ(read.result, 68, "one tag more");
            std::vector<uint8_t> tag(read.data.begin() + 12, read.data.begin() + 18);
            NS_TEST_EXPECT_MSG_EQ((tag == FromHex("8100 000a 0800")), true, "the tag of VLAN 10");
        });
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        Simulator::Destroy();
    }

    void DoRun() override
    {
        CheckVlanDevice();
        CheckBridge();
    }

    uint32_t m_received{0}; //!< bytes that the VLAN device received
    uint16_t m_protocol{0}; //!< protocol of the last packet
};

/**
 * @ingroup linux-host-tun-tests
 * A sit tunnel over a TUN device: the program reads IPv4 packets that hold IPv6 ones (RFC 4213),
 * and what it writes back comes out of the tunnel.
 */
class TunSitTestCase : public TestCase
{
  public:
    TunSitTestCase()
        : TestCase("sit over TUN")
    {
    }

  private:
    /**
     * The program: exchanges the addresses of both headers, and the ports.
     * @param file its file
     */
    void Echo(Ptr<TunFile> file)
    {
        for (TunReadResult read = file->Read(2048); read.result > 0; read = file->Read(2048))
        {
            auto& data = read.data;
            if (data[0] != 0x45 || data[9] != 41 || data[26] != 17)
            {
                continue; // neighbor discovery of ns-3
            }
            ++m_tunneled;
            NS_TEST_EXPECT_MSG_EQ(read.result, 20 + 40 + 8 + 100, "two headers before UDP's");
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork32(&data[12]), 0x0a000001, "from the local end");
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork32(&data[16]), 0x0a000002, "to the remote end");
            NS_TEST_EXPECT_MSG_EQ((data[20] >> 4), 6, "IPv6 is inside");
            std::swap_ranges(&data[12], &data[16], &data[16]);
            std::swap_ranges(&data[28], &data[44], &data[44]);
            std::swap_ranges(&data[60], &data[62], &data[62]);
            NS_TEST_EXPECT_MSG_EQ(file->Write(data), read.result, "written");
        }
    }

    /**
     * A datagram has come back.
     * @param socket where
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
        Ptr<Node> node = CreateObject<Node>();
        InternetStackHelper stack;
        stack.Install(node);
        TunHelper helper;
        NetDeviceContainer devices = helper.Install(node);
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        addresses.Assign(devices);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        Ptr<NetDevice> sit =
            SitHelper().Install(node, Ipv4Address("10.0.0.1"), Ipv4Address("10.0.0.2"));
        Ipv6AddressHelper inside("fd00:9::", Ipv6Prefix(64));
        inside.Assign(NetDeviceContainer(sit));
        Ptr<TunFile> file = TunHelper::GetFile(devices.Get(0));
        file->SetReadableCallback(MakeCallback(&TunSitTestCase::Echo, this));
        Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        socket->Bind6();
        socket->SetRecvCallback(MakeCallback(&TunSitTestCase::Receive, this));
        Simulator::ScheduleWithContext(node->GetId(), Seconds(3), [socket]() {
            socket->SendTo(Create<Packet>(100), 0, Inet6SocketAddress("fd00:9::99", 7));
        });
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_tunneled, 1, "the program should see the datagram, in IPv4");
        NS_TEST_EXPECT_MSG_EQ(m_received, 100, "and the socket the answer");
        Simulator::Destroy();
    }

    uint32_t m_tunneled{0}; //!< datagrams that the program saw
    uint32_t m_received{0}; //!< bytes that came back
};

/**
 * @ingroup linux-host-tun-tests
 * Queues: a flow goes to the queue that it was last written to, for three seconds.
 */
class TunFlowTestCase : public TestCase
{
  public:
    TunFlowTestCase()
        : TestCase("Automatic queue choice and steering")
    {
    }

  private:
    /**
     * Send the answer of a flow over the device.
     * @param port the flow's port
     */
    void Answer(uint16_t port)
    {
        m_device->Send(BytesToPacket(UdpPacket(2, 1, 9, port, 0)),
                       m_device->GetBroadcast(),
                       0x0800);
    }

    /**
     * Answer flows, and look where they go.
     * @param learned whether each goes where it was written
     */
    void Check(bool learned)
    {
        uint32_t elsewhere = 0;
        for (uint16_t flow = 0; flow < 64; ++flow)
        {
            Answer(1000 + flow);
            Ptr<TunFile> file = m_device->GetFile(flow % 4);
            elsewhere += file->Read(100).result > 0 ? 0 : 1;
            for (uint32_t queue = 0; queue < 4; ++queue)
            {
                m_device->GetFile(queue)->Read(100);
            }
        }
        if (learned)
        {
            NS_TEST_EXPECT_MSG_EQ(elsewhere, 0, "Flows should go where they came from");
        }
        else
        {
            // By hash alone, a quarter of 64 flows is expected to fall on its queue by chance.
            NS_TEST_EXPECT_MSG_GT(elsewhere, 32, "Flows should be forgotten");
        }
    }

    void DoRun() override
    {
        TunFlowTable table;
        uint16_t queue = 0;
        table.Update(7, 1);
        table.Update(7 + 1024, 2);
        table.Update(8, 2);
        table.ForgetQueue(2);
        NS_TEST_EXPECT_MSG_EQ(table.GetNFlows(), 1, "Those of queue 2 should have gone");
        NS_TEST_EXPECT_MSG_EQ((table.Lookup(7, &queue) && queue == 1), true, "That of queue 1");
        NS_TEST_EXPECT_MSG_EQ(table.Lookup(8, &queue), false, "One of queue 2");

        Ptr<Node> node = CreateObject<Node>();
        TunHelper helper;
        helper.SetQueues(4);
        m_device = DynamicCast<TunNetDevice>(helper.Install(node).Get(0));
        NS_TEST_ASSERT_MSG_EQ(m_device->GetNQueues(), 4, "Queues");
        for (uint16_t flow = 0; flow < 64; ++flow)
        {
            m_device->GetFile(flow % 4)->Write(UdpPacket(1, 2, 1000 + flow, 9, 0));
        }
        Simulator::Schedule(Seconds(2.9), &TunFlowTestCase::Check, this, true);
        Simulator::Schedule(Seconds(3.1), &TunFlowTestCase::Check, this, false);
        Simulator::Run();

        Ptr<TunFile> file = m_device->GetFile(0);
        file->SetSteeringProgram([](Ptr<const Packet>) { return 7; });
        Answer(1);
        NS_TEST_EXPECT_MSG_EQ(m_device->GetFile(3)->GetNPackets(), 1, "7 modulo 4 queues");
        file->SetQueue(TUN_FLAG_DETACH_QUEUE);
        NS_TEST_EXPECT_MSG_EQ(m_device->GetFile(0)->GetNPackets(), 1, "The last queue moved up");
        m_device = nullptr;
        Simulator::Destroy();
    }

    Ptr<TunNetDevice> m_device; //!< the device
};

/**
 * @ingroup linux-host-tun-tests
 * Programs that sleep in read(), and how they are woken.
 */
class TunAsyncTestCase : public TestCase
{
  public:
    TunAsyncTestCase()
        : TestCase("Reads that wait")
    {
    }

  private:
    /**
     * @param read what a read gave
     */
    void Done(TunReadResult read)
    {
        m_results.push_back(read.result);
        m_times.push_back(Simulator::Now().GetSeconds());
    }

    void DoRun() override
    {
        Ptr<Node> node = CreateObject<Node>();
        Ptr<TunNetDevice> device = DynamicCast<TunNetDevice>(TunHelper().Install(node).Get(0));
        Ptr<TunFile> file = TunHelper::GetFile(device);
        auto callback = MakeCallback(&TunAsyncTestCase::Done, this);
        file->ReadAsync(40, callback);
        file->ReadAsync(2000, callback);
        file->ReadAsync(2000, callback);
        for (uint32_t second : {1, 2})
        {
            Simulator::Schedule(Seconds(second), [device]() {
                device->Send(BytesToPacket(UdpPacket(1, 2, 1, 9, 22)),
                             device->GetBroadcast(),
                             0x0800);
            });
        }
        Ptr<TunDriver> driver = TunDriver::GetDriver(node);
        Simulator::Schedule(Seconds(3), [driver]() { driver->DeleteLink("tun0"); });
        Simulator::Schedule(Seconds(4), [file, callback]() { file->ReadAsync(10, callback); });
        Simulator::Run();
        const std::vector<int64_t> results = {40, 50, -LINUX_EFAULT, -LINUX_EBADFD};
        const std::vector<double> times = {1, 2, 3, 4};
        NS_TEST_EXPECT_MSG_EQ((m_results == results), true, "In order, one packet each");
        NS_TEST_EXPECT_MSG_EQ((m_times == times), true, "When there is something");
        NS_TEST_EXPECT_MSG_EQ(device->IsLinkUp(), false, "A deleted device is dead");
        NS_TEST_EXPECT_MSG_EQ(file->Poll(), TUN_POLLERR, "And its file has none");
        TunRequest request{"", TUN_FLAG_TUN};
        NS_TEST_EXPECT_MSG_EQ(file->SetIff(request), 0, "The file can have another");
        NS_TEST_EXPECT_MSG_EQ(request.name, "tun0", "Of the same name");
        NS_TEST_EXPECT_MSG_EQ(node->GetNDevices(), 2, "ns-3 keeps both");
        Simulator::Destroy();
    }

    std::vector<int64_t> m_results; //!< what the reads gave
    std::vector<double> m_times;    //!< and when
};

/**
 * @ingroup linux-host-tun-tests
 * A program writes one frame for segmentation; what crosses the node is cut as RFC 9293 and RFC 791
 * want it, or whole when it leaves by a device whose reader takes it so.
 */
class TunSegmentationTestCase : public TestCase
{
  public:
    TunSegmentationTestCase()
        : TestCase("Segmentation of what the program writes")
    {
    }

  private:
    /**
     * Bridge two TAP devices, write TCP to one, and read from the other.
     * @param keep whether it crosses the node whole
     * @param offloads what the reader takes
     * @param payload bytes of TCP
     * @param partial whether its checksum is partial
     * @param hdrLen length of the headers that the virtio-net header tells
     * @returns what was read, each with its virtio-net header
     */
    std::vector<std::vector<uint8_t>> Cross(bool keep,
                                            uint32_t offloads,
                                            uint32_t payload = 3000,
                                            bool partial = true,
                                            uint16_t hdrLen = 54)
    {
        Ptr<Node> node = CreateObject<Node>();
        TunHelper helper;
        helper.SetTap(true);
        helper.SetVnetHeaderSize(10);
        helper.SetDeviceAttribute("KeepSegmentation", BooleanValue(keep));
        NetDeviceContainer devices = helper.Install(node);
        helper.SetOffloads(offloads);
        devices.Add(helper.Install(node));
        BridgeHelper bridge;
        bridge.Install(node, devices);
        std::vector<uint8_t> tcp = FromHex("4500 0000 0007 4000 4006 0000 0a000001 0a000002"
                                           "1388 0009 00000064 00000001 5018 2000 0000 0000");
        tcp.resize(40 + payload, 0xa5);
        WriteNetwork16(&tcp[2], tcp.size());
        WriteNetwork16(&tcp[10], ~ChecksumFold(ChecksumAdd(tcp.data(), 20)));
        const uint64_t pseudo = PseudoHeaderSum(tcp.data(), false, 6, payload + 20);
        WriteNetwork16(&tcp[36],
                       partial ? ChecksumFold(pseudo)
                               : ~ChecksumFold(ChecksumAdd(&tcp[20], payload + 20, pseudo)));
        std::vector<uint8_t> header =
            FromHex(partial ? "01 01 0000 e803 2200 1000" : "00 01 0000 e803 0000 0000");
        header[2] = hdrLen & 0xff;
        header[3] = hdrLen >> 8;
        const auto frame = Join(header, Join(FromHex("02000000000b 02000000000a 0800"), tcp));
        Ptr<TunFile> file = TunHelper::GetFile(devices.Get(0));
        std::vector<std::vector<uint8_t>> reads;
        Simulator::ScheduleWithContext(node->GetId(), Seconds(0), [file, frame]() {
            file->Write(frame);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(file->GetDevice()->GetStatistics().rxPackets, 1, "Written");
        file = TunHelper::GetFile(devices.Get(1));
        for (TunReadResult read = file->Read(70000); read.result > 0; read = file->Read(70000))
        {
            reads.push_back(read.data);
        }
        Simulator::Destroy();
        return reads;
    }

    void DoRun() override
    {
        const auto whole = Cross(true, TUN_OFFLOAD_CSUM | TUN_OFFLOAD_TSO4);
        NS_TEST_ASSERT_MSG_EQ(whole.size(), 1, "One frame");
        NS_TEST_EXPECT_MSG_EQ(whole[0].size(), 10 + 14 + 40 + 3000, "Whole");
        const TunVnetHeader header = TunVnetHeader::Parse(whole[0].data(), false, false);
        NS_TEST_EXPECT_MSG_EQ(+header.flags, 1, "Partial checksum");
        NS_TEST_EXPECT_MSG_EQ(+header.gsoType, 1, "TCP over IPv4");
        NS_TEST_EXPECT_MSG_EQ(header.gsoSize, 1000, "Segment size");
        NS_TEST_EXPECT_MSG_EQ(header.csumStart, 34, "Start of TCP");

        // The virtio-net header and the TCP checksum that Linux 6.18 gave for each.
        const struct
        {
            uint32_t payload;
            bool partial;
            uint16_t hdrLen;
            const char* header;
            uint16_t checksum;
        } recorded[] = {
            {3000, true, 54, "0101ee0be80322001000", 0x1fd5},
            {3000, false, 0, "0101ee0be80322001000", 0x1fd5},
            {8000, true, 0, "01013600e80322001000", 0x335d},
            {8000, true, 200, "0101c800e80322001000", 0x335d},
            {8000, true, 6000, "0101800ee80322001000", 0x335d},
            {8000, false, 0, "0101800ee80322001000", 0x335d},
            {8000, false, 54, "01013600e80322001000", 0x335d},
        };

        for (const auto& wanted : recorded)
        {
            const auto reads = Cross(true,
                                     TUN_OFFLOAD_CSUM | TUN_OFFLOAD_TSO4,
                                     wanted.payload,
                                     wanted.partial,
                                     wanted.hdrLen);
            NS_TEST_ASSERT_MSG_EQ(reads.size(), 1, "One frame");
            NS_TEST_EXPECT_MSG_EQ((std::vector<uint8_t>(reads[0].begin(), reads[0].begin() + 10) ==
                                   FromHex(wanted.header)),
                                  true,
                                  "Header of " << wanted.payload << " bytes, written with "
                                               << wanted.hdrLen);
            NS_TEST_EXPECT_MSG_EQ(ReadNetwork16(&reads[0][10 + 14 + 36]),
                                  wanted.checksum,
                                  "Partial checksum");
        }

        for (const auto& pieces : {Cross(true, 0), Cross(false, 0)})
        {
            NS_TEST_ASSERT_MSG_EQ(pieces.size(), 3, "1000 bytes each");
            uint32_t sequence = 100;
            for (const auto& piece : pieces)
            {
                NS_TEST_EXPECT_MSG_EQ(piece.size(), 10 + 14 + 40 + 1000, "A segment");
                const std::vector<uint8_t> packet(piece.begin() + 24, piece.end());
                NS_TEST_EXPECT_MSG_EQ(ChecksumsAreRight(packet), true, "Complete checksums");
                NS_TEST_EXPECT_MSG_EQ(ReadNetwork32(&packet[24]), sequence, "Sequence number");
                sequence += 1000;
                NS_TEST_EXPECT_MSG_EQ(((packet[33] & 8) != 0),
                                      (sequence == 3100),
                                      "PSH on the last segment only");
            }
        }
    }
};

/**
 * @ingroup linux-host-tun-tests
 * A write that is cut into very many pieces: a packet takes some 500 bytes, so they are made one at
 * a time.
 */
class TunManyPiecesTestCase : public TestCase
{
  public:
    TunManyPiecesTestCase()
        : TestCase("The pieces of a large write are made one at a time")
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t PAYLOAD = 20000;
        Ptr<Node> node = CreateObject<Node>();
        TunHelper helper;
        helper.SetTap(true);
        helper.SetVnetHeaderSize(10);
        NetDeviceContainer devices = helper.Install(node);
        uint32_t pieces = 0;
        bool inOrder = true;
        bool oneByOne = true;
        uint64_t last = 0;
        devices.Get(0)->SetReceiveCallback(
            [&](Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&) {
                uint8_t bytes[41];
                inOrder = inOrder && packet->GetSize() == sizeof(bytes);
                packet->CopyData(bytes, sizeof(bytes));
                inOrder = inOrder && ReadNetwork32(&bytes[24]) == 100 + pieces;
                ++pieces;
                // Packets are numbered as they are made.
                oneByOne = oneByOne && packet->GetUid() > last;
                last = Create<Packet>()->GetUid();
                return true;
            });
        std::vector<uint8_t> frame = FromHex("01 01 3600 0100 2200 1000"
                                             "ffffffffffff 02000000000a 0800"
                                             "4500 ffff 0007 4000 4006 0000 0a000001 0a000002"
                                             "1388 0009 00000064 00000001 5018 2000 0000 0000");
        frame.resize(frame.size() + PAYLOAD, 0xa5);
        // From outside the simulation, as a program writes.
        const uint64_t events = Simulator::GetEventCount();
        NS_TEST_EXPECT_MSG_EQ(TunHelper::GetFile(devices.Get(0))->Write(frame),
                              static_cast<int64_t>(frame.size()),
                              "All is written");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_LT(Simulator::GetEventCount() - events, 10, "Not an event a piece");
        NS_TEST_EXPECT_MSG_EQ(pieces, PAYLOAD, "A piece a byte");
        NS_TEST_EXPECT_MSG_EQ(inOrder, true, "Each with its sequence number");
        NS_TEST_EXPECT_MSG_EQ(oneByOne, true, "Each is gone when the next is made");
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tun-tests
 * Who may attach, what filters do, and calls outside a running simulation.
 */
class TunRulesTestCase : public TestCase
{
  public:
    TunRulesTestCase()
        : TestCase("Owners, filters and idle simulations")
    {
    }

  private:
    void CheckOwner()
    {
        Ptr<Node> node = CreateObject<Node>();
        Ptr<TunDriver> driver = TunDriver::GetDriver(node);
        Ptr<TunFile> root = driver->Open();
        TunRequest request{"t0", TUN_FLAG_TAP | TUN_FLAG_MULTI_QUEUE};
        NS_TEST_EXPECT_MSG_EQ(root->SetIff(request), 0, "Root may");
        root->SetOwner(1000);
        root->SetGroup(50);
        NS_TEST_EXPECT_MSG_EQ(root->GetDevice()->GetOwner(), 1000, "Owner");
        Ptr<TunFile> owner = driver->Open({1000, {50, 60}, false});
        NS_TEST_EXPECT_MSG_EQ(owner->SetIff(request), 0, "The owner may");
        Ptr<TunFile> other = driver->Open({1001, {50}, false});
        NS_TEST_EXPECT_MSG_EQ(other->SetIff(request), -LINUX_EPERM, "Another user may not");
        Ptr<TunFile> outsider = driver->Open({1000, {60}, false});
        NS_TEST_EXPECT_MSG_EQ(outsider->SetIff(request), -LINUX_EPERM, "Nor outside the group");
        request.name = "t1";
        NS_TEST_EXPECT_MSG_EQ(owner->SetIff(request), -LINUX_EEXIST, "One device a file");
        NS_TEST_EXPECT_MSG_EQ(other->SetIff(request), -LINUX_EPERM, "Only root makes devices");
    }

    void CheckFilters()
    {
        Ptr<Node> node = CreateObject<Node>();
        TunHelper helper;
        helper.SetTap(true);
        Ptr<TunNetDevice> device = DynamicCast<TunNetDevice>(helper.Install(node).Get(0));
        Ptr<TunFile> file = TunHelper::GetFile(device);
        auto send = [device](const char* to) {
            return device->Send(BytesToPacket(UdpPacket(1, 2, 1, 9, 100)),
                                Mac48Address(to),
                                0x0800);
        };
        TunTxFilter filter;
        filter.addresses = {Mac48Address("02:00:00:00:00:0d")};
        NS_TEST_EXPECT_MSG_EQ(file->SetTxFilter(filter), 1, "One address compared whole");
        NS_TEST_EXPECT_MSG_EQ(send("02:00:00:00:00:0d"), true, "Wanted");
        NS_TEST_EXPECT_MSG_EQ(send("02:00:00:00:00:0e"), false, "Not wanted");
        NS_TEST_EXPECT_MSG_EQ(send("33:33:00:00:00:01"), false, "Nor multicast");
        filter.flags = TUN_FILTER_ALLMULTI;
        file->SetTxFilter(filter);
        NS_TEST_EXPECT_MSG_EQ(send("33:33:00:00:00:01"), true, "All multicast");
        file->SetTxFilter({});
        file->AttachFilter([](Ptr<const Packet>) { return 60; });
        NS_TEST_EXPECT_MSG_EQ(send("02:00:00:00:00:0e"), true, "Filters are off");
        NS_TEST_EXPECT_MSG_EQ(file->Read(2000).result, 142, "Whole");
        NS_TEST_EXPECT_MSG_EQ(file->Read(2000).result, 142, "Whole");
        NS_TEST_EXPECT_MSG_EQ(file->Read(2000).result, 60, "Cut by the program");
        TunRequest request;
        file->GetIff(request);
        NS_TEST_EXPECT_MSG_EQ(request.flags, (TUN_FLAG_TAP | TUN_FLAG_NO_PI), "Still no PI");
        NS_TEST_EXPECT_MSG_EQ(device->GetStatistics().txDropped, 2, "Filtered out");
    }

    void CheckIdle()
    {
        Ptr<Node> node = CreateObject<Node>();
        InternetStackHelper stack;
        stack.Install(node);
        NetDeviceContainer devices = TunHelper().Install(node);
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        addresses.Assign(devices);
        Ptr<TunFile> file = TunHelper::GetFile(devices.Get(0));
        const auto datagram = UdpPacket(9, 1, 9, 9, 4);
        NS_TEST_EXPECT_MSG_EQ(file->Write(datagram),
                              int64_t(datagram.size()),
                              "A write before the simulation runs");
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        // The port is closed: the host answers.
        NS_TEST_EXPECT_MSG_EQ(file->GetNPackets(), 1, "Port unreachable");
        NS_TEST_EXPECT_MSG_EQ(+file->Read(100).data[20], 3, "ICMP type");
        file->Close();
        NS_TEST_EXPECT_MSG_EQ(file->Write(datagram), -LINUX_EBADF, "A closed file");
        devices.Get(0)->Send(BytesToPacket(datagram), devices.Get(0)->GetBroadcast(), 0x0800);
    }

    void DoRun() override
    {
        CheckOwner();
        CheckFilters();
        Simulator::Destroy();
        CheckIdle();
        Simulator::Destroy();
    }
};

/**
 * @ingroup linux-host-tun-tests
 * Recordings that are not of the form they should have.
 */
class TunMalformedTestCase : public TestCase
{
  public:
    TunMalformedTestCase()
        : TestCase("Malformed recordings")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = CreateTempDirFilename("recording.json");
        const std::vector<std::pair<std::string, std::string>> files = {
            {"", "expected JSON"},
            {"[1, 2", "expected JSON"},
            {"[]", "expected an object"},
            {"{}", "expected the key \"cases\""},
            {R"({"cases": 3})", ": cases: expected an array"},
            {R"({"cases": [7]})", ": cases[0]: expected an object"},
            {R"({"cases": [{"name": "x"}]})", ": cases[0]: expected the key \"steps\""},
            {R"({"cases": [{"name": "x", "steps": [{"op": "fly", "result": 1}]}]})",
             ": cases[0].steps[0].op: expected open, "},
            {R"({"cases": [{"name": "x", "steps": [{"op": "open", "fd": "a"}]}]})",
             ": cases[0].steps[0]: expected the key \"result\""},
            {R"({"cases": [{"name": "x", "steps": [{"op": "read", "fd": "a", "size": 1,
                 "result": 1}]}]})",
             ": cases[0].steps[0].fd: expected a file that an earlier step"},
            {R"({"cases": [{"name": "x", "steps": [{"op": "open", "fd": "a", "result": "ok"},
                 {"op": "write", "fd": "a", "data": "0g", "result": 1}]}]})",
             ": cases[0].steps[1].data: expected bytes"},
            {R"({"cases": [{"name": "x", "steps": [{"op": "open", "fd": "a", "result": "ok"},
                 {"op": "read", "fd": "a", "size": 99999999999, "result": 1}]}]})",
             ": cases[0].steps[1].size: expected an integer from 0"},
            {R"({"cases": [{"name": "x", "steps": [{"op": "open", "fd": "a", "result": "ok"},
                 {"op": "TUNSETIFF", "fd": "a", "name": "t0", "flags": ["TAP"], "result": 1}]}]})",
             ": cases[0].steps[1].flags[0]: expected the name of a flag"},
        };
        for (const auto& [content, wanted] : files)
        {
            std::ofstream(path) << content;
            const TunReplayReport report = ReplayTunAnswers(path);
            NS_TEST_EXPECT_MSG_NE(report.error.find(wanted),
                                  std::string::npos,
                                  content << " gave " << report.error);
            NS_TEST_EXPECT_MSG_EQ(report.total, 0, "Nothing should be played");
        }
        NS_TEST_EXPECT_MSG_NE(ReplayTunReads(path + ".none").error, "", "A file that is missing");
    }
};

/**
 * @ingroup linux-host-tun-tests
 * Tests of the tun device.
 */
class TunTestSuite : public TestSuite
{
  public:
    TunTestSuite()
        : TestSuite("linux-host-tun", TEST_SUITE_UNIT)
    {
#ifdef LINUX_HOST_HAVE_JSON
        AddTestCase(new TunReplayTestCase("linux-6.18-answers.json", 156, false), TEST_QUICK);
        AddTestCase(new TunReplayTestCase("linux-6.18-random.json", RANDOM_STEPS, false),
                    TEST_QUICK);
        AddTestCase(new TunReplayTestCase("linux-6.18-edges.json", 369, false), TEST_QUICK);
        AddTestCase(new TunReplayTestCase("linux-6.1-reads.json", 14, true), TEST_QUICK);
        AddTestCase(new TunReplayTestCase("linux-6.18-reads.json", 64, true), TEST_QUICK);
        AddTestCase(new TunMalformedTestCase(), TEST_QUICK);
#endif
        AddTestCase(new TunOverflowTestCase(), TEST_QUICK);
        for (bool ipv6 : {false, true})
        {
            AddTestCase(new TunStackTestCase(ipv6, false), TEST_QUICK);
            AddTestCase(new TunStackTestCase(ipv6, true), TEST_QUICK);
        }
        AddTestCase(new TapBridgeTestCase(), TEST_QUICK);
        AddTestCase(new TapVlanTestCase(), TEST_QUICK);
        AddTestCase(new TunSitTestCase(), TEST_QUICK);
        AddTestCase(new TunFlowTestCase(), TEST_QUICK);
        AddTestCase(new TunAsyncTestCase(), TEST_QUICK);
        AddTestCase(new TunSegmentationTestCase(), TEST_QUICK);
        AddTestCase(new TunManyPiecesTestCase(), TEST_QUICK);
        AddTestCase(new TunRulesTestCase(), TEST_QUICK);
    }

  private:
    /// Steps of the recording of random cases.
    static constexpr uint32_t RANDOM_STEPS = 3682;
};

static TunTestSuite g_tunTestSuite; //!< the suite
