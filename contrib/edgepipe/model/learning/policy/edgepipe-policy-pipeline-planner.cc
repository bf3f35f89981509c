/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy-pipeline-planner.h"

#include "ns3/double.h"
#include "ns3/edgepipe-cut-rehearsal.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PolicyPipelinePlanner);

namespace
{

/// Of the device that is least likely to be chosen at first, over the one that is most.
constexpr double LEAST_LOGIT = -4;
/// Devices per stage that starts which take few devices begin with.
constexpr double FEWER = 4;

/// Figures that AddProgress appends, of a state while cutting and while placing.
constexpr std::size_t CUT_PROGRESS = 6;
/// See CUT_PROGRESS.
constexpr std::size_t PLACE_PROGRESS = 3;

/**
 * Appends how far a plan has come, which the paper's state does not say: how large the stage is
 * already, how much is left, and for whom.
 *
 * @param walk the decisions
 * @param costModel the cost model
 * @param state a plan in the making
 * @param figures what they are appended to
 */
void
AddProgress(const StagedWalk& walk,
            const PipelineCostModel& costModel,
            const StagedPlan& state,
            std::vector<float>& figures)
{
    const PipelineScales& scales = walk.GetScales();
    const double total = scales.GetTotalWork();
    const auto devices = static_cast<double>(state.isTaken.size());
    if (walk.IsCutting(state))
    {
        const std::size_t last = costModel.GetProblem().layers.size() - 1;
        const double balanced = total / scales.GetTotalSpeed();
        const double work = scales.GetWork(state.first, state.layer);
        figures.push_back(Share(work, total));
        figures.push_back(Share(work, balanced));
        figures.push_back(
            Share(costModel.StageMemoryBytes(state.first, state.layer), walk.GetLargestMemory()));
        figures.push_back(Share(scales.GetWork(state.layer + 1, last), total));
        figures.push_back(Share(state.stage, devices));
        figures.push_back(Share(costModel.TransferSeconds(state.layer), balanced));
        return;
    }
    double heaviest = 0;
    for (std::size_t r = state.stage + 1; r < state.division.size(); ++r)
    {
        const auto [first, last] = state.division[r];
        heaviest = std::max(heaviest, scales.GetWork(first, last));
    }
    figures.push_back(Share(heaviest, total));
    figures.push_back(Share(state.stage, devices));
    figures.push_back(Share(state.division.size(), devices));
}

} // namespace

TypeId
PolicyPipelinePlanner::GetTypeId()
{
    using P = PolicyPipelinePlanner;
    static TypeId tid =
        TypeId("ns3::edgepipe::PolicyPipelinePlanner")
            .SetParent<LearningPipelinePlanner>()
            .SetGroupName("Edgepipe")
            .AddAttribute("Setting",
                          "ours: states tell how far a plan has come, and its time is the reward; "
                          "paper: states and rewards are those of DGPAS's networks.",
                          StringValue("ours"),
                          MakeStringAccessor(&P::m_setting),
                          MakeStringChecker())
            .AddAttribute("BatchPlans",
                          "Plans drawn between two changes of the policy (ours).",
                          UintegerValue(16),
                          MakeUintegerAccessor(&P::m_batchPlans),
                          MakeUintegerChecker<uint32_t>(1, 100000))
            .AddAttribute("Starts",
                          "Policies learned one after the other, each with its part of the "
                          "budget (ours).",
                          UintegerValue(2),
                          MakeUintegerAccessor(&P::m_starts),
                          MakeUintegerChecker<uint32_t>(1, 10000))
            .AddAttribute("BatchSteps",
                          "Decisions per gradient step, at most, of each network (ours).",
                          UintegerValue(512),
                          MakeUintegerAccessor(&P::m_batchSteps),
                          MakeUintegerChecker<uint32_t>(1, 10000000))
            .AddAttribute("EntropyWeight",
                          "Weight of the policy's entropy, which keeps it trying (ours).",
                          DoubleValue(0.01),
                          MakeDoubleAccessor(&P::m_entropyWeight),
                          MakeDoubleChecker<double>(0, 1000))
            .AddAttribute("ValueWeight",
                          "Weight of the error of the return expected (ours).",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&P::m_valueWeight),
                          MakeDoubleChecker<double>(0, 1000))
            .AddTraceSource("Batch",
                            "How good the plans are that the policy draws.",
                            MakeTraceSourceAccessor(&P::m_batch),
                            "ns3::edgepipe::PolicyPipelinePlanner::BatchCallback");
    return tid;
}

