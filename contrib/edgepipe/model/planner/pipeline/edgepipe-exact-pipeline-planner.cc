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

/** Lets no stage end between weights and a layer that uses them again. */
class UntiedRule : public PipelineCutRule
{
  public:
    /** @param layers of a problem */
    explicit UntiedRule(const std::vector<PipelineLayer>& layers)
        : m_isInside(layers.size(), false)
    {
        for (std::size_t i = 0; i < layers.size(); ++i)
        {
            for (const TiedWeights& tied : layers[i].tied)
            {
                std::fill(m_isInside.begin() + tied.layer, m_isInside.begin() + i, true);
            }
        }
    }

    bool MayEnd(std::size_t, std::size_t layer) const override
    {
        return !m_isInside[layer];
    }

    std::size_t FindEnd(std::size_t, std::size_t) const override
    {
        return m_isInside.size();
    }

    std::size_t FindForcedLast(std::size_t, std::size_t) const override
    {
        return m_isInside.size();
    }

  private:
    std::vector<bool> m_isInside; //!< by layer, whether a stage must not end behind it
};

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
    if (costModel.FindTies(found.plan).empty())
    {
        return found.plan;
    }
    // The search knows no sums of tied weights' gradients: the best plan without any may be better.
    PipelineProblem untied = problem;
    for (PipelineLayer& layer : untied.layers)
    {
        layer.tied.clear();
    }
    const UntiedRule rule(problem.layers);
    BoundedPipelineSearch restricted(costModel, &rule);
    const double seconds = costModel.IterationSeconds(found.plan);
    const BoxSearchResult other =
        SearchBoxes(restricted, problem.microBatches, static_cast<uint64_t>(affordable), seconds);
    m_searches += other.searches;
    const bool isBetter = !other.plan.stages.empty();
    m_lowerBound =
        std::min(isBetter ? costModel.IterationSeconds(other.plan) : seconds,
                 found.isFinished ? PipelineCostModel(untied).IterationSeconds(found.plan)
                                  : found.lowerBoundSeconds);
    return isBetter ? other.plan : found.plan;
}

} // namespace ns3::edgepipe
