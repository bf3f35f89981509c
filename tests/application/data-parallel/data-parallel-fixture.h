// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_DATA_PARALLEL_FIXTURE_H
#define EDGEPIPE_DATA_PARALLEL_FIXTURE_H

#include "application/diagnosis.h"
#include "application/run-attributes.h"
#include "test.h"
#include "workloads/data-parallel-run.h"

/** Gives the shares that a test tells it to, and remembers what it was asked. */
class GivenSharesPlanner : public Named<GivenSharesPlanner, BatchSharesPlanner>
{
  public:
    static constexpr const char* NAME = "given-shares"; //!< to be found by

    /// What it was told of the run when it was last asked.
    static PlannerState<BatchSharesPlan> state;
    /// Decides.
    static std::function<std::vector<uint64_t>(const BatchSharesProblem&)> decide;

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override;
};

/** Some workers, worker-0, worker-1, ..., and how to run them. */
struct DataParallelCase : DataParallelSetting, RunAttributes
{
    /// Workers that are alike, on a LAN of 1 Gbit/s, 10 us from the switch, with equal shares.
    DataParallelCase(uint32_t workers, uint64_t parameterBytes, double sampleSeconds);

    void SetUpdateInterval(Time interval);

    /// @return what comes of it
    DataParallelResult Run(const std::function<void(double)>& progress = {}) const;
};

/// @return every time, share and byte of it, as text
std::string ShowDataParallel(const DataParallelResult& result);

#endif /* EDGEPIPE_DATA_PARALLEL_FIXTURE_H */
