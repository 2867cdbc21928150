/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef POINT_RUNNER_H
#define POINT_RUNNER_H

#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * Plays the points of a sweep, one after the other, in one process.
 *
 * Each line that it reads is one JSON object, each line that it writes as well; the answers come in
 * the order of the questions, and are flushed at once. Blank lines are passed over.
 *
 * First it says what can be asked, unasked:
 *
 *     {"runner": 1, "model_version": "..", "scenarios": [..], "machines": [..], "figures": [..]}
 *
 * where a scenario is what its example's --describe prints, and a figure one of a machine's. A
 * question and its answer:
 *
 *     {"id": 7, "scenario": "saddr-rcu", "params": {"cpus": 4, "variant": "after"}}
 *     {"id": 7, "results": [..], "seconds": ..}
 *
 * where a result is the line that the example's --json=- prints, to the byte.
 *
 * What cannot be done is answered by `{"id": 7, "error": ".."}`, with the line that the example
 * would have printed; the next question is answered as if nothing had been. A result that was not
 * as precise as asked for has `"messages"` beside it.
 */
class PointRunner
{
  public:
    /**
     * @param out where the answers go
     */
    explicit PointRunner(std::ostream& out);

    /// Write the first line.
    void Greet();
    /**
     * Answer one line.
     * @param line the question
     */
    void Answer(const std::string& line);
    /**
     * Greet, and answer until there are no more lines.
     * @param in the questions
     */
    void Run(std::istream& in);

    /// A name and a value of the object that was read: strings as their text, the rest as written.
    using Member = std::pair<std::string, std::string>;

    /// One question.
    struct Question
    {
        std::string id;             //!< the id, as JSON; `null` when there is none
        std::string scenario;       //!< scenario, or empty
        std::vector<Member> params; //!< options of the scenario
    };

    /**
     * Read a question.
     * @param line the JSON object
     * @param[out] question what it asks
     * @returns the empty string, or what is wrong
     */
    static std::string Read(const std::string& line, Question* question);

  private:
    /// @param question asks for a point
    void AnswerPoint(const Question& question);
    /**
     * @param question what was asked
     * @param message what is wrong
     */
    void Refuse(const Question& question, const std::string& message);

    std::ostream& m_out; //!< where the answers go
};

} // namespace linuxhost
} // namespace ns3

#endif /* POINT_RUNNER_H */
