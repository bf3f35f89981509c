/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-search.h"

#include "ns3/edgepipe-ranges.h"

#include <optional>
#include <queue>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

constexpr double UNREACHABLE = std::numeric_limits<double>::infinity();

/** Penalty per stage that makes ties go to fewer stages, relative to the plan's time. */
constexpr double RELATIVE_PENALTY = 1e-12;

/** Improvement on the best plan that a box must promise, relative to the time. */
constexpr double RELATIVE_TOLERANCE = 1e-13;

/** Bounds below which stages and transfers of a plan must stay; seconds per micro-batch. */
struct Bounds
{
    PassSeconds each{UNREACHABLE, UNREACHABLE}; //!< f and c, and b and c'
    double both{UNREACHABLE};                   //!< f + b and c + c'

    /** @return whether a stage or transfer stays below */
    bool Allow(const PassSeconds& seconds) const
    {
        return seconds.forward < each.forward && seconds.backward < each.backward &&
               seconds.GetSum() < both;
    }
};

/** A plan with the least sum under some bounds. */
struct BoundedPlan
{
    PipelinePlan plan;   //!< the plan itself
    PipelineSums sums{}; //!< its sums, penalties included
};

/** Makes passes, see SearchPipelines. */
class BoundedSearch
{
  public:
    /**
     * @param costModel the cost model of a valid problem; must outlive this object
     * @param rule restricts cuts; must outlive this object
     */
    BoundedSearch(const PipelineCostModel& costModel, const PipelineCutRule& rule)
        : m_costModel(costModel),
          m_rule(rule),
          m_layers(costModel.GetProblem().layers.size()),
          m_continue(m_layers),
          m_queue(m_layers)
    {
        const std::vector<PipelineDevice>& devices = costModel.GetProblem().devices;
        std::map<std::tuple<double, double, double>, std::size_t> groups;
        for (auto& members : costModel.ListClasses())
        {
            const std::size_t d = members.front();
            const std::tuple link(costModel.GetUplink(d),
                                  costModel.GetDownlink(d),
                                  devices[d].delaySeconds);
            const auto [group, isNew] = groups.emplace(link, m_groups.size());
            if (isNew)
            {
                m_groups.push_back(d);
            }
            // A plan has at most one stage per layer: more devices of one class are of no use.
            members.resize(std::min(members.size(), m_layers));
            DeviceClass& made = m_classes.emplace_back();
            made.devices = std::move(members);
            made.stride = m_states;
            made.group = group->second;
            m_states *= made.devices.size() + 1;
            made.seconds.push_back(0);
            for (std::size_t i = 0; i < m_layers; ++i)
            {
                made.seconds.push_back(costModel.StageSeconds(d, 0, i));
                made.memory.push_back(costModel.FindMemoryEnd(i, devices[d].memoryBytes));
            }
            made.end.resize(m_layers);
        }
    }

    /** @copydoc MeasurePipelineSearch */
    PipelineSearchSize Measure() const
    {
        const auto groups = static_cast<double>(m_groups.size());
        double states = 1;
        for (const DeviceClass& deviceClass : m_classes)
        {
            states *= static_cast<double>(deviceClass.devices.size() + 1);
        }
        const auto classes = static_cast<double>(m_classes.size());
        return {m_layers * (classes + groups * groups - 1) * states,
                groups * (m_layers + 1) * states * sizeof(double),
                m_classes.size()};
    }

    /** @param seconds added to a plan's sum for every stage; initially 0 */
    void SetStagePenalty(double seconds)
    {
        m_penalty = seconds;
    }

