/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "patch-example.h"

#include "ns3/double.h"
#include "ns3/json-text.h"
#include "ns3/machine-presets.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// Shares of a profile's rows that are left out of the table.
const double SMALL_SHARE = 0.01;
/// Most rows of a profile in the table.
const std::size_t MOST_ROWS = 14;
/// Most lines in the table: each CPU may have some of its own.
const std::size_t MOST_LINES = 20;

/**
 * @param format a printf format for one number
 * @param number the number
 * @returns the text
 */
std::string
Format(const char* format, double number)
{
    char text[64];
    std::snprintf(text, sizeof(text), format, number);
    return text;
}

/**
 * @param seconds a time
 * @returns it as time(1) prints it
 */
std::string
TimeText(double seconds)
{
    double minutes = std::floor(seconds / 60);
    return Format("%.0fm", minutes) + Format("%.3fs", seconds - 60 * minutes);
}

/**
 * @param metric a metric's name
 * @param value its value
 * @returns the value as the table prints it
 */
std::string
MetricText(const std::string& metric, double value)
{
    if (metric == "real_s" || metric == "user_s" || metric == "sys_s")
    {
        return TimeText(value);
    }
    if (metric == "pps")
    {
        return Format("%.3f Mpps", value / 1e6);
    }
    return Format("%.4g", value);
}

/**
 * Write a timeline in Chrome's trace format. A CPU that does nothing has no row.
 * @param os the stream
 * @param process number of the variant
 * @param name name of the variant
 * @param slices the timeline
 * @param first whether nothing has been written before
 */
void
WriteTimeline(std::ostream& os,
              int process,
              const std::string& name,
              const std::vector<TimelineSlice>& slices,
              bool first)
{
    static const char* const KINDS[] = {"run", "line", "spin", "idle"};
    static const char* const PREFIX[] = {"", "line: ", "spin: ", ""};
    static const char* const COLORS[] = {"good", "bad", "terrible", "grey"};
    os << (first ? "" : ",\n") << "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": " << process
       << ", \"args\": {\"name\": " << JsonQuote(name) << "}}";
    std::map<CpuId, bool> named;
    std::set<CpuId> used;
    for (const auto& slice : slices)
    {
        if (slice.kind != TimelineSlice::IDLE)
        {
            used.insert(slice.cpu);
        }
    }
    Ticks start = slices.empty() ? 0 : slices.front().from;
    const double TICKS_PER_US = 1e6;
    for (const auto& slice : slices)
    {
        if (used.count(slice.cpu) == 0)
        {
            continue;
        }
        if (!named[slice.cpu])
        {
            named[slice.cpu] = true;
            os << ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": " << process
               << ", \"tid\": " << slice.cpu << ", \"args\": {\"name\": \"CPU " << slice.cpu
               << "\"}}";
        }
        os << ",\n{\"name\": " << JsonQuote(PREFIX[slice.kind] + slice.symbol) << ", \"cat\": \""
           << KINDS[slice.kind]
           << "\", \"ph\": \"X\", \"ts\": " << JsonNumber((slice.from - start) / TICKS_PER_US)
           << ", \"dur\": " << JsonNumber((slice.to - slice.from) / TICKS_PER_US)
           << ", \"pid\": " << process << ", \"tid\": " << slice.cpu << ", \"cname\": \""
           << COLORS[slice.kind] << "\"}";
    }
}

} // namespace

std::string
PublishedFigures::Load(const std::string& path, const std::string& scenario)
{
    std::ifstream file(path);
    if (!file)
    {
        return "cannot read " + path;
    }
    std::string line;
    uint32_t number = 0;
    while (std::getline(file, line))
    {
        ++number;
        if (line.empty() || line[0] == '#')
        {
            continue;
        }
        std::vector<std::string> cells;
        std::istringstream row(line);
        std::string cell;
        while (std::getline(row, cell, ','))
        {
            cells.push_back(cell);
        }
        const std::size_t COLUMNS = 7;
        if (cells.size() < COLUMNS)
        {
            return path + ": line " + std::to_string(number) + ": fewer than 7 columns";
        }
        if (cells[0] == scenario)
        {
            m_rows[cells[1] + "/" + cells[2]].push_back(
                {cells[3], std::strtod(cells[4].c_str(), nullptr), cells[5] == "fitted"});
        }
    }
    return "";
}

