/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_STUDY_H
#define EDGEPIPE_DATA_PARALLEL_STUDY_H

#include "lib/data-parallel-inputs.h"
#include "lib/experiment.h"
#include "runs/data-parallel-run.h"

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
    UpdateStretch mean;          //!< over all updates
};

/**
 * @ingroup edgepipe
 *
 * Data-parallel training of one model on one cluster by one or several planners: what the scenario
 * data-parallel does.
 */
class DataParallelStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit DataParallelStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /** @return the figures of every run */
    Sheet<DataParallelRun> MakeResults() const;
    /** Say which figures cannot be compared, and why. */
    void PrintNotes() const;
    /**
     * Say when workers came and went.
     * @param run whose
     */
    void PrintPresence(const DataParallelRun& run) const;
    /**
     * Name metrics that were missing.
     * @param run whose
     */
    void PrintMissing(const DataParallelRun& run) const;

    DataParallelInputs m_inputs;         //!< what to do
    std::vector<DataParallelRun> m_runs; //!< by planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DATA_PARALLEL_STUDY_H */
