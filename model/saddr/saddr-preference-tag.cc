/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "saddr-preference-tag.h"

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(SaddrPreferenceTag);

SaddrPreferenceTag::SaddrPreferenceTag(uint16_t preferences)
    : m_preferences(preferences)
{
}

TypeId
SaddrPreferenceTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::SaddrPreferenceTag")
                            .SetParent<Tag>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<SaddrPreferenceTag>();
    return tid;
}

TypeId
SaddrPreferenceTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
SaddrPreferenceTag::GetSerializedSize() const
{
    return 2;
}

void
SaddrPreferenceTag::Serialize(TagBuffer i) const
{
    i.WriteU16(m_preferences);
}

void
SaddrPreferenceTag::Deserialize(TagBuffer i)
{
    m_preferences = i.ReadU16();
}

void
SaddrPreferenceTag::Print(std::ostream& os) const
{
    os << "preferences=" << m_preferences;
}

uint16_t
SaddrPreferenceTag::GetPreferences() const
{
    return m_preferences;
}

} // namespace linuxhost
} // namespace ns3