std::vector<PublishedFigures::Row>
PublishedFigures::Get(const std::string& key, const std::string& variant) const
{
    auto found = m_rows.find(key + "/" + variant);
    return found == m_rows.end() ? std::vector<Row>() : found->second;
}

PatchExample::PatchExample(const std::string& program,
                           const std::string& about,
                           uint32_t cpus,
                           const std::vector<std::string>& locks,
                           const std::string& machine)
    : m_options(program, about),
      m_program(program),
      m_variant("both"),
      m_usualMachine(machine),
      m_usualCpus(cpus),
      m_usualLock(locks.front()),
      m_machine(machine),
      m_cpus(cpus),
      m_lock(locks.front()),
      m_seed(1),
      m_precision(0.01),
      m_maxFrames(20000000),
      m_printPath(false),
      m_diffPath(false),
      m_linkType(LINKTYPE_RAW),
      m_printerOn(false)
{
    m_options.AddChoice("variant",
                        "Which side of the patch to play.",
                        {"before", "after", "both"},
                        &m_variant,
                        {"before", "after"});
    std::string names;
    for (const auto& name : MachinePresets::GetNames())
    {
        names += name + "|";
    }
    m_options.AddText("machine",
                      "The machine: a preset, or a CSV matrix of core-to-core-latency.",
                      &m_machine,
                      names + "FILE.csv");
    m_options.AddText("figure",
                      "Other figures for the machine: attributes of ns3::linuxhost::HostMachine "
                      "(--PrintAttributes lists them).",
                      &m_figure,
                      "NAME=VALUE,...");
    m_options.AddInteger("cpus", "CPUs in use.", 1, MAX_CPUS, &m_cpus);
    m_options.AddChoice("lock", "The kind of the contended lock.", locks, &m_lock);
    m_options.AddInteger("seed", "Run number of ns-3's random numbers.", 1, INT32_MAX, &m_seed);
    m_options.AddReal("precision",
                      "Run until the 95 % confidence interval of the frame rate is this share of "
                      "it to each side.",
                      1e-4,
                      0.5,
                      &m_precision);
    m_options.AddInteger("max-frames",
                         "Measure at most so many frames a variant.",
                         1000,
                         INT64_C(1000000000000),
                         &m_maxFrames);
    m_options.AddText("json",
                      "Write the results there, one JSON object a line; - is standard output.",
                      &m_json,
                      "FILE|-");
    m_options.AddSwitch("print-path",
                        "Print the steps of a packet instead of playing them.",
                        &m_printPath);
    m_options.AddSwitch("diff-path",
                        "Print what the patch changes in the steps of a packet.",
                        &m_diffPath);
    m_options.AddText("timeline",
                      "Write what each CPU did in the last millisecond, as a Chrome trace.",
                      &m_timeline,
                      "FILE");
    m_options.AddText("folded",
                      "Write folded stacks, for flame graphs: picoseconds of CPU time a frame.",
                      &m_folded,
                      "FILE");
}

ExampleOptions&
PatchExample::GetOptions()
{
    return m_options;
}

void
PatchExample::Bind(const std::string& typeId,
                   const std::vector<std::pair<std::string, std::string>>& attributes)
{
    m_options.Bind(typeId, attributes);
    m_options.Bind("ns3::linuxhost::PatchScenario",
                   {{"precision", "Precision"}, {"max-frames", "MaxFrames"}});
}

