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

/** What a search for the fastest plan came to. */
struct BoxSearchResult
{
    PipelinePlan plan;           //!< the best; without stages if none fits, or is of interest
    bool isFinished{true};       //!< whether the search came to its end
    double lowerBoundSeconds{0}; //!< no plan takes less; 0 after a search that came to its end
    uint64_t searches{0};        //!< made
};

/**
 * Find the plan with the least iteration time among those that a BoundedPipelineSearch makes: the
 * branch and bound in the plane of max(f, c) and max(b, c') that ExactPipelinePlanner describes.
 *
 * @param search finds plans of least sum
 * @param microBatches M
 * @param maxSearches searches after which the problem counts as too large
 * @param belowSeconds only plans that take less are of interest
 * @return the plan
 */
BoxSearchResult SearchBoxes(BoundedPipelineSearch& search,
                            uint32_t microBatches,
                            uint64_t maxSearches = std::numeric_limits<uint64_t>::max(),
                            double belowSeconds = std::numeric_limits<double>::infinity());

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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_BOX_SEARCH_H */
