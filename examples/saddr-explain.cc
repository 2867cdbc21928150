/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Which source address Linux chooses on a host, and why.
//
//   saddr-explain --host=host.json --dst=2001:db8::1 --oif=eth0
//   saddr-explain --cases=linux-6.18-cases.json

#include "ns3/example-options.h"
#include "ns3/saddr-case-file.h"
#include "ns3/source-address-selection.h"

#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <utility>

using namespace ns3;
using namespace ns3::linuxhost;

namespace
{

/// What the command line asks for.
struct Settings
{
    std::string host;         //!< file of a host
    std::string cases;        //!< file of cases
    std::string destination;  //!< destination
    std::string oif;          //!< outgoing interface's name, or empty
    std::string scope;        //!< name of the interface of sin6_scope_id, or empty
    std::string preference;   //!< preferences, with commas between
    std::string json;         //!< file for JSON, `-`, or empty
    int64_t caseId{0};        //!< which host of a file of cases
    bool mobileIpv6{false};   //!< CONFIG_IPV6_MIP6
    bool optimisticDad{true}; //!< CONFIG_IPV6_OPTIMISTIC_DAD
};

/**
 * @param options the command line
 * @param option the option that named the file
 * @param path a file's path
 * @param[out] in the file
 * @returns whether it could be opened; if not, a message has been printed
 */
bool
OpenInput(const ExampleOptions& options,
          const std::string& option,
          const std::string& path,
          std::ifstream* in)
{
    in->open(path, std::ios::binary);
    // A folder opens, but cannot be read.
    if (!*in || (in->peek(), in->bad()))
    {
        options.Fail(option, path, "a file that can be read");
        return false;
    }
    in->clear();
    return true;
}

/**
 * @param counts counts
 * @returns them as a JSON object
 */
std::string
CountsJson(const SaddrCounts& counts)
{
    std::ostringstream os;
    os << "{\"interfaces\": " << counts.interfaces << ", \"addresses\": " << counts.addresses
       << ", \"improvements\": " << counts.improvements
       << ", \"evaluations\": " << counts.evaluations
       << ", \"label_lookups\": " << counts.labelLookups
       << ", \"label_probes\": " << counts.labelProbes << "}";
    return os.str();
}

/**
 * @param choice an answer
 * @param verdicts how each candidate fared
 * @returns why that answer: what decided against the candidate that came closest to it
 */
std::string
Reason(const SaddrChoice& choice, const std::vector<SaddrVerdict>& verdicts)
{
    if (!choice.source)
    {
        return verdicts.empty() ? "no candidate" : "no candidate is usable";
    }
    const SaddrVerdict* closest = nullptr;
    for (const auto& verdict : verdicts)
    {
        const bool won = verdict.candidate == choice.source && verdict.rival &&
                         verdict.outcome == SaddrVerdict::IMPROVED;
        const bool lost = verdict.rival == choice.source && verdict.outcome == SaddrVerdict::LOST;
        if (verdict.rival == choice.source && verdict.outcome == SaddrVerdict::TIED)
        {
            return "ties with " + verdict.candidate->address.ToText() + ", and came first";
        }
        if ((won || lost) && (!closest || verdict.rule > closest->rule))
        {
            closest = &verdict;
        }
    }
    if (!closest)
    {
        return "the only candidate";
    }
    SaddrVerdict winner = *closest;
    if (winner.candidate != choice.source)
    {
        std::swap(winner.candidate, winner.rival);
        std::swap(winner.candidateValue, winner.rivalValue);
        winner.outcome = SaddrVerdict::IMPROVED;
    }
    return ToString(winner);
}

/**
 * @param os where the explanation goes
 * @param host the host
 * @param query the question
 * @param choice the answer
 * @param verdicts how each candidate fared
 */
void
PrintText(std::ostream& os,
          const SaddrHost& host,
          const SaddrQuery& query,
          const SaddrChoice& choice,
          const std::vector<SaddrVerdict>& verdicts)
{
    const auto type = Ipv6AddressType::Of(query.destination);
    uint32_t probes = 0;
    const uint32_t label = host.labels.Lookup(query.destination, type.kind, query.oif, &probes);
    os << "destination " << query.destination.ToText() << ": scope " << int{type.scope}
       << ", label ";
    if (label == Ipv6AddressLabels::NO_LABEL)
    {
        os << "none";
    }
    else
    {
        os << label;
    }
    os << "\nvisited: " << ToString(choice.restriction) << "\n";
    size_t width = 0;
    for (const auto& verdict : verdicts)
    {
        width =
            std::max(width,
                     (verdict.interface->name + " " + verdict.candidate->address.ToText()).size());
    }
    for (const auto& verdict : verdicts)
    {
        os << "  " << std::left << std::setw(static_cast<int>(width))
           << verdict.interface->name + " " + verdict.candidate->address.ToText() << "  "
           << ToString(verdict) << "\n";
    }
    const auto& counts = choice.counts;
    os << "work: " << counts.interfaces << " interfaces, " << counts.addresses << " addresses, "
       << counts.improvements << " improvements, " << counts.evaluations << " rule evaluations, "
       << counts.labelProbes << " label probes\n";
    os << "source " << (choice.source ? choice.source->address.ToText() : "none");
    if (choice.source)
    {
        os << " (" << choice.interface->name << ")";
    }
    os << ": " << Reason(choice, verdicts) << "\n";
}

/**
 * @param os where the explanation goes
 * @param query the question
 * @param choice the answer
 * @param verdicts how each candidate fared
 */
void
PrintJson(std::ostream& os,
          const SaddrQuery& query,
          const SaddrChoice& choice,
          const std::vector<SaddrVerdict>& verdicts)
{
    static const char* const OUTCOMES[] = {"improved", "lost", "tied", "tentative", "no-source"};
    os << "{\"schema\": \"linux-host.saddr/1\", \"dst\": " << JsonQuote(query.destination.ToText())
       << ", \"src\": " << (choice.source ? JsonQuote(choice.source->address.ToText()) : "null")
       << ", \"interface\": " << (choice.source ? JsonQuote(choice.interface->name) : "null")
       << ", \"reason\": " << JsonQuote(Reason(choice, verdicts))
       << ", \"visited\": " << JsonQuote(ToString(choice.restriction)) << ", \"candidates\": [";
    for (size_t i = 0; i < verdicts.size(); ++i)
    {
        const auto& verdict = verdicts[i];
        const bool decided =
            verdict.outcome == SaddrVerdict::IMPROVED || verdict.outcome == SaddrVerdict::LOST;
        os << (i ? ", " : "") << "{\"interface\": " << JsonQuote(verdict.interface->name)
           << ", \"address\": " << JsonQuote(verdict.candidate->address.ToText())
           << ", \"outcome\": " << JsonQuote(OUTCOMES[verdict.outcome])
           << ", \"rule\": " << (decided ? JsonQuote(ToString(verdict.rule)) : "null")
           << ", \"value\": " << verdict.candidateValue
           << ", \"rival_value\": " << verdict.rivalValue << ", \"rival\": "
           << (verdict.rival ? JsonQuote(verdict.rival->address.ToText()) : "null")
           << ", \"reason\": " << JsonQuote(ToString(verdict)) << "}";
    }
    os << "], \"counts\": " << CountsJson(choice.counts) << "}\n";
}

/**
 * Answer one question.
 * @param options the command line
 * @param settings what it asks for
 * @returns the exit code
 */
int
Explain(const ExampleOptions& options, const Settings& settings)
{
    std::ifstream in;
    if (!OpenInput(options, "host", settings.host, &in))
    {
        return 2;
    }
    SaddrHost host;
    std::string error;
    if (options.IsGiven("case"))
    {
        std::vector<SaddrCase> cases;
        error = SaddrCaseFile::ReadCases(in, &cases);
        bool found = false;
        for (const auto& item : cases)
        {
            if (item.id == settings.caseId)
            {
                host = item.host;
                found = true;
            }
        }
        if (error.empty() && !found)
        {
            return options.Fail("case", std::to_string(settings.caseId), "an id of that file");
        }
    }
    else
    {
        error = SaddrCaseFile::ReadHost(in, &host);
    }
    if (!error.empty())
    {
        return options.Fail(settings.host + ": " + error);
    }
    host.kernelHasMobileIpv6 = settings.mobileIpv6;
    host.kernelHasOptimisticDad = settings.optimisticDad;

    SaddrQuery query;
    Ipv6Bits::Parse(settings.destination, &query.destination);
    std::istringstream preferences(settings.preference);
    for (std::string name; std::getline(preferences, name, ',');)
    {
        uint16_t preference = 0;
        SaddrCaseFile::ParsePreference(name, &preference);
        query.preferences |= preference;
    }
    for (const auto& option :
         {std::make_pair("oif", &settings.oif), std::make_pair("scope", &settings.scope)})
    {
        const SaddrInterface* interface = host.FindInterface(*option.second);
        if (!option.second->empty() && !interface)
        {
            return options.Fail(option.first, *option.second, "an interface of the host");
        }
        // A socket call's scope counts for addresses that need one; a route's interface always.
        const bool counts =
            option.second == &settings.oif || Ipv6AddressType::Of(query.destination).NeedsScopeId();
        if (interface && counts)
        {
            if (query.oif != 0 && query.oif != interface->ifindex)
            {
                return options.Fail("scope", settings.scope, "the interface of --oif");
            }
            query.oif = interface->ifindex;
        }
    }

    std::vector<SaddrVerdict> verdicts;
    const auto choice = SelectSourceAddress(host, query, &verdicts);
    if (settings.json != "-")
    {
        PrintText(std::cout, host, query, choice, verdicts);
    }
    if (!settings.json.empty())
    {
        OutputFile file;
        error = file.Open(settings.json);
        if (error.empty())
        {
            PrintJson(file.Stream(), query, choice, verdicts);
            error = file.Commit();
        }
        if (!error.empty())
        {
            return options.Fail("json", settings.json, error);
        }
    }
    return 0;
}

/**
 * Compare with a kernel's answers.
 * @param options the command line
 * @param settings what it asks for
 * @returns the exit code
 */
int
Compare(const ExampleOptions& options, const Settings& settings)
{
    std::ifstream in;
    if (!OpenInput(options, "cases", settings.cases, &in))
    {
        return 2;
    }
    std::vector<SaddrCase> cases;
    std::string error = SaddrCaseFile::ReadCases(in, &cases);
    if (!error.empty())
    {
        return options.Fail(settings.cases + ": " + error);
    }
    OutputFile file;
    if (!settings.json.empty())
    {
        error = file.Open(settings.json);
        if (!error.empty())
        {
            return options.Fail("json", settings.json, error);
        }
    }
    size_t right = 0;
    size_t total = 0;
    std::ostringstream wrong;
    std::vector<SaddrVerdict> verdicts;
    for (auto& item : cases)
    {
        item.host.kernelHasMobileIpv6 = settings.mobileIpv6;
        item.host.kernelHasOptimisticDad = settings.optimisticDad;
        for (size_t i = 0; i < item.queries.size(); ++i)
        {
            const auto& query = item.queries[i];
            verdicts.clear();
            const auto choice = SelectSourceAddress(item.host, query.query, &verdicts);
            ++total;
            if (query.hasExpected ? choice.source && choice.source->address == query.expected
                                  : !choice.source)
            {
                ++right;
            }
            else
            {
                wrong << "case " << item.id << " query " << i << " ("
                      << query.query.destination.ToText() << "): expected "
                      << (query.hasExpected ? query.expected.ToText() : "none") << ", chose "
                      << (choice.source ? choice.source->address.ToText() : "none") << ": "
                      << Reason(choice, verdicts);
                std::string expected = "is no candidate";
                for (const auto& verdict : verdicts)
                {
                    if (verdict.candidate->address == query.expected)
                    {
                        expected = ToString(verdict);
                    }
                }
                wrong << "; the expected one " << expected << "\n";
            }
            if (!settings.json.empty())
            {
                PrintJson(file.Stream(), query.query, choice, verdicts);
            }
        }
    }
    if (!settings.json.empty())
    {
        error = file.Commit();
        if (!error.empty())
        {
            return options.Fail("json", settings.json, error);
        }
    }
    (settings.json == "-" ? std::cerr : std::cout)
        << wrong.str() << "right " << right << " of " << total << "\n";
    return right == total ? 0 : 1;
}

/**
 * @param text a list of preferences
 * @returns the empty string, or what is allowed
 */
std::string
CheckPreferences(const std::string& text)
{
    uint16_t all = 0;
    std::istringstream names(text);
    for (std::string name; std::getline(names, name, ',');)
    {
        uint16_t preference = 0;
        const uint16_t opposite[] = {SADDR_PREFER_TMP | SADDR_PREFER_PUBLIC,
                                     SADDR_PREFER_HOME | SADDR_PREFER_COA};
        const bool known = SaddrCaseFile::ParsePreference(name, &preference);
        all |= preference;
        if (!known || (all & opposite[0]) == opposite[0] || (all & opposite[1]) == opposite[1])
        {
            return "tmp or public, home or coa, or one of each with a comma between";
        }
    }
    return "";
}

} // namespace

