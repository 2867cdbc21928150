/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_NET_DEVICE_H
#define TUN_NET_DEVICE_H

#include "tun-abi.h"
#include "tun-flow.h"
#include "tun-vnet-header.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <array>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

class TunChannel;
class TunDriver;
class TunFile;
class TunOffloadTag;
struct TunTxFilter;

/**
 * @ingroup linux-host
 * A packet on its way to the program: what a queue of the device holds.
 */
struct TunFrame
{
    Ptr<Packet> packet;   //!< the packet; of a TAP device with its Ethernet header
    uint16_t protocol{0}; //!< EtherType, for the packet information header
    TunVnetHeader header; //!< what the virtio-net header would say
};

/**
 * @ingroup linux-host
 * Linux's tun device: a network device whose other end is a program.
 *
 * What the node sends over it, the program reads from its TunFile; what the program writes there,
 * the node receives. In TUN mode that is IP packets, in TAP mode Ethernet frames. TunDriver makes
 * the device when a program asks for it (TUNSETIFF), and unregisters it when the last program has
 * gone. ns-3 nodes never forget a device, so an unregistered one stays in the node's list, dead:
 * its link is down, and it takes and gives nothing.
 *
 * The device has no back-pressure: a packet that finds its queue full is dropped and counted. It
 * has no NetDeviceQueueInterface either, so ns-3 puts no queue disc on it.
 */
