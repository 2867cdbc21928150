/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEVICE_ADDRESS_FILTER_H
#define DEVICE_ADDRESS_FILTER_H

#include "ns3/mac48-address.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Which destination addresses a device has been asked to receive besides its own.
 *
 * ns-3's devices have no such filter: it is aggregated to a device, and a device that filters asks
 * it. Everything is counted, as several users may want the same. A device that is stacked on
 * another gives its filter the other's as the lower one while it is up; what this one wants is then
 * wanted below as well, once.
 */
class DeviceAddressFilter : public Object
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();

    /// @param lower the filter of the device below, or null
    void SetLower(Ptr<DeviceAddressFilter> lower);
    /// @param change by how much: 1 for a new user who wants every frame, -1 when it goes
    void ChangePromiscuity(int32_t change);
    /// @returns number of users who want every frame
    int32_t GetPromiscuity() const;
    /// @param change by how much: 1 for a new user who wants every multicast frame, -1 when it goes
    void ChangeAllMulticast(int32_t change);
    /// @returns number of users who want every multicast frame
    int32_t GetAllMulticast() const;
    /// @param address another address, unicast or multicast, that a user wants
    void Add(Mac48Address address);
    /**
     * @param address an address that a user no longer wants
     * @returns whether one did
     */
    bool Remove(Mac48Address address);
    /**
     * @param address an address
     * @returns number of users who want it
     */
    uint32_t GetUsers(Mac48Address address) const;
    /**
     * @param destination a frame's
     * @param own the device's address
     * @returns whether the frame is wanted
     */
    bool Accepts(Mac48Address destination, Mac48Address own) const;

  protected:
    void DoDispose() override;

  private:
    /**
     * Tell the lower filter all that is wanted here.
     * @param wanted whether it is wanted, or no longer
     */
    void TellLower(bool wanted);

    Ptr<DeviceAddressFilter> m_lower;             //!< the filter of the device below
    int32_t m_promiscuity{0};                     //!< users who want every frame
    int32_t m_allMulticast{0};                    //!< users who want every multicast frame
    std::map<Mac48Address, uint32_t> m_addresses; //!< users by address
};

} // namespace linuxhost
} // namespace ns3

#endif /* DEVICE_ADDRESS_FILTER_H */
