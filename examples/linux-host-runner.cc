/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * Plays the points of a sweep: questions come in as JSON lines, results go out as JSON lines.
 *
 *     echo '{"id": 1, "scenario": "sit-lockless-xmit", "params": {"cpus": 4}}' |
 *         build/examples/linux-host-runner
 *
 * ns3::linuxhost::PointRunner says what can be asked. The command linuxhost starts one of these a
 * core and keeps them busy.
 */

#include "ns3/example-options.h"
#include "ns3/point-runner.h"

#include <iostream>

using namespace ns3::linuxhost;

int
main(int argc, char* argv[])
{
    ExampleOptions options("linux-host-runner",
                           "plays points that it reads from standard input, a JSON object a line");
    bool greet = false;
    options.AddSwitch("greet", "Say what can be asked, and end.", &greet);
    int exitCode;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    // Nothing else may get between the answers: what a program prints goes to the answers' place.
    std::ostream answers(std::cout.rdbuf());
    PointRunner runner(answers);
    if (greet)
    {
        runner.Greet();
        return 0;
    }
    runner.Run(std::cin);
    return 0;
}
