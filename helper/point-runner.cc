/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "point-runner.h"

#include "model-version.h"
#include "scenario-programs.h"

#include "ns3/host-machine.h"
#include "ns3/json-text.h"
#include "ns3/machine-presets.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// Options that print something else than results, or that are the runner's own business.
const std::vector<std::string> NOT_HERE =
    {"json", "print-path", "diff-path", "features", "describe", "help"};

/**
 * Reads the JSON that a question is made of: objects of texts, numbers, true, false and null.
 */
class Reader
{
  public:
    /// @param text the JSON
    explicit Reader(const std::string& text)
        : m_text(text),
          m_at(0)
    {
    }

    /**
     * @param c a character
     * @returns whether it comes next; it is read then
     */
    bool Take(char c)
    {
        Skip();
        if (m_at < m_text.size() && m_text[m_at] == c)
        {
            ++m_at;
            return true;
        }
        return false;
    }

    /// @returns whether a text comes next
    bool IsText()
    {
        Skip();
        return m_at < m_text.size() && m_text[m_at] == '"';
    }

    /// @returns whether nothing is left
    bool IsEnd()
    {
        Skip();
        return m_at == m_text.size();
    }

    /**
     * @param[out] value the text that comes next
     * @returns whether there was one
     */
    bool Text(std::string* value)
    {
        if (!Take('"'))
        {
            return false;
        }
        value->clear();
        while (m_at < m_text.size())
        {
            char c = m_text[m_at++];
            if (c == '"')
            {
                return true;
            }
            if (c == '\\' && !Escape(value))
            {
                return false;
            }
            if (c != '\\')
            {
                *value += c;
            }
        }
        return false;
    }

    /**
     * @param[out] value the number or word that comes next, as it is written
     * @returns whether there was one
     */
    bool Word(std::string* value)
    {
        Skip();
        std::size_t from = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) ||
                                        std::string("+-.").find(m_text[m_at]) != std::string::npos))
        {
            ++m_at;
        }
        *value = m_text.substr(from, m_at - from);
        bool number = !value->empty() &&
                      ((*value)[0] == '-' || std::isdigit(static_cast<unsigned char>((*value)[0])));
        return number || *value == "true" || *value == "false" || *value == "null";
    }

  private:
    void Skip()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])))
        {
            ++m_at;
        }
    }

    /**
     * @param[out] code what the four hexadecimal digits say
     * @returns whether there were four
     */
    bool Hex(uint32_t* code)
    {
        const std::string DIGITS = "0123456789abcdef";
        *code = 0;
        for (int i = 0; i < 4; ++i, ++m_at)
        {
            auto digit = m_at < m_text.size() ? DIGITS.find(static_cast<char>(std::tolower(
                                                    static_cast<unsigned char>(m_text[m_at]))))
                                              : std::string::npos;
            if (digit == std::string::npos)
            {
                return false;
            }
            *code = *code * 16 + static_cast<uint32_t>(digit);
        }
        return true;
    }

    /**
     * @param value takes what stands behind a backslash
     * @returns whether it is one of JSON's escapes
     */
    bool Escape(std::string* value)
    {
        const std::string LETTERS = "\"\\/bfnrt";
        const std::string MEANT = "\"\\/\b\f\n\r\t";
        if (m_at == m_text.size())
        {
            return false;
        }
        char c = m_text[m_at++];
        if (c != 'u')
        {
            auto i = LETTERS.find(c);
            *value += i == std::string::npos ? '\0' : MEANT[i];
            return i != std::string::npos;
        }
        uint32_t code;
        if (!Hex(&code))
        {
            return false;
        }
        // Two halves of one character beyond the first plane (RFC 8259, section 7).
        uint32_t low;
        if (code >= 0xd800 && code < 0xdc00)
        {
            if (m_text.compare(m_at, 2, "\\u") != 0)
            {
                return false;
            }
            m_at += 2;
            if (!Hex(&low) || low < 0xdc00 || low >= 0xe000)
            {
                return false;
            }
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        if (code < 0x80)
        {
            *value += static_cast<char>(code);
            return true;
        }
        // UTF-8: the first byte says how many follow, each with six bits.
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const unsigned char FIRST[] = {0, 0xc0, 0xe0, 0xf0};
        *value += static_cast<char>(FIRST[more] | (code >> (6 * more)));
        while (more-- > 0)
        {
            *value += static_cast<char>(0x80 | ((code >> (6 * more)) & 0x3f));
        }
        return true;
    }

    const std::string& m_text; //!< the JSON
    std::size_t m_at;          //!< how far it has been read
};

/**
 * @param reader reads an object, whose `{` has been read
 * @param member is called at each value, with its name; returns whether it could be read
 * @returns whether all could be read
 */
template <typename MEMBER>
bool
ReadMembers(Reader& reader, MEMBER member)
{
    if (reader.Take('}'))
    {
        return true;
    }
    std::string name;
    do
    {
        if (!reader.Text(&name) || !reader.Take(':') || !member(name))
        {
            return false;
        }
    } while (reader.Take(','));
    return reader.Take('}');
}

/**
 * @param text one or more lines
 * @returns them in one line, without the last line's end
 */
std::string
OneLine(std::string text)
{
    while (!text.empty() && text.back() == '\n')
    {
        text.pop_back();
    }
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;)
    {
        text.replace(at, 1, "; ");
    }
    return text;
}

} // namespace

