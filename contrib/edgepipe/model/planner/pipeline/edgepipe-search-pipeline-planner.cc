/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-search-pipeline-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <numeric>

namespace ns3::edgepipe
{

namespace
{

/// More seconds than any fitting plan takes.
constexpr double TOO_LARGE = 1e250;

} // namespace

PipelineKeys::PipelineKeys(const PipelineCostModel& costModel)
    : m_costModel(costModel),
      m_devices(costModel.GetProblem().devices.size()),
      m_mostStages(std::min(m_devices, costModel.GetProblem().layers.size()))
{
}

PipelinePlan
PipelineKeys::Decode(const std::vector<double>& keys) const
{
    const std::size_t layers = m_costModel.GetProblem().layers.size();
    const auto stages = 1 + static_cast<std::size_t>(keys[0] * m_mostStages);
    std::vector<std::size_t> devices(m_devices);
    std::iota(devices.begin(), devices.end(), 0);
    std::partial_sort(devices.begin(),
                      devices.begin() + stages,
                      devices.end(),
                      [&keys](std::size_t a, std::size_t b) {
                          return std::make_pair(keys[1 + a], a) < std::make_pair(keys[1 + b], b);
                      });
    std::vector<std::size_t> ends{layers};
    for (std::size_t cut = 0; cut + 1 < stages; ++cut)
    {
        const double key = keys[1 + m_devices + cut];
        ends.push_back(1 + static_cast<std::size_t>(key * (layers - 1)));
    }
    std::sort(ends.begin(), ends.end());
    PipelinePlan plan;
    std::size_t first = 0;
    for (const std::size_t end : ends)
    {
        if (end > first)
        {
            plan.stages.push_back({devices[plan.stages.size()], first, end - 1});
            first = end;
        }
    }
    return plan;
}

double
PipelineKeys::Evaluate(const std::vector<double>& keys)
{
    ++m_evaluations;
    const PipelinePlan plan = Decode(keys);
    double excess = 0;
    for (const auto& stage : plan.stages)
    {
        const double bytes = m_costModel.StageMemoryBytes(stage.firstLayer, stage.lastLayer);
        const double memory = m_costModel.GetProblem().devices[stage.device].memoryBytes;
        excess += bytes > memory ? (bytes - memory) / bytes : 0;
    }
    return excess > 0 ? TOO_LARGE * (1 + excess) : m_costModel.IterationSeconds(plan);
}

NS_OBJECT_ENSURE_REGISTERED(SearchPipelinePlanner);

TypeId
SearchPipelinePlanner::GetTypeId()
{
    static TypeId tid = Attributes(TypeId("ns3::edgepipe::SearchPipelinePlanner")
                                       .SetParent<PipelinePlanner>()
                                       .SetGroupName("Edgepipe"))
                            .Add("Evaluations",
                                 "Number of plans to evaluate.",
                                 {&SearchPipelinePlanner::m_budget, 20000, 1});
    return tid;
}

SearchPipelinePlanner::SearchPipelinePlanner()
    : m_uniform(MakeRandomVariable<UniformRandomVariable>(STREAMS.Get(0))),
      m_normal(MakeRandomVariable<NormalRandomVariable>(STREAMS.Get(1)))
{
}

int64_t
SearchPipelinePlanner::AssignStreams(int64_t stream)
{
    m_uniform->SetStream(stream);
    m_normal->SetStream(stream + 1);
    return 2;
}

SearchPipelinePlanner::Candidate
SearchPipelinePlanner::Draw(PipelineKeys& keys)
{
    Candidate candidate;
    for (std::size_t i = 0; i < keys.GetSize(); ++i)
    {
        candidate.keys.push_back(m_uniform->GetValue(0, 1));
    }
    candidate.seconds = keys.Evaluate(candidate.keys);
    return candidate;
}

bool
SearchPipelinePlanner::HasBudget(const PipelineKeys& keys) const
{
    return keys.GetEvaluations() < m_budget;
}

PipelinePlan
SearchPipelinePlanner::DoPlan(const PipelineProblem&, const PipelineCostModel& costModel)
{
    PipelineKeys keys(costModel);
    const Candidate best = Search(keys);
    m_evaluations = keys.GetEvaluations();
    PipelinePlan plan = keys.Decode(best.keys);
    Require(costModel.Fits(plan),
            "none of " + std::to_string(m_evaluations) +
                " plans fits the memory of the devices; its attribute Evaluations allows "
                "more");
    return plan;
}

double
ClampKey(double key)
{
    return std::clamp(key, 0.0, 1 - 1e-12);
}

/**
 * A genetic algorithm over random keys: the best are kept, children take each key from the better
 * of their parents more often, and some keys move by a normal step or are drawn anew.
 */
class GaPipelinePlanner : public Named<GaPipelinePlanner, SearchPipelinePlanner>
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::GaPipelinePlanner"; //!< name of its TypeId
    static constexpr const char* NAME = "ga";                               //!< for users

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
    static constexpr const char* TYPE = "ns3::edgepipe::PsoPipelinePlanner"; //!< name of its TypeId
    static constexpr const char* NAME = "pso";                               //!< for users

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
