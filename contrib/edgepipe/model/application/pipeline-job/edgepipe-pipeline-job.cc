/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-job.h"

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-schedule.h"

#include <numeric>

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
    const auto [forward, backward] = costs.FindStageSeconds(stage);
    return {GetPartSeconds(forward, fixed, parts), GetPartSeconds(backward, fixed, parts)};
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

/**
 * @param costs of a problem
 * @param plan the plan
 * @param stage index of a stage
 * @param device one of its devices
 * @param other a device of the next stage, or of the same if it is the only one
 * @return see StageGroup::slowdown
 */
PassSeconds
FindSlowdown(const PipelineCostModel& costs,
             const PipelinePlan& plan,
             std::size_t stage,
             std::size_t device,
             std::size_t other)
{
    const PipelineProblem& problem = costs.GetProblem();
    if (stage + 1 == plan.stages.size())
    {
        // In a ring each device sends to the next one.
        const double transfers = problem.sharesMedium ? plan.stages[stage].group.size() : 1;
        return {transfers, transfers};
    }
    const auto senders = plan.stages[stage].GetReplicas(problem.microBatchSamples);
    const auto receivers = plan.stages[stage + 1].GetReplicas(problem.microBatchSamples);
    const auto overlaps = FindOverlaps(senders, receivers);
    double own = 0;
    for (const auto& [from, to, samples] : overlaps)
    {
        own = senders[from].device == device && receivers[to].device == other ? samples : own;
    }
    // Links are shared equally by transfers that begin together, until each has ended.
    double atDevice = 0;
    double atOther = 0;
    double all = 0;
    for (const auto& [from, to, samples] : overlaps)
    {
        const double times = std::min<double>(samples, own) / own;
        atDevice += senders[from].device == device ? times : 0;
        atOther += receivers[to].device == other ? times : 0;
        all += times;
    }
    if (problem.sharesMedium)
    {
        return {all, all};
    }
    const auto slow = [&](double deviceRate, double otherRate) {
        return std::min(deviceRate, otherRate) /
               std::min(deviceRate / atDevice, otherRate / atOther);
    };
    return {slow(costs.GetUplink(device), costs.GetDownlink(other)),
            slow(costs.GetDownlink(device), costs.GetUplink(other))};
}

/**
 * Add what workers need where a group of devices shares a stage, or a neighbouring one.
 *
 * @param job the training
 * @param costs of its problem
 * @param plan the plan
 * @param stage index of a stage
 * @param replica index of one of its devices
 * @param assignment to be completed
 */
void
AddGroup(const PipelineJob& job,
         const PipelineCostModel& costs,
         const PipelinePlan& plan,
         std::size_t stage,
         std::size_t replica,
         StageAssignment& assignment)
{
    const uint32_t all = job.problem->microBatchSamples;
    const auto replicas = plan.stages[stage].GetReplicas(all);
    const auto isGroup = [&plan](std::size_t index) {
        return index < plan.stages.size() && !plan.stages[index].group.empty();
    };
    if (!isGroup(stage - 1) && !isGroup(stage) && !isGroup(stage + 1))
    {
        return;
    }
    StageGroup group;
    group.isRouted = job.routesThroughHeads;
    for (const bool isNext : {false, true})
    {
        const std::size_t other = isNext ? stage + 1 : stage - 1; // wraps around before the first
        if (other >= plan.stages.size())
        {
            continue;
        }
        const uint64_t bytes = costs.CutBytes(plan.stages[std::min(stage, other)].lastLayer);
        const auto others = plan.stages[other].GetReplicas(all);
        auto& peers = isNext ? group.next : group.previous;
        uint64_t& sum = isNext ? assignment.outputBytes : assignment.inputBytes;
        sum = 0;
        for (const auto& [from, to, samples] : FindOverlaps(replicas, others))
        {
            if (from == replica)
            {
                peers.push_back({job.nodes[others[to].device], GetPartBytes(bytes, samples, all)});
                sum += peers.back().bytes;
            }
        }
        if (job.routesThroughHeads)
        {
            const bool isHead = replica == 0;
            peers = {{job.nodes[(isHead ? others : replicas)[0].device], isHead ? bytes : sum}};
            for (std::size_t i = 1; i < replicas.size() && isHead; ++i)
            {
                (isNext ? group.outputs : group.inputs)
                    .push_back({job.nodes[replicas[i].device],
                                GetPartBytes(bytes, replicas[i].samples, all)});
            }
        }
    }
    for (std::size_t i = 0; i < replicas.size() && replicas.size() > 1; ++i)
    {
        const uint32_t node = job.nodes[replicas[i].device];
        group.devices.push_back(node);
        if (stage > 0 || !job.feedsSamples || i == 0)
        {
            continue;
        }
        const uint64_t bytes =
            GetPartBytes(job.problem->layers[0].outputBytes, replicas[i].samples, all);
        if (replica == 0)
        {
            group.fed.push_back({node, bytes});
        }
        else if (replica == i)
        {
            group.previous.push_back({job.nodes[replicas[0].device], bytes});
        }
    }
    const bool isLast = stage + 1 == plan.stages.size();
    const bool isLoneGroup = plan.stages.size() == 1 && replicas.size() > 1;
    group.watched = assignment.next;
    if (isLoneGroup || (!isLast && !job.routesThroughHeads))
    {
        const std::size_t device = replicas[replica].device;
        const std::size_t other = FindWatched(job, plan, device);
        group.watched = job.nodes[other];
        group.slowdown = FindSlowdown(costs, plan, stage, device, other);
    }
    assignment.group = group;
}

