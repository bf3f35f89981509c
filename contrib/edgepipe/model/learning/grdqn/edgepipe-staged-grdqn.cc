/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-grdqn-agent.h"
#include "edgepipe-staged-rewards.h"

#include "ns3/edgepipe-replay-buffer.h"

#include <algorithm>
#include <limits>

namespace ns3::edgepipe
{

namespace
{

/// Cap of the stage length in SDQN's state, in the unit of eq. 2's kappa.
constexpr double MOST_LENGTH = 4;
/// Kappa and varsigma of the authors' scripts (github.com/Lilili214/DGPAS), for as-printed.
constexpr double AUTHORS_THRESHOLD = 0.5;

/**
 * SDQN, then GRDQN, trained as in the DGPAS paper (algorithms 1 and 2).
 *
 * SDQN walks over the layers and decides after each but the last whether a stage ends there. Its
 * state is the layer's work, parameters, memory and the bytes that a split after it sends, and the
 * model's totals; with seesStage, which is not in the paper, also the stage's length so far. GRDQN
 * then walks over the stages and gives each a device. A greedy walk takes the action with the
 * largest Q value among those that keep the plan within memory and one stage per device.
 *
 * There are two discounts: GRDQN's rewards are spread over the stages of a Markov decision process,
 * so its gamma is near 1 to weigh all of them; SDQN's next state does not depend on its action, so
 * its gamma hardly matters.
 *
 * Deviations from the paper: W and C differ (StagedRewards); a replayed step uses the h stored with
 * it, where eq. 1 computes it; and, with isJudged, the cost model makes two choices. Kappa and
 * varsigma, inputs of algorithm 1, are chosen for the problem where they are 0 (ChooseThresholds),
 * and the best weights are those whose greedy walk, evaluated after every episode, gave the plan
 * with the least predicted iteration time. Those greedy walks are replayed too: with epsilon at
 * 0.1, one layer in 20 is split by chance, and in networks of hundreds of layers no stage would
 * ever grow as large as it should. Until GRDQN is trained, SDQN's stages are placed for this
 * evaluation by a rule, the heaviest on the fastest device.
 *
 * Where the paper is silent: "device p" of eq. 2 and 4 is the r-th fastest for stage r, since no
 * stage has a device yet, but never slower than the mean of F weighted by F, so that splits into
 * stages for the slowest devices are not rewarded.
 */
class StagedGrdqn : public GrdqnAgent
{
  public:
    /** @copydoc MakeStagedGrdqn */
    StagedGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options)
        : GrdqnAgent(costModel,
                     options,
                     MakeGrdqnShape(options,
                                    0,
                                    PipelineScales::LAYER_FIGURES + (options.seesStage ? 1 : 0),
                                    2),
                     MakeGrdqnShape(options, 4 * options.deviceSlots, 2, options.deviceSlots)),
          m_walk(costModel),
          m_rewards(costModel, options)
    {
    }

    PipelinePlan Decide() override
    {
        StagedPlan state = m_walk.Begin();
        Walk(state, 0);
        Walk(state, 0);
        return state.plan;
    }

  private:
    /** A transition of SDQN or GRDQN. */
    struct Step
    {
        QState state;       //!< s
        std::size_t action; //!< a
        double reward;      //!< of eq. 2, 3 and 5, or of eq. 8
        QState next;        //!< s'; no action is allowed if the episode ended
    };

    void DoTrain() override
    {
        const auto judge = [this](const PipelineDivision& division) {
            return Evaluate(m_walk.PlaceByRule(division));
        };
        const auto given = [this](double threshold) {
            return threshold > 0 || m_options.isJudged ? threshold : AUTHORS_THRESHOLD;
        };
        ChooseThresholds(m_walk,
                         m_rewards,
                         m_options.seesStage,
                         {given(m_options.kappa), given(m_options.varsigma)},
                         judge,
                         m_random);
        DrawWeights();
        StagedPlan state = m_walk.Begin();
        if (m_walk.IsCutting(state))
        {
            TrainNetwork("sdqn", state, *m_cut, m_options.cutDiscount, 0, m_options.cutEpisodes);
            Walk(state, 0);
        }
        TrainNetwork("grdqn",
                     state,
                     *m_place,
                     m_options.placeDiscount,
                     m_options.cutEpisodes,
                     m_options.placeEpisodes);
    }

