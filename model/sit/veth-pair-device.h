/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VETH_PAIR_DEVICE_H
#define VETH_PAIR_DEVICE_H

#include "ns3/ipv4-reassembly.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * One end of a veth pair: an Ethernet device joined to another without a wire's limits.
 *
 * Frames are as Linux puts them on such a pair: no padding to 60 bytes, no frame check sequence,
 * and zero as the wanted hardware address of an ARP request. Whatever arrives is checked as a
 * host's IP input checks it before ns-3's stack, which trusts its input, sees it; what fails is
 * counted and dropped.
 *
 * Linux runs the other end's receive softirq at the end of each transmission, so an answer to one
 * frame of a burst is on the pair before the next frame is. Here frames leave a little apart.
 */
class VethPairDevice : public NetDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    VethPairDevice();

    /**
     * Join two devices.
     * @param other the other end
     */
    void SetPeer(Ptr<VethPairDevice> other);
    /**
     * Put a whole frame on the pair as it is, as a packet socket does.
     * @param frame the frame, with its Ethernet header and without frame check sequence
     * @returns whether it was sent; it is not when it is shorter than a header or beyond the MTU
     */
    bool SendFrame(Ptr<Packet> frame);

    /// @returns frames that were received and found malformed
    uint64_t GetMalformedCount() const;

    // inherited from NetDevice
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
    Address GetMulticast(Ipv6Address address) const override;
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
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;

  private:
    /**
     * A frame leaves.
     * @param frame the frame
     */
    void Depart(Ptr<Packet> frame);
    /**
     * A frame arrives.
     * @param frame the frame
     */
    void ReceiveFrame(Ptr<Packet> frame);
    /**
     * Check a frame's content as the host's input does, and put fragments for this host together.
     * @param payload what follows the Ethernet header; what is to be handed on when this returns:
     * trimmed to its real length, a whole datagram for its last fragment, and null for the others
     * @param protocol the EtherType
     * @returns whether it is well formed
     */
    bool CheckPayload(Ptr<Packet>* payload, uint16_t protocol);
    /**
     * Tell the sender of a datagram that its fragments did not all come.
     * @param first the first fragment
     */
    void ReassemblyExpired(const std::vector<uint8_t>& first);

    Ptr<Node> m_node;                         //!< the node
    Ptr<VethPairDevice> m_peer;               //!< the other end
    Mac48Address m_address;                   //!< hardware address
    uint32_t m_ifIndex{0};                    //!< interface index
    uint16_t m_mtu{1500};                     //!< largest payload
    Time m_delay;                             //!< from one end to the other
    Time m_gap;                               //!< between two frames that leave
    Time m_nextDeparture;                     //!< when the next frame may leave
    uint64_t m_malformed{0};                  //!< frames received and found malformed
    Ipv4Reassembly m_reassembly;              //!< datagrams for this host in fragments
    NetDevice::ReceiveCallback m_receive;     //!< to the node
    PromiscReceiveCallback m_promiscReceive;  //!< to the node, every frame
    std::vector<Callback<void>> m_linkChange; //!< told when the pair is joined

    /// Every frame sent or received, with its Ethernet header.
    TracedCallback<Ptr<const Packet>> m_snifferTrace;
    /// Frames that were dropped.
    TracedCallback<Ptr<const Packet>> m_dropTrace;
};

} // namespace linuxhost
} // namespace ns3

#endif /* VETH_PAIR_DEVICE_H */
