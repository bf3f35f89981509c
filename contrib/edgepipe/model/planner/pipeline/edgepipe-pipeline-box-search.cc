/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-box-search.h"

#include <algorithm>
#include <queue>

namespace ns3::edgepipe
{

namespace
{

/** Penalty per stage that makes ties go to fewer stages, relative to the plan's time. */
constexpr double RELATIVE_PENALTY = 1e-12;

/** Improvement on the best plan that a box must promise, relative to the time. */
constexpr double RELATIVE_TOLERANCE = 1e-13;

} // namespace

/** See SearchBoxes. */
class PipelineBoxSearch
{
  public:
    /**
     * @param search finds plans of least sum; must outlive this object
     * @param microBatches M
     * @param maxSearches searches after which the best plan so far is returned
     */
    PipelineBoxSearch(BoundedPipelineSearch& search,
                      uint32_t microBatches,
                      uint64_t maxSearches = std::numeric_limits<uint64_t>::max())
        : m_search(search),
          m_weight(microBatches - 1.0),
          m_maxSearches(maxSearches)
    {
    }

    /// @copydoc SearchBoxes
    BoxSearchResult Run(double belowSeconds)
    {
        m_bestSeconds = belowSeconds;
        auto first = m_search.Search({});
        m_result.searches = 1;
        if (!first)
        {
            return m_result;
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
            if (m_result.searches >= m_maxSearches)
            {
                m_result.lowerBoundSeconds = box.bound;
                m_result.isFinished = false;
                return m_result;
            }
            Explore(box);
        }
        return m_result;
    }

  private:
    /** Plans with forwardLow <= F < forwardHigh and backwardLow <= B < backwardHigh. */
    struct Box
    {
        double bound{0};                                              //!< no plan takes less, s
        double sum{0};                                                //!< none has less S, s
        double forwardLow{0};                                         //!< seconds
        double forwardHigh{std::numeric_limits<double>::infinity()};  //!< seconds
        double backwardLow{0};                                        //!< seconds
        double backwardHigh{std::numeric_limits<double>::infinity()}; //!< seconds
        uint64_t number{0}; //!< orders boxes of equal bounds
    };

    /** Orders a priority queue by least bound, then by age. */
    struct ComesLater
    {
        /**
         * @param a a box
         * @param b another box
         * @return whether a is to be searched after b
         */
        bool operator()(const Box& a, const Box& b) const
        {
            return a.bound != b.bound ? a.bound > b.bound : a.number > b.number;
        }
    };

    /**
     * @param box a box
     * @return whether it may hold a plan better than the best so far
     */
    bool IsPromising(const Box& box) const
    {
        return box.bound < m_bestSeconds - m_tolerance;
    }

    /**
     * Computes a box's bound and keeps the box if it is promising.
     * @param box the box
     */
    void Push(Box box)
    {
        box.bound = box.sum + m_weight * (box.forwardLow + box.backwardLow);
        bool isEmpty = box.forwardLow >= box.forwardHigh || box.backwardLow >= box.backwardHigh;
        if (!isEmpty && IsPromising(box))
        {
            box.number = m_pushed++;
            m_boxes.push(box);
        }
    }

    /**
     * Finds the plan of least sum under a box's upper bounds and splits the box around it.
     * @param box the box
     */
    void Explore(Box box)
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
        ++m_result.searches;
        auto found = m_search.Search(bounds);
        if (!found)
        {
            return;
        }
        double seconds = found->sum + m_weight * (found->forward + found->backward);
        if (seconds < m_bestSeconds)
        {
            m_bestSeconds = seconds;
            m_result.plan = found->plan;
            m_result.seconds = seconds;
        }
        box.sum = std::max(box.sum, found->sum);
        box.forwardHigh = bounds.forward;
        box.backwardHigh = bounds.backward;
        Split(box, found->forward, found->backward);
    }

    /**
     * Cuts a box into the parts that may hold a better plan than the one found in it.
     * @param box the box
     * @param forward F of the plan found
     * @param backward B of the plan found
     */
    void Split(const Box& box, double forward, double backward)
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

    BoundedPipelineSearch& m_search; //!< finds plans
    double m_weight;                 //!< M - 1
    uint64_t m_maxSearches;          //!< limit
    uint64_t m_pushed{0};            //!< boxes kept so far
    double m_tolerance{0};           //!< seconds
    double m_bestSeconds{0};         //!< time of the best plan; at first, the limit given to Run
    BoxSearchResult m_result;        //!< so far
    std::priority_queue<Box, std::vector<Box>, ComesLater> m_boxes; //!< boxes to be searched
};

BoxSearchResult
SearchBoxes(BoundedPipelineSearch& search,
            uint32_t microBatches,
            uint64_t maxSearches,
            double belowSeconds)
{
    return PipelineBoxSearch(search, microBatches, maxSearches).Run(belowSeconds);
}

namespace
{

/** Lets stages end only where those of a division do. */
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
    return SearchBoxes(search, costModel.GetProblem().microBatches).plan;
}

} // namespace ns3::edgepipe
