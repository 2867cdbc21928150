/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_RESULT_H
#define SCENARIO_RESULT_H

#include "ns3/host-machine.h"
#include "ns3/json-text.h"

#include <cstdint>
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
 * What one run of one variant of a scenario gave. It is written as one JSON object on a line, of
 * schema `linux-host.result/1`.
 */
struct ScenarioResult
{
    /// A setting, with its value as JSON writes it.
    struct Setting
    {
        std::string name; //!< name
        std::string json; //!< value, as JSON
    };

    /// A metric.
    struct Metric
    {
        std::string name; //!< name
        double value;     //!< value
        double ci95;      //!< half-width of its 95 % confidence interval; negative: none
    };

    /// A row of the profile.
    struct Symbol
    {
        std::string name;  //!< kernel symbol
        double share;      //!< share of all busy CPU time
        double nsPerFrame; //!< ns a frame
    };

    /// A row of the account of lines.
    struct Line
    {
        std::string name;         //!< line
        double transfersPerFrame; //!< ownership transfers a frame
        double busy;              //!< share of time it moves
    };

    std::string scenario;        //!< scenario
    std::string variant;         //!< before or after
    std::string machine;         //!< machine
    std::vector<Setting> params; //!< every setting that shaped the run
    uint64_t seed;               //!< seed
    uint64_t warmupFrames;       //!< frames before the measurement
    uint64_t measuredFrames;     //!< frames measured
    uint64_t scaledTo;           //!< frames that totals are scaled to; 0: not scaled
    bool precise;                //!< whether the precision that was asked for was reached
    std::vector<Metric> metrics; //!< metrics
    std::vector<Symbol> profile; //!< profile, largest first; idle left out
    std::vector<Line> lines;     //!< lines, busiest first
    std::vector<Figure> figures; //!< figures that shaped the run

    /**
     * @param name a setting's name
     * @param value text
     */
    void AddText(const std::string& name, const std::string& value);
    /**
     * @param name a setting's name
     * @param value number
     */
    void AddNumber(const std::string& name, double value);
    /**
     * @param name a setting's name
     * @param value truth
     */
    void AddBoolean(const std::string& name, bool value);

    /**
     * @param name a metric's name
     * @returns its value, or not-a-number
     */
    double GetMetric(const std::string& name) const;
    /**
     * @param symbol a kernel symbol
     * @returns its share of busy CPU time, 0 when it is not there
     */
    double GetShare(const std::string& symbol) const;

    /**
     * @param os where the JSON object goes, with a newline
     */
    void WriteJson(std::ostream& os) const;
};

} // namespace linuxhost
} // namespace ns3

#endif /* SCENARIO_RESULT_H */
