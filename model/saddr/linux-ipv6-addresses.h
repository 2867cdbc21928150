/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUX_IPV6_ADDRESSES_H
#define LINUX_IPV6_ADDRESSES_H

#include "source-address-selection.h"

#include "ns3/event-id.h"
#include "ns3/ipv6.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <map>
#include <utility>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What Linux knows about a node's IPv6 addresses and ns-3 does not: flags, lifetimes, the order
 * of each interface's list, address labels and the sysctls of source address selection.
 *
 * Aggregated to a node by SaddrHelper. The addresses themselves are those of the node's Ipv6
 * object, which is looked at before each selection; interface i of ns-3 has Linux's index i + 1.
 */
class LinuxIpv6Addresses : public Object
{
  public:
    /// @returns the type id
    static TypeId GetTypeId();

    LinuxIpv6Addresses();
    ~LinuxIpv6Addresses() override;

    /**
     * TracedCallback signature of Selection.
     * @param query the question
     * @param choice the answer, with the work that it took
     */
    typedef void (*SelectionCallback)(const SaddrQuery& query, const SaddrChoice& choice);

    /// @param enable whether the kernel was built with CONFIG_IPV6_MIP6, hence rule HOME
    void SetMobileIpv6(bool enable);
    /// @returns whether the kernel was built with CONFIG_IPV6_MIP6
    bool GetMobileIpv6() const;
    /// @param enable whether the kernel was built with CONFIG_IPV6_OPTIMISTIC_DAD
    void SetOptimisticDad(bool enable);
    /// @returns whether the kernel was built with CONFIG_IPV6_OPTIMISTIC_DAD
    bool GetOptimisticDad() const;

    /// @param interface ns-3's interface index
    /// @param value sysctl `use_tempaddr`: 2 or more prefers temporary addresses
    void SetUseTempaddr(uint32_t interface, int32_t value);
    /// @param interface ns-3's interface index
    /// @param value sysctl `use_oif_addrs_only`: no other interface's addresses
    void SetUseOifAddrsOnly(uint32_t interface, bool value);
    /// @param interface ns-3's interface index
    /// @param dad sysctl `optimistic_dad`: addresses can be used while duplicate detection runs
    /// @param use sysctl `use_optimistic`: and count as preferred ones
    void SetOptimistic(uint32_t interface, bool dad, bool use);

    /**
     * Set an address's flags, as `ip -6 addr change` would.
     *
     * What ns-3 itself knows (tentative during duplicate detection, deprecated, home address)
     * comes on top. SADDR_NODAD makes the address usable at once; SADDR_OPTIMISTIC ends with
     * duplicate detection.
     * @param interface ns-3's interface index
     * @param address an address of that interface
     * @param flags SaddrFlag bits
     * @returns whether the interface has the address
     */
    bool SetFlags(uint32_t interface, Ipv6Address address, uint16_t flags);
    /**
     * Set an address's lifetimes, counted from now. When the preferred one is over, the address
     * is deprecated; when the valid one is over, it is removed.
     * @param interface ns-3's interface index
     * @param address an address of that interface
     * @param preferred the preferred lifetime; Time::Max() is forever
     * @param valid the valid lifetime; Time::Max() is forever
     * @returns whether the interface has the address and the lifetimes are not negative, the
     *          preferred one no longer than the valid one
     */
    bool SetLifetimes(uint32_t interface, Ipv6Address address, Time preferred, Time valid);
    /**
     * @param interface ns-3's interface index
     * @param address an address of that interface
     * @param[out] flags its flags at this moment, SaddrFlag bits
     * @returns whether the interface has the address
     */
    bool GetFlags(uint32_t interface, Ipv6Address address, uint16_t* flags);

    /// @returns the label table, to be changed as with `ip addrlabel`
    Ipv6AddressLabels& GetLabels();
    /// @param preferences SaddrPreference bits for sockets that ask for nothing
    void SetPreferences(uint16_t preferences);
    /// @returns SaddrPreference bits of what is being sent now
    uint16_t GetPreferences() const;

