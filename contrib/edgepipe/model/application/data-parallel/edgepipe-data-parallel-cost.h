/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_COST_H
#define EDGEPIPE_DATA_PARALLEL_COST_H

#include "ns3/edgepipe-device-spec.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Gradients that a backward pass has made, of a layer or of several. */
struct GradientBucket
{
    uint64_t bytes{0};    //!< of the gradients
    double readyShare{1}; //!< of both passes' time, when the last of them is made, 0 to 1
};

/** What training a model costs one worker. */
struct DataParallelCost
{
    double opsPerSample{0};      //!< operations of both passes, > 0
    uint64_t parameterBytes{0};  //!< bytes of the weights, as of their gradients
    uint64_t activationBytes{0}; //!< bytes kept from forward until backward, per sample
    double sampleSeconds{0};     //!< both passes, seconds per sample
    double passSeconds{0};       //!< both passes, further seconds however many samples
    double updateSeconds{0};     //!< weight update, seconds
    std::string model{};         //!< name of the model; empty: not known
    uint64_t largestBytes{0};    //!< bytes of the tensors alive at once, at most, per sample
    uint32_t optimizerStates{0}; //!< numbers that the optimizer keeps for each weight
    /// By layer, in the order in which a backward pass makes them, in time as in a batch of 32;
    /// none: all at its end
    std::vector<GradientBucket> gradients{};
};

/**
 * Put gradients into buckets as PyTorch's DistributedDataParallel does: in the order in which they
 * are made, a bucket being full once it has its bytes or more.
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
 * What a model costs each type of device to train. Seconds per sample and per pass are those of a
 * line through the costs of a batch of 1 and of 32; where these come from different sources, or
 * make no sense together, a 32nd of the batch of 32, and nothing per pass. Backward passes count
 * twice the operations of forward passes. A weight update passes the weights' bytes
 * GetUpdatePasses times; TrainingMemory says what the optimizer keeps.
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
