/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/config.h"
#include "ns3/example-options.h"
#include "ns3/linux-host-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

/**
 * @ingroup linux-host-tests
 * Catches what is written to a standard stream while it lives.
 */
class StreamCatcher
{
  public:
    /// @param stream std::cout or std::cerr
    StreamCatcher(std::ostream& stream)
        : m_stream(stream),
          m_old(stream.rdbuf(m_text.rdbuf()))
    {
    }

    ~StreamCatcher()
    {
        m_stream.rdbuf(m_old);
    }

    /// @returns what was written
    std::string Text() const
    {
        return m_text.str();
    }

  private:
    std::ostream& m_stream;    //!< the stream that is caught
    std::ostringstream m_text; //!< what was written
    std::streambuf* m_old;     //!< the stream's own buffer
};

/**
 * @ingroup linux-host-tests
 * The command line of the examples: what is accepted, and what is refused in one line.
 */
class ExampleOptionsTestCase : public TestCase
{
  public:
    ExampleOptionsTestCase()
        : TestCase("Good options are taken; bad ones give one line and exit code 2")
    {
    }

  private:
    /// What one command line led to.
    struct Outcome
    {
        bool goOn;           //!< what Parse() returned
        int exitCode;        //!< the exit code for main()
        std::string out;     //!< standard output
        std::string err;     //!< standard error
        std::string variant; //!< the choice's value
        int64_t cpus;        //!< the integer's value
        double precision;    //!< the real's value
        bool printPath;      //!< the switch's value

        std::string attributes; //!< those of HostMachine that were given
    };

    /**
     * @param arguments a command line, without the program's name
     * @returns what it led to
     */
    Outcome Play(std::vector<std::string> arguments)
    {
        Outcome outcome{false, -1, "", "", "both", 16, 0.01, false, ""};
        ExampleOptions options("the-example", "Shows something.");
        options.AddChoice("variant", "Which.", {"before", "after", "both"}, &outcome.variant);
        options.AddInteger("cpus", "How many.", 1, 1024, &outcome.cpus);
        options.AddReal("precision", "How close.", 0.001, 0.5, &outcome.precision);
        options.AddSwitch("print-path", "Print it.", &outcome.printPath);
        options.Bind("ns3::linuxhost::SitLocklessXmit",
                     {{"variant", "Lltx"}, {"cpus", "Threads"}, {"precision", "Precision"}});
        options.Bind("ns3::linuxhost::SitNetDevice", {{"print-path", "!PmtuDiscovery"}});
        arguments.insert(arguments.begin(), "the-example");
        std::vector<char*> argv;
        for (auto& argument : arguments)
        {
            argv.push_back(&argument[0]);
        }
        argv.push_back(nullptr);
        StreamCatcher out(std::cout);
        StreamCatcher err(std::cerr);
        outcome.goOn =
            options.Parse(static_cast<int>(arguments.size()), argv.data(), &outcome.exitCode);
        outcome.out = out.Text();
        outcome.err = err.Text();
        outcome.attributes = options.GetAttributes("ns3::linuxhost::HostMachine");
        Config::Reset();
        return outcome;
    }

    /// What is given as an attribute holds, unless its option is given too.
    void CheckAttributes()
    {
        const std::string sit = "--ns3::linuxhost::SitLocklessXmit::";
        Outcome given = Play({sit + "Threads=4", sit + "Lltx=true"});
        NS_TEST_EXPECT_MSG_EQ(given.goOn, true, given.err);
        NS_TEST_EXPECT_MSG_EQ(given.cpus, 4, "an attribute holds");
        NS_TEST_EXPECT_MSG_EQ(given.variant, "after", "true is the second choice");
        NS_TEST_EXPECT_MSG_EQ(Play({sit + "Lltx=false"}).variant, "before", "false the first");
        NS_TEST_EXPECT_MSG_EQ(Play({"--cpus=2", sit + "Threads=4"}).cpus, 2, "an option wins");
        NS_TEST_EXPECT_MSG_EQ(Play({sit + "Threads=4", "--cpus=2"}).cpus, 2, "in any order");
        setenv("NS_ATTRIBUTE_DEFAULT", "ns3::linuxhost::SitLocklessXmit::Threads=8;x=y", 1);
        NS_TEST_EXPECT_MSG_EQ(Play({}).cpus, 8, "an attribute of ns-3's environment variable");
        NS_TEST_EXPECT_MSG_EQ(Play({sit + "Threads=4"}).cpus, 4, "what is typed goes first");
        unsetenv("NS_ATTRIBUTE_DEFAULT");
        NS_TEST_EXPECT_MSG_EQ(Play({"--ns3::linuxhost::HostMachine::L1Rmw=9",
                                    "--ns3::linuxhost::HostMachine::CrossLatency=80"})
                                  .attributes,
                              "CrossLatency=80,L1Rmw=9",
                              "attributes of a class");
        const std::string tunnel = "--ns3::linuxhost::SitNetDevice::PmtuDiscovery=";
        NS_TEST_EXPECT_MSG_EQ(Play({tunnel + "false"}).printPath, true, "the other way round");
        NS_TEST_EXPECT_MSG_EQ(Play({tunnel + "true"}).printPath, false, "the other way round");
        // Refused under the name by which it was given.
        CheckRefused(sit + "Threads=0", {"SitLocklessXmit::Threads=0", "1:1024"});
        CheckRefused("--ns3::linuxhost::PatchScenario::Warmup=abc", {"Warmup=abc", "100us"});
        CheckRefused("--ns3::linuxhost::PatchScenario::Warmup=1000y", {"Warmup=1000y", "100 days"});
        setenv("NS_ATTRIBUTE_DEFAULT", "ns3::linuxhost::PatchScenario::Warmup=abc", 1);
        CheckRefused("--variant=after", {"PatchScenario::Warmup=abc", "100us"});
        unsetenv("NS_ATTRIBUTE_DEFAULT");
        CheckRefused(sit + "Warmup=1ms", {"--ns3::linuxhost::PatchScenario::Warmup"});
        NS_TEST_EXPECT_MSG_EQ(Play({"--ns3::linuxhost::PatchScenario::Warmup=1.5ms"}).err, "", "");
    }