PointRunner::PointRunner(std::ostream& out)
    : m_out(out)
{
}

void
PointRunner::Greet()
{
    m_out << "{\"runner\": 1, \"model_version\": " << JsonQuote(GetModelVersion())
          << ", \"scenarios\": [";
    const char* comma = "";
    for (const auto& name : ScenarioPrograms::GetNames())
    {
        std::ostringstream description;
        std::ostringstream messages;
        ScenarioPrograms::Run(name, {"--describe"}, description, messages);
        m_out << comma << OneLine(description.str());
        comma = ", ";
    }
    m_out << "], \"machines\": [";
    comma = "";
    for (const auto& name : MachinePresets::GetNames())
    {
        m_out << comma << JsonQuote(name);
        comma = ", ";
    }
    m_out << "], \"figures\": [";
    comma = "";
    const TypeId machine = HostMachine::GetTypeId();
    for (std::size_t i = 0; i < machine.GetAttributeN(); ++i)
    {
        const auto info = machine.GetAttribute(i);
        if (info.name != "Name")
        {
            m_out << comma << "{\"name\": " << JsonQuote(info.name)
                  << ", \"help\": " << JsonQuote(info.help) << ", \"default\": "
                  << JsonQuote(info.originalInitialValue->SerializeToString(info.checker))
                  << ", \"allowed\": " << JsonQuote(info.checker->GetUnderlyingTypeInformation())
                  << "}";
            comma = ", ";
        }
    }
    m_out << "]}" << std::endl;
}

std::string
PointRunner::Read(const std::string& line, Question* question)
{
    *question = Question{"null", "", {}};
    Reader reader(line);
    std::string wrong;
    auto param = [&](const std::string& name) {
        std::string value;
        if (!(reader.IsText() ? reader.Text(&value) : reader.Word(&value)))
        {
            wrong = "params: " + name + ": allowed is a text, a number, true or false";
            return false;
        }
        question->params.emplace_back(name, value);
        return true;
    };
    auto member = [&](const std::string& name) {
        if (name == "id")
        {
            std::string id;
            bool isText = reader.IsText();
            bool read = isText ? reader.Text(&id) : reader.Word(&id);
            question->id = !read ? "null" : isText ? JsonQuote(id) : id;
            return read;
        }
        if (name == "scenario")
        {
            return reader.Text(&question->scenario);
        }
        if (name == "params")
        {
            return reader.Take('{') && ReadMembers(reader, param);
        }
        wrong = "'" + name + "': allowed are id, scenario and params";
        return false;
    };
    bool good = reader.Take('{') && ReadMembers(reader, member) && reader.IsEnd();
    if (!good && wrong.empty())
    {
        wrong = "not a JSON object such as "
                "{\"id\": 1, \"scenario\": \"NAME\", \"params\": {\"cpus\": 4}}";
    }
    return wrong;
}

void
PointRunner::Refuse(const Question& question, const std::string& message)
{
    m_out << "{\"id\": " << question.id << ", \"error\": " << JsonQuote(message) << "}"
          << std::endl;
}

void
PointRunner::Answer(const std::string& line)
{
    Question question;
    std::string wrong = Read(line, &question);
    if (!wrong.empty())
    {
        Refuse(question, wrong);
    }
    else
    {
        AnswerPoint(question);
    }
}

void
PointRunner::AnswerPoint(const Question& question)
{
    std::vector<std::string> arguments;
    for (const auto& param : question.params)
    {
        if (std::find(NOT_HERE.begin(), NOT_HERE.end(), param.first) != NOT_HERE.end() ||
            param.first.compare(0, 5, "Print") == 0)
        {
            Refuse(question, "--" + param.first + ": allowed are options that shape a run");
            return;
        }
        arguments.push_back("--" + param.first + "=" + param.second);
    }
    arguments.emplace_back("--json=-");
    std::ostringstream out;
    std::ostringstream messages;
    auto begun = std::chrono::steady_clock::now();
    int code = ScenarioPrograms::Run(question.scenario, arguments, out, messages);
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    if (code == -1)
    {
        std::string names;
        for (const auto& name : ScenarioPrograms::GetNames())
        {
            names += (names.empty() ? "" : "|") + name;
        }
        Refuse(question, "scenario '" + question.scenario + "': allowed is one of " + names);
        return;
    }
    if (code != 0)
    {
        Refuse(question, OneLine(messages.str()));
        return;
    }
    std::string results;
    std::istringstream lines(out.str());
    std::string line;
    while (std::getline(lines, line))
    {
        if (line.compare(0, 1, "{") != 0)
        {
            Refuse(question, "printed something else than results: " + line);
            return;
        }
        results += (results.empty() ? "" : ", ") + line;
    }
    m_out << "{\"id\": " << question.id << ", \"results\": [" << results
          << "], \"seconds\": " << JsonNumber(took.count());
    if (!messages.str().empty())
    {
        m_out << ", \"messages\": " << JsonQuote(OneLine(messages.str()));
    }
    m_out << "}" << std::endl;
}

void
PointRunner::Run(std::istream& in)
{
    Greet();
    std::string line;
    // Who asked is gone when the answers cannot be written.
    while (m_out && std::getline(in, line))
    {
        if (line.find_first_not_of(" \t\r") != std::string::npos)
        {
            Answer(line);
        }
    }
}

} // namespace linuxhost
} // namespace ns3
