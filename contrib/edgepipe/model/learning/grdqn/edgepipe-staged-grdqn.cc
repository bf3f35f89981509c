/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-staged-grdqn.h"

#include "edgepipe-cut-rehearsal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Largest length of a stage that SDQN is told, in units of eq. 2's kappa.
constexpr double MOST_LENGTH = 4;

/**
 * @param options how
 * @return the shape of SDQN
 */
QNetworkShape
MakeCutShape(const GrdqnOptions& options)
{
    QNetworkShape shape;
    shape.inputs = PipelineScales::LAYER_FIGURES + (options.seesStage ? 1 : 0);
    shape.hidden = options.hiddenUnits;
    shape.outputs = 2;
    return shape;
}

/**
 * @param options how
 * @param devices how many
 * @return the shape of GRDQN
 */
QNetworkShape
MakeStagedPlaceShape(const GrdqnOptions& options, std::size_t devices)
{
    QNetworkShape shape;
    shape.recurrentInputs = 4 * devices;
    shape.recurrentUnits = options.recurrentUnits;
    shape.inputs = 2;
    shape.hidden = options.hiddenUnits;
    shape.outputs = devices;
    return shape;
}

} // namespace

StagedGrdqn::StagedGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options)
    : GrdqnAgent(costModel,
                 options,
                 MakeCutShape(options),
                 MakeStagedPlaceShape(options, costModel.GetProblem().devices.size())),
      m_rewards(costModel, m_options),
      m_fit(costModel),
      m_walk(costModel),
      m_rows(m_rewards.GetScales().DescribeLayers())
{
}

void
StagedGrdqn::Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress)
{
    const auto judge = [this](const PipelineDivision& division) {
        return Evaluate(m_fit.PlaceByRule(division, m_rewards.GetScales()));
    };
    CutRehearsal(m_walk, m_rewards, m_options.seesStage)
        .Choose(m_options.kappa, m_options.varsigma, judge, random);
    DrawWeights(random);
    TrainCut(random, progress);
    TrainPlace(random, progress);
}

PipelinePlan
StagedGrdqn::Decide()
{
    std::vector<CutExperience> cuts;
    std::vector<PlaceStep> placings;
    return WalkStages(WalkLayers(0, nullptr, cuts), 0, nullptr, placings);
}

void
StagedGrdqn::DescribeCut(const CutState& state, std::vector<float>& row) const
{
    const auto figures =
        m_rows.begin() + static_cast<std::ptrdiff_t>(state.layer * PipelineScales::LAYER_FIGURES);
    row.insert(row.end(), figures, figures + PipelineScales::LAYER_FIGURES);
    if (m_options.seesStage)
    {
        row.push_back(static_cast<float>(std::min(MOST_LENGTH, m_rewards.GetStageLength(state))));
    }
}

PipelineDivision
StagedGrdqn::WalkLayers(double epsilon,
                        const Ptr<UniformRandomVariable>& random,
                        std::vector<CutExperience>& experiences)
{
    std::vector<float> values;
    std::size_t from = 0; // layer that the values begin with
    const auto prefersSplit = [&](const CutState& state) {
        // Without the stage's length values are the same all along, with it until the next split.
        if (values.empty() || (m_options.seesStage && from != state.first))
        {
            from = m_options.seesStage ? state.first : 0;
            QInputs inputs;
            for (std::size_t layer = from; layer + 1 < m_walk.CountLayers(); ++layer)
            {
                DescribeCut({state.stage, state.first, layer}, inputs.states);
                ++inputs.rows;
            }
            values = m_cut->Evaluate(QNetwork::ONLINE, inputs).values;
        }
        const std::size_t row = 2 * (state.layer - from);
        return values[row + SPLIT] > values[row + CONTINUE];
    };
    std::vector<CutStep> steps;
    const PipelineDivision division = m_walk.Walk(
        [&](const CutState& state) {
            const bool explores = epsilon > 0 && random->GetValue() < epsilon;
            return explores ? random->GetInteger(0, 1) == SPLIT : prefersSplit(state);
        },
        &steps);
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const CutStep& step = steps[i];
        CutExperience experience{{},
                                 step.isSplit ? SPLIT : CONTINUE,
                                 m_rewards.RewardCut(step.state, step.isSplit),
                                 i + 1 == steps.size(),
                                 {},
                                 {}};
        DescribeCut(step.state, experience.state);
        if (experience.isLast)
        {
            experience.reward += m_rewards.RewardDivision(division);
        }
        else
        {
            DescribeCut(steps[i + 1].state, experience.next);
            experience.isAllowed = {steps[i + 1].maySplit || !steps[i + 1].mayContinue,
                                    steps[i + 1].mayContinue};
        }
        experiences.push_back(std::move(experience));
    }
    return division;
}

