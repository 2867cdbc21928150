/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * Compare the tun device with what a Linux kernel did: the bytes that read() gave in each mode
 * (--reads), or the answers to open, ioctl, write, read and close (--answers).
 *
 *     tun-replay --answers=answers.json
 *
 * prints `right R of N` and a line for each difference; the exit code is 1 when there is one.
 */

#include "ns3/tun-replay.h"

#include "ns3/example-options.h"

#include <iostream>

using namespace ns3::linuxhost;

int
main(int argc, char* argv[])
{
    std::string reads;
    std::string answers;
    ExampleOptions options("tun-replay",
                           "compares the tun device with recordings of a Linux kernel");
    options.AddText("reads", "Recording of what read() gave in each mode.", &reads, "FILE");
    options.AddText("answers", "Recording of steps on /dev/net/tun.", &answers, "FILE");
    int exitCode = 0;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    if (reads.empty() == answers.empty())
    {
        return options.Fail("give either --reads=FILE or --answers=FILE");
    }
    const TunReplayReport report =
        reads.empty() ? ReplayTunAnswers(answers) : ReplayTunReads(reads);
    if (!report.error.empty())
    {
        return options.Fail(report.error);
    }
    for (const auto& difference : report.differences)
    {
        std::cout << difference << "\n";
    }
    std::cout << "right " << report.right << " of " << report.total << std::endl;
    return report.differences.empty() ? 0 : 1;
}
