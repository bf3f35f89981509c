/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-cost-model.h"

#include <limits>
#include <numeric>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param values figures per layer
 * @return their prefix sums, one entry more
 */
std::vector<double>
SumPrefixes(const std::vector<double>& values)
{
    std::vector<double> sums{0};
    for (double value : values)
    {
        sums.push_back(sums.back() + value);
    }
    return sums;
}

} // namespace

PipelineCostModel::PipelineCostModel(const PipelineProblem& problem)
    : m_problem(problem)
{
    std::map<std::string, std::size_t> types;
    for (const PipelineDevice& device : problem.devices)
    {
        auto [type, isNew] = types.emplace(device.type, m_types.size());
        if (isNew)
        {
            const LayerSeconds& costs = problem.costs.at(device.type);
            auto& sums = m_types.emplace_back();
            for (const PartCost& part : costs.parts)
            {
                sums.push_back({part.samples,
                                SumPrefixes(part.forwardSeconds),
                                SumPrefixes(part.backwardSeconds)});
            }
            sums.push_back({problem.microBatchSamples,
                            SumPrefixes(costs.forwardSeconds),
                            SumPrefixes(costs.backwardSeconds)});
        }
        m_typeOfDevice.push_back(type->second);
    }

    m_parameterBytes.push_back(0);
    m_activationBytes.push_back(0);
    const std::vector<uint64_t> kept = FindKeptBytes(problem.layers);
    for (std::size_t i = 0; i < kept.size(); ++i)
    {
        m_parameterBytes.push_back(m_parameterBytes.back() + problem.layers[i].parameterBytes);
        m_activationBytes.push_back(m_activationBytes.back() + kept[i]);
        for (const TiedWeights& tied : problem.layers[i].tied)
        {
            m_ties.push_back({tied.layer, i, tied.bytes});
        }
    }
    std::stable_sort(m_ties.begin(), m_ties.end(), [](const Tie& a, const Tie& b) {
        return a.owner < b.owner;
    });
    m_cutBytes = FindCutBytes(problem.layers);
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        uint64_t read = 0;
        for (const std::size_t input : problem.layers[i].inputs)
        {
            read += problem.layers[input].outputBytes;
        }
        const uint64_t received = i > 0 ? m_cutBytes[i - 1] : 0;
        const bool isCounted = problem.layers[i].activationBytes >= read;
        m_receivedBytes.push_back(received - (isCounted ? std::min(received, read) : 0));
    }
    m_largestCuts.push_back(FindAliveBytes(problem.layers));
    for (std::size_t span = 1; 2 * span <= m_cutBytes.size(); span *= 2)
    {
        const std::vector<uint64_t>& half = m_largestCuts.back();
        std::vector<uint64_t> both;
        for (std::size_t i = 0; i + 2 * span <= m_cutBytes.size(); ++i)
        {
            both.push_back(std::max(half[i], half[i + span]));
        }
        m_largestCuts.push_back(std::move(both));
    }
}

PassSeconds
PipelineCostModel::ReplicaSeconds(std::size_t device,
                                  std::size_t firstLayer,
                                  std::size_t lastLayer,
                                  uint32_t samples) const
{
    const auto& sums = m_types[m_typeOfDevice[device]];
    const auto above = std::find_if(sums.begin(), std::prev(sums.end()), [&](const TypeSums& s) {
        return s.samples >= samples;
    });
    const PassSeconds most = above->Get(firstLayer, lastLayer);
    if (above->samples == samples || above == sums.begin())
    {
        return most;
    }
    const TypeSums& below = *std::prev(above);
    const PassSeconds least = below.Get(firstLayer, lastLayer);
    const double share = double(samples - below.samples) / (above->samples - below.samples);
    return {least.forward + share * (most.forward - least.forward),
            least.backward + share * (most.backward - least.backward)};
}

PassSeconds
PipelineCostModel::FindStageSeconds(const PipelineStage& stage) const
{
    const auto& [device, first, last, group] = stage;
    if (group.empty())
    {
        return FindStageSeconds(device, first, last);
    }
    PassSeconds most;
    for (const StageReplica& replica : group)
    {
        most.Raise(ReplicaSeconds(replica.device, first, last, replica.samples));
    }
    return most;
}

double
PipelineCostModel::RingSeconds(const std::vector<StageReplica>& replicas, uint64_t bytes) const
{
    const std::size_t count = replicas.size();
    if (count < 2)
    {
        return 0;
    }
    double rate = std::numeric_limits<double>::infinity();
    double longest = 0;
    double second = 0;
    for (const StageReplica& replica : replicas)
    {
        rate = std::min({rate, GetUplink(replica.device), GetDownlink(replica.device)});
        const double delay = m_problem.devices[replica.device].delaySeconds;
        second = std::max(second, std::min(longest, delay));
        longest = std::max(longest, delay);
    }
    const double chunk = 8.0 * static_cast<double>(bytes) / rate /
                         (m_problem.sharesMedium ? 1 : static_cast<double>(count));
    return 2.0 * (count - 1.0) * (chunk + longest + second);
}

