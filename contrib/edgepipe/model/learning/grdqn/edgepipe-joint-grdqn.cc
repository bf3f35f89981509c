/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-agent.h"

#include "ns3/edgepipe-partial-plan.h"
#include "ns3/edgepipe-plan-search.h"
#include "ns3/edgepipe-replay-buffer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Episodes between looks at the greedy plan.
constexpr uint32_t LOOK_INTERVAL = 10;
/// Episodes that a limited number of evaluations is spread over, at least.
constexpr uint64_t LEAST_EPISODES = 20;

/// Ends that are looked at for a stage.
constexpr std::size_t ENDS = 16;
/// Devices that are looked at for a stage in beam search.
constexpr std::size_t PLACES = 2;
/// Pairs of a layer and a device that searchEvaluations are for; with more pairs there are more.
constexpr double SEARCHED_PAIRS = 1000;
/// What sums of speeds may be off by.
constexpr double ROUNDING = 1 + 1e-9;

/**
 * SDQN and GRDQN trained together on the true cost: the variant "improved".
 *
 * A plan grows stage by stage: GRDQN gives the next stage a device d, SDQN its last layer. Let T
 * be the finished plan's iteration time and P(s) the promise of the plan in the making
 * (PartialPlanner). The return is -log T, and the potential that shapes it -log P: a step from s
 * to s' earns log(P(s) / P(s')), and all steps of an episode together log(P(begin) / T), since
 * P = T at the end. So the networks learn by what factor a promise is missed,
 *
 *     V(s') = max over d of Q(s', d),   Q(s, d) = max over ends of log(P(s) / P(s')) + V(s'),
 *
 * V being SDQN's one output, of the state that a cut leads to (0 for a finished plan), and Q
 * GRDQN's, whose GRU carries h from stage to stage. Targets come from the target networks, with
 * the maximising action taken by the other network (double DQN, H. van Hasselt et al., AAAI
 * 2016), and are no lower than the return that an episode observed from there: the problem is
 * deterministic, so what was reached once can be reached again.
 *
 * Every plan that an episode makes is improved by PlanSearch, and what that finds is replayed as
 * an episode of its own (expert iteration, T. Anthony et al., NeurIPS 2017): trying a plan costs
 * far less than a gradient step, and the networks learn to begin where the search would end.
 *
 * Deciding is a beam search by log P - V over a few devices and ends at every step. Where search is
 * allowed, plans in which the 1, 2, ... fastest devices share the layers by speed are looked at
 * too, and PlanSearch goes on from the fastest plan of all.
 */
