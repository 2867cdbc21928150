/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-programs.h"

#include "ns3/config.h"
#include "ns3/simulator.h"

#include <iostream>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// An example.
struct Program
{
    const char* name;                    //!< name
    int (*main)(int argc, char* argv[]); //!< its main()
};

/// All of them, in the order in which they are listed.
const Program PROGRAMS[] = {
    {"sit-lockless-xmit", &SitLocklessXmitMain},
    {"lock-scaling", &LockScalingMain},
    {"saddr-rcu", &SaddrRcuMain},
    {"tun-read-wakeup", &TunReadWakeupMain},
    {"vlan-offload", &VlanOffloadMain},
};

/// Sends what a standard stream gets elsewhere, as long as it lives.
class Redirection
{
  public:
    /**
     * @param from the standard stream
     * @param to where it goes
     */
    Redirection(std::ostream& from, std::ostream& to)
        : m_stream(from),
          m_buffer(from.rdbuf(to.rdbuf()))
    {
    }

    ~Redirection()
    {
        m_stream.rdbuf(m_buffer);
    }

    Redirection(const Redirection&) = delete;
    Redirection& operator=(const Redirection&) = delete;

  private:
    std::ostream& m_stream;   //!< the standard stream
    std::streambuf* m_buffer; //!< its own buffer
};

/// Puts back what a run may have set for the whole process.
void
ResetNs3()
{
    Simulator::Destroy();
    // Global values (seed, run number, kind of scheduler) and the defaults of attributes.
    Config::Reset();
}

} // namespace

std::vector<std::string>
ScenarioPrograms::GetNames()
{
    std::vector<std::string> names;
    for (const auto& program : PROGRAMS)
    {
        names.emplace_back(program.name);
    }
    return names;
}

int
ScenarioPrograms::Run(const std::string& name,
                      const std::vector<std::string>& arguments,
                      std::ostream& out,
                      std::ostream& err)
{
    for (const auto& program : PROGRAMS)
    {
        if (program.name != name)
        {
            continue;
        }
        std::vector<std::string> texts{name};
        texts.insert(texts.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (auto& text : texts)
        {
            argv.push_back(&text[0]);
        }
        argv.push_back(nullptr);
        Redirection toOut(std::cout, out);
        Redirection toErr(std::cerr, err);
        ResetNs3();
        int code = program.main(static_cast<int>(texts.size()), argv.data());
        ResetNs3();
        return code;
    }
    return -1;
}

} // namespace linuxhost
} // namespace ns3
