/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-driver.h"

#include "ns3/node.h"

#include <algorithm>
#include <cctype>

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(TunDriver);

namespace
{

/// Longest interface name.
constexpr std::size_t MAX_NAME = 15;
/// How many devices a name template can name.
constexpr int MAX_TEMPLATE = 8 * 4096;

/**
 * @param name an interface name
 * @returns whether Linux allows it
 */
bool
IsValidName(const std::string& name)
{
    return !name.empty() && name != "." && name != ".." &&
           std::none_of(name.begin(), name.end(), [](unsigned char c) {
               return c == '/' || c == ':' || c == 0xa0 || std::isspace(c);
           });
}

/**
 * @param request a name as it is in the request
 * @returns the name as the system call sees it: cut where its field ends
 */
std::string
CutName(const std::string& request)
{
    return request.substr(0, std::min(request.find('\0'), MAX_NAME));
}

} // namespace

TypeId
TunDriver::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::TunDriver")
                            .SetParent<Object>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<TunDriver>();
    return tid;
}

TunDriver::TunDriver()
    : m_reserved({"lo"}),
      m_indices({1})
{
}

TunDriver::~TunDriver() = default;

Ptr<TunDriver>
TunDriver::GetDriver(Ptr<Node> node)
{
    Ptr<TunDriver> driver = node->GetObject<TunDriver>();
    if (!driver)
    {
        driver = CreateObject<TunDriver>();
        node->AggregateObject(driver);
    }
    return driver;
}

void
TunDriver::NotifyNewAggregate()
{
    if (!m_node)
    {
        Ptr<Node> node = GetObject<Node>();
        m_node = PeekPointer(node);
    }
    Object::NotifyNewAggregate();
}

void
TunDriver::DoDispose()
{
    const auto files = std::move(m_files);
    m_files.clear();
    for (const auto& file : files)
    {
        file->Dispose();
    }
    m_devices.clear();
    m_node = nullptr;
    Object::DoDispose();
}

Ptr<TunFile>
TunDriver::Open(const TunCredentials& credentials)
{
    Ptr<TunFile> file = CreateObject<TunFile>();
    file->m_driver = this;
    file->m_open = true;
    file->m_user = credentials.user;
    file->m_groups = credentials.groups;
    file->m_netAdmin = credentials.netAdmin;
    m_files.insert(file);
    return file;
}

Ptr<TunNetDevice>
TunDriver::GetDevice(const std::string& name) const
{
    auto i = m_devices.find(name);
    return i == m_devices.end() ? nullptr : i->second;
}

bool
TunDriver::Exists(const std::string& name) const
{
    return m_devices.count(name) || m_reserved.count(name);
}

void
TunDriver::ReserveName(const std::string& name)
{
    m_reserved.insert(name);
}

int32_t
TunDriver::SetLinkUp(const std::string& name, bool up)
{
    Ptr<TunNetDevice> device = GetDevice(name);
    if (!device)
    {
        return -LINUX_ENODEV;
    }
    device->SetUp(up);
    return 0;
}

int32_t
TunDriver::DeleteLink(const std::string& name)
{
    Ptr<TunNetDevice> device = GetDevice(name);
    if (!device)
    {
        return -LINUX_ENODEV;
    }
    device->Unregister();
    return 0;
}

int32_t
TunDriver::GetStatistics(const std::string& name, TunStatistics& statistics) const
{
    Ptr<TunNetDevice> device = GetDevice(name);
    if (!device)
    {
        return -LINUX_ENODEV;
    }
    statistics = device->GetStatistics();
    return 0;
}

std::vector<std::string>
TunDriver::GetDeviceNames() const
{
    std::vector<std::string> names;
    for (const auto& [name, device] : m_devices)
    {
        names.push_back(name);
    }
    return names;
}

