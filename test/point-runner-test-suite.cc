/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/linux-host-compat.h"
#include "ns3/model-version.h"
#include "ns3/point-runner.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/scenario-programs.h"
#include "ns3/test.h"

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
    }
};

/// The suite.
PointRunnerTestSuite g_pointRunnerTestSuite;

} // namespace
