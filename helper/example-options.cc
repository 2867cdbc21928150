/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "example-options.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// The temporary files that a signal's handler removes: no more are open at a time.
constexpr std::size_t MAX_TEMPORARIES = 16;
/// Their paths, where a handler may read them; null where there is none.
const char* volatile g_temporaries[MAX_TEMPORARIES];
/// Files that are read, by device and number: they are not to be written.
std::set<std::pair<dev_t, ino_t>> g_inputs;

/**
 * Remove what is half written, then end as the signal would have ended the program.
 * @param number the signal
 */
void
RemoveTemporaries(int number)
{
    for (const char* volatile path : g_temporaries)
    {
        if (path)
        {
            unlink(path);
        }
    }
    signal(number, SIG_DFL);
    raise(number);
}

/**
 * @param path a temporary file that is there from now on
 */
void
RememberTemporary(const std::string& path)
{
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    {
        struct sigaction old;
        // A program that minds the signal itself goes on doing so.
        if (sigaction(number, nullptr, &old) == 0 && old.sa_handler == SIG_DFL)
        {
            signal(number, RemoveTemporaries);
        }
    }
    for (auto& slot : g_temporaries)
    {
        if (!slot)
        {
            slot = strdup(path.c_str());
            return;
        }
    }
}

/**
 * @param path a temporary file that is there no more
 */
void
ForgetTemporary(const std::string& path)
{
    for (auto& slot : g_temporaries)
    {
        const char* text = slot;
        if (text && path == text)
        {
            slot = nullptr;
            std::free(const_cast<char*>(text));
            return;
        }
    }
}

/// At the end of a program: what was printed must have got where it should go.
void
CheckStandardOutput()
{
    std::cout.flush();
    if (!std::cout)
    {
        std::cerr << "standard output cannot be written (" << strerror(errno) << ")" << std::endl;
        _exit(1);
    }
}

/**
 * @param number a number
 * @returns it, as short as it can be read back
 */
std::string
NumberText(double number)
{
    std::ostringstream os;
    os << std::setprecision(12) << number;
    return os.str();
}

/**
 * @param words a list of words
 * @returns them in a row, with `|` between
 */
std::string
Join(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
    {
        text += (text.empty() ? "" : "|") + word;
    }
    return text;
}

} // namespace

bool
IsRegularInput(const std::string& path)
{
    struct stat info;
    return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

void
PrintFolded(std::ostream& os, const std::string& text, const std::string& indent)
{
    const std::size_t COLUMNS = 80;
    std::istringstream words(text);
    std::string word;
    std::string line;
    while (words >> word)
    {
        if (!line.empty() && indent.size() + line.size() + 1 + word.size() > COLUMNS)
        {
            os << indent << line << "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + word;
    }
    os << indent << line << "\n";
}

ExampleOptions::ExampleOptions(const std::string& program, const std::string& about)
    : m_program(program),
      m_about(about)
{
}

void
ExampleOptions::AddChoice(const std::string& name,
                          const std::string& help,
                          const std::vector<std::string>& choices,
                          std::string* value,
                          const std::vector<std::string>& both)
{
    Option option{name, help, "choice", Join(choices), "", *value, choices, 0, 0, nullptr, false};
    option.both = both;
    option.set = [choices, value](const std::string& text) -> std::string {
        if (std::find(choices.begin(), choices.end(), text) == choices.end())
        {
            return "one of " + Join(choices);
        }
        *value = text;
        return "";
    };
    m_options.push_back(option);
}

void
ExampleOptions::AddInteger(const std::string& name,
                           const std::string& help,
                           int64_t min,
                           int64_t max,
                           int64_t* value,
                           const std::string& unit)
{
    Option option{name,
                  help,
                  "integer",
                  "N",
                  unit,
                  std::to_string(*value),
                  {},
                  static_cast<double>(min),
                  static_cast<double>(max),
                  nullptr,
                  false};
    option.set = [min, max, value](const std::string& text) -> std::string {
        errno = 0;
        char* end = nullptr;
        long long number = std::strtoll(text.c_str(), &end, 10);
        if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])) || *end != '\0' ||
            errno != 0 || number < min || number > max)
        {
            return "an integer from " + std::to_string(min) + " to " + std::to_string(max);
        }
        *value = number;
        return "";
    };
    m_options.push_back(option);
}

