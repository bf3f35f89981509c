/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-bounded-pipeline-search.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

constexpr double UNREACHABLE = std::numeric_limits<double>::infinity();

} // namespace

BoundedPipelineSearch::BoundedPipelineSearch(const PipelineCostModel& costModel,
                                             const PipelineCutRule* rule)
    : m_costModel(costModel),
      m_rule(rule),
      m_layers(costModel.GetProblem().layers.size()),
      m_states(1),
      m_continue(m_layers),
      m_queue(m_layers)
{
    const std::vector<PipelineDevice>& devices = costModel.GetProblem().devices;
    const std::vector<std::size_t> classes = costModel.FindClasses();
    std::map<std::size_t, std::size_t> indices;
    std::map<std::tuple<double, double, double>, std::size_t> groups;
    for (std::size_t d = 0; d < devices.size(); ++d)
    {
        auto [index, isNew] = indices.emplace(classes[d], m_classes.size());
        if (isNew)
        {
            const std::tuple link(costModel.GetUplink(d),
                                  costModel.GetDownlink(d),
                                  devices[d].delaySeconds);
            const auto [group, isNewGroup] = groups.emplace(link, m_groups.size());
            if (isNewGroup)
            {
                m_groups.push_back(d);
            }
            m_classes.emplace_back();
            m_classes.back().group = group->second;
        }
        DeviceClass& deviceClass = m_classes[index->second];
        // A plan has at most one stage per layer: more devices of one class are of no use.
        if (deviceClass.devices.size() < m_layers)
        {
            deviceClass.devices.push_back(d);
        }
    }

    const auto groupCount = static_cast<double>(m_groups.size());
    m_steps = static_cast<double>(m_layers) *
              (static_cast<double>(m_classes.size()) + groupCount * groupCount - 1);
    for (DeviceClass& deviceClass : m_classes)
    {
        deviceClass.stride = m_states;
        m_states *= deviceClass.devices.size() + 1;
        m_steps *= static_cast<double>(deviceClass.devices.size() + 1);

        std::size_t device = deviceClass.devices.front();
        deviceClass.seconds.push_back(0);
        for (std::size_t i = 0; i < m_layers; ++i)
        {
            deviceClass.seconds.push_back(m_costModel.StageSeconds(device, 0, i));
            deviceClass.memory.push_back(m_costModel.FindMemoryEnd(i, devices[device].memoryBytes));
        }
        deviceClass.end.resize(m_layers);
    }
}

double
BoundedPipelineSearch::GetTableBytes() const
{
    double entries = static_cast<double>(m_groups.size() * (m_layers + 1));
    for (const DeviceClass& deviceClass : m_classes)
    {
        entries *= static_cast<double>(deviceClass.devices.size() + 1);
    }
    return entries * sizeof(double);
}

void
BoundedPipelineSearch::SetStagePenalty(double penaltySeconds)
{
    m_penalty = penaltySeconds;
}

std::optional<BoundedPipelinePlan>
BoundedPipelineSearch::Search(const PipelineBounds& bounds)
{
    ApplyBounds(bounds);
    const std::size_t width = m_layers + 1;
    const std::size_t groups = m_groups.size();
    m_rest.resize(groups * width);
    m_onward.resize(m_states * groups * width);
    // Using a device leads to a larger state, so larger states are finished first.
    for (std::size_t state = m_states; state-- > 0;)
    {
        std::size_t used = 0;
        for (const DeviceClass& deviceClass : m_classes)
        {
            used += CountUsed(deviceClass, state);
        }
        if (used > m_layers)
        {
            continue;
        }
        for (std::size_t group = 0; group < groups; ++group)
        {
            auto row = m_rest.begin() + group * width;
            std::fill(row + used, row + m_layers, UNREACHABLE);
            row[m_layers] = 0;
        }
        for (const DeviceClass& deviceClass : m_classes)
        {
            if (CountUsed(deviceClass, state) < deviceClass.devices.size())
            {
                Relax(deviceClass, state, used);
            }
        }
        Transfer(state, std::max<std::size_t>(used, 1));
    }
    bool isReachable = false;
    for (std::size_t group = 0; group < groups; ++group)
    {
        isReachable = isReachable || m_rest[group * width] != UNREACHABLE;
    }
    return isReachable ? std::optional(ExtractPlan()) : std::nullopt;
}

