/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-result.h"

#include <cmath>
#include <limits>

namespace ns3
{
namespace linuxhost
{

void
ScenarioResult::AddText(const std::string& name, const std::string& value)
{
    params.push_back({name, JsonQuote(value)});
}

void
ScenarioResult::AddNumber(const std::string& name, double value)
{
    params.push_back({name, JsonNumber(value)});
}

void
ScenarioResult::AddBoolean(const std::string& name, bool value)
{
    params.push_back({name, value ? "true" : "false"});
}

double
ScenarioResult::GetMetric(const std::string& name) const
{
    for (const auto& metric : metrics)
    {
        if (metric.name == name)
        {
            return metric.value;
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double
ScenarioResult::GetShare(const std::string& symbol) const
{
    for (const auto& row : profile)
    {
        if (row.name == symbol)
        {
            return row.share;
        }
    }
    return 0;
}

void
ScenarioResult::WriteJson(std::ostream& os) const
{
    os << "{\"schema\": \"linux-host.result/1\", \"scenario\": " << JsonQuote(scenario)
       << ", \"variant\": " << JsonQuote(variant) << ", \"machine\": " << JsonQuote(machine)
       << ", \"params\": {";
    const char* comma = "";
    for (const auto& setting : params)
    {
        os << comma << JsonQuote(setting.name) << ": " << setting.json;
        comma = ", ";
    }
    os << "}, \"seed\": " << seed << ", \"frames\": {\"warmup\": " << warmupFrames
       << ", \"measured\": " << measuredFrames;
    if (scaledTo > 0)
    {
        os << ", \"scaled_to\": " << scaledTo;
    }
    os << "}, \"precise\": " << (precise ? "true" : "false") << ", \"metrics\": {";
    comma = "";
    for (const auto& metric : metrics)
    {
        os << comma << JsonQuote(metric.name) << ": " << JsonNumber(metric.value);
        comma = ", ";
    }
    os << "}, \"ci95\": {";
    comma = "";
    for (const auto& metric : metrics)
    {
        if (metric.ci95 >= 0)
        {
            os << comma << JsonQuote(metric.name) << ": " << JsonNumber(metric.ci95);
            comma = ", ";
        }
    }
    os << "}, \"profile\": [";
    comma = "";
    for (const auto& row : profile)
    {
        os << comma << "{\"symbol\": " << JsonQuote(row.name)
           << ", \"share\": " << JsonNumber(row.share)
           << ", \"ns_per_frame\": " << JsonNumber(row.nsPerFrame) << "}";
        comma = ", ";
    }
    os << "], \"lines\": [";
    comma = "";
    for (const auto& line : lines)
    {
        os << comma << "{\"line\": " << JsonQuote(line.name)
           << ", \"transfers_per_frame\": " << JsonNumber(line.transfersPerFrame)
           << ", \"busy\": " << JsonNumber(line.busy) << "}";
        comma = ", ";
    }
    os << "], \"free_parameters\": [";
    comma = "";
    for (const auto& figure : figures)
    {
        os << comma << "{\"name\": " << JsonQuote(figure.name)
           << ", \"value\": " << JsonNumber(figure.value)
           << ", \"unit\": " << JsonQuote(figure.unit) << ", \"kind\": " << JsonQuote(figure.kind)
           << ", \"provenance\": " << JsonQuote(figure.source) << "}";
        comma = ", ";
    }
    os << "]}\n";
}

} // namespace linuxhost
} // namespace ns3