    /**
     * @param bounds the bounds
     * @return the plan of least sum, stages on the lowest device indices of their classes;
     *         nothing when no plan meets bounds and memory
     */
    std::optional<BoundedPlan> Search(const Bounds& bounds)
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
                const auto row = m_rest.begin() + group * width;
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
        for (std::size_t group = 0; group < groups; ++group)
        {
            if (m_rest[group * width] != UNREACHABLE)
            {
                const PipelinePlan plan = ExtractPlan();
                return BoundedPlan{plan, m_costModel.Sum(plan, m_penalty)};
            }
        }
        return std::nullopt;
    }

  private:
    /** Devices that agree in type, memory, rates and delay. */
    struct DeviceClass
    {
        std::vector<std::size_t> devices; //!< indices, ascending
        std::size_t stride;               //!< increment of u for one used device
        std::size_t group;                //!< its link group
        std::vector<double> seconds;      //!< W_k, one entry more than layers
        std::vector<std::size_t> memory;  //!< by first layer: one past the last that fits
        std::vector<std::size_t> end;     //!< the same, for memory and the current bounds
    };

    /**
     * Fills DeviceClass::end and the cuts for some bounds.
     * @param bounds the bounds
     */
    void ApplyBounds(const Bounds& bounds)
    {
        m_cuts.clear();
        for (const std::size_t before : m_groups)
        {
            for (const std::size_t behind : m_groups)
            {
                const double delays = 2 * m_costModel.GetDelaySeconds(before, behind);
                for (std::size_t i = 0; i < m_layers; ++i)
                {
                    const PassSeconds c = m_costModel.CutSeconds(i, before, behind);
                    m_cuts.push_back(bounds.Allow(c) ? c.GetSum() + delays : UNREACHABLE);
                }
            }
        }
        for (DeviceClass& deviceClass : m_classes)
        {
            const std::size_t device = deviceClass.devices.front();
            std::size_t end = 0;
            for (std::size_t i = 0; i < m_layers; ++i)
            {
                end = std::max(end, i);
                while (end < m_layers && bounds.Allow(m_costModel.FindStageSeconds(device, i, end)))
                {
                    ++end;
                }
                deviceClass.end[i] = std::min(end, deviceClass.memory[i]);
            }
        }
    }

    /**
     * Updates m_rest with plans whose next stage is on a class.
     * @param deviceClass the class
     * @param state u
     * @param used number of devices in u, and thus the first layer that matters
     */
    void Relax(const DeviceClass& deviceClass, std::size_t state, std::size_t used)
    {
        double* rest = m_rest.data() + deviceClass.group * (m_layers + 1);
        const double* onward = GetOnward(deviceClass, state);
        const double* seconds = deviceClass.seconds.data();
        const auto getValue = [&](std::size_t last) {
            return onward[last + 1] + seconds[last + 1] + m_penalty;
        };
        for (std::size_t i = used; i < m_layers; ++i)
        {
            m_continue[i] = MayEnd(used, i) ? getValue(i) : UNREACHABLE;
        }
        // The queue holds last layers in descending order, their values rising from oldest to
        // newest.
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
            const auto best = std::partition_point(m_queue.begin(),
                                                   queued,
                                                   [end](std::size_t last) { return last >= end; });
            if (best != queued)
            {
                rest[i] = std::min(rest[i], m_continue[*best] - seconds[i]);
            }
            const std::size_t forced = FindForcedLast(used, i);
            if (forced < end)
            {
                rest[i] = std::min(rest[i], getValue(forced) - seconds[i]);
            }
        }
    }

    /**
     * Fills m_onward from m_rest by adding the transfers before the stages.
     * @param state u, of m_rest
     * @param first first layer that matters
     */
    void Transfer(std::size_t state, std::size_t first)
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

    /** @return the plan that the table holds, from layer 0 and no device used */
    PipelinePlan ExtractPlan() const
    {
        /** The best next stage of a link group. */
        struct Choice
        {
            double sum{UNREACHABLE};            //!< from it on, without the transfer before it
            const DeviceClass* device{nullptr}; //!< that runs it
            std::size_t last{0};                //!< its last layer
        };

        PipelinePlan plan;
        const std::size_t groups = m_groups.size();
        std::size_t state = 0;
        const DeviceClass* before = nullptr;
        for (std::size_t first = 0; first < m_layers; first = plan.stages.back().lastLayer + 1)
        {
            const std::size_t stage = plan.stages.size();
            const std::size_t forced = FindForcedLast(stage, first);
            std::vector<Choice> choices(groups);
            for (const DeviceClass& deviceClass : m_classes)
            {
                if (CountUsed(deviceClass, state) == deviceClass.devices.size())
                {
                    continue;
                }
                Choice& choice = choices[deviceClass.group];
                const double* onward = GetOnward(deviceClass, state);
                const std::size_t end = FindEnd(deviceClass, stage, first);
                for (std::size_t i = first; i < end; ++i)
                {
                    const double sum = onward[i + 1] + deviceClass.seconds[i + 1] + m_penalty -
                                       deviceClass.seconds[first];
                    if ((MayEnd(stage, i) || i == forced) && sum < choice.sum)
                    {
                        choice = {sum, &deviceClass, i};
                    }
                }
            }
            for (std::size_t group = 0; group < groups && before; ++group)
            {
                choices[group].sum +=
                    m_cuts[(before->group * groups + group) * m_layers + first - 1];
            }
            const Choice& chosen =
                *std::min_element(choices.begin(),
                                  choices.end(),
                                  [](const Choice& a, const Choice& b) { return a.sum < b.sum; });
            before = chosen.device;
            plan.stages.push_back({before->devices[CountUsed(*before, state)], first, chosen.last});
            state += before->stride;
        }
        return plan;
    }

    /**
     * @param deviceClass a class
     * @param state u
     * @return how many of the class's devices u uses
     */
    static std::size_t CountUsed(const DeviceClass& deviceClass, std::size_t state)
    {
        return state / deviceClass.stride % (deviceClass.devices.size() + 1);
    }

    /**
     * @param deviceClass of a stage
     * @param state u, without it
     * @return the row of m_onward behind the stage
     */
    const double* GetOnward(const DeviceClass& deviceClass, std::size_t state) const
    {
        const std::size_t next = state + deviceClass.stride;
        return m_onward.data() + (next * m_groups.size() + deviceClass.group) * (m_layers + 1);
    }

    /**
     * @param deviceClass a class
     * @param stage index of a stage on it
     * @param first its first layer
     * @return one past the last layer that memory, bounds and rule let it hold
     */
    std::size_t FindEnd(const DeviceClass& deviceClass, std::size_t stage, std::size_t first) const
    {
        const std::size_t end = deviceClass.end[first];
        return m_rule.findEnd ? std::min(end, m_rule.findEnd(stage, first)) : end;
    }

    /** @return as PipelineCutRule::findForcedLast */
    std::size_t FindForcedLast(std::size_t stage, std::size_t first) const
    {
        return m_rule.findForcedLast ? m_rule.findForcedLast(stage, first) : m_layers;
    }

    /** @return whether the rule lets a stage end behind a layer, wherever it begins */
    bool MayEnd(std::size_t stage, std::size_t layer) const
    {
        return !m_rule.mayEnd || layer + 1 == m_layers || m_rule.mayEnd(stage, layer);
    }

    const PipelineCostModel& m_costModel; //!< the cost model
    const PipelineCutRule& m_rule;        //!< restricts cuts
    std::size_t m_layers;                 //!< L
    std::size_t m_states{1};              //!< U
    double m_penalty{0};                  //!< added to the sum per stage
    std::vector<DeviceClass> m_classes;   //!< by lowest device index
    std::vector<std::size_t> m_groups;    //!< by link group, its lowest device index
    std::vector<double> m_cuts;       //!< c + c' + 2 d at (r R + s) L + i; infinite above bounds
    std::vector<double> m_rest;       //!< rest(i, u, r) of the last u, at r (L + 1) + i
    std::vector<double> m_onward;     //!< onward(i, u, r) at (u R + r) (L + 1) + i
    std::vector<double> m_continue;   //!< scratch: value of ending a stage, by last layer
    std::vector<std::size_t> m_queue; //!< scratch: the monotone queue
};

