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
#include <optional>

namespace ns3::edgepipe
{

namespace
{

/// Episodes between evaluations of the greedy plan.
constexpr uint32_t LOOK_INTERVAL = 10;
/// Least number of episodes over which limited evaluations are spread.
constexpr uint64_t LEAST_EPISODES = 20;

/// Ends considered for a stage on a device, and on each of its groups.
constexpr std::size_t ENDS = 16;
/// Devices considered for a stage in beam search.
constexpr std::size_t PLACES = 2;
/// Layer-device pairs that searchEvaluations are for; more pairs get proportionally more.
constexpr double SEARCHED_PAIRS = 1000;
/// Tolerance for rounding in sums of speeds.
constexpr double ROUNDING = 1 + 1e-9;

/**
 * SDQN and GRDQN trained together on the true cost: the variant "improved".
 *
 * A plan grows stage by stage: GRDQN gives the next stage a device d, SDQN its last layer and, with
 * groups, the further devices that share it (PartialPlanner::FindStages). Let T be
 * the finished plan's iteration time and P(s) the promise of the partial plan (PartialPlanner). The
 * return is -log T, shaped by the potential -log P: a step from s to s' earns log(P(s) / P(s')),
 * and the steps of an episode sum to log(P(begin) / T), since P = T at the end. So the networks
 * learn by what factor a promise is missed,
 *
 *     V(s') = max over d of Q(s', d),   Q(s, d) = max over ends of log(P(s) / P(s')) + V(s'),
 *
 * where V is SDQN's one output, for the state that a cut leads to (0 for a finished plan), and Q is
 * GRDQN's, whose GRU carries h from stage to stage. Targets come from the target networks, with the
 * maximising action chosen by the online network (double DQN, H. van Hasselt et al., AAAI 2016).
 * They are no lower than the return that an episode observed from there: the problem is
 * deterministic, so a return reached once can be reached again.
 *
 * ImprovePlan improves the plan of every episode, and a faster one is replayed as an episode of its
 * own (expert iteration, T. Anthony et al., NeurIPS 2017): trying a plan costs far less than a
 * gradient step, and the networks learn to begin where the search would end.
 *
 * Deciding is a beam search by log P - V over a few devices and ends at every step. If
 * searchEvaluations allows, plans in which the 1, 2, ... fastest devices share the layers by speed
 * are evaluated too, and ImprovePlan continues from the fastest plan of all.
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
          m_partials(costModel, options.usesGroups),
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

    PipelinePlan Decide() override
    {
        PartialPlan best = Search().front().partial;
        const PipelineProblem& problem = m_costModel.GetProblem();
        const double pairs = static_cast<double>(problem.layers.size() * problem.devices.size());
        auto evaluations = static_cast<uint64_t>(std::max(1.0, pairs / SEARCHED_PAIRS) *
                                                 m_options.searchEvaluations);
        if (m_options.mostEvaluations > 0)
        {
            evaluations = std::min<uint64_t>(evaluations, m_options.searchEvaluations);
        }
        const PartialPlanner singles(m_costModel);
        const std::size_t most = singles.CanGrowPlans() ? problem.devices.size() : 0;
        for (std::size_t devices = 1; devices <= most && evaluations > 0; ++devices)
        {
            PartialPlan shared = ShareBySpeed(singles, devices);
            shared.promise = Evaluate(shared.plan);
            --evaluations;
            if (shared.promise < best.promise)
            {
                best = std::move(shared);
            }
        }
        m_evaluations +=
            ImprovePlan(m_costModel, evaluations, best.plan, best.promise, m_options.usesGroups);
        return best.plan;
    }

  private:
    /** A partial plan and its network inputs. */
    struct Node
    {
        PartialPlan partial;         //!< the plan
        std::vector<float> previous; //!< h of the previous step
        std::vector<float> features; //!< SDQN's input
        double estimate;             //!< of -log T
    };

    /** A training sample of SDQN: the state that a cut led to. */
    struct CutStep
    {
        QState state;    //!< GRDQN's input there
        double observed; //!< return of the episode from here
    };

    /** A training sample of GRDQN. */
    struct PlaceStep : CutStep
    {
        std::size_t slot;            //!< of d
        std::vector<double> rewards; //!< by end
        std::vector<bool> isLast;    //!< by end, whether the plan is finished
        std::vector<float> features; //!< by end, of s'
    };

