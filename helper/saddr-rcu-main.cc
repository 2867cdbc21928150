/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "patch-example.h"
#include "saddr-case-file.h"
#include "scenario-programs.h"

#include "ns3/boolean.h"
#include "ns3/kernel-lock.h"
#include "ns3/saddr-rcu.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <fstream>

namespace ns3
{
namespace linuxhost
{

int
SaddrRcuMain(int argc, char* argv[])
{
    PatchExample example("saddr-rcu",
                         "the RCU patches of IPv6 source address selection (Linux, 2017)",
                         16,
                         {"qrwlock", "rwlock"},
                         "dual-xeon-e5-2620-v4");
    ExampleOptions& options = example.GetOptions();
    int64_t interfaces = SaddrRcu::INTERFACES;
    int64_t addresses = SaddrRcu::ADDRESSES;
    int64_t labels = SaddrRcu::LABELS;
    int64_t flows = 16;
    int64_t payload = 100;
    std::string file;
    options.AddInteger("interfaces",
                       "Interfaces of the host, eth0 among them.",
                       1,
                       1000,
                       &interfaces);
    options.AddInteger("addresses", "Global addresses of eth0.", 1, 256, &addresses);
    options.AddInteger("labels", "Entries of the table of address labels.", 1, 1000, &labels);
    options.AddInteger("flows", "Flows; when not given, one a CPU.", 1, 1024, &flows);
    options.AddInteger("payload", "UDP payload of a datagram.", 0, 1432, &payload, "bytes");
    options.AddText("host",
                    "The host's addresses instead, in the form that saddr-explain reads; the "
                    "packets leave by its eth0.",
                    &file,
                    "FILE.json");
    example.Bind("ns3::linuxhost::SaddrRcu",
                 {{"variant", "Rcu"},
                  {"lock", "Lock"},
                  {"cpus", "Cpus"},
                  {"flows", "Flows"},
                  {"payload", "Payload"}});
    example.SetCase([&options]() {
        for (const char* name : {"host", "interfaces", "addresses", "labels", "flows", "payload"})
        {
            if (options.IsGiven(name))
            {
                return std::string();
            }
        }
        return std::string("host=assumed");
    });
    return example.Run(
        argc,
        argv,
        [&](const PatchExample::Request& request,
            const std::string& variant) -> Ptr<PatchScenario> {
            SaddrHost host = SaddrRcu::MakeHost(static_cast<uint32_t>(interfaces),
                                                static_cast<uint32_t>(addresses),
                                                static_cast<uint32_t>(labels));
            if (options.IsGiven("host"))
            {
                for (const char* other : {"interfaces", "addresses", "labels"})
                {
                    if (options.IsGiven(other))
                    {
                        options.Fail("--host and --" + std::string(other) +
                                     ": only one of the two is allowed");
                        return nullptr;
                    }
                }
                std::ifstream in(file);
                if (!in || !IsRegularInput(file))
                {
                    options.Fail("host", file, "a JSON file that can be read");
                    return nullptr;
                }
                const std::string wrong = SaddrCaseFile::ReadHost(in, &host);
                if (!wrong.empty())
                {
                    options.Fail(file + ": " + wrong);
                    return nullptr;
                }
                // Of the kernel, not of the file: neither option, as in the assumed host.
                host.kernelHasOptimisticDad = false;
            }
            const SaddrQuery query = SaddrRcu::MakeQuery(host);
            if (query.oif == 0 || !SelectSourceAddress(host, query).source)
            {
                options.Fail("host", file, "a host whose eth0 can reach 2001:db8:1::ffff");
                return nullptr;
            }
            Ptr<SaddrRcu> scenario = CreateObject<SaddrRcu>();
            scenario->SetHost(host, query);
            scenario->SetAttribute("Rcu", BooleanValue(variant == "after"));
            scenario->SetAttribute("Lock", StringValue(request.lock));
            scenario->SetAttribute("Cpus", UintegerValue(request.cpus));
            scenario->SetAttribute("Flows",
                                   UintegerValue(options.IsGiven("flows")
                                                     ? static_cast<uint64_t>(flows)
                                                     : request.cpus));
            scenario->SetAttribute("Payload", UintegerValue(static_cast<uint64_t>(payload)));
            return scenario;
        });
}

} // namespace linuxhost
} // namespace ns3
