/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-partial-plan.h"

#include "ns3/edgepipe-group-shares.h"

#include <array>
#include <boost/iterator/counting_iterator.hpp>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Spans of the remaining layers, each with features of its own.
constexpr std::size_t SPANS = 6;
/// Each group of a device has about this many times the devices of the one before.
constexpr double GROWTH = 1.5;

} // namespace

PartialPlanner::PartialPlanner(const PipelineCostModel& costModel, bool takesGroups)
    : m_costModel(costModel),
      m_takesGroups(takesGroups && costModel.GetProblem().TakesGroups()),
      m_scales(costModel),
      m_fit(costModel),
      m_classOf(costModel.FindClasses())
{
    const PipelineProblem& problem = costModel.GetProblem();
    m_takesLonger = m_takesGroups || problem.sharesMedium ||
                    std::any_of(problem.layers.begin(),
                                problem.layers.end(),
                                [](const auto& layer) { return !layer.tied.empty(); });
    for (const PipelineDevice& device : problem.devices)
    {
        m_totalMemory += static_cast<double>(device.memoryBytes);
    }
    for (std::size_t d : m_scales.GetFastestFirst())
    {
        if (m_classOf[d] == d)
        {
            m_classes.push_back(d);
        }
    }
}

PartialPlan
PartialPlanner::Begin() const
{
    PartialPlan partial;
    partial.isTaken.assign(m_classOf.size(), false);
    partial.promise = PromiseSeconds(partial);
    return partial;
}

PassSeconds
PartialPlanner::FindLeastCut(const PipelineStage& stage) const
{
    if (stage.group.empty())
    {
        return m_costModel.CutSeconds(stage.lastLayer, stage.device);
    }
    PassSeconds least;
    for (const auto& [device, samples] : stage.group)
    {
        const PassSeconds whole = m_costModel.CutSeconds(stage.lastLayer, device);
        const double share = 1.0 * samples / m_costModel.GetProblem().microBatchSamples;
        least.Raise({share * whole.forward, share * whole.backward});
    }
    return least;
}

PartialPlan
PartialPlanner::Extend(const PartialPlan& partial, const PipelineStage& stage) const
{
    PartialPlan longer = partial;
    const PassSeconds own = m_costModel.FindStageSeconds(stage);
    const PassSeconds c = FindLeastCut(stage);
    if (!partial.plan.stages.empty())
    {
        // The previous stage was charged the least time of its transfers.
        const PipelineStage& before = partial.plan.stages.back();
        const PassSeconds least = FindLeastCut(before);
        const PassSeconds is =
            before.group.empty() && stage.group.empty()
                ? m_costModel.CutSeconds(before.lastLayer, before.device, stage.device)
                : m_costModel.CutSeconds(PipelinePlan{{before, stage}}, 0);
        longer.sum += (is.forward - least.forward) + (is.backward - least.backward) +
                      2 * m_costModel.FindCutDelay(before, stage);
        longer.slowest.Raise(is);
    }
    else
    {
        longer.reduce = m_costModel.ReduceSeconds(stage);
    }
    longer.plan.stages.push_back(stage);
    for (const auto& [device, samples] : stage.GetReplicas(1))
    {
        longer.isTaken[device] = true;
    }
    longer.next = stage.lastLayer + 1;
    longer.sum += own.forward + own.backward + c.GetSum();
    longer.slowest.Raise(own);
    longer.slowest.Raise(c);
    longer.promise = m_takesLonger && IsFinished(longer) ? m_costModel.IterationSeconds(longer.plan)
                                                         : PromiseSeconds(longer);
    return longer;
}

bool
PartialPlanner::IsFinished(const PartialPlan& partial) const
{
    return partial.next == m_costModel.GetProblem().layers.size();
}