    void DoTrain() override
    {
        const uint32_t episodes = m_options.cutEpisodes;
        const uint64_t most = m_options.mostEvaluations;
        DrawWeights();
        auto best = GetWeights();
        double least = std::numeric_limits<double>::infinity();
        double share = 0;
        for (uint32_t episode = 0; episode < episodes && share < 1; ++episode)
        {
            const double epsilon = FindEpsilon(share * episodes, episodes);
            GrdqnEpisode report{"joint", episode, 0, epsilon, 0, 0};
            PlayEpisode(report);
            share = (episode + 1.0) / episodes;
            share = most > 0 ? std::max(share, static_cast<double>(m_evaluations) / most) : share;
            if ((episode + 1) % LOOK_INTERVAL == 0 || share >= 1)
            {
                report.iterationSeconds = Search().front().partial.promise;
                if (report.iterationSeconds < least)
                {
                    least = report.iterationSeconds;
                    best = GetWeights();
                }
            }
            m_progress(report, std::min(1.0, share));
        }
        SetWeights(best);
    }

    /**
     * @param node a partial plan
     * @return GRDQN's input; devices are ordered by slot, like the outputs
     */
    QState DescribePlacing(const Node& node) const
    {
        QState state;
        const auto& isTaken = node.partial.isTaken;
        for (std::size_t device : m_deviceOf)
        {
            m_partials.GetScales().DescribeDevice(device, isTaken[device], state.recurrent);
        }
        for (std::size_t slot = m_deviceOf.size(); slot < m_options.deviceSlots; ++slot)
        {
            // An unused slot looks like a taken device without any resources.
            state.recurrent.insert(state.recurrent.end(), {0, 0, 0, 1});
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
     * @param partial a partial plan
     * @param device for the next stage
     * @param also a further stage, added last
     * @param choices extended by the plans with that stage; finished ones count as evaluated
     */
    void FindChoices(const PartialPlan& partial,
                     std::size_t device,
                     const std::optional<PipelineStage>& also,
                     std::vector<Node>& choices)
    {
        auto stages = m_partials.FindStages(partial, device, ENDS);
        if (also)
        {
            stages.push_back(*also);
        }
        for (const PipelineStage& stage : stages)
        {
            choices.push_back({m_partials.Extend(partial, stage), {}, {}, 0});
            m_evaluations += m_partials.IsFinished(choices.back().partial) ? 1 : 0;
            m_partials.Describe(choices.back().partial, choices.back().features);
        }
    }

    /** @param choices plans whose estimates are set */
    void Estimate(std::vector<Node>& choices)
    {
        QInputs inputs;
        inputs.rows = choices.size();
        for (const Node& node : choices)
        {
            inputs.states.insert(inputs.states.end(), node.features.begin(), node.features.end());
        }
        const auto values = m_cut->Evaluate(QNetwork::ONLINE, inputs).values;
        for (std::size_t i = 0; i < choices.size(); ++i)
        {
            const double missed = m_partials.IsFinished(choices[i].partial) ? 0 : values[i];
            choices[i].estimate = missed - std::log(choices[i].partial.promise);
        }
    }

    /**
     * @param a a partial plan
     * @param b another
     * @return whether the second is estimated to be faster
     */
    static bool IsSlower(const Node& a, const Node& b)
    {
        return a.estimate < b.estimate;
    }

    /** @return a plan without stages */
    Node BeginNode() const
    {
        return {m_partials.Begin(), std::vector<float>(m_options.recurrentUnits, 0), {}, 0};
    }

    /**
     * Makes a plan and stores its steps for replay.
     * @param epsilon share of random actions
     * @param given the plan to follow; null: epsilon-greedy decisions of the networks
     * @return the finished plan
     */
    PartialPlan Walk(double epsilon, const PipelinePlan* given)
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
            std::optional<PipelineStage> stage;
            if (given)
            {
                stage = m_partials.FindAlike(node.partial,
                                             given->stages[node.partial.plan.stages.size()]);
            }
            const auto& allowed = step.state.allowed;
            if (stage)
            {
                step.slot = m_slotOf[stage->device];
            }
            else if (m_random->GetValue() < epsilon)
            {
                step.slot = DrawAnyAction(allowed, m_random);
            }
            else
            {
                step.slot = FindBestAction(outputs.values.data(), allowed);
            }
            std::vector<Node> choices;
            FindChoices(node.partial, m_deviceOf[step.slot], stage, choices);
            auto chosen = choices.end() - 1;
            if (!stage && m_random->GetValue() < epsilon)
            {
                const auto last = static_cast<uint32_t>(choices.size() - 1);
                chosen = choices.begin() + m_random->GetInteger(0, last);
            }
            else if (!stage)
            {
                Estimate(choices);
                chosen = std::max_element(choices.begin(), choices.end(), IsSlower);
            }
            for (const Node& choice : choices)
            {
                step.rewards.push_back(std::log(node.partial.promise / choice.partial.promise));
                step.isLast.push_back(m_partials.IsFinished(choice.partial));
                step.features.insert(step.features.end(),
                                     choice.features.begin(),
                                     choice.features.end());
            }
            placings.push_back(std::move(step));
            promises.push_back(node.partial.promise);
            node = std::move(*chosen);
            node.previous = std::move(outputs.hidden);
        }
        for (std::size_t i = 0; i < placings.size(); ++i)
        {
            placings[i].observed = std::log(promises[i] / node.partial.promise);
            if (i > 0)
            {
                m_cuts.Add(placings[i]);
            }
            m_placings.Add(std::move(placings[i]));
        }
        return node.partial;
    }