double
StagedGrdqn::Fit(QNetwork& network,
                 uint64_t& fits,
                 const QInputs& now,
                 const QInputs& next,
                 const std::vector<Outcome>& outcomes,
                 double discount)
{
    const auto values = network.Evaluate(QNetwork::TARGET, next).values;
    const std::size_t actions = values.size() / outcomes.size();
    std::vector<std::size_t> taken;
    std::vector<float> targets;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
    {
        double target = outcomes[i].reward; // eq. 6 and 9
        if (outcomes[i].isAllowed)
        {
            double best = -std::numeric_limits<double>::infinity();
            for (std::size_t a = 0; a < actions; ++a)
            {
                if ((*outcomes[i].isAllowed)[a])
                {
                    best = std::max<double>(best, values[i * actions + a]);
                }
            }
            target += discount * best;
        }
        taken.push_back(outcomes[i].action);
        targets.push_back(static_cast<float>(target));
    }
    double loss = 0;
    for (float error : network.Fit(now, taken, targets, {}))
    {
        loss += error * error / static_cast<double>(outcomes.size());
    }
    if (++fits % m_options.targetInterval == 0)
    {
        network.CopyToTarget();
    }
    return loss;
}

double
StagedGrdqn::FitCut(const ReplayBuffer<CutExperience>& replay,
                    const Ptr<UniformRandomVariable>& random)
{
    QInputs now;
    QInputs next;
    now.rows = next.rows = m_options.batchSize;
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        const CutExperience& step = replay[replay.Draw(random)];
        outcomes.push_back({step.action, step.reward, step.isLast ? nullptr : &step.isAllowed});
        const auto& after = step.isLast ? step.state : step.next;
        now.states.insert(now.states.end(), step.state.begin(), step.state.end());
        next.states.insert(next.states.end(), after.begin(), after.end());
    }
    return Fit(*m_cut, m_cutFits, now, next, outcomes, m_options.cutDiscount);
}

template <typename Step, typename Walk, typename MakePlan, typename FitOnce>
void
StagedGrdqn::TrainNetwork(const std::string& name,
                          QNetwork& network,
                          uint32_t before,
                          uint32_t episodes,
                          const GrdqnProgress& progress,
                          Walk walk,
                          MakePlan makePlan,
                          FitOnce fit)
{
    ReplayBuffer<Step> replay(m_options.replayCapacity, 0);
    std::vector<float> best = network.GetWeights();
    double least = std::numeric_limits<double>::infinity();
    for (uint32_t episode = 0; episode < episodes; ++episode)
    {
        GrdqnEpisode report{name, episode, 0, FindEpsilon(episode, episodes), 0, 0};
        std::vector<Step> steps;
        walk(report.epsilon, steps);
        for (Step& step : steps)
        {
            report.reward += step.reward;
            replay.Add(std::move(step));
        }
        for (uint32_t i = 0; i < m_options.fitsPerEpisode; ++i)
        {
            report.loss += fit(replay) / m_options.fitsPerEpisode;
        }
        steps.clear();
        report.iterationSeconds = Evaluate(makePlan(walk(0, steps)));
        for (Step& step : steps)
        {
            replay.Add(std::move(step));
        }
        if (report.iterationSeconds < least)
        {
            least = report.iterationSeconds;
            best = network.GetWeights();
        }
        if (progress)
        {
            progress(report,
                     (before + episode + 1.0) / (m_options.cutEpisodes + m_options.placeEpisodes));
        }
    }
    network.SetWeights(best);
}

void
StagedGrdqn::TrainCut(const Ptr<UniformRandomVariable>& random, const GrdqnProgress& progress)
{
    TrainNetwork<CutExperience>(
        "sdqn",
        *m_cut,
        0,
        m_walk.CountLayers() > 1 ? m_options.cutEpisodes : 0,
        progress,
        [&](double epsilon, auto& steps) { return WalkLayers(epsilon, random, steps); },
        [this](const PipelineDivision& division) {
            return m_fit.PlaceByRule(division, m_rewards.GetScales());
        },
        [&](const auto& replay) { return FitCut(replay, random); });
}

