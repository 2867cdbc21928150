/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINUX_HOST_COMPAT_H
#define LINUX_HOST_COMPAT_H

#include "ns3/event-id.h"
#include "ns3/test.h"

/**
 * @file
 * @ingroup linux-host
 * The one place that asks which ns-3 release the pack is built against.
 *
 * LINUX_HOST_NS3_VERSION is set by the build: 337 for ns-3.37, 348 for ns-3.48,
 * 999 for a development tree.
 */

// Python's bindings in an ns-3 tree read every header of the module, without what the build sets:
// they do without what depends on the release.
#if !defined(LINUX_HOST_NS3_VERSION) && !defined(__CLING__)
#error "LINUX_HOST_NS3_VERSION is set by the build (see cmake/)"
#endif

namespace ns3
{
namespace linuxhost
{

/// EtherType of IPv4.
constexpr uint16_t ETHERTYPE_IPV4 = 0x0800;
/// EtherType of IPv6.
constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd;
/// EtherType of an 802.1Q tag.
constexpr uint16_t ETHERTYPE_8021Q = 0x8100;
/// EtherType of an 802.1ad tag.
constexpr uint16_t ETHERTYPE_8021AD = 0x88a8;

#ifdef LINUX_HOST_NS3_VERSION
#if LINUX_HOST_NS3_VERSION >= 342
/// Suite type and test durations under the names that 3.42 introduced.
constexpr auto TEST_SUITE_UNIT = TestSuite::Type::UNIT;
constexpr auto TEST_SUITE_SYSTEM = TestSuite::Type::SYSTEM;
constexpr auto TEST_SUITE_PERFORMANCE = TestSuite::Type::PERFORMANCE;
constexpr auto TEST_QUICK = TestCase::Duration::QUICK;
constexpr auto TEST_EXTENSIVE = TestCase::Duration::EXTENSIVE;
#else
/// Suite type and test durations under the names used before 3.42.
constexpr auto TEST_SUITE_UNIT = TestSuite::UNIT;
constexpr auto TEST_SUITE_SYSTEM = TestSuite::SYSTEM;
constexpr auto TEST_SUITE_PERFORMANCE = TestSuite::PERFORMANCE;
constexpr auto TEST_QUICK = TestCase::QUICK;
constexpr auto TEST_EXTENSIVE = TestCase::EXTENSIVE;
#endif

/**
 * @param id an event
 * @returns whether the event is still to run
 */
inline bool
IsEventPending(const EventId& id)
{
#if LINUX_HOST_NS3_VERSION >= 342
    return id.IsPending();
#else
    return id.IsRunning();
#endif
}
#endif

} // namespace linuxhost
} // namespace ns3

#endif /* LINUX_HOST_COMPAT_H */