void
BoundedPipelineSearch::ApplyBounds(const PipelineBounds& bounds)
{
    m_cuts.clear();
    for (std::size_t before : m_groups)
    {
        for (std::size_t behind : m_groups)
        {
            const double delays = 2 * m_costModel.GetDelaySeconds(before, behind);
            for (std::size_t i = 0; i < m_layers; ++i)
            {
                const PassSeconds c = m_costModel.CutSeconds(i, before, behind);
                const double both = c.forward + c.backward;
                bool isAllowed = c.forward < bounds.forward && c.backward < bounds.backward &&
                                 both < bounds.both;
                m_cuts.push_back(isAllowed ? both + delays : UNREACHABLE);
            }
        }
    }
    for (DeviceClass& deviceClass : m_classes)
    {
        std::size_t device = deviceClass.devices.front();
        std::size_t end = 0;
        for (std::size_t i = 0; i < m_layers; ++i)
        {
            end = std::max(end, i);
            while (end < m_layers)
            {
                double f = m_costModel.StageForwardSeconds(device, i, end);
                double b = m_costModel.StageBackwardSeconds(device, i, end);
                if (!(f < bounds.forward && b < bounds.backward && f + b < bounds.both))
                {
                    break;
                }
                ++end;
            }
            deviceClass.end[i] = std::min(end, deviceClass.memory[i]);
        }
    }
}

void
BoundedPipelineSearch::Relax(const DeviceClass& deviceClass, std::size_t state, std::size_t used)
{
    const std::size_t width = m_layers + 1;
    double* rest = m_rest.data() + deviceClass.group * width;
    const std::size_t next = (state + deviceClass.stride) * m_groups.size() + deviceClass.group;
    const double* onward = m_onward.data() + next * width;
    const double* seconds = deviceClass.seconds.data();
    const auto getValue = [&](std::size_t last) {
        return onward[last + 1] + seconds[last + 1] + m_penalty;
    };
    for (std::size_t i = used; i < m_layers; ++i)
    {
        m_continue[i] = MayEnd(used, i) ? getValue(i) : UNREACHABLE;
    }
    // The queue holds last layers in descending order, their values rising from oldest to newest.
    std::size_t newest = 0;
    for (std::size_t i = m_layers; i-- > used;)
    {
        const std::size_t end = FindEnd(deviceClass, used, i);
        while (newest > 0 && m_continue[m_queue[newest - 1]] >= m_continue[i])
        {
            --newest;
        }
        m_queue[newest++] = i;
        const auto queued = m_queue.begin() + newest;
        const auto best = std::partition_point(m_queue.begin(), queued, [end](std::size_t last) {
            return last >= end;
        });
        if (best != queued)
        {
            rest[i] = std::min(rest[i], m_continue[*best] - seconds[i]);
        }
        const std::size_t forced = m_rule ? m_rule->FindForcedLast(used, i) : m_layers;
        if (forced < end)
        {
            rest[i] = std::min(rest[i], getValue(forced) - seconds[i]);
        }
    }
}

void
BoundedPipelineSearch::Transfer(std::size_t state, std::size_t first)
{
    const std::size_t width = m_layers + 1;
    const std::size_t groups = m_groups.size();
    for (std::size_t before = 0; before < groups; ++before)
    {
        double* onward = m_onward.data() + (state * groups + before) * width;
        std::fill(onward + first, onward + m_layers, UNREACHABLE);
        onward[m_layers] = 0;
        for (std::size_t behind = 0; behind < groups; ++behind)
        {
            const double* rest = m_rest.data() + behind * width;
            const double* cuts = m_cuts.data() + (before * groups + behind) * m_layers;
            for (std::size_t i = first; i < m_layers; ++i)
            {
                onward[i] = std::min(onward[i], rest[i] + cuts[i - 1]);
            }
        }
    }
}

