/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_CHANNEL_H
#define TUN_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/net-device.h"

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The channel of a tun device, which is all alone on it.
 *
 * Nothing goes over it: packets end in the program. It is there for those who walk the topology,
 * as ns-3's global routing and its bridge do, and do not expect a device without a channel.
 */
class TunChannel : public Channel
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();

    /**
     * @param device the device
     */
    void SetDevice(Ptr<NetDevice> device);
    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  protected:
    void DoDispose() override;

  private:
    Ptr<NetDevice> m_device; //!< the device
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_CHANNEL_H */
