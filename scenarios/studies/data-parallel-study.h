/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_STUDY_H
#define EDGEPIPE_DATA_PARALLEL_STUDY_H

#include "lib/data-parallel-helper.h"
#include "lib/data-parallel-inputs.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Means over a stretch of weight updates. */
struct UpdateStretch
{
    std::size_t first{0};       //!< the first update, from 0
    std::size_t count{0};       //!< how many
    double nodeSeconds{0};      //!< weight update as a worker sees it, waiting included
    double exchangeSeconds{0};  //!< the same without waiting for slower workers
    double iterationSeconds{0}; //!< of an iteration
};

/// Weight updates of a stretch, as the paper that BatchSharesProblem cites averages them.
constexpr std::size_t UPDATES_PER_STRETCH = 100;

/**
 * @param updates finished ones, in order
 * @return means over every 100 of them, the last over what is left
 */
std::vector<UpdateStretch> AverageUpdates(const std::vector<WeightUpdateRecord>& updates);

/**
 * @param updates finished ones
 * @return means over all of them
 */
UpdateStretch AverageAllUpdates(const std::vector<WeightUpdateRecord>& updates);

/**
 * Say why shares stayed as they were at first, where that says nothing of the planner.
 *
 * @param planner its name
 * @param result of a run under it
 * @param updateInterval between reports
 * @return such as "no report was due before the end"; empty if shares changed, or if the planner
 * wanted no others
 */
std::string ExplainUnchangedShares(const std::string& planner,
                                   const DataParallelResult& result,
                                   Time updateInterval);

/** A run under one planner. */
struct DataParallelRun
{
    std::string planner;         //!< its name
    DataParallelResult result;   //!< what came of it
    double simulationSeconds{0}; //!< wall-clock time of the simulation

    /** @return finished or stalled */
    std::string GetStatus() const;
};

/**
 * @ingroup edgepipe
 *
 * Data-parallel training of one model on one cluster by one or several planners: what the scenario
 * data-parallel does.
 */
class DataParallelStudy
{
  public:
    /**
     * Read the model, the devices and the layer costs, and check every option.
     *
     * @param options of the scenario, parsed
     * @throws InputError if something cannot be used
     */
    explicit DataParallelStudy(const ScenarioOptions& options);

    /** Simulate every planner. */
    void Run();

    /** Say on standard output what came of it; who waits for what, on standard error. */
    void Print() const;

    /** Write the results folder and say where it is. */
    void Write() const;

    /** @return exit status: 3 if a run stalled, else 0 */
    int GetStatus() const;

  private:
    /** Say which figures cannot be compared, and why. */
    void PrintNotes() const;
    /**
     * Name metrics that were missing.
     * @param run whose
     */
    void PrintMissing(const DataParallelRun& run) const;
    /** @return run.json */
    std::string FormatRun() const;

    DataParallelInputs m_inputs;         //!< what to do
    std::vector<DataParallelRun> m_runs; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DATA_PARALLEL_STUDY_H */
