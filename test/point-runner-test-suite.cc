/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/capture-file.h"
#include "ns3/linux-host-compat.h"
#include "ns3/model-version.h"
#include "ns3/point-runner.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/scenario-programs.h"
#include "ns3/system-path.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/**
 * @ingroup linux-host-tests
 * Questions as JSON: what is read from them, and what is refused.
 */
class PointQuestionTestCase : public TestCase
{
  public:
    PointQuestionTestCase()
        : TestCase("Questions are read as RFC 8259 has JSON")
    {
    }

  private:
    void DoRun() override
    {
        PointRunner::Question question;
        std::string wrong = PointRunner::Read(
            " { \"id\" : 7,\t\"scenario\":\"a\", \"params\":{\"x\":-1.5e3,\"y\":true, "
            "\"z\":\"b c\"} } ",
            &question);
        NS_TEST_ASSERT_MSG_EQ(wrong, "", "spaces are allowed between all parts");
        NS_TEST_ASSERT_MSG_EQ(question.id, "7", "a number stays as it is written");
        NS_TEST_ASSERT_MSG_EQ(question.scenario, "a", "scenario");
        NS_TEST_ASSERT_MSG_EQ(question.params.size(), 3, "three params");
        NS_TEST_ASSERT_MSG_EQ(question.params[0].second, "-1.5e3", "number");
        NS_TEST_ASSERT_MSG_EQ(question.params[1].second, "true", "truth");
        NS_TEST_ASSERT_MSG_EQ(question.params[2].second, "b c", "text");

        // Section 7 of the RFC: the G clef (U+1D11E) is "\uD834\uDD1E".
        wrong =
            PointRunner::Read("{\"scenario\": \"\\uD834\\uDD1E \\u00e4 \\u20ac \\\"\\\\\\/\\n\"}",
                              &question);
        NS_TEST_ASSERT_MSG_EQ(wrong, "", "escapes");
        NS_TEST_ASSERT_MSG_EQ(question.scenario,
                              "\xf0\x9d\x84\x9e \xc3\xa4 \xe2\x82\xac \"\\/\n",
                              "escapes, as UTF-8");
        NS_TEST_ASSERT_MSG_EQ(question.id, "null", "no id");
        wrong = PointRunner::Read("{\"id\": \"a\\\"b\"}", &question);
        NS_TEST_ASSERT_MSG_EQ(wrong, "", "a text for an id");
        NS_TEST_ASSERT_MSG_EQ(question.id, "\"a\\\"b\"", "it is given back as JSON");

        for (const char* line : {"",
                                 "x",
                                 "[]",
                                 "{",
                                 "{\"id\"}",
                                 "{\"id\": }",
                                 "{\"id\": 1,}",
                                 "{\"id\": 1} x",
                                 "{\"id\": tru}",
                                 "{\"scenario\": 1}",
                                 "{\"scenario\": \"a}",
                                 "{\"scenario\": \"\\q\"}",
                                 "{\"scenario\": \"\\u12\"}",
                                 "{\"scenario\": \"\\ud834\"}",
                                 "{\"scenario\": \"\\ud834\\u0041\"}",
                                 "{\"params\": [1]}",
                                 "{\"params\": {\"a\": {}}}",
                                 "{\"params\": {\"a\": [1, 2]}}",
                                 "{\"other\": 1}"})
        {
            wrong = PointRunner::Read(line, &question);
            NS_TEST_EXPECT_MSG_NE(wrong, "", line << " is refused");
        }
    }
};

/**
 * @ingroup linux-host-tests
 * A point is the same whatever was played before it, and one that fails stops nothing.
 */
class PointOrderTestCase : public TestCase
{
  public:
    PointOrderTestCase()
        : TestCase("A point gives the same bytes alone and after others")
    {
    }

  private:
    /**
     * @param options the options of a point
     * @returns what the example prints of it
     */
    std::string PlayAlone(std::vector<std::string> options)
    {
        options.emplace_back("--json=-");
        std::ostringstream out;
        std::ostringstream err;
        int code = ScenarioPrograms::Run("sit-lockless-xmit", options, out, err);
        NS_TEST_EXPECT_MSG_EQ(code, 0, err.str());
        return out.str();
    }

