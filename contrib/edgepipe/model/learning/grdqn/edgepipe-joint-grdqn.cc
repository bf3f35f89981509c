/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-joint-grdqn.h"

#include "ns3/edgepipe-plan-search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Ends that are looked at for a stage.
constexpr std::size_t ENDS = 16;
/// Devices that are looked at for a stage in beam search.
constexpr std::size_t PLACES = 2;
/// Pairs of a layer and a device that searchEvaluations are for; with more pairs there are more.
constexpr double SEARCHED_PAIRS = 1000;
/// What sums of speeds may be off by.
constexpr double ROUNDING = 1 + 1e-9;

/**
 * @param options how
 * @param recurrent entries of the GRU's input; 0: there is none
 * @param outputs of the network
 * @return its shape
 */
QNetworkShape
MakeShape(const GrdqnOptions& options, std::size_t recurrent, std::size_t outputs)
{
    QNetworkShape shape;
    shape.recurrentInputs = recurrent;
    shape.recurrentUnits = recurrent > 0 ? options.recurrentUnits : 0;
    shape.inputs = PartialPlanner::FEATURES;
    shape.hidden = options.hiddenUnits;
    shape.outputs = outputs;
    return shape;
}

/**
 * @param options how
 * @return the shape of GRDQN
 */
QNetworkShape
MakeJointPlaceShape(const GrdqnOptions& options)
{
    return MakeShape(options, 4 * options.deviceSlots, options.deviceSlots);
}

} // namespace

JointGrdqn::JointGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options)
    : GrdqnAgent(costModel, options, MakeShape(options, 0, 1), MakeJointPlaceShape(options)),
      m_partials(costModel),
      m_experience(std::make_shared<Experience>(
          Experience{ReplayBuffer<PlaceStep>(options.replayCapacity, options.priorityExponent),
                     ReplayBuffer<CutStep>(options.replayCapacity, options.priorityExponent)}))
{
    FillSlots();
}

JointGrdqn::JointGrdqn(const PipelineCostModel& costModel, const JointGrdqn& other)
    : GrdqnAgent(costModel, other),
      m_partials(costModel),
      m_experience(other.m_experience)
{
    FillSlots();
}

void
JointGrdqn::FillSlots()
{
    m_deviceOf = m_partials.GetScales().GetFastestFirst();
    m_slotOf.resize(m_deviceOf.size());
    for (std::size_t slot = 0; slot < m_deviceOf.size(); ++slot)
    {
        m_slotOf[m_deviceOf[slot]] = slot;
    }
}

std::size_t
JointGrdqn::FindSlots(const GrdqnOptions& options,
                      const std::vector<std::vector<float>>& weights,
                      std::size_t devices)
{
    if (weights.size() != 2 || weights[0].size() != MakeShape(options, 0, 1).CountWeights())
    {
        return 0;
    }
    GrdqnOptions trial = options;
    trial.deviceSlots = devices;
    while (MakeJointPlaceShape(trial).CountWeights() < weights[1].size())
    {
        ++trial.deviceSlots;
    }
    return MakeJointPlaceShape(trial).CountWeights() == weights[1].size() ? trial.deviceSlots : 0;
}

JointGrdqn::PlaceState
JointGrdqn::DescribePlacing(const Node& node) const
{
    PlaceState state;
    const auto devices = m_partials.GetScales().DescribeDevices(node.partial.isTaken);
    const std::size_t figures = devices.size() / m_deviceOf.size();
    for (std::size_t device : m_deviceOf)
    {
        const auto first = devices.begin() + static_cast<std::ptrdiff_t>(device * figures);
        state.devices.insert(state.devices.end(), first, first + figures);
    }
    for (std::size_t slot = m_deviceOf.size(); slot < m_placeShape.outputs; ++slot)
    {
        // A slot without a device looks like a device of nothing that is taken.
        state.devices.resize(state.devices.size() + figures, 0);
        state.devices.back() = 1;
    }
    state.previous = node.previous;
    m_partials.Describe(node.partial, state.features);
    for (std::size_t device : m_partials.FindDevices(node.partial))
    {
        state.allowed.push_back(m_slotOf[device]);
    }
    return state;
}