void
ExampleOptions::AddReal(const std::string& name,
                        const std::string& help,
                        double min,
                        double max,
                        double* value,
                        const std::string& unit)
{
    Option option{name, help, "real", "X", unit, NumberText(*value), {}, min, max, nullptr, false};
    option.set = [min, max, value](const std::string& text) -> std::string {
        errno = 0;
        char* end = nullptr;
        double number = std::strtod(text.c_str(), &end);
        if (text.empty() || std::isspace(static_cast<unsigned char>(text[0])) || *end != '\0' ||
            !std::isfinite(number) || number < min || number > max)
        {
            return "a number from " + NumberText(min) + " to " + NumberText(max);
        }
        *value = number;
        return "";
    };
    m_options.push_back(option);
}

void
ExampleOptions::AddText(const std::string& name,
                        const std::string& help,
                        std::string* value,
                        const std::string& form,
                        Checker checker)
{
    Option option{name, help, "text", form, "", *value, {}, 0, 0, nullptr, false};
    bool isFile =
        form.find("FILE") != std::string::npos || form.find("PREFIX") != std::string::npos;
    option.set = [checker, value, isFile, form](const std::string& text) -> std::string {
        std::string allowed = checker ? checker(text) : "";
        if (allowed.empty() && text.empty() && isFile)
        {
            allowed = form;
        }
        if (allowed.empty())
        {
            *value = text;
        }
        return allowed;
    };
    m_options.push_back(option);
}

void
ExampleOptions::AddSwitch(const std::string& name, const std::string& help, bool* value)
{
    Option option{name, help, "switch", "", "", *value ? "1" : "0", {}, 0, 1, nullptr, false};
    option.set = [value](const std::string& text) -> std::string {
        if (text != "1" && text != "0" && text != "true" && text != "false")
        {
            return "1 or 0";
        }
        *value = (text == "1" || text == "true");
        return "";
    };
    m_options.push_back(option);
}

void
ExampleOptions::Bind(const std::string& typeId,
                     const std::vector<std::pair<std::string, std::string>>& attributes)
{
    const TypeId tid = TypeId::LookupByName(typeId);
    for (const auto& bound : attributes)
    {
        TypeId::AttributeInformation info;
        const bool inverse = bound.second[0] == '!';
        const std::string attribute = bound.second.substr(inverse ? 1 : 0);
        auto option = std::find_if(m_options.begin(), m_options.end(), [&bound](const Option& o) {
            return o.name == bound.first;
        });
        NS_ABORT_MSG_UNLESS(option != m_options.end() &&
                                tid.LookupAttributeByName(attribute, &info),
                            "no option " << bound.first << " or attribute " << attribute);
        option->attribute = typeId + "::" + attribute;
        option->isAttributeInverse = inverse;
        // What its type is called differs between releases of ns-3.
        option->isAttributeBoolean = DynamicCast<const BooleanChecker>(info.checker) != nullptr;
    }
}

void
ExampleOptions::ReadEnvironment()
{
    const char* variable = std::getenv("NS_ATTRIBUTE_DEFAULT");
    std::istringstream items(variable ? variable : "");
    std::string item;
    while (std::getline(items, item, ';'))
    {
        auto equals = item.find('=');
        if (equals != std::string::npos)
        {
            m_attributes[item.substr(0, equals)] = item.substr(equals + 1);
        }
    }
}

bool
ExampleOptions::ReadBound()
{
    for (auto& option : m_options)
    {
        auto found = m_attributes.find(option.attribute);
        if (option.given || found == m_attributes.end())
        {
            continue;
        }
        std::string text = found->second;
        if (option.isAttributeBoolean)
        {
            const bool yes =
                (text == "true" || text == "1" || text == "t") != option.isAttributeInverse;
            text = option.choices.empty() ? (yes ? "1" : "0") : option.choices[yes];
        }
        option.given = true;
        option.spelled = option.attribute;
        option.spelledValue = found->second;
        const std::string allowed = option.set(text);
        if (!allowed.empty())
        {
            Fail(option.name, found->second, allowed);
            return false;
        }
    }
    return true;
}

bool
ExampleOptions::GetAttribute(const std::string& name, std::string* value) const
{
    const auto found = m_attributes.find(name);
    if (found == m_attributes.end())
    {
        return false;
    }
    *value = found->second;
    return true;
}

std::string
ExampleOptions::GetAttributes(const std::string& typeId) const
{
    std::string text;
    const std::string prefix = typeId + "::";
    for (const auto& attribute : m_attributes)
    {
        if (attribute.first.compare(0, prefix.size(), prefix) == 0)
        {
            text += (text.empty() ? "" : ",") + attribute.first.substr(prefix.size()) + "=" +
                    attribute.second;
        }
    }
    return text;
}

