/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-staged-grdqn.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param options how
 * @return the shape of SDQN
 */
QNetworkShape
MakeCutShape(const GrdqnOptions& options)
{
    QNetworkShape shape;
    shape.inputs = PipelineScales::LAYER_FIGURES;
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
      m_scales(costModel),
      m_fit(costModel),
      m_layers(costModel.GetProblem().layers.size()),
      m_rows(m_scales.DescribeLayers())
{
}

void
StagedGrdqn::Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress)
{
    DrawWeights(random);
    TrainCut(random, progress);
    TrainPlace(random, progress);
}

PipelinePlan
StagedGrdqn::Decide()
{
    std::vector<CutStep> cuts;
    std::vector<PlaceStep> placings;
    return WalkStages(WalkLayers(0, nullptr, cuts), 0, nullptr, placings);
}

StagedGrdqn::Division
StagedGrdqn::WalkLayers(double epsilon,
                        const Ptr<UniformRandomVariable>& random,
                        std::vector<CutStep>& steps)
{
    QInputs inputs;
    inputs.rows = m_layers;
    inputs.states = m_rows;
    const std::vector<float> values = m_cut->Evaluate(QNetwork::ONLINE, inputs).values;
    Division division;
    std::size_t first = 0;
    for (std::size_t layer = 0; layer + 1 < m_layers; ++layer)
    {
        const auto [mayCut, mayContinue] = m_fit.FindCutActions(division.size(), first, layer);
        const std::vector<bool> isAllowed{mayCut, mayContinue}; // by CutAction
        if (!steps.empty())
        {
            steps.back().isAllowed = isAllowed;
        }
        std::size_t action = isAllowed[CONTINUE] ? CONTINUE : SPLIT;
        if (isAllowed[CONTINUE] && isAllowed[SPLIT])
        {
            if (epsilon > 0 && random->GetValue() < epsilon)
            {
                action = random->GetInteger(0, 1);
            }
            else
            {
                action =
                    values[2 * layer + SPLIT] > values[2 * layer + CONTINUE] ? SPLIT : CONTINUE;
            }
        }
        steps.push_back(
            {layer, action, RewardCut(division.size(), first, layer, action), false, {}});
        if (action == SPLIT)
        {
            division.emplace_back(first, layer);
            first = layer + 1;
        }
    }
    division.emplace_back(first, m_layers - 1);
    if (!steps.empty())
    {
        steps.back().isLast = true;
        steps.back().reward += RewardDivision(division);
    }
    return division;
}

double
StagedGrdqn::GetStageSpeed(std::size_t stage) const
{
    double squares = 0;
    for (std::size_t device : m_scales.GetFastestFirst())
    {
        squares += m_scales.GetSpeed(device) * m_scales.GetSpeed(device);
    }
    return std::max(m_scales.GetSpeed(m_scales.GetFastestFirst()[stage]),
                    squares / m_scales.GetTotalSpeed());
}

double
StagedGrdqn::RewardCut(std::size_t stage,
                       std::size_t first,
                       std::size_t layer,
                       std::size_t action) const
{
    // What a micro-batch takes when every device works in proportion to its speed.
    const double balanced = m_scales.GetTotalWork() / m_scales.GetTotalSpeed();
    if (action == SPLIT)
    {
        const double speed = GetStageSpeed(stage);
        const bool isFull = m_scales.GetWork(first, layer) > m_options.kappa * balanced * speed;
        return isFull ? m_options.cutReward : -m_options.cutPenalty;
    }
    const bool isDear = m_costModel.TransferSeconds(layer) > m_options.varsigma * balanced;
    return isDear ? m_options.continueReward : -m_options.continuePenalty;
}

double
StagedGrdqn::RewardDivision(const Division& division) const
{
    std::vector<double> seconds;
    double mean = 0;
    for (std::size_t r = 0; r < division.size(); ++r)
    {
        seconds.push_back(m_scales.GetWork(division[r].first, division[r].second) /
                          GetStageSpeed(r));
        mean += seconds.back() / static_cast<double>(division.size());
    }
    double variance = 0;
    for (double each : seconds)
    {
        // Relative to the mean, so that one threshold serves fast and slow models.
        const double deviation = mean > 0 ? each / mean - 1 : 0;
        variance += deviation * deviation / static_cast<double>(division.size());
    }
    return variance <= m_options.balanceThreshold ? std::max(5.0, 6 - 10 * variance)
                                                  : -std::min(3.0, variance);
}

