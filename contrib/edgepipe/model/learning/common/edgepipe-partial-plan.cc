/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-partial-plan.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/// Spans of the remaining layers, each with features of its own.
constexpr std::size_t SPANS = 6;

} // namespace

PartialPlanner::PartialPlanner(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_scales(costModel),
      m_fit(costModel),
      m_classOf(costModel.FindClasses())
{
    for (const PipelineDevice& device : costModel.GetProblem().devices)
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

PartialPlan
PartialPlanner::Extend(const PartialPlan& partial, std::size_t device, std::size_t end) const
{
    PartialPlan longer = partial;
    const double f = m_costModel.StageForwardSeconds(device, partial.next, end - 1);
    const double b = m_costModel.StageBackwardSeconds(device, partial.next, end - 1);
    const PassSeconds c = m_costModel.CutSeconds(end - 1, device);
    if (!partial.plan.stages.empty())
    {
        // The previous stage was charged the least time of its transfers.
        const PipelineStage& before = partial.plan.stages.back();
        const PassSeconds least = m_costModel.CutSeconds(before.lastLayer, before.device);
        const PassSeconds is = m_costModel.CutSeconds(before.lastLayer, before.device, device);
        longer.sum += (is.forward - least.forward) + (is.backward - least.backward) +
                      2 * m_costModel.GetDelaySeconds(before.device, device);
        longer.forward = std::max(longer.forward, is.forward);
        longer.backward = std::max(longer.backward, is.backward);
    }
    longer.plan.stages.push_back({device, partial.next, end - 1});
    longer.isTaken[device] = true;
    longer.next = end;
    longer.sum += f + b + (c.forward + c.backward);
    longer.forward = std::max({longer.forward, f, c.forward});
    longer.backward = std::max({longer.backward, b, c.backward});
    longer.promise = PromiseSeconds(longer);
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
        double forward;      //!< seconds of all remaining layers on one device
        double backward;     //!< the same
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
                           m_costModel.StageForwardSeconds(d, partial.next, last),
                           m_costModel.StageBackwardSeconds(d, partial.next, last),
                           bytes > 0 ? std::min(1.0, memory / bytes) : 1});
        const double share = std::min(left, classes.back().count * classes.back().most);
        rest.sum += share * (classes.back().forward + classes.back().backward);
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
            rate += each.isFull ? 0 : each.count / std::max(each.forward + each.backward, 1e-30);
        }
        const double seconds = rate > 0 ? std::max(0.0, left) / rate : 0;
        rest.forward = rest.backward = 0;
        double taken = 0;
        for (Class& each : classes)
        {
            const double whole = std::max(each.forward + each.backward, 1e-30);
            if (!each.isFull && seconds / whole > each.most)
            {
                each.isFull = isNew = true;
                taken += each.count * each.most;
            }
            const double share = each.isFull ? each.most : seconds / whole;
            rest.forward = std::max(rest.forward, share * each.forward);
            rest.backward = std::max(rest.backward, share * each.backward);
        }
        left -= taken;
    }
    return rest;
}

double
PartialPlanner::PromiseSeconds(const PartialPlan& partial) const
{
    const Rest rest = EstimateRest(partial);
    return partial.sum + rest.sum +
           (m_costModel.GetProblem().microBatches - 1.0) *
               (std::max(partial.forward, rest.forward) +
                std::max(partial.backward, rest.backward));
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
    const double free = static_cast<double>(m_classOf.size() - partial.plan.stages.size());
    features.push_back(Share(workLeft, m_scales.GetTotalWork()));
    features.push_back(Share(memoryLeft, freeMemory));
    features.push_back(Share(partial.sum, partial.promise));
    features.push_back(Share(rest.sum, partial.promise));
    features.push_back(Share(repeats * partial.forward, partial.promise));
    features.push_back(Share(repeats * partial.backward, partial.promise));
    features.push_back(Share(repeats * rest.forward, partial.promise));
    features.push_back(Share(repeats * rest.backward, partial.promise));
    features.push_back(Share(freeSpeed, m_scales.GetTotalSpeed()));
    features.push_back(Share(freeMemory, m_totalMemory));
    features.push_back(static_cast<float>(fastest));
    features.push_back(static_cast<float>(second));
    features.push_back(static_cast<float>(slowest));
    features.push_back(Share(free, static_cast<double>(m_classOf.size())));
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
            if (m_fit.FindEnds(partial.next, d, partial.isTaken).second > partial.next)
            {
                found.push_back(d);
            }
        }
    }
    return found;
}

std::size_t
PartialPlanner::FindAlike(const PartialPlan& partial, std::size_t device) const
{
    std::size_t alike = m_classOf[device];
    while (m_classOf[alike] != m_classOf[device] || partial.isTaken[alike])
    {
        ++alike;
    }
    return alike;
}

bool
PartialPlanner::CanGrow(const PipelinePlan& plan) const
{
    std::vector<bool> isTaken(m_classOf.size(), false);
    for (const PipelineStage& stage : plan.stages)
    {
        isTaken[stage.device] = true;
        if (!m_fit.CanComplete(stage.lastLayer + 1, isTaken))
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
    std::vector<std::size_t> ends;
    const double first = m_scales.GetWork(partial.next, least - 1);
    const double whole = m_scales.GetWork(partial.next, largest - 1) - first;
    std::size_t span = 0;
    for (std::size_t end = least; end <= largest; ++end)
    {
        const double share =
            whole > 0 ? (m_scales.GetWork(partial.next, end - 1) - first) / whole : 1;
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

} // namespace ns3::edgepipe