BoundedPipelinePlan
BoundedPipelineSearch::ExtractPlan() const
{
    BoundedPipelinePlan result;
    const std::size_t width = m_layers + 1;
    const std::size_t groups = m_groups.size();
    std::size_t state = 0;
    std::size_t first = 0;
    const DeviceClass* before = nullptr;
    while (first < m_layers)
    {
        /** The best next stage of a link group. */
        struct Choice
        {
            double sum{UNREACHABLE};            //!< from it on, without the transfer before it
            const DeviceClass* device{nullptr}; //!< that runs it
            std::size_t last{0};                //!< its last layer
        };

        std::vector<Choice> choices(groups);
        for (const DeviceClass& deviceClass : m_classes)
        {
            if (CountUsed(deviceClass, state) == deviceClass.devices.size())
            {
                continue;
            }
            Choice& choice = choices[deviceClass.group];
            const std::size_t next = (state + deviceClass.stride) * groups + deviceClass.group;
            const double* onward = m_onward.data() + next * width;
            const std::size_t stage = result.plan.stages.size();
            const std::size_t end = FindEnd(deviceClass, stage, first);
            const std::size_t forced = m_rule ? m_rule->FindForcedLast(stage, first) : m_layers;
            for (std::size_t i = first; i < end; ++i)
            {
                if (!MayEnd(stage, i) && i != forced)
                {
                    continue;
                }
                double sum = onward[i + 1] + deviceClass.seconds[i + 1] + m_penalty -
                             deviceClass.seconds[first];
                if (sum < choice.sum)
                {
                    choice = {sum, &deviceClass, i};
                }
            }
        }
        for (std::size_t group = 0; group < groups && before; ++group)
        {
            choices[group].sum += m_cuts[(before->group * groups + group) * m_layers + first - 1];
        }
        const Choice& chosen =
            *std::min_element(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
                return a.sum < b.sum;
            });
        const std::size_t device = chosen.device->devices[CountUsed(*chosen.device, state)];
        result.plan.stages.push_back({device, first, chosen.last});
        state += chosen.device->stride;
        first = chosen.last + 1;
        before = chosen.device;
    }
    for (std::size_t i = 0; i < result.plan.stages.size(); ++i)
    {
        const PipelineStage& stage = result.plan.stages[i];
        double f = m_costModel.StageForwardSeconds(stage.device, stage.firstLayer, stage.lastLayer);
        double b =
            m_costModel.StageBackwardSeconds(stage.device, stage.firstLayer, stage.lastLayer);
        const PassSeconds c = m_costModel.CutSeconds(result.plan, i);
        result.sum += f + b + (c.forward + c.backward) + m_penalty;
        if (i > 0)
        {
            const std::size_t before = result.plan.stages[i - 1].device;
            result.sum += 2 * m_costModel.GetDelaySeconds(before, stage.device);
        }
        result.forward = std::max({result.forward, f, c.forward});
        result.backward = std::max({result.backward, b, c.backward});
    }
    return result;
}

std::size_t
BoundedPipelineSearch::FindEnd(const DeviceClass& deviceClass,
                               std::size_t stage,
                               std::size_t first) const
{
    const std::size_t end = deviceClass.end[first];
    return m_rule ? std::min(end, m_rule->FindEnd(stage, first)) : end;
}

bool
BoundedPipelineSearch::MayEnd(std::size_t stage, std::size_t layer) const
{
    return !m_rule || layer + 1 == m_layers || m_rule->MayEnd(stage, layer);
}

std::size_t
BoundedPipelineSearch::CountUsed(const DeviceClass& deviceClass, std::size_t state) const
{
    return state / deviceClass.stride % (deviceClass.devices.size() + 1);
}

} // namespace ns3::edgepipe