std::string
ExampleOptions::CheckValue(const AttributeChecker& checker, const std::string& text)
{
    const std::string type = checker.GetValueTypeName();
    if (type == "ns3::TimeValue")
    {
        static const std::map<std::string, double> UNITS = {{"", 1},
                                                            {"s", 1},
                                                            {"ms", 1e-3},
                                                            {"us", 1e-6},
                                                            {"ns", 1e-9},
                                                            {"ps", 1e-12},
                                                            {"fs", 1e-15},
                                                            {"min", 60},
                                                            {"h", 3600},
                                                            {"d", 86400},
                                                            {"y", 365 * 86400.0}};
        // A count of nanoseconds, or of picoseconds where the pack asks for them, has 63 bits.
        const double MOST_SECONDS = 100 * 86400.0;
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        const auto unit = UNITS.find(end);
        return end != text.c_str() && unit != UNITS.end() &&
                       std::fabs(number * unit->second) <= MOST_SECONDS
                   ? ""
                   : "a time such as 100us or 1.5ms, below 100 days";
    }
    bool whole = type == "ns3::UintegerValue" || type == "ns3::IntegerValue";
    if (!whole && type != "ns3::DoubleValue")
    {
        return "";
    }
    char* end = nullptr;
    double number = std::strtod(text.c_str(), &end);
    bool good = !text.empty() && *end == '\0' && std::isfinite(number) &&
                !std::isspace(static_cast<unsigned char>(text[0]));
    if (whole)
    {
        std::size_t sign = type == "ns3::IntegerValue" && text[0] == '-' ? 1 : 0;
        good = good && text.size() > sign &&
               text.find_first_not_of("0123456789", sign) == std::string::npos;
    }
    return good ? "" : checker.GetUnderlyingTypeInformation();
}

std::string
ExampleOptions::CheckNs3(const std::string& name, const std::string& value, bool hasValue)
{
    static const std::vector<std::string> PRINTERS = {"PrintGlobals",
                                                      "PrintGroups",
                                                      "PrintTypeIds",
                                                      "PrintGroup",
                                                      "PrintAttributes",
                                                      "PrintVersion"};
    if (std::find(PRINTERS.begin(), PRINTERS.end(), name) != PRINTERS.end())
    {
        if (name == "PrintAttributes")
        {
            TypeId tid;
            if (!TypeId::LookupByNameFailSafe(value, &tid))
            {
                return "the name of an ns-3 TypeId";
            }
        }
        return "";
    }
    for (auto i = GlobalValue::Begin(); i != GlobalValue::End(); ++i)
    {
        if ((*i)->GetName() == name)
        {
            if (name == "SchedulerType" || name == "SimulatorImplementationType")
            {
                const std::string parent =
                    name == "SchedulerType" ? "ns3::Scheduler" : "ns3::SimulatorImpl";
                TypeId tid;
                TypeId base;
                if (!TypeId::LookupByNameFailSafe(value, &tid) ||
                    !TypeId::LookupByNameFailSafe(parent, &base) || !tid.IsChildOf(base) ||
                    !tid.HasConstructor())
                {
                    return "the name of a TypeId derived from " + parent;
                }
            }
            std::string wrong = CheckValue(*(*i)->GetChecker(), value);
            if (name == "RngSeed" && wrong.empty() && std::strtod(value.c_str(), nullptr) < 1)
            {
                wrong = "an integer from 1";
            }
            if (!wrong.empty())
            {
                return wrong;
            }
            if (!hasValue || !GlobalValue::BindFailSafe(name, StringValue(value)))
            {
                return (*i)->GetChecker()->GetUnderlyingTypeInformation();
            }
            return "";
        }
    }
    auto colon = name.rfind("::");
    if (colon != std::string::npos)
    {
        TypeId tid;
        TypeId::AttributeInformation info;
        if (!TypeId::LookupByNameFailSafe(name.substr(0, colon), &tid) ||
            !tid.LookupAttributeByName(name.substr(colon + 2), &info))
        {
            return "the name of an ns-3 attribute (--PrintAttributes=TypeId lists them)";
        }
        // ns-3 sets it where it is declared.
        auto declares = [](TypeId type, const std::string& attribute) {
            for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
            {
                if (type.GetAttribute(i).name == attribute)
                {
                    return true;
                }
            }
            return false;
        };
        if (!declares(tid, info.name))
        {
            while (!declares(tid, info.name))
            {
                tid = tid.GetParent();
            }
            return "--" + tid.GetName() + "::" + info.name + ", where the attribute is declared";
        }
        std::string wrong = CheckValue(*info.checker, value);
        if (!wrong.empty())
        {
            return wrong;
        }
        if (!hasValue || !Config::SetDefaultFailSafe(name, StringValue(value)))
        {
            return info.checker->HasUnderlyingTypeInformation()
                       ? info.checker->GetUnderlyingTypeInformation()
                       : info.checker->GetValueTypeName();
        }
        return "";
    }
    return "?";
}

