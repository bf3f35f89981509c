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

/** A pipeline-parallel training: what is planned, and where and how a plan is run. */
struct PipelineJob
{
    /** @return what plans are made for during the run */
    const PipelineProblem& GetBelieved() const
    {
        return believed ? *believed : *problem;
    }

    std::shared_ptr<const PipelineProblem> problem; //!< what runs, and what a plan is made for
    /// The problem with other costs, which plans during the run are made for; null: the problem
    std::shared_ptr<const PipelineProblem> believed;
    std::vector<uint32_t> nodes;    //!< id of each device's node, in the order of the problem
    std::string schedule{"gpipe"};  //!< name of a PipelineSchedule
    uint32_t microBatchSamples{32}; //!< samples per micro-batch, which assistance splits
    bool isAssisted{false};         //!< whether workers are told what assistance needs
    bool paysFixed{true};         //!< whether a part of a micro-batch pays what is fixed of a pass,
                                  //!< such as launching the kernels of its layers
    bool sharesMedium{false};     //!< whether all transfers share one medium, see ReplanTerms
    std::vector<double> shares{}; //!< by device, left of it at the start, 0 to 1; empty: all
    /// Memory bandwidth by device type, bytes/s. A weight update takes GetUpdatePasses times the
    /// weights' bytes over this; a type that is missing updates in no time.
    std::map<std::string, double> memoryBandwidthBytesPerSecond;
};

/**
 * @param seconds of a pass of a micro-batch
 * @param fixed of it, seconds, however few the samples
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
 * @param device index of a device
 * @param parameterBytes of its weights
 * @return what their update takes there, seconds
 */
double GetUpdateSeconds(const PipelineJob& job, std::size_t device, uint64_t parameterBytes);

/**
 * @param job a training
 * @param plan who runs what; CheckPlan has accepted it
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
