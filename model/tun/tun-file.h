/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_FILE_H
#define TUN_FILE_H

#include "tun-abi.h"
#include "tun-net-device.h"

#include "ns3/callback.h"
#include "ns3/mac48-address.h"
#include "ns3/object.h"
#include "ns3/packet.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

class TunDriver;

/**
 * @ingroup linux-host
 * The argument of TUNSETIFF, TUNGETIFF and TUNSETQUEUE.
 */
struct TunRequest
{
    std::string name;  //!< interface name, or a template such as `tap%d`
    uint16_t flags{0}; //!< TunFlag bits
};

/**
 * @ingroup linux-host
 * The argument of TUNSETTXFILTER.
 */
struct TunTxFilter
{
    uint16_t flags{0};                   //!< TUN_FILTER_ALLMULTI or 0
    std::vector<Mac48Address> addresses; //!< which destinations the reader wants
};

/**
 * @ingroup linux-host
 * What a read gives.
 */
struct TunReadResult
{
    int64_t result{0};         //!< number of bytes, or a negative error
    std::vector<uint8_t> data; //!< the bytes
};

/**
 * @ingroup linux-host
 * A file that a program has opened on /dev/net/tun: a queue of a tun device, seen from the program.
 *
 * Calls are those of the system: a result below 0 is an error (-LINUX_EAGAIN), as Linux gives it in
 * the same place. The file is as open as a file of a process: it stays so until Close(), also when
 * nobody holds a pointer to it.
 *
 * Read() does not wait; a program that sleeps in read() is a callback given to ReadAsync().
 */