double
StagedGrdqn::Fit(QNetwork& network,
                 uint64_t& fits,
                 const QInputs& now,
                 const QInputs& next,
                 const std::vector<Outcome>& outcomes)
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
            target += m_options.discount * best;
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
StagedGrdqn::FitCut(const ReplayBuffer<CutStep>& replay, const Ptr<UniformRandomVariable>& random)
{
    QInputs now;
    QInputs next;
    now.rows = next.rows = m_options.batchSize;
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        const CutStep& step = replay[replay.Draw(random)];
        outcomes.push_back({step.action, step.reward, step.isLast ? nullptr : &step.isAllowed});
        const auto row = m_rows.begin() + step.layer * PipelineScales::LAYER_FIGURES;
        now.states.insert(now.states.end(), row, row + PipelineScales::LAYER_FIGURES);
        next.states.insert(next.states.end(),
                           row + PipelineScales::LAYER_FIGURES,
                           row + 2 * PipelineScales::LAYER_FIGURES);
    }
    return Fit(*m_cut, m_cutFits, now, next, outcomes);
}

PipelinePlan
StagedGrdqn::PlaceByRule(const Division& division) const
{
    std::vector<std::size_t> heaviest(division.size());
    std::vector<uint64_t> bytes(division.size());
    PipelinePlan plan;
    for (std::size_t r = 0; r < division.size(); ++r)
    {
        heaviest[r] = r;
        bytes[r] = m_costModel.StageMemoryBytes(division[r].first, division[r].second);
        plan.stages.push_back({0, division[r].first, division[r].second});
    }
    std::stable_sort(heaviest.begin(), heaviest.end(), [&](std::size_t a, std::size_t b) {
        return m_scales.GetWork(division[a].first, division[a].second) >
               m_scales.GetWork(division[b].first, division[b].second);
    });
    std::vector<bool> isTaken(m_costModel.GetProblem().devices.size(), false);
    for (std::size_t k = 0; k < heaviest.size(); ++k)
    {
        std::vector<uint64_t> rest;
        for (std::size_t later = k + 1; later < heaviest.size(); ++later)
        {
            rest.push_back(bytes[heaviest[later]]);
        }
        for (std::size_t device : m_scales.GetFastestFirst())
        {
            if (isTaken[device] ||
                m_costModel.GetProblem().devices[device].memoryBytes < bytes[heaviest[k]])
            {
                continue;
            }
            isTaken[device] = true;
            if (m_fit.CanPlace(rest, isTaken))
            {
                plan.stages[heaviest[k]].device = device;
                break;
            }
            isTaken[device] = false;
        }
    }
    return plan;
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
    TrainNetwork<CutStep>(
        "sdqn",
        *m_cut,
        0,
        m_layers > 1 ? m_options.cutEpisodes : 0,
        progress,
        [&](double epsilon, auto& steps) { return WalkLayers(epsilon, random, steps); },
        [this](const Division& division) { return PlaceByRule(division); },
        [&](const auto& replay) { return FitCut(replay, random); });
}

StagedGrdqn::PlaceState
StagedGrdqn::DescribePlacing(const Division& division,
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
    state.devices = m_scales.DescribeDevices(isTaken);
    const auto [first, last] = division[next];
    const uint64_t bytes = m_costModel.StageMemoryBytes(first, last);
    state.stage = {static_cast<float>(m_scales.GetWork(first, last) / m_scales.GetTotalWork()),
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
StagedGrdqn::WalkStages(const Division& division,
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
        PlaceStep step{std::move(state), device, RewardPlacing(plan), true, {}};
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
StagedGrdqn::RewardPlacing(const PipelinePlan& plan) const
{
    // Delays are in units of the model on the slowest device, so that loads lie in 0 to 1.
    const double slowest = m_scales.GetSpeed(m_scales.GetFastestFirst().back());
    const double unit = m_scales.GetTotalWork() / slowest;
    const double balanced = m_scales.GetTotalWork() / m_scales.GetTotalSpeed();
    double delay = 0;
    double loads = 0;
    bool isMet = false;
    for (const PipelineStage& stage : plan.stages)
    {
        const double seconds =
            m_scales.GetWork(stage.firstLayer, stage.lastLayer) / m_scales.GetSpeed(stage.device);
        const double memory =
            static_cast<double>(m_costModel.StageMemoryBytes(stage.firstLayer, stage.lastLayer)) /
            std::max(
                1.0,
                static_cast<double>(m_costModel.GetProblem().devices[stage.device].memoryBytes));
        delay = seconds / unit;
        loads += memory * memory + delay * delay;
        // Memory is met by what is allowed; compute and bandwidth where neither takes longer
        // than kappa balanced shares.
        isMet = seconds <= m_options.kappa * balanced &&
                m_costModel.CutSeconds(stage.lastLayer, stage.device).forward <=
                    m_options.kappa * balanced;
    }
    return (isMet ? m_options.fitReward : 0) - m_options.delayWeight * delay -
           m_options.loadWeight * loads;
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
    return Fit(*m_place, m_placeFits, now, next, outcomes);
}

void
StagedGrdqn::TrainPlace(const Ptr<UniformRandomVariable>& random, const GrdqnProgress& progress)
{
    std::vector<CutStep> cuts;
    const Division division = WalkLayers(0, nullptr, cuts);
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
