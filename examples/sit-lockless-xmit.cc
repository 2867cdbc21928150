/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * "sit: enable lockless xmits", before and after: 16 threads send UDP through one tunnel device.
 *
 *     ./ns3 run "sit-lockless-xmit"
 *     ./ns3 run "sit-lockless-xmit --tunnel=ipip --variant=after --cpus=8"
 *     ./ns3 run "sit-lockless-xmit --variant=before --lock=mcs --json=-"
 */

#include "ns3/scenario-programs.h"

int
main(int argc, char* argv[])
{
    return ns3::linuxhost::SitLocklessXmitMain(argc, argv);
}
