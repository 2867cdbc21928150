/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-channel.h"

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(TunChannel);

TypeId
TunChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::TunChannel")
                            .SetParent<Channel>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<TunChannel>();
    return tid;
}

void
TunChannel::SetDevice(Ptr<NetDevice> device)
{
    m_device = device;
}

std::size_t
TunChannel::GetNDevices() const
{
    return m_device ? 1 : 0;
}

Ptr<NetDevice>
TunChannel::GetDevice(std::size_t /* i */) const
{
    return m_device;
}

void
TunChannel::DoDispose()
{
    m_device = nullptr;
    Channel::DoDispose();
}

} // namespace linuxhost
} // namespace ns3
