/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FASTEST_FIRST_H
#define EDGEPIPE_FASTEST_FIRST_H

#include "edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param costModel a cost model
 * @return devices by the seconds they take for the whole model, the fastest first
 */
std::vector<std::size_t> FindFastestFirst(const PipelineCostModel& costModel);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FASTEST_FIRST_H */