StagedGrdqn::PlaceState
StagedGrdqn::DescribePlacing(const PipelineDivision& division,
                             const PipelinePlan& plan,
                             std::vector<float> hidden) const
{
    const PipelineProblem& problem = m_costModel.GetProblem();
    const std::size_t next = plan.stages.size();
    const std::size_t roomiest = m_fit.GetLargestFirst().front();
    const double largest = std::max<double>(1, problem.devices[roomiest].memoryBytes);
    std::vector<bool> isTaken(problem.devices.size(), false);
    for (const PipelineStage& stage : plan.stages)
    {
        isTaken[stage.device] = true;
    }
    PlaceState state;
    state.previous = std::move(hidden);
    state.devices = m_rewards.GetScales().DescribeDevices(isTaken);
    const auto [first, last] = division[next];
    const uint64_t bytes = m_costModel.StageMemoryBytes(first, last);
    state.stage = {static_cast<float>(m_rewards.GetScales().GetWork(first, last) /
                                      m_rewards.GetScales().GetTotalWork()),
                   static_cast<float>(static_cast<double>(bytes) / largest)};

    std::vector<uint64_t> rest;
    for (std::size_t r = next + 1; r < division.size(); ++r)
    {
        rest.push_back(m_costModel.StageMemoryBytes(division[r].first, division[r].second));
    }
    state.isAllowed = m_fit.FindPlaces(bytes, rest, isTaken);
    return state;
}

PipelinePlan
StagedGrdqn::WalkStages(const PipelineDivision& division,
                        double epsilon,
                        const Ptr<UniformRandomVariable>& random,
                        std::vector<PlaceStep>& steps)
{
    PipelinePlan plan;
    PlaceState state =
        DescribePlacing(division, plan, std::vector<float>(m_options.recurrentUnits, 0));
    while (plan.stages.size() < division.size())
    {
        QInputs inputs;
        inputs.rows = 1;
        inputs.recurrent = state.devices;
        inputs.previous = state.previous;
        inputs.states = state.stage;
        const QOutputs outputs = m_place->Evaluate(QNetwork::ONLINE, inputs);
        std::vector<std::size_t> allowed;
        for (std::size_t d = 0; d < state.isAllowed.size(); ++d)
        {
            if (state.isAllowed[d])
            {
                allowed.push_back(d);
            }
        }
        std::size_t device =
            *std::max_element(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
                return outputs.values[a] < outputs.values[b];
            });
        if (epsilon > 0 && random->GetValue() < epsilon)
        {
            device = allowed[random->GetInteger(0, static_cast<uint32_t>(allowed.size() - 1))];
        }
        const auto [first, last] = division[plan.stages.size()];
        plan.stages.push_back({device, first, last});
        PlaceStep step{std::move(state), device, m_rewards.RewardPlacing(plan), true, {}};
        if (plan.stages.size() < division.size())
        {
            state = DescribePlacing(division, plan, outputs.hidden);
            step.isLast = false;
            step.next = state;
        }
        steps.push_back(std::move(step));
    }
    return plan;
}

double
StagedGrdqn::FitPlace(const ReplayBuffer<PlaceStep>& replay,
                      const Ptr<UniformRandomVariable>& random)
{
    QInputs now;
    QInputs next;
    now.rows = next.rows = m_options.batchSize;
    std::vector<Outcome> outcomes;
    auto append = [](QInputs& inputs, const PlaceState& state) {
        auto add = [](std::vector<float>& all, const std::vector<float>& part) {
            all.insert(all.end(), part.begin(), part.end());
        };
        add(inputs.recurrent, state.devices);
        add(inputs.previous, state.previous);
        add(inputs.states, state.stage);
    };
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        const PlaceStep& step = replay[replay.Draw(random)];
        outcomes.push_back(
            {step.device, step.reward, step.isLast ? nullptr : &step.next.isAllowed});
        append(now, step.state);
        append(next, step.isLast ? step.state : step.next);
    }
    return Fit(*m_place, m_placeFits, now, next, outcomes, m_options.placeDiscount);
}

void
StagedGrdqn::TrainPlace(const Ptr<UniformRandomVariable>& random, const GrdqnProgress& progress)
{
    std::vector<CutExperience> cuts;
    const PipelineDivision division = WalkLayers(0, nullptr, cuts);
    TrainNetwork<PlaceStep>(
        "grdqn",
        *m_place,
        m_options.cutEpisodes,
        m_options.placeEpisodes,
        progress,
        [&](double epsilon, auto& steps) { return WalkStages(division, epsilon, random, steps); },
        [](const PipelinePlan& plan) { return plan; },
        [&](const auto& replay) { return FitPlace(replay, random); });
}

} // namespace edgepipe
} // namespace ns3
