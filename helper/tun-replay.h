/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUN_REPLAY_H
#define TUN_REPLAY_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * How the model compares with what a Linux kernel did.
 */
struct TunReplayReport
{
    uint32_t right{0};                    //!< steps, or reads, that are as Linux had them
    uint32_t total{0};                    //!< all of them
    std::vector<std::string> differences; //!< one line for each that is not
    std::string error;                    //!< why the file cannot be played; empty when it can
};

/**
 * @ingroup linux-host
 * Play the cases of a recording: steps on /dev/net/tun and their results.
 *
 * Files of a case that are numbered with a gap (q1, then q255) stand for those that a recording has
 * left out: the steps of the file before the gap are played for each of them.
 *
 * @param path the file, as `doc/tun.rst` describes it
 * @returns the comparison, step by step
 */
TunReplayReport ReplayTunAnswers(const std::string& path);

/**
 * @ingroup linux-host
 * Read, in each mode of a recording, what a host sends over a tun device, and compare the bytes.
 *
 * Of the recording itself are taken only the two things that a kernel draws at random: the IPv4
 * identification, and when its multicast listener reports go out.
 *
 * @param path the file, as `doc/tun.rst` describes it
 * @returns the comparison, read by read
 */
TunReplayReport ReplayTunReads(const std::string& path);

} // namespace linuxhost
} // namespace ns3

#endif /* TUN_REPLAY_H */
