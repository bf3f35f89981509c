/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-plan-regression.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-learning-pipeline-planner.h"
#include "ns3/edgepipe-partial-plan.h"
#include "ns3/edgepipe-q-network.h"
#include "ns3/edgepipe-replay-buffer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace ns3::edgepipe
{

namespace
{

/// Capacity of the replay buffer, lessons.
constexpr std::size_t REPLAY = 5000;

} // namespace

/**
 * n-step Q learning on a learned cost model, after AutoPipe (J. Hu et al., "AutoPipe: automatic
 * configuration of pipeline parallelism in shared GPU cluster", ICPP 2024, as described by DGPAS,
 * section 5.2.2).
 *
 * First, random plans are evaluated and a cost model is fitted to them (PlanRegression). Then, in
 * rounds, episodes are played against that model, which costs no evaluations: a plan grows stage by
 * stage (PartialPlanner), each time by the device and last layer with the highest value of a
 * network, or by a random step. The value of a partial plan is the logarithm of the finished plan's
 * speed; its target is the largest value n steps on, or the predicted speed of the finished plan if
 * that is nearer (R. Sutton and A. Barto, "Reinforcement learning", 2nd ed., section 7). After a
 * round, the plans predicted to be fastest are evaluated with the true cost model, and the learned
 * one is refitted with them.
 */
class AutoPipePipelinePlanner : public Named<AutoPipePipelinePlanner, LearningPipelinePlanner>
{
  public:
    static constexpr const char* NAME = "autopipe"; //!< for users

    /**
     * @param tid of the class
     * @return tid with its attributes
     */
    static TypeId AddAttributes(TypeId tid)
    {
        using P = AutoPipePipelinePlanner;
        return Attributes(tid)
            .Add("SampleShare",
                 "Least share of Evaluations that goes to plans drawn at random (ours).",
                 {&P::m_sampleShare, 0.5, 0, 1})
            .Add("Rounds",
                 "Rounds of learning and then evaluating the best plans (ours).",
                 {&P::m_rounds, 5, 1, 1000000})
            .Add("Episodes",
                 "Episodes of learning per round (ours).",
                 {&P::m_episodes, 200, 1, 10000000})
            .Add("Steps", "n of n-step learning (ours).", {&P::m_steps, 3, 1, 10000})
            .Add("Ends",
                 "Last layers considered for a stage, per device (ours).",
                 {&P::m_ends, 24, 1, 10000})
            .Add("BatchSize", "Lessons per gradient step (ours).", {&P::m_batchSize, 64, 1, 100000})
            .Add("LastEpsilon",
                 "Share of random steps in the last episode; it falls from 1 (ours).",
                 {&P::m_lastEpsilon, 0.1, 0, 1});
    }

  private:
    /** A training sample of the network. */
    struct Lesson
    {
        QState state; //!< PartialPlanner::Describe
        float target; //!< target of its value
    };

    /** State of the learning. */
    struct Work
    {
        PartialPlanner partials;           //!< grows plans
        PlanRegression model;              //!< the learned cost model
        std::unique_ptr<QNetwork> network; //!< values of partial plans
        ReplayBuffer<Lesson> replay;       //!< lessons
        Ptr<UniformRandomVariable> random; //!< source of draws
        double unit{1};                    //!< iteration time whose value is 0, seconds
    };

    /** A step that a plan may take. */
    struct Option
    {
        PartialPlan partial; //!< where it leads
        QState state;        //!< its features; empty if it is finished
        double value{0};     //!< its value
    };

    /// Plans by GetKey, so that none is evaluated twice.
    using Plans = std::map<std::vector<std::size_t>, PipelinePlan>;

    void Learn(const PipelineCostModel& costModel,
               PlanBudget& budget,
               const Ptr<UniformRandomVariable>& random) override
    {
        QNetworkShape shape;
        shape.inputs = PartialPlanner::FEATURES;
        shape.hidden = FindHiddenUnits();
        Work work{PartialPlanner(costModel),
                  PlanRegression(costModel),
                  MakeQNetwork(shape, m_learningRate),
                  ReplayBuffer<Lesson>(REPLAY, 0),
                  random};
        work.network->SetWeights(DrawQWeights(shape, random));

        // Rounds find at most rounds * episodes plans; spend the remaining evaluations on samples.
        const uint64_t all = budget.GetLeft();
        const uint64_t useful = uint64_t{m_rounds} * m_episodes;
        const auto share = static_cast<uint64_t>(m_sampleShare * static_cast<double>(all));
        const uint64_t samples =
            std::clamp<uint64_t>(std::max(share, all > useful ? all - useful : 0), 1, all);
        Plans seen;
        double sum = 0;
        for (uint64_t i = 0; i < samples; ++i)
        {
            const PipelinePlan plan = DrawPlan(work);
            const double seconds = budget.Evaluate(plan);
            sum += seconds;
            work.model.Add(plan, seconds);
            seen.emplace(GetKey(plan), plan);
        }
        work.model.Fit();
        work.unit = std::max(1e-12, sum / static_cast<double>(samples));

        const double episodes = static_cast<double>(m_rounds) * m_episodes;
        for (uint32_t round = 0; round < m_rounds && budget.GetLeft() > 0; ++round)
        {
            Plans found;
            for (uint32_t episode = 0; episode < m_episodes; ++episode)
            {
                const double done = (static_cast<double>(round) * m_episodes + episode) / episodes;
                const PipelinePlan plan = Play(work, 1 + done * (m_lastEpsilon - 1));
                found.emplace(GetKey(plan), plan);
                ReportProgress(done, "episode " + std::to_string(episode));
            }
            Validate(work, found, budget.GetLeft() / (m_rounds - round), seen, budget);
        }
    }

    /**
     * @param plan a plan
     * @return its unique key
     */
    static std::vector<std::size_t> GetKey(const PipelinePlan& plan)
    {
        std::vector<std::size_t> key;
        for (const PipelineStage& stage : plan.stages)
        {
            key.push_back(stage.device);
            key.push_back(stage.lastLayer);
        }
        return key;
    }

    /**
     * @param work state of the learning
     * @return a random plan
     */
    PipelinePlan DrawPlan(const Work& work) const
    {
        PartialPlan partial = work.partials.Begin();
        while (!work.partials.IsFinished(partial))
        {
            const auto device = DrawAnyAction(work.partials.FindDevices(partial), work.random);
            const auto ends = work.partials.FindEnds(partial, device, m_ends);
            partial = work.partials.Extend(partial, device, DrawAnyAction(ends, work.random));
        }
        return partial.plan;
    }

    /**
     * @param work state of the learning
     * @param partial a partial plan
     * @return its possible steps, with values
     */
    std::vector<Option> FindOptions(Work& work, const PartialPlan& partial) const
    {
        std::vector<Option> options;
        QInputs inputs;
        for (std::size_t device : work.partials.FindDevices(partial))
        {
            for (std::size_t end : work.partials.FindEnds(partial, device, m_ends))
            {
                Option option{work.partials.Extend(partial, device, end), {}, 0};
                if (work.partials.IsFinished(option.partial))
                {
                    option.value =
                        std::log(work.unit / work.model.PredictSeconds(option.partial.plan));
                }
                else
                {
                    work.partials.Describe(option.partial, option.state.figures);
                    inputs.Add(option.state);
                }
                options.push_back(std::move(option));
            }
        }
        if (inputs.rows > 0)
        {
            const auto values = work.network->Evaluate(QNetwork::ONLINE, inputs).values;
            auto next = values.begin();
            for (Option& option : options)
            {
                option.value = option.state.figures.empty() ? option.value : *next++;
            }
        }
        return options;
    }

    /**
     * Plays an epsilon-greedy episode, stores its lessons, and takes a gradient step.
     * @param work state of the learning
     * @param epsilon share of random steps
     * @return the plan
     */
    PipelinePlan Play(Work& work, double epsilon) const
    {
        PartialPlan partial = work.partials.Begin();
        std::vector<QState> visited;
        std::vector<double> largest; // value of the best option at every step
        double outcome = 0;
        while (!work.partials.IsFinished(partial))
        {
            auto options = FindOptions(work, partial);
            auto chosen =
                std::max_element(options.begin(), options.end(), [](const auto& a, const auto& b) {
                    return a.value < b.value;
                });
            largest.push_back(chosen->value);
            if (work.random->GetValue() < epsilon)
            {
                const auto last = static_cast<uint32_t>(options.size() - 1);
                chosen = options.begin() + work.random->GetInteger(0, last);
            }
            outcome = chosen->value;
            visited.push_back(std::move(chosen->state));
            partial = std::move(chosen->partial);
        }
        for (std::size_t t = 0; t + 1 < visited.size(); ++t)
        {
            // visited[t] is the state after step t, so the options at step t + n lie n steps on.
            const std::size_t then = t + m_steps;
            const double target = then < largest.size() ? largest[then] : outcome;
            work.replay.Add({std::move(visited[t]), static_cast<float>(target)});
        }
        if (work.replay.GetSize() > 0)
        {
            QBatch batch = work.replay.DrawBatch(m_batchSize, work.random);
            for (std::size_t index : batch.drawn)
            {
                batch.actions.push_back(0);
                batch.targets.push_back(work.replay[index].target);
            }
            work.replay.Fit(*work.network, batch);
        }
        return partial.plan;
    }

    /**
     * Evaluates the plans predicted to be fastest, and refits the learned cost model.
     * @param work state of the learning
     * @param found plans of the round
     * @param most largest number of plans to evaluate
     * @param seen plans evaluated before; extended
     * @param budget evaluates plans
     */
    static void Validate(Work& work,
                         const Plans& found,
                         uint64_t most,
                         Plans& seen,
                         PlanBudget& budget)
    {
        std::vector<std::pair<double, const PipelinePlan*>> ranked;
        for (const auto& [key, plan] : found)
        {
            if (seen.count(key) == 0)
            {
                ranked.emplace_back(work.model.PredictSeconds(plan), &plan);
            }
        }
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        });
        ranked.resize(std::min<std::size_t>(ranked.size(), most));
        for (const auto& [predicted, plan] : ranked)
        {
            work.model.Add(*plan, budget.Evaluate(*plan));
            seen.emplace(GetKey(*plan), *plan);
        }
        work.model.Fit();
    }

    double m_sampleShare; //!< least share of random plans
    uint32_t m_rounds;    //!< of learning and evaluating
    uint32_t m_episodes;  //!< per round
    uint32_t m_steps;     //!< n
    uint32_t m_ends;      //!< last layers tried per device
    uint32_t m_batchSize; //!< lessons per gradient step
    double m_lastEpsilon; //!< share of random steps in the last episode
};

NS_OBJECT_ENSURE_REGISTERED(AutoPipePipelinePlanner);

} // namespace ns3::edgepipe
