/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-group-search.h"
#include "edgepipe-pipeline-cost-model.h"
#include "edgepipe-pipeline-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <limits>
#include <string>

namespace ns3::edgepipe
{

namespace
{

/// Cuts that are considered first.
constexpr std::size_t FEW_CUTS = 12;

} // namespace

/**
 * Cuts the layers into stages and gives each a device or a group of devices that share the samples
 * of every micro-batch.
 *
 * It has the least iteration time by PipelineCostModel among the plans that it considers. A dynamic
 * programme builds plans from the last stage to the first. For each cut it keeps the tails of plans
 * that no other tail with the same devices left dominates in the sums, the slowest pass and
 * transfer of either direction, the latest sum of gradients, and the times and delay of what the
 * first stage exchanges with one before it; and drops those whose lower bound reaches the time of
 * the plan of `exact`, which it starts from. Devices that agree in type, memory, rates and delay
 * are interchangeable.
 *
 * All plans are considered while the problem is small: up to MaxCuts cuts, MaxGroups groups of
 * devices, MaxTails tails for each cut, and 64 ways to share the samples in a group. Beyond that,
 * cuts with the most bytes for the least computing go first, then the largest groups, then the
 * tails that another nearly dominates, and at last those with the largest bounds; and a group
 * shares the samples so that its slowest device is as fast as possible, or evenly.
 *
 * Groups need a problem with costs of parts of micro-batches (LayerSeconds::parts); without them
 * every stage has one device. Planning takes O(MaxCuts^2 MaxTails groups) steps.
 */
class HybridPipelinePlanner : public Named<HybridPipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "hybrid"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("MaxCuts",
                 "Layers before which stages may begin, at most.",
                 {&HybridPipelinePlanner::m_mostCuts, 48, 1})
            .Add("MaxGroups",
                 "Groups of devices that may run a stage, at most, the smallest first.",
                 {&HybridPipelinePlanner::m_mostGroups, 600, 1})
            .Add("MaxTails",
                 "Ends of plans that are kept for each cut, at most.",
                 {&HybridPipelinePlanner::m_mostTails, 1000, 1});
    }

    bool UsesGroups() const override
    {
        return true;
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem, const PipelineCostModel& costs) override
    {
        PipelinePlan single;
        double limit = std::numeric_limits<double>::infinity();
        try
        {
            single = FindByName<PipelinePlanner>("planner", "exact")->Plan(problem);
            limit = costs.IterationSeconds(single);
        }
        catch (const InputError&)
        {
            // Only groups fit, or the problem is too large for it.
        }
        // Few cuts give a plan soon, which bounds the search with more.
        PipelinePlan best = single;
        for (std::size_t cuts = std::min<std::size_t>(m_mostCuts, FEW_CUTS);;
             cuts = std::min<std::size_t>(2 * cuts, m_mostCuts))
        {
            const auto plan =
                SearchGroups(costs,
                             {cuts, m_mostGroups, m_mostTails},
                             limit,
                             [this, cuts](double done) {
                                 ReportProgress(done, "hybrid: " + std::to_string(cuts) + " cuts");
                             })
                    .plan;
            if (!plan.stages.empty())
            {
                best = plan; // takes less
                limit = costs.IterationSeconds(plan);
            }
            if (cuts >= std::min<std::size_t>(m_mostCuts, problem.layers.size()))
            {
                break;
            }
        }
        Require(!best.stages.empty(), "no plan fits the memory of the devices");
        return best;
    }

    uint32_t m_mostCuts;   //!< see the attribute
    uint32_t m_mostGroups; //!< see the attribute
    uint32_t m_mostTails;  //!< see the attribute
};

NS_OBJECT_ENSURE_REGISTERED(HybridPipelinePlanner);

} // namespace ns3::edgepipe
