/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PROBLEM_H
#define EDGEPIPE_PIPELINE_PROBLEM_H

#include "ns3/edgepipe-dnn-graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

class JsonField;
class JsonTable;

/** One layer of the network as a pipeline planner sees it; all figures per micro-batch. */
struct PipelineLayer
{
    std::string name;                //!< unique in its problem
    std::vector<std::size_t> inputs; //!< indices of earlier layers; empty: the model's input
    uint64_t outputBytes;            //!< bytes of the output; its gradient is as large
    uint64_t parameterBytes;         //!< bytes of the weights; their gradients are as large
    uint64_t activationBytes;        //!< bytes kept from forward until backward
    std::vector<TiedWeights> tied{}; //!< weights of earlier layers that it uses too, each once
};

/** One device that can run a stage. */
struct PipelineDevice
{
    std::string name;     //!< unique in its problem
    std::string type;     //!< key into PipelineProblem::costs
    uint64_t memoryBytes; //!< bytes a stage may occupy: usable memory less the margin
    /// Sending rate, bit/s; 0: the problem's bandwidth
    double uplinkBitsPerSecond{0};
    double downlinkBitsPerSecond{0}; //!< receiving rate, bit/s; 0: the problem's bandwidth
    double delaySeconds{0};          //!< one way, between it and what connects the devices; >= 0
};

/** Times of a micro-batch: of the passes of a stage, or of tensors across a cut. */
struct PassSeconds
{
    double forward{0};  //!< seconds; across a cut, of activations
    double backward{0}; //!< seconds; across a cut, of gradients

    /**
     * @param isBackward which pass
     * @return its seconds
     */
    double Get(bool isBackward) const
    {
        return isBackward ? backward : forward;
    }

    /** @return both together, seconds */
    double GetSum() const
    {
        return forward + backward;
    }

    /** @param other what neither pass takes less than from now on, seconds */
    void Raise(const PassSeconds& other)
    {
        forward = std::max(forward, other.forward);
        backward = std::max(backward, other.backward);
    }

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("forward", forward)("backward", backward);
    }
};

/** Layer costs of some samples of a micro-batch; one entry per layer. */
struct PartCost
{
    uint32_t samples;                    //!< how many, >= 1
    std::vector<double> forwardSeconds;  //!< seconds, >= 0
    std::vector<double> backwardSeconds; //!< seconds, >= 0
};

/** Layer costs on one device type; one entry per layer, per micro-batch. */
struct LayerSeconds
{
    std::vector<double> forwardSeconds;  //!< seconds, >= 0
    std::vector<double> backwardSeconds; //!< seconds, >= 0
    /// Part of either pass that does not depend on the number of samples, seconds; empty: none.
    /// Planners ignore it, since they do not split micro-batches.
    std::vector<double> fixedSeconds{};
    /// Costs of fewer samples than a micro-batch has, in increasing order from 1 on; linear in
    /// between. Empty: stages on this type run whole micro-batches.
    std::vector<PartCost> parts{};
};

/**
 * The pipeline planning problem: cut a layer sequence into stages and place them on devices.
 *
 * Layers are in topological order. A cut is made between two neighbours of that order. Every tensor
 * that is alive across the cut crosses it, once, forward as an activation and backward as a
 * gradient of the same size. A transfer gets the lesser of its sender's uplink and its receiver's
 * downlink, plus the delays of both. A stage whose layers use weights that an earlier stage owns
 * holds them as well, and both sum their gradients in every iteration.
 */
struct PipelineProblem
{
    /// Samples of a micro-batch up to which planners share them among devices.
    static constexpr uint32_t MOST_SHARED_SAMPLES = 4096;

    /** @return whether planners may put stages on groups of devices */
    bool TakesGroups() const
    {
        return microBatchSamples > 1 && microBatchSamples <= MOST_SHARED_SAMPLES &&
               std::all_of(costs.begin(), costs.end(), [](const auto& cost) {
                   return !cost.second.parts.empty();
               });
    }

