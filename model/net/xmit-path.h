/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef XMIT_PATH_H
#define XMIT_PATH_H

#include "ns3/kernel-lock.h"
#include "ns3/kernel-path.h"

#include <functional>
#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * An IPv6 route (struct rt6_info): its reference count and the field that says whether it is still
 * valid (rt6i_node) are on one line.
 */
class Rt6Info : public SimpleRefCount<Rt6Info>
{
  public:
    /// @param name the route's name
    explicit Rt6Info(const std::string& name);

    LineField refcnt; //!< dst.__refcnt
    LineField node;   //!< rt6i_node
};

/**
 * @ingroup linux-host
 * An entry of the IPv4 route cache (struct rtable): the key that each lookup compares, the
 * reference count, the use count and the time of last use are on one line.
 */
class Rtable : public SimpleRefCount<Rtable>
{
  public:
    /// @param name the route's name
    explicit Rtable(const std::string& name);

    /**
     * A lookup that finds this entry: `ip_route_output_flow`.
     * @param path the path
     * @param instructions work of the lookup
     */
    void RecordLookup(KernelPath& path, double instructions) const;
    /**
     * Give a reference back.
     * @param path the path
     * @param note whose
     */
    void RecordRelease(KernelPath& path, const std::string& note) const;

    LineField key;     //!< fl, compared by each lookup
    LineField refcnt;  //!< dst.__refcnt
    LineField use;     //!< dst.__use
    LineField lastuse; //!< dst.lastuse
};

class UdpSocketPath;

/**
 * @ingroup linux-host
 * What a packet that is being recorded holds references to, as a struct sk_buff does.
 */
struct SkbRefs
{
    const UdpSocketPath* socket;                   //!< its socket, until it is orphaned
    std::function<void(KernelPath&)> releaseRoute; //!< records skb_dst_drop
};

/**
 * @ingroup linux-host
 * A packet that walks down the devices while its path is recorded.
 *
 * A device's Send() asks XmitRecorder::Current(): null means that nothing is recorded.
 */
class XmitRecorder : public PathRecorder
{
  public:
    /**
     * @param path the path to record into, until this object goes
     * @param skb what the packet holds
     */
    XmitRecorder(Ptr<KernelPath> path, const SkbRefs& skb);
    ~XmitRecorder();

    /// @returns the recorder in use, or null
    static XmitRecorder* Current();
    /// @returns the path
    KernelPath& GetPath();
    /// @returns what the packet holds
    SkbRefs& GetSkb();

  private:
    Ptr<KernelPath> m_path; //!< path
    SkbRefs m_skb;          //!< what the packet holds
    XmitRecorder* m_outer;  //!< what was in use before
};

/**
 * @ingroup linux-host
 * A device's transmit queue (struct netdev_queue): the lock, who has it and when it was last used
 * are on one line. A device with NETIF_F_LLTX takes no lock.
 */
class NetdevQueue : public SimpleRefCount<NetdevQueue>
{
  public:
    /**
     * @param device the device's name
     * @param lockKind kind of spin lock (KernelLock::GetSpinLockKinds)
     * @param lltx whether the device has NETIF_F_LLTX
     */
    NetdevQueue(const std::string& device, const std::string& lockKind, bool lltx);

    /**
     * `dev_queue_xmit` up to the device's own transmit function: no qdisc (tx_queue_len is 0).
     * @param path the path
     */
    void RecordEnter(KernelPath& path) const;
    /**
     * What `dev_queue_xmit` does when the device's transmit function is back.
     * @param path the path
     */
    void RecordLeave(KernelPath& path) const;

    /**
     * What `dev_hard_start_xmit` does to the packet before the device gets it.
     * @param path the path
     * @param skb the packet; it is orphaned
     * @param dropRoute whether the device has IFF_XMIT_DST_RELEASE
     */
    static void RecordHardStart(KernelPath& path, SkbRefs& skb, bool dropRoute);

    /// @returns whether the device has NETIF_F_LLTX
    bool IsLltx() const;

  private:
    Ptr<CacheLine> m_line;  //!< the line that is written
    Ptr<KernelLock> m_lock; //!< _xmit_lock
    LineField m_owner;      //!< xmit_lock_owner
    LineField m_transStart; //!< trans_start
    bool m_lltx;            //!< NETIF_F_LLTX
};

/**
 * @ingroup linux-host
 * How a user process sends datagrams through a socket, as Linux 2.6.36 does it.
 *
 * A path is recorded in two halves: RecordHead() up to where the datagram is handed to its device,
 * the device's own steps, and RecordTail().
 */
class UdpSocketPath : public SimpleRefCount<UdpSocketPath>
{
  public:
    /**
     * @param name the socket's name
     * @param payload bytes a datagram
     */
    UdpSocketPath(const std::string& name, uint32_t payload);
    virtual ~UdpSocketPath() = default;

    /**
     * @param path the path
     */
    virtual void RecordHead(KernelPath& path) const = 0;
    /**
     * @param path the path
     */
    virtual void RecordTail(KernelPath& path) const = 0;
    /**
     * The first device's `dev_hard_start_xmit` cuts the packet loose from its socket.
     * @param path the path
     */
    void RecordOrphan(KernelPath& path) const;

  protected:
    /**
     * The system call, from the user's loop to the protocol's sendmsg.
     * @param path the path
     */
    void RecordSyscall(KernelPath& path) const;
    /**
     * Allocate a buffer, charge it to the socket, and copy the user's data into it.
     * @param path the path
     */
    void RecordAllocate(KernelPath& path) const;

    LineField m_lock;      //!< sk_lock
    LineField m_wmemAlloc; //!< sk_wmem_alloc
    uint32_t m_payload;    //!< bytes a datagram
};

/**
 * @ingroup linux-host
 * A connected IPv6 UDP socket that is sent to with an address: the route comes from the socket's
 * cache, and takes six atomic operations a datagram (three here in the head, one where the tunnel
 * drops it, two in the tail).
 */
class Udp6SocketPath : public UdpSocketPath
{
  public:
    /**
     * @param name the socket's name
     * @param payload bytes a datagram
     * @param route the route that the socket caches
     */
    Udp6SocketPath(const std::string& name, uint32_t payload, Ptr<Rt6Info> route);
    void RecordHead(KernelPath& path) const override;
    void RecordTail(KernelPath& path) const override;

  private:
    Ptr<Rt6Info> m_route; //!< route
};

/**
 * @ingroup linux-host
 * A connected IPv4 UDP socket that is sent to with an address: the route cache is looked up for
 * each datagram, and the reference moves along with it.
 */
class Udp4SocketPath : public UdpSocketPath
{
  public:
    /**
     * @param name the socket's name
     * @param payload bytes a datagram
     * @param route the route that each lookup finds
     */
    Udp4SocketPath(const std::string& name, uint32_t payload, Ptr<Rtable> route);
    void RecordHead(KernelPath& path) const override;
    void RecordTail(KernelPath& path) const override;

  private:
    Ptr<Rtable> m_route; //!< route
};

/**
 * @ingroup linux-host
 * The transmit path of the dummy device, lockless and with per-CPU statistics (2.6.37): the packet
 * is counted and freed.
 */
class DummyXmitPath : public SimpleRefCount<DummyXmitPath>
{
  public:
    /// @param device the device's name
    explicit DummyXmitPath(const std::string& device);
    /**
     * @param path the path
     * @param skb the packet
     */
    void Record(KernelPath& path, SkbRefs& skb) const;

  private:
    NetdevQueue m_queue; //!< its transmit queue
};

} // namespace linuxhost
} // namespace ns3

#endif /* XMIT_PATH_H */