    /**
     * @param state of a walk over the layers
     * @param figures extended by SDQN's input
     */
    void DescribeCut(const CutState& state, std::vector<float>& figures) const
    {
        m_walk.DescribeLayer(state.layer, figures);
        if (m_options.seesStage)
        {
            const double length = m_rewards.GetStageLength(state);
            figures.push_back(static_cast<float>(std::min(MOST_LENGTH, length)));
        }
    }

    /**
     * @param state a partial plan
     * @param hidden h of the previous step; empty while cutting
     * @return the input of SDQN or GRDQN
     */
    QState Describe(const StagedPlan& state, const std::vector<float>& hidden) const
    {
        QState described;
        described.allowed = m_walk.FindAllowed(state);
        if (m_walk.IsCutting(state))
        {
            DescribeCut(state, described.figures);
            return described;
        }
        auto& devices = described.recurrent;
        m_walk.Describe(state, devices);
        described.figures.assign(devices.end() - 2, devices.end());
        devices.resize(devices.size() - 2);
        described.previous = hidden;
        return described;
    }

    /**
     * Takes the decisions of one network: SDQN's up to the model's end, or all of GRDQN's.
     *
     * @param state the plan; advanced
     * @param epsilon share of random actions
     * @return its steps, with rewards
     */
    std::vector<Step> Walk(StagedPlan& state, double epsilon)
    {
        const bool isCutting = m_walk.IsCutting(state);
        std::vector<float> hidden(isCutting ? 0 : m_options.recurrentUnits, 0);
        std::vector<float> values;
        std::size_t from = 0; // first layer of SDQN's values
        std::vector<Step> steps;
        while (m_walk.IsCutting(state) == isCutting && !m_walk.IsFinished(state))
        {
            Step step{Describe(state, hidden), 0, 0, {}};
            const auto& allowed = step.state.allowed;
            if (!isCutting)
            {
                QInputs inputs;
                inputs.Add(step.state);
                QOutputs outputs = m_place->Evaluate(QNetwork::ONLINE, inputs);
                values = std::move(outputs.values);
                hidden = std::move(outputs.hidden);
            }
            step.action = allowed.front();
            if (isCutting && allowed.size() == 1)
            {
                // Nothing to decide, and nothing is drawn.
            }
            else if (epsilon > 0 && m_random->GetValue() < epsilon)
            {
                step.action = DrawAnyAction(allowed, m_random);
            }
            else if (isCutting)
            {
                // Values change only at a split, and only if the state has the stage's length.
                if (values.empty() || (m_options.seesStage && from != state.first))
                {
                    from = m_options.seesStage ? state.first : 0;
                    values = EvaluateCuts(state, from);
                }
                const float* ofLayer = values.data() + 2 * (state.layer - from);
                step.action = ofLayer[StagedWalk::SPLIT] > ofLayer[StagedWalk::CONTINUE]
                                  ? StagedWalk::SPLIT
                                  : StagedWalk::CONTINUE;
            }
            else
            {
                step.action = FindBestAction(values.data(), allowed);
            }
            const CutState before = state;
            m_walk.TakeAction(state, step.action);
            step.reward = isCutting ? m_rewards.RewardCut(before, step.action == StagedWalk::SPLIT)
                                    : m_rewards.RewardPlacing(state.plan);
            if (!steps.empty())
            {
                steps.back().next = step.state;
            }
            steps.push_back(std::move(step));
        }
        if (isCutting)
        {
            steps.back().reward += m_rewards.RewardDivision(state.division);
        }
        return steps;
    }