    void DoRun() override
    {
        std::string plain = PlayAlone({"--cpus=4", "--variant=after", "--max-frames=2000"});
        std::string seeded = PlayAlone({"--cpus=4",
                                        "--variant=after",
                                        "--max-frames=2000",
                                        "--seed=5",
                                        "--ns3::linuxhost::HostMachine::WorkSpread=0.4"});
        NS_TEST_ASSERT_MSG_NE(plain, seeded, "the settings matter");

        std::ostringstream answers;
        std::istringstream questions(
            "{\"id\": 1, \"scenario\": \"sit-lockless-xmit\", \"params\": {\"cpus\": 4, "
            "\"variant\": \"after\", \"max-frames\": 2000, \"seed\": 5, "
            "\"ns3::linuxhost::HostMachine::WorkSpread\": 0.4}}\n"
            "\n"
            "{\"id\": 2, \"scenario\": \"sit-lockless-xmit\", \"params\": {\"cpus\": 0}}\n"
            "{\"id\": 3, \"scenario\": \"no-such\"}\n"
            "{\"id\": 4, \"scenario\": \"sit-lockless-xmit\", \"params\": {\"help\": 1}}\n"
            "{\"id\": 5, \"scenario\": \"sit-lockless-xmit\", \"params\": {\"cpus\": 4, "
            "\"variant\": \"after\", \"max-frames\": 2000}}\n");
        PointRunner runner(answers);
        runner.Run(questions);
        std::istringstream lines(answers.str());
        std::vector<std::string> line(6);
        for (auto& one : line)
        {
            std::getline(lines, one);
        }
        NS_TEST_EXPECT_MSG_EQ(
            line[0].find("{\"runner\": 1, \"model_version\": \"" + GetModelVersion() + "\""),
            0,
            "the greeting");
        auto resultOf = [](const std::string& answer, const std::string& id) {
            const std::string head = "{\"id\": " + id + ", \"results\": [";
            auto end = answer.find("], \"seconds\": ");
            return answer.compare(0, head.size(), head) == 0 && end != std::string::npos
                       ? answer.substr(head.size(), end - head.size()) + "\n"
                       : answer;
        };
        NS_TEST_EXPECT_MSG_EQ(resultOf(line[1], "1"), seeded, "first, with settings of its own");
        NS_TEST_EXPECT_MSG_EQ(line[2],
                              "{\"id\": 2, \"error\": \"sit-lockless-xmit: --cpus=0: allowed is an "
                              "integer from 1 to 1024\"}",
                              "the example's own message");
        NS_TEST_EXPECT_MSG_NE(line[3].find("\"error\": \"scenario 'no-such': allowed is one of "),
                              std::string::npos,
                              line[3]);
        NS_TEST_EXPECT_MSG_NE(line[4].find("\"error\": \"--help: "), std::string::npos, line[4]);
        NS_TEST_EXPECT_MSG_EQ(resultOf(line[5], "5"), plain, "nothing is left of the others");
        NS_TEST_EXPECT_MSG_EQ(RngSeedManager::GetRun(), 1, "the run number is the usual one");
    }
};

/**
 * @ingroup linux-host-tests
 * What the examples do with options and attributes.
 */
class ProgramOptionsTestCase : public TestCase
{
  public:
    ProgramOptionsTestCase()
        : TestCase("Attributes hold as options do; what contradicts itself is refused")
    {
    }

  private:
    /// An option and the attribute that it sets.
    struct Setting
    {
        const char* option;    //!< option
        const char* attribute; //!< attribute
        const char* value;     //!< value of the option
        const char* given;     //!< value of the attribute, where it is another; else null
    };

    /**
     * @param program an example
     * @param arguments its arguments
     * @param[out] err what it said on standard error
     * @returns what it printed
     */
    std::string Play(const std::string& program,
                     const std::vector<std::string>& arguments,
                     std::string* err = nullptr)
    {
        std::ostringstream out;
        std::ostringstream said;
        int code = ScenarioPrograms::Run(program, arguments, out, said);
        NS_TEST_EXPECT_MSG_EQ(code, (err ? 2 : 0), program << ": " << said.str());
        if (err)
        {
            *err = said.str();
        }
        return out.str();
    }

    /**
     * Set everything by options, then by attributes: the results are the same, to the byte.
     * @param program an example
     * @param typeId its scenario's TypeId
     * @param settings options, attributes and values
     */
    void CheckSettings(const std::string& program,
                       const std::string& typeId,
                       const std::vector<Setting>& settings)
    {
        const std::vector<std::string> short_ = {"--json=-", "--seed=3"};
        const std::string base = "--ns3::linuxhost::PatchScenario::";
        std::vector<std::string> options = {"--max-frames=1000", "--precision=0.5"};
        std::vector<std::string> attributes = {base + "MaxFrames=1000", base + "Precision=0.5"};
        for (const auto& setting : settings)
        {
            options.push_back(std::string("--") + setting.option + "=" + setting.value);
            attributes.push_back("--ns3::linuxhost::" + typeId + "::" + setting.attribute + "=" +
                                 (setting.given ? setting.given : setting.value));
        }
        options.insert(options.end(), short_.begin(), short_.end());
        attributes.insert(attributes.end(), short_.begin(), short_.end());
        NS_TEST_EXPECT_MSG_EQ(Play(program, attributes), Play(program, options), program);
    }