class JointGrdqn : public GrdqnAgent
{
  public:
    /** @copydoc MakeJointGrdqn */
    JointGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options)
        : GrdqnAgent(costModel,
                     options,
                     MakeGrdqnShape(options, 0, PartialPlanner::FEATURES, 1),
                     MakeGrdqnShape(options,
                                    4 * options.deviceSlots,
                                    PartialPlanner::FEATURES,
                                    options.deviceSlots)),
          m_partials(costModel),
          m_deviceOf(m_partials.GetScales().GetFastestFirst()),
          m_slotOf(m_deviceOf.size()),
          m_placings(options.replayCapacity, options.priorityExponent),
          m_cuts(options.replayCapacity, options.priorityExponent)
    {
        for (std::size_t slot = 0; slot < m_deviceOf.size(); ++slot)
        {
            m_slotOf[m_deviceOf[slot]] = slot;
        }
    }

    void Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress) override
    {
        const uint32_t episodes = m_options.cutEpisodes;
        const uint64_t most = m_options.mostEvaluations;
        DrawWeights(random);
        auto best = GetWeights();
        double least = std::numeric_limits<double>::infinity();
        double share = 0;
        for (uint32_t episode = 0; episode < episodes && share < 1; ++episode)
        {
            const double epsilon = FindEpsilon(share * episodes, episodes);
            GrdqnEpisode report{"joint", episode, 0, epsilon, 0, 0};
            PlayEpisode(random, report);
            share = (episode + 1.0) / episodes;
            share = most > 0 ? std::max(share, static_cast<double>(m_evaluations) / most) : share;
            if ((episode + 1) % LOOK_INTERVAL == 0 || share >= 1)
            {
                report.iterationSeconds = Search().front().promise;
                if (report.iterationSeconds < least)
                {
                    least = report.iterationSeconds;
                    best = GetWeights();
                }
            }
            if (progress)
            {
                progress(report, std::min(1.0, share));
            }
        }
        SetWeights(best);
    }

    PipelinePlan Decide() override
    {
        Node best = Search().front();
        const PipelineProblem& problem = m_costModel.GetProblem();
        const double pairs = static_cast<double>(problem.layers.size() * problem.devices.size());
        auto evaluations = static_cast<uint64_t>(std::max(1.0, pairs / SEARCHED_PAIRS) *
                                                 m_options.searchEvaluations);
        if (m_options.mostEvaluations > 0)
        {
            evaluations = std::min<uint64_t>(evaluations, m_options.searchEvaluations);
        }
        for (std::size_t devices = 1; devices <= problem.devices.size() && evaluations > 0;
             ++devices)
        {
            PartialPlan shared = ShareBySpeed(devices);
            const double seconds = Evaluate(shared.plan);
            --evaluations;
            if (seconds < best.promise)
            {
                best.promise = seconds;
                best.partial = std::move(shared);
            }
        }
        PlanSearch search(m_costModel, evaluations);
        search.Improve(best.partial.plan, best.promise);
        m_evaluations += search.GetEvaluations();
        return best.partial.plan;
    }

  private:
    /** A plan in the making and what GRDQN sees of it. */
    struct Node
    {
        PartialPlan partial;         //!< the plan
        std::vector<float> previous; //!< h of the step before
        double promise;              //!< P, seconds
        double estimate;             //!< of -log T
    };

    /** Stages that a device may get. */
    struct Choices
    {
        std::vector<PartialPlan> partials; //!< the plans they lead to
        std::vector<double> promises;      //!< P of those, seconds
        std::vector<float> features;       //!< of those, one after the other
    };

    /** What SDQN learns from: the state that a cut has led to. */
    struct CutStep
    {
        QState state;    //!< GRDQN's input there
        double observed; //!< the return of the episode from here
    };

    /** What GRDQN learns from. */
    struct PlaceStep : CutStep
    {
        std::size_t slot;            //!< of d
        std::vector<double> rewards; //!< by end
        std::vector<bool> isLast;    //!< by end, whether the plan is finished
        std::vector<float> features; //!< by end, of s'
    };

    /** Steps drawn to learn from. */
    struct Batch
    {
        QInputs inputs;                 //!< a row for each
        std::vector<std::size_t> drawn; //!< their places in the replay buffer
        std::vector<float> weights;     //!< what their errors count
        std::vector<float> targets;     //!< of the actions taken
    };

    /**
     * @param node a plan in the making
     * @return GRDQN's input; slots are places in its figures and among its outputs
     */
    QState DescribePlacing(const Node& node) const
    {
        QState state;
        auto& figures = state.recurrent;
        const auto devices = m_partials.GetScales().DescribeDevices(node.partial.isTaken);
        const std::size_t width = devices.size() / m_deviceOf.size();
        for (std::size_t device : m_deviceOf)
        {
            const auto first = devices.begin() + static_cast<std::ptrdiff_t>(device * width);
            figures.insert(figures.end(), first, first + width);
        }
        for (std::size_t slot = m_deviceOf.size(); slot < m_options.deviceSlots; ++slot)
        {
            // A slot without a device looks like a device of nothing that is taken.
            figures.resize(figures.size() + width, 0);
            figures.back() = 1;
        }
        state.previous = node.previous;
        m_partials.Describe(node.partial, state.figures);
        for (std::size_t device : m_partials.FindDevices(node.partial))
        {
            state.allowed.push_back(m_slotOf[device]);
        }
        return state;
    }

    /**
     * @param partial a plan in the making
     * @param device for the next stage
     * @param also an end to add, as the last one; 0: none
     * @return the stages it may get; finished plans among them are counted as looked at
     */
    Choices FindChoices(const PartialPlan& partial, std::size_t device, std::size_t also)
    {
        Choices choices;
        std::vector<std::size_t> ends = m_partials.FindEnds(partial, device, ENDS);
        if (also > 0)
        {
            ends.push_back(also);
        }
        for (std::size_t end : ends)
        {
            choices.partials.push_back(m_partials.Extend(partial, device, end));
            choices.promises.push_back(m_partials.PromiseSeconds(choices.partials.back()));
            m_evaluations += m_partials.IsFinished(choices.partials.back()) ? 1 : 0;
            m_partials.Describe(choices.partials.back(), choices.features);
        }
        return choices;
    }

    /**
     * @param values some numbers, at least one
     * @return index of the largest
     */
    static std::size_t FindLargest(const std::vector<double>& values)
    {
        return std::max_element(values.begin(), values.end()) - values.begin();
    }

    /**
     * @param choices some stages
     * @return estimates of -log T, by stage
     */
    std::vector<double> EstimateChoices(const Choices& choices)
    {
        QInputs inputs;
        inputs.rows = choices.partials.size();
        inputs.states = choices.features;
        const auto values = m_cut->Evaluate(QNetwork::ONLINE, inputs).values;
        std::vector<double> estimates;
        for (std::size_t i = 0; i < choices.partials.size(); ++i)
        {
            const double missed = m_partials.IsFinished(choices.partials[i]) ? 0 : values[i];
            estimates.push_back(missed - std::log(choices.promises[i]));
        }
        return estimates;
    }

    /** @return a plan without a stage */
    Node BeginNode() const
    {
        Node node{m_partials.Begin(), std::vector<float>(m_options.recurrentUnits, 0), 0, 0};
        node.promise = m_partials.PromiseSeconds(node.partial);
        return node;
    }

    /**
     * Makes a plan and keeps what was done for learning.
     * @param epsilon share of random actions
     * @param random where they come from
     * @param given the plan to make, or null: what the networks and chance decide
     * @return the finished plan
     */
    Node Walk(double epsilon, const Ptr<UniformRandomVariable>& random, const PipelinePlan* given)
    {
        std::vector<PlaceStep> placings;
        std::vector<double> promises;
        Node node = BeginNode();
        while (!m_partials.IsFinished(node.partial))
        {
            PlaceStep step{{DescribePlacing(node), 0}, 0, {}, {}, {}};
            QInputs inputs;
            inputs.Add(step.state);
            QOutputs outputs = m_place->Evaluate(QNetwork::ONLINE, inputs);
            const PipelineStage* stage =
                given ? &given->stages[node.partial.plan.stages.size()] : nullptr;
            const auto& allowed = step.state.allowed;
            if (stage)
            {
                step.slot = m_slotOf[m_partials.FindAlike(node.partial, stage->device)];
            }
            else if (random->GetValue() < epsilon)
            {
                step.slot =
                    allowed[random->GetInteger(0, static_cast<uint32_t>(allowed.size() - 1))];
            }
            else
            {
                step.slot = FindBestAction(outputs.values.data(), allowed);
            }
            Choices choices =
                FindChoices(node.partial, m_deviceOf[step.slot], stage ? stage->lastLayer + 1 : 0);
            std::size_t chosen = choices.partials.size() - 1;
            if (!stage)
            {
                chosen = random->GetValue() < epsilon
                             ? random->GetInteger(0, static_cast<uint32_t>(chosen))
                             : FindLargest(EstimateChoices(choices));
            }
            for (std::size_t i = 0; i < choices.partials.size(); ++i)
            {
                step.rewards.push_back(std::log(node.promise / choices.promises[i]));
                step.isLast.push_back(m_partials.IsFinished(choices.partials[i]));
            }
            step.features = std::move(choices.features);
            placings.push_back(std::move(step));
            promises.push_back(node.promise);
            node = {std::move(choices.partials[chosen]),
                    std::move(outputs.hidden),
                    choices.promises[chosen],
                    0};
        }
        for (std::size_t i = 0; i < placings.size(); ++i)
        {
            placings[i].observed = std::log(promises[i] / node.promise);
            if (i > 0)
            {
                m_cuts.Add(placings[i]);
            }
            m_placings.Add(std::move(placings[i]));
        }
        return node;
    }

    /**
     * Makes a plan, improves it, and learns.
     * @param random where draws come from
     * @param report of the episode; reward and loss are set
     */
    void PlayEpisode(const Ptr<UniformRandomVariable>& random, GrdqnEpisode& report)
    {
        const Node walked = Walk(report.epsilon, random, nullptr);
        report.reward = std::log(BeginNode().promise / walked.promise);
        uint64_t imitated = m_options.imitatedEvaluations;
        if (m_options.mostEvaluations > 0)
        {
            imitated = std::min(imitated, m_options.mostEvaluations / LEAST_EPISODES);
        }
        if (imitated > 0)
        {
            PipelinePlan better = walked.partial.plan;
            double seconds = walked.promise;
            PlanSearch search(m_costModel, imitated);
            search.Improve(better, seconds);
            m_evaluations += search.GetEvaluations();
            if (seconds < walked.promise && m_partials.CanGrow(better))
            {
                Walk(0, random, &better);
            }
        }
        const std::size_t fits = walked.partial.plan.stages.size();
        for (std::size_t i = 0; i < fits; ++i)
        {
            report.loss += Fit(random) / static_cast<double>(fits);
        }
    }

    /**
     * One gradient step of each network.
     * @param random where draws come from
     * @return the mean squared error of both
     */
    double Fit(const Ptr<UniformRandomVariable>& random)
    {
        const double loss = FitPlace(random) + (m_cuts.GetSize() > 0 ? FitCut(random) : 0);
        if (++m_fits % m_options.targetInterval == 0)
        {
            m_cut->CopyToTarget();
            m_place->CopyToTarget();
        }
        return loss;
    }

    /**
     * @param replay what to draw from
     * @param random where draws come from
     * @return steps to learn from
     */
    template <typename Step>
    Batch Draw(const ReplayBuffer<Step>& replay, const Ptr<UniformRandomVariable>& random) const
    {
        Batch batch;
        for (std::size_t i = 0; i < m_options.batchSize; ++i)
        {
            const std::size_t index = replay.Draw(random);
            batch.drawn.push_back(index);
            batch.inputs.Add(replay[index].state);
            batch.weights.push_back(static_cast<float>(replay.GetWeight(index)));
        }
        return batch;
    }

    /**
     * @param network whose values are targets
     * @param inputs the rows
     * @return its values, and those by which actions are chosen
     */
    std::pair<std::vector<float>, std::vector<float>> EvaluateNext(QNetwork& network,
                                                                   const QInputs& inputs) const
    {
        const auto values = network.Evaluate(QNetwork::TARGET, inputs).values;
        return {values,
                m_options.doubleDqn ? network.Evaluate(QNetwork::ONLINE, inputs).values : values};
    }

    /**
     * @param batch what a target is added to
     * @param target by the target networks
     * @param step that it is of
     */
    void AddTarget(Batch& batch, double target, const CutStep& step) const
    {
        target = m_options.returnBound ? std::max(target, step.observed) : target;
        batch.targets.push_back(static_cast<float>(target));
    }

    /**
     * @param network what takes a gradient step
     * @param actions that were taken
     * @param batch what to learn
     * @param replay where it was drawn from; what is drawn from now on depends on the errors
     * @return mean squared error
     */
    template <typename Step>
    static double Learn(QNetwork& network,
                        const std::vector<std::size_t>& actions,
                        const Batch& batch,
                        ReplayBuffer<Step>& replay)
    {
        double loss = 0;
        const auto errors = network.Fit(batch.inputs, actions, batch.targets, batch.weights);
        for (std::size_t i = 0; i < errors.size(); ++i)
        {
            replay.SetPriority(batch.drawn[i], errors[i]);
            loss += errors[i] * errors[i] / static_cast<double>(errors.size());
        }
        return loss;
    }

    /** @copydoc Fit */
    double FitPlace(const Ptr<UniformRandomVariable>& random)
    {
        Batch batch = Draw(m_placings, random);
        QInputs ends;
        std::vector<std::size_t> slots;
        for (std::size_t index : batch.drawn)
        {
            const PlaceStep& step = m_placings[index];
            slots.push_back(step.slot);
            ends.rows += step.rewards.size();
            ends.states.insert(ends.states.end(), step.features.begin(), step.features.end());
        }
        const auto [values, choosing] = EvaluateNext(*m_cut, ends);
        std::size_t row = 0;
        for (std::size_t index : batch.drawn)
        {
            const PlaceStep& step = m_placings[index];
            std::vector<double> returns;
            std::vector<double> chosenBy;
            for (std::size_t i = 0; i < step.rewards.size(); ++i, ++row)
            {
                returns.push_back(step.rewards[i] + (step.isLast[i] ? 0 : values[row]));
                chosenBy.push_back(step.rewards[i] + (step.isLast[i] ? 0 : choosing[row]));
            }
            AddTarget(batch, returns[FindLargest(chosenBy)], step);
        }
        return Learn(*m_place, slots, batch, m_placings);
    }

    /** @copydoc Fit */
    double FitCut(const Ptr<UniformRandomVariable>& random)
    {
        Batch batch = Draw(m_cuts, random);
        const auto [values, choosing] = EvaluateNext(*m_place, batch.inputs);
        std::size_t row = 0;
        for (std::size_t index : batch.drawn)
        {
            const CutStep& step = m_cuts[index];
            const std::size_t slot = FindBestAction(choosing.data() + row, step.state.allowed);
            AddTarget(batch, values[row + slot], step);
            row += m_options.deviceSlots;
        }
        return Learn(*m_cut, std::vector<std::size_t>(batch.drawn.size(), 0), batch, m_cuts);
    }

    /**
     * @param devices how many of the fastest ones are to share the layers
     * @return a plan in which they do, in proportion to their speed as far as memory allows
     */
    PartialPlan ShareBySpeed(std::size_t devices) const
    {
        const PipelineScales& scales = m_partials.GetScales();
        double speed = 0;
        for (std::size_t slot = 0; slot < devices; ++slot)
        {
            speed += scales.GetSpeed(m_deviceOf[slot]);
        }
        const std::size_t layers = m_costModel.GetProblem().layers.size();
        PartialPlan partial = m_partials.Begin();
        std::size_t slot = 0;
        while (!m_partials.IsFinished(partial))
        {
            const auto allowed = m_partials.FindDevices(partial);
            std::size_t device = allowed.front();
            // Devices beyond those that are to share are taken only where memory makes them.
            for (bool isFound = false; slot < m_deviceOf.size() && !isFound; ++slot)
            {
                const std::size_t alike = partial.isTaken[m_deviceOf[slot]]
                                              ? m_deviceOf.size()
                                              : m_partials.FindAlike(partial, m_deviceOf[slot]);
                isFound = std::count(allowed.begin(), allowed.end(), alike) > 0;
                device = isFound ? alike : device;
            }
            const double left = scales.GetWork(partial.next, layers - 1);
            const double share = speed > 0 ? left * scales.GetSpeed(device) / speed : left;
            const auto ends = m_partials.FindEnds(partial, device, layers);
            std::size_t end = ends.front();
            for (std::size_t each : ends)
            {
                end = scales.GetWork(partial.next, each - 1) <= share * ROUNDING ? each : end;
            }
            speed = std::max(0.0, speed - scales.GetSpeed(device));
            partial = m_partials.Extend(partial, device, end);
        }
        return partial;
    }

    /** @return finished plans of a beam search, the fastest first */
    std::vector<Node> Search()
    {
        std::vector<Node> beam{BeginNode()};
        std::vector<Node> finished;
        auto isBetter = [](const Node& a, const Node& b) { return a.estimate > b.estimate; };
        while (!beam.empty())
        {
            QInputs inputs;
            std::vector<std::vector<std::size_t>> allowed;
            for (const Node& node : beam)
            {
                QState state = DescribePlacing(node);
                inputs.Add(state);
                allowed.push_back(std::move(state.allowed));
            }
            const QOutputs outputs = m_place->Evaluate(QNetwork::ONLINE, inputs);
            Choices choices;
            std::vector<std::size_t> parents;
            for (std::size_t n = 0; n < beam.size(); ++n)
            {
                const float* values = outputs.values.data() + n * m_options.deviceSlots;
                std::stable_sort(
                    allowed[n].begin(),
                    allowed[n].end(),
                    [values](std::size_t a, std::size_t b) { return values[a] > values[b]; });
                allowed[n].resize(std::min(PLACES, allowed[n].size()));
                for (std::size_t slot : allowed[n])
                {
                    Choices more = FindChoices(beam[n].partial, m_deviceOf[slot], 0);
                    parents.resize(parents.size() + more.partials.size(), n);
                    auto add = [](auto& all, const auto& part) {
                        all.insert(all.end(), part.begin(), part.end());
                    };
                    add(choices.partials, more.partials);
                    add(choices.promises, more.promises);
                    add(choices.features, more.features);
                }
            }
            const auto estimates = EstimateChoices(choices);
            std::vector<Node> next;
            for (std::size_t i = 0; i < parents.size(); ++i)
            {
                const auto hidden = outputs.hidden.begin() + parents[i] * m_options.recurrentUnits;
                Node node{std::move(choices.partials[i]),
                          {hidden, hidden + m_options.recurrentUnits},
                          choices.promises[i],
                          estimates[i]};
                (m_partials.IsFinished(node.partial) ? finished : next).push_back(std::move(node));
            }
            std::stable_sort(next.begin(), next.end(), isBetter);
            next.resize(std::min<std::size_t>(m_options.beamWidth, next.size()));
            beam = std::move(next);
        }
        std::stable_sort(finished.begin(), finished.end(), isBetter);
        return finished;
    }

    PartialPlanner m_partials;           //!< grows plans
    std::vector<std::size_t> m_deviceOf; //!< by slot, the fastest device first
    std::vector<std::size_t> m_slotOf;   //!< by device
    ReplayBuffer<PlaceStep> m_placings;  //!< what GRDQN learns from
    ReplayBuffer<CutStep> m_cuts;        //!< what SDQN learns from
    uint64_t m_fits{0};                  //!< gradient steps
};

} // namespace

std::unique_ptr<GrdqnAgent>
MakeJointGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options)
{
    return std::make_unique<JointGrdqn>(costModel, options);
}

} // namespace edgepipe
} // namespace ns3
