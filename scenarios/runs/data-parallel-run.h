/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_RUN_H
#define EDGEPIPE_DATA_PARALLEL_RUN_H

#include "runs/adaptive-options.h"

#include "ns3/edgepipe-data-parallel-log.h"
#include "ns3/edgepipe-data-parallel-worker.h"
#include "ns3/edgepipe-network-helper.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A worker of data-parallel training. */
struct DataParallelNode
{
    std::string name;                 //!< unique
    uint64_t memoryBytes{0};          //!< its memory, > 0
    DataParallelCost cost;            //!< of training on it
    std::string loadTrace;            //!< CSV of the share of it that is left for us; may be empty
    std::vector<TraceStep> loadSteps; //!< the same, where there is no file; may be empty
    Time join;                        //!< see DataParallelHelper::SetPresence
    Time leave;                       //!< likewise
};

/** How data-parallel training is run. */
struct DataParallelOptions
{
    NetworkOptions network; //!< how the workers are joined
    /// A network of its own for metrics and shares; none: they use the other one, and wait there
    /// behind gradients to the same worker
    std::optional<NetworkOptions> control;
    std::string exchange{"ring"};    //!< name of a GradientExchange
    std::string planner{"bno"};      //!< name of a BatchSharesPlanner
    uint32_t iterations{1};          //!< weight updates
    uint64_t baseBatch{0};           //!< samples of all workers, at least one each
    bool normalize{false};           //!< see BatchSharesProblem
    bool allPairs{false};            //!< see DataParallelReporter
    Time updateInterval{Seconds(1)}; //!< between reports, > 0
    Time missingAfter{Seconds(10)};  //!< metrics older than this are missing, > 0
    std::string monitor;             //!< of links: oracle, probe or passive; empty: none
    double replanThreshold{0};       //!< relative change of metrics that makes a decision due; 0:
                                     //!< whenever all have reported
    Time replanPeriod;               //!< one is due this often as well, 0 or more; 0: never
    PlanningTime planning;           //!< what decisions cost the first worker's device
    Time stallTimeout{Seconds(60)};  //!< see StallMonitor
    TraceOptions load;               //!< how to replay load traces
};

/** What came of a data-parallel training. */
struct DataParallelResult
{
    bool isComplete{false};                  //!< whether every worker ran every iteration
    std::vector<std::string> diagnosis;      //!< if not: who waits for what, one line each
    std::vector<WeightUpdateRecord> updates; //!< finished ones
    std::vector<ShareRecord> shares;         //!< by version
    uint32_t plans{0};                       //!< times that the planner was asked
    PlannerFailures failures;                //!< plans that did not come
    BatchSharesProblem problem;              //!< with the latest metrics
    std::vector<MissingMetrics> missing;     //!< times without metrics
    std::vector<DataParallelNodeUse> nodes;  //!< by worker
    std::vector<uint64_t> peakMemoryBytes;   //!< by worker
    std::vector<LinkCounter> links;          //!< by transmitter, those of the control network last
    uint64_t exchangeTransfers{0};           //!< messages of gradients and weights
    uint64_t bytesMoved{0};                  //!< payload between the workers, bytes
    Time end;                                //!< simulated time at the end
    uint64_t events{0};                      //!< simulator events executed

    /** @return mean iteration of the finished updates, seconds; 0 if there is none */
    double GetMeanIterationSeconds() const;

    /** @return mean samples of the finished updates; 0 if there is none */
    double GetSamplesPerUpdate() const;

    /** @return samples over the time of the finished updates, 1/s; 0 if there is none */
    double GetSamplesPerSecond() const;
};

/**
 * @ingroup edgepipe
 *
 * Simulate data-parallel training in a simulation of its own: builds the network, the workers and
 * what decides their shares (on worker 0), runs, and takes everything down again. Shares are equal
 * until the planner has metrics.
 *
 * @param nodes the workers, 1 to 1024, all training the same model
 * @param options how to run it
 * @param progress called now and then with the share of updates done, 0 to 1; may be empty
 * @return what came of it
 * @throws InputError if an option makes no sense
 */
DataParallelResult RunDataParallel(const std::vector<DataParallelNode>& nodes,
                                   const DataParallelOptions& options,
                                   const std::function<void(double)>& progress = {});

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DATA_PARALLEL_RUN_H */
