/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-helper.h"

#include "ns3/log.h"
#include "ns3/tun-driver.h"
#include "ns3/tun-net-device.h"

#include <algorithm>

namespace ns3
{
namespace linuxhost
{

NS_LOG_COMPONENT_DEFINE("TunHelper");

namespace
{

/// Link type of a capture of Ethernet frames.
constexpr uint32_t LINKTYPE_ETHERNET = 1;
/// Link type of a capture of IP packets.
constexpr uint32_t LINKTYPE_RAW = 101;

} // namespace

TunHelper::TunHelper() = default;

void
TunHelper::SetTap(bool tap)
{
    m_tap = tap;
}

void
TunHelper::SetName(const std::string& name)
{
    m_name = name;
}

void
TunHelper::SetPacketInformation(bool packetInformation)
{
    m_packetInformation = packetInformation;
}

void
TunHelper::SetVnetHeaderSize(uint32_t size)
{
    m_vnetHeaderSize = size;
}

void
TunHelper::SetOffloads(uint32_t offloads)
{
    m_offloads = offloads;
}

void
TunHelper::SetQueues(uint32_t queues)
{
    m_queues = queues;
}

void
TunHelper::SetUp(bool up)
{
    m_up = up;
}

void
TunHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_attributes.emplace_back(name, value.Copy());
}

NetDeviceContainer
TunHelper::Install(NodeContainer nodes) const
{
    NetDeviceContainer devices;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        devices.Add(Install(*i));
    }
    return devices;
}

NetDeviceContainer
TunHelper::Install(Ptr<Node> node) const
{
    Ptr<TunDriver> driver = TunDriver::GetDriver(node);
    TunRequest request;
    request.name = m_name;
    request.flags =
        (m_tap ? TUN_FLAG_TAP : TUN_FLAG_TUN) | (m_packetInformation ? 0 : TUN_FLAG_NO_PI) |
        (m_vnetHeaderSize ? TUN_FLAG_VNET_HDR : 0) | (m_queues > 1 ? TUN_FLAG_MULTI_QUEUE : 0);
    Ptr<TunNetDevice> device;
    for (uint32_t queue = 0; queue < std::max(m_queues, 1u); ++queue)
    {
        Ptr<TunFile> file = driver->Open();
        int32_t error = file->SetIff(request);
        if (!error && !device)
        {
            device = file->GetDevice();
            error = m_vnetHeaderSize ? file->SetVnetHeaderSize(m_vnetHeaderSize) : 0;
            error = error ? error : file->SetOffload(m_offloads);
        }
        if (error)
        {
            NS_LOG_ERROR("tun device on node " << node->GetId() << ": " << LinuxErrnoName(error));
            file->Close();
            if (device)
            {
                driver->DeleteLink(device->GetName());
            }
            return {};
        }
    }
    for (const auto& [name, value] : m_attributes)
    {
        device->SetAttribute(name, *value);
    }
    device->SetUp(m_up);
    return {device};
}

Ptr<TunFile>
TunHelper::GetFile(Ptr<NetDevice> device, uint32_t queue)
{
    Ptr<TunNetDevice> tun = DynamicCast<TunNetDevice>(device);
    return tun ? tun->GetFile(queue) : nullptr;
}

void
TunHelper::EnablePcapInternal(std::string prefix,
                              Ptr<NetDevice> nd,
                              bool promiscuous,
                              bool explicitFilename)
{
    Ptr<TunNetDevice> device = DynamicCast<TunNetDevice>(nd);
    if (!device)
    {
        return;
    }
    PcapHelper pcap;
    const std::string filename =
        explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    Ptr<PcapFileWrapper> file = pcap.CreateFile(
        filename,
        std::ios::out,
        static_cast<PcapHelper::DataLinkType>(device->IsTap() ? LINKTYPE_ETHERNET : LINKTYPE_RAW));
    pcap.HookDefaultSink<TunNetDevice>(device, promiscuous ? "PromiscSniffer" : "Sniffer", file);
}

} // namespace linuxhost
} // namespace ns3