PartialPlanner::Rest
PartialPlanner::EstimateRest(const PartialPlan& partial) const
{
    Rest rest;
    if (IsFinished(partial))
    {
        return rest;
    }
    const std::size_t last = m_costModel.GetProblem().layers.size() - 1;
    const double bytes = static_cast<double>(m_costModel.StageMemoryBytes(partial.next, last));
    std::vector<std::size_t> free(m_classOf.size(), 0);
    for (std::size_t d = 0; d < m_classOf.size(); ++d)
    {
        free[m_classOf[d]] += partial.isTaken[d] ? 0 : 1;
    }

    /** A class of devices, relative to the remaining layers. */
    struct Class
    {
        double count;        //!< free devices
        PassSeconds whole;   //!< of all remaining layers on one device
        double most;         //!< share of the remaining bytes that one device holds
        bool isFull = false; //!< whether memory limits its share
    };

    std::vector<Class> classes;
    double left = 1;
    for (std::size_t d : m_classes)
    {
        if (free[d] == 0)
        {
            continue;
        }
        const auto memory = static_cast<double>(m_costModel.GetProblem().devices[d].memoryBytes);
        classes.push_back({static_cast<double>(free[d]),
                           m_costModel.FindStageSeconds(d, partial.next, last),
                           bytes > 0 ? std::min(1.0, memory / bytes) : 1});
        const double share = std::min(left, classes.back().count * classes.back().most);
        rest.sum += share * classes.back().whole.GetSum();
        left -= share;
    }
    // Devices that memory limits take what they can; the others share the rest by speed.
    left = 1;
    bool isNew = true;
    while (isNew)
    {
        isNew = false;
        double rate = 0;
        for (const Class& each : classes)
        {
            rate += each.isFull ? 0 : each.count / std::max(each.whole.GetSum(), 1e-30);
        }
        const double seconds = rate > 0 ? std::max(0.0, left) / rate : 0;
        rest.slowest = {};
        double taken = 0;
        for (Class& each : classes)
        {
            const double whole = std::max(each.whole.GetSum(), 1e-30);
            if (!each.isFull && seconds / whole > each.most)
            {
                each.isFull = isNew = true;
                taken += each.count * each.most;
            }
            const double share = each.isFull ? each.most : seconds / whole;
            rest.slowest.Raise({share * each.whole.forward, share * each.whole.backward});
        }
        left -= taken;
    }
    return rest;
}

double
PartialPlanner::PromiseSeconds(const PartialPlan& partial) const
{
    const Rest rest = EstimateRest(partial);
    PassSeconds slowest = partial.slowest;
    slowest.Raise(rest.slowest);
    return partial.sum + rest.sum + partial.reduce +
           (m_costModel.GetProblem().microBatches - 1.0) * slowest.GetSum();
}

void
PartialPlanner::Describe(const PartialPlan& partial, std::vector<float>& features) const
{
    const PipelineProblem& problem = m_costModel.GetProblem();
    const std::size_t layers = problem.layers.size();
    const double repeats = problem.microBatches - 1.0;
    const Rest rest = EstimateRest(partial);
    const bool isFinished = IsFinished(partial);
    const double workLeft = isFinished ? 0 : m_scales.GetWork(partial.next, layers - 1);
    const double memoryLeft =
        isFinished ? 0
                   : static_cast<double>(m_costModel.StageMemoryBytes(partial.next, layers - 1));
    double freeMemory = 0;
    double freeSpeed = 0;
    double fastest = 0;
    double second = 0;
    double slowest = 1;
    for (std::size_t d = 0; d < m_classOf.size(); ++d)
    {
        if (!partial.isTaken[d])
        {
            freeMemory += static_cast<double>(problem.devices[d].memoryBytes);
            const double speed = m_scales.GetSpeed(d);
            freeSpeed += speed;
            second = std::max(second, std::min(fastest, speed));
            fastest = std::max(fastest, speed);
            slowest = std::min(slowest, speed);
        }
    }
    const auto free =
        static_cast<double>(std::count(partial.isTaken.begin(), partial.isTaken.end(), false));
    const auto getPart = [&](double seconds) { return Share(seconds, partial.promise); };
    const std::array<float, FEATURES - 2 * SPANS> whole{
        Share(workLeft, m_scales.GetTotalWork()),
        Share(memoryLeft, freeMemory),
        getPart(partial.sum),
        getPart(rest.sum),
        getPart(repeats * partial.slowest.forward),
        getPart(repeats * partial.slowest.backward),
        getPart(repeats * rest.slowest.forward),
        getPart(repeats * rest.slowest.backward),
        Share(freeSpeed, m_scales.GetTotalSpeed()),
        Share(freeMemory, m_totalMemory),
        static_cast<float>(fastest),
        static_cast<float>(second),
        static_cast<float>(slowest),
        Share(free, static_cast<double>(m_classOf.size()))};
    features.insert(features.end(), whole.begin(), whole.end());
    // Work and memory of the remaining layers, in spans of equal layer count.
    for (std::size_t span = 0; span < SPANS; ++span)
    {
        const std::size_t left = layers - partial.next;
        const std::size_t begin = partial.next + span * left / SPANS;
        const std::size_t end = partial.next + (span + 1) * left / SPANS;
        const bool isEmpty = begin == end;
        features.push_back(isEmpty ? 0 : Share(m_scales.GetWork(begin, end - 1), workLeft));
        features.push_back(
            isEmpty ? 0
                    : Share(static_cast<double>(m_costModel.StageMemoryBytes(begin, end - 1)),
                            memoryLeft));
    }
}

