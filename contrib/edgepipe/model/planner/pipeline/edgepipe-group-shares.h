/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GROUP_SHARES_H
#define EDGEPIPE_GROUP_SHARES_H

#include "edgepipe-pipeline-cost-model.h"

#include "ns3/edgepipe-batch-shares-planner.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Shares a micro-batch's samples among the devices of a group so that the one with the highest cost
 * costs least: each sample goes to the device that costs least with it.
 *
 * @param costs by device, of 0, 1, 2, ... samples, rising, up to the most that its memory holds;
 *        none is null
 * @param samples to share
 * @return samples of each device, at least 1; empty if they do not fit
 */
std::vector<uint32_t> ShareSamples(const std::vector<const std::vector<double>*>& costs,
                                   uint32_t samples);

/**
 * Tries ways to share samples among devices: all if they are few, else the one of ShareSamples and
 * the one that is most even.
 *
 * @param costs as for ShareSamples
 * @param samples to share
 * @param most ways of which all are tried
 * @param take called with the samples of each device, each at least 1
 */
void DivideSamples(std::vector<const std::vector<double>*> costs,
                   uint32_t samples,
                   double most,
                   const std::function<void(const std::vector<uint32_t>&)>& take);

/**
 * @param costModel of a problem with costs of parts of micro-batches
 * @param device index of a device
 * @param firstLayer first layer of a stage, inclusive
 * @param lastLayer last layer of the stage, inclusive
 * @param samples most samples of interest
 * @return f + b of 0, 1, 2, ... samples as part of a group, up to the most that its memory holds
 */
std::vector<double> ListReplicaSeconds(const PipelineCostModel& costModel,
                                       std::size_t device,
                                       std::size_t firstLayer,
                                       std::size_t lastLayer,
                                       uint32_t samples);

/**
 * @param costModel of a problem with costs of parts of micro-batches
 * @param stage any stage
 * @param devices two or more
 * @return the stage on a group of these devices, whose slowest one takes least; as it was if the
 *         samples do not fit them
 */
PipelineStage ShareStage(const PipelineCostModel& costModel,
                         const PipelineStage& stage,
                         const std::vector<std::size_t>& devices);

/**
 * Shares the samples of every group of a plan anew. Samples beyond what the memory of a device
 * holds go to the device with the most room.
 *
 * @param costModel of a problem with costs of parts of micro-batches, if the plan has groups
 * @param planner decides on the shares of a micro-batch. It is told, for an even share, the samples
 *        that a device trains on per second and the memory in use there; the latency is twice the
 *        delay to the group's first device and the time to send the weights' gradients. Null:
 *        ShareStage
 * @param plan replaced by the plan with these shares
 * @throws InputError when the planner finds no shares or no memory holds them
 */
void ShareGroups(const PipelineCostModel& costModel,
                 Ptr<BatchSharesPlanner> planner,
                 PipelinePlan& plan);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GROUP_SHARES_H */
