/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy-pipeline-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-q-network.h"
#include "ns3/edgepipe-staged-walk.h"

#include <cmath>
#include <memory>

namespace ns3::edgepipe
{

std::vector<double>
FindProbabilities(const float* logits, std::size_t actions, const std::vector<std::size_t>& allowed)
{
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t action : allowed)
    {
        largest = std::max<double>(largest, logits[action]);
    }
    std::vector<double> probabilities(actions, 0);
    double sum = 0;
    for (std::size_t action : allowed)
    {
        probabilities[action] = std::exp(logits[action] - largest);
        sum += probabilities[action];
    }
    for (double& probability : probabilities)
    {
        probability /= sum;
    }
    return probabilities;
}

std::size_t
DrawAction(const std::vector<double>& probabilities, const Ptr<UniformRandomVariable>& random)
{
    double rest = random->GetValue();
    std::size_t last = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
    {
        if (probabilities[i] > 0)
        {
            last = i;
            rest -= probabilities[i];
            if (rest < 0)
            {
                break;
            }
        }
    }
    return last;
}

std::vector<double>
GetPolicyGradient(const std::vector<double>& probabilities,
                  std::size_t action,
                  double before,
                  double advantage,
                  double clip,
                  double entropyWeight)
{
    const double ratio = probabilities[action] / before;
    const bool isClipped = advantage > 0 ? ratio > 1 + clip : ratio < 1 - clip;
    const double byLogarithm = isClipped ? 0 : -advantage * ratio;
    double entropy = 0;
    for (double p : probabilities)
    {
        entropy -= p > 0 ? p * std::log(p) : 0;
    }
    std::vector<double> gradient;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
    {
        const double p = probabilities[i];
        gradient.push_back(p > 0 ? byLogarithm * ((i == action ? 1 : 0) - p) +
                                       entropyWeight * p * (std::log(p) + entropy)
                                 : 0);
    }
    return gradient;
}

NS_OBJECT_ENSURE_REGISTERED(PolicyPipelinePlanner);

namespace
{

/// Least initial logit of a device, relative to the fastest one.
constexpr double LEAST_LOGIT = -4;
/// Initial devices per stage in starts that take few devices.
constexpr double FEWER = 4;
/// Figures of a state while cutting, see Learner::Describe.
constexpr std::size_t CUT_FIGURES = PipelineScales::LAYER_FIGURES + 6;
/// Figures of a state while placing, in addition to four per device.
constexpr std::size_t PLACE_FIGURES = 5;

} // namespace

/** Learns one policy for a problem. */
class PolicyPipelinePlanner::Learner
{
  public:
    /**
     * @param planner provides the attributes
     * @param costModel the cost model
     * @param budget evaluates plans
     * @param random source of draws
     * @param start number of policies learned before
     */
    Learner(PolicyPipelinePlanner& planner,
            const PipelineCostModel& costModel,
            PlanBudget& budget,
            const Ptr<UniformRandomVariable>& random,
            uint32_t start)
        : m_planner(planner),
          m_costModel(costModel),
          m_budget(budget),
          m_random(random),
          m_walk(costModel)
    {
        const std::size_t devices = costModel.GetProblem().devices.size();
        const auto layers = static_cast<double>(costModel.GetProblem().layers.size());
        const bool takesFew = start % 2 == 0;
        const double stages = std::max(1.0, static_cast<double>(devices) / (takesFew ? FEWER : 1));
        const double share = std::min(0.5, stages / layers);
        std::vector<double> cutLogits(2, 0);
        cutLogits[StagedWalk::SPLIT] = std::log(share / (1 - share));
        std::vector<double> placeLogits;
        for (std::size_t d = 0; d < devices && takesFew; ++d)
        {
            placeLogits.push_back(std::max(LEAST_LOGIT, std::log(m_walk.GetScales().GetSpeed(d))));
        }
        m_cut.network = MakeNetwork(CUT_FIGURES, 2, cutLogits);
        m_place.network = MakeNetwork(4 * devices + PLACE_FIGURES, devices, placeLogits);
    }

