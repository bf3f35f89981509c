/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-decomposition.h"

#include "ns3/edgepipe-exact-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-box-search.h"

namespace ns3
{
namespace edgepipe
{

DgpasDecomposition::DgpasDecomposition(const PipelineProblem& problem, uint64_t maxNodes)
    : m_problem(problem)
{
    const auto exact = CreateObject<ExactPipelinePlanner>();
    const PipelineCostModel costModel(problem);
    m_exactSeconds = costModel.IterationSeconds(exact->Plan(problem));
    m_state = FindRepresentablePlan(costModel, maxNodes);
}

DgpasMiss
DgpasDecomposition::Decompose(const std::string& model,
                              const std::string& method,
                              uint64_t run,
                              const PipelinePlan& plan) const
{
    const PipelineCostModel costModel(m_problem);
    const PipelinePlan placed = PlaceDivision(costModel, GetDivision(plan));
    return {model,
            method,
            run,
            m_exactSeconds,
            m_state.seconds,
            m_state.lowerBoundSeconds,
            costModel.IterationSeconds(placed),
            costModel.IterationSeconds(plan)};
}

Sheet<DgpasMiss>
MakeMissSheet(const std::vector<DgpasMiss>& misses)
{
    return MakeSheet<DgpasMiss>({{"model", &DgpasMiss::model},
                                 {"method", &DgpasMiss::method},
                                 {"run", &DgpasMiss::run},
                                 {"exactSeconds", &DgpasMiss::exactSeconds},
                                 {"representableSeconds", &DgpasMiss::stateSeconds},
                                 {"representableBoundSeconds", &DgpasMiss::stateBound},
                                 {"divisionSeconds", &DgpasMiss::divisionSeconds},
                                 {"planSeconds", &DgpasMiss::planSeconds}},
                                misses);
}

} // namespace edgepipe
} // namespace ns3