class TunNetDevice : public NetDevice
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();
    TunNetDevice();
    ~TunNetDevice() override;

    /// A program run on each packet for the reader, as an eBPF or classic BPF filter is: returns
    /// how many bytes to keep, 0 for none.
    using Filter = std::function<uint32_t(Ptr<const Packet> packet)>;
    /// A program that picks a packet's queue, as a steering eBPF program does; taken modulo the
    /// number of queues.
    using Steering = std::function<uint32_t(Ptr<const Packet> packet)>;

    /// @returns the interface's name, such as `tap0`
    std::string GetName() const;
    /// @returns whether it is a TAP device
    bool IsTap() const;
    /// @returns whether it has not been unregistered
    bool IsRegistered() const;
    /// @returns the flags that TUNGETIFF tells of the device itself (TunFlag)
    uint16_t GetFlags() const;

    /**
     * What `ip link set up` and `down` do.
     * @param up whether the device shall be up
     */
    void SetUp(bool up);
    /// @returns whether the device is up
    bool IsUp() const;
    /// @returns whether there is a carrier
    bool HasCarrier() const;

    /**
     * What `ip link set txqueuelen` does.
     * @param length most packets of one queue; 500 at first, 1000 of a TAP device
     */
    void SetTxQueueLen(uint32_t length);
    /// @returns most packets of one queue
    uint32_t GetTxQueueLen() const;
    /// @returns the number of attached queues
    uint32_t GetNQueues() const;
    /**
     * @param queue index of an attached queue
     * @returns the file attached there, or null
     */
    Ptr<TunFile> GetFile(uint32_t queue) const;
    /// @returns the number of detached queues (IFF_DETACH_QUEUE)
    uint32_t GetNDisabledQueues() const;
    /// @returns the offloads in effect (TunOffload)
    uint32_t GetOffloads() const;
    /// @returns the counters
    TunStatistics GetStatistics() const;
    /// @returns the link type, an ARPHRD number (TUNSETLINK)
    uint16_t GetLinkType() const;
    /// @returns the user that owns it, or -1 (TUNSETOWNER)
    int64_t GetOwner() const;
    /// @returns the group that owns it, or -1 (TUNSETGROUP)
    int64_t GetGroup() const;

    // Inherited from NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

  private:
    friend class TunDriver;
    friend class TunFile;

    /// The transmit filter of a TAP device (TUNSETTXFILTER).
    struct TxFilter
    {
        std::vector<Mac48Address> exact; //!< addresses that pass; none: the filter is off
        uint64_t hashed{0};              //!< multicast addresses that pass, by hash
    };

    /**
     * Take on a name and a mode.
     * @param driver the driver that the device belongs to
     * @param name its name
     * @param tap whether it is a TAP device
     * @param flags the flags of TUNSETIFF
     */
    void Initialize(TunDriver* driver, const std::string& name, bool tap, uint16_t flags);
    /**
     * Give a file a queue.
     * @param file the file
     * @returns 0, or a negative error
     */
    int32_t Attach(Ptr<TunFile> file);
    /**
     * Take a file's queue away.
     * @param file the file
     * @param clean whether the file leaves for good, rather than by IFF_DETACH_QUEUE
     */
    void Detach(Ptr<TunFile> file, bool clean);
    /// Leave the host: all files lose the device.
    void Unregister();
    /**
     * @param carrier whether there is a carrier
     */
    void SetCarrier(bool carrier);
    /**
     * Set the offloads, as TUNSETOFFLOAD does.
     * @param offloads TunOffload bits
     * @returns 0, or a negative error
     */
    int32_t SetOffloads(uint64_t offloads);
    /**
     * Take what the program has written.
     * @param file the file it was written to
     * @param packet what was written, with its headers
     * @returns the number of bytes written, or a negative error
     */
    int64_t Write(Ptr<TunFile> file, Ptr<const Packet> packet);
    /**
     * Hand a written packet to the node.
     * @param packet the packet; of a TAP device with its Ethernet header
     * @param protocol its EtherType, of a TUN device
     */
    void Deliver(Ptr<Packet> packet, uint16_t protocol);
    /**
     * Hand what a program wrote to the node: whole, or cut.
     * @param packet the packet
     * @param protocol its EtherType
     * @param tag what is known of its checksum and segmentation
     */
    void DeliverWritten(Ptr<Packet> packet, uint16_t protocol, TunOffloadTag tag);
    /**
     * Whether Linux has somebody for a packet when nobody else wants it.
     * @param packet the packet behind the link header
     * @param protocol its EtherType, or the length in its place
     * @returns whether it is not counted as dropped
     */
    bool IsKnownProtocol(Ptr<const Packet> packet, uint16_t protocol) const;
    /**
     * @param lengthType the EtherType of a frame, or the length in its place
     * @param payload what follows
     * @param size how much of it is there
     * @returns Linux's protocol number
     */
    static uint16_t ProtocolOf(uint16_t lengthType, const uint8_t* payload, uint32_t size);
    /**
     * Queue a packet for the program.
     * @param packet the packet; of a TAP device with its Ethernet header
     * @param protocol its EtherType
     * @returns whether it was queued
     */
    bool Transmit(Ptr<Packet> packet, uint16_t protocol);
    /**
     * Put a packet in the queue that it belongs to.
     * @param frame the packet
     * @returns whether it was queued
     */
    bool Queue(const TunFrame& frame);
    /**
     * Cut a packet for segmentation into what a device takes.
     * @param bytes the packet; of a TAP device with its Ethernet header
     * @param protocol its EtherType
     * @param tag what is known of its checksum and segmentation
     * @param offloads what the device takes (TunOffload)
     * @param sink gets each piece
     * @returns whether it could be cut
     */
    bool Segment(const std::vector<uint8_t>& bytes,
                 uint16_t protocol,
                 const TunOffloadTag& tag,
                 uint32_t offloads,
                 const std::function<void(const TunFrame&)>& sink) const;
    /**
     * Count and trace a packet that the program does not get.
     * @param packet the packet
     * @returns false
     */
    bool DropTransmit(Ptr<const Packet> packet);
    /**
     * @param packet a packet with its link header
     * @param protocol its EtherType
     * @returns the index of the queue that it goes to
     */
    uint32_t SelectQueue(Ptr<const Packet> packet, uint16_t protocol);
    /**
     * @param bytes a frame
     * @returns whether the transmit filter lets it pass
     */
    bool PassesTxFilter(const std::vector<uint8_t>& bytes) const;
    /**
     * @param keys what a packet's headers say
     * @returns whether its source address is one of the node's
     */
    bool IsFromThisNode(const TunFlowKeys& keys) const;
    /**
     * Give a packet the checksum and the header that the reader expects.
     * @param frame the packet
     */
    void FinishOffloads(TunFrame& frame);
    /**
     * TUNSETTXFILTER.
     * @param filter the addresses
     * @returns the number of addresses that are compared whole
     */
    int32_t SetTxFilter(const TunTxFilter& filter);
    /**
     * Put bytes before a packet, and leave its tags alone.
     * @param packet the packet
     * @param bytes the bytes
     */
    static void PutBefore(Ptr<Packet> packet, const std::vector<uint8_t>& bytes);
    /// Tell the link's state to those who asked for it.
    void NotifyLinkChange();

    TunDriver* m_driver{nullptr};                  //!< the driver, while the device is registered
    std::string m_name;                            //!< interface name
    int32_t m_linuxIndex{0};                       //!< the index that Linux would know it by
    bool m_tap{false};                             //!< TAP, not TUN
    uint16_t m_flags{0};                           //!< TUN_FEATURES bits
    bool m_persist{false};                         //!< stays when the last file is closed
    bool m_registered{false};                      //!< not yet, or no longer
    bool m_up{false};                              //!< IFF_UP
    bool m_carrier{false};                         //!< carrier
    std::vector<Ptr<TunFile>> m_queues;            //!< attached files, by queue index
    std::list<Ptr<TunFile>> m_disabled;            //!< files without their queue
    uint32_t m_txQueueLen{500};                    //!< most packets of a queue
    uint32_t m_offloads{0};                        //!< TunOffload bits
    int32_t m_vnetHeaderSize{TunVnetHeader::SIZE}; //!< TUNSETVNETHDRSZ
    bool m_vnetLittleEndian{false};                //!< TUNSETVNETLE
    TxFilter m_txFilter;                           //!< TUNSETTXFILTER
    Filter m_filter;                               //!< TUNSETFILTEREBPF
    Filter m_socketFilter;                         //!< TUNATTACHFILTER
    Steering m_steering;                           //!< TUNSETSTEERINGEBPF
    int64_t m_owner{-1};                           //!< TUNSETOWNER
    int64_t m_group{-1};                           //!< TUNSETGROUP
    uint16_t m_linkType;                           //!< TUNSETLINK
    uint32_t m_debug{0};                           //!< TUNSETDEBUG
    TunFlowTable m_flows;                          //!< which queue a flow was last written to
    TunStatistics m_statistics;                    //!< counters
    bool m_finishChecksums;                        //!< attribute FinishChecksums
    bool m_keepSegmentation;                       //!< attribute KeepSegmentation

    Ptr<TunChannel> m_channel;                             //!< where it is alone
    Ptr<Node> m_node;                                      //!< the node
    uint32_t m_ifIndex{0};                                 //!< index in the node
    Address m_address;                                     //!< of a TAP device its MAC address
    uint16_t m_mtu;                                        //!< MTU
    NetDevice::ReceiveCallback m_rxCallback;               //!< to the node
    NetDevice::PromiscReceiveCallback m_promiscRxCallback; //!< to who sees all
    TracedCallback<> m_linkChangeCallbacks;                //!< told of the link's state

    TracedCallback<Ptr<const Packet>> m_macTxTrace;          //!< handed to the device
    TracedCallback<Ptr<const Packet>> m_macTxDropTrace;      //!< not queued for the program
    TracedCallback<Ptr<const Packet>> m_macPromiscRxTrace;   //!< written, whoever it is for
    TracedCallback<Ptr<const Packet>> m_macRxTrace;          //!< written, for this node
    TracedCallback<Ptr<const Packet>> m_macRxDropTrace;      //!< written, but dropped
    TracedCallback<Ptr<const Packet>> m_snifferTrace;        //!< on the wire, for this node
    TracedCallback<Ptr<const Packet>> m_promiscSnifferTrace; //!< on the wire
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_NET_DEVICE_H */
