/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DUMMY_NET_DEVICE_H
#define DUMMY_NET_DEVICE_H

#include "xmit-path.h"

#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Linux's dummy device: what is sent is counted and freed, nothing is ever received.
 *
 * While a path is recorded (XmitRecorder), a transmission appends what it costs.
 */
class DummyNetDevice : public NetDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    /// @param name the device's name in paths, e.g. `dummy0`
    explicit DummyNetDevice(const std::string& name = "dummy0");
    ~DummyNetDevice() override;

    /// @returns packets sent
    uint64_t GetTxPackets() const;
    /// @returns bytes sent
    uint64_t GetTxBytes() const;

    // Inherited from NetDevice.
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
    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address group) const override;
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
    DummyXmitPath m_path;                           //!< what a transmission costs
    Ptr<Node> m_node;                               //!< node
    uint32_t m_ifIndex;                             //!< index
    uint16_t m_mtu;                                 //!< MTU
    Mac48Address m_address;                         //!< address
    uint64_t m_txPackets;                           //!< packets sent
    uint64_t m_txBytes;                             //!< bytes sent
    TracedCallback<Ptr<const Packet>> m_macTxTrace; //!< packets sent
};

} // namespace linuxhost
} // namespace ns3

#endif /* DUMMY_NET_DEVICE_H */
