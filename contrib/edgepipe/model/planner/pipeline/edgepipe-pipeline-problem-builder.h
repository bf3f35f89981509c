/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PROBLEM_BUILDER_H
#define EDGEPIPE_PIPELINE_PROBLEM_BUILDER_H

#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace ns3::edgepipe
{

/**
 * Builds the planning problem of training a model on a cluster.
 *
 * Output and activation bytes are those of a sample times the micro-batch size; costs are used
 * unscaled. TrainingMemory's attributes define how memory is counted. If activations are
 * recomputed, backward passes include a forward pass.
 *
 * @param graph the model
 * @param cluster the devices
 * @param costs by device type, for batches of microBatchSize samples (FindLayerCosts)
 * @param microBatchSize samples per micro-batch, at least 1
 * @param microBatches micro-batches per mini-batch, at least 1
 * @param bandwidthBitsPerSecond between any two devices, bit/s, above 0
 * @return a valid problem, devices and layers in the order of cluster and graph
 * @throws InputError when ValidatePipelineProblem refuses it, or costs are for another batch size
 */
PipelineProblem BuildPipelineProblem(const DnnGraph& graph,
                                     const Cluster& cluster,
                                     const std::map<std::string, LayerCost>& costs,
                                     uint32_t microBatchSize,
                                     uint32_t microBatches,
                                     double bandwidthBitsPerSecond);

/**
 * Adds the costs of 1, 2, 4, ... samples, so that stages may be put on groups of devices.
 *
 * @param problem that BuildPipelineProblem has built
 * @param microBatchSize samples per micro-batch
 * @param find finds the costs of a number of samples, by device type
 */
void AddPartCosts(PipelineProblem& problem,
                  uint32_t microBatchSize,
                  const std::function<std::map<std::string, LayerCost>(uint32_t)>& find);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PROBLEM_BUILDER_H */
