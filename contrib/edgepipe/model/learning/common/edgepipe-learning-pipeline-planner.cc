/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-learning-pipeline-planner.h"

#include "ns3/assert.h"
#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-q-network.h"
#include "ns3/edgepipe-stage-fit.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(LearningPipelinePlanner);

double
PlanBudget::Evaluate(const PipelinePlan& plan)
{
    NS_ASSERT_MSG(GetLeft() > 0, "the budget is spent");
    ++m_evaluations;
    const double seconds = m_costModel.IterationSeconds(plan);
    if (seconds < m_bestSeconds)
    {
        m_bestSeconds = seconds;
        m_best = plan;
    }
    return seconds;
}

TypeId
LearningPipelinePlanner::AddAttributes(TypeId tid)
{
    using P = LearningPipelinePlanner;
    return Attributes(tid)
        .Add("Evaluations", "Most plans to evaluate.", {&P::m_most, 5000, 1})
        .Add("Stream",
             "Random variable stream of all draws, counted from the planner's first stream.",
             {&P::m_stream, 0, 0})
        .Add("LearningRate", "Step size of Adam (ours).", {&P::m_learningRate, 3e-3, 1e-9, 1})
        .Add("HiddenUnits",
             "Units of the networks' hidden layers (ours).",
             {&P::m_hiddenUnits, "64,64"});
}

int64_t
LearningPipelinePlanner::AssignStreams(int64_t stream)
{
    m_firstStream = stream;
    return m_stream + 1;
}

std::vector<std::size_t>
LearningPipelinePlanner::FindHiddenUnits() const
{
    return ParseHiddenUnits("HiddenUnits", m_hiddenUnits);
}

PipelinePlan
LearningPipelinePlanner::DoPlan(const PipelineProblem&, const PipelineCostModel& costModel)
{
    m_evaluations = 0;
    if (!CanGrowPlans(costModel))
    {
        return FindAnyPlan(costModel);
    }
    const auto random = MakeRandomVariable<UniformRandomVariable>(m_firstStream + m_stream);
    PlanBudget budget(costModel, m_most);
    Learn(costModel, budget, random);
    m_evaluations = budget.GetEvaluations();
    return budget.GetBest();
}

} // namespace ns3::edgepipe
