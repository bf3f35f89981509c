/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GROUP_SEARCH_H
#define EDGEPIPE_GROUP_SEARCH_H

#include "edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <functional>

namespace ns3::edgepipe
{

/** What a search for plans considers, at most. */
struct GroupSearchLimits
{
    std::size_t cuts;   //!< layers before which stages may begin, those with the most bytes for the
                        //!< least computing
    std::size_t groups; //!< groups of devices that may run a stage, the smallest first; 0: single
                        //!< devices only
    std::size_t tails;  //!< ends of plans that are kept for each cut
};

/** Result of a search for the fastest plan. */
struct GroupSearchResult
{
    PipelinePlan plan;     //!< the best; without stages if none fits or is fast enough
    bool isComplete{true}; //!< whether no limit but that of groups has left out a plan
};

/**
 * Finds the plan with the least iteration time by PipelineCostModel, shared media and groups
 * included. HybridPipelinePlanner describes how.
 *
 * @param costs a cost model
 * @param limits of the search
 * @param belowSeconds only plans that take less count
 * @param progress called with the share of the work that is done, 0 to 1
 * @return the result
 */
GroupSearchResult SearchGroups(const PipelineCostModel& costs,
                               const GroupSearchLimits& limits,
                               double belowSeconds,
                               const std::function<void(double)>& progress);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GROUP_SEARCH_H */
