/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "device-address-filter.h"

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(DeviceAddressFilter);

TypeId
DeviceAddressFilter::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::DeviceAddressFilter")
                            .SetParent<Object>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<DeviceAddressFilter>();
    return tid;
}

void
DeviceAddressFilter::DoDispose()
{
    m_lower = nullptr;
    Object::DoDispose();
}

void
DeviceAddressFilter::TellLower(bool wanted)
{
    if (m_promiscuity > 0)
    {
        m_lower->ChangePromiscuity(wanted ? 1 : -1);
    }
    if (m_allMulticast > 0)
    {
        m_lower->ChangeAllMulticast(wanted ? 1 : -1);
    }
    for (const auto& entry : m_addresses)
    {
        if (wanted)
        {
            m_lower->Add(entry.first);
        }
        else
        {
            m_lower->Remove(entry.first);
        }
    }
}

void
DeviceAddressFilter::SetLower(Ptr<DeviceAddressFilter> lower)
{
    if (m_lower)
    {
        TellLower(false);
    }
    m_lower = lower;
    if (m_lower)
    {
        TellLower(true);
    }
}

void
DeviceAddressFilter::ChangePromiscuity(int32_t change)
{
    const bool before = m_promiscuity > 0;
    m_promiscuity += change;
    const bool after = m_promiscuity > 0;
    if (m_lower && before != after)
    {
        m_lower->ChangePromiscuity(after ? 1 : -1);
    }
}

int32_t
DeviceAddressFilter::GetPromiscuity() const
{
    return m_promiscuity;
}

void
DeviceAddressFilter::ChangeAllMulticast(int32_t change)
{
    const bool before = m_allMulticast > 0;
    m_allMulticast += change;
    const bool after = m_allMulticast > 0;
    if (m_lower && before != after)
    {
        m_lower->ChangeAllMulticast(after ? 1 : -1);
    }
}

int32_t
DeviceAddressFilter::GetAllMulticast() const
{
    return m_allMulticast;
}

void
DeviceAddressFilter::Add(Mac48Address address)
{
    if (m_addresses[address]++ == 0 && m_lower)
    {
        m_lower->Add(address);
    }
}

bool
DeviceAddressFilter::Remove(Mac48Address address)
{
    const auto found = m_addresses.find(address);
    if (found == m_addresses.end())
    {
        return false;
    }
    if (--found->second == 0)
    {
        m_addresses.erase(found);
        if (m_lower)
        {
            m_lower->Remove(address);
        }
    }
    return true;
}

uint32_t
DeviceAddressFilter::GetUsers(Mac48Address address) const
{
    const auto found = m_addresses.find(address);
    return found == m_addresses.end() ? 0 : found->second;
}

bool
DeviceAddressFilter::Accepts(Mac48Address destination, Mac48Address own) const
{
    return destination == own || destination.IsBroadcast() || m_promiscuity > 0 ||
           (destination.IsGroup() && m_allMulticast > 0) || GetUsers(destination) > 0;
}

} // namespace linuxhost
} // namespace ns3