    /**
     * Connect a socket with preferences of its own, as after setsockopt(IPV6_ADDR_PREFERENCES):
     * a TCP connection keeps the source that it starts with.
     * @param socket a socket of this node
     * @param address the peer
     * @param preferences SaddrPreference bits
     * @returns what Socket::Connect() returns
     */
    int Connect(Ptr<Socket> socket, const Address& address, uint16_t preferences);

    /**
     * Choose a source address.
     * @param destination the packet's destination
     * @param interface ns-3's index of the outgoing interface, or -1
     * @param preferences SaddrPreference bits
     * @param verdicts when not null, how each visited address fared
     * @returns the answer; valid until an address changes
     */
    SaddrChoice Select(Ipv6Address destination,
                       int32_t interface,
                       uint16_t preferences,
                       std::vector<SaddrVerdict>* verdicts = nullptr);
    /**
     * Order destinations as getaddrinfo() does (RFC 6724, section 6).
     * @param destinations Ipv4Address and Ipv6Address values
     * @returns them, the best first
     */
    std::vector<Address> OrderDestinations(const std::vector<Address>& destinations);

    /// @returns the host, as the kernel would see it at this moment
    const SaddrHost& GetHost();

    /**
     * Preferences for what is sent while this object lives.
     */
    class PreferenceScope
    {
      public:
        /// @param addresses a node's addresses
        /// @param preferences SaddrPreference bits
        PreferenceScope(Ptr<LinuxIpv6Addresses> addresses, uint16_t preferences);
        ~PreferenceScope();
        PreferenceScope(const PreferenceScope&) = delete;
        PreferenceScope& operator=(const PreferenceScope&) = delete;

      private:
        Ptr<LinuxIpv6Addresses> m_addresses; //!< the node's addresses
        uint16_t m_before;                   //!< preferences to go back to
    };

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    /// What the user has said about an address.
    struct Record
    {
        uint16_t flags{0};     //!< SaddrFlag bits
        bool detecting{false}; //!< duplicate detection has been seen to run
        EventId preferredEnd;  //!< end of the preferred lifetime
        EventId validEnd;      //!< end of the valid lifetime
    };

    /// Make the host follow the Ipv6 object.
    void Update();
    /**
     * @param interface ns-3's interface index
     * @param arp whether the device resolves addresses; if not, nothing is detected on it
     * @param address an address of it
     * @returns its flags at this moment
     */
    uint16_t CurrentFlags(uint32_t interface, bool arp, const Ipv6InterfaceAddress& address);
    /**
     * @param interface ns-3's interface index
     * @param address an address
     * @returns the address on the host, or null
     */
    const SaddrAddress* Find(uint32_t interface, Ipv6Address address);
    /**
     * The preferred lifetime is over.
     * @param interface ns-3's interface index
     * @param address the address
     */
    void Deprecate(uint32_t interface, Ipv6Address address);
    /**
     * The valid lifetime is over.
     * @param interface ns-3's interface index
     * @param address the address
     */
    void Expire(uint32_t interface, Ipv6Address address);
    /**
     * @param interface ns-3's interface index
     * @returns the interface's settings
     */
    SaddrInterface& GetInterface(uint32_t interface);
    /**
     * @param destination an address
     * @returns the source that a datagram to it would have, as an Ipv6Address or an IPv4-mapped
     *          one, or `::`
     */
    Ipv6Address FindSource(const Address& destination);

    /// Key of a record: interface and address.
    using Key = std::pair<uint32_t, Ipv6Address>;

    Ptr<Ipv6> m_ipv6;                //!< the node's IPv6
    SaddrHost m_host;                //!< the host as the kernel would see it
    std::map<Key, Record> m_records; //!< what the user has said
    int32_t m_useTempaddr{0};        //!< `use_tempaddr` of new interfaces
    bool m_useOifAddrsOnly{false};   //!< `use_oif_addrs_only` of new interfaces
    uint16_t m_preferences{0};       //!< SaddrPreference bits
    /// Selections and the work that they took.
    TracedCallback<const SaddrQuery&, const SaddrChoice&> m_selectionTrace;
};

} // namespace linuxhost
} // namespace ns3

#endif /* LINUX_IPV6_ADDRESSES_H */
