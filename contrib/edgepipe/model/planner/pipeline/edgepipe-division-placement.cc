/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-division-placement.h"

#include "edgepipe-bounded-pipeline-search.h"
#include "edgepipe-pipeline-box-search.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/** Lets stages end where those of a division do, and nowhere else. */
class DivisionRule : public PipelineCutRule
{
  public:
    /** @param division stages that cover every layer; must outlive this object */
    explicit DivisionRule(const PipelineDivision& division)
        : m_division(division)
    {
    }

    bool MayEnd(std::size_t stage, std::size_t layer) const override
    {
        return stage < m_division.size() && layer == m_division[stage].second;
    }

    std::size_t FindEnd(std::size_t stage, std::size_t) const override
    {
        return stage < m_division.size() ? m_division[stage].second + 1 : 0;
    }

    std::size_t FindForcedLast(std::size_t stage, std::size_t first) const override
    {
        return FindEnd(stage, first);
    }

  private:
    const PipelineDivision& m_division; //!< the stages
};

} // namespace

PipelineDivision
GetDivision(const PipelinePlan& plan)
{
    PipelineDivision division;
    for (const PipelineStage& stage : plan.stages)
    {
        division.emplace_back(stage.firstLayer, stage.lastLayer);
    }
    return division;
}

PipelinePlan
PlaceDivision(const PipelineCostModel& costModel, const PipelineDivision& division)
{
    const DivisionRule rule(division);
    BoundedPipelineSearch search(costModel, &rule);
    PipelineBoxSearch boxes(search, costModel.GetProblem().microBatches);
    boxes.Run();
    return boxes.GetPlan();
}

} // namespace edgepipe
} // namespace ns3