    /**
     * Makes a plan, improves it, and learns.
     * @param report of the episode; reward and loss are set
     */
    void PlayEpisode(GrdqnEpisode& report)
    {
        const PartialPlan walked = Walk(report.epsilon, nullptr);
        report.reward = std::log(m_partials.Begin().promise / walked.promise);
        uint64_t imitated = m_options.imitatedEvaluations;
        if (m_options.mostEvaluations > 0)
        {
            imitated = std::min(imitated, m_options.mostEvaluations / LEAST_EPISODES);
        }
        PipelinePlan better = walked.plan;
        double seconds = walked.promise;
        m_evaluations += ImprovePlan(m_costModel, imitated, better, seconds, m_options.usesGroups);
        if (seconds < walked.promise && m_partials.CanGrow(better))
        {
            Walk(0, &better);
        }
        const std::size_t fits = walked.plan.stages.size();
        for (std::size_t i = 0; i < fits; ++i)
        {
            report.loss += Fit() / static_cast<double>(fits);
        }
    }

    /**
     * One gradient step of each network.
     * @return the sum of their mean squared errors
     */
    double Fit()
    {
        const double loss = FitPlace() + (m_cuts.GetSize() > 0 ? FitCut() : 0);
        if (++m_fits % m_options.targetInterval == 0)
        {
            m_cut->CopyToTarget();
            m_place->CopyToTarget();
        }
        return loss;
    }

    /**
     * @param network a network
     * @param inputs the rows
     * @return its target network's values, and the values by which actions are chosen
     */
    std::pair<std::vector<float>, std::vector<float>> EvaluateNext(QNetwork& network,
                                                                   const QInputs& inputs) const
    {
        const auto values = network.Evaluate(QNetwork::TARGET, inputs).values;
        return {values,
                m_options.doubleDqn ? network.Evaluate(QNetwork::ONLINE, inputs).values : values};
    }

    /**
     * @param batch extended by the target
     * @param target from the target networks
     * @param step the step it belongs to
     */
    void AddTarget(QBatch& batch, double target, const CutStep& step) const
    {
        target = m_options.returnBound ? std::max(target, step.observed) : target;
        batch.targets.push_back(static_cast<float>(target));
    }

    /** @copydoc Fit */
    double FitPlace()
    {
        QBatch batch = m_placings.DrawBatch(m_options.batchSize, m_random);
        QInputs ends;
        for (std::size_t index : batch.drawn)
        {
            const PlaceStep& step = m_placings[index];
            batch.actions.push_back(step.slot);
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
            const auto best = std::max_element(chosenBy.begin(), chosenBy.end());
            AddTarget(batch, returns[best - chosenBy.begin()], step);
        }
        return m_placings.Fit(*m_place, batch);
    }

