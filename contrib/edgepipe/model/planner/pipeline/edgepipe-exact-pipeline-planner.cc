/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-group-search.h"
#include "edgepipe-pipeline-planner.h"
#include "edgepipe-pipeline-search.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/** Passes of the search that must be affordable before any is made: few problems need fewer. */
constexpr double MIN_PASSES = 10;

/// Limit of a search's table.
constexpr double MOST_TABLE_BYTES = 2147483648;

/// Times that differ by less, relative, are the same.
constexpr double NO_DIFFERENCE = 1e-9;

/// Of the search on a shared medium: cuts, no groups, and ends of plans for each cut.
constexpr GroupSearchLimits SHARED_LIMITS{96, 0, 2000};

} // namespace

/**
 * Finds the plan with the least iteration time of all plans that fit, by SearchPipelines; to within
 * rounding, 1e-11 of its time.
 *
 * Where transfers share one medium, the time also depends on the sums of all c and c'. The plan
 * above then bounds a second search (SearchGroups, single devices), and its time without sharing is
 * a lower bound. Of more than 96 cuts, or 2000 ends of plans for a cut, the second search leaves
 * some out.
 *
 * A pass is fast when many devices are alike (U is 78 for 2, 1 and 12 devices) and slow when no two
 * of D devices are (2^D). The number of passes depends on the costs: tens to some hundreds in
 * practice. MaxSteps limits the steps: the plan is then the best found, and GetLowerBoundSeconds
 * bounds its distance from the optimum. A problem is refused if MaxSteps allows fewer than ten
 * passes or the table exceeds 2 GiB.
 */
class ExactPipelinePlanner : public Named<ExactPipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "exact"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add(
            "MaxSteps",
            "Dynamic-programming steps, of some nanoseconds each, after which the best plan so far "
            "is returned.",
            {&ExactPipelinePlanner::m_maxSteps, 50000000000, 1});
    }

    double GetLowerBoundSeconds() const override
    {
        return m_lowerBound;
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel) override
    {
        const PipelineSearchSize size = MeasurePipelineSearch(costModel);
        const double affordable = static_cast<double>(m_maxSteps) / size.steps;
        m_lowerBound = 0;
        Require(affordable >= MIN_PASSES && size.tableBytes <= MOST_TABLE_BYTES,
                "the problem is too large: " + std::to_string(problem.layers.size()) +
                    " layers and " + std::to_string(problem.devices.size()) + " devices of " +
                    std::to_string(size.classes) +
                    " kinds (type, memory and links) take more than MaxSteps = " +
                    std::to_string(m_maxSteps) + " steps, or 2 GiB");
        PipelineSearchLimits limits{static_cast<uint64_t>(affordable)};
        const PipelineSearchResult found = SearchPipelines(costModel, {}, limits);
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
            limits.belowSeconds = seconds;
            keepFaster(SearchPipelines(costModel, SpareTies(problem.layers), limits).plan);
        }
        if (problem.sharesMedium && !isOptimum)
        {
            const auto shared = SearchGroups(costModel, SHARED_LIMITS, seconds, [&](double done) {
                ReportProgress(done, "exact: shared medium");
            });
            keepFaster(shared.plan);
            const bool hasTies = std::any_of(problem.layers.begin(),
                                             problem.layers.end(),
                                             [](const auto& layer) { return !layer.tied.empty(); });
            m_lowerBound = shared.isComplete && !hasTies ? seconds : m_lowerBound;
        }
        return best;
    }

    /**
     * @param layers of a problem
     * @return lets no stage end between weights and a layer that uses them again
     */
    static PipelineCutRule SpareTies(const std::vector<PipelineLayer>& layers)
    {
        std::vector<bool> isInside(layers.size(), false);
        for (std::size_t i = 0; i < layers.size(); ++i)
        {
            for (const TiedWeights& tied : layers[i].tied)
            {
                std::fill(isInside.begin() + tied.layer, isInside.begin() + i, true);
            }
        }
        return {[isInside](std::size_t, std::size_t layer) { return !isInside[layer]; }};
    }

    uint64_t m_maxSteps;    //!< steps after which planning ends
    double m_lowerBound{0}; //!< no plan of the last Plan's problem takes less, seconds
};

NS_OBJECT_ENSURE_REGISTERED(ExactPipelinePlanner);

} // namespace ns3::edgepipe