int32_t
TunDriver::SetIff(Ptr<TunFile> file, TunRequest& request)
{
    const uint16_t flags = request.flags;
    if (flags & TUN_FLAG_NAPI_FRAGS)
    {
        if (!file->m_netAdmin)
        {
            return -LINUX_EPERM;
        }
        if (!(flags & TUN_FLAG_NAPI) || (flags & 0x000f) != TUN_FLAG_TAP)
        {
            return -LINUX_EINVAL;
        }
    }
    const std::string name = CutName(request.name);
    Ptr<TunNetDevice> device;
    if (Exists(name))
    {
        if (flags & TUN_FLAG_EXCL)
        {
            return -LINUX_EBUSY;
        }
        device = GetDevice(name);
        const uint16_t mode = device && device->IsTap() ? TUN_FLAG_TAP : TUN_FLAG_TUN;
        if (!device || !(flags & mode) ||
            (flags & TUN_FLAG_MULTI_QUEUE) != (device->m_flags & TUN_FLAG_MULTI_QUEUE))
        {
            return -LINUX_EINVAL;
        }
        const bool otherUser = device->m_owner >= 0 && file->m_user != device->m_owner;
        const bool otherGroup =
            device->m_group >= 0 &&
            std::find(file->m_groups.begin(), file->m_groups.end(), device->m_group) ==
                file->m_groups.end();
        if ((otherUser || otherGroup) && !file->m_netAdmin)
        {
            return -LINUX_EPERM;
        }
        if (const int32_t error = device->Attach(file))
        {
            return error;
        }
        file->m_filtered = device->m_socketFilter && !(flags & TUN_FLAG_NO_FILTER);
        if (device->GetNQueues() + device->GetNDisabledQueues() == 1 ||
            !(device->m_flags & TUN_FLAG_MULTI_QUEUE))
        {
            device->m_flags = flags & TUN_FEATURES;
            device->SetCarrier(!(flags & TUN_FLAG_NO_CARRIER));
        }
    }
    else if (const int32_t error = CreateDevice(file, request, device))
    {
        return error;
    }
    else
    {
        device->SetCarrier(!(flags & TUN_FLAG_NO_CARRIER));
    }
    file->m_napi = flags & TUN_FLAG_NAPI;
    file->m_napiFrags = flags & TUN_FLAG_NAPI_FRAGS;
    request.name = device->GetName();
    return 0;
}

int32_t
TunDriver::CreateDevice(Ptr<TunFile> file, TunRequest& request, Ptr<TunNetDevice>& device)
{
    const uint16_t flags = request.flags;
    if (!file->m_netAdmin)
    {
        return -LINUX_EPERM;
    }
    if (!(flags & (TUN_FLAG_TUN | TUN_FLAG_TAP)))
    {
        return -LINUX_EINVAL;
    }
    const bool tap = !(flags & TUN_FLAG_TUN);
    std::string name = CutName(request.name);
    if (name.empty())
    {
        name = tap ? "tap%d" : "tun%d";
    }
    if (const int32_t error = AllocateName(name, name))
    {
        return error;
    }
    int32_t index = file->m_ifIndex;
    if (index != 0 && m_indices.count(index))
    {
        // The file has been its first queue for a moment.
        file->SetQueueIndex(0);
        return -LINUX_EBUSY;
    }
    while (index == 0)
    {
        index = m_indices.count(++m_lastIndex) ? 0 : m_lastIndex;
    }
    m_indices.insert(index);
    device = CreateObject<TunNetDevice>();
    device->Initialize(this, name, tap, flags);
    device->m_linuxIndex = index;
    m_devices[name] = device;
    device->Attach(file);
    if (m_node)
    {
        m_node->AddDevice(device);
    }
    return 0;
}

int32_t
TunDriver::AllocateName(const std::string& wanted, std::string& name) const
{
    if (!IsValidName(wanted))
    {
        return -LINUX_EINVAL;
    }
    const auto percent = wanted.find('%');
    if (percent == std::string::npos)
    {
        // Each of these would collide with a folder of sysctls that all interfaces share.
        if (wanted == "all" || wanted == "default")
        {
            return -LINUX_EINVAL;
        }
        name = wanted;
        return 0;
    }
    if (wanted.substr(percent, 2) != "%d" || wanted.find('%', percent + 2) != std::string::npos)
    {
        return -LINUX_EINVAL;
    }
    const std::string before = wanted.substr(0, percent);
    const std::string after = wanted.substr(percent + 2);
    for (int i = 0; i < MAX_TEMPLATE; ++i)
    {
        const std::string candidate = CutName(before + std::to_string(i) + after);
        if (!Exists(candidate))
        {
            name = candidate;
            return 0;
        }
    }
    return -LINUX_ENFILE;
}

void
TunDriver::Forget(Ptr<TunNetDevice> device)
{
    m_devices.erase(device->GetName());
    m_indices.erase(device->m_linuxIndex);
}

void
TunDriver::Forget(Ptr<TunFile> file)
{
    m_files.erase(file);
}

} // namespace linuxhost
} // namespace ns3
