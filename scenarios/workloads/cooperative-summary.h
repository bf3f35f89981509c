/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_SUMMARY_H
#define EDGEPIPE_COOPERATIVE_SUMMARY_H

#include "workloads/cooperative-inference-run.h"

#include "ns3/edgepipe-two-way-cut-cost.h"

namespace ns3::edgepipe
{

/** A partition and its part of a run. */
struct PartitionShare
{
    std::size_t firstPlan; //!< the first plan that has it, index into the result's plans
    double timeShare;      //!< share of the devices' time in force, 0 to 1
    uint64_t frames;       //!< begun under it and not dropped
};

/** Key figures of a run; latencies are from a frame's arrival to its result. */
struct CooperativeSummary
{
    uint64_t finished{0};       //!< frames
    uint64_t dropped{0};        //!< frames
    double meanSeconds{0};      //!< latency
    double medianSeconds{0};    //!< latency
    double p95Seconds{0};       //!< latency, 95th percentile
    double p99Seconds{0};       //!< latency, 99th percentile
    double predictedSeconds{0}; //!< mean over finished frames, see PredictFrame
    uint64_t unpredicted{0};    //!< finished, but left out of that mean: begun without bandwidth
    /// Of all devices, by the predicted costs of their frames, if these follow each other without
    /// a gap and cameras supply enough; see GetBottleneckSeconds
    double predictedFramesPerSecond{0};
    double framesPerSecond{0};       //!< finished, from the first arrival to the last result
    double uplinkBytesPerFrame{0};   //!< payload of tensors, mean over finished frames
    double downlinkBytesPerFrame{0}; //!< payload of results, mean over finished frames
    uint64_t planChanges{0};         //!< plans put into force that differ from the one before
    std::vector<PartitionShare> partitions;   //!< by first plan
    std::vector<std::size_t> partitionOfPlan; //!< by plan, index into partitions
};

/**
 * @param problem of the idle device and server
 * @param plan for it
 * @return its cost at the problem's bandwidth, with the shares of both that the decision knew
 */
TwoWayCutCost EvaluatePlan(const TwoWayCutProblem& problem, const PlanRecord& plan);

/**
 * @param problem that the plan is for
 * @param cost of the plan, at any bandwidth
 * @param uplinkBitsPerSecond from device to server, >= 0
 * @param downlinkBitsPerSecond from server to device, >= 0
 * @param delaySeconds of every message, >= 0
 * @return the cost at that bandwidth; none if there are bytes to move without bandwidth
 */
std::optional<TwoWayCutCost> PredictFrame(const TwoWayCutProblem& problem,
                                          TwoWayCutCost cost,
                                          double uplinkBitsPerSecond,
                                          double downlinkBitsPerSecond,
                                          double delaySeconds);

/**
 * Frames are predicted at the capacity when they were started, the same for every planner, or
 * without an oracle at the bandwidth that their plan was made for. See EvaluatePlan for load.
 *
 * @param devices that the plans are for
 * @param result of a run
 * @param offeredFramesPerSecond of all cameras, which no throughput exceeds; 0: back to back
 * @return its summary
 */
CooperativeSummary Summarise(const std::vector<CooperativeDevice>& devices,
                             const CooperativeInferenceResult& result,
                             double offeredFramesPerSecond = 0);

/**
 * @param problem a valid problem
 * @param plan a closed plan for it
 * @return such as "all on the server" or "12 of 69 layers on the device, then relu, add", naming
 *         what is sent; layers that cost nothing anywhere are not counted
 */
std::string DescribeCut(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan);

/**
 * @param cost of a plan
 * @return frames/s if frames follow each other without a gap: 1 over the longest of computing on
 *         the device, moving, and computing on the server (S. Zhang et al., see TwoWayCutProblem,
 *         section 5.2.2); 0 if all take no time
 */
double PredictFramesPerSecond(const TwoWayCutCost& cost);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COOPERATIVE_SUMMARY_H */
