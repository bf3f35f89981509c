/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-search-pipeline-planner.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Particle swarm optimisation over random keys: M. Clerc, J. Kennedy, "The particle swarm -
 * explosion, stability, and convergence in a multidimensional complex space", IEEE Transactions on
 * Evolutionary Computation 6(1), 2002, whose constriction gives the default weights.
 */
class PsoPipelinePlanner : public SearchPipelinePlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::PsoPipelinePlanner")
                                .SetParent<SearchPipelinePlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<PsoPipelinePlanner>()
                                .AddAttribute("Swarm",
                                              "Number of particles.",
                                              UintegerValue(40),
                                              MakeUintegerAccessor(&PsoPipelinePlanner::m_swarm),
                                              MakeUintegerChecker<uint32_t>(2))
                                .AddAttribute("Inertia",
                                              "Part of its velocity that a particle keeps.",
                                              DoubleValue(0.7298),
                                              MakeDoubleAccessor(&PsoPipelinePlanner::m_inertia),
                                              MakeDoubleChecker<double>(0, 1))
                                .AddAttribute("OwnPull",
                                              "Pull towards the best place the particle has seen.",
                                              DoubleValue(1.49618),
                                              MakeDoubleAccessor(&PsoPipelinePlanner::m_ownPull),
                                              MakeDoubleChecker<double>(0, 4))
                                .AddAttribute("SwarmPull",
                                              "Pull towards the best place the swarm has seen.",
                                              DoubleValue(1.49618),
                                              MakeDoubleAccessor(&PsoPipelinePlanner::m_swarmPull),
                                              MakeDoubleChecker<double>(0, 4));
        return tid;
    }

    std::string GetName() const override
    {
        return "pso";
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
                speed = DrawNumber(-0.1, 0.1);
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
                                  m_ownPull * DrawNumber(0, 1) * (own.keys[i] - key) +
                                  m_swarmPull * DrawNumber(0, 1) * (best.keys[i] - key);
                    const double moved = ClampKey(key + velocity[i]);
                    // At a wall a particle stops.
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

} // namespace edgepipe
} // namespace ns3