/** Plans with low <= (F, B) < high. */
struct Box
{
    double bound{0};                            //!< no plan takes less, s
    double sum{0};                              //!< none has less S, s
    PassSeconds low{};                          //!< least F and B
    PassSeconds high{UNREACHABLE, UNREACHABLE}; //!< what F and B stay below
    uint64_t number{0};                         //!< orders boxes of equal bounds

    /**
     * @param other another box
     * @return whether this one is to be searched after it
     */
    bool operator<(const Box& other) const
    {
        return bound != other.bound ? bound > other.bound : number > other.number;
    }
};

/** The branch and bound of SearchPipelines. */
class BoxSearch
{
  public:
    /**
     * @param costModel the cost model of a valid problem
     * @param rule restricts cuts
     * @param limits where the search ends
     */
    BoxSearch(const PipelineCostModel& costModel,
              const PipelineCutRule& rule,
              const PipelineSearchLimits& limits)
        : m_search(costModel, rule),
          m_weight(costModel.GetProblem().microBatches - 1.0),
          m_limits(limits),
          m_bestSeconds(limits.belowSeconds)
    {
    }

    /** @return the result */
    PipelineSearchResult Run()
    {
        const auto first = m_search.Search({});
        m_result.passes = 1;
        if (!first)
        {
            return m_result;
        }
        const double scale = GetSeconds(*first);
        m_search.SetStagePenalty(RELATIVE_PENALTY * scale);
        m_tolerance = RELATIVE_TOLERANCE * scale;
        Push(Box{});
        while (!m_boxes.empty() && IsPromising(m_boxes.top()))
        {
            const Box box = m_boxes.top();
            m_boxes.pop();
            if (m_result.passes >= m_limits.passes)
            {
                m_result.lowerBoundSeconds = box.bound;
                m_result.isFinished = false;
                m_result.plan = m_limits.passes == 1 ? first->plan : m_result.plan;
                return m_result;
            }
            Explore(box);
        }
        return m_result;
    }

