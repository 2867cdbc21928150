/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_DRIVER_H
#define TUN_DRIVER_H

#include "tun-abi.h"
#include "tun-file.h"
#include "tun-net-device.h"

#include "ns3/object.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

class Node;

namespace linuxhost
{

/**
 * @ingroup linux-host
 * Who opens /dev/net/tun: what TUNSETIFF checks against a device's owner and group.
 */
struct TunCredentials
{
    uint32_t user{0};             //!< effective user
    std::vector<uint32_t> groups; //!< its groups
    bool netAdmin{true};          //!< whether it has CAP_NET_ADMIN
};

/**
 * @ingroup linux-host
 * A host's /dev/net/tun: opens files, and knows the host's tun devices by name.
 *
 * Aggregated to a node. Devices come and go by what the files do (TunFile::SetIff and
 * TunFile::Close), and are added to the node when they come.
 */
class TunDriver : public Object
{
  public:
    /// @returns the TypeId
    static TypeId GetTypeId();
    TunDriver();
    ~TunDriver() override;

    /**
     * @param node a node
     * @returns its driver, made when it had none
     */
    static Ptr<TunDriver> GetDriver(Ptr<Node> node);

    /**
     * Open /dev/net/tun.
     * @param credentials who opens it
     * @returns the file
     */
    Ptr<TunFile> Open(const TunCredentials& credentials = TunCredentials());
    /**
     * @param name an interface name
     * @returns the tun device of that name, or null
     */
    Ptr<TunNetDevice> GetDevice(const std::string& name) const;
    /**
     * @param name an interface name
     * @returns whether the host has an interface of that name, tun device or not
     */
    bool Exists(const std::string& name) const;
    /**
     * Note that a name is taken by an interface that is no tun device; `lo` always is.
     * @param name the name
     */
    void ReserveName(const std::string& name);
    /**
     * What `ip link set up` and `down` do.
     * @param name the device's name
     * @param up whether it shall be up
     * @returns 0 or a negative error
     */
    int32_t SetLinkUp(const std::string& name, bool up);
    /**
     * What `ip link delete` does: files that were attached have no device afterwards.
     * @param name the device's name
     * @returns 0 or a negative error
     */
    int32_t DeleteLink(const std::string& name);
    /**
     * What `ip -s link` shows.
     * @param name the device's name
     * @param[out] statistics the counters
     * @returns 0 or a negative error
     */
    int32_t GetStatistics(const std::string& name, TunStatistics& statistics) const;
    /// @returns the names of the tun devices
    std::vector<std::string> GetDeviceNames() const;

  protected:
    void DoDispose() override;
    void NotifyNewAggregate() override;

  private:
    friend class TunFile;
    friend class TunNetDevice;

    /**
     * TUNSETIFF.
     * @param file the file
     * @param[in,out] request name and flags
     * @returns 0 or a negative error
     */
    int32_t SetIff(Ptr<TunFile> file, TunRequest& request);
    /**
     * Make a device.
     * @param file the file that it is made for
     * @param[in,out] request name and flags
     * @param[out] device the device
     * @returns 0 or a negative error
     */
    int32_t CreateDevice(Ptr<TunFile> file, TunRequest& request, Ptr<TunNetDevice>& device);
    /**
     * Turn a wanted name into one that is free.
     * @param wanted the name, or a template with one `%d`
     * @param[out] name the name
     * @returns 0 or a negative error
     */
    int32_t AllocateName(const std::string& wanted, std::string& name) const;
    /**
     * A device leaves the host.
     * @param device the device
     */
    void Forget(Ptr<TunNetDevice> device);
    /**
     * A file has been closed.
     * @param file the file
     */
    void Forget(Ptr<TunFile> file);

    Node* m_node{nullptr};                              //!< the host
    std::map<std::string, Ptr<TunNetDevice>> m_devices; //!< by name
    std::set<std::string> m_reserved;                   //!< names of other interfaces
    std::set<int32_t> m_indices;                        //!< interface indices in use
    int32_t m_lastIndex{1};                             //!< last index given automatically
    std::set<Ptr<TunFile>> m_files;                     //!< open files
};

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_DRIVER_H */
