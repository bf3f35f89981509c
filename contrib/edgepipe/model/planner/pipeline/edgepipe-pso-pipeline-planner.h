/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PSO_PIPELINE_PLANNER_H
#define EDGEPIPE_PSO_PIPELINE_PLANNER_H

#include "edgepipe-search-pipeline-planner.h"

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    Candidate Search(PipelineKeys& keys) override;

    uint32_t m_swarm;   //!< particles
    double m_inertia;   //!< part of a velocity that is kept
    double m_ownPull;   //!< towards a particle's best place
    double m_swarmPull; //!< towards the swarm's best place
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PSO_PIPELINE_PLANNER_H */
