/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * Locks held against measurements.
 *
 *     ./ns3 run lock-scaling                                  the six curves of OLS 2012
 *     ./ns3 run "lock-scaling --lock=mcs --serial=400 --fraction=0.02 --cpus=1-48"
 *     ./ns3 run "lock-scaling --machine=dual-xeon-e5540 --atomic"
 *     ./ns3 run "lock-scaling --machine=platinum-8176 --primitive=rwlock"
 *     ./ns3 run "lock-scaling --machine=westmere-ex --lock=qspinlock --serial=0 --cpus=3-8"
 */

#include "ns3/scenario-programs.h"

int
main(int argc, char* argv[])
{
    return ns3::linuxhost::LockScalingMain(argc, argv);
}
