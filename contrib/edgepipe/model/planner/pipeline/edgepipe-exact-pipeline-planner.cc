/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-exact-pipeline-planner.h"

#include "edgepipe-bounded-pipeline-search.h"
#include "edgepipe-group-search.h"
#include "edgepipe-pipeline-box-search.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/log.h"

#include <algorithm>

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

/// Times that differ by less, relative, are the same.
constexpr double NO_DIFFERENCE = 1e-9;

/// Of the search on a shared medium: cuts, no groups, and ends of plans for each cut.
constexpr GroupSearchLimits SHARED_LIMITS{96, 0, 2000};

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
                " layers fits the memory of the " +
                (problem.devices.size() == 1
                     ? "device"
                     : std::to_string(problem.devices.size()) + " devices"));
    PipelinePlan best = found.plan;
    double seconds = costModel.IterationSeconds(best);
    const bool isOptimum = seconds <= found.seconds * (1 + NO_DIFFERENCE);
    m_lowerBound = !found.isFinished ? found.lowerBoundSeconds
                   : isOptimum       ? seconds
                                     : found.seconds;
    const auto keepFaster = [&](const PipelinePlan& other) {
        if (!other.stages.empty() && costModel.IterationSeconds(other) < seconds)
        {
            best = other;
            seconds = costModel.IterationSeconds(other);
        }
    };
    if (!costModel.FindTies(best).empty())
    {
        // The search knows no sums of tied weights' gradients: the best plan without any may be
        // better.
        const UntiedRule rule(problem.layers);
        BoundedPipelineSearch restricted(costModel, &rule);
        const BoxSearchResult untied = SearchBoxes(restricted,
                                                   problem.microBatches,
                                                   static_cast<uint64_t>(affordable),
                                                   seconds);
        m_searches += untied.searches;
        keepFaster(untied.plan);
    }
    if (problem.sharesMedium && !isOptimum)
    {
        const auto shared = SearchGroups(costModel, SHARED_LIMITS, seconds, [this](double done) {
            ReportProgress(done, "exact: shared medium");
        });
        keepFaster(shared.plan);
        const bool hasTies = std::any_of(problem.layers.begin(),
                                         problem.layers.end(),
                                         [](const auto& layer) { return !layer.tied.empty(); });
        if (shared.isComplete && !hasTies)
        {
            m_lowerBound = seconds;
        }
    }
    return best;
}

} // namespace ns3::edgepipe