std::vector<std::size_t>
PartialPlanner::FindDevices(const PartialPlan& partial) const
{
    std::vector<std::size_t> found;
    std::vector<bool> isSeen(m_classOf.size(), false);
    for (std::size_t d = 0; d < m_classOf.size(); ++d)
    {
        if (!partial.isTaken[d] && !isSeen[m_classOf[d]])
        {
            isSeen[m_classOf[d]] = true;
            if (m_fit.FindEnds(partial.next, d, partial.isTaken).second > partial.next ||
                (m_takesGroups && !FindStages(partial, d, 1).empty()))
            {
                found.push_back(d);
            }
        }
    }
    return found;
}

std::size_t
PartialPlanner::FindAlike(const std::vector<bool>& isTaken, std::size_t device) const
{
    std::size_t alike = m_classOf[device];
    while (m_classOf[alike] != m_classOf[device] || isTaken[alike])
    {
        ++alike;
    }
    return alike;
}

PipelineStage
PartialPlanner::FindAlike(const PartialPlan& partial, const PipelineStage& stage) const
{
    PipelineStage moved = stage;
    std::vector<bool> isTaken = partial.isTaken;
    moved.device = FindAlike(isTaken, stage.device);
    for (StageReplica& replica : moved.group)
    {
        replica.device = FindAlike(isTaken, replica.device);
        isTaken[replica.device] = true;
    }
    return moved;
}

bool
PartialPlanner::CanGrow(const PipelinePlan& plan) const
{
    std::vector<bool> isTaken(m_classOf.size(), false);
    for (const PipelineStage& stage : plan.stages)
    {
        for (const std::size_t device : ListDevices({{stage}}))
        {
            isTaken[device] = true;
        }
        if (!CanComplete(stage.lastLayer + 1, isTaken))
        {
            return false;
        }
    }
    return true;
}

std::vector<std::size_t>
PartialPlanner::FindEnds(const PartialPlan& partial, std::size_t device, std::size_t most) const
{
    const auto [least, largest] = m_fit.FindEnds(partial.next, device, partial.isTaken);
    return PickEnds(partial.next, least, largest, most);
}

std::vector<std::size_t>
PartialPlanner::PickEnds(std::size_t first,
                         std::size_t least,
                         std::size_t largest,
                         std::size_t most) const
{
    std::vector<std::size_t> ends;
    const double before = m_scales.GetWork(first, least - 1);
    const double whole = m_scales.GetWork(first, largest - 1) - before;
    std::size_t span = 0;
    for (std::size_t end = least; end <= largest; ++end)
    {
        const double share = whole > 0 ? (m_scales.GetWork(first, end - 1) - before) / whole : 1;
        const std::size_t at = std::min(most - 1, static_cast<std::size_t>(share * most));
        if (ends.empty() || (at > span && largest - least >= most) || largest - least < most)
        {
            ends.push_back(end);
            span = at;
        }
        else if (m_costModel.CutBytes(end - 1) <= m_costModel.CutBytes(ends.back() - 1))
        {
            ends.back() = end;
        }
    }
    return ends;
}

