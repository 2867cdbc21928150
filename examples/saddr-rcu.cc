/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * "ipv6: ipv6_dev_get_saddr() rcu works", before and after: flows send UDP from unconnected sockets
 * through a multi-queue card.
 *
 *     ./ns3 run "saddr-rcu"
 *     ./ns3 run "saddr-rcu --interfaces=4 --addresses=1 --cpus=32 --json=-"
 *     ./ns3 run "saddr-rcu --host=contrib/linux-host/examples/data/saddr-rcu-host.json --diff-path"
 */

#include "ns3/scenario-programs.h"

int
main(int argc, char* argv[])
{
    return ns3::linuxhost::SaddrRcuMain(argc, argv);
}
