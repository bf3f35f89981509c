/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy-pipeline-planner.h"

#include "ns3/double.h"
#include "ns3/edgepipe-cut-rehearsal.h"
#include "ns3/edgepipe-grdqn-agent.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-stage-fit.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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
PolicyPipelinePlanner::MakeNet(const Method& method,
                               std::size_t figures,
                               std::size_t actions,
                               const Ptr<UniformRandomVariable>& random) const
{
    Net net;
    net.shape.recurrentInputs = method.recurrentUnits > 0 ? figures : 0;
    net.shape.recurrentUnits = method.recurrentUnits;
    net.shape.inputs = figures;
    net.shape.hidden = FindHiddenUnits();
    net.shape.outputs = actions + 1;
    net.network = MakeQNetwork(net.shape, m_learningRate);
    net.network->SetWeights(DrawQWeights(net.shape, random));
    return net;
}

void
PolicyPipelinePlanner::Bias(Net& net, const std::vector<double>& logits)
{
    auto weights = net.network->GetWeights();
    float* bias = weights.data() + weights.size() - net.shape.outputs;
    for (double logit : logits)
    {
        *bias++ += static_cast<float>(logit);
    }
    net.network->SetWeights(weights);
}

QInputs
PolicyPipelinePlanner::MakeInputs(const std::vector<const Step*>& steps, bool isRecurrent)
{
    QInputs inputs;
    inputs.rows = steps.size();
    for (const Step* step : steps)
    {
        inputs.states.insert(inputs.states.end(), step->figures.begin(), step->figures.end());
        inputs.previous.insert(inputs.previous.end(), step->previous.begin(), step->previous.end());
    }
    if (isRecurrent)
    {
        inputs.recurrent = inputs.states;
    }
    return inputs;
}

std::vector<PipelinePlan>
PolicyPipelinePlanner::DrawPlans(const StagedWalk& walk,
                                 Net& cut,
                                 Net& place,
                                 std::size_t count,
                                 const Ptr<UniformRandomVariable>& random,
                                 std::vector<Step>& steps)
{
    steps.clear();
    std::vector<StagedState> states(count, walk.Begin());
    const std::size_t units = cut.shape.recurrentUnits;
    std::vector<std::vector<float>> hidden(count, std::vector<float>(units, 0));
    // All plans are cut in step, layer by layer, so that the network sees many rows at once.
    for (const bool isCut : {true, false})
    {
        Net& net = isCut ? cut : place;
        bool isDone = false;
        while (!isDone)
        {
            isDone = true;
            std::vector<Step> now;
            for (std::size_t i = 0; i < count; ++i)
            {
                if (walk.IsFinished(states[i]) || walk.IsCutting(states[i]) != isCut)
                {
                    continue;
                }
                isDone = false;
                Step step{isCut,
                          {},
                          {},
                          walk.FindAllowed(states[i]),
                          0,
                          1,
                          0,
                          i,
                          isCut ? states[i].layer : states[i].plan.stages.size(),
                          0};
                if (std::count(step.isAllowed.begin(), step.isAllowed.end(), true) > 1)
                {
                    walk.Describe(states[i], step.figures);
                    step.previous = hidden[i];
                    now.push_back(std::move(step));
                }
                else
                {
                    const auto only = std::find(step.isAllowed.begin(), step.isAllowed.end(), true);
                    walk.Take(states[i], only - step.isAllowed.begin());
                }
            }
            if (now.empty())
            {
                continue;
            }
            std::vector<const Step*> rows;
            for (const Step& step : now)
            {
                rows.push_back(&step);
            }
            const QOutputs outputs =
                net.network->Evaluate(QNetwork::ONLINE, MakeInputs(rows, units > 0));
            for (std::size_t row = 0; row < now.size(); ++row)
            {
                Step& step = now[row];
                const float* values = outputs.values.data() + row * net.shape.outputs;
                const auto probabilities = FindProbabilities(values, step.isAllowed);
                step.action = DrawAction(probabilities, random);
                step.probability = probabilities[step.action];
                step.value = values[net.shape.outputs - 1];
                walk.Take(states[step.plan], step.action);
                const auto h = outputs.hidden.begin() + static_cast<std::ptrdiff_t>(row * units);
                hidden[step.plan].assign(h, h + static_cast<std::ptrdiff_t>(units));
                steps.push_back(std::move(step));
            }
        }
    }
    std::vector<PipelinePlan> plans;
    for (StagedState& state : states)
    {
        plans.push_back(std::move(state.plan));
    }
    return plans;
}

void
PolicyPipelinePlanner::Fit(Net& net,
                           double scale,
                           const PolicyWeights& weights,
                           const Ptr<UniformRandomVariable>& random) const
{
    const std::size_t rows = std::min<std::size_t>(m_batchSteps, net.steps.size());
    if (rows == 0)
    {
        return;
    }
    for (std::size_t i = 0; i < rows; ++i)
    {
        const uint32_t last = static_cast<uint32_t>(net.steps.size() - 1);
        std::swap(net.steps[i], net.steps[random->GetInteger(static_cast<uint32_t>(i), last)]);
    }
    const std::vector<const Step*> drawn(net.steps.begin(),
                                         net.steps.begin() + static_cast<std::ptrdiff_t>(rows));
    const QInputs inputs = MakeInputs(drawn, net.shape.recurrentUnits > 0);
    const auto values = net.network->Evaluate(QNetwork::ONLINE, inputs).values;
    std::vector<float> gradients;
    for (std::size_t row = 0; row < rows; ++row)
    {
        const Step& step = *drawn[row];
        const float* outputs = values.data() + row * net.shape.outputs;
        const double expected = outputs[net.shape.outputs - 1];
        const double goal = step.goal;
        for (double each : GetPolicyGradient(FindProbabilities(outputs, step.isAllowed),
                                             step.action,
                                             step.probability,
                                             (goal - step.value) / scale,
                                             weights))
        {
            gradients.push_back(static_cast<float>(each / rows));
        }
        gradients.push_back(static_cast<float>(2 * m_valueWeight * (expected - goal) / rows));
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
    const StagedWalk walk(costModel, m_setting == "paper");
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
        const CutWalk cuts(costModel);
        const StageFit fit(costModel);
        const auto judge = [&](const PipelineDivision& division) {
            const PipelinePlan plan = fit.PlaceByRule(division, made.rewards->GetScales());
            const bool isSpent = budget.GetLeft() <= 1;
            return isSpent ? std::numeric_limits<double>::infinity() : budget.Consider(plan);
        };
        CutRehearsal(cuts, *made.rewards, false)
            .Choose(options.kappa, options.varsigma, judge, random);
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
    const Method method = GetMethod();
    const PolicyWeights weights{method.clip, m_entropyWeight};
    const std::size_t devices = walk.CountDevices();
    Net cut = MakeNet(method, walk.CountCutFigures(), 2, random);
    Net place = MakeNet(method, walk.CountPlaceFigures(), devices, random);
    const bool takesFew = start % 2 == 0;
    const double stages = std::max(1.0, static_cast<double>(devices) / (takesFew ? FEWER : 1));
    const double share = std::min(0.5, stages / static_cast<double>(walk.CountLayers()));
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
        for (uint32_t epoch = 0; epoch < method.epochs; ++epoch)
        {
            Fit(cut, getScale(true), weights, random);
            Fit(place, getScale(false), weights, random);
        }
        ReportProgress(budget.GetShare(), "plan " + std::to_string(budget.GetEvaluations()));
    }
}

} // namespace edgepipe
} // namespace ns3