bool
ExampleOptions::Parse(int argc, char* argv[], int* exitCode)
{
    *exitCode = 2;
    ReadEnvironment();
    for (const auto& attribute : m_attributes)
    {
        if (attribute.first.compare(0, 15, "ns3::linuxhost:") != 0)
        {
            continue;
        }
        const std::string wrong = CheckNs3(attribute.first, attribute.second, true);
        if (!wrong.empty())
        {
            Fail(attribute.first, attribute.second, wrong);
            return false;
        }
    }
    static const bool checked = std::atexit(CheckStandardOutput) == 0;
    static_cast<void>(checked);
    std::vector<char*> passOn{argv[0]};
    for (int i = 1; i < argc; ++i)
    {
        std::string argument = argv[i];
        if (argument == "--help" || argument == "-h" || argument == "--PrintHelp")
        {
            PrintHelp(std::cout);
            *exitCode = 0;
            return false;
        }
        if (argument == "--describe")
        {
            PrintDescription(std::cout);
            *exitCode = 0;
            return false;
        }
        if (argument.compare(0, 2, "--") != 0 || argument.size() == 2)
        {
            Fail("unexpected argument '" + argument + "'; options look like --name=value, and " +
                 "--help lists them");
            return false;
        }
        auto equals = argument.find('=');
        bool hasValue = equals != std::string::npos;
        std::string name = argument.substr(2, hasValue ? equals - 2 : std::string::npos);
        std::string value = hasValue ? argument.substr(equals + 1) : "";
        auto option = std::find_if(m_options.begin(), m_options.end(), [&name](const Option& o) {
            return o.name == name;
        });
        if (option == m_options.end())
        {
            std::string wrong = CheckNs3(name, value, hasValue);
            if (wrong == "?")
            {
                Fail("unknown option --" + name + "; --help lists what there is");
                return false;
            }
            if (!wrong.empty())
            {
                Fail(name, value, wrong);
                return false;
            }
            m_attributes[name] = value;
            passOn.push_back(argv[i]);
            continue;
        }
        if (!hasValue && option->kind == "switch")
        {
            value = "1";
        }
        else if (!hasValue && i + 1 < argc && std::strncmp(argv[i + 1], "--", 2) != 0)
        {
            value = argv[++i];
        }
        std::string allowed = option->set(value);
        if (!allowed.empty())
        {
            Fail(name, value, allowed);
            return false;
        }
        option->given = true;
    }
    if (!ReadBound())
    {
        return false;
    }
    CommandLine cmd(m_program);
    cmd.Parse(static_cast<int>(passOn.size()), passOn.data());
    *exitCode = 0;
    return true;
}

int
ExampleOptions::Fail(const std::string& name,
                     const std::string& value,
                     const std::string& allowed) const
{
    // It is named as it was given.
    std::string spelled = name + "=" + value;
    for (const auto& option : m_options)
    {
        if (option.name == name && !option.spelled.empty())
        {
            spelled = option.spelled + "=" + option.spelledValue;
        }
    }
    return Fail("--" + spelled + ": allowed is " + allowed);
}

int
ExampleOptions::Fail(const std::string& message) const
{
    std::cerr << m_program << ": " << message << std::endl;
    return 2;
}

bool
ExampleOptions::IsGiven(const std::string& name) const
{
    return std::any_of(m_options.begin(), m_options.end(), [&name](const Option& o) {
        return o.name == name && o.given;
    });
}

