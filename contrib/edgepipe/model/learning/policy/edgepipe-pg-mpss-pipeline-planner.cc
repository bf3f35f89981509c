/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy-pipeline-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-plan-search.h"

#include <algorithm>
#include <limits>

namespace ns3::edgepipe
{

namespace
{

/**
 * Moves the cut between two stages to minimise the slower one's time, where both fit.
 *
 * @param costModel a cost model
 * @param first first stage, whose last layer is set
 * @param second second stage, whose first layer is set
 * @return whether there is such a cut
 */
bool
Balance(const PipelineCostModel& costModel, PipelineStage& first, PipelineStage& second)
{
    PipelineStage left = first;
    PipelineStage right = second;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t cut = first.firstLayer; cut < right.lastLayer; ++cut)
    {
        left.lastLayer = cut;
        right.firstLayer = cut + 1;
        const double seconds =
            std::max(costModel.StageSeconds(left), costModel.StageSeconds(right));
        if (costModel.Fits(left) && costModel.Fits(right) && seconds < least)
        {
            least = seconds;
            first = left;
            second = right;
        }
    }
    return least < std::numeric_limits<double>::infinity();
}

} // namespace

/**
 * Policy gradient for model partitioning and scheduling of synchronous pipelines, one of the
 * planners that DGPAS compares itself with (Huang et al., Computer Communications 215, 2024, as
 * described by DGPAS, section 5.2.2): a GRU encodes the layers' figures and carries its state from
 * layer to layer, REINFORCE with a baseline (R. Williams, Machine Learning 8, 1992) learns a policy
 * from that, and the slowest stage is relieved while devices remain.
 *
 * The original *replicates* the slowest stage, so that two devices run the same layers on
 * different samples. A PipelinePlan gives a stage one device, so it cannot express that. Instead
 * the slowest stage is *split* with a remaining device, as long as the best cut and device make the
 * plan faster. This is the nearest plan that can be expressed, not the same: a stage of one layer
 * cannot be relieved, and a split sends the tensors of its cut, but no gradients of replicated
 * weights.
 *
 * Gradients pass through one GRU step, not back through earlier ones, as in GRDQN.
 */
class PgMpssPipelinePlanner : public Named<PgMpssPipelinePlanner, PolicyPipelinePlanner>
{
  public:
    static constexpr const char* TYPE =
        "ns3::edgepipe::PgMpssPipelinePlanner";    //!< name of its TypeId
    static constexpr const char* NAME = "pg-mpss"; //!< for users

    /**
     * @param tid of the class
     * @return tid with its attributes
     */
    static TypeId AddAttributes(TypeId tid)
    {
        using P = PgMpssPipelinePlanner;
        return Attributes(tid)
            .Add("EncoderUnits",
                 "Units of the GRU that encodes the state (ours).",
                 {&P::m_encoderUnits, 64, 1, 10000})
            .Add("SplitSlowest",
                 "Whether the slowest stage is split over remaining devices, in place of "
                 "the original's replication, which a plan cannot express.",
                 {&P::m_splitsSlowest, true});
    }

  private:
    void Refine(const PipelineCostModel& costModel,
                const PipelinePlan& plan,
                PlanBudget& budget) const override
    {
        PipelinePlan best = plan;
        double seconds = costModel.IterationSeconds(plan); // already evaluated
        bool isFaster = m_splitsSlowest;
        while (isFaster)
        {
            isFaster = false;
            const PipelinePlan whole = best;
            const auto slowest =
                std::max_element(whole.stages.begin(),
                                 whole.stages.end(),
                                 [&costModel](const PipelineStage& a, const PipelineStage& b) {
                                     return costModel.StageSeconds(a) < costModel.StageSeconds(b);
                                 });
            for (std::size_t device : FindFreeDevices(costModel.GetProblem(), whole))
            {
                for (const bool isFirst : {true, false})
                {
                    PipelineStage first = *slowest;
                    PipelineStage second = *slowest;
                    (isFirst ? first : second).device = device;
                    if (!Balance(costModel, first, second) || budget.GetLeft() == 0)
                    {
                        continue;
                    }
                    PipelinePlan trial = whole;
                    const auto at = trial.stages.begin() + (slowest - whole.stages.begin());
                    *at = second;
                    trial.stages.insert(at, first);
                    const double now = budget.Evaluate(trial);
                    if (now < seconds)
                    {
                        seconds = now;
                        best = std::move(trial);
                        isFaster = true;
                    }
                }
            }
        }
    }

    bool m_splitsSlowest; //!< whether the slowest stage is split
};

NS_OBJECT_ENSURE_REGISTERED(PgMpssPipelinePlanner);

} // namespace ns3::edgepipe
