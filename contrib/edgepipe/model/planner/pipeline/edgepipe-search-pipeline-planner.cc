/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-search-pipeline-planner.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(SearchPipelinePlanner);

TypeId
SearchPipelinePlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::SearchPipelinePlanner")
                            .SetParent<PipelinePlanner>()
                            .SetGroupName("Edgepipe")
                            .AddAttribute("Evaluations",
                                          "How many plans to look at.",
                                          UintegerValue(20000),
                                          MakeUintegerAccessor(&SearchPipelinePlanner::m_budget),
                                          MakeUintegerChecker<uint64_t>(1));
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

uint64_t
SearchPipelinePlanner::GetEvaluations() const
{
    return m_evaluations;
}

SearchPipelinePlanner::Candidate
SearchPipelinePlanner::Draw(PipelineKeys& keys)
{
    Candidate candidate;
    for (std::size_t i = 0; i < keys.GetSize(); ++i)
    {
        candidate.keys.push_back(DrawNumber(0, 1));
    }
    candidate.seconds = keys.Evaluate(candidate.keys);
    return candidate;
}

double
SearchPipelinePlanner::DrawNumber(double lowest, double highest)
{
    return m_uniform->GetValue(lowest, highest);
}

double
SearchPipelinePlanner::DrawNormal()
{
    return m_normal->GetValue();
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
    if (!keys.Fits(plan))
    {
        throw InputError("none of " + std::to_string(m_evaluations) +
                         " plans fits the memory of the devices; its attribute Evaluations allows "
                         "more");
    }
    return plan;
}

double
ClampKey(double key)
{
    return std::clamp(key, 0.0, 1 - 1e-12);
}

} // namespace edgepipe
} // namespace ns3