void
PolicyPipelinePlanner::Refine(const PipelineCostModel&, const PipelinePlan&, PlanBudget&) const
{
}

PolicyPipelinePlanner::Net
PolicyPipelinePlanner::MakeNet(std::size_t figures,
                               std::size_t actions,
                               const Ptr<UniformRandomVariable>& random) const
{
    const std::size_t recurrent = m_encoderUnits > 0 ? figures : 0;
    const QNetworkShape shape{recurrent, m_encoderUnits, figures, FindHiddenUnits(), actions + 1};
    Net net{MakeQNetwork(shape, m_learningRate), {}};
    net.network->SetWeights(DrawQWeights(shape, random));
    return net;
}

void
PolicyPipelinePlanner::Bias(Net& net, const std::vector<double>& logits)
{
    auto weights = net.network->GetWeights();
    float* bias = weights.data() + weights.size() - net.network->GetShape().outputs;
    for (double logit : logits)
    {
        *bias++ += static_cast<float>(logit);
    }
    net.network->SetWeights(weights);
}

QState
PolicyPipelinePlanner::Describe(const StagedWalk& walk,
                                const PipelineCostModel& costModel,
                                const StagedPlan& state,
                                const std::vector<float>& hidden) const
{
    QState described;
    described.allowed = walk.FindAllowed(state);
    if (described.allowed.size() > 1)
    {
        walk.Describe(state, described.figures);
        if (m_setting != "paper")
        {
            AddProgress(walk, costModel, state, described.figures);
        }
        described.previous = hidden;
        described.recurrent = m_encoderUnits > 0 ? described.figures : std::vector<float>();
    }
    return described;
}

std::vector<PipelinePlan>
PolicyPipelinePlanner::DrawPlans(const StagedWalk& walk,
                                 const PipelineCostModel& costModel,
                                 Net& cut,
                                 Net& place,
                                 std::size_t count,
                                 const Ptr<UniformRandomVariable>& random,
                                 std::vector<Step>& steps) const
{
    std::vector<StagedPlan> states(count, walk.Begin());
    std::vector<std::vector<float>> hidden(count, std::vector<float>(m_encoderUnits, 0));
    // All plans are cut in step, layer by layer, so that the network sees many rows at once.
    for (const bool isCut : {true, false})
    {
        QNetwork& network = isCut ? *cut.network : *place.network;
        const std::size_t outputs = network.GetShape().outputs;
        bool isDone = false;
        while (!isDone)
        {
            isDone = true;
            std::vector<Step> now;
            for (std::size_t i = 0; i < count; ++i)
            {
                StagedPlan& state = states[i];
                if (walk.IsFinished(state) || walk.IsCutting(state) != isCut)
                {
                    continue;
                }
                isDone = false;
                QState described = Describe(walk, costModel, state, hidden[i]);
                if (described.allowed.size() > 1)
                {
                    const std::size_t at = isCut ? state.layer : state.stage;
                    now.push_back({isCut, std::move(described), 0, 1, 0, i, at, 0});
                }
                else
                {
                    walk.Take(state, described.allowed.front());
                }
            }
            if (now.empty())
            {
                continue;
            }
            QInputs inputs;
            for (const Step& step : now)
            {
                inputs.Add(step.state);
            }
            const QOutputs made = network.Evaluate(QNetwork::ONLINE, inputs);
            const float* values = made.values.data();
            const float* h = made.hidden.data();
            for (Step& step : now)
            {
                const auto probabilities =
                    FindProbabilities(values, outputs - 1, step.state.allowed);
                step.action = DrawAction(probabilities, random);
                step.probability = probabilities[step.action];
                step.value = values[outputs - 1];
                walk.Take(states[step.plan], step.action);
                hidden[step.plan].assign(h, h + m_encoderUnits);
                steps.push_back(std::move(step));
                values += outputs;
                h += m_encoderUnits;
            }
        }
    }
    std::vector<PipelinePlan> plans;
    for (StagedPlan& state : states)
    {
        plans.push_back(std::move(state.plan));
    }
    return plans;
}

