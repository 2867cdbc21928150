/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-offload-tag.h"

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(TunOffloadTag);

TypeId
TunOffloadTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::TunOffloadTag")
                            .SetParent<Tag>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<TunOffloadTag>();
    return tid;
}

TypeId
TunOffloadTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
TunOffloadTag::GetSerializedSize() const
{
    return 1 + 4 + 2 + 2 + 2 + 1 + 2 + 4;
}

void
TunOffloadTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU8(needsChecksum);
    buffer.WriteU32(checksumBack);
    buffer.WriteU16(checksumOffset);
    buffer.WriteU16(partialSum);
    buffer.WriteU16(wholeSum);
    buffer.WriteU8(gsoType);
    buffer.WriteU16(gsoSize);
    buffer.WriteU32(fragmentBytes);
}

void
TunOffloadTag::Deserialize(TagBuffer buffer)
{
    needsChecksum = buffer.ReadU8();
    checksumBack = buffer.ReadU32();
    checksumOffset = buffer.ReadU16();
    partialSum = buffer.ReadU16();
    wholeSum = buffer.ReadU16();
    gsoType = buffer.ReadU8();
    gsoSize = buffer.ReadU16();
    fragmentBytes = buffer.ReadU32();
}

void
TunOffloadTag::Print(std::ostream& os) const
{
    os << "needsChecksum=" << needsChecksum << " gsoType=" << +gsoType << " gsoSize=" << gsoSize;
}

} // namespace linuxhost
} // namespace ns3
