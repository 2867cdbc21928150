/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tun-file.h"

#include "tun-driver.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace linuxhost
{

NS_OBJECT_ENSURE_REGISTERED(TunFile);

namespace
{

/// Largest index of a queue, a number of two bytes.
constexpr int32_t MAX_QUEUE_INDEX = 0xffff;
/// Link type of an Ethernet device (ARPHRD_ETHER).
constexpr uint16_t LINK_TYPE_ETHERNET = 1;

/**
 * @param type a link type, as TUNSETLINK sets it
 * @returns how many bytes of a MAC address a device of that type shows
 */
uint32_t
AddressLength(uint16_t type)
{
    switch (type)
    {
    case 270: // ARPHRD_ROSE
        return 5;
    case 768: // ARPHRD_TUNNEL
    case 776: // ARPHRD_SIT
    case 778: // ARPHRD_IPGRE
        return 4;
    case 773: // ARPHRD_LOCALTLK
        return 1;
    case 0: // ARPHRD_NETROM, 7 bytes
    case LINK_TYPE_ETHERNET:
    case 6:   // ARPHRD_IEEE802
    case 769: // ARPHRD_TUNNEL6, 16 bytes
    case 774: // ARPHRD_FDDI
    case 780: // ARPHRD_HIPPI
    case 804: // ARPHRD_IEEE802154, 8 bytes
    case 805: // ARPHRD_IEEE802154_MONITOR, 8 bytes
    case 823: // ARPHRD_IP6GRE, 16 bytes
    case 825: // ARPHRD_6LOWPAN, 8 bytes
        return 6;
    default:
        return 0;
    }
}

} // namespace

TypeId
TunFile::GetTypeId()
{
    static TypeId tid = TypeId("ns3::linuxhost::TunFile")
                            .SetParent<Object>()
                            .SetGroupName("LinuxHost")
                            .AddConstructor<TunFile>();
    return tid;
}

TunFile::TunFile()
    : m_sendBuffer(std::numeric_limits<int32_t>::max())
{
}

TunFile::~TunFile() = default;

void
TunFile::DoDispose()
{
    m_driver = nullptr;
    m_open = false;
    m_device = nullptr;
    m_queue.clear();
    m_waiters.clear();
    m_readable.Nullify();
    Object::DoDispose();
}

int32_t
TunFile::CheckDevice() const
{
    if (!m_open)
    {
        return -LINUX_EBADF;
    }
    return m_device ? 0 : -LINUX_EBADFD;
}

int32_t
TunFile::SetIff(TunRequest& request)
{
    if (!m_open)
    {
        return -LINUX_EBADF;
    }
    return m_device ? -LINUX_EEXIST : m_driver->SetIff(this, request);
}

int32_t
TunFile::GetIff(TunRequest& request) const
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    request.name = m_device->GetName();
    request.flags = m_device->GetFlags();
    if (m_detached)
    {
        request.flags |= TUN_FLAG_DETACH_QUEUE;
    }
    if (!m_filtered)
    {
        request.flags |= TUN_FLAG_NO_FILTER;
    }
    return 0;
}

int32_t
TunFile::SetQueue(uint16_t flags)
{
    if (!m_open)
    {
        return -LINUX_EBADF;
    }
    if (flags & TUN_FLAG_ATTACH_QUEUE)
    {
        return m_detached ? m_device->Attach(this) : -LINUX_EINVAL;
    }
    if (!(flags & TUN_FLAG_DETACH_QUEUE) || !m_device || m_detached ||
        !(m_device->m_flags & TUN_FLAG_MULTI_QUEUE))
    {
        return -LINUX_EINVAL;
    }
    m_device->Detach(this, false);
    return 0;
}

int32_t
TunFile::GetFeatures(uint32_t& features) const
{
    if (!m_open)
    {
        return -LINUX_EBADF;
    }
    features = TUN_FLAG_TUN | TUN_FLAG_TAP | TUN_FLAG_NO_CARRIER | TUN_FEATURES;
    return 0;
}

int32_t
TunFile::SetPersist(bool persist)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    m_device->m_persist = persist;
    return 0;
}