double
PipelineCostModel::ReduceSeconds(const PipelineStage& stage) const
{
    return RingSeconds(stage.group, GetTensors(stage.firstLayer, stage.lastLayer).parameterBytes);
}

std::vector<TiedStages>
PipelineCostModel::FindTies(const PipelinePlan& plan) const
{
    std::map<std::vector<std::size_t>, uint64_t> found;
    const auto findStage = [&plan](std::size_t layer) -> std::size_t {
        return std::find_if(
                   plan.stages.begin(),
                   plan.stages.end(),
                   [layer](const PipelineStage& stage) { return layer <= stage.lastLayer; }) -
               plan.stages.begin();
    };
    for (auto tie = m_ties.begin(); tie != m_ties.end();)
    {
        const std::size_t owner = tie->owner;
        std::vector<std::size_t> stages{findStage(owner)};
        uint64_t bytes = 0;
        for (; tie != m_ties.end() && tie->owner == owner; ++tie)
        {
            const std::size_t stage = findStage(tie->user);
            bytes = stage > stages.front() ? std::max(bytes, tie->bytes) : bytes;
            if (stage > stages.back())
            {
                stages.push_back(stage);
            }
        }
        if (stages.size() > 1)
        {
            found[stages] += bytes;
        }
    }
    std::vector<TiedStages> ties;
    for (const auto& [stages, bytes] : found)
    {
        ties.push_back({stages, bytes});
    }
    return ties;
}

std::vector<double>
PipelineCostModel::FindReduces(const PipelinePlan& plan, const std::vector<TiedStages>& ties) const
{
    std::vector<uint64_t> own;
    for (const PipelineStage& stage : plan.stages)
    {
        own.push_back(GetTensors(stage.firstLayer, stage.lastLayer).parameterBytes);
    }
    std::vector<double> reduces(plan.stages.size(), 0);
    for (const TiedStages& tie : ties)
    {
        std::vector<StageReplica> all;
        for (const std::size_t i : tie.stages)
        {
            own[i] -= std::min(own[i], tie.bytes);
            const auto replicas = plan.stages[i].GetReplicas(1);
            all.insert(all.end(), replicas.begin(), replicas.end());
        }
        reduces[tie.stages.front()] += RingSeconds(all, tie.bytes);
    }
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        reduces[i] += RingSeconds(plan.stages[i].group, own[i]);
    }
    return reduces;
}

double
PipelineCostModel::TransferSeconds(std::size_t layer) const
{
    return 8.0 * static_cast<double>(m_cutBytes[layer]) / m_problem.bandwidthBitsPerSecond;
}

PassSeconds
PipelineCostModel::CutSeconds(std::size_t layer, std::size_t device, std::size_t next) const
{
    const double bits = 8.0 * static_cast<double>(m_cutBytes[layer]);
    return {bits / GetBitsPerSecond(device, next), bits / GetBitsPerSecond(next, device)};
}

PassSeconds
PipelineCostModel::CutSeconds(std::size_t layer, std::size_t device) const
{
    const double bits = 8.0 * static_cast<double>(m_cutBytes[layer]);
    return {bits / GetUplink(device), bits / GetDownlink(device)};
}

PassSeconds
PipelineCostModel::CutSeconds(const PipelinePlan& plan, std::size_t stage) const
{
    if (stage + 1 == plan.stages.size())
    {
        return {0, 0};
    }
    const PipelineStage& before = plan.stages[stage];
    const PipelineStage& after = plan.stages[stage + 1];
    if (before.group.empty() && after.group.empty())
    {
        return CutSeconds(before.lastLayer, before.device, after.device);
    }
    const uint32_t all = m_problem.microBatchSamples;
    const auto senders = before.GetReplicas(all);
    const auto receivers = after.GetReplicas(all);
    const double shared = m_problem.sharesMedium ? 8.0 * m_cutBytes[before.lastLayer] : 0;
    PassSeconds most;
    std::map<std::size_t, PassSeconds> busy;
    for (const ReplicaOverlap& overlap : FindOverlaps(senders, receivers))
    {
        const std::size_t from = senders[overlap.from].device;
        const std::size_t to = receivers[overlap.to].device;
        const double bits = 8.0 * GetPartBytes(m_cutBytes[before.lastLayer], overlap.samples, all);
        for (const auto& [device, forward, backward] :
             {std::tuple{from, GetUplink(from), GetDownlink(from)},
              {to, GetDownlink(to), GetUplink(to)}})
        {
            PassSeconds& own = busy[device];
            own.forward += bits / forward;
            own.backward += bits / backward;
            most.Raise(own);
            most.Raise({shared / forward, shared / backward});
        }
    }
    return most;
}

double
PipelineCostModel::GetBitsPerSecond(std::size_t from, std::size_t to) const
{
    return std::min(GetUplink(from), GetDownlink(to));
}

double
PipelineCostModel::GetUplink(std::size_t device) const
{
    const double own = m_problem.devices[device].uplinkBitsPerSecond;
    return own > 0 ? own : m_problem.bandwidthBitsPerSecond;
}

