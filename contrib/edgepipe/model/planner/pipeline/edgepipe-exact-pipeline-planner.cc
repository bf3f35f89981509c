/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-exact-pipeline-planner.h"

#include "edgepipe-bounded-pipeline-search.h"
#include "edgepipe-pipeline-box-search.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/log.h"

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeExactPipelinePlanner");

NS_OBJECT_ENSURE_REGISTERED(ExactPipelinePlanner);

namespace
{

/** Searches that must be affordable before any is made: few problems need fewer. */
constexpr double MIN_SEARCHES = 10;

/// Limit of a search's table.
constexpr double MOST_TABLE_BYTES = 2147483648;

} // namespace

TypeId
ExactPipelinePlanner::AddAttributes(TypeId tid)
{
    return Attributes(tid).Add(
        "MaxSteps",
        "Dynamic-programming steps, of some nanoseconds each, after which the best plan so far "
        "is returned.",
        {&ExactPipelinePlanner::m_maxSteps, 50000000000, 1});
}

PipelinePlan
ExactPipelinePlanner::DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel)
{
    NS_LOG_FUNCTION(this);
    BoundedPipelineSearch search(costModel);
    double affordable = static_cast<double>(m_maxSteps) / search.GetStepsPerSearch();
    m_searches = 0;
    m_lowerBound = 0;
    const bool isAffordable =
        affordable >= MIN_SEARCHES && search.GetTableBytes() <= MOST_TABLE_BYTES;
    BoxSearchResult found;
    if (isAffordable)
    {
        found = SearchBoxes(search, problem.microBatches, static_cast<uint64_t>(affordable));
    }
    m_searches = found.searches;
    NS_LOG_INFO("searches: " << m_searches);
    Require(isAffordable,
            "the problem is too large: " + std::to_string(problem.layers.size()) + " layers and " +
                std::to_string(problem.devices.size()) + " devices of " +
                std::to_string(search.GetClassCount()) +
                " kinds (type, memory and links) take more than MaxSteps = " +
                std::to_string(m_maxSteps) + " steps, or 2 GiB");
    Require(!found.plan.stages.empty(),
            "no plan fits: no cut of the " + std::to_string(problem.layers.size()) +
                " layers fits the memory of the " + std::to_string(problem.devices.size()) +
                " devices");
    m_lowerBound =
        found.isFinished ? costModel.IterationSeconds(found.plan) : found.lowerBoundSeconds;
    return found.plan;
}

} // namespace ns3::edgepipe
