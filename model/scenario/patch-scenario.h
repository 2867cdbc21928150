/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATCH_SCENARIO_H
#define PATCH_SCENARIO_H

#include "batch-means.h"
#include "scenario-result.h"

#include "ns3/cpu-engine.h"
#include "ns3/host-machine.h"
#include "ns3/kernel-path.h"
#include "ns3/object.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * One published experiment: a machine, a path and a workload, in one variant.
 *
 * A subclass builds the tasks and says which settings and figures shaped them; this class runs them
 * inside ns-3's event loop to their steady state: it finds the warm-up, drops it, and measures
 * until the confidence interval is narrow enough.
 */
class PatchScenario : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    PatchScenario();
    ~PatchScenario() override;

    /// @param machine the machine to run on
    void SetMachine(Ptr<HostMachine> machine);
    /// @returns the machine
    Ptr<HostMachine> GetMachine() const;

    /// @returns the scenario's name, e.g. `sit-lockless-xmit`
    virtual std::string GetName() const = 0;
    /// @returns the variant's name: `before` or `after`
    virtual std::string GetVariant() const = 0;
    /// @returns the path of the first task, as it would be played
    virtual Ptr<KernelPath> GetPath() = 0;

    /// Changes a recorded path: takes a step out, puts another in its place.
    using PathEditor = std::function<void(KernelPath&)>;

    /**
     * Change each path after it has been recorded, before it is played or printed: "what if this
     * counter were per-CPU?"
     * @param editor changes a path; null: paths stay as they are
     */
    void SetPathEditor(PathEditor editor);

    /**
     * Keep a timeline of one stretch, right after the measurement.
     * @param last its length
     */
    void EnableTimeline(Time last);
    /**
     * Run to the steady state and measure. Runs and destroys ns-3's simulator.
     * @returns the result
     */
    ScenarioResult Run();
    /// @returns the timeline of the last run
    const std::vector<TimelineSlice>& GetTimeline() const;
    /// @returns time by mode and symbol of the last run, per frame, in ns
    const std::vector<ProfileRow>& GetProfile() const;

  protected:
    /// A count of a scenario's own, which becomes a metric: how many a second, or how many for
    /// each of something else.
    struct Count
    {
        std::string name; //!< the metric's name
        double value;     //!< how many so far
        double of{-1};    //!< how many of the something else so far; negative: a second
    };

    void DoDispose() override;
    /// @returns counts of the scenario's own since the run began, always the same ones
    virtual std::vector<Count> GetCounts() const;
    /**
     * Add the tasks to the engine, whose machine is set.
     * @param engine the engine
     */
    virtual void Build(Ptr<CpuEngine> engine) = 0;
    /**
     * Another host takes part: called by Build(). Its time and frames count as the first one's do;
     * its symbols and lines have the host's name before them.
     * @param name the host's name
     * @param machine its machine
     * @returns its engine, to add tasks to
     */
    Ptr<CpuEngine> AddHost(const std::string& name, Ptr<HostMachine> machine);
    /**
     * Say which settings and figures shaped the run, and add metrics of the scenario's own.
     * @param result the result, with everything that is common to all scenarios
     */
    virtual void Complete(ScenarioResult& result) = 0;

    /**
     * @param name an attribute of the scenario
     * @param value its value
     * @param unit of the value
     * @param kind what the default is: `fitted`, `assumed`, ...
     * @param source of the default
     * @returns the figure, with kind `set` where the value is not the default
     */
    Figure MakeFigure(const std::string& name,
                      double value,
                      const std::string& unit,
                      const std::string& kind,
                      const std::string& source) const;
    /**
     * Subclasses call this for each path that they have recorded.
     * @param path the path
     */
    void EditPath(KernelPath& path) const;
    /// @returns whether the warm-up is over
    bool IsMeasuring() const;

    Ptr<HostMachine> m_machine; //!< machine

  private:
    /// One visit: another batch is over.
    void OnBatch();
    /// The measurement begins.
    void BeginMeasurement();
    /// @returns time and frames of all hosts
    CpuUsage GetUsage();
    /// @returns the lines of all hosts
    std::vector<LineRow> GetLines();
    /// @returns the profile of all hosts, largest first
    std::vector<ProfileRow> GetAllProfiles();

    /// Another host.
    struct Host
    {
        std::string name;      //!< its name
        Ptr<CpuEngine> engine; //!< its engine
    };

    double m_precision;                    //!< half-width asked for, as a share
    uint64_t m_maxFrames;                  //!< frames to measure at most
    Time m_batch;                          //!< length of a batch at the usual precision
    Time m_batchLength;                    //!< length of a batch of this run
    Time m_warmup;                         //!< shortest warm-up
    Time m_timelineLast;                   //!< length of the timeline
    PathEditor m_editor;                   //!< changes paths
    bool m_finishing;                      //!< the measurement is over
    Ptr<CpuEngine> m_engine;               //!< engine of the run
    std::vector<Host> m_others;            //!< other hosts of the run
    bool m_measuring;                      //!< past the warm-up
    std::vector<double> m_pilot;           //!< frames by batch of the warm-up
    uint64_t m_warmupFrames;               //!< frames in the warm-up
    CpuUsage m_last;                       //!< usage at the last visit
    BatchMeans m_pps;                      //!< frames a second, by batch
    BatchMeans m_user;                     //!< user time, in CPUs
    BatchMeans m_system;                   //!< system, softirq and spin time, in CPUs
    BatchMeans m_busy;                     //!< busy CPUs
    BatchMeans m_moved;                    //!< line transfers a frame
    double m_lastMoved;                    //!< line transfers at the last visit
    std::vector<Count> m_lastCounts;       //!< the scenario's counts at the last visit
    std::vector<BatchMeans> m_rates;       //!< how many of them a second, or of something else
    bool m_precise;                        //!< whether the precision was reached
    uint64_t m_silent;                     //!< batches without a frame, one after the other
    std::vector<TimelineSlice> m_timeline; //!< timeline of the last run
    std::vector<ProfileRow> m_profile;     //!< profile of the last run
};

} // namespace linuxhost
} // namespace ns3

#endif /* PATCH_SCENARIO_H */