void
PatchExample::SetPacketPlayer(const std::string& what,
                              PacketPlayer player,
                              CaptureLinkType linkType)
{
    m_player = player;
    m_linkType = linkType;
    m_options.AddText("pcap", "Write " + what + ", to PREFIX-VARIANT.pcap.", &m_pcap, "PREFIX");
}

void
PatchExample::SetCase(std::function<std::string()> key)
{
    m_key = key;
}

void
PatchExample::SetParts(const std::string& name, std::function<std::vector<std::string>()> parts)
{
    m_partName = name;
    m_parts = parts;
}

void
PatchExample::AddPrinter(const std::string& name, const std::string& help, ScenarioPrinter printer)
{
    m_options.AddSwitch(name, help, &m_printerOn);
    m_printers.push_back({name, printer});
}

void
PatchExample::SetResultPrinter(ResultPrinter printer)
{
    m_resultPrinter = printer;
}

const char* const PatchExample::HOST_MACHINE = "ns3::linuxhost::HostMachine";

std::string
PatchExample::ApplyFigures(Ptr<HostMachine> machine, const std::string& text, std::string* allowed)
{
    std::istringstream figures(text);
    std::string figure;
    while (std::getline(figures, figure, ','))
    {
        if (figure.empty())
        {
            continue;
        }
        const auto equals = figure.find('=');
        const std::string name = figure.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : figure.substr(equals + 1);
        TypeId::AttributeInformation info;
        if (equals == std::string::npos || name == "Name" ||
            !machine->GetInstanceTypeId().LookupAttributeByName(name, &info))
        {
            *allowed = std::string("NAME=VALUE of ") + HOST_MACHINE +
                       " (--PrintAttributes=" + HOST_MACHINE + " lists them)";
            return figure;
        }
        if (!ExampleOptions::CheckValue(*info.checker, value).empty() ||
            !machine->SetAttributeFailSafe(name, StringValue(value)))
        {
            *allowed = info.checker->GetUnderlyingTypeInformation();
            return figure;
        }
    }
    return "";
}

