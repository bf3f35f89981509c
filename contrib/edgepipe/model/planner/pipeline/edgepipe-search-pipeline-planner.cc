/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-keys.h"
#include "edgepipe-pipeline-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>

namespace ns3::edgepipe
{

/**
 * A planner that draws random plans and improves them, cut and placement together, by the cost
 * model's iteration time. It returns the best plan tried.
 */
class SearchPipelinePlanner : public Typed<SearchPipelinePlanner, PipelinePlanner>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add("Evaluations",
                                   "Number of plans to evaluate.",
                                   {&SearchPipelinePlanner::m_budget, 20000, 1});
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_uniform->SetStream(stream);
        m_normal->SetStream(stream + 1);
        return 2;
    }

    uint64_t GetEvaluations() const override
    {
        return m_evaluations;
    }

  protected:
    /** A point and its cost. */
    struct Candidate
    {
        std::vector<double> keys; //!< see PipelineKeys
        double seconds;           //!< see PipelineKeys::Evaluate
    };

    /**
     * @param keys evaluates plans
     * @return a point drawn uniformly
     */
    Candidate Draw(PipelineKeys& keys)
    {
        Candidate candidate;
        for (std::size_t i = 0; i < keys.GetSize(); ++i)
        {
            candidate.keys.push_back(m_uniform->GetValue(0, 1));
        }
        candidate.seconds = keys.Evaluate(candidate.keys);
        return candidate;
    }

    /**
     * @param keys counts evaluations
     * @return whether another plan may be evaluated
     */
    bool HasBudget(const PipelineKeys& keys) const
    {
        return keys.GetEvaluations() < m_budget;
    }

    /// Uniform draws.
    Ptr<UniformRandomVariable> m_uniform{MakeRandomVariable<UniformRandomVariable>(STREAMS.Get(0))};
    /// Draws of mean 0 and variance 1.
    Ptr<NormalRandomVariable> m_normal{MakeRandomVariable<NormalRandomVariable>(STREAMS.Get(1))};

  private:
    PipelinePlan DoPlan(const PipelineProblem&, const PipelineCostModel& costModel) override
    {
        PipelineKeys keys(costModel);
        const Candidate best = Search(keys);
        m_evaluations = keys.GetEvaluations();
        PipelinePlan plan = keys.Decode(best.keys);
        Require(costModel.Fits(plan),
                "none of " + std::to_string(m_evaluations) +
                    " plans fits the memory of the devices; its attribute Evaluations allows more");
        return plan;
    }

    /**
     * Searches for the best plan.
     *
     * @param keys evaluates plans; to be used while HasBudget
     * @return the best point
     */
    virtual Candidate Search(PipelineKeys& keys) = 0;

    uint64_t m_budget;         //!< plans to evaluate
    uint64_t m_evaluations{0}; //!< plans that the last Plan evaluated
};

NS_OBJECT_ENSURE_REGISTERED(SearchPipelinePlanner);

/**
 * A genetic algorithm over random keys: the best are kept, children take each key from the better
 * of their parents more often, and some keys move by a normal step or are drawn anew.
 */
class GaPipelinePlanner : public Named<GaPipelinePlanner, SearchPipelinePlanner>
{
  public:
    static constexpr const char* NAME = "ga"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("Population", "Plans of a generation.", {&GaPipelinePlanner::m_population, 100, 4})
            .Add("Elite",
                 "Share of a generation that is kept as it is.",
                 {&GaPipelinePlanner::m_elite, 0.1, 0, 0.9})
            .Add("Mutation",
                 "Share of keys that change.",
                 {&GaPipelinePlanner::m_mutation, 0.08, 0, 1})
            .Add("Inheritance",
                 "Probability that a child takes a key from its better parent.",
                 {&GaPipelinePlanner::m_inheritance, 0.7, 0.5, 1});
    }

  private:
    Candidate Search(PipelineKeys& keys) override
    {
        const auto isBetter = [](const Candidate& a, const Candidate& b) {
            return a.seconds < b.seconds;
        };
        std::vector<Candidate> generation{Draw(keys)};
        while (generation.size() < m_population && HasBudget(keys))
        {
            generation.push_back(Draw(keys));
        }
        std::stable_sort(generation.begin(), generation.end(), isBetter);
        const auto kept =
            std::max<std::size_t>(1, static_cast<std::size_t>(m_elite * m_population));
        while (HasBudget(keys))
        {
            std::vector<Candidate> next(generation.begin(),
                                        generation.begin() + std::min(kept, generation.size()));
            while (next.size() < m_population && HasBudget(keys))
            {
                next.push_back(MakeChild(generation, keys));
            }
            std::stable_sort(next.begin(), next.end(), isBetter);
            generation = std::move(next);
        }
        return generation.front();
    }

    /**
     * @param generation sorted, the best first
     * @param keys evaluates plans
     * @return a child of two of the generation
     */
    Candidate MakeChild(const std::vector<Candidate>& generation, PipelineKeys& keys)
    {
        // A parent is the better of two drawn: the generation is sorted, best first.
        const auto select = [&] {
            const double count = static_cast<double>(generation.size());
            return static_cast<std::size_t>(
                std::min(m_uniform->GetValue(0, count), m_uniform->GetValue(0, count)));
        };
        const std::size_t a = select();
        const std::size_t b = select();
        const auto& better = generation[std::min(a, b)].keys;
        const auto& worse = generation[std::max(a, b)].keys;
        Candidate child;
        for (std::size_t i = 0; i < keys.GetSize(); ++i)
        {
            double key = m_uniform->GetValue(0, 1) < m_inheritance ? better[i] : worse[i];
            if (m_uniform->GetValue(0, 1) < m_mutation)
            {
                constexpr double step = 0.1;
                key = m_uniform->GetValue(0, 1) < 0.5 ? ClampKey(key + step * m_normal->GetValue())
                                                      : m_uniform->GetValue(0, 1);
            }
            child.keys.push_back(key);
        }
        child.seconds = keys.Evaluate(child.keys);
        return child;
    }

    uint32_t m_population; //!< plans of a generation
    double m_elite;        //!< share that is kept
    double m_mutation;     //!< share of keys that change
    double m_inheritance;  //!< probability that a key is the better parent's
};