int32_t
TunFile::SetOwner(uint32_t user)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (user == std::numeric_limits<uint32_t>::max())
    {
        return -LINUX_EINVAL;
    }
    m_device->m_owner = user;
    return 0;
}

int32_t
TunFile::SetGroup(uint32_t group)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (group == std::numeric_limits<uint32_t>::max())
    {
        return -LINUX_EINVAL;
    }
    m_device->m_group = group;
    return 0;
}

int32_t
TunFile::SetLink(int32_t type)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (m_device->IsUp())
    {
        return -LINUX_EBUSY;
    }
    m_device->m_linkType = type;
    return 0;
}

int32_t
TunFile::SetOffload(uint64_t offloads)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    return m_device->SetOffloads(offloads);
}

int32_t
TunFile::SetTxFilter(const TunTxFilter& filter)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    return m_device->IsTap() ? m_device->SetTxFilter(filter) : -LINUX_EINVAL;
}

int32_t
TunFile::GetSendBuffer(int32_t& size) const
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    size = m_sendBuffer;
    return 0;
}

int32_t
TunFile::SetSendBuffer(int32_t size)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (size <= 0)
    {
        return -LINUX_EINVAL;
    }
    for (const auto& file : m_device->m_queues)
    {
        file->m_sendBuffer = size;
    }
    return 0;
}

int32_t
TunFile::GetVnetHeaderSize(int32_t& size) const
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    size = m_device->m_vnetHeaderSize;
    return 0;
}

int32_t
TunFile::SetVnetHeaderSize(int32_t size)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (size < int32_t(TunVnetHeader::SIZE))
    {
        return -LINUX_EINVAL;
    }
    m_device->m_vnetHeaderSize = size;
    return 0;
}

int32_t
TunFile::GetVnetLittleEndian(int32_t& littleEndian) const
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    littleEndian = m_device->m_vnetLittleEndian;
    return 0;
}

int32_t
TunFile::SetVnetLittleEndian(int32_t littleEndian)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    m_device->m_vnetLittleEndian = littleEndian != 0;
    return 0;
}

int32_t
TunFile::GetVnetBigEndian(int32_t& /* bigEndian */) const
{
    const int32_t error = CheckDevice();
    return error ? error : -LINUX_EINVAL;
}

int32_t
TunFile::SetVnetBigEndian(int32_t /* bigEndian */)
{
    const int32_t error = CheckDevice();
    return error ? error : -LINUX_EINVAL;
}

int32_t
TunFile::SetIfIndex(int32_t index)
{
    if (!m_open)
    {
        return -LINUX_EBADF;
    }
    if (m_device)
    {
        return -LINUX_EPERM;
    }
    if (index < 0)
    {
        return -LINUX_EINVAL;
    }
    m_ifIndex = index;
    return 0;
}

int32_t
TunFile::SetCarrier(bool carrier)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (carrier && m_device->m_queues.empty())
    {
        return -LINUX_EPERM;
    }
    m_device->SetCarrier(carrier);
    return 0;
}

int32_t
TunFile::SetNoChecksum(bool /* off */)
{
    return CheckDevice();
}

int32_t
TunFile::SetDebug(uint32_t level)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    m_device->m_debug = level;
    return 0;
}

int32_t
TunFile::AttachFilter(TunNetDevice::Filter filter)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (!m_device->IsTap() || !filter)
    {
        return -LINUX_EINVAL;
    }
    m_device->m_socketFilter = filter;
    for (const auto& file : m_device->m_queues)
    {
        file->m_filtered = true;
    }
    return 0;
}

int32_t
TunFile::DetachFilter()
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (!m_device->IsTap())
    {
        return -LINUX_EINVAL;
    }
    m_device->m_socketFilter = nullptr;
    for (const auto& file : m_device->m_queues)
    {
        file->m_filtered = false;
    }
    return 0;
}

int32_t
TunFile::GetFilter(TunNetDevice::Filter& filter) const
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (!m_device->IsTap())
    {
        return -LINUX_EINVAL;
    }
    filter = m_device->m_socketFilter;
    return 0;
}