int
PatchExample::Run(int argc, char* argv[], const Maker& maker)
{
    int exitCode;
    if (!m_options.Parse(argc, argv, &exitCode))
    {
        return exitCode;
    }
    Request request;
    std::string error;
    request.machine = MachinePresets::CreateFromUser(m_machine, &error);
    if (!request.machine)
    {
        return m_options.Fail("machine", m_machine, error);
    }
    // Other figures than those that the machine brings.
    const std::string figures = m_options.GetAttributes(HOST_MACHINE);
    const std::string refused = ApplyFigures(request.machine, figures + "," + m_figure, &error);
    if (!refused.empty())
    {
        return m_options.Fail("figure", refused, error);
    }
    error = request.machine->Extend(static_cast<uint32_t>(m_cpus));
    if (!error.empty())
    {
        return m_options.Fail("cpus", std::to_string(m_cpus), error);
    }
    request.cpus = static_cast<uint32_t>(m_cpus);
    request.lock = m_lock;
    if (m_options.IsGiven("seed"))
    {
        RngSeedManager::SetRun(static_cast<uint64_t>(m_seed));
    }

    std::vector<std::string> variants = {m_variant};
    if (m_variant == "both")
    {
        variants = {"before", "after"};
    }
    std::vector<Ptr<PatchScenario>> scenarios;
    std::vector<std::string> keys;
    std::vector<std::string> parts;
    for (const auto& part : m_parts ? m_parts() : std::vector<std::string>{""})
    {
        request.part = part;
        for (const auto& variant : variants)
        {
            Ptr<PatchScenario> scenario = maker(request, variant);
            if (!scenario)
            {
                return 2;
            }
            scenario->SetMachine(request.machine);
            scenario->SetAttribute("Precision", DoubleValue(m_precision));
            scenario->SetAttribute("MaxFrames", UintegerValue(static_cast<uint64_t>(m_maxFrames)));
            scenarios.push_back(scenario);
            parts.push_back(part);
            keys.push_back(m_parts ? m_partName + "=" + part : m_key ? m_key() : std::string());
        }
    }
    std::vector<std::string> printers;
    for (const auto& one :
         {std::make_pair("--print-path", m_printPath), std::make_pair("--diff-path", m_diffPath)})
    {
        if (one.second)
        {
            printers.emplace_back(one.first);
        }
    }
    for (const auto& other : m_printers)
    {
        if (m_options.IsGiven(other.name) && m_printerOn)
        {
            printers.push_back("--" + other.name);
        }
    }
    if (printers.size() > 1)
    {
        return m_options.Fail(printers[0] + " and " + printers[1] +
                              ": only one of the two is allowed");
    }
    if (m_diffPath && m_variant != "both")
    {
        return m_options.Fail("variant", m_variant, "both, with --diff-path");
    }
    for (const char* name : {"json", "timeline", "folded", "pcap"})
    {
        if (!printers.empty() && m_options.IsGiven(name))
        {
            return m_options.Fail(std::string("--") + name + " goes with a run, not with " +
                                  printers[0]);
        }
    }
    for (const auto& one : m_printers)
    {
        if (m_options.IsGiven(one.name) && m_printerOn)
        {
            for (std::size_t i = 0; i < scenarios.size(); ++i)
            {
                std::cout << (i ? "\n" : "") << scenarios[i]->GetVariant() << "\n";
                one.printer(std::cout, scenarios[i]);
            }
            return 0;
        }
    }
    if (m_diffPath)
    {
        for (std::size_t i = 0; i < scenarios.size(); i += 2)
        {
            KernelPath::PrintDifference(std::cout,
                                        *scenarios[i]->GetPath(),
                                        *scenarios[i + 1]->GetPath());
        }
        return 0;
    }
    if (m_printPath)
    {
        for (const auto& scenario : scenarios)
        {
            scenario->GetPath()->Print(std::cout);
        }
        return 0;
    }

    std::map<std::string, std::string> outputs;
    for (const auto& output : {std::make_pair("json", &m_json),
                               std::make_pair("timeline", &m_timeline),
                               std::make_pair("folded", &m_folded)})
    {
        if (!output.second->empty() && !outputs.insert({*output.second, output.first}).second)
        {
            return m_options.Fail(output.first,
                                  *output.second,
                                  "another file than --" + outputs[*output.second] + "'s");
        }
    }
    // Files are opened before anything runs: a wrong path is known at once.
    OutputFile json;
    OutputFile timeline;
    OutputFile folded;
    for (auto& file : {std::make_tuple("json", &m_json, &json),
                       std::make_tuple("timeline", &m_timeline, &timeline),
                       std::make_tuple("folded", &m_folded, &folded)})
    {
        const std::string& path = *std::get<1>(file);
        if (m_options.IsGiven(std::get<0>(file)))
        {
            error = path.empty() ? "a file's path" : std::get<2>(file)->Open(path);
            if (!error.empty())
            {
                return m_options.Fail(std::get<0>(file), path, error);
            }
        }
    }
    std::vector<std::unique_ptr<OutputFile>> captures;
    for (std::size_t i = 0; i < scenarios.size() && m_options.IsGiven("pcap"); ++i)
    {
        const std::string path = m_pcap + "-" + scenarios[i]->GetVariant() + ".pcap";
        captures.push_back(std::make_unique<OutputFile>());
        error = m_pcap.empty()        ? "a file's prefix"
                : outputs.count(path) ? "another file than --" + outputs[path] + "'s"
                                      : captures.back()->Open(path);
        if (!error.empty())
        {
            return m_options.Fail("pcap", m_pcap, error);
        }
    }
    bool quiet = m_json == "-" || m_timeline == "-" || m_folded == "-";
    PublishedFigures published;
#ifdef LINUX_HOST_EXAMPLE_DATA
    error = published.Load(std::string(LINUX_HOST_EXAMPLE_DATA) + "/published.csv", m_program);
    if (!error.empty())
    {
        std::cerr << m_program << ": no published figures to compare with: " << error << std::endl;
    }
#endif
    if (!quiet)
    {
        const std::string name = request.machine->GetName();
        std::cout << m_program << " on " << name << ", " << request.cpus
                  << (request.cpus == 1 ? " CPU" : " CPUs");
        const auto presets = MachinePresets::GetNames();
        if (std::find(presets.begin(), presets.end(), name) != presets.end())
        {
            // More CPUs than the machine has come by more sockets of the kind.
            const uint32_t own = MachinePresets::Create(name)->GetNSockets();
            const uint32_t sockets = request.machine->GetNSockets();
            if (sockets > own)
            {
                std::cout << " (" << sockets << " sockets of the kind; the machine has " << own
                          << ")";
            }
        }
        std::cout << "\n";
    }
    if (!m_timeline.empty())
    {
        timeline.Stream() << "{\"traceEvents\": [\n";
    }
    ScenarioResult last;
    for (std::size_t i = 0; i < scenarios.size(); ++i)
    {
        if (!m_timeline.empty())
        {
            scenarios[i]->EnableTimeline(MilliSeconds(1));
        }
        ScenarioResult result = scenarios[i]->Run();
        if (!captures.empty())
        {
            WriteCapture(captures[i]->Stream(),
                         m_linkType,
                         m_player(scenarios[i]),
                         CaptureClock::NANOSECONDS);
        }
        std::string title = parts[i].empty() ? result.variant : parts[i] + " " + result.variant;
        if (!m_json.empty())
        {
            result.WriteJson(json.Stream());
        }
        if (!m_timeline.empty())
        {
            WriteTimeline(timeline.Stream(),
                          static_cast<int>(i),
                          title,
                          scenarios[i]->GetTimeline(),
                          i == 0);
        }
        if (!m_folded.empty())
        {
            const double frames = std::max<double>(1, static_cast<double>(result.measuredFrames));
            for (const auto& row : scenarios[i]->GetProfile())
            {
                // Picoseconds a frame, so that variants compare.
                folded.Stream() << m_program << " " << title << ";" << GetModeName(row.mode) << ";"
                                << row.symbol << " " << static_cast<uint64_t>(row.ticks / frames)
                                << "\n";
            }
        }
        if (!quiet)
        {
            // What was published holds for what it was measured on.
            bool usual = m_machine == m_usualMachine && m_cpus == m_usualCpus &&
                         m_lock == m_usualLock && m_figure.empty() && figures.empty() &&
                         std::none_of(result.figures.begin(),
                                      result.figures.end(),
                                      [](const Figure& figure) { return figure.kind == "set"; });
            if (m_resultPrinter)
            {
                std::cout << "\n" << title << "\n";
                m_resultPrinter(std::cout, result);
            }
            PrintTable(title,
                       result,
                       usual ? published.Get(keys[i], result.variant)
                             : std::vector<PublishedFigures::Row>());
        }
        if (!result.precise)
        {
            std::cerr << m_program << ": variant '" << title << "': ";
            if (result.measuredFrames < static_cast<uint64_t>(m_maxFrames))
            {
                std::cerr << "no frame got through any more" << std::endl;
            }
            else
            {
                std::cerr << "--max-frames=" << m_maxFrames
                          << " was reached, --precision=" << m_precision << " not yet" << std::endl;
            }
        }
        last = result;
    }
    if (!quiet)
    {
        PrintFigures(last);
    }
    if (!m_timeline.empty())
    {
        timeline.Stream() << "\n], \"displayTimeUnit\": \"ns\"}\n";
    }
    std::vector<OutputFile*> written;
    for (auto file : {std::make_pair(&m_json, &json),
                      std::make_pair(&m_timeline, &timeline),
                      std::make_pair(&m_folded, &folded)})
    {
        if (!file.first->empty())
        {
            written.push_back(file.second);
        }
    }
    for (const auto& capture : captures)
    {
        written.push_back(capture.get());
    }
    for (OutputFile* file : written)
    {
        error = file->Commit();
        if (!error.empty())
        {
            return m_options.Fail(error);
        }
    }
    return 0;
}