    /// Captures: a file a variant, or none; the results are the same.
    void CheckCaptures()
    {
        const std::string folder = CreateTempDirFilename("captures");
        SystemPath::MakeDirectories(folder);
        const std::string prefix = folder + "/x";
        std::vector<std::string> words = {"--json=-", "--max-frames=1000", "--precision=0.5"};
        for (const auto& program : {std::make_pair("vlan-offload", LINKTYPE_ETHERNET),
                                    std::make_pair("sit-lockless-xmit", LINKTYPE_RAW)})
        {
            std::vector<std::string> captures = words;
            captures.push_back("--pcap=" + prefix);
            for (const std::string same : {"/x", "/./x"})
            {
                std::vector<std::string> refused = captures;
                refused[0] = "--json=" + folder + same + "-after.pcap";
                std::string err;
                Play(program.first, refused, &err);
                NS_TEST_EXPECT_MSG_EQ(std::count(err.begin(), err.end(), '\n'), 1, err);
                NS_TEST_EXPECT_MSG_EQ(SystemPath::ReadFiles(folder).size(), 0, "nothing is left");
            }
            NS_TEST_EXPECT_MSG_EQ(Play(program.first, captures),
                                  Play(program.first, words),
                                  "to the byte");
            NS_TEST_EXPECT_MSG_EQ(SystemPath::ReadFiles(folder).size(), 2, "a file a variant");
            std::vector<CapturedPacket> packets[2];
            for (bool after : {false, true})
            {
                const std::string path = prefix + (after ? "-after.pcap" : "-before.pcap");
                NS_TEST_EXPECT_MSG_EQ(ReadCapture(path, program.second, &packets[after]), "", path);
                NS_TEST_EXPECT_MSG_GT_OR_EQ(packets[after].size(), 1000, path);
                std::remove(path.c_str());
            }
            // Before, the same takes longer.
            NS_TEST_EXPECT_MSG_GT(packets[false][999].time, packets[true][999].time, "times");
        }
    }