void
ExampleOptions::PrintHelp(std::ostream& os) const
{
    os << m_program << ": " << m_about << "\n\nOptions (--name=value):\n";
    for (const auto& option : m_options)
    {
        std::string left = "  --" + option.name + (option.form.empty() ? "" : "=" + option.form);
        std::string right = option.help;
        if (option.kind == "integer" || option.kind == "real")
        {
            right += " [" + NumberText(option.min) + " to " + NumberText(option.max) +
                     (option.unit.empty() ? "" : " " + option.unit) + "]";
        }
        if (option.kind != "switch" && !option.defaultText.empty())
        {
            right += " (default " + option.defaultText + ")";
        }
        os << left << "\n";
        PrintFolded(os, right, "      ");
    }
    os << "  --describe\n      Print these options as one JSON object.\n"
       << "  --help\n      Print this text.\n\n"
       << "ns-3's own work as well: --RngRun=2, --SchedulerType=ns3::HeapScheduler,\n"
       << "--ns3::Class::Attribute=value, --PrintTypeIds, --PrintAttributes=TypeId.\n"
       << "An option holds against the attribute that it sets.\n";
}

void
ExampleOptions::PrintDescription(std::ostream& os) const
{
    os << "{\"program\": " << JsonQuote(m_program) << ", \"about\": " << JsonQuote(m_about)
       << ", \"options\": [";
    bool first = true;
    for (const auto& option : m_options)
    {
        os << (first ? "" : ", ") << "{\"name\": " << JsonQuote(option.name)
           << ", \"kind\": " << JsonQuote(option.kind) << ", \"help\": " << JsonQuote(option.help)
           << ", \"default\": " << JsonQuote(option.defaultText);
        first = false;
        if (!option.unit.empty())
        {
            os << ", \"unit\": " << JsonQuote(option.unit);
        }
        if (option.kind == "integer" || option.kind == "real")
        {
            os << ", \"min\": " << NumberText(option.min)
               << ", \"max\": " << NumberText(option.max);
        }
        if (option.kind == "text")
        {
            os << ", \"form\": " << JsonQuote(option.form);
        }
        for (const auto& list :
             {std::make_pair("choices", &option.choices), std::make_pair("both", &option.both)})
        {
            const char* comma = "";
            for (const auto& word : *list.second)
            {
                os << (*comma ? comma : std::string(", \"") + list.first + "\": [")
                   << JsonQuote(word);
                comma = ", ";
            }
            os << (*comma ? "]" : "");
        }
        os << "}";
    }
    os << "]}\n";
}

OutputFile::~OutputFile()
{
    if (!m_temporary.empty())
    {
        m_file.close();
        std::remove(m_temporary.c_str());
        ForgetTemporary(m_temporary);
    }
}

void
OutputFile::Keep(const std::string& path)
{
    struct stat info;
    if (stat(path.c_str(), &info) == 0)
    {
        g_inputs.insert({info.st_dev, info.st_ino});
    }
}

std::string
OutputFile::Open(const std::string& path)
{
    m_path = path;
    if (path == "-")
    {
        return "";
    }
    struct stat info;
    if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    {
        // A device or a pipe (/dev/null, /dev/stdout) is written in place.
        if (S_ISDIR(info.st_mode))
        {
            return "a file's path, not a folder's";
        }
        m_file.open(path);
        return m_file ? "" : std::string("a file that can be written (") + strerror(errno) + ")";
    }
    if (stat(path.c_str(), &info) == 0 && g_inputs.count({info.st_dev, info.st_ino}) > 0)
    {
        return "another file than the one that is read";
    }
    const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
    if (stat(temporary.c_str(), &info) == 0)
    {
        return "another file than another option's";
    }
    m_temporary = temporary;
    m_file.open(m_temporary);
    if (!m_file)
    {
        m_temporary.clear();
        return std::string("a file that can be written (") + strerror(errno) + ")";
    }
    RememberTemporary(m_temporary);
    return "";
}

std::ostream&
OutputFile::Stream()
{
    return m_path == "-" ? std::cout : m_file;
}

std::string
OutputFile::Commit()
{
    Stream().flush();
    if (m_path == "-")
    {
        return std::cout ? "" : "standard output cannot be written";
    }
    bool good = static_cast<bool>(m_file);
    m_file.close();
    if (m_temporary.empty())
    {
        return good ? "" : m_path + " cannot be written";
    }
    std::string problem;
    if (!good || std::rename(m_temporary.c_str(), m_path.c_str()) != 0)
    {
        problem = m_path + " cannot be written (" + strerror(errno) + ")";
        std::remove(m_temporary.c_str());
    }
    ForgetTemporary(m_temporary);
    m_temporary.clear();
    return problem;
}

} // namespace linuxhost
} // namespace ns3