void
JointGrdqn::Append(QInputs& inputs, const PlaceState& state)
{
    auto add = [](std::vector<float>& all, const std::vector<float>& part) {
        all.insert(all.end(), part.begin(), part.end());
    };
    ++inputs.rows;
    add(inputs.recurrent, state.devices);
    add(inputs.previous, state.previous);
    add(inputs.states, state.features);
}

JointGrdqn::Choices
JointGrdqn::FindChoices(const PartialPlan& partial, std::size_t device, std::size_t also)
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

std::vector<double>
JointGrdqn::EstimateChoices(const Choices& choices)
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

JointGrdqn::Node
JointGrdqn::BeginNode() const
{
    Node node{m_partials.Begin(), std::vector<float>(m_placeShape.recurrentUnits, 0), 0, 0};
    node.promise = m_partials.PromiseSeconds(node.partial);
    return node;
}

JointGrdqn::Node
JointGrdqn::Walk(double epsilon,
                 const Ptr<UniformRandomVariable>& random,
                 const PipelinePlan* given)
{
    std::vector<PlaceStep> placings;
    std::vector<CutStep> cuts;
    std::vector<double> promises;
    Node node = BeginNode();
    while (!m_partials.IsFinished(node.partial))
    {
        PlaceStep step{DescribePlacing(node), 0, {}, {}, {}, 0};
        if (!node.partial.plan.stages.empty())
        {
            cuts.push_back({step.state, 0});
        }
        QInputs inputs;
        Append(inputs, step.state);
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
            step.slot = allowed[random->GetInteger(0, static_cast<uint32_t>(allowed.size() - 1))];
        }
        else
        {
            step.slot = *std::max_element(allowed.begin(),
                                          allowed.end(),
                                          [&](std::size_t a, std::size_t b) {
                                              return outputs.values[a] < outputs.values[b];
                                          });
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
        const double observed = std::log(promises[i] / node.promise);
        placings[i].observed = observed;
        m_experience->placings.Add(std::move(placings[i]));
        if (i > 0)
        {
            cuts[i - 1].observed = observed;
            m_experience->cuts.Add(std::move(cuts[i - 1]));
        }
    }
    return node;
}

std::vector<JointGrdqn::Node>
JointGrdqn::Search(std::size_t width)
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
            PlaceState state = DescribePlacing(node);
            Append(inputs, state);
            allowed.push_back(std::move(state.allowed));
        }
        const QOutputs outputs = m_place->Evaluate(QNetwork::ONLINE, inputs);
        Choices choices;
        std::vector<std::size_t> parents;
        for (std::size_t n = 0; n < beam.size(); ++n)
        {
            const float* values = outputs.values.data() + n * m_placeShape.outputs;
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
            const auto hidden = outputs.hidden.begin() + parents[i] * m_placeShape.recurrentUnits;
            Node node{std::move(choices.partials[i]),
                      {hidden, hidden + m_placeShape.recurrentUnits},
                      choices.promises[i],
                      estimates[i]};
            (m_partials.IsFinished(node.partial) ? finished : next).push_back(std::move(node));
        }
        std::stable_sort(next.begin(), next.end(), isBetter);
        next.resize(std::min(width, next.size()));
        beam = std::move(next);
    }
    std::stable_sort(finished.begin(), finished.end(), isBetter);
    return finished;
}

PartialPlan
JointGrdqn::ShareBySpeed(std::size_t devices) const
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

PipelinePlan
JointGrdqn::Decide()
{
    Node best = Search(m_options.beamWidth).front();
    const PipelineProblem& problem = m_costModel.GetProblem();
    const double pairs = static_cast<double>(problem.layers.size() * problem.devices.size());
    auto evaluations =
        static_cast<uint64_t>(std::max(1.0, pairs / SEARCHED_PAIRS) * m_options.searchEvaluations);
    if (m_options.mostEvaluations > 0)
    {
        evaluations = std::min<uint64_t>(evaluations, m_options.searchEvaluations);
    }
    for (std::size_t devices = 1; devices <= problem.devices.size() && evaluations > 0; ++devices)
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

} // namespace edgepipe
} // namespace ns3
