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

/**
 * @param replay what was learned from
 * @param drawn its places
 * @param errors found there, which say what is drawn from now on
 * @return mean of their squares
 */
template <typename Step>
double
Prioritise(ReplayBuffer<Step>& replay,
           const std::vector<std::size_t>& drawn,
           const std::vector<float>& errors)
{
    double loss = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
    {
        replay.SetPriority(drawn[i], errors[i]);
        loss += errors[i] * errors[i] / static_cast<double>(errors.size());
    }
    return loss;
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

void
JointGrdqn::Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress)
{
    TrainTogether({this}, random, progress);
}

void
JointGrdqn::TrainTogether(const std::vector<JointGrdqn*>& agents,
                          Ptr<UniformRandomVariable> random,
                          const GrdqnProgress& progress)
{
    JointGrdqn& first = *agents.front();
    const auto problems = static_cast<uint32_t>(agents.size());
    const uint32_t episodes = first.m_options.cutEpisodes * problems;
    const uint64_t most = first.m_options.mostEvaluations;
    first.DrawWeights(random);
    auto best = first.GetWeights();
    double least = std::numeric_limits<double>::infinity();
    double share = 0;
    for (uint32_t episode = 0; episode < episodes && share < 1; ++episode)
    {
        JointGrdqn& agent = *agents[episode % problems];
        GrdqnEpisode report{"joint",
                            episode,
                            0,
                            first.FindEpsilon(share * episodes, episodes),
                            0,
                            0};
        agent.PlayEpisode(random, report);
        uint64_t evaluations = 0;
        for (const JointGrdqn* each : agents)
        {
            evaluations += each->m_evaluations;
        }
        share = (episode + 1.0) / episodes;
        share = most > 0 ? std::max(share, static_cast<double>(evaluations) / most) : share;
        if ((episode + 1) % (LOOK_INTERVAL * problems) == 0 || episode + 1 == episodes ||
            share >= 1)
        {
            double sum = 0;
            for (JointGrdqn* each : agents)
            {
                sum += std::log(each->Search(each->m_options.beamWidth).front().promise);
            }
            report.iterationSeconds = std::exp(sum / problems);
            if (report.iterationSeconds < least)
            {
                least = report.iterationSeconds;
                best = first.GetWeights();
            }
        }
        if (progress)
        {
            progress(report, std::min(1.0, share));
        }
    }
    first.SetWeights(best);
}

void
JointGrdqn::PlayEpisode(const Ptr<UniformRandomVariable>& random, GrdqnEpisode& report)
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

std::size_t
JointGrdqn::FindLargest(const std::vector<double>& values)
{
    return std::max_element(values.begin(), values.end()) - values.begin();
}

double
JointGrdqn::Fit(const Ptr<UniformRandomVariable>& random)
{
    const double loss = FitPlace(random) + (m_experience->cuts.GetSize() > 0 ? FitCut(random) : 0);
    if (++m_experience->fits % m_options.targetInterval == 0)
    {
        m_cut->CopyToTarget();
        m_place->CopyToTarget();
    }
    return loss;
}

double
JointGrdqn::FitPlace(const Ptr<UniformRandomVariable>& random)
{
    QInputs now;
    QInputs ends;
    std::vector<std::size_t> drawn;
    std::vector<std::size_t> slots;
    std::vector<float> weights;
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        drawn.push_back(m_experience->placings.Draw(random));
        const PlaceStep& step = m_experience->placings[drawn.back()];
        Append(now, step.state);
        slots.push_back(step.slot);
        weights.push_back(static_cast<float>(m_experience->placings.GetWeight(drawn.back())));
        ends.rows += step.rewards.size();
        ends.states.insert(ends.states.end(), step.features.begin(), step.features.end());
    }
    const auto values = m_cut->Evaluate(QNetwork::TARGET, ends).values;
    const auto choosing =
        m_options.doubleDqn ? m_cut->Evaluate(QNetwork::ONLINE, ends).values : values;
    std::vector<float> targets;
    std::size_t row = 0;
    for (std::size_t index : drawn)
    {
        const PlaceStep& step = m_experience->placings[index];
        std::vector<double> returns;
        std::vector<double> chosenBy;
        for (std::size_t i = 0; i < step.rewards.size(); ++i, ++row)
        {
            returns.push_back(step.rewards[i] + (step.isLast[i] ? 0 : values[row]));
            chosenBy.push_back(step.rewards[i] + (step.isLast[i] ? 0 : choosing[row]));
        }
        double target = returns[FindLargest(chosenBy)];
        if (m_options.returnBound)
        {
            target = std::max(target, step.observed);
        }
        targets.push_back(static_cast<float>(target));
    }
    const auto errors = m_place->Fit(now, slots, targets, weights);
    return Prioritise(m_experience->placings, drawn, errors);
}

double
JointGrdqn::FitCut(const Ptr<UniformRandomVariable>& random)
{
    QInputs now;
    QInputs placing;
    std::vector<std::size_t> drawn;
    std::vector<float> weights;
    for (std::size_t i = 0; i < m_options.batchSize; ++i)
    {
        drawn.push_back(m_experience->cuts.Draw(random));
        const CutStep& step = m_experience->cuts[drawn.back()];
        Append(placing, step.state);
        weights.push_back(static_cast<float>(m_experience->cuts.GetWeight(drawn.back())));
    }
    now.rows = placing.rows;
    now.states = placing.states;
    const std::size_t slots = m_placeShape.outputs;
    const auto values = m_place->Evaluate(QNetwork::TARGET, placing).values;
    const auto choosing =
        m_options.doubleDqn ? m_place->Evaluate(QNetwork::ONLINE, placing).values : values;
    std::vector<float> targets;
    for (std::size_t i = 0; i < drawn.size(); ++i)
    {
        const CutStep& step = m_experience->cuts[drawn[i]];
        const auto& allowed = step.state.allowed;
        const std::size_t slot =
            *std::max_element(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
                return choosing[i * slots + a] < choosing[i * slots + b];
            });
        double target = values[i * slots + slot];
        if (m_options.returnBound)
        {
            target = std::max(target, step.observed);
        }
        targets.push_back(static_cast<float>(target));
    }
    const auto errors = m_cut->Fit(now, std::vector<std::size_t>(now.rows, 0), targets, weights);
    return Prioritise(m_experience->cuts, drawn, errors);
}

} // namespace edgepipe
} // namespace ns3