void
PolicyPipelinePlanner::Fit(Net& net, double scale, const Ptr<UniformRandomVariable>& random) const
{
    const std::size_t rows = std::min<std::size_t>(m_batchSteps, net.steps.size());
    if (rows == 0)
    {
        return;
    }
    QInputs inputs;
    for (std::size_t i = 0; i < rows; ++i)
    {
        const uint32_t last = static_cast<uint32_t>(net.steps.size() - 1);
        std::swap(net.steps[i], net.steps[random->GetInteger(static_cast<uint32_t>(i), last)]);
        inputs.Add(net.steps[i]->state);
    }
    const std::size_t actions = net.network->GetShape().outputs - 1;
    const auto values = net.network->Evaluate(QNetwork::ONLINE, inputs).values;
    std::vector<float> gradients;
    for (std::size_t row = 0; row < rows; ++row)
    {
        const Step& step = *net.steps[row];
        const float* outputs = values.data() + row * (actions + 1);
        const double expected = outputs[actions];
        for (double each :
             GetPolicyGradient(FindProbabilities(outputs, actions, step.state.allowed),
                               step.action,
                               step.probability,
                               (step.goal - step.value) / scale,
                               {m_clip, m_entropyWeight}))
        {
            gradients.push_back(static_cast<float>(each / rows));
        }
        gradients.push_back(static_cast<float>(2 * m_valueWeight * (expected - step.goal) / rows));
    }
    net.network->Descend(inputs, gradients);
}

void
PolicyPipelinePlanner::Learn(const PipelineCostModel& costModel,
                             PlanBudget& budget,
                             const Ptr<UniformRandomVariable>& random)
{
    if (m_setting != "ours" && m_setting != "paper")
    {
        throw InputError("Setting: found \"" + m_setting + "\", expected ours or paper");
    }
    const StagedWalk walk(costModel);
    const PaperRewards rewards = MakeRewards(costModel, budget, random);
    for (uint32_t start = 0; start < m_starts && budget.GetLeft() > 0; ++start)
    {
        LearnOnce(walk, costModel, rewards, start, budget, random);
    }
}

PolicyPipelinePlanner::PaperRewards
PolicyPipelinePlanner::MakeRewards(const PipelineCostModel& costModel,
                                   PlanBudget& budget,
                                   const Ptr<UniformRandomVariable>& random) const
{
    PaperRewards made{};
    if (m_setting == "paper")
    {
        const auto grdqn = CreateObject<GrdqnPlanner>();
        grdqn->SetAttribute("Variant", StringValue("faithful"));
        const GrdqnOptions options = grdqn->FindOptions(costModel.GetProblem().devices.size());
        made = {std::make_unique<StagedRewards>(costModel, options),
                options.cutDiscount,
                options.placeDiscount};
        const StagedWalk walk(costModel);
        const auto judge = [&](const PipelineDivision& division) {
            const PipelinePlan plan = walk.PlaceByRule(division);
            const bool isSpent = budget.GetLeft() <= 1;
            return isSpent ? std::numeric_limits<double>::infinity() : budget.Consider(plan);
        };
        ChooseThresholds(walk,
                         *made.rewards,
                         false,
                         {options.kappa, options.varsigma},
                         judge,
                         random);
    }
    return made;
}

void
PolicyPipelinePlanner::SetGoals(const PaperRewards& rewards,
                                const std::vector<PipelinePlan>& plans,
                                std::vector<Step>& steps)
{
    if (!rewards.rewards)
    {
        return;
    }
    // What is got from a layer, or a stage, on.
    std::vector<std::vector<double>> byLayer;
    std::vector<std::vector<double>> byStage;
    const auto discount = [](std::vector<double>& gains, double gamma) {
        for (std::size_t i = gains.size() - 1; i-- > 0;)
        {
            gains[i] += gamma * gains[i + 1];
        }
    };
    for (const PipelinePlan& plan : plans)
    {
        std::vector<double> cuts;
        std::vector<double> placings;
        PipelinePlan placed;
        for (const PipelineStage& stage : plan.stages)
        {
            for (std::size_t layer = stage.firstLayer; layer <= stage.lastLayer; ++layer)
            {
                cuts.push_back(
                    rewards.rewards->RewardCut({placed.stages.size(), stage.firstLayer, layer},
                                               layer == stage.lastLayer));
            }
            placed.stages.push_back(stage);
            placings.push_back(rewards.rewards->RewardPlacing(placed));
        }
        // Nothing is decided about the model's last layer; eq. 5 is for the decision before it.
        cuts.back() = 0;
        cuts[cuts.size() > 1 ? cuts.size() - 2 : 0] +=
            rewards.rewards->RewardDivision(GetDivision(plan));
        discount(cuts, rewards.cutDiscount);
        discount(placings, rewards.placeDiscount);
        byLayer.push_back(std::move(cuts));
        byStage.push_back(std::move(placings));
    }
    for (Step& step : steps)
    {
        step.goal = (step.isCut ? byLayer : byStage)[step.plan][step.at];
    }
}