    /**
     * Check that an argument is refused as it should be.
     * @param argument the argument
     * @param parts what the message names
     */
    void CheckRefused(const std::string& argument, const std::vector<std::string>& parts)
    {
        Outcome outcome = Play({argument});
        NS_TEST_EXPECT_MSG_EQ(outcome.goOn, false, argument << " is refused");
        NS_TEST_EXPECT_MSG_EQ(outcome.exitCode, 2, "exit code after " << argument);
        NS_TEST_EXPECT_MSG_EQ(outcome.out, "", "nothing on standard output after " << argument);
        NS_TEST_EXPECT_MSG_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'),
                              1,
                              "one line for " << argument << ": " << outcome.err);
        for (const auto& part : parts)
        {
            NS_TEST_EXPECT_MSG_NE(outcome.err.find(part),
                                  std::string::npos,
                                  "'" << part << "' is named in: " << outcome.err);
        }
        NS_TEST_EXPECT_MSG_EQ(outcome.variant, "both", "defaults stay after " << argument);
        NS_TEST_EXPECT_MSG_EQ(outcome.cpus, 16, "defaults stay after " << argument);
    }

    void DoRun() override
    {
        Outcome none = Play({});
        NS_TEST_EXPECT_MSG_EQ(none.goOn, true, "no option at all is fine");
        NS_TEST_EXPECT_MSG_EQ(none.exitCode, 0, "exit code");
        NS_TEST_EXPECT_MSG_EQ(none.variant, "both", "default");

        Outcome good = Play(
            {"--variant=after", "--cpus", "1024", "--precision=0.5", "--print-path", "--RngRun=2"});
        NS_TEST_EXPECT_MSG_EQ(good.goOn, true, "good options are taken");
        NS_TEST_EXPECT_MSG_EQ(good.err, "", "without a message");
        NS_TEST_EXPECT_MSG_EQ(good.variant, "after", "choice");
        NS_TEST_EXPECT_MSG_EQ(good.cpus, 1024, "integer, upper bound");
        NS_TEST_EXPECT_MSG_EQ_TOL(good.precision, 0.5, 0, "real, upper bound");
        NS_TEST_EXPECT_MSG_EQ(good.printPath, true, "switch");

        CheckRefused("--variant=sideways", {"--variant", "sideways", "before|after|both"});
        CheckRefused("--cpus=0", {"--cpus", "=0", "1 to 1024"});
        CheckRefused("--cpus=1025", {"--cpus", "1025", "1 to 1024"});
        CheckRefused("--cpus=12x", {"--cpus", "12x", "1 to 1024"});
        CheckRefused("--cpus=", {"--cpus", "1 to 1024"});
        CheckRefused("--cpus=99999999999999999999", {"--cpus", "1 to 1024"});
        CheckRefused("--precision=nan", {"--precision", "nan", "0.001 to 0.5"});
        CheckRefused("--print-path=perhaps", {"--print-path", "perhaps", "1 or 0"});
        CheckRefused("--no-such-option=1", {"--no-such-option"});
        CheckRefused("--SchedulerType=ns3::NoSuchScheduler", {"--SchedulerType", "TypeId"});
        CheckRefused("--ns3::NoSuchClass::Attribute=1", {"ns3::NoSuchClass::Attribute"});
        CheckRefused("stray", {"stray"});
        CheckAttributes();

        Outcome help = Play({"--help"});
        NS_TEST_EXPECT_MSG_EQ(help.goOn, false, "nothing runs after --help");
        NS_TEST_EXPECT_MSG_EQ(help.exitCode, 0, "--help is no error");
        NS_TEST_EXPECT_MSG_NE(help.out.find("--variant=before|after|both"),
                              std::string::npos,
                              "--help lists the options");
        std::istringstream lines(help.out);
        for (std::string line; std::getline(lines, line);)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), 80, "fits 80 columns: " << line);
        }
    }
};

