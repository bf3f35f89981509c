/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DIVISION_PLACEMENT_H
#define EDGEPIPE_DIVISION_PLACEMENT_H

#include "edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

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

#endif /* EDGEPIPE_DIVISION_PLACEMENT_H */