    /**
     * @param state of a walk over the layers
     * @param from a layer
     * @return SDQN's values from there on, as if the stage did not end
     */
    std::vector<float> EvaluateCuts(const CutState& state, std::size_t from)
    {
        QInputs inputs;
        for (std::size_t layer = from; layer + 1 < m_costModel.GetProblem().layers.size(); ++layer)
        {
            DescribeCut({state.stage, state.first, layer}, inputs.states);
            ++inputs.rows;
        }
        return m_cut->Evaluate(QNetwork::ONLINE, inputs).values;
    }

    /**
     * Takes a gradient step, by eq. 6 or 9.
     *
     * @param network network to train
     * @param discount gamma
     * @param replay its transitions
     * @return mean squared error before it
     */
    double Fit(QNetwork& network, double discount, ReplayBuffer<Step>& replay) const
    {
        QBatch batch = replay.DrawBatch(m_options.batchSize, m_random);
        QInputs next;
        for (std::size_t index : batch.drawn)
        {
            const Step& step = replay[index];
            next.Add(step.next.allowed.empty() ? step.state : step.next);
        }
        const auto outputs = network.Evaluate(QNetwork::TARGET, next).values;
        const float* values = outputs.data();
        for (std::size_t index : batch.drawn)
        {
            const Step& step = replay[index];
            double target = step.reward;
            if (!step.next.allowed.empty())
            {
                target += discount * values[FindBestAction(values, step.next.allowed)];
            }
            batch.actions.push_back(step.action);
            batch.targets.push_back(static_cast<float>(target));
            values += network.GetShape().outputs;
        }
        return replay.Fit(network, batch);
    }

    /**
     * Trains a network and leaves it with the weights of the best plan, or without isJudged the
     * last ones.
     *
     * @param name of the network
     * @param begun a plan at the network's first decision
     * @param network network to train
     * @param discount gamma
     * @param before earlier episodes, of other networks
     * @param episodes number of episodes
     */
    void TrainNetwork(const std::string& name,
                      const StagedPlan& begun,
                      QNetwork& network,
                      double discount,
                      uint32_t before,
                      uint32_t episodes)
    {
        ReplayBuffer<Step> replay(m_options.replayCapacity, 0);
        std::vector<float> best = network.GetWeights();
        double least = std::numeric_limits<double>::infinity();
        uint64_t fits = 0;
        for (uint32_t episode = 0; episode < episodes; ++episode)
        {
            GrdqnEpisode report{name, episode, 0, FindEpsilon(episode, episodes), 0, 0};
            StagedPlan drawn = begun;
            for (Step& step : Walk(drawn, report.epsilon))
            {
                report.reward += step.reward;
                replay.Add(std::move(step));
            }
            for (uint32_t i = 0; i < m_options.fitsPerEpisode; ++i)
            {
                report.loss += Fit(network, discount, replay) / m_options.fitsPerEpisode;
                if (++fits % m_options.targetInterval == 0)
                {
                    network.CopyToTarget();
                }
            }
            if (m_options.isJudged)
            {
                StagedPlan greedy = begun;
                for (Step& step : Walk(greedy, 0))
                {
                    replay.Add(std::move(step));
                }
                report.iterationSeconds = Evaluate(
                    m_walk.IsFinished(greedy) ? greedy.plan : m_walk.PlaceByRule(greedy.division));
                if (report.iterationSeconds < least)
                {
                    least = report.iterationSeconds;
                    best = network.GetWeights();
                }
            }
            m_progress(report,
                       (before + episode + 1.0) /
                           (m_options.cutEpisodes + m_options.placeEpisodes));
        }
        if (m_options.isJudged)
        {
            network.SetWeights(best);
        }
    }

    StagedWalk m_walk;       //!< the decisions
    StagedRewards m_rewards; //!< rewards of both networks
};

} // namespace

std::unique_ptr<GrdqnAgent>
MakeStagedGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options)
{
    return std::make_unique<StagedGrdqn>(costModel, options);
}

} // namespace ns3::edgepipe
