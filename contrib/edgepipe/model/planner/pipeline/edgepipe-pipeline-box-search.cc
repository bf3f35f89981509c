/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-box-search.h"

#include "edgepipe-bounded-pipeline-search.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

namespace
{

/** What a stage adds to a plan's time so that ties go to fewer stages, over the time. */
constexpr double RELATIVE_PENALTY = 1e-12;

/** How much better than the best plan a box must promise to be, over the time. */
constexpr double RELATIVE_TOLERANCE = 1e-13;

} // namespace

PipelineBoxSearch::PipelineBoxSearch(BoundedPipelineSearch& search,
                                     uint32_t microBatches,
                                     uint64_t maxSearches)
    : m_search(search),
      m_weight(microBatches - 1.0),
      m_maxSearches(maxSearches)
{
}

bool
PipelineBoxSearch::Run(double belowSeconds)
{
    m_bestSeconds = belowSeconds;
    auto first = m_search.Search({});
    m_searches = 1;
    if (!first)
    {
        return true;
    }
    double scale = first->sum + m_weight * (first->forward + first->backward);
    m_search.SetStagePenalty(RELATIVE_PENALTY * scale);
    m_tolerance = RELATIVE_TOLERANCE * scale;
    Push(Box{});
    while (!m_boxes.empty())
    {
        Box box = m_boxes.top();
        m_boxes.pop();
        if (!IsPromising(box))
        {
            break;
        }
        if (m_searches >= m_maxSearches)
        {
            m_lowerBound = box.bound;
            return false;
        }
        Explore(box);
    }
    return true;
}

bool
PipelineBoxSearch::IsPromising(const Box& box) const
{
    return box.bound < m_bestSeconds - m_tolerance;
}

void
PipelineBoxSearch::Push(Box box)
{
    box.bound = box.sum + m_weight * (box.forwardLow + box.backwardLow);
    bool isEmpty = box.forwardLow >= box.forwardHigh || box.backwardLow >= box.backwardHigh;
    if (!isEmpty && IsPromising(box))
    {
        box.number = m_pushed++;
        m_boxes.push(box);
    }
}

void
PipelineBoxSearch::Explore(Box box)
{
    PipelineBounds bounds;
    bounds.forward = box.forwardHigh;
    bounds.backward = box.backwardHigh;
    if (m_weight > 0)
    {
        bounds.both = (m_bestSeconds - box.sum) / m_weight;
        bounds.forward = std::min(bounds.forward, bounds.both - box.backwardLow);
        bounds.backward = std::min(bounds.backward, bounds.both - box.forwardLow);
    }
    ++m_searches;
    auto found = m_search.Search(bounds);
    if (!found)
    {
        return;
    }
    double seconds = found->sum + m_weight * (found->forward + found->backward);
    if (seconds < m_bestSeconds)
    {
        m_bestSeconds = seconds;
        m_plan = found->plan;
    }
    box.sum = std::max(box.sum, found->sum);
    box.forwardHigh = bounds.forward;
    box.backwardHigh = bounds.backward;
    Split(box, found->forward, found->backward);
}

void
PipelineBoxSearch::Split(const Box& box, double forward, double backward)
{
    double forwardGap = forward - box.forwardLow;
    double backwardGap = backward - box.backwardLow;
    Box low = box;
    Box middle = box;
    Box rest = box;
    if (forwardGap >= backwardGap)
    {
        low.forwardHigh = middle.forwardLow = box.forwardLow + forwardGap / 2;
        middle.forwardHigh = forward;
        rest.forwardLow = std::max(box.forwardLow, forward);
        rest.backwardHigh = backward;
    }
    else
    {
        low.backwardHigh = middle.backwardLow = box.backwardLow + backwardGap / 2;
        middle.backwardHigh = backward;
        rest.backwardLow = std::max(box.backwardLow, backward);
        rest.forwardHigh = forward;
    }
    Push(low);
    Push(middle);
    Push(rest);
}

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