/**
 * @param job the training
 * @param plan its plan
 * @param ties of the plan
 * @param stage index of a stage
 * @return those of the stage
 * @throws InputError if the plan has more than can be simulated
 */
std::vector<TiedGroup>
ListTiedGroups(const PipelineJob& job,
               const PipelinePlan& plan,
               const std::vector<TiedStages>& ties,
               std::size_t stage)
{
    Require(ties.size() <= MOST_TIED_GROUPS,
            "plan: found " + std::to_string(ties.size()) +
                " sets of stages that hold tied weights, expected at most " +
                std::to_string(MOST_TIED_GROUPS));
    std::vector<TiedGroup> groups;
    for (std::size_t i = 0; i < ties.size(); ++i)
    {
        const auto& [stages, bytes] = ties[i];
        if (std::count(stages.begin(), stages.end(), stage) == 0)
        {
            continue;
        }
        groups.push_back({static_cast<uint32_t>(i), bytes, {}});
        for (const std::size_t each : stages)
        {
            for (const StageReplica& replica : plan.stages[each].GetReplicas(1))
            {
                groups.back().devices.push_back(job.nodes[replica.device]);
            }
        }
    }
    return groups;
}

/**
 * Refuse what is not simulated with groups.
 *
 * @param job the training
 * @param plan its plan
 * @param parts of a micro-batch, by the schedule
 * @throws InputError naming it, if the plan has a group
 */
void
CheckGroups(const PipelineJob& job, const PipelinePlan& plan, uint32_t parts)
{
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const std::string found = "plan: found stage " + std::to_string(i) + " on a group of " +
                                  std::to_string(plan.stages[i].group.size()) +
                                  ", expected one device a stage with ";
        Require(plan.stages[i].group.empty() || !job.isAssisted, found + "AdjacentScheduling");
        Require(plan.stages[i].group.empty() || parts == 1, found + "the schedule " + job.schedule);
    }
}

/**
 * @param job the training
 * @param costs of its problem
 * @param plan the plan
 * @param stage index of a stage
 * @param replica index of one of its devices
 * @param parts of a micro-batch, by the schedule
 * @return the device's part of the stage
 */
