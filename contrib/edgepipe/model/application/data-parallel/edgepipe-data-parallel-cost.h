/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_COST_H
#define EDGEPIPE_DATA_PARALLEL_COST_H

#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-shared-vector.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Gradients of one layer or several, made by a backward pass. */
struct GradientBucket
{
    uint64_t bytes{0};    //!< of the gradients
    double readyShare{1}; //!< share of both passes' time until the last is made, 0 to 1
};

/** Cost of training a model for one worker. */
struct DataParallelCost
{
    double opsPerSample{0};      //!< operations of both passes, > 0
    uint64_t parameterBytes{0};  //!< bytes of the weights, and of their gradients
    uint64_t activationBytes{0}; //!< bytes kept until backward, the loss's too, per sample
    double sampleSeconds{0};     //!< both passes, seconds per sample
    double passSeconds{0};       //!< both passes, seconds besides those of samples
    double updateSeconds{0};     //!< weight update, seconds
    std::string model{};         //!< name of the model; empty: not known
    uint64_t largestBytes{0};    //!< peak bytes of the tensors alive at once, per sample
    uint32_t optimizerStates{0}; //!< values that the optimizer keeps per weight
    /// By layer, in the order of the backward pass, timed as in a batch of 32; none: all at its end
    SharedVector<GradientBucket> gradients{};
};

/**
 * Put gradients into buckets as PyTorch's DistributedDataParallel does: in the order in which they
 * are made. A bucket is full once it has its bytes or more.
 *
 * @param cost of training
 * @param bucketBytes of a bucket, bytes; 0: one bucket
 * @param firstBytes of the first bucket, bytes
 * @return the buckets, at least one; the last one is ready when the passes end
 */
std::vector<GradientBucket> FillBuckets(const DataParallelCost& cost,
                                        uint64_t bucketBytes,
                                        uint64_t firstBytes);

/**
 * Find the training cost of a model on each device type. Seconds per sample and per pass are slope
 * and intercept of a line through the costs of batches of 1 and 32. If only one of these is
 * estimated, or the slope is not positive or the intercept negative, seconds per sample are a 32nd
 * of the batch of 32, and seconds per pass are 0. Backward passes count twice the operations of
 * forward passes. A weight update moves the weights' bytes GetUpdatePasses times; TrainingMemory
 * gives the optimizer states.
 *
 * @param traces the traces folder
 * @param graph the model
 * @param specs the device types
 * @param layers set to the costs of the batch of 32, by name of type; may be null
 * @return costs by name of type
 * @throws InputError if a profile cannot be used or the model has no operations
 */
std::map<std::string, DataParallelCost> FindDataParallelCosts(
    const std::string& traces,
    const DnnGraph& graph,
    const std::vector<DeviceSpec>& specs,
    std::map<std::string, LayerCost>* layers = nullptr);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_COST_H */