NS_OBJECT_ENSURE_REGISTERED(GaPipelinePlanner);

/**
 * Particle swarm optimisation over random keys: M. Clerc, J. Kennedy, "The particle swarm -
 * explosion, stability, and convergence in a multidimensional complex space", IEEE Transactions on
 * Evolutionary Computation 6(1), 2002, whose constriction gives the default weights.
 */
class PsoPipelinePlanner : public Named<PsoPipelinePlanner, SearchPipelinePlanner>
{
  public:
    static constexpr const char* NAME = "pso"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("Swarm", "Number of particles.", {&PsoPipelinePlanner::m_swarm, 40, 2})
            .Add("Inertia",
                 "Part of its velocity that a particle keeps.",
                 {&PsoPipelinePlanner::m_inertia, 0.7298, 0, 1})
            .Add("OwnPull",
                 "Pull towards the best place the particle has seen.",
                 {&PsoPipelinePlanner::m_ownPull, 1.49618, 0, 4})
            .Add("SwarmPull",
                 "Pull towards the best place the swarm has seen.",
                 {&PsoPipelinePlanner::m_swarmPull, 1.49618, 0, 4});
    }

  private:
    Candidate Search(PipelineKeys& keys) override
    {
        struct Particle
        {
            Candidate place;              // where it is
            Candidate best;               // the best it has seen
            std::vector<double> velocity; // keys per step
        };

        std::vector<Particle> swarm;
        Candidate best = Draw(keys);
        while (swarm.size() < m_swarm && HasBudget(keys))
        {
            const Candidate place = Draw(keys);
            best = place.seconds < best.seconds ? place : best;
            swarm.push_back({place, place, std::vector<double>(keys.GetSize(), 0)});
            for (double& speed : swarm.back().velocity)
            {
                speed = m_uniform->GetValue(-0.1, 0.1);
            }
        }
        while (HasBudget(keys))
        {
            for (auto& [place, own, velocity] : swarm)
            {
                if (!HasBudget(keys))
                {
                    break;
                }
                for (std::size_t i = 0; i < keys.GetSize(); ++i)
                {
                    double& key = place.keys[i];
                    velocity[i] = m_inertia * velocity[i] +
                                  m_ownPull * m_uniform->GetValue(0, 1) * (own.keys[i] - key) +
                                  m_swarmPull * m_uniform->GetValue(0, 1) * (best.keys[i] - key);
                    const double moved = ClampKey(key + velocity[i]);
                    // A particle stops at the cube's boundary.
                    velocity[i] = moved == key + velocity[i] ? velocity[i] : 0;
                    key = moved;
                }
                place.seconds = keys.Evaluate(place.keys);
                own = place.seconds < own.seconds ? place : own;
                best = place.seconds < best.seconds ? place : best;
            }
        }
        return best;
    }

    uint32_t m_swarm;   //!< particles
    double m_inertia;   //!< part of a velocity that is kept
    double m_ownPull;   //!< towards a particle's best place
    double m_swarmPull; //!< towards the swarm's best place
};

NS_OBJECT_ENSURE_REGISTERED(PsoPipelinePlanner);

} // namespace ns3::edgepipe
