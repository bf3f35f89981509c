/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-group-search.h"

#include "edgepipe-group-shares.h"

#include <array>
#include <boost/container/small_vector.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace ns3::edgepipe
{

namespace
{

constexpr double NO_LIMIT = std::numeric_limits<double>::infinity();

/// Ways to share the samples of a micro-batch among a group that are all tried.
constexpr std::size_t MOST_DIVISIONS = 64;

/// By which figures of a tail may be larger than those of one that it replaces: none if all tails
/// may stay, then more and more, in one pass after another, until no more are left than may.
constexpr std::array<double, 6> SLACKS{1, 1.01, 1.03, 1.1, 1.3, 2};

/// A list of tails is pruned when it has this many times the tails that may stay.
constexpr std::size_t PRUNING_FACTOR = 8;

/**
 * @param costs figures that are better if smaller
 * @param others the same of something else
 * @param slack by which figures may be larger, 1 or more
 * @return whether the other ones are better in no respect
 */
template <std::size_t N>
bool
Dominate(const std::array<double, N>& costs, const std::array<double, N>& others, double slack)
{
    return std::equal(costs.begin(), costs.end(), others.begin(), [slack](double a, double b) {
        return a <= slack * b;
    });
}

/** How many devices of each class; one number per class. */
using Counts = boost::container::small_vector<uint8_t, 16>;

/** A stage's layers on a group of devices, as far as the iteration time depends on it. */
struct GroupedStage
{
    std::size_t first;             //!< first layer
    std::size_t last;              //!< last layer, inclusive
    const Counts* counts;          //!< devices by class
    std::vector<uint32_t> samples; //!< of each device, class by class
    PassSeconds seconds;           //!< f and b
    double send;                   //!< time to send the group's part of a bit of a micro-batch, s
    double receive;                //!< time to receive it, s
    double delay;                  //!< longest of a device, s
    double reduce;                 //!< time to sum gradients, s

    /** @return the figures that are better if smaller */
    std::array<double, 5> GetCosts() const
    {
        return {seconds.forward, seconds.backward, send, receive, reduce};
    }
};

/// A stage, which lives as long as a plan with it.
using StagePointer = std::shared_ptr<const GroupedStage>;

/** The last stages of a plan, from some layer on. */
struct Tail
{
    StagePointer stage;    //!< first of the stages; null: there are none
    const Tail* rest;      //!< the other ones
    Counts left;           //!< devices by class that no stage has
    PassSeconds sum{};     //!< of f, c and d; of b, c' and d
    PassSeconds slowest{}; //!< longest f or c, and b or c'
    PassSeconds medium{};  //!< sum of c, and of c'
    /// When the stages but the first have summed their gradients, from the first backward pass on
    double reduced{0};
    double allReduces{0}; //!< sum of the times to sum gradients
    bool hasGroup{false}; //!< whether a stage has several devices
    double bound{0};      //!< no plan with these stages takes less

    /** @return the figures that are better if smaller */
    std::array<double, 12> GetCosts() const
    {
        return {sum.forward,
                sum.backward,
                slowest.forward,
                slowest.backward,
                medium.forward,
                medium.backward,
                reduced,
                allReduces,
                stage->send,
                stage->receive,
                stage->delay,
                stage->reduce};
    }

    /**
     * @param other tail of the same layers
     * @param slack by which figures may be larger, 1 or more
     * @return whether the other one is no better in any respect
     */
    bool Dominates(const Tail& other, double slack) const
    {
        // Most are told by the sums.
        return hasGroup <= other.hasGroup && sum.forward <= slack * other.sum.forward &&
               sum.backward <= slack * other.sum.backward &&
               Dominate(GetCosts(), other.GetCosts(), slack);
    }
};

/** Finds a plan of stages on groups. */
class GroupSearch
{
  public:
    /**
     * @param costs a cost model
     * @param limits of the search
     */
    GroupSearch(const PipelineCostModel& costs, const GroupSearchLimits& limits)
        : m_costs(costs),
          m_problem(costs.GetProblem()),
          m_samples(limits.groups > 0 && m_problem.TakesGroups() ? m_problem.microBatchSamples : 1),
          m_mostTails(limits.tails),
          m_classes(costs.ListClasses())
    {
        for (const auto& devices : m_classes)
        {
            m_all.push_back(std::min<std::size_t>(devices.size(), UINT8_MAX));
        }
        FindCuts(limits.cuts);
        FindSpeeds();
        ListGroups(limits.groups > 0 ? limits.groups : m_classes.size());
    }

    /// @copydoc SearchGroups
    GroupSearchResult Search(double limit, const std::function<void(double)>& progress)
    {
        m_limit = limit;
        // By index of the cut before the tail's first layer, the last index being the end.
        std::vector<std::vector<Tail>> tails(m_cuts.size());
        tails.back().push_back({nullptr, nullptr, m_all});
        for (std::size_t end = m_cuts.size() - 1; end > 0; --end)
        {
            progress(1 - std::pow(double(end) / m_cuts.size(), 2));
            if (end + 1 < m_cuts.size())
            {
                Prune(tails[end]);
            }
            for (std::size_t begin = end; begin-- > 0 && !tails[end].empty();)
            {
                const auto stages = FindStages(m_cuts[begin], m_cuts[end] - 1);
                for (const Tail& rest : tails[end])
                {
                    Extend(rest, begin, stages, tails[begin]);
                }
            }
        }
        const auto found =
            std::min_element(tails.front().begin(),
                             tails.front().end(),
                             [](const Tail& a, const Tail& b) { return a.bound < b.bound; });
        const Tail* best = found == tails.front().end() ? nullptr : &*found;
        PipelinePlan plan;
        std::vector<std::size_t> taken(m_classes.size(), 0);
        for (; best && best->stage; best = best->rest)
        {
            plan.stages.push_back(MakeStage(*best->stage, taken));
        }
        return {plan, m_isComplete};
    }

  private:
    /**
     * @param device index of a device
     * @param first first layer
     * @param last last layer, inclusive
     * @param samples as this search counts them: 1 is a micro-batch where none is split
     * @return time of the device for them
     */
    PassSeconds GetSeconds(std::size_t device,
                           std::size_t first,
                           std::size_t last,
                           uint32_t samples) const
    {
        const uint32_t all = m_problem.microBatchSamples;
        return m_costs.ReplicaSeconds(device, first, last, samples == m_samples ? all : samples);
    }

    /** Find how fast devices run the layers before each cut, at most. */
    void FindSpeeds()
    {
        const std::size_t layers = m_problem.layers.size();
        // By class and layer: seconds per micro-batch at the best number of samples.
        std::vector<std::vector<double>> least(m_classes.size());
        std::vector<double> fastest(layers, NO_LIMIT);
        const uint32_t whole = m_samples;
        for (std::size_t k = 0; k < m_classes.size(); ++k)
        {
            for (std::size_t layer = 0; layer < layers; ++layer)
            {
                double best = NO_LIMIT;
                for (uint32_t samples = 1; samples <= whole; ++samples)
                {
                    const auto seconds = GetSeconds(m_classes[k].front(), layer, layer, samples);
                    best = std::min(best, seconds.GetSum() * whole / samples);
                }
                least[k].push_back(best);
                fastest[layer] = std::min(fastest[layer], best);
            }
        }
        m_work.assign(1, 0);
        m_speeds.assign(1, std::vector<double>(m_classes.size(), 0));
        for (std::size_t layer = 0; layer < layers; ++layer)
        {
            m_work.push_back(m_work.back() + fastest[layer]);
            m_speeds.push_back(m_speeds.back());
            for (std::size_t k = 0; k < m_classes.size(); ++k)
            {
                const double speed = fastest[layer] > 0 ? fastest[layer] / least[k][layer] : 0;
                m_speeds.back()[k] = std::max(m_speeds.back()[k], speed);
            }
        }
    }

    /**
     * Choose the layers before which stages may begin. Where there are too many, those with the
     * most bytes for the least computing go first.
     *
     * @param most how many may stay
     */
    void FindCuts(std::size_t most)
    {
        m_cuts.resize(m_problem.layers.size() + 1);
        std::iota(m_cuts.begin(), m_cuts.end(), 0);
        const std::size_t fastest = FindFastestFirst(m_costs).front();
        while (m_cuts.size() > std::max<std::size_t>(most, 1) + 1)
        {
            std::size_t worst = 1;
            double least = NO_LIMIT;
            for (std::size_t i = 1; i + 1 < m_cuts.size(); ++i)
            {
                const double merged =
                    m_costs.StageSeconds(fastest, m_cuts[i - 1], m_cuts[i + 1] - 1);
                const double score = merged / (1.0 + m_costs.CutBytes(m_cuts[i] - 1));
                if (score < least)
                {
                    least = score;
                    worst = i;
                }
            }
            m_cuts.erase(m_cuts.begin() + worst);
            m_isComplete = false;
        }
    }

    /**
     * List groups of devices, the smallest first.
     * @param most how many
     */
    void ListGroups(std::size_t most)
    {
        const std::size_t devices = std::accumulate(m_all.begin(), m_all.end(), std::size_t{0});
        const std::size_t largest = std::min<std::size_t>(devices, m_samples);
        for (std::size_t size = 1; size <= largest && m_groups.size() < most; ++size)
        {
            Counts counts(m_all.size(), 0);
            AddGroups(size, 0, counts, most);
        }
    }

    /**
     * Complete groups.
     *
     * @param size devices yet to be chosen
     * @param from first class to choose from
     * @param counts chosen so far
     * @param most groups in all
     */
    void AddGroups(std::size_t size, std::size_t from, Counts& counts, std::size_t most)
    {
        if (size == 0)
        {
            m_groups.push_back(counts);
            return;
        }
        for (std::size_t k = from; k < m_all.size() && m_groups.size() < most; ++k)
        {
            if (counts[k] < m_all[k])
            {
                ++counts[k];
                AddGroups(size - 1, k, counts, most);
                --counts[k];
            }
        }
    }

    /**
     * @param first layer of a stage
     * @param last layer of the stage, inclusive
     * @return its ways to run on groups, none of which is better than another in all respects
     *         on the same devices
     */
    std::vector<StagePointer> FindStages(std::size_t first, std::size_t last) const
    {
        std::vector<StagePointer> stages;
        // By class and samples, from 0 to the most that the memory holds.
        const uint32_t whole = m_samples;
        std::vector<std::vector<double>> seconds;
        for (const auto& devices : m_classes)
        {
            const PipelineStage alone{devices.front(), first, last};
            seconds.push_back(
                whole > 1 ? ListReplicaSeconds(m_costs, alone.device, first, last, whole)
                : m_costs.Fits(alone) ? std::vector<double>{0, m_costs.StageSeconds(alone)}
                                      : std::vector<double>{0});
        }
        for (const Counts& counts : m_groups)
        {
            std::vector<std::size_t> kinds; // class of each device
            for (std::size_t k = 0; k < counts.size(); ++k)
            {
                kinds.insert(kinds.end(), counts[k], k);
            }
            const std::size_t begin = stages.size();
            std::vector<const std::vector<double>*> costs;
            for (const std::size_t kind : kinds)
            {
                costs.push_back(&seconds[kind]);
            }
            DivideSamples(costs, m_samples, MOST_DIVISIONS, [&](const auto& samples) {
                const auto stage = MakeGroup(first, last, counts, kinds, samples);
                // Its passes take that long one after another.
                const bool isSlow = m_problem.microBatches * stage->seconds.GetSum() >= m_limit;
                const auto own = stages.begin() + begin;
                if (isSlow || std::any_of(own, stages.end(), [&](const auto& other) {
                        return Dominate(other->GetCosts(), stage->GetCosts(), 1);
                    }))
                {
                    return;
                }
                stages.erase(
                    std::remove_if(own,
                                   stages.end(),
                                   [&](const auto& other) {
                                       return Dominate(stage->GetCosts(), other->GetCosts(), 1);
                                   }),
                    stages.end());
                stages.push_back(stage);
            });
        }
        return stages;
    }

    /**
     * @param first layer of a stage
     * @param last layer of the stage, inclusive
     * @param counts its devices
     * @param kinds class of each device
     * @param samples of each device
     * @return the stage on these devices
     */
    StagePointer MakeGroup(std::size_t first,
                           std::size_t last,
                           const Counts& counts,
                           const std::vector<std::size_t>& kinds,
                           const std::vector<uint32_t>& samples) const
    {
        GroupedStage stage{first, last, &counts, samples, {}, 0, 0, 0, 0};
        PipelineStage plain{m_classes[kinds[0]].front(), first, last};
        const double whole = m_samples;
        for (std::size_t i = 0; i < kinds.size(); ++i)
        {
            const std::size_t device = m_classes[kinds[i]].front();
            stage.seconds.Raise(GetSeconds(device, first, last, samples[i]));
            const double share = m_problem.sharesMedium ? 1 : samples[i] / whole;
            stage.send = std::max(stage.send, share / m_costs.GetUplink(device));
            stage.receive = std::max(stage.receive, share / m_costs.GetDownlink(device));
            stage.delay = std::max(stage.delay, m_problem.devices[device].delaySeconds);
            plain.group.push_back({device, samples[i]});
        }
        stage.reduce = m_costs.ReduceSeconds(plain);
        return std::make_shared<const GroupedStage>(std::move(stage));
    }

    /**
     * Put every stage that the devices left over can run before a tail.
     *
     * @param rest the tail
     * @param begin index of the cut before the stages
     * @param stages that end where it begins
     * @param found takes the longer tails
     */
    void Extend(const Tail& rest,
                std::size_t begin,
                const std::vector<StagePointer>& stages,
                std::vector<Tail>& found)
    {
        for (const StagePointer& pointer : stages)
        {
            const GroupedStage& stage = *pointer;
            const auto& counts = *stage.counts;
            if (!std::equal(counts.begin(), counts.end(), rest.left.begin(), std::less_equal()))
            {
                continue;
            }
            Tail tail{pointer, &rest, rest.left};
            std::transform(rest.left.begin(),
                           rest.left.end(),
                           counts.begin(),
                           tail.left.begin(),
                           std::minus());
            PassSeconds cut;
            double delay = 0;
            if (rest.stage)
            {
                const double bits = 8.0 * m_costs.CutBytes(stage.last);
                cut = {bits * std::max(stage.send, rest.stage->receive),
                       bits * std::max(rest.stage->send, stage.receive)};
                delay = stage.delay + rest.stage->delay;
            }
            tail.sum = {rest.sum.forward + stage.seconds.forward + cut.forward + delay,
                        rest.sum.backward + stage.seconds.backward + cut.backward + delay};
            tail.medium = {rest.medium.forward + cut.forward, rest.medium.backward + cut.backward};
            tail.slowest = rest.slowest;
            tail.slowest.Raise(stage.seconds);
            tail.slowest.Raise(cut);
            const double more = m_problem.microBatches - 1.0;
            if (rest.stage)
            {
                // Once it has sent its gradients.
                tail.reduced =
                    std::max(rest.reduced,
                             rest.sum.backward + cut.backward + delay + rest.stage->reduce +
                                 more * std::max(rest.slowest.backward, cut.backward));
            }
            tail.allReduces = rest.allReduces + stage.reduce;
            tail.hasGroup = rest.hasGroup || stage.samples.size() > 1;
            tail.bound = FindBound(tail, m_cuts[begin]);
            if (tail.bound >= m_limit)
            {
                continue;
            }
            if (begin == 0)
            {
                m_limit = tail.bound; // of a whole plan, its time
                found.clear();
            }
            found.push_back(std::move(tail));
        }
        if (begin > 0 && found.size() > PRUNING_FACTOR * m_mostTails)
        {
            Prune(found);
        }
    }

    /**
     * @param tail the last stages of a plan
     * @param before how many layers precede them
     * @return seconds that no iteration with these stages stays below; its time if they are all
     */
    double FindBound(const Tail& tail, std::size_t before) const
    {
        const double more = m_problem.microBatches - 1.0;
        PassSeconds slowest = tail.slowest;
        double end = 0;
        if (m_problem.sharesMedium)
        {
            slowest.Raise(tail.medium);
            end = tail.sum.backward + more * slowest.backward + tail.allReduces;
        }
        else
        {
            end = std::max(tail.reduced,
                           tail.sum.backward + more * slowest.backward + tail.stage->reduce);
        }
        const double bound = tail.sum.forward + more * slowest.forward + end;
        // The layers before take, in sum and at most, no less than on all devices left together.
        double speed = 0;
        for (std::size_t k = 0; k < tail.left.size(); ++k)
        {
            speed += tail.left[k] * m_speeds[before][k];
        }
        const double least = m_work[before] > 0 ? m_work[before] / speed : 0;
        const double both = std::max(slowest.GetSum(), least);
        return std::max(bound, tail.sum.GetSum() + least + more * both);
    }

    /**
     * Drop tails that others dominate; where too many are left, those that others nearly dominate,
     * and at last the worst.
     * @param tails of the same layers, at least one
     */
    void Prune(std::vector<Tail>& tails)
    {
        std::stable_sort(tails.begin(), tails.end(), [](const Tail& a, const Tail& b) {
            return a.bound < b.bound;
        });
        for (const double slack : SLACKS)
        {
            m_isComplete &= slack == 1;
            std::map<Counts, std::vector<std::size_t>> kept;
            std::vector<Tail> all;
            for (Tail& tail : tails)
            {
                auto& same = kept[tail.left];
                if (std::none_of(same.begin(), same.end(), [&](std::size_t other) {
                        return all[other].Dominates(tail, slack);
                    }))
                {
                    same.push_back(all.size());
                    all.push_back(std::move(tail));
                }
            }
            tails = std::move(all);
            if (tails.size() <= m_mostTails)
            {
                return;
            }
        }
        tails.resize(m_mostTails);
    }

    /**
     * @param stage on a group
     * @param taken devices of each class that earlier stages have
     * @return the stage with its devices
     */
    PipelineStage MakeStage(const GroupedStage& stage, std::vector<std::size_t>& taken) const
    {
        PipelineStage made{0, stage.first, stage.last};
        std::size_t place = 0;
        for (std::size_t k = 0; k < m_classes.size(); ++k)
        {
            for (std::size_t i = 0; i < (*stage.counts)[k]; ++i)
            {
                made.group.push_back({m_classes[k][taken[k]++], stage.samples[place++]});
            }
        }
        made.device = made.group.front().device;
        if (made.group.size() == 1)
        {
            made.group.clear();
        }
        return made;
    }

    const PipelineCostModel& m_costs; //!< the cost model
    const PipelineProblem& m_problem; //!< its problem
    uint32_t m_samples;               //!< of a micro-batch that are shared; 1: none is split
    std::size_t m_mostTails;          //!< kept for each cut
    bool m_isComplete{true};          //!< whether all plans of single devices have been considered
    double m_limit{NO_LIMIT};         //!< that plans must stay below, s
    std::vector<std::vector<std::size_t>> m_classes; //!< devices by class
    Counts m_all;                                    //!< devices by class
    std::vector<double> m_work; //!< seconds of the layers before each, each on its fastest device
    /// By layer and class: speed on the layers before, relative to the fastest device, at most
    std::vector<std::vector<double>> m_speeds;
    std::vector<std::size_t> m_cuts; //!< layers before which stages may begin
    std::vector<Counts> m_groups;    //!< devices of a stage
};

} // namespace

GroupSearchResult
SearchGroups(const PipelineCostModel& costs,
             const GroupSearchLimits& limits,
             double belowSeconds,
             const std::function<void(double)>& progress)
{
    return GroupSearch(costs, limits).Search(belowSeconds, progress);
}

} // namespace ns3::edgepipe