    /** @copydoc Fit */
    double FitCut()
    {
        QBatch batch = m_cuts.DrawBatch(m_options.batchSize, m_random);
        const auto [values, choosing] = EvaluateNext(*m_place, batch.inputs);
        std::size_t row = 0;
        for (std::size_t index : batch.drawn)
        {
            const CutStep& step = m_cuts[index];
            const std::size_t slot = FindBestAction(choosing.data() + row, step.state.allowed);
            AddTarget(batch, values[row + slot], step);
            row += m_options.deviceSlots;
        }
        batch.actions.assign(batch.drawn.size(), 0);
        return m_cuts.Fit(*m_cut, batch);
    }

    /**
     * @param partials grows plans of stages on one device
     * @param devices number of fastest devices that share the layers
     * @return the plan, with layers in proportion to speed as far as memory allows
     */
    PartialPlan ShareBySpeed(const PartialPlanner& partials, std::size_t devices) const
    {
        const PipelineScales& scales = partials.GetScales();
        double speed = 0;
        for (std::size_t slot = 0; slot < devices; ++slot)
        {
            speed += scales.GetSpeed(m_deviceOf[slot]);
        }
        const std::size_t layers = m_costModel.GetProblem().layers.size();
        PartialPlan partial = partials.Begin();
        std::size_t slot = 0;
        while (!partials.IsFinished(partial))
        {
            const auto allowed = partials.FindDevices(partial);
            std::size_t device = allowed.front();
            // Further devices are taken only if memory requires it.
            for (bool isFound = false; slot < m_deviceOf.size() && !isFound; ++slot)
            {
                const std::size_t alike =
                    partial.isTaken[m_deviceOf[slot]]
                        ? m_deviceOf.size()
                        : partials.FindAlike(partial.isTaken, m_deviceOf[slot]);
                isFound = std::count(allowed.begin(), allowed.end(), alike) > 0;
                device = isFound ? alike : device;
            }
            const double left = scales.GetWork(partial.next, layers - 1);
            const double share = speed > 0 ? left * scales.GetSpeed(device) / speed : left;
            const auto ends = partials.FindEnds(partial, device, layers);
            std::size_t end = ends.front();
            for (std::size_t each : ends)
            {
                end = scales.GetWork(partial.next, each - 1) <= share * ROUNDING ? each : end;
            }
            speed = std::max(0.0, speed - scales.GetSpeed(device));
            partial = partials.Extend(partial, device, end);
        }
        return partial;
    }

    /** @return finished plans of a beam search, the fastest first */
    std::vector<Node> Search()
    {
        std::vector<Node> beam{BeginNode()};
        std::vector<Node> finished;
        const auto isBetter = [](const Node& a, const Node& b) { return IsSlower(b, a); };
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
            std::vector<Node> choices;
            for (std::size_t n = 0; n < beam.size(); ++n)
            {
                const float* values = outputs.values.data() + n * m_options.deviceSlots;
                std::stable_sort(
                    allowed[n].begin(),
                    allowed[n].end(),
                    [values](std::size_t a, std::size_t b) { return values[a] > values[b]; });
                allowed[n].resize(std::min(PLACES, allowed[n].size()));
                std::size_t next = choices.size();
                for (std::size_t slot : allowed[n])
                {
                    FindChoices(beam[n].partial, m_deviceOf[slot], {}, choices);
                }
                const float* hidden = outputs.hidden.data() + n * m_options.recurrentUnits;
                for (; next < choices.size(); ++next)
                {
                    choices[next].previous.assign(hidden, hidden + m_options.recurrentUnits);
                }
            }
            Estimate(choices);
            beam.clear();
            for (Node& node : choices)
            {
                (m_partials.IsFinished(node.partial) ? finished : beam).push_back(std::move(node));
            }
            std::stable_sort(beam.begin(), beam.end(), isBetter);
            beam.resize(std::min<std::size_t>(m_options.beamWidth, beam.size()));
        }
        std::stable_sort(finished.begin(), finished.end(), isBetter);
        return finished;
    }

    PartialPlanner m_partials;           //!< grows plans
    std::vector<std::size_t> m_deviceOf; //!< by slot, the fastest device first
    std::vector<std::size_t> m_slotOf;   //!< by device
    ReplayBuffer<PlaceStep> m_placings;  //!< training samples of GRDQN
    ReplayBuffer<CutStep> m_cuts;        //!< training samples of SDQN
    uint64_t m_fits{0};                  //!< gradient steps
};

} // namespace

std::unique_ptr<GrdqnAgent>
MakeJointGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options)
{
    return std::make_unique<JointGrdqn>(costModel, options);
}

} // namespace ns3::edgepipe
