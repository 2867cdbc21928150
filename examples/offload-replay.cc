/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup linux-host
 * Replays recorded cases of a kernel's segmentation, checksum completion and receive offload, and
 * prints where the model does otherwise:
 *
 *     offload-replay --cases=FILE
 */

#include "ns3/ethernet-capture.h"
#include "ns3/example-options.h"
#include "ns3/offload-cases.h"

#include <iostream>
#include <string>

using namespace ns3::linuxhost;

int
main(int argc, char* argv[])
{
    std::string path;
    std::string pcap;
    ExampleOptions options("offload-replay",
                           "Replay recorded cases of segmentation and receive offload.");
    options.AddText("cases", "The recorded cases.", &path, "FILE.json");
    options.AddText(
        "pcap",
        "Write the frames that segmentation and checksum completion made, of all cases, "
        "as a capture.",
        &pcap,
        "FILE.pcap");
    int exitCode = 0;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    if (path.empty())
    {
        return options.Fail("--cases=FILE.json is needed: the recorded cases to replay");
    }

    OffloadCases cases;
    const std::string problem = LoadOffloadCases(path, &cases);
    if (!problem.empty())
    {
        return options.Fail(problem);
    }

    OutputFile::Keep(path);
    OutputFile made;
    std::string wrong = pcap.empty() ? "" : made.Open(pcap);
    if (!wrong.empty())
    {
        return options.Fail("pcap", pcap, wrong);
    }
    if (!pcap.empty())
    {
        std::vector<CapturedFrame> frames;
        for (const GsoCase& one : cases.gso)
        {
            bool writeFails = false;
            for (auto& frame : ReplayGso(one.in, &writeFails))
            {
                frames.push_back({static_cast<int64_t>(frames.size()) * 1000, std::move(frame)});
            }
        }
        WriteEthernetCapture(made.Stream(), frames);
        wrong = made.Commit();
        if (!wrong.empty())
        {
            return options.Fail(wrong);
        }
    }

    size_t right = 0;
    const auto report = [&](const char* kind,
                            size_t index,
                            const std::string& name,
                            const std::string& difference) {
        if (difference.empty())
        {
            right++;
            return;
        }
        std::cout << kind << "[" << index << "] " << JsonQuote(name) << ": " << difference << "\n";
    };
    for (size_t i = 0; i < cases.gso.size(); i++)
    {
        report("gso", i, cases.gso[i].name, CheckGsoCase(cases.gso[i]));
    }
    for (size_t i = 0; i < cases.gro.size(); i++)
    {
        report("gro", i, cases.gro[i].name, CheckGroCase(cases.gro[i]));
    }
    const size_t total = cases.gso.size() + cases.gro.size();
    std::cout << "right " << right << " of " << total << "\n";
    return right == total ? 0 : 1;
}