    /** @param until evaluations of the budget at which to stop */
    void Run(uint64_t until)
    {
        const uint64_t before = m_budget.GetEvaluations();
        double origin = 0;
        while (m_budget.GetEvaluations() < until)
        {
            std::vector<Step> steps;
            const uint64_t count =
                std::min<uint64_t>(m_planner.m_batchPlans, until - m_budget.GetEvaluations());
            const auto plans = DrawPlans(count, steps);
            const bool isFirst = m_budget.GetEvaluations() == before;
            std::vector<double> returns;
            for (const PipelinePlan& plan : plans)
            {
                returns.push_back(-std::log(std::max(1e-300, m_budget.Evaluate(plan))));
                origin += isFirst ? returns.back() / static_cast<double>(plans.size()) : 0;
            }
            const auto best = std::max_element(returns.begin(), returns.end()) - returns.begin();
            double mean = 0;
            for (double& each : returns)
            {
                mean += each / static_cast<double>(plans.size());
                each -= origin;
            }
            m_planner.m_batch(m_budget.GetEvaluations(), std::exp(-mean));
            m_planner.Refine(m_costModel, plans[best], m_budget);

            m_cut.steps.clear();
            m_place.steps.clear();
            double squares = 0;
            for (Step& step : steps)
            {
                step.goal = returns[step.plan];
                (step.isCut ? m_cut : m_place).steps.push_back(&step);
                squares += std::pow(step.goal - step.value, 2);
            }
            const double scale = std::sqrt(squares / std::max<std::size_t>(1, steps.size())) + 1e-6;
            for (uint32_t epoch = 0; epoch < m_planner.m_epochs; ++epoch)
            {
                Fit(m_cut, scale);
                Fit(m_place, scale);
            }
            m_planner.ReportProgress(m_budget.GetShare(),
                                     "plan " + std::to_string(m_budget.GetEvaluations()));
        }
    }

  private:
    /** A decision and its state. */
    struct Step
    {
        bool isCut;         //!< whether about a cut
        QState state;       //!< state of the decision
        std::size_t plan;   //!< index in its batch
        std::size_t action; //!< action taken
        double probability; //!< its probability when taken
        double value;       //!< expected return
        double goal;        //!< observed return
    };

    /** One of the two networks. */
    struct Net
    {
        std::unique_ptr<QNetwork> network; //!< gives logits of the actions and an expected return
        std::vector<const Step*> steps;    //!< its training samples
    };

    /**
     * @param figures number of figures of a state
     * @param actions number of actions
     * @param logits added to the initial biases of the outputs, by action; empty: none
     * @return the network
     */
    std::unique_ptr<QNetwork> MakeNetwork(std::size_t figures,
                                          std::size_t actions,
                                          const std::vector<double>& logits) const
    {
        const uint32_t units = m_planner.m_encoderUnits;
        const QNetworkShape shape{units > 0 ? figures : 0,
                                  units,
                                  figures,
                                  m_planner.FindHiddenUnits(),
                                  actions + 1};
        auto network = MakeQNetwork(shape, m_planner.m_learningRate);
        auto weights = DrawQWeights(shape, m_random);
        float* bias = weights.data() + weights.size() - shape.outputs;
        for (double logit : logits)
        {
            *bias++ += static_cast<float>(logit);
        }
        network->SetWeights(weights);
        return network;
    }