int
main(int argc, char* argv[])
{
    Settings settings;
    ExampleOptions options("saddr-explain",
                           "Which source address Linux chooses on a host, and why.");
    options.AddText("host", "the host: a JSON file", &settings.host, "FILE");
    options.AddText("dst",
                    "the destination",
                    &settings.destination,
                    "ADDRESS",
                    [](const std::string& text) -> std::string {
                        Ipv6Bits bits;
                        return Ipv6Bits::Parse(text, &bits) ? "" : "an IPv6 address";
                    });
    options.AddText("oif", "the outgoing interface (none: no route)", &settings.oif, "NAME");
    options.AddText("prefs",
                    "the socket's address preferences: tmp|public|home|coa",
                    &settings.preference,
                    "LIST",
                    CheckPreferences);
    options.AddText("scope",
                    "the interface of sin6_scope_id, for link-local destinations",
                    &settings.scope,
                    "NAME");
    options.AddInteger("case",
                       "take the host of this id from a file of cases",
                       0,
                       std::numeric_limits<int64_t>::max(),
                       &settings.caseId);
    options.AddText("cases",
                    "compare with a kernel's answers: a JSON file of cases",
                    &settings.cases,
                    "FILE");
    options.AddSwitch("mip6", "the kernel has CONFIG_IPV6_MIP6", &settings.mobileIpv6);
    options.AddSwitch("optimistic-dad",
                      "the kernel has CONFIG_IPV6_OPTIMISTIC_DAD",
                      &settings.optimisticDad);
    options.AddText("json", "write the answers as JSON, a line each", &settings.json, "FILE");
    int exitCode = 0;
    if (!options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    if (!SaddrCaseFile::IsSupported())
    {
        return options.Fail("this build has no JSON library (nlohmann/json.hpp)");
    }
    if (options.IsGiven("cases"))
    {
        for (const char* other : {"host", "dst", "oif", "prefs", "scope", "case"})
        {
            if (options.IsGiven(other))
            {
                return options.Fail(std::string("--cases cannot be combined with --") + other);
            }
        }
        return Compare(options, settings);
    }
    if (!options.IsGiven("host") || !options.IsGiven("dst"))
    {
        return options.Fail("give --host=FILE and --dst=ADDRESS, or --cases=FILE");
    }
    return Explain(options, settings);
}
