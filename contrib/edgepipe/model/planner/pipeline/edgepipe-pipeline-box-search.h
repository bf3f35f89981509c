/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_BOX_SEARCH_H
#define EDGEPIPE_PIPELINE_BOX_SEARCH_H

#include "edgepipe-bounded-pipeline-search.h"
#include "edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Finds the plan with the least iteration time among those that a BoundedPipelineSearch makes: the
 * branch and bound in the plane of max(f, c) and max(b, c') that ExactPipelinePlanner describes.
 */
class PipelineBoxSearch
{
  public:
    /**
     * @param search finds plans of least sum; must outlive this object
     * @param microBatches M
     * @param maxSearches searches after which the problem counts as too large
     */
    PipelineBoxSearch(BoundedPipelineSearch& search,
                      uint32_t microBatches,
                      uint64_t maxSearches = std::numeric_limits<uint64_t>::max());

    /**
     * @param belowSeconds only plans that take less are of interest
     * @return whether the search came to its end: GetPlan is then the best plan, and holds no
     *         stage when none fits, or none is of interest
     */
    bool Run(double belowSeconds = std::numeric_limits<double>::infinity());

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
    /** Plans with forwardLow <= F < forwardHigh and backwardLow <= B < backwardHigh. */
    struct Box
    {
        double bound{0};                                              //!< no plan takes less, s
        double sum{0};                                                //!< none has less S, s
        double forwardLow{0};                                         //!< seconds
        double forwardHigh{std::numeric_limits<double>::infinity()};  //!< seconds
        double backwardLow{0};                                        //!< seconds
        double backwardHigh{std::numeric_limits<double>::infinity()}; //!< seconds
        uint64_t number{0};                                           //!< settles equal bounds
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
    bool IsPromising(const Box& box) const;

    /**
     * Computes a box's bound and keeps the box if that is promising.
     * @param box the box
     */
    void Push(Box box);

    /**
     * Finds the plan of least sum under a box's upper bounds and cuts up the box around it.
     * @param box the box
     */
    void Explore(Box box);

    /**
     * Cuts a box into the parts that may hold a better plan than the one found in it.
     * @param box the box
     * @param forward F of the plan found
     * @param backward B of the plan found
     */
    void Split(const Box& box, double forward, double backward);

    BoundedPipelineSearch& m_search; //!< finds plans
    double m_weight;                 //!< M - 1
    uint64_t m_maxSearches;          //!< limit
    uint64_t m_searches{0};          //!< made so far
    uint64_t m_pushed{0};            //!< boxes kept so far
    double m_tolerance{0};           //!< seconds
    double m_lowerBound{0};          //!< seconds
    double m_bestSeconds{0};         //!< time of m_plan, or of what is of interest
    PipelinePlan m_plan;             //!< best so far
    std::priority_queue<Box, std::vector<Box>, ComesLater> m_boxes; //!< to be searched
};

/** Layers of the stages of a plan, first and last of each. */
using PipelineDivision = std::vector<std::pair<std::size_t, std::size_t>>;

/**
 * @param plan a plan
 * @return its stages without their devices
 */
PipelineDivision GetDivision(const PipelinePlan& plan);

/**
 * Places stages so that no placement of them takes less, by the search of ExactPipelinePlanner.
 *
 * @param costModel the cost model of a valid problem
 * @param division stages that cover every layer once and in order
 * @return the plan; without stages where no placement fits
 */
PipelinePlan PlaceDivision(const PipelineCostModel& costModel, const PipelineDivision& division);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_BOX_SEARCH_H */
