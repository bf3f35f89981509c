/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-job.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-schedule.h"

#include <limits>
#include <numeric>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

/// Longest a run may compute, s; ns-3's clock ends at 9.2e9 s, and transfers take time too.
constexpr double LONGEST_SECONDS = 1e9;

/**
 * @param problem what a plan is made for
 * @param stage of a plan
 * @return seconds of either pass that do not depend on the samples
 */
double
FindFixedSeconds(const PipelineProblem& problem, const PipelineStage& stage)
{
    const auto& fixed = problem.costs.at(problem.devices[stage.device].type).fixedSeconds;
    return fixed.empty() ? 0
                         : std::accumulate(fixed.begin() + stage.firstLayer,
                                           fixed.begin() + stage.lastLayer + 1,
                                           0.0);
}

/**
 * @param costs of a problem
 * @param stage of a plan
 * @param fixed seconds of either pass that each part pays
 * @param parts of a micro-batch
 * @return pass times of a part
 */
PassSeconds
FindPassSeconds(const PipelineCostModel& costs,
                const PipelineStage& stage,
                double fixed,
                uint32_t parts)
{
    const auto& [device, first, last] = stage;
    return {GetPartSeconds(costs.StageForwardSeconds(device, first, last), fixed, parts),
            GetPartSeconds(costs.StageBackwardSeconds(device, first, last), fixed, parts)};
}

/**
 * Add what workers need to help each other.
 *
 * @param problem what the plan was made for
 * @param plan the plan
 * @param samples per part of a micro-batch
 * @param parts of a micro-batch
 * @param paysFixed whether to add the fixed time of every stage's passes on their devices
 * @param placements to be completed
 */
void
AddAssistance(const PipelineProblem& problem,
              const PipelinePlan& plan,
              uint32_t samples,
              uint32_t parts,
              bool paysFixed,
              std::vector<PipelinePlacement>& placements)
{
    const PipelineCostModel costs(problem);
    const auto getBandwidth = [&](std::size_t from, std::size_t to) {
        return costs.GetBitsPerSecond(plan.stages[from].device, plan.stages[to].device) / 8;
    };
    for (std::size_t i = 0; i < placements.size(); ++i)
    {
        StageAssignment& stage = placements[i].assignment;
        stage.samples = samples;
        // Neighbours help each other, so the slowest link to one counts.
        double slowest = std::numeric_limits<double>::infinity();
        for (std::size_t j : {i - 1, i + 1})
        {
            if (j < placements.size())
            {
                slowest = std::min({slowest, getBandwidth(i, j), getBandwidth(j, i)});
            }
        }
        stage.bandwidthBytesPerSecond =
            placements.size() > 1 ? slowest : problem.bandwidthBitsPerSecond / 8;
        // The first stage reads the mini-batch, which the first layer passes on.
        stage.sampleBytes = i > 0 ? stage.inputBytes : problem.layers[0].outputBytes / parts;
        const std::size_t here = plan.stages[i].device;
        std::vector<PassSeconds> fixedParts;
        for (std::size_t j = 0; j < placements.size(); ++j)
        {
            const PipelineStage there{here, plan.stages[j].firstLayer, plan.stages[j].lastLayer};
            const double fixed = FindFixedSeconds(problem, there);
            stage.atStages.push_back(FindPassSeconds(costs, there, paysFixed ? fixed : 0, parts));
            const auto& [allForward, allBackward] = stage.atStages.back();
            fixedParts.push_back({std::min(fixed, allForward), std::min(fixed, allBackward)});
            const StageAssignment& other = placements[j].assignment;
            auto& [forward, backward] = stage.slowestOther;
            if (j + 1 < placements.size())
            {
                forward = std::max(forward, other.outputBytes / getBandwidth(j, j + 1));
                backward = std::max(backward, other.outputBytes / getBandwidth(j + 1, j));
            }
            forward = std::max(forward, i == j ? 0 : other.forwardSeconds);
            backward = std::max(backward, i == j ? 0 : other.backwardSeconds);
        }
        if (paysFixed)
        {
            stage.atStages.insert(stage.atStages.end(), fixedParts.begin(), fixedParts.end());
        }
    }
}

} // namespace

double
GetUpdateSeconds(const PipelineJob& job, std::size_t device, uint64_t parameterBytes)
{
    const auto bandwidth =
        job.memoryBandwidthBytesPerSecond.find(job.problem->devices[device].type);
    return bandwidth == job.memoryBandwidthBytesPerSecond.end()
               ? 0
               : GetUpdatePasses(job.problem->optimizerStates) * parameterBytes / bandwidth->second;
}

std::vector<PipelinePlacement>
MakePlacements(const PipelineJob& job, const PipelinePlan& plan, uint32_t iterations)
{
    const PipelineProblem& problem = *job.problem;
    const PipelineCostModel costs(problem);
    const uint32_t parts = FindByName<PipelineSchedule>("schedule", job.schedule)->GetParts();
    const auto getPart = [parts](uint64_t bytes) { return (bytes + parts - 1) / parts; };
    std::vector<PipelinePlacement> placements;
    double seconds = 0;
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const auto& [device, first, last] = plan.stages[i];
        StageAssignment stage;
        stage.stage = i;
        stage.stages = plan.stages.size();
        stage.microBatches = problem.microBatches * parts;
        stage.schedule = job.schedule;
        const double fixed = job.paysFixed ? FindFixedSeconds(problem, plan.stages[i]) : 0;
        const auto passes = FindPassSeconds(costs, plan.stages[i], fixed, parts);
        stage.forwardSeconds = passes.forward;
        stage.backwardSeconds = passes.backward;
        const StageTensors tensors = costs.GetTensors(first, last);
        stage.parameterBytes = tensors.parameterBytes;
        stage.activationBytes = getPart(tensors.activationBytes) + getPart(tensors.receivedBytes);
        stage.optimizerStates = problem.optimizerStates;
        stage.memory = costs.CountMemory(first, last, parts);
        stage.updateSeconds = GetUpdateSeconds(job, device, stage.parameterBytes);
        if (job.isReplayed)
        {
            stage.firstLayer = first;
            stage.layers = last - first + 1;
        }
        const double passSeconds = stage.forwardSeconds + stage.backwardSeconds;
        seconds += iterations * (stage.microBatches * passSeconds + stage.updateSeconds);
        if (!(seconds <= LONGEST_SECONDS))
        {
            std::ostringstream message;
            message << "stage " << i << " on " << problem.devices[device].name << " computes until "
                    << seconds << " s, expected at most " << LONGEST_SECONDS
                    << " s; are the costs of its layers in seconds?";
            throw InputError(message.str());
        }
        if (i > 0)
        {
            stage.previous = job.nodes[plan.stages[i - 1].device];
            stage.inputBytes = getPart(costs.CutBytes(first - 1));
        }
        if (i + 1 < plan.stages.size())
        {
            stage.next = job.nodes[plan.stages[i + 1].device];
            stage.outputBytes = getPart(costs.CutBytes(last));
        }
        placements.push_back({job.nodes[device], stage});
    }
    if (job.isAssisted)
    {
        const uint32_t samples = (job.microBatchSamples + parts - 1) / parts;
        AddAssistance(problem, plan, samples, parts, job.paysFixed, placements);
    }
    return placements;
}

} // namespace ns3::edgepipe
