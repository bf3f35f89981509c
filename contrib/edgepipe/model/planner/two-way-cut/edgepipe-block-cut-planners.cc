/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-blocks.h"
#include "edgepipe-pipelined-cut.h"
#include "edgepipe-two-way-cut-planner.h"

#include "ns3/uinteger.h"

#include <cstdint>
#include <utility>

namespace ns3
{
namespace edgepipe
{

/**
 * The best of all closed partitions by either objective: that of least latency as QdmpPlanner finds
 * it, and that of most throughput by PipelinedCut. Costs are those in context. A yardstick of ours.
 */
class ExactCutPlanner : public TwoWayCutPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::edgepipe::ExactCutPlanner")
                .SetParent<TwoWayCutPlanner>()
                .SetGroupName("Edgepipe")
                .AddConstructor<ExactCutPlanner>()
                .AddAttribute("MostSteps",
                              "For throughput: most layers to place, over and over, "
                              "before there is no plan.",
                              UintegerValue(100000000),
                              MakeUintegerAccessor(&ExactCutPlanner::m_mostSteps),
                              MakeUintegerChecker<uint64_t>(1));
        return tid;
    }

    std::string GetName() const override
    {
        return "exact";
    }

    bool CanPlanFor(TwoWayCutObjective) const override
    {
        return true;
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        if (problem.objective == TwoWayCutObjective::THROUGHPUT)
        {
            return PipelinedCut(problem, m_mostSteps).Find();
        }
        CutChoices choices;
        const CutLine best = FindBestCut(problem, choices);
        return {choices.Expand(best.choice, problem.layers.size())};
    }

    uint64_t m_mostSteps; //!< of the search
};

NS_OBJECT_ENSURE_REGISTERED(ExactCutPlanner);

/**
 * The partition of least latency, found block by block: the quick deep model partitioning of
 * S. Zhang et al. (see TwoWayCutProblem), section 4.
 *
 * How the blocks are solved is said at FindBestCut. Costs are those in context, and uploading the
 * input is a cost like any other, so the answer is the best closed partition of all. It also plans
 * every bandwidth at once.
 */
class QdmpPlanner : public TwoWayCutPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::QdmpPlanner")
                                .SetParent<TwoWayCutPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<QdmpPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "qdmp";
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        CutChoices choices;
        const CutLine best = FindBestCut(problem, choices);
        return {choices.Expand(best.choice, problem.layers.size())};
    }

    std::unique_ptr<TwoWayCutEnvelope> DoPlanEveryBandwidth(
        const TwoWayCutProblem& problem) override
    {
        CutChoices choices;
        std::vector<CutLine> lines = FindCutEnvelope(problem, choices);
        return std::make_unique<TwoWayCutEnvelope>(std::move(lines),
                                                   std::move(choices),
                                                   problem.layers.size());
    }
};

NS_OBJECT_ENSURE_REGISTERED(QdmpPlanner);

} // namespace edgepipe
} // namespace ns3
