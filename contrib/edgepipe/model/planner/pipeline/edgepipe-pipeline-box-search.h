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
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** Result of a search for the fastest plan. */
struct BoxSearchResult
{
    PipelinePlan plan;           //!< the best; without stages if none fits or is fast enough
    double seconds{0};           //!< its time if transfers share no medium; not set without a plan
    bool isFinished{true};       //!< whether the search was completed
    double lowerBoundSeconds{0}; //!< no plan takes less; 0 after a completed search
    uint64_t searches{0};        //!< number of searches made
};

/**
 * Finds the plan with the least iteration time that a BoundedPipelineSearch can make: the
 * branch and bound in the plane of max(f, c) and max(b, c') that ExactPipelinePlanner describes. A
 * medium that transfers share is left out: its plans take no less.
 *
 * @param search finds plans of least sum
 * @param microBatches M
 * @param maxSearches searches after which the best plan so far is returned
 * @param belowSeconds only plans that take less count
 * @return the result
 */
BoxSearchResult SearchBoxes(BoundedPipelineSearch& search,
                            uint32_t microBatches,
                            uint64_t maxSearches = std::numeric_limits<uint64_t>::max(),
                            double belowSeconds = std::numeric_limits<double>::infinity());

/** First and last layer of each stage of a plan. */
using PipelineDivision = std::vector<std::pair<std::size_t, std::size_t>>;

/**
 * @param plan a plan
 * @return its stages without their devices
 */
PipelineDivision GetDivision(const PipelinePlan& plan);

/**
 * Finds the fastest placement of given stages, by the search of ExactPipelinePlanner.
 *
 * @param costModel the cost model of a valid problem
 * @param division stages that cover every layer once and in order
 * @return the plan; without stages if no placement fits
 */
PipelinePlan PlaceDivision(const PipelineCostModel& costModel, const PipelineDivision& division);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_BOX_SEARCH_H */