double
PipelineCostModel::GetDownlink(std::size_t device) const
{
    const double own = m_problem.devices[device].downlinkBitsPerSecond;
    return own > 0 ? own : m_problem.bandwidthBitsPerSecond;
}

double
PipelineCostModel::GetDelaySeconds(std::size_t from, std::size_t to) const
{
    return m_problem.devices[from].delaySeconds + m_problem.devices[to].delaySeconds;
}

std::vector<std::size_t>
PipelineCostModel::FindClasses() const
{
    std::map<std::tuple<std::string, uint64_t, double, double, double>, std::size_t> classes;
    std::vector<std::size_t> found;
    for (std::size_t d = 0; d < m_problem.devices.size(); ++d)
    {
        const PipelineDevice& device = m_problem.devices[d];
        const std::tuple key(device.type,
                             device.memoryBytes,
                             GetUplink(d),
                             GetDownlink(d),
                             device.delaySeconds);
        found.push_back(classes.emplace(key, d).first->second);
    }
    return found;
}

std::vector<std::vector<std::size_t>>
PipelineCostModel::ListClasses() const
{
    const std::vector<std::size_t> firsts = FindClasses();
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t d = 0; d < firsts.size(); ++d)
    {
        members[firsts[d]].push_back(d);
    }
    std::vector<std::vector<std::size_t>> classes;
    for (auto& [first, devices] : members)
    {
        classes.push_back(std::move(devices));
    }
    return classes;
}

PipelineSums
PipelineCostModel::Sum(const PipelinePlan& plan, double penaltySeconds) const
{
    PipelineSums sums;
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const PassSeconds stage = FindStageSeconds(plan.stages[i]);
        const PassSeconds cut = CutSeconds(plan, i);
        sums.sum += stage.forward + stage.backward + cut.GetSum() + penaltySeconds;
        sums.sum += i > 0 ? 2 * FindCutDelay(plan.stages[i - 1], plan.stages[i]) : 0;
        sums.slowest.Raise(stage);
        sums.slowest.Raise(cut);
        sums.cuts.forward += cut.forward;
        sums.cuts.backward += cut.backward;
    }
    return sums;
}

double
PipelineCostModel::IterationSeconds(const PipelinePlan& plan) const
{
    PipelineSums sums = Sum(plan);
    if (m_problem.sharesMedium)
    {
        sums.slowest.Raise(sums.cuts);
    }
    const double end = sums.sum + (m_problem.microBatches - 1.0) * sums.slowest.GetSum();
    const auto ties = m_ties.empty() ? std::vector<TiedStages>() : FindTies(plan);
    const bool isReduced =
        !ties.empty() || std::any_of(plan.stages.begin(), plan.stages.end(), [](const auto& stage) {
            return !stage.group.empty();
        });
    return isReduced ? FindLastReduce(plan, FindReduces(plan, ties), sums, end) : end;
}

double
PipelineCostModel::FindLastReduce(const PipelinePlan& plan,
                                  const std::vector<double>& reduces,
                                  const PipelineSums& sums,
                                  double end) const
{
    double last = end;
    double left = sums.sum; // of a micro-batch until a stage has sent its gradients
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const double reduce = reduces[i];
        if (m_problem.sharesMedium)
        {
            last += reduce;
            continue;
        }
        if (i > 0)
        {
            left -= FindStageSeconds(plan.stages[i - 1]).backward;
        }
        if (reduce > 0)
        {
            double slowest = i > 0 ? CutSeconds(plan, i - 1).backward : 0;
            for (std::size_t j = i; j < plan.stages.size(); ++j)
            {
                slowest = std::max({slowest,
                                    FindStageSeconds(plan.stages[j]).backward,
                                    CutSeconds(plan, j).backward});
            }
            const double more = (m_problem.microBatches - 1.0) * (sums.slowest.forward + slowest);
            last = std::max(last, left + more + reduce);
        }
        if (i > 0)
        {
            left -=
                CutSeconds(plan, i - 1).backward + FindCutDelay(plan.stages[i - 1], plan.stages[i]);
        }
    }
    return last;
}

double
PipelineCostModel::FindCutDelay(const PipelineStage& before, const PipelineStage& after) const
{
    if (before.group.empty() && after.group.empty())
    {
        return GetDelaySeconds(before.device, after.device);
    }
    double most = 0;
    for (const auto& from : before.GetReplicas(1))
    {
        for (const auto& to : after.GetReplicas(1))
        {
            most = std::max(most, GetDelaySeconds(from.device, to.device));
        }
    }
    return most;
}

std::vector<std::size_t>
FindFastestFirst(const PipelineCostModel& costModel)
{
    const std::size_t last = costModel.GetProblem().layers.size() - 1;
    std::vector<std::size_t> devices(costModel.GetProblem().devices.size());
    std::iota(devices.begin(), devices.end(), 0);
    std::stable_sort(devices.begin(), devices.end(), [&](std::size_t a, std::size_t b) {
        return costModel.StageSeconds(a, 0, last) < costModel.StageSeconds(b, 0, last);
    });
    return devices;
}

} // namespace ns3::edgepipe
