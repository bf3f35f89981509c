/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PLACEMENTS_H
#define EDGEPIPE_PIPELINE_PLACEMENTS_H

#include "lib/pipeline-training-helper.h"

#include "ns3/edgepipe-pipeline-coordinator.h"

#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param pipeline a pipeline
 * @param options how to run it
 * @return what the coordinator hands out
 * @throws InputError if the tasks take longer than ns-3's clock runs
 */
std::vector<PipelineCoordinator::Placement> MakePlacements(const PipelineOnNetwork& pipeline,
                                                           const PipelineTrainingOptions& options);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINE_PLACEMENTS_H */
