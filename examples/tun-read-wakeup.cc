/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * "net-tun: restructure tun_do_read for better sleep/wakeup efficiency", before and after: one CPU
 * sends frames through a bridge to a tap device, another reads them and sleeps when there are none.
 *
 *     ./ns3 run "tun-read-wakeup"
 *     ./ns3 run "tun-read-wakeup --placement=cross-socket --size=1500 --variant=after"
 *     ./ns3 run "tun-read-wakeup --sender-work=500 --json=-"
 */

#include "ns3/scenario-programs.h"

int
main(int argc, char* argv[])
{
    return ns3::linuxhost::TunReadWakeupMain(argc, argv);
}