    /**
     * The paper's figures of a state, and what they lack: the plan's progress, the size of the open
     * stage, the remaining work and the remaining devices.
     *
     * @param state a partial plan
     * @param hidden h of the previous step
     * @return the policy's input
     */
    QState Describe(const StagedPlan& state, const std::vector<float>& hidden) const
    {
        QState described;
        std::vector<float>& figures = described.figures;
        m_walk.Describe(state, figures);
        const PipelineScales& scales = m_walk.GetScales();
        const double total = scales.GetTotalWork();
        const auto devices = static_cast<double>(state.isTaken.size());
        if (m_walk.IsCutting(state))
        {
            const std::size_t last = m_costModel.GetProblem().layers.size() - 1;
            const double balanced = total / scales.GetTotalSpeed();
            const double work = scales.GetWork(state.first, state.layer);
            figures.push_back(Share(work, total));
            figures.push_back(Share(work, balanced));
            figures.push_back(Share(m_costModel.StageMemoryBytes(state.first, state.layer),
                                    m_walk.GetLargestMemory()));
            figures.push_back(Share(scales.GetWork(state.layer + 1, last), total));
            figures.push_back(Share(state.stage, devices));
            figures.push_back(Share(m_costModel.TransferSeconds(state.layer), balanced));
        }
        else
        {
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
        described.previous = hidden;
        if (m_planner.m_encoderUnits > 0)
        {
            described.recurrent = figures;
        }
        return described;
    }

    /**
     * Draws plans from the policy.
     *
     * @param count number of plans
     * @param steps extended by all decisions that had a choice
     * @return the plans
     */
    std::vector<PipelinePlan> DrawPlans(std::size_t count, std::vector<Step>& steps)
    {
        const uint32_t units = m_planner.m_encoderUnits;
        std::vector<StagedPlan> states(count, m_walk.Begin());
        std::vector<std::vector<float>> hidden(count, std::vector<float>(units, 0));
        // All plans advance together, so that the network evaluates many rows at once.
        for (const bool isCut : {true, false})
        {
            QNetwork& network = isCut ? *m_cut.network : *m_place.network;
            const std::size_t outputs = network.GetShape().outputs;
            bool isDone = false;
            while (!isDone)
            {
                isDone = true;
                std::vector<Step> now;
                QInputs inputs;
                for (std::size_t i = 0; i < count; ++i)
                {
                    if (m_walk.IsFinished(states[i]) || m_walk.IsCutting(states[i]) != isCut)
                    {
                        continue;
                    }
                    isDone = false;
                    auto allowed = m_walk.FindAllowed(states[i]);
                    if (allowed.size() == 1)
                    {
                        m_walk.TakeAction(states[i], allowed.front());
                        continue;
                    }
                    now.push_back({isCut, Describe(states[i], hidden[i]), i, 0, 1, 0, 0});
                    now.back().state.allowed = std::move(allowed);
                    inputs.Add(now.back().state);
                }
                if (now.empty())
                {
                    continue;
                }
                const QOutputs made = network.Evaluate(QNetwork::ONLINE, inputs);
                const float* values = made.values.data();
                const float* h = made.hidden.data();
                for (Step& step : now)
                {
                    const auto probabilities =
                        FindProbabilities(values, outputs - 1, step.state.allowed);
                    step.action = DrawAction(probabilities, m_random);
                    step.probability = probabilities[step.action];
                    step.value = values[outputs - 1];
                    m_walk.TakeAction(states[step.plan], step.action);
                    hidden[step.plan].assign(h, h + units);
                    steps.push_back(std::move(step));
                    values += outputs;
                    h += units;
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

    /**
     * One gradient step of a network.
     *
     * @param net the network and its samples
     * @param scale divisor of the advantages
     */
    void Fit(Net& net, double scale)
    {
        const std::size_t rows = std::min<std::size_t>(m_planner.m_batchSteps, net.steps.size());
        if (rows == 0)
        {
            return;
        }
        QInputs inputs;
        for (std::size_t i = 0; i < rows; ++i)
        {
            const auto last = static_cast<uint32_t>(net.steps.size() - 1);
            std::swap(net.steps[i],
                      net.steps[m_random->GetInteger(static_cast<uint32_t>(i), last)]);
            inputs.Add(net.steps[i]->state);
        }
        const std::size_t actions = net.network->GetShape().outputs - 1;
        const auto values = net.network->Evaluate(QNetwork::ONLINE, inputs).values;
        std::vector<float> gradients;
        for (std::size_t row = 0; row < rows; ++row)
        {
            const Step& step = *net.steps[row];
            const float* outputs = values.data() + row * (actions + 1);
            const double error = outputs[actions] - step.goal;
            for (double each :
                 GetPolicyGradient(FindProbabilities(outputs, actions, step.state.allowed),
                                   step.action,
                                   step.probability,
                                   (step.goal - step.value) / scale,
                                   m_planner.m_clip,
                                   m_planner.m_entropyWeight))
            {
                gradients.push_back(static_cast<float>(each / rows));
            }
            gradients.push_back(static_cast<float>(2 * m_planner.m_valueWeight * error / rows));
        }
        net.network->Descend(inputs, gradients);
    }

    PolicyPipelinePlanner& m_planner;     //!< provides the attributes
    const PipelineCostModel& m_costModel; //!< the cost model
    PlanBudget& m_budget;                 //!< evaluates plans
    Ptr<UniformRandomVariable> m_random;  //!< source of draws
    StagedWalk m_walk;                    //!< the decisions
    Net m_cut;                            //!< decides about cuts
    Net m_place;                          //!< decides about devices
};

TypeId
PolicyPipelinePlanner::AddAttributes(TypeId tid)
{
    using P = PolicyPipelinePlanner;
    return Attributes(tid)
        .Add("Batch", "Evaluations and mean iteration time of a batch, s.", {&P::m_batch, "Batch"})
        .Add("BatchPlans",
             "Plans drawn between two updates of the policy (ours).",
             {&P::m_batchPlans, 16, 1, 100000})
        .Add("Starts",
             "Policies learned one after the other, each with its share of the budget (ours).",
             {&P::m_starts, 2, 1, 10000})
        .Add("BatchSteps",
             "Most decisions per gradient step of each network (ours).",
             {&P::m_batchSteps, 512, 1, 10000000})
        .Add("EntropyWeight",
             "Weight of the policy's entropy, which keeps it exploring (ours).",
             {&P::m_entropyWeight, 0.01, 0, 1000})
        .Add("ValueWeight",
             "Weight of the squared error of the expected return (ours).",
             {&P::m_valueWeight, 0.5, 0, 1000});
}

void
PolicyPipelinePlanner::Refine(const PipelineCostModel&, const PipelinePlan&, PlanBudget&) const
{
}

void
PolicyPipelinePlanner::Learn(const PipelineCostModel& costModel,
                             PlanBudget& budget,
                             const Ptr<UniformRandomVariable>& random)
{
    for (uint32_t start = 0; start < m_starts && budget.GetLeft() > 0; ++start)
    {
        const uint32_t left = m_starts - start;
        const uint64_t share = (budget.GetLeft() + left - 1) / left;
        Learner(*this, costModel, budget, random, start).Run(budget.GetEvaluations() + share);
    }
}

/**
 * Proximal policy optimisation (J. Schulman et al., "Proximal policy optimization algorithms",
 * arXiv:1707.06347, 2017), one of the planners that DGPAS compares itself with: several gradient
 * steps per batch of plans, with the loss clipped so that the policy does not move far from the one
 * that drew them. Decisions and reward are PolicyPipelinePlanner's.
 */
class PpoPipelinePlanner : public Named<PpoPipelinePlanner, PolicyPipelinePlanner>
{
  public:
    static constexpr const char* NAME = "ppo"; //!< for users

    /**
     * @param tid of the class
     * @return tid with its attributes
     */
    static TypeId AddAttributes(TypeId tid)
    {
        using P = PpoPipelinePlanner;
        return Attributes(tid)
            .Add("Clip",
                 "Largest distance of the ratio of new to old probability from 1 (Schulman et al.: "
                 "0.2).",
                 {&P::m_clip, 0.2, 0, 1000})
            .Add("Epochs",
                 "Gradient steps per batch of plans (ours).",
                 {&P::m_epochs, 6, 1, 10000});
    }
};

NS_OBJECT_ENSURE_REGISTERED(PpoPipelinePlanner);

} // namespace ns3::edgepipe