void
PolicyPipelinePlanner::LearnOnce(const StagedWalk& walk,
                                 const PipelineCostModel& costModel,
                                 const PaperRewards& rewards,
                                 uint32_t start,
                                 PlanBudget& budget,
                                 const Ptr<UniformRandomVariable>& random)
{
    const std::size_t devices = costModel.GetProblem().devices.size();
    const auto layers = static_cast<double>(costModel.GetProblem().layers.size());
    const bool isPapers = m_setting == "paper";
    Net cut = MakeNet(PipelineScales::LAYER_FIGURES + (isPapers ? 0 : CUT_PROGRESS), 2, random);
    Net place = MakeNet(4 * devices + 2 + (isPapers ? 0 : PLACE_PROGRESS), devices, random);
    const bool takesFew = start % 2 == 0;
    const double stages = std::max(1.0, static_cast<double>(devices) / (takesFew ? FEWER : 1));
    const double share = std::min(0.5, stages / layers);
    std::vector<double> logits(2, 0);
    logits[StagedWalk::SPLIT] = std::log(share / (1 - share));
    Bias(cut, logits);
    if (takesFew)
    {
        logits.clear();
        for (std::size_t d = 0; d < devices; ++d)
        {
            logits.push_back(std::max(LEAST_LOGIT, std::log(walk.GetScales().GetSpeed(d))));
        }
        Bias(place, logits);
    }

    const uint64_t before = budget.GetEvaluations();
    const uint64_t until = before + (budget.GetLeft() + m_starts - start - 1) / (m_starts - start);
    double origin = 0;
    while (budget.GetEvaluations() < until)
    {
        std::vector<Step> steps;
        const auto plans =
            DrawPlans(walk,
                      costModel,
                      cut,
                      place,
                      std::min<uint64_t>(m_batchPlans, until - budget.GetEvaluations()),
                      random,
                      steps);
        const bool isFirst = budget.GetEvaluations() == before;
        std::vector<double> returns;
        for (const PipelinePlan& plan : plans)
        {
            returns.push_back(-std::log(std::max(1e-300, budget.Evaluate(plan))));
            origin += isFirst ? returns.back() / static_cast<double>(plans.size()) : 0;
        }
        const auto best = std::max_element(returns.begin(), returns.end()) - returns.begin();
        double mean = 0;
        for (double& each : returns)
        {
            mean += each / static_cast<double>(plans.size());
            each -= origin;
        }
        m_batch(budget.GetEvaluations(), std::exp(-mean));
        Refine(costModel, plans[best], budget);

        cut.steps.clear();
        place.steps.clear();
        for (Step& step : steps)
        {
            step.goal = returns[step.plan];
        }
        SetGoals(rewards, plans, steps);
        double squares = 0;
        std::array<double, 2> ownSquares{}; // by whether it is about a cut
        for (const Step& step : steps)
        {
            (step.isCut ? cut : place).steps.push_back(&step);
            squares += std::pow(step.goal - step.value, 2);
            ownSquares[step.isCut] += std::pow(step.goal - step.value, 2);
        }
        // Rewards of the paper are of another kind for each network, the plan's time is the same.
        const auto getScale = [&](bool isCut) {
            const std::size_t own = (isCut ? cut : place).steps.size();
            const double sum = rewards.rewards ? ownSquares[isCut] : squares;
            const std::size_t count = rewards.rewards ? own : steps.size();
            return std::sqrt(sum / std::max<std::size_t>(1, count)) + 1e-6;
        };
        for (uint32_t epoch = 0; epoch < m_epochs; ++epoch)
        {
            Fit(cut, getScale(true), random);
            Fit(place, getScale(false), random);
        }
        ReportProgress(budget.GetShare(), "plan " + std::to_string(budget.GetEvaluations()));
    }
}

} // namespace edgepipe
} // namespace ns3