std::vector<std::size_t>
PartialPlanner::ListPartners(const std::vector<bool>& isTaken, std::size_t device) const
{
    std::vector<std::size_t> free;
    for (std::size_t d = 0; d < m_classOf.size(); ++d)
    {
        if (!isTaken[d])
        {
            free.push_back(d);
        }
    }
    const auto getDistance = [&](std::size_t d) {
        return std::tuple(d != device,
                          m_classOf[d] != m_classOf[device],
                          std::abs(m_scales.GetSpeed(d) - m_scales.GetSpeed(device)));
    };
    std::stable_sort(free.begin(), free.end(), [&](std::size_t a, std::size_t b) {
        return getDistance(a) < getDistance(b);
    });
    free.resize(std::min<std::size_t>(free.size(), m_costModel.GetProblem().microBatchSamples));
    return free;
}

std::size_t
PartialPlanner::FindGroupEnd(std::size_t first, const std::vector<std::size_t>& devices) const
{
    const PipelineProblem& problem = m_costModel.GetProblem();
    const auto holds = [&](std::size_t end) {
        uint64_t samples = 0;
        for (const std::size_t device : devices)
        {
            // The samples that fit begin the range.
            using Sample = boost::counting_iterator<uint32_t>;
            const Sample past = std::partition_point(
                Sample(1),
                Sample(problem.microBatchSamples + 1),
                [&](uint32_t own) {
                    return m_costModel.CountMemory(first, end - 1, own, problem.microBatchSamples)
                               .GetBytes(problem.microBatches) <=
                           problem.devices[device].memoryBytes;
                });
            if (*past == 1)
            {
                return false;
            }
            samples += *past - 1;
        }
        return samples >= problem.microBatchSamples;
    };
    using Layer = boost::counting_iterator<std::size_t>;
    return *std::partition_point(Layer(first + 1), Layer(problem.layers.size() + 1), holds) - 1;
}

bool
PartialPlanner::CanComplete(std::size_t first, const std::vector<bool>& isTaken) const
{
    if (m_fit.CanComplete(first, isTaken))
    {
        return true;
    }
    const auto& order = m_fit.GetLargestFirst();
    const auto largest =
        std::find_if(order.begin(), order.end(), [&](std::size_t d) { return !isTaken[d]; });
    if (!m_takesGroups || largest == order.end())
    {
        return false;
    }
    const auto devices = ListPartners(isTaken, *largest);
    return devices.size() > 1 &&
           FindGroupEnd(first, devices) == m_costModel.GetProblem().layers.size();
}

std::vector<PipelineStage>
PartialPlanner::FindStages(const PartialPlan& partial, std::size_t device, std::size_t most) const
{
    std::vector<PipelineStage> stages;
    const std::size_t first = partial.next;
    if (m_fit.FindEnds(first, device, partial.isTaken).second > first)
    {
        for (const std::size_t end : FindEnds(partial, device, most))
        {
            stages.push_back({device, first, end - 1});
        }
    }
    if (!m_takesGroups)
    {
        return stages;
    }
    const auto partners = ListPartners(partial.isTaken, device);
    const std::size_t all = partners.size();
    for (std::size_t size = 2; size <= all;
         size = size < all ? std::min(all, static_cast<std::size_t>(std::ceil(GROWTH * size)))
                           : all + 1)
    {
        const std::vector<std::size_t> devices(partners.begin(), partners.begin() + size);
        const std::size_t largest = FindGroupEnd(first, devices);
        std::vector<bool> isTaken = partial.isTaken;
        for (const std::size_t each : devices)
        {
            isTaken[each] = true;
        }
        if (largest == first || !CanComplete(largest, isTaken))
        {
            continue;
        }
        using Layer = boost::counting_iterator<std::size_t>;
        const std::size_t least =
            *std::partition_point(Layer(first + 1), Layer(largest), [&](std::size_t end) {
                return !CanComplete(end, isTaken);
            });
        for (const std::size_t end : PickEnds(first, least, largest, most))
        {
            const PipelineStage shared = ShareStage(m_costModel, {device, first, end - 1}, devices);
            if (!shared.group.empty() && CanComplete(end, isTaken))
            {
                stages.push_back(shared);
            }
        }
    }
    return stages;
}

} // namespace ns3::edgepipe
