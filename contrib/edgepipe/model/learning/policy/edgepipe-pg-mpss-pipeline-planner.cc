/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy-pipeline-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-group-shares.h"
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
 * The slowest stage is replicated: a remaining device takes samples of its micro-batches, as long
 * as the best device makes the plan faster. A problem without costs of parts of micro-batches
 * (LayerSeconds::parts) takes no replicas; then, or if asked for, the slowest stage is split at the
 * best cut instead.
 *
 * Gradients pass through one GRU step, not back through earlier ones, as in GRDQN.
 */
class PgMpssPipelinePlanner : public Named<PgMpssPipelinePlanner, PolicyPipelinePlanner>
{
  public:
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
            .Add("RelieveSlowest",
                 "Whether remaining devices relieve the slowest stage.",
                 {&P::m_relieves, true})
            .Add("Replicate",
                 "Whether they take some of its samples, where micro-batches may be split, and not "
                 "some of its layers.",
                 {&P::m_replicates, true});
    }

    bool UsesGroups() const override
    {
        return m_relieves && m_replicates;
    }

  private:
    void Refine(const PipelineCostModel& costModel,
                const PipelinePlan& plan,
                PlanBudget& budget) const override
    {
        PipelinePlan best = plan;
        double seconds = costModel.IterationSeconds(plan); // already evaluated
        const bool replicates = UsesGroups() && costModel.GetProblem().TakesGroups();
        bool isFaster = m_relieves;
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
            const std::size_t place = slowest - whole.stages.begin();
            const auto tryOut = [&](PipelinePlan trial) {
                const double now = budget.GetLeft() > 0 ? budget.Evaluate(trial) : seconds;
                if (now < seconds)
                {
                    seconds = now;
                    best = std::move(trial);
                    isFaster = true;
                }
            };
            for (std::size_t device : FindFreeDevices(costModel.GetProblem(), whole))
            {
                PipelinePlan trial = whole;
                if (replicates)
                {
                    auto devices = ListDevices({{*slowest}});
                    devices.push_back(device);
                    trial.stages[place] = ShareStage(costModel, *slowest, devices);
                    if (trial.stages[place].group.size() == devices.size())
                    {
                        tryOut(trial);
                    }
                    continue;
                }
                for (const bool isFirst : {true, false})
                {
                    PipelineStage first = *slowest;
                    PipelineStage second = *slowest;
                    (isFirst ? first : second).device = device;
                    if (Balance(costModel, first, second))
                    {
                        trial = whole;
                        trial.stages[place] = second;
                        trial.stages.insert(trial.stages.begin() + place, first);
                        tryOut(trial);
                    }
                }
            }
        }
    }

    bool m_relieves;   //!< see the attribute RelieveSlowest
    bool m_replicates; //!< see the attribute Replicate
};

NS_OBJECT_ENSURE_REGISTERED(PgMpssPipelinePlanner);

} // namespace ns3::edgepipe