    void DoRun() override
    {
        CheckCaptures();
        CheckSettings("sit-lockless-xmit",
                      "SitLocklessXmit",
                      {{"variant", "Lltx", "after", "true"},
                       {"tunnel", "Tunnel", "gre", nullptr},
                       {"lock", "Lock", "mcs", nullptr},
                       {"cpus", "Threads", "3", nullptr},
                       {"payload", "Payload", "500", nullptr}});
        CheckSettings("saddr-rcu",
                      "SaddrRcu",
                      {{"variant", "Rcu", "before", "false"},
                       {"lock", "Lock", "rwlock", nullptr},
                       {"cpus", "Cpus", "3", nullptr},
                       {"flows", "Flows", "5", nullptr},
                       {"payload", "Payload", "500", nullptr}});
        CheckSettings("tun-read-wakeup",
                      "TunReadWakeup",
                      {{"variant", "Restructured", "after", "1"},
                       {"placement", "Placement", "sibling", nullptr},
                       {"lock", "Lock", "mcs", nullptr},
                       {"size", "Size", "500", nullptr},
                       {"blocking", "Blocking", "0", "false"},
                       {"txqueuelen", "TxQueueLen", "100", nullptr},
                       {"idle-limit", "IdleLimit", "2.5", nullptr}});
        CheckSettings("tun-read-wakeup",
                      "TunReadWakeup",
                      {{"variant", "Restructured", "before", "0"},
                       {"placement", "Placement", "same-socket", nullptr},
                       {"queues", "Queues", "2", nullptr},
                       {"readers", "Readers", "2", nullptr}});
        CheckSettings("vlan-offload",
                      "VlanOffload",
                      {{"variant", "CopyVlanFeatures", "after", "true"},
                       {"nic", "Nic", "generic", nullptr},
                       {"mtu", "Mtu", "1400", nullptr},
                       {"message-size", "MessageSize", "20000", nullptr},
                       {"flows", "Flows", "2", nullptr},
                       {"tags", "Tags", "2", nullptr},
                       {"reorder-hdr", "ReorderHeader", "1", "true"},
                       {"bridged", "Bridged", "1", "true"},
                       {"offload", "Offloads", "gro=off", nullptr},
                       {"lock", "Lock", "mcs", nullptr},
                       {"coalesce", "Coalesce", "20", nullptr},
                       {"cpus", "SenderCpus", "2", nullptr},
                       {"receiver-machine", "ReceiverMachine", "generic", nullptr},
                       {"receiver-cpus", "ReceiverCpus", "3", nullptr},
                       {"tsq", "Tsq", "65536", nullptr}});
        CheckSettings("lock-scaling",
                      "LockScaling",
                      {{"lock", "Lock", "mcs", nullptr},
                       {"cpus", "Cpus", "3", nullptr},
                       {"serial", "SerialCycles", "100", nullptr},
                       {"fraction", "SerialFraction", "0.1", nullptr}});
        CheckSettings("lock-scaling",
                      "LockScaling",
                      {{"primitive", "Primitive", "rwlock", nullptr},
                       {"rwlock", "Rwlock", "rwlock", nullptr},
                       {"cpus", "Cpus", "3", nullptr}});
        CheckSettings("lock-scaling",
                      "LockScaling",
                      {{"primitive", "Primitive", "refcount", nullptr},
                       {"refcount", "Refcount", "percpu", nullptr},
                       {"cpus", "Cpus", "3", nullptr}});

        // A figure that the machine brings is set all the same.
        const std::vector<std::string> quick = {"--cpus=2",
                                                "--max-frames=1000",
                                                "--precision=0.5",
                                                "--json=-"};
        auto with = [&quick](const std::string& word) {
            std::vector<std::string> words = quick;
            words.push_back(word);
            return words;
        };
        const std::string figure = "--ns3::linuxhost::HostMachine::SiblingLatency=20";
        NS_TEST_EXPECT_MSG_EQ(Play("sit-lockless-xmit", with(figure)),
                              Play("sit-lockless-xmit", with("--figure=SiblingLatency=20")),
                              "an attribute of the machine is a figure of it");

        // Options that have nothing to say.
        std::string err;
        for (const auto& words : std::vector<std::vector<std::string>>{
                 {"--serial=400", "--primitive=rwlock"},
                 {"--fraction=0.1", "--primitive=rcu"},
                 {"--lock=mcs", "--atomic"},
                 {"--rwlock=rwlock", "--primitive=refcount"},
                 {"--refcount=percpu"},
                 {"--rwlock=rwlock", "--serial=400"},
                 {"--ns3::linuxhost::LockScaling::Lock=mcs", "--primitive=seqlock"}})
        {
            NS_TEST_EXPECT_MSG_EQ(Play("lock-scaling", words, &err), "", "nothing is played");
            NS_TEST_EXPECT_MSG_EQ(std::count(err.begin(), err.end(), '\n'), 1, err);
            NS_TEST_EXPECT_MSG_EQ(err.find("lock-scaling: --"), 0, err);
            NS_TEST_EXPECT_MSG_NE(err.find("--primitive="), std::string::npos, err);
        }
        for (const auto& words :
             std::vector<std::vector<std::string>>{{"--diff-path", "--variant=before"},
                                                   {"--diff-path", "--print-path"},
                                                   {"--print-path", "--json=-"},
                                                   {"--figure=Sockets=1.5"},
                                                   {"--figure=CrossLatency=true"},
                                                   {"--figure=PostedStores=2"},
                                                   {"--figure=Name=1"}})
        {
            NS_TEST_EXPECT_MSG_EQ(Play("saddr-rcu", words, &err), "", "nothing is printed");
            NS_TEST_EXPECT_MSG_EQ(std::count(err.begin(), err.end(), '\n'), 1, err);
        }
        Play("saddr-rcu", {"--figure=CopyRate=8,CrossLatency=-1"}, &err);
        NS_TEST_EXPECT_MSG_EQ(err,
                              "saddr-rcu: --figure=CrossLatency=-1: allowed is double 0:1e+06\n",
                              "the figure that cannot be, and what can");
        Play("lock-scaling", {"--serial=1e9", "--fraction=1e-9"}, &err);
        NS_TEST_EXPECT_MSG_NE(err.find("10 s at most"), std::string::npos, err);

        // What is printed fits a terminal.
        for (const auto& program : ScenarioPrograms::GetNames())
        {
            std::istringstream lines(Play(program, {"--print-path"}));
            for (std::string line; std::getline(lines, line);)
            {
                NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), 80, line);
            }
        }
    }
};

/**
 * @ingroup linux-host-tests
 * The runner of points.
 */
class PointRunnerTestSuite : public TestSuite
{
  public:
    PointRunnerTestSuite()
        : TestSuite("linux-host-point-runner", TEST_SUITE_UNIT)
    {
        AddTestCase(new PointQuestionTestCase, TEST_QUICK);
        AddTestCase(new PointOrderTestCase, TEST_QUICK);
        AddTestCase(new ProgramOptionsTestCase, TEST_QUICK);
    }
};

/// The suite.
PointRunnerTestSuite g_pointRunnerTestSuite;

} // namespace
