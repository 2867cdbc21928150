/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-abi.h"

#include <cstdlib>
#include <utility>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// The flags and Linux's names for them; the first name of a value is the one told.
const std::pair<uint16_t, const char*> FLAG_NAMES[] = {
    {TUN_FLAG_TUN, "IFF_TUN"},
    {TUN_FLAG_TAP, "IFF_TAP"},
    {TUN_FLAG_NAPI, "IFF_NAPI"},
    {TUN_FLAG_NAPI_FRAGS, "IFF_NAPI_FRAGS"},
    {TUN_FLAG_NO_CARRIER, "IFF_NO_CARRIER"},
    {TUN_FLAG_MULTI_QUEUE, "IFF_MULTI_QUEUE"},
    {TUN_FLAG_ATTACH_QUEUE, "IFF_ATTACH_QUEUE"},
    {TUN_FLAG_DETACH_QUEUE, "IFF_DETACH_QUEUE"},
    {TUN_FLAG_PERSIST, "IFF_PERSIST"},
    {TUN_FLAG_NO_PI, "IFF_NO_PI"},
    {TUN_FLAG_NO_FILTER, "IFF_NOFILTER"},
    {TUN_FLAG_ONE_QUEUE, "IFF_ONE_QUEUE"},
    {TUN_FLAG_VNET_HDR, "IFF_VNET_HDR"},
    {TUN_FLAG_EXCL, "IFF_TUN_EXCL"},
};

/// The errors and their names.
const std::pair<int32_t, const char*> ERRNO_NAMES[] = {
    {LINUX_EPERM, "EPERM"},
    {LINUX_EIO, "EIO"},
    {LINUX_E2BIG, "E2BIG"},
    {LINUX_EBADF, "EBADF"},
    {LINUX_EAGAIN, "EAGAIN"},
    {LINUX_ENOMEM, "ENOMEM"},
    {LINUX_EFAULT, "EFAULT"},
    {LINUX_EBUSY, "EBUSY"},
    {LINUX_EEXIST, "EEXIST"},
    {LINUX_ENODEV, "ENODEV"},
    {LINUX_EINVAL, "EINVAL"},
    {LINUX_ENFILE, "ENFILE"},
    {LINUX_EBADFD, "EBADFD"},
    {LINUX_EMSGSIZE, "EMSGSIZE"},
    {LINUX_EOPNOTSUPP, "EOPNOTSUPP"},
    {LINUX_EADDRNOTAVAIL, "EADDRNOTAVAIL"},
    {LINUX_ENETDOWN, "ENETDOWN"},
    {LINUX_ENOBUFS, "ENOBUFS"},
};

} // namespace

std::string
LinuxErrnoName(int32_t error)
{
    int32_t number = std::abs(error);
    for (const auto& [value, name] : ERRNO_NAMES)
    {
        if (value == number)
        {
            return name;
        }
    }
    return std::to_string(number);
}

bool
TunFlagFromName(const std::string& name, uint16_t* flag)
{
    for (const auto& [value, flagName] : FLAG_NAMES)
    {
        if (name == flagName)
        {
            *flag = value;
            return true;
        }
    }
    return false;
}

std::vector<std::string>
TunFlagNames(uint16_t flags)
{
    std::vector<std::string> names;
    uint16_t told = 0;
    for (const auto& [value, name] : FLAG_NAMES)
    {
        if ((flags & value) && !(told & value))
        {
            names.emplace_back(name);
            told |= value;
        }
    }
    return names;
}

} // namespace linuxhost
} // namespace ns3
