/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_DECOMPOSITION_H
#define EDGEPIPE_DGPAS_DECOMPOSITION_H

#include "ns3/edgepipe-pipeline-problem.h"
#include "ns3/edgepipe-representable-plan.h"
#include "ns3/edgepipe-sheet.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/** A plan of grdqn, and the best that each of its steps could have left to the next. */
struct DgpasMiss
{
    std::string model;      //!< by its name in the paper
    std::string method;     //!< whose plan
    uint64_t run;           //!< ns3's run number
    double exactSeconds;    //!< no plan takes less
    double stateSeconds;    //!< the best found of those that SDQN's state can say
    double stateBound;      //!< none of those takes less
    double divisionSeconds; //!< this plan's stages, placed so that no placement takes less
    double planSeconds;     //!< the plan
};

/**
 * Where the misses of grdqn's plans for a problem come from, by the cost model.
 */
class DgpasDecomposition
{
  public:
    /**
     * @param problem the problem; must outlive this object
     * @param maxNodes what the search for the best plan that the state can say may solve
     * @throws InputError if the problem is too large to be solved exactly
     */
    DgpasDecomposition(const PipelineProblem& problem, uint64_t maxNodes);

    /**
     * @param model by its name in the paper
     * @param method whose plan
     * @param run ns-3's run number
     * @param plan the plan
     * @return what its miss is made of
     */
    DgpasMiss Decompose(const std::string& model,
                        const std::string& method,
                        uint64_t run,
                        const PipelinePlan& plan) const;

  private:
    const PipelineProblem& m_problem; //!< the problem
    double m_exactSeconds;            //!< no plan takes less
    RepresentablePlan m_state;        //!< the best that the state can say
};

/**
 * @param misses of plans
 * @return a row for each
 */
Sheet<DgpasMiss> MakeMissSheet(const std::vector<DgpasMiss>& misses);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_DECOMPOSITION_H */