void
PatchExample::PrintTable(const std::string& title,
                         const ScenarioResult& result,
                         const std::vector<PublishedFigures::Row>& published) const
{
    std::cout << "\n"
              << std::left << std::setw(24) << title << "published     simulated       error\n";
    auto print = [](const std::string& name,
                    const std::string& there,
                    const std::string& here,
                    const std::string& error) {
        std::cout << "  " << std::left << std::setw(20) << name << std::right << std::setw(11)
                  << there << std::setw(14) << here << "  " << std::setw(10) << error << "\n";
    };
    std::map<std::string, PublishedFigures::Row> rows;
    for (const auto& row : published)
    {
        rows[row.metric] = row;
    }
    for (const auto& metric : result.metrics)
    {
        auto row = rows.find(metric.name);
        std::string there;
        std::string error;
        if (row != rows.end())
        {
            there = MetricText(metric.name, row->second.value);
            error = Format("%+.1f %%", 100 * (metric.value / row->second.value - 1));
            if (row->second.fitted)
            {
                error += " *";
            }
        }
        print(metric.name, there, MetricText(metric.name, metric.value), error);
    }
    std::cout << "  ";
    if (result.scaledTo > 0)
    {
        std::cout << "real, user and sys are scaled from " << result.measuredFrames
                  << " frames simulated to\n  " << result.scaledTo << ". ";
    }
    for (const auto& metric : result.metrics)
    {
        if (metric.name == "pps")
        {
            std::cout << (std::isfinite(metric.ci95)
                              ? "95 % interval: +-" +
                                    Format("%.2f %%", 100 * metric.ci95 / metric.value)
                              : std::string("Too short a run for an interval"))
                      << ".\n";
        }
    }
    std::cout << "\n  CPU time    published   ns/frame  symbol\n";
    std::size_t shown = 0;
    for (const auto& row : result.profile)
    {
        auto known = rows.find("share:" + row.name);
        if (row.share < SMALL_SHARE || (shown >= MOST_ROWS && known == rows.end()))
        {
            if (known == rows.end())
            {
                continue;
            }
        }
        ++shown;
        std::cout << Format("  %7.2f %%", 100 * row.share)
                  << (known == rows.end() ? std::string(13, ' ')
                                          : Format("%11.1f %%", known->second.value))
                  << Format("%11.1f", row.nsPerFrame) << "  " << row.name << "\n";
    }
    std::cout << "\n  moved       busy   line\n";
    shown = 0;
    for (const auto& line : result.lines)
    {
        if (line.transfersPerFrame >= SMALL_SHARE && shown < MOST_LINES)
        {
            ++shown;
            std::cout << Format("  %5.2f/frame", line.transfersPerFrame)
                      << Format(" %5.1f %%", 100 * line.busy) << "  " << line.name << "\n";
        }
    }
}

void
PatchExample::PrintFigures(const ScenarioResult& result) const
{
    for (const auto& figure : result.figures)
    {
        if (figure.kind == "fitted")
        {
            std::cout << "\n";
            PrintFolded(std::cout,
                        "* fitted: " + figure.name + " = " + Format("%.4g", figure.value) + " " +
                            figure.unit + ", " + figure.source + ".",
                        "");
        }
    }
    std::cout << "Everything else is predicted; --json lists each figure with its source.\n";
}

} // namespace linuxhost
} // namespace ns3
