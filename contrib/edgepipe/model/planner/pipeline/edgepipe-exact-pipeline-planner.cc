/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-exact-pipeline-planner.h"

#include "edgepipe-bounded-pipeline-search.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeExactPipelinePlanner");

NS_OBJECT_ENSURE_REGISTERED(ExactPipelinePlanner);

namespace
{

constexpr double UNBOUNDED = std::numeric_limits<double>::infinity();

/** What a stage adds to a plan's time so that ties go to fewer stages, over the time. */
constexpr double RELATIVE_PENALTY = 1e-12;

/** Searches that must be affordable before any is made: few problems take less. */
constexpr double MIN_SEARCHES = 10;

/** How much better than the best plan a box must promise to be, over the time. */
constexpr double RELATIVE_TOLERANCE = 1e-13;

/// What the table of a search may take.
constexpr double MOST_TABLE_BYTES = 2147483648;

/** Plans with forwardLow <= F < forwardHigh and backwardLow <= B < backwardHigh. */
struct Box
{
    double bound{0};                //!< no plan of the box takes less, seconds
    double sum{0};                  //!< no plan of the box has a smaller S, seconds
    double forwardLow{0};           //!< seconds
    double forwardHigh{UNBOUNDED};  //!< seconds
    double backwardLow{0};          //!< seconds
    double backwardHigh{UNBOUNDED}; //!< seconds
    uint64_t number{0};             //!< settles the order of equal bounds
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

/** The branch and bound of ExactPipelinePlanner, for one problem. */
class BoxSearch
{
  public:
    /**
     * @param search finds plans of least sum
     * @param microBatches M
     * @param maxSearches searches after which the problem counts as too large
     */
    BoxSearch(BoundedPipelineSearch& search, uint32_t microBatches, uint64_t maxSearches)
        : m_search(search),
          m_weight(microBatches - 1.0),
          m_maxSearches(maxSearches)
    {
    }

    /**
     * @return whether the search came to its end: GetPlan is then the best plan, and holds no
     *         stage when none fits
     */
    bool Run()
    {
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

    /** @return the best plan so far */
    const PipelinePlan& GetPlan() const
    {
        return m_plan;
    }

    /** @return no plan takes less, seconds; told after a search that did not come to its end */
    double GetLowerBoundSeconds() const
    {
        return m_lowerBound;
    }

    /** @return how many searches were made */
    uint64_t GetSearches() const
    {
        return m_searches;
    }

  private:
    /**
     * @param box a box
     * @return whether it may hold a plan better than the best so far
     */
    bool IsPromising(const Box& box) const
    {
        return box.bound < m_bestSeconds - m_tolerance;
    }

    /**
     * Computes a box's bound and keeps the box if that is promising.
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
     * Finds the plan of least sum under a box's upper bounds and cuts up the box around it.
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

    BoundedPipelineSearch& m_search;                                //!< finds plans
    double m_weight;                                                //!< M - 1
    uint64_t m_maxSearches;                                         //!< limit
    uint64_t m_searches{0};                                         //!< made so far
    uint64_t m_pushed{0};                                           //!< boxes kept so far
    double m_tolerance{0};                                          //!< seconds
    double m_lowerBound{0};                                         //!< seconds
    double m_bestSeconds{UNBOUNDED};                                //!< time of m_plan
    PipelinePlan m_plan;                                            //!< best so far
    std::priority_queue<Box, std::vector<Box>, ComesLater> m_boxes; //!< to be searched
};

} // namespace

TypeId
ExactPipelinePlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::ExactPipelinePlanner")
            .SetParent<PipelinePlanner>()
            .SetGroupName("Edgepipe")
            .AddConstructor<ExactPipelinePlanner>()
            .AddAttribute("MaxSteps",
                          "Steps of dynamic programming, of some nanoseconds each, after which "
                          "the best plan so far has to do.",
                          UintegerValue(50000000000),
                          MakeUintegerAccessor(&ExactPipelinePlanner::m_maxSteps),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

std::string
ExactPipelinePlanner::GetName() const
{
    return "exact";
}

double
ExactPipelinePlanner::GetLowerBoundSeconds() const
{
    return m_lowerBound;
}

uint64_t
ExactPipelinePlanner::GetSearches() const
{
    return m_searches;
}

PipelinePlan
ExactPipelinePlanner::DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel)
{
    NS_LOG_FUNCTION(this);
    BoundedPipelineSearch search(costModel);
    double affordable = static_cast<double>(m_maxSteps) / search.GetStepsPerSearch();
    BoxSearch boxes(search, problem.microBatches, static_cast<uint64_t>(affordable));
    m_searches = 0;
    m_lowerBound = 0;
    const bool isAffordable =
        affordable >= MIN_SEARCHES && search.GetTableBytes() <= MOST_TABLE_BYTES;
    const bool isFinished = isAffordable && boxes.Run();
    m_searches = boxes.GetSearches();
    NS_LOG_INFO("searches: " << m_searches);
    if (!isAffordable)
    {
        throw InputError("the problem is too large: " + std::to_string(problem.layers.size()) +
                         " layers and " + std::to_string(problem.devices.size()) + " devices of " +
                         std::to_string(search.GetClassCount()) +
                         " kinds (type, memory and links) take more than MaxSteps = " +
                         std::to_string(m_maxSteps) + " steps, or 2 GiB");
    }
    if (boxes.GetPlan().stages.empty())
    {
        throw InputError("no plan fits: no cut of the " + std::to_string(problem.layers.size()) +
                         " layers fits the memory of the " +
                         std::to_string(problem.devices.size()) + " devices");
    }
    m_lowerBound =
        isFinished ? costModel.IterationSeconds(boxes.GetPlan()) : boxes.GetLowerBoundSeconds();
    return boxes.GetPlan();
}

} // namespace edgepipe
} // namespace ns3
