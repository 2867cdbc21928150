/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SADDR_PREFERENCE_TAG_H
#define SADDR_PREFERENCE_TAG_H

#include "ns3/tag.h"

#include <cstdint>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * A datagram's IPV6_ADDR_PREFERENCES: set on the packet before it is given to a socket.
 */
class SaddrPreferenceTag : public Tag
{
  public:
    /// No preference.
    SaddrPreferenceTag() = default;
    /// @param preferences SaddrPreference bits
    explicit SaddrPreferenceTag(uint16_t preferences);

    /// @returns the type id
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer i) const override;
    void Deserialize(TagBuffer i) override;
    void Print(std::ostream& os) const override;

    /// @returns SaddrPreference bits
    uint16_t GetPreferences() const;

  private:
    uint16_t m_preferences{0}; //!< SaddrPreference bits
};

} // namespace linuxhost
} // namespace ns3

#endif /* SADDR_PREFERENCE_TAG_H */