int32_t
TunFile::SetFilterProgram(TunNetDevice::Filter filter)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    m_device->m_filter = filter;
    return 0;
}

int32_t
TunFile::SetSteeringProgram(TunNetDevice::Steering steering)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    m_device->m_steering = steering;
    return 0;
}

int32_t
TunFile::GetHardwareAddress(Mac48Address& address) const
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    uint8_t bytes[6] = {};
    if (m_device->IsTap())
    {
        Mac48Address::ConvertFrom(m_device->GetAddress()).CopyTo(bytes);
    }
    std::fill(bytes + AddressLength(m_device->GetLinkType()), std::end(bytes), 0);
    address.CopyFrom(bytes);
    return 0;
}

int32_t
TunFile::SetHardwareAddress(Mac48Address address)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (!m_device->IsTap())
    {
        return -LINUX_EOPNOTSUPP;
    }
    if (m_device->GetLinkType() != LINK_TYPE_ETHERNET)
    {
        return -LINUX_EINVAL;
    }
    if (address.IsGroup() || address == Mac48Address("00:00:00:00:00:00"))
    {
        return -LINUX_EADDRNOTAVAIL;
    }
    m_device->SetAddress(address);
    return 0;
}

int64_t
TunFile::Take(uint32_t size, Ptr<Packet>& packet)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    if (size == 0)
    {
        return 0;
    }
    if (m_queue.empty())
    {
        return -LINUX_EAGAIN;
    }
    // From here on the packet has left the queue, also when it cannot be handed over.
    const TunFrame frame = m_queue.front();
    m_queue.pop_front();
    const uint16_t flags = m_device->m_flags;
    const uint32_t headerSize = flags & TUN_FLAG_VNET_HDR ? m_device->m_vnetHeaderSize : 0;
    const uint32_t infoSize = flags & TUN_FLAG_NO_PI ? 0 : TUN_PI_SIZE;
    if (size < infoSize || size - infoSize < headerSize)
    {
        return -LINUX_EINVAL;
    }
    if (headerSize && headerSize < TunVnetHeader::TUNNEL_SIZE &&
        (m_device->GetOffloads() & TUN_OFFLOAD_UDP_TUNNEL_GSO))
    {
        // Linux writes the fields of a tunnel whatever the size, and finds that too much.
        return -LINUX_EFAULT;
    }
    const uint32_t length = frame.packet->GetSize();
    const uint64_t total = uint64_t(infoSize) + headerSize + length;
    std::vector<uint8_t> headers(infoSize + headerSize);
    if (infoSize)
    {
        // Flags are in the host's order, the protocol in network order.
        headers[0] = total > size ? TUN_PKT_STRIP : 0;
        WriteNetwork16(headers.data() + 2, frame.protocol);
    }
    if (headerSize)
    {
        frame.header.Write(headers.data() + infoSize, false);
    }
    packet = frame.packet;
    TunNetDevice::PutBefore(packet, headers);
    ++m_device->m_statistics.txPackets;
    m_device->m_statistics.txBytes += length;
    return total;
}

TunReadResult
TunFile::Read(uint32_t size)
{
    TunReadResult read;
    Ptr<Packet> packet;
    read.result = Take(size, packet);
    if (packet)
    {
        read.result = std::min<int64_t>(read.result, size);
        read.data.resize(read.result);
        packet->CopyData(read.data.data(), read.data.size());
    }
    return read;
}

int64_t
TunFile::Read(uint8_t* buffer, uint32_t size)
{
    const TunReadResult read = Read(size);
    std::copy(read.data.begin(), read.data.end(), buffer);
    return read.result;
}

void
TunFile::ReadAsync(uint32_t size, ReadCallback callback)
{
    const bool sleeps = m_open && m_device && size > 0 && !m_nonBlocking;
    if (sleeps && (m_queue.empty() || !m_waiters.empty()))
    {
        m_waiters.push_back({size, callback});
        return;
    }
    Answer(callback, Read(size));
}