class TunFile : public Object
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();
    TunFile();
    ~TunFile() override;

    /// What a waiting read calls.
    using ReadCallback = Callback<void, TunReadResult>;
    /// What is called when a packet has been queued, as SIGIO would be sent.
    using ReadableCallback = Callback<void, Ptr<TunFile>>;

    /**
     * Attach to a device, and make it if there is none (TUNSETIFF).
     * @param[in,out] request name or template, and flags; gives the device's name back
     * @returns 0 or a negative error
     */
    int32_t SetIff(TunRequest& request);
    /**
     * TUNGETIFF.
     * @param[out] request name and flags
     * @returns 0 or a negative error
     */
    int32_t GetIff(TunRequest& request) const;
    /**
     * Give up the queue, or take it back (TUNSETQUEUE).
     * @param flags TUN_FLAG_ATTACH_QUEUE or TUN_FLAG_DETACH_QUEUE
     * @returns 0 or a negative error
     */
    int32_t SetQueue(uint16_t flags);
    /**
     * TUNGETFEATURES.
     * @param[out] features the flags that TUNSETIFF knows
     * @returns 0 or a negative error
     */
    int32_t GetFeatures(uint32_t& features) const;
    /**
     * Whether the device stays when the last file is closed (TUNSETPERSIST).
     * @param persist whether it does
     * @returns 0 or a negative error
     */
    int32_t SetPersist(bool persist);
    /**
     * TUNSETOWNER.
     * @param user the user who may attach
     * @returns 0 or a negative error
     */
    int32_t SetOwner(uint32_t user);
    /**
     * TUNSETGROUP.
     * @param group the group whose members may attach
     * @returns 0 or a negative error
     */
    int32_t SetGroup(uint32_t group);
    /**
     * TUNSETLINK: refused while the device is up.
     * @param type the link type, an ARPHRD number
     * @returns 0 or a negative error
     */
    int32_t SetLink(int32_t type);
    /**
     * TUNSETOFFLOAD.
     * @param offloads TunOffload bits: what the program takes
     * @returns 0 or a negative error
     */
    int32_t SetOffload(uint64_t offloads);
    /**
     * TUNSETTXFILTER, of a TAP device.
     * @param filter the addresses; none switches the filter off
     * @returns the number of addresses that are compared whole, or a negative error
     */
    int32_t SetTxFilter(const TunTxFilter& filter);
    /**
     * TUNGETSNDBUF.
     * @param[out] size the size
     * @returns 0 or a negative error
     */
    int32_t GetSendBuffer(int32_t& size) const;
    /**
     * TUNSETSNDBUF.
     * @param size the size
     * @returns 0 or a negative error
     */
    int32_t SetSendBuffer(int32_t size);
    /**
     * TUNGETVNETHDRSZ.
     * @param[out] size the size
     * @returns 0 or a negative error
     */
    int32_t GetVnetHeaderSize(int32_t& size) const;
    /**
     * TUNSETVNETHDRSZ.
     * @param size the size of the virtio-net header
     * @returns 0 or a negative error
     */
    int32_t SetVnetHeaderSize(int32_t size);
    /**
     * TUNGETVNETLE.
     * @param[out] littleEndian 1 or 0
     * @returns 0 or a negative error
     */
    int32_t GetVnetLittleEndian(int32_t& littleEndian) const;
    /**
     * TUNSETVNETLE.
     * @param littleEndian whether the virtio-net header is little endian whatever the host is
     * @returns 0 or a negative error
     */
    int32_t SetVnetLittleEndian(int32_t littleEndian);
    /**
     * TUNGETVNETBE, which a little-endian host does not have.
     * @param[out] bigEndian untouched
     * @returns a negative error
     */
    int32_t GetVnetBigEndian(int32_t& bigEndian) const;
    /**
     * TUNSETVNETBE, which a little-endian host does not have.
     * @param bigEndian ignored
     * @returns a negative error
     */
    int32_t SetVnetBigEndian(int32_t bigEndian);
    /**
     * The index of the device to be made (TUNSETIFINDEX). Linux's numbers are checked as Linux
     * does; the ns-3 node numbers its devices itself.
     * @param index the index
     * @returns 0 or a negative error
     */
    int32_t SetIfIndex(int32_t index);
    /**
     * TUNSETCARRIER.
     * @param carrier whether there is a carrier
     * @returns 0 or a negative error
     */
    int32_t SetCarrier(bool carrier);
    /**
     * TUNSETNOCSUM, which does nothing.
     * @param off ignored
     * @returns 0 or a negative error
     */
    int32_t SetNoChecksum(bool off);
    /**
     * TUNSETDEBUG.
     * @param level ethtool's message level
     * @returns 0 or a negative error
     */
    int32_t SetDebug(uint32_t level);
    /**
     * TUNATTACHFILTER, of a TAP device.
     * @param filter the program
     * @returns 0 or a negative error
     */
    int32_t AttachFilter(TunNetDevice::Filter filter);
    /**
     * TUNDETACHFILTER, of a TAP device.
     * @returns 0 or a negative error
     */
    int32_t DetachFilter();
    /**
     * TUNGETFILTER, of a TAP device.
     * @param[out] filter the program, null for none
     * @returns 0 or a negative error
     */
    int32_t GetFilter(TunNetDevice::Filter& filter) const;
    /**
     * TUNSETFILTEREBPF.
     * @param filter the program, or null for none
     * @returns 0 or a negative error
     */
    int32_t SetFilterProgram(TunNetDevice::Filter filter);
    /**
     * TUNSETSTEERINGEBPF.
     * @param steering the program, or null for the automatic choice
     * @returns 0 or a negative error
     */
    int32_t SetSteeringProgram(TunNetDevice::Steering steering);
    /**
     * SIOCGIFHWADDR.
     * @param[out] address the device's MAC address, all zero of a TUN device; after TUNSETLINK, as
     *             much of it as an address of the link type has bytes
     * @returns 0 or a negative error
     */
    int32_t GetHardwareAddress(Mac48Address& address) const;
    /**
     * SIOCSIFHWADDR, with an address of the Ethernet family.
     * @param address the new MAC address
     * @returns 0 or a negative error
     */
    int32_t SetHardwareAddress(Mac48Address address);

    /**
     * Read one packet, without waiting.
     * @param size size of the buffer; what does not fit is lost
     * @returns the bytes, or the error -LINUX_EAGAIN when there is nothing
     */
    TunReadResult Read(uint32_t size);
    /**
     * Read one packet, without waiting.
     * @param[out] buffer where the bytes go
     * @param size size of the buffer; what does not fit is lost
     * @returns the number of bytes, or a negative error
     */
    int64_t Read(uint8_t* buffer, uint32_t size);
    /**
     * Sleep in read(): the callback is called, from the simulator, as soon as there is a packet,
     * or an error. Non-blocking files are answered at once with -LINUX_EAGAIN. Several that wait
     * are served in order, one packet each.
     * @param size size of the buffer; what does not fit is lost
     * @param callback what to call
     */
    void ReadAsync(uint32_t size, ReadCallback callback);
    /**
     * Read one packet as an ns-3 packet, whole and with its tags.
     * @returns the packet, with the headers that Read() gives; null when there is nothing
     */
    Ptr<Packet> ReadPacket();
    /**
     * Write one packet.
     * @param data what to write: packet information and virtio-net header as the device was set
     *             up, then the packet
     * @returns the number of bytes written, or a negative error
     */
    int64_t Write(const std::vector<uint8_t>& data);
    /**
     * Write one packet.
     * @param data what to write
     * @param size its size
     * @returns the number of bytes written, or a negative error
     */
    int64_t Write(const uint8_t* data, uint32_t size);
    /**
     * Write one packet, keeping an ns-3 packet's tags.
     * @param packet what to write
     * @returns the number of bytes written, or a negative error
     */
    int64_t WritePacket(Ptr<const Packet> packet);
    /// @returns what is possible now (TunPoll bits)
    uint16_t Poll() const;
    /**
     * @param callback called, from the simulator, whenever a packet has been queued
     */
    void SetReadableCallback(ReadableCallback callback);
    /// Close the file; the last one takes a device that is not persistent with it.
    void Close();

    /// @returns whether the file is open
    bool IsOpen() const;
    /**
     * @param nonBlocking whether ReadAsync() does not wait either (O_NONBLOCK)
     */
    void SetNonBlocking(bool nonBlocking);
    /// @returns whether ReadAsync() does not wait either
    bool IsNonBlocking() const;
    /// @returns the device, or null
    Ptr<TunNetDevice> GetDevice() const;
    /// @returns the index of its queue
    uint32_t GetQueueIndex() const;
    /// @returns whether its queue is detached
    bool IsDetached() const;
    /// @returns the number of packets to be read
    uint32_t GetNPackets() const;

  protected:
    void DoDispose() override;

  private:
    friend class TunDriver;
    friend class TunNetDevice;

    /// A read that waits.
    struct Waiter
    {
        uint32_t size;         //!< size of the buffer
        ReadCallback callback; //!< what to call
    };

    /// @returns 0 when the file has a device, or the error to answer with
    int32_t CheckDevice() const;
    /**
     * Take a packet out of the queue and give it the headers that the reader gets.
     * @param size size of the buffer
     * @param[out] packet the packet
     * @returns the number of bytes, which may be more than the buffer holds, or a negative error
     */
    int64_t Take(uint32_t size, Ptr<Packet>& packet);
    /**
     * Queue a packet and wake a reader.
     * @param frame the packet
     */
    void Enqueue(const TunFrame& frame);
    /// Serve the reads that wait, as long as there are packets.
    void ServeWaiters();
    /// Tell the program that there is something to read.
    void NotifyReadable();
    /**
     * The device goes away, or the file is closed.
     * @param error what a waiting read gets
     */
    void Shutdown(int32_t error);
    /**
     * Call back from the simulator.
     * @param callback what to call
     * @param result what to tell
     */
    void Answer(ReadCallback callback, const TunReadResult& result);
    /**
     * @param index the index that the queue has from now on
     */
    void SetQueueIndex(uint32_t index);
    /// @returns the node that the program runs on
    uint32_t GetContext() const;

    TunDriver* m_driver{nullptr};   //!< the driver
    bool m_open{false};             //!< not closed yet
    bool m_nonBlocking{false};      //!< O_NONBLOCK
    uint32_t m_user{0};             //!< effective user of the program
    std::vector<uint32_t> m_groups; //!< its groups
    bool m_netAdmin{true};          //!< whether it has CAP_NET_ADMIN
    Ptr<TunNetDevice> m_device;     //!< the device
    bool m_detached{false};         //!< IFF_DETACH_QUEUE
    bool m_napi{false};             //!< attached with IFF_NAPI
    bool m_napiFrags{false};        //!< attached with IFF_NAPI_FRAGS
    int32_t m_sendBuffer;           //!< TUNSETSNDBUF
    int32_t m_ifIndex{0};           //!< TUNSETIFINDEX; its lower half is also the queue's index
    bool m_filtered{false};         //!< TUNATTACHFILTER reached this file
    std::deque<TunFrame> m_queue;   //!< packets to be read
    std::deque<Waiter> m_waiters;   //!< reads that wait
    bool m_serving{false};          //!< ServeWaiters is scheduled
    bool m_notifying{false};        //!< NotifyReadable is scheduled
    ReadableCallback m_readable;    //!< told of new packets
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_FILE_H */