/**
 * @ingroup linux-host-tests
 * An output file appears whole or not at all.
 */
class OutputFileTestCase : public TestCase
{
  public:
    OutputFileTestCase()
        : TestCase("An output file appears whole or not at all")
    {
    }

  private:
    /**
     * @param folder a folder
     * @returns the names in it
     */
    static std::vector<std::string> Names(const std::string& folder)
    {
        std::vector<std::string> names;
        if (DIR* dir = opendir(folder.c_str()))
        {
            while (const dirent* entry = readdir(dir))
            {
                std::string name = entry->d_name;
                if (name != "." && name != "..")
                {
                    names.push_back(name);
                }
            }
            closedir(dir);
        }
        return names;
    }

    /**
     * @param path a file
     * @returns what is in it
     */
    static std::string Contents(const std::string& path)
    {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

    void DoRun() override
    {
        // Two runs in one second get one temporary folder from ns-3.
        std::string folder = CreateTempDirFilename("output-file-XXXXXX");
        NS_TEST_ASSERT_MSG_EQ((mkdtemp(&folder[0]) != nullptr), true, "a folder of its own");
        const std::string path = folder + "/result.json";
        {
            OutputFile file;
            NS_TEST_ASSERT_MSG_EQ(file.Open(path), "", "the file can be opened");
            file.Stream() << "half";
            NS_TEST_EXPECT_MSG_EQ(Contents(path), "", "nothing is seen before Commit()");
        }
        NS_TEST_EXPECT_MSG_EQ(Names(folder).size(), 0, "nothing is left without Commit()");
        {
            OutputFile file;
            NS_TEST_ASSERT_MSG_EQ(file.Open(path), "", "the file can be opened");
            file.Stream() << "first";
            NS_TEST_EXPECT_MSG_EQ(file.Commit(), "", "the file is put in its place");
        }
        NS_TEST_EXPECT_MSG_EQ(Contents(path), "first", "what was written");
        {
            OutputFile file;
            NS_TEST_ASSERT_MSG_EQ(file.Open(path), "", "an old file can be written over");
            file.Stream() << "second";
            NS_TEST_EXPECT_MSG_EQ(Contents(path), "first", "the old file stays until Commit()");
        }
        NS_TEST_EXPECT_MSG_EQ(Contents(path), "first", "the old file stays without Commit()");
        NS_TEST_EXPECT_MSG_EQ(Names(folder).size(), 1, "and nothing beside it");

        OutputFile nowhere;
        NS_TEST_EXPECT_MSG_NE(nowhere.Open(folder + "/no/such/folder/x"), "", "no folder");
        OutputFile isFolder;
        NS_TEST_EXPECT_MSG_NE(isFolder.Open(folder), "", "a folder is not a file");
        {
            OutputFile full;
            NS_TEST_ASSERT_MSG_EQ(full.Open("/dev/full"), "", "a device is written in place");
            full.Stream() << "lost";
            NS_TEST_EXPECT_MSG_NE(full.Commit(), "", "a full device is noticed");
        }
        NS_TEST_EXPECT_MSG_EQ(Names(folder).size(), 1, "failures leave nothing");

        const pid_t child = fork();
        if (child == 0)
        {
            OutputFile file;
            file.Open(folder + "/other.json");
            file.Stream() << "half" << std::flush;
            raise(SIGTERM);
            _exit(0);
        }
        int status = 0;
        NS_TEST_ASSERT_MSG_EQ(waitpid(child, &status, 0), child, "a child that is stopped");
        NS_TEST_EXPECT_MSG_EQ((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM),
                              true,
                              "by the signal itself");
        NS_TEST_EXPECT_MSG_EQ(Names(folder).size(), 1, "a signal leaves nothing half written");
    }
};

/**
 * @ingroup linux-host-tests
 * What every example and every build relies on.
 */
class BuildTestSuite : public TestSuite
{
  public:
    BuildTestSuite()
        : TestSuite("linux-host-build", TEST_SUITE_UNIT)
    {
        AddTestCase(new ExampleOptionsTestCase, TEST_QUICK);
        AddTestCase(new OutputFileTestCase, TEST_QUICK);
    }
};

/// The suite's one object, which registers it.
static BuildTestSuite g_buildTestSuite;
