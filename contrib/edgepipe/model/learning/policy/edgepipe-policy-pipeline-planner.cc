/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy-pipeline-planner.h"

#include "ns3/double.h"
#include "ns3/edgepipe-grdqn-agent.h"
#include "ns3/uinteger.h"

#include <algorithm>
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

} // namespace

TypeId
PolicyPipelinePlanner::GetTypeId()
{
    using P = PolicyPipelinePlanner;
    static TypeId tid =
        TypeId("ns3::edgepipe::PolicyPipelinePlanner")
            .SetParent<LearningPipelinePlanner>()
            .SetGroupName("Edgepipe")
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
                Step step{isCut, {}, {}, walk.FindAllowed(states[i]), 0, 1, 0, i};
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
                           const std::vector<double>& returns,
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
        const double goal = returns[step.plan];
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
    const StagedWalk walk(costModel);
    for (uint32_t start = 0; start < m_starts && budget.GetLeft() > 0; ++start)
    {
        LearnOnce(walk, costModel, start, budget, random);
    }
}

void
PolicyPipelinePlanner::LearnOnce(const StagedWalk& walk,
                                 const PipelineCostModel& costModel,
                                 uint32_t start,
                                 PlanBudget& budget,
                                 const Ptr<UniformRandomVariable>& random)
{
    const Method method = GetMethod();
    const PolicyWeights weights{method.clip, m_entropyWeight};
    const std::size_t devices = walk.CountDevices();
    Net cut = MakeNet(method, StagedWalk::CUT_FIGURES, 2, random);
    Net place = MakeNet(method, StagedWalk::PLACE_FIGURES + 4 * devices, devices, random);
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
        double squares = 0;
        for (const Step& step : steps)
        {
            (step.isCut ? cut : place).steps.push_back(&step);
            squares += std::pow(returns[step.plan] - step.value, 2);
        }
        const double scale = std::sqrt(squares / std::max<std::size_t>(1, steps.size())) + 1e-6;
        for (uint32_t epoch = 0; epoch < method.epochs; ++epoch)
        {
            Fit(cut, returns, scale, weights, random);
            Fit(place, returns, scale, weights, random);
        }
        ReportProgress(budget.GetShare(),
                       GetName() + " plan " + std::to_string(budget.GetEvaluations()));
    }
}

} // namespace edgepipe
} // namespace ns3
