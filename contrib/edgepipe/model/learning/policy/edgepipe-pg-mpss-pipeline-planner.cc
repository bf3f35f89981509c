/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pg-mpss-pipeline-planner.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PgMpssPipelinePlanner);

namespace
{

/**
 * @param costModel a cost model
 * @param plan a plan
 * @return index of the stage that takes longest for a micro-batch
 */
std::size_t
FindSlowest(const PipelineCostModel& costModel, const PipelinePlan& plan)
{
    std::size_t slowest = 0;
    double most = -1;
    for (std::size_t r = 0; r < plan.stages.size(); ++r)
    {
        const PipelineStage& stage = plan.stages[r];
        const double seconds =
            costModel.StageForwardSeconds(stage.device, stage.firstLayer, stage.lastLayer) +
            costModel.StageBackwardSeconds(stage.device, stage.firstLayer, stage.lastLayer);
        if (seconds > most)
        {
            most = seconds;
            slowest = r;
        }
    }
    return slowest;
}

/**
 * @param costModel a cost model
 * @param first stage of two, without its last layer
 * @param second stage of two, without its first layer
 * @return the last layer of the first at which both fit and the slower of them is fastest; the
 *         second's last layer when there is none
 */
std::size_t
FindCut(const PipelineCostModel& costModel, const PipelineStage& first, const PipelineStage& second)
{
    const auto& devices = costModel.GetProblem().devices;
    std::size_t best = second.lastLayer;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t cut = first.firstLayer; cut < second.lastLayer; ++cut)
    {
        const bool fits = costModel.StageMemoryBytes(first.firstLayer, cut) <=
                              devices[first.device].memoryBytes &&
                          costModel.StageMemoryBytes(cut + 1, second.lastLayer) <=
                              devices[second.device].memoryBytes;
        const double seconds =
            std::max(costModel.StageForwardSeconds(first.device, first.firstLayer, cut) +
                         costModel.StageBackwardSeconds(first.device, first.firstLayer, cut),
                     costModel.StageForwardSeconds(second.device, cut + 1, second.lastLayer) +
                         costModel.StageBackwardSeconds(second.device, cut + 1, second.lastLayer));
        if (fits && seconds < least)
        {
            least = seconds;
            best = cut;
        }
    }
    return best;
}

} // namespace

TypeId
PgMpssPipelinePlanner::GetTypeId()
{
    using P = PgMpssPipelinePlanner;
    static TypeId tid =
        TypeId("ns3::edgepipe::PgMpssPipelinePlanner")
            .SetParent<PolicyPipelinePlanner>()
            .SetGroupName("Edgepipe")
            .AddConstructor<PgMpssPipelinePlanner>()
            .AddAttribute("EncoderUnits",
                          "Units of the GRU that encodes what there is to decide about (ours).",
                          UintegerValue(64),
                          MakeUintegerAccessor(&P::m_encoderUnits),
                          MakeUintegerChecker<uint32_t>(1, 10000))
            .AddAttribute("SplitSlowest",
                          "Whether the slowest stage is split over remaining devices, in place of "
                          "the original's replication, which a plan cannot express.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&P::m_splitsSlowest),
                          MakeBooleanChecker());
    return tid;
}

std::string
PgMpssPipelinePlanner::GetName() const
{
    return "pg-mpss";
}

PolicyPipelinePlanner::Method
PgMpssPipelinePlanner::GetMethod() const
{
    return {std::numeric_limits<double>::infinity(), 1, m_encoderUnits};
}

void
PgMpssPipelinePlanner::Refine(const PipelineCostModel& costModel,
                              const PipelinePlan& plan,
                              PlanBudget& budget) const
{
    const auto& devices = costModel.GetProblem().devices;
    PipelinePlan best = plan;
    double seconds = costModel.IterationSeconds(plan); // looked at already
    bool isFaster = m_splitsSlowest;
    while (isFaster)
    {
        isFaster = false;
        const PipelinePlan whole = best;
        std::vector<bool> isTaken(devices.size(), false);
        for (const PipelineStage& stage : whole.stages)
        {
            isTaken[stage.device] = true;
        }
        const std::size_t r = FindSlowest(costModel, whole);
        std::set<std::pair<std::string, uint64_t>> seen;
        for (std::size_t d = 0; d < devices.size(); ++d)
        {
            if (isTaken[d] || !seen.emplace(devices[d].type, devices[d].memoryBytes).second)
            {
                continue;
            }
            for (const bool isFirst : {true, false})
            {
                PipelinePlan trial = whole;
                PipelineStage second = whole.stages[r];
                PipelineStage& first = trial.stages[r];
                (isFirst ? first : second).device = d;
                const std::size_t cut = FindCut(costModel, first, second);
                if (cut == second.lastLayer || budget.GetLeft() == 0)
                {
                    continue;
                }
                first.lastLayer = cut;
                second.firstLayer = cut + 1;
                trial.stages.insert(trial.stages.begin() + static_cast<std::ptrdiff_t>(r) + 1,
                                    second);
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

} // namespace edgepipe
} // namespace ns3
