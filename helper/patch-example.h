/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATCH_EXAMPLE_H
#define PATCH_EXAMPLE_H

#include "capture-file.h"
#include "example-options.h"

#include "ns3/patch-scenario.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The figures that were published of an experiment, read from a data file beside the examples.
 *
 * The file is CSV: scenario, case, variant, metric, value, whether a figure of the pack was fitted
 * to it, source. A metric is one of the result's, or `share:SYMBOL` for a row of a profile.
 */
class PublishedFigures
{
  public:
    /// A published figure.
    struct Row
    {
        std::string metric; //!< metric, or share:SYMBOL
        double value;       //!< value
        bool fitted;        //!< whether a figure of the pack was fitted to it
    };

    /**
     * @param path the file
     * @param scenario which rows to keep
     * @returns the empty string, or what is wrong
     */
    std::string Load(const std::string& path, const std::string& scenario);
    /**
     * @param key the case, e.g. `tunnel=sit`
     * @param variant the variant
     * @returns what was published of it
     */
    std::vector<Row> Get(const std::string& key, const std::string& variant) const;

  private:
    std::map<std::string, std::vector<Row>> m_rows; //!< by case and variant
};

/**
 * @ingroup linux-host
 * The main() of an example that plays a patch, before and after: the command line that all of them
 * share, the tables and the files.
 */
class PatchExample
{
  public:
    /// What the common options ask for.
    struct Request
    {
        Ptr<HostMachine> machine; //!< machine, with enough CPUs
        uint32_t cpus;            //!< number of CPUs in use
        std::string lock;         //!< kind of lock
        std::string part;         //!< part of the experiment, when it has parts (SetParts)
    };

    /**
     * Makes a scenario in one variant. It returns null, after ExampleOptions::Fail, when an option
     * cannot be had.
     */
    using Maker =
        std::function<Ptr<PatchScenario>(const Request& request, const std::string& variant)>;

    /**
     * @param program the example's name, which is the scenario's
     * @param about one sentence for the help
     * @param cpus the default number of CPUs
     * @param locks kinds of lock to choose from, the default first
     * @param machine the default machine
     */
    PatchExample(const std::string& program,
                 const std::string& about,
                 uint32_t cpus,
                 const std::vector<std::string>& locks,
                 const std::string& machine);

    /// @returns the options, for the example to add its own
    ExampleOptions& GetOptions();
    /**
     * Say which of the scenario's attributes the options set, those of all scenarios included.
     * @param typeId the name of the scenario's TypeId
     * @param attributes pairs of an option and an attribute; `variant` is the patch's own
     */
    void Bind(const std::string& typeId,
              const std::vector<std::pair<std::string, std::string>>& attributes);
    /**
     * @param key returns which published case the options describe, e.g. `tunnel=sit`; empty: none
     */
    void SetCase(std::function<std::string()> key);
    /// Returns the packets of a scenario that has run, or plays it again to have them.
    using PacketPlayer = std::function<std::vector<CapturedPacket>(Ptr<PatchScenario> scenario)>;

    /**
     * Offer --pcap.
     * @param what which packets they are and how many at most, for the help
     * @param player returns them
     * @param linkType what they begin with
     */
    void SetPacketPlayer(const std::string& what,
                         PacketPlayer player,
                         CaptureLinkType linkType = LINKTYPE_RAW);
    /**
     * An experiment of several parts, each of which is played before and after. Its published case
     * is `NAME=PART`.
     * @param name what tells the parts apart, e.g. `placement`
     * @param parts returns the parts that the options ask for
     */
    void SetParts(const std::string& name, std::function<std::vector<std::string>()> parts);
    /// Prints something about a scenario or its result.
    using ScenarioPrinter = std::function<void(std::ostream& os, Ptr<PatchScenario> scenario)>;
    /// Prints a result.
    using ResultPrinter = std::function<void(std::ostream& os, const ScenarioResult& result)>;

    /**
     * Offer a switch that prints something of each scenario instead of playing it.
     * @param name the switch, without dashes
     * @param help one sentence
     * @param printer prints it
     */
    void AddPrinter(const std::string& name, const std::string& help, ScenarioPrinter printer);
    /**
     * Print a result in a form of the experiment's own, before the table.
     * @param printer prints it
     */
    void SetResultPrinter(ResultPrinter printer);
    /**
     * Give a machine other figures.
     * @param machine the machine
     * @param text `NAME=VALUE,...`, as --figure has it
     * @param[out] allowed what is allowed instead of an item that cannot be had
     * @returns the empty string, or the item
     */
    static std::string ApplyFigures(Ptr<HostMachine> machine,
                                    const std::string& text,
                                    std::string* allowed);
    /// The TypeId whose attributes are figures.
    static const char* const HOST_MACHINE;

    /**
     * Read the command line and do what it asks for.
     * @param argc number of arguments
     * @param argv arguments
     * @param maker makes the scenarios
     * @returns main()'s exit code
     */
    int Run(int argc, char* argv[], const Maker& maker);

  private:
    /**
     * @param title what was played
     * @param result its result
     * @param published what was published of it
     */
    void PrintTable(const std::string& title,
                    const ScenarioResult& result,
                    const std::vector<PublishedFigures::Row>& published) const;
    /// @param result a result
    void PrintFigures(const ScenarioResult& result) const;

    ExampleOptions m_options;                          //!< options
    std::string m_program;                             //!< program
    std::function<std::string()> m_key;                //!< published case
    std::string m_partName;                            //!< what tells the parts apart
    std::function<std::vector<std::string>()> m_parts; //!< the parts
    std::string m_variant;                             //!< --variant
    std::string m_figure;                              //!< --figure
    std::string m_usualMachine;                        //!< default of --machine
    int64_t m_usualCpus;                               //!< default of --cpus
    std::string m_usualLock;                           //!< default of --lock
    std::string m_machine;                             //!< --machine
    int64_t m_cpus;                                    //!< --cpus
    std::string m_lock;                                //!< --lock
    int64_t m_seed;                                    //!< --seed
    double m_precision;                                //!< --precision
    int64_t m_maxFrames;                               //!< --max-frames
    std::string m_json;                                //!< --json
    bool m_printPath;                                  //!< --print-path
    bool m_diffPath;                                   //!< --diff-path
    CaptureLinkType m_linkType;                        //!< link type of --pcap's files
    std::string m_timeline;                            //!< --timeline
    std::string m_folded;                              //!< --folded
    std::string m_pcap;                                //!< --pcap
    PacketPlayer m_player;                             //!< returns the packets for --pcap
    ResultPrinter m_resultPrinter;                     //!< prints a result in another form

    /// A switch that prints something.
    struct Printer
    {
        std::string name;        //!< the switch
        ScenarioPrinter printer; //!< prints it
    };

    bool m_printerOn;                //!< where the switches go
    std::vector<Printer> m_printers; //!< switches that print something
};

} // namespace linuxhost
} // namespace ns3

#endif /* PATCH_EXAMPLE_H */
