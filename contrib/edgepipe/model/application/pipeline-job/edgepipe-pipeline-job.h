/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_JOB_H
#define EDGEPIPE_PIPELINE_JOB_H

#include "edgepipe-pipeline-message.h"

#include "ns3/edgepipe-pipeline-problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** A pipeline-parallel training: its problem, and where and how a plan is run. */
struct PipelineJob
{
    /** @return the problem that plans are made for during the run */
    const PipelineProblem& GetBelieved() const
    {
        return believed ? *believed : *problem;
    }

    std::shared_ptr<const PipelineProblem> problem; //!< what runs and what the first plan is for
    /// The problem with the costs that plans during the run assume; null: the problem
    std::shared_ptr<const PipelineProblem> believed;
    std::vector<uint32_t> nodes;    //!< id of each device's node, in the order of the problem
    std::string schedule{"gpipe"};  //!< name of a PipelineSchedule
    uint32_t microBatchSamples{32}; //!< samples per micro-batch, which assistance splits
    bool isAssisted{false};         //!< whether workers get what assistance needs
    bool isReplayed{false};         //!< whether a device replays recorded passes
    bool paysFixed{true};     //!< whether a part of a micro-batch pays the fixed time of a pass,
                              //!< such as launching the kernels of its layers
    bool feedsSamples{false}; //!< whether the first device of the first stage holds all samples
    bool routesThroughHeads{false}; //!< see StageGroup::isRouted
    bool sharesMedium{false};       //!< whether all transfers share one medium, see ReplanTerms
    std::vector<double> shares{};   //!< by device, share available at the start, 0 to 1; empty: all
    /// Memory bandwidth by device type, bytes/s. A weight update takes GetUpdatePasses times the
    /// weights' bytes over this; missing types take no time.
    std::map<std::string, double> memoryBandwidthBytesPerSecond;
};

/**
 * @param seconds of a pass of a micro-batch
 * @param fixed part of it that does not depend on the samples, seconds
 * @param parts of a micro-batch
 * @return seconds of a part's pass
 */
inline double
GetPartSeconds(double seconds, double fixed, uint32_t parts)
{
    fixed = std::min(fixed, seconds);
    return fixed + (seconds - fixed) / parts;
}

/**
 * @param job a training
 * @param plan its plan
 * @param device index of a device with a stage, not the last of several
 * @return the device to which it watches the bandwidth: of the next stage the one that computes
 *         most of its samples, in a lone group the next one, else any
 */
std::size_t FindWatched(const PipelineJob& job, const PipelinePlan& plan, std::size_t device);

/**
 * @param job a training
 * @param device index of a device
 * @param parameterBytes of its weights
 * @return time of their update there, seconds
 */
double GetUpdateSeconds(const PipelineJob& job, std::size_t device, uint64_t parameterBytes);

/**
 * @param job a training
 * @param plan a plan that CheckPlan has accepted
 * @param iterations of the training
 * @return the plan's stages, each with its node
 * @throws InputError if the schedule is unknown or the run would compute beyond the end of ns-3's
 *         clock
 */
std::vector<PipelinePlacement> MakePlacements(const PipelineJob& job,
                                              const PipelinePlan& plan,
                                              uint32_t iterations);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_JOB_H */