    uint32_t microBatches{1};                  //!< M, micro-batches per mini-batch, >= 1
    std::vector<PipelineLayer> layers;         //!< in topological order, at least one
    std::vector<PipelineDevice> devices;       //!< at least one
    std::map<std::string, LayerSeconds> costs; //!< by device type
    double bandwidthBitsPerSecond{0};          //!< of devices without their own, bit/s, > 0
    std::string model{};                       //!< name of the network; empty: not known
    uint32_t optimizerStates{0};               //!< numbers kept for each weight, see TrainingMemory
    /// Whether stages keep their inputs only; backwardSeconds then include a forward pass.
    bool recomputes{false};
    uint32_t microBatchSamples{0}; //!< samples per micro-batch; 0: not known, nothing is split
    /// Whether all transfers share one medium, in which they follow each other.
    bool sharesMedium{false};
    /// Share of the usable memory that memoryBytes leaves free, for messages; not in files.
    double memoryMargin{0};
};

/** A device of a stage, and how many samples of every micro-batch it computes. */
struct StageReplica
{
    std::size_t device; //!< index into PipelineProblem::devices
    uint32_t samples;   //!< >= 1
};

/** Consecutive layers on one device, or on a group of devices that share its samples. */
struct PipelineStage
{
    std::size_t device;     //!< index into PipelineProblem::devices; the first one of a group
    std::size_t firstLayer; //!< index of the first layer, inclusive
    std::size_t lastLayer;  //!< index of the last layer, inclusive
    /// Two or more devices, each with a replica of the layers. The samples of a micro-batch are
    /// theirs in this order. Empty: the device alone runs the stage.
    std::vector<StageReplica> group{};

    /**
     * @param microBatchSamples samples per micro-batch
     * @return its devices with their samples, at least one
     */
    std::vector<StageReplica> GetReplicas(uint32_t microBatchSamples) const
    {
        return group.empty() ? std::vector<StageReplica>{{device, microBatchSamples}} : group;
    }
};

/** Stages in pipeline order, covering every layer once, one stage per device. */
struct PipelinePlan
{
    std::vector<PipelineStage> stages; //!< stage i + 1 reads what stage i sends
};

/**
 * @param plan any plan
 * @return the devices of its stages, in their order
 */
std::vector<std::size_t> ListDevices(const PipelinePlan& plan);

/** Samples that move between a device and one of a neighbouring stage. */
struct ReplicaOverlap
{
    std::size_t from; //!< index of the replica in its stage
    std::size_t to;   //!< index of the replica in the other one
    uint32_t samples; //!< that both compute, >= 1
};

/**
 * @param from devices of a stage
 * @param to devices of a neighbouring stage, with as many samples
 * @return the pairs of devices that compute the same samples, in the order of the samples
 */
std::vector<ReplicaOverlap> FindOverlaps(const std::vector<StageReplica>& from,
                                         const std::vector<StageReplica>& to);

/**
 * @param bytes of a micro-batch's tensors
 * @param samples of a part of it
 * @param all its samples, >= 1
 * @return bytes of the part, rounded up
 */
inline uint64_t
GetPartBytes(uint64_t bytes, uint32_t samples, uint32_t all)
{
    return bytes / all * samples + (bytes % all * samples + all - 1) / all;
}

/**
 * Refuses a problem that violates a constraint of PipelineProblem, or whose bytes, counted for all
 * micro-batches, do not fit 63 bits.
 *
 * @param problem any problem
 * @throws InputError naming what is wrong
 */
void ValidatePipelineProblem(const PipelineProblem& problem);

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Pipeline problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidatePipelineProblem
 */
void ListFields(JsonTable& table, PipelineProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Pipeline problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, PipelinePlan& plan, const PipelineProblem& problem);

/**
 * @param root of a plan
 * @return whether it has a stage on a group of devices
 */
bool HasGroups(const JsonField& root);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PROBLEM_H */
