/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * "vlan: restore offload use on vlan transmit", before and after: netperf's TCP_STREAM over a VLAN
 * on 10 Gb/s cards, as netperf prints it.
 *
 *     ./ns3 run "vlan-offload"
 *     ./ns3 run "vlan-offload --features"
 *     ./ns3 run "vlan-offload --reorder-hdr=1 --variant=before --mtu=9000 --json=-"
 */

#include "ns3/scenario-programs.h"

int
main(int argc, char* argv[])
{
    return ns3::linuxhost::VlanOffloadMain(argc, argv);
}
