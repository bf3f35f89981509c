/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_RUN_H
#define EDGEPIPE_DATA_PARALLEL_RUN_H

#include "lib/workload.h"

#include "ns3/edgepipe-data-parallel-cost.h"
#include "ns3/edgepipe-data-parallel-log.h"

namespace ns3::edgepipe
{

/** A worker of data-parallel training. */
struct DataParallelNode
{
    std::string name;        //!< unique
    uint64_t memoryBytes{0}; //!< its memory, > 0
    DataParallelCost cost;   //!< of training on it
    Time join;               //!< see DataParallelHelper::SetPresence
    Time leave;              //!< see DataParallelHelper::SetPresence
};

/** Workers and networks of a data-parallel training; everything else is an attribute. */
struct DataParallelSetting : RunSetting
{
    DataParallelSetting()
    {
        planner = "bno";
    }

    std::vector<DataParallelNode> nodes; //!< the workers, 1 to 16384, all training the same model
    /// Separate network for metrics and shares; none: they use the other one, and queue behind
    /// gradients to the same worker
    std::optional<NetworkOptions> control;
    std::vector<std::string> layers; //!< names of the model's
    std::string monitor{"none"};     //!< of the links of gradients: none, or a BandwidthMonitor
};

/** Result of a data-parallel training. */
struct DataParallelResult : CaseOutcome, DataParallelRecords
{
    BatchSharesProblem problem;            //!< with the latest metrics
    std::vector<uint64_t> peakMemoryBytes; //!< by worker

    /** @return mean samples of the finished updates; 0 if there is none */
    double GetSamplesPerUpdate() const
    {
        return Mean(Map(updates, [](auto& update) { return double(update.samples); }));
    }
};

/**
 * @ingroup edgepipe
 *
 * Simulate data-parallel training in a simulation of its own: builds the network, the workers and
 * the application that decides shares (on worker 0), runs, and takes everything down again. Shares
 * are equal until the planner has metrics.
 *
 * @param setting workers and networks
 * @param progress called now and then with the share of updates done, 0 to 1; may be empty
 * @return the result; its `seconds` are the mean iteration
 * @throws InputError if an option makes no sense
 */
DataParallelResult RunDataParallel(const DataParallelSetting& setting,
                                   const std::function<void(double)>& progress = {});

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_RUN_H */
