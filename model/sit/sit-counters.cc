/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sit-counters.h"

namespace ns3
{
namespace linuxhost
{

void
SitCounters::Visit(const Visitor& visit) const
{
    visit("rx", "bytes", rxBytes);
    visit("rx", "packets", rxPackets);
    visit("rx", "errors", rxErrors);
    visit("rx", "dropped", rxDropped);
    visit("rx", "over_errors", rxOverErrors);
    visit("rx", "multicast", rxMulticast);
    visit("rx", "length_errors", rxLengthErrors);
    visit("rx", "crc_errors", rxCrcErrors);
    visit("rx", "frame_errors", rxFrameErrors);
    visit("rx", "fifo_errors", rxFifoErrors);
    visit("rx", "missed_errors", rxMissedErrors);
    visit("tx", "bytes", txBytes);
    visit("tx", "packets", txPackets);
    visit("tx", "errors", txErrors);
    visit("tx", "dropped", txDropped);
    visit("tx", "carrier_errors", txCarrierErrors);
    visit("tx", "collisions", txCollisions);
    visit("tx", "aborted_errors", txAbortedErrors);
    visit("tx", "fifo_errors", txFifoErrors);
    visit("tx", "window_errors", txWindowErrors);
    visit("tx", "heartbeat_errors", txHeartbeatErrors);
}

} // namespace linuxhost
} // namespace ns3
