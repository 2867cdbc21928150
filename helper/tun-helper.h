/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_HELPER_H
#define TUN_HELPER_H

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"
#include "ns3/tun-file.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Puts tun devices on nodes: opens /dev/net/tun, attaches as many files as queues are wanted, and
 * sets the link up.
 *
 * \code
 *   TunHelper tun;
 *   tun.SetTap(true);
 *   NetDeviceContainer devices = tun.Install(nodes);
 *   Ptr<TunFile> file = TunHelper::GetFile(devices.Get(0));
 * \endcode
 */
class TunHelper : public PcapHelperForDevice
{
  public:
    TunHelper();

    /**
     * @param tap whether the devices are TAP devices; TUN otherwise
     */
    void SetTap(bool tap);
    /**
     * @param name name or template of the devices; empty: Linux's `tun%d` and `tap%d`
     */
    void SetName(const std::string& name);
    /**
     * @param packetInformation whether there is a packet information header (no IFF_NO_PI)
     */
    void SetPacketInformation(bool packetInformation);
    /**
     * @param size size of the virtio-net header, 10 at least; 0: there is none (no IFF_VNET_HDR)
     */
    void SetVnetHeaderSize(uint32_t size);
    /**
     * @param offloads what the program takes (TunOffload bits, as TUNSETOFFLOAD)
     */
    void SetOffloads(uint32_t offloads);
    /**
     * @param queues number of queues; more than one: IFF_MULTI_QUEUE
     */
    void SetQueues(uint32_t queues);
    /**
     * @param up whether the link is set up
     */
    void SetUp(bool up);
    /**
     * Set an attribute of the devices.
     * @param name the attribute's name
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param nodes the nodes
     * @returns a device on each; a node where the system refuses one is left out
     */
    NetDeviceContainer Install(NodeContainer nodes) const;
    /**
     * @param node the node
     * @returns the device; none when the system refuses it
     */
    NetDeviceContainer Install(Ptr<Node> node) const;

    /**
     * @param device a tun device
     * @param queue index of a queue
     * @returns the file attached there, or null
     */
    static Ptr<TunFile> GetFile(Ptr<NetDevice> device, uint32_t queue = 0);

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> nd,
                            bool promiscuous,
                            bool explicitFilename) override;

    bool m_tap{false};               //!< TAP, not TUN
    std::string m_name;              //!< name or template
    bool m_packetInformation{false}; //!< packet information header
    uint32_t m_vnetHeaderSize{0};    //!< virtio-net header
    uint32_t m_offloads{0};          //!< TUNSETOFFLOAD
    uint32_t m_queues{1};            //!< number of queues
    bool m_up{true};                 //!< link up
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_attributes; //!< of the devices
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_HELPER_H */
