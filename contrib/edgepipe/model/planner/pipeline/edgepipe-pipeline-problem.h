/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PROBLEM_H
#define EDGEPIPE_PIPELINE_PROBLEM_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** One layer of the network as a pipeline planner sees it; all figures per micro-batch. */
struct PipelineLayer
{
    std::string name;                //!< unique in its problem
    std::vector<std::size_t> inputs; //!< indices of earlier layers; empty: the model's input
    uint64_t outputBytes;            //!< bytes of the output; its gradient is as large
    uint64_t parameterBytes;         //!< bytes of the weights; their gradients are as large
    uint64_t activationBytes;        //!< bytes kept from forward until backward
};

/** One device that can run a stage. */
struct PipelineDevice
{
    std::string name;     //!< unique in its problem
    std::string type;     //!< key into PipelineProblem::costs
    uint64_t memoryBytes; //!< bytes a stage may occupy, usable memory
    /// Sending rate, bit/s; 0: the problem's bandwidth
    double uplinkBitsPerSecond{0};
    double downlinkBitsPerSecond{0}; //!< receiving rate, bit/s; 0: the problem's bandwidth
    double delaySeconds{0};          //!< one way, between it and what connects the devices; >= 0
};

/** Layer costs on one device type; one entry per layer, per micro-batch. */
struct LayerSeconds
{
    std::vector<double> forwardSeconds;  //!< seconds, >= 0
    std::vector<double> backwardSeconds; //!< seconds, >= 0
    /// Part of either pass that does not depend on the number of samples, seconds; empty: none.
    /// Planners ignore it, since they do not split micro-batches.
    std::vector<double> fixedSeconds{};
};

/**
 * The pipeline planning problem: cut a layer sequence into stages and place them on devices.
 *
 * Layers are in topological order. A cut is made between two neighbours of that order. Every tensor
 * that is alive across the cut crosses it, once, forward as an activation and backward as a
 * gradient of the same size. A transfer gets the lesser of its sender's uplink and its receiver's
 * downlink, plus the delays of both.
 */
struct PipelineProblem
{
    uint32_t microBatches{1};                  //!< M, micro-batches per mini-batch, >= 1
    std::vector<PipelineLayer> layers;         //!< in topological order, at least one
    std::vector<PipelineDevice> devices;       //!< at least one
    std::map<std::string, LayerSeconds> costs; //!< by device type
    double bandwidthBitsPerSecond{0};          //!< of devices without their own, bit/s, > 0
    std::string model{};                       //!< name of the network; empty: not known
    uint32_t optimizerStates{0};               //!< numbers kept for each weight, see TrainingMemory
    /// Whether stages keep their inputs only; backwardSeconds then include a forward pass.
    bool recomputes{false};
};

/** Consecutive layers on one device. */
struct PipelineStage
{
    std::size_t device;     //!< index into PipelineProblem::devices
    std::size_t firstLayer; //!< index of the first layer, inclusive
    std::size_t lastLayer;  //!< index of the last layer, inclusive
};

/** Stages in pipeline order, covering every layer once, one stage per device. */
struct PipelinePlan
{
    std::vector<PipelineStage> stages; //!< stage i + 1 reads what stage i sends
};

/**
 * Refuses a problem that violates a constraint of PipelineProblem, or whose bytes, counted for all
 * micro-batches, do not fit 63 bits.
 *
 * @param problem any problem
 * @throws InputError naming what is wrong
 */
void ValidatePipelineProblem(const PipelineProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PROBLEM_H */