StageAssignment
MakeAssignment(const PipelineJob& job,
               const PipelineCostModel& costs,
               const PipelinePlan& plan,
               std::size_t stage,
               std::size_t replica,
               uint32_t parts)
{
    const PipelineProblem& problem = *job.problem;
    const PipelineStage& planned = plan.stages[stage];
    const auto& [device, first, last, group] = planned;
    const auto [own, samples] = planned.GetReplicas(problem.microBatchSamples)[replica];
    const uint32_t part = group.empty() ? 1 : samples;
    const uint32_t all = group.empty() ? parts : problem.microBatchSamples;
    StageAssignment made;
    made.stage = stage;
    made.stages = plan.stages.size();
    made.microBatches = problem.microBatches * parts;
    made.schedule = job.schedule;
    const double fixed = job.paysFixed ? FindFixedSeconds(problem, planned) : 0;
    const auto passes = group.empty() ? FindPassSeconds(costs, planned, fixed, parts)
                                      : costs.ReplicaSeconds(own, first, last, samples);
    made.forwardSeconds = passes.forward;
    made.backwardSeconds = passes.backward;
    const StageTensors tensors = costs.GetTensors(first, last);
    made.parameterBytes = tensors.parameterBytes;
    made.activationBytes = GetPartBytes(tensors.activationBytes, part, all) +
                           GetPartBytes(tensors.receivedBytes, part, all);
    made.optimizerStates = problem.optimizerStates;
    made.memory = costs.CountMemory(first, last, part, all);
    made.updateSeconds = GetUpdateSeconds(job, own, made.parameterBytes);
    if (job.isReplayed)
    {
        made.firstLayer = first;
        made.layers = last - first + 1;
    }
    if (stage > 0)
    {
        made.previous = job.nodes[plan.stages[stage - 1].device];
        made.inputBytes = GetPartBytes(costs.CutBytes(first - 1), part, all);
    }
    if (stage + 1 < plan.stages.size())
    {
        made.next = job.nodes[plan.stages[stage + 1].device];
        made.outputBytes = GetPartBytes(costs.CutBytes(last), part, all);
    }
    AddGroup(job, costs, plan, stage, replica, made);
    return made;
}

} // namespace

std::size_t
FindWatched(const PipelineJob& job, const PipelinePlan& plan, std::size_t device)
{
    const uint32_t all = job.problem->microBatchSamples;
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const auto replicas = plan.stages[i].GetReplicas(all);
        const auto own =
            std::find_if(replicas.begin(), replicas.end(), [device](const auto& replica) {
                return replica.device == device;
            });
        if (own == replicas.end())
        {
            continue;
        }
        const std::size_t index = own - replicas.begin();
        if (i + 1 == plan.stages.size())
        {
            return replicas.size() > 1 ? replicas[(index + 1) % replicas.size()].device
                                       : (device == 0 ? 1 : 0);
        }
        const PipelineStage& next = plan.stages[i + 1];
        uint32_t most = 0;
        std::size_t watched = next.device;
        if (job.routesThroughHeads || (replicas.size() == 1 && next.group.empty()))
        {
            return watched;
        }
        const auto others = next.GetReplicas(all);
        for (const auto& [from, to, samples] : FindOverlaps(replicas, others))
        {
            if (from == index && samples > most)
            {
                most = samples;
                watched = others[to].device;
            }
        }
        return watched;
    }
    return device == 0 ? 1 : 0;
}

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
    CheckGroups(job, plan, parts);
    const std::vector<TiedStages> ties = costs.FindTies(plan);
    std::vector<PipelinePlacement> placements;
    double seconds = 0;
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const auto replicas = plan.stages[i].GetReplicas(problem.microBatchSamples);
        for (std::size_t r = 0; r < replicas.size(); ++r)
        {
            StageAssignment stage = MakeAssignment(job, costs, plan, i, r, parts);
            stage.ties = ListTiedGroups(job, plan, ties, i);
            const double passSeconds = stage.forwardSeconds + stage.backwardSeconds;
            seconds += iterations * (stage.microBatches * passSeconds + stage.updateSeconds);
            if (!(seconds <= LONGEST_SECONDS))
            {
                std::ostringstream message;
                message << "stage " << i << " on " << problem.devices[replicas[r].device].name
                        << " computes until " << seconds << " s, expected at most "
                        << LONGEST_SECONDS << " s; are the costs of its layers in seconds?";
                throw InputError(message.str());
            }
            placements.push_back({job.nodes[replicas[r].device], stage});
        }
    }
    if (job.isAssisted)
    {
        const uint32_t samples = (job.microBatchSamples + parts - 1) / parts;
        AddAssistance(problem, plan, samples, parts, job.paysFixed, placements);
    }
    return placements;
}

} // namespace ns3::edgepipe