  private:
    /**
     * @param found a plan
     * @return its time
     */
    double GetSeconds(const BoundedPlan& found) const
    {
        return found.sums.sum + m_weight * found.sums.slowest.GetSum();
    }

    /**
     * @param box a box
     * @return whether it may hold a plan better than the best so far
     */
    bool IsPromising(const Box& box) const
    {
        return box.bound < m_bestSeconds - m_tolerance;
    }

    /**
     * Computes a box's bound and keeps the box if it is promising.
     * @param box the box
     */
    void Push(Box box)
    {
        box.bound = box.sum + m_weight * box.low.GetSum();
        const bool isEmpty =
            box.low.forward >= box.high.forward || box.low.backward >= box.high.backward;
        if (!isEmpty && IsPromising(box))
        {
            box.number = m_pushed++;
            m_boxes.push(box);
        }
    }

    /**
     * Finds the plan of least sum under a box's upper bounds and splits the box around it.
     * @param box the box
     */
    void Explore(Box box)
    {
        Bounds bounds{box.high};
        if (m_weight > 0)
        {
            bounds.both = (m_bestSeconds - box.sum) / m_weight;
            bounds.each = {std::min(box.high.forward, bounds.both - box.low.backward),
                           std::min(box.high.backward, bounds.both - box.low.forward)};
        }
        ++m_result.passes;
        const auto found = m_search.Search(bounds);
        if (!found)
        {
            return;
        }
        if (GetSeconds(*found) < m_bestSeconds)
        {
            m_bestSeconds = m_result.seconds = GetSeconds(*found);
            m_result.plan = found->plan;
        }
        box.sum = std::max(box.sum, found->sums.sum);
        box.high = bounds.each;
        const PassSeconds& slowest = found->sums.slowest;
        const bool isWider =
            slowest.forward - box.low.forward >= slowest.backward - box.low.backward;
        isWider ? Split(box, slowest, &PassSeconds::forward, &PassSeconds::backward)
                : Split(box, slowest, &PassSeconds::backward, &PassSeconds::forward);
    }

    /**
     * Cuts a box into the parts that may hold a better plan than the one found in it.
     * @param box the box
     * @param slowest F and B of the plan found
     * @param pass across which it is cut
     * @param other the other pass
     */
    void Split(const Box& box,
               const PassSeconds& slowest,
               double PassSeconds::*pass,
               double PassSeconds::*other)
    {
        Box low = box;
        Box middle = box;
        Box rest = box;
        low.high.*pass = middle.low.*pass = box.low.*pass + (slowest.*pass - box.low.*pass) / 2;
        middle.high.*pass = slowest.*pass;
        rest.low.*pass = std::max(box.low.*pass, slowest.*pass);
        rest.high.*other = slowest.*other;
        for (const Box& part : {low, middle, rest})
        {
            Push(part);
        }
    }

    BoundedSearch m_search;           //!< makes passes
    double m_weight;                  //!< M - 1
    PipelineSearchLimits m_limits;    //!< where the search ends
    uint64_t m_pushed{0};             //!< boxes kept so far
    double m_tolerance{0};            //!< seconds
    double m_bestSeconds;             //!< time of the best plan; at first, the limit
    PipelineSearchResult m_result;    //!< so far
    std::priority_queue<Box> m_boxes; //!< boxes to be searched
};

} // namespace

PipelineSearchSize
MeasurePipelineSearch(const PipelineCostModel& costModel)
{
    return BoundedSearch(costModel, {}).Measure();
}

PipelineSearchResult
SearchPipelines(const PipelineCostModel& costModel,
                const PipelineCutRule& rule,
                const PipelineSearchLimits& limits)
{
    return BoxSearch(costModel, rule, limits).Run();
}

PipelineDivision
GetDivision(const PipelinePlan& plan)
{
    return Map(plan.stages,
               [](const auto& stage) { return std::pair(stage.firstLayer, stage.lastLayer); });
}

PipelinePlan
PlaceDivision(const PipelineCostModel& costModel, const PipelineDivision& division)
{
    PipelineCutRule rule;
    rule.mayEnd = [&](std::size_t stage, std::size_t layer) {
        return stage < division.size() && layer == division[stage].second;
    };
    rule.findEnd = [&](std::size_t stage, std::size_t) {
        return stage < division.size() ? division[stage].second + 1 : 0;
    };
    return SearchPipelines(costModel, rule).plan;
}

} // namespace ns3::edgepipe