void
TunFile::Answer(ReadCallback callback, const TunReadResult& result)
{
    Simulator::ScheduleWithContext(GetContext(), Time(0), [callback, result]() {
        callback(result);
    });
}

uint32_t
TunFile::GetContext() const
{
    return m_driver && m_driver->m_node ? m_driver->m_node->GetId() : Simulator::NO_CONTEXT;
}

Ptr<Packet>
TunFile::ReadPacket()
{
    Ptr<Packet> packet;
    Take(std::numeric_limits<uint32_t>::max(), packet);
    return packet;
}

int64_t
TunFile::Write(const std::vector<uint8_t>& data)
{
    return Write(data.data(), data.size());
}

int64_t
TunFile::Write(const uint8_t* data, uint32_t size)
{
    return WritePacket(Create<Packet>(data, size));
}

int64_t
TunFile::WritePacket(Ptr<const Packet> packet)
{
    if (const int32_t error = CheckDevice())
    {
        return error;
    }
    return m_device->Write(this, packet);
}

uint16_t
TunFile::Poll() const
{
    if (!m_open || !m_device)
    {
        return TUN_POLLERR;
    }
    uint16_t events = m_queue.empty() ? 0 : TUN_POLLIN;
    // A socket is writable while less than half of its buffer is used; an idle one counts as 1.
    if (m_device->IsUp() && m_sendBuffer / 2 > 1)
    {
        events |= TUN_POLLOUT;
    }
    return events;
}

void
TunFile::SetReadableCallback(ReadableCallback callback)
{
    m_readable = callback;
}

void
TunFile::Enqueue(const TunFrame& frame)
{
    m_queue.push_back(frame);
    if (!m_waiters.empty() && !m_serving)
    {
        m_serving = true;
        Simulator::ScheduleWithContext(GetContext(),
                                       Time(0),
                                       &TunFile::ServeWaiters,
                                       Ptr<TunFile>(this));
    }
    if (!m_readable.IsNull() && !m_notifying)
    {
        m_notifying = true;
        Simulator::ScheduleWithContext(GetContext(),
                                       Time(0),
                                       &TunFile::NotifyReadable,
                                       Ptr<TunFile>(this));
    }
}

void
TunFile::ServeWaiters()
{
    m_serving = false;
    while (!m_waiters.empty() && !m_queue.empty())
    {
        const Waiter waiter = m_waiters.front();
        m_waiters.pop_front();
        waiter.callback(Read(waiter.size));
    }
}

void
TunFile::NotifyReadable()
{
    m_notifying = false;
    if (m_open && !m_readable.IsNull())
    {
        m_readable(this);
    }
}

void
TunFile::Shutdown(int32_t error)
{
    for (const auto& waiter : m_waiters)
    {
        Answer(waiter.callback, {error, {}});
    }
    m_waiters.clear();
}

void
TunFile::Close()
{
    if (!m_open)
    {
        return;
    }
    Ptr<TunFile> self = this;
    m_open = false;
    Shutdown(-LINUX_EBADF);
    if (m_device)
    {
        Ptr<TunNetDevice> device = m_device;
        device->Detach(this, true);
    }
    m_driver->Forget(self);
}

bool
TunFile::IsOpen() const
{
    return m_open;
}

void
TunFile::SetNonBlocking(bool nonBlocking)
{
    m_nonBlocking = nonBlocking;
}

bool
TunFile::IsNonBlocking() const
{
    return m_nonBlocking;
}

Ptr<TunNetDevice>
TunFile::GetDevice() const
{
    return m_device;
}

uint32_t
TunFile::GetQueueIndex() const
{
    return m_ifIndex & MAX_QUEUE_INDEX;
}

void
TunFile::SetQueueIndex(uint32_t index)
{
    // Linux keeps both numbers in one place: a file whose device has gone wants, for its next
    // device, the interface index that its queue's index has left there.
    m_ifIndex = (m_ifIndex & ~MAX_QUEUE_INDEX) | index;
}

bool
TunFile::IsDetached() const
{
    return m_detached;
}

uint32_t
TunFile::GetNPackets() const
{
    return m_queue.size();
}

} // namespace linuxhost
} // namespace ns3
