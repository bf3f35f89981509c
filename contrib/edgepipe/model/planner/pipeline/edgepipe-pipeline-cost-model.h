/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_COST_MODEL_H
#define EDGEPIPE_PIPELINE_COST_MODEL_H

#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-training-memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Weights that several stages of a plan hold. */
struct TiedStages
{
    std::vector<std::size_t> stages; //!< two or more, increasing
    uint64_t bytes;                  //!< of the weights
};

/** What equation (1) of PipelineCostModel adds up and compares, seconds. */
struct PipelineSums
{
    double sum{0};         //!< of f + c + d and b + c' + d
    PassSeconds slowest{}; //!< max(f, c) and max(b, c')
    PassSeconds cuts{};    //!< sums of c and of c'
};

/**
 * Costs of pipeline plans.
 *
 * One iteration trains M micro-batches under GPipe: all forward, then all backward (Y. Huang et
 * al., "GPipe: efficient training of giant neural networks using pipeline parallelism", NeurIPS
 * 2019). Let f and b be the forward and backward seconds of a stage for one micro-batch, and c and
 * c' the seconds a micro-batch's tensors take between two neighbouring stages, as activations and
 * as gradients: 8 * bytes over the lesser of the sender's uplink and the receiver's downlink.
 * Stages and transfers form a line of machines that each serve M equal jobs in turn. A tensor also
 * takes the delay d of both devices, during which the next one may follow, so
 *
 *     T = sum(f + c + d) + (M - 1) max(f, c) + sum(b + c' + d) + (M - 1) max(b, c').   (1)
 *
 * A stage on a group of devices takes as long as its slowest device for its samples. Across a cut
 * next to a group, c is the longest time of any device to send or receive what it has to, all at
 * the same time. When the n devices of a group have sent their last gradients to the previous
 * stage, they sum those of the P bytes of weights in a ring, in which the slowest link has rate r
 * and no delay exceeds d, in
 *
 *     2 (n - 1) (8 P / (n r) + d);                                                             (2)
 *
 * the iteration ends with the last stage to have done so. Stages that use weights of one owner
 * (PipelineLayer::tied) hold them all, and sum those gradients likewise, in a ring of all their
 * devices, behind the first of these stages; its group then sums the rest only. Where all transfers
 * share one medium, the (M - 1)-fold terms are at least the sum of all c, and of all c'; transfers
 * next to a group follow each other, as do the chunks of a ring and all rings after the last
 * backward pass.
 *
 * Equation (1) is exact when no two transfers share a link. It leaves out the coordinator's
 * messages, which begin and end an iteration. A tensor that is alive across several cuts crosses
 * each of them, once. CountStageMemory gives the memory of a stage for M micro-batches. With the
 * same first layer, more layers never take less; with an earlier one they may, since received
 * tensors count. A first layer that keeps at least as many bytes as it reads is assumed to count
 * its inputs itself, as autograd does.
 *
 * Setting up takes O(layers * (types + log(layers)) + inputs) time. Times of stages and cuts take
 * O(1), the memory of a stage O(log(layers)) and the number of ties.
 */
class PipelineCostModel
{
  public:
    /** @param problem a problem that ValidatePipelineProblem accepts; must outlive this object */
    explicit PipelineCostModel(const PipelineProblem& problem);

    /** @return the problem */
    const PipelineProblem& GetProblem() const
    {
        return m_problem;
    }

    /**
     * @param device index of a device
     * @param firstLayer first layer of a stage, inclusive
     * @param lastLayer last layer of the stage, inclusive
     * @return f and b, seconds per micro-batch
     */
    PassSeconds FindStageSeconds(std::size_t device,
                                 std::size_t firstLayer,
                                 std::size_t lastLayer) const
    {
        return m_types[m_typeOfDevice[device]].back().Get(firstLayer, lastLayer);
    }

    /**
     * @param device index of a device
     * @param firstLayer first layer of a stage, inclusive
     * @param lastLayer last layer of the stage, inclusive
     * @return f + b, seconds per micro-batch
     */
    double StageSeconds(std::size_t device, std::size_t firstLayer, std::size_t lastLayer) const
    {
        return FindStageSeconds(device, firstLayer, lastLayer).GetSum();
    }

    /**
     * @param device index of a device
     * @param firstLayer first layer of a stage, inclusive
     * @param lastLayer last layer of the stage, inclusive
     * @param samples of a micro-batch, at most all of them
     * @return time of the device for them, linear between the samples with known costs
     */
    PassSeconds ReplicaSeconds(std::size_t device,
                               std::size_t firstLayer,
                               std::size_t lastLayer,
                               uint32_t samples) const;

    /**
     * @param stage a stage
     * @return f and b, seconds per micro-batch; of a group, those of its slowest devices
     */
    PassSeconds FindStageSeconds(const PipelineStage& stage) const;

    /**
     * @param stage a stage
     * @return f + b, seconds per micro-batch
     */
    double StageSeconds(const PipelineStage& stage) const
    {
        return FindStageSeconds(stage).GetSum();
    }

    /**
     * @param stage a stage
     * @return time of summing the gradients of its devices, equation (2); 0 without a group
     */
    double ReduceSeconds(const PipelineStage& stage) const;

    /**
     * @param plan a plan
     * @return weights that several of its stages hold, those of the same stages together
     */
    std::vector<TiedStages> FindTies(const PipelinePlan& plan) const;

    /**
     * @param stage a stage
     * @return whether the memory of its device holds it
     */
    bool Fits(const PipelineStage& stage) const
    {
        if (stage.group.empty()) // searches ask for every plan
        {
            return StageMemoryBytes(stage.firstLayer, stage.lastLayer) <=
                   m_problem.devices[stage.device].memoryBytes;
        }
        return std::all_of(stage.group.begin(), stage.group.end(), [&](const auto& replica) {
            return ReplicaMemoryBytes(stage, replica.samples) <=
                   m_problem.devices[replica.device].memoryBytes;
        });
    }

    /**
     * @param plan a plan
     * @return whether all its stages fit
     */
    bool Fits(const PipelinePlan& plan) const
    {
        return std::all_of(plan.stages.begin(), plan.stages.end(), [this](const auto& stage) {
            return Fits(stage);
        });
    }

    /**
     * @param layer the last layer before a cut
     * @return bytes per micro-batch of the tensors made up to that layer and used after it;
     *         0 after the last layer
     */
    uint64_t CutBytes(std::size_t layer) const
    {
        return m_cutBytes[layer];
    }

    /**
     * @param layer the last layer before a cut
     * @return c = c' at the problem's bandwidth, for use before devices are chosen; seconds per
     *         micro-batch
     */
    double TransferSeconds(std::size_t layer) const;

    /**
     * @param layer the last layer before a cut
     * @param device of the stage that ends there
     * @param next device of the next stage
     * @return c and c', seconds per micro-batch
     */
    PassSeconds CutSeconds(std::size_t layer, std::size_t device, std::size_t next) const;

    /**
     * @param layer the last layer before a cut
     * @param device of the stage that ends there
     * @return lower bounds of c and c' over all next devices, seconds per micro-batch
     */
    PassSeconds CutSeconds(std::size_t layer, std::size_t device) const;

    /**
     * @param plan a plan
     * @param stage index of one of its stages
     * @return c and c' after that stage, seconds per micro-batch; 0 after the last one
     */
    PassSeconds CutSeconds(const PipelinePlan& plan, std::size_t stage) const;

    /**
     * @param from a device
     * @param to another
     * @return rate of a transfer between them, bit/s
     */
    double GetBitsPerSecond(std::size_t from, std::size_t to) const;

    /**
     * @param device a device
     * @return its uplink, bit/s
     */
    double GetUplink(std::size_t device) const;

    /**
     * @param device a device
     * @return its downlink, bit/s
     */
    double GetDownlink(std::size_t device) const;

    /**
     * @param from a device
     * @param to another
     * @return d, delay of a message between them, s
     */
    double GetDelaySeconds(std::size_t from, std::size_t to) const;

    /**
     * @param before a stage
     * @param after the next one
     * @return longest delay of a message between their devices, s
     */
    double FindCutDelay(const PipelineStage& before, const PipelineStage& after) const;

    /**
     * @return by device, the lowest index of a device that agrees with it in type, memory, rates
     *         and delay, and is thus interchangeable with it
     */
    std::vector<std::size_t> FindClasses() const;

    /** @return the devices of each such class, ascending; classes by their first device */
    std::vector<std::vector<std::size_t>> ListClasses() const;

    /**
     * @param firstLayer first layer of a stage, inclusive
     * @param lastLayer last layer of the stage, inclusive
     * @return bytes the stage occupies
     */
    uint64_t StageMemoryBytes(std::size_t firstLayer, std::size_t lastLayer) const
    {
        return CountMemory(firstLayer, lastLayer).GetBytes(m_problem.microBatches);
    }

    /**
     * @param firstLayer first layer of a stage, inclusive
     * @param lastLayer last layer of the stage, inclusive
     * @param part of a micro-batch, which is counted as a micro-batch
     * @param all what the part is of: samples, or parts
     * @return memory of the stage
     */
    StageMemory CountMemory(std::size_t firstLayer,
                            std::size_t lastLayer,
                            uint32_t part = 1,
                            uint32_t all = 1) const;

    /**
     * @param stage a stage
     * @param samples of a micro-batch on one of its devices
     * @return bytes that the stage occupies there
     */
    uint64_t ReplicaMemoryBytes(const PipelineStage& stage, uint32_t samples) const
    {
        const uint32_t all = std::max(1U, m_problem.microBatchSamples);
        return CountMemory(stage.firstLayer,
                           stage.lastLayer,
                           stage.group.empty() ? 1 : samples,
                           stage.group.empty() ? 1 : all)
            .GetBytes(m_problem.microBatches);
    }

    /**
     * @param firstLayer first layer of a stage, inclusive
     * @param lastLayer last layer of the stage, inclusive
     * @return bytes of its tensors, per micro-batch
     */
    StageTensors GetTensors(std::size_t firstLayer, std::size_t lastLayer) const;

    /**
     * @param firstLayer first layer of a stage
     * @param memoryBytes of a device
     * @return one past the last layer up to which the stage fits; firstLayer if it never does
     */
    std::size_t FindMemoryEnd(std::size_t firstLayer, uint64_t memoryBytes) const;

    /**
     * @param plan a plan that CheckPlan accepts
     * @param penaltySeconds added for every stage
     * @return the sums of equation (1)
     */
    PipelineSums Sum(const PipelinePlan& plan, double penaltySeconds = 0) const;

    /**
     * @param plan a plan that CheckPlan accepts
     * @return seconds of one iteration, equation (1), and (2) of groups
     */
    double IterationSeconds(const PipelinePlan& plan) const;

    /**
     * Refuses a plan that does not cover every layer once and in order, gives a device two
     * stages, exceeds a device's memory, or has a group whose samples are not a micro-batch's.
     *
     * @param plan any plan
     * @throws InputError naming what is wrong
     */
    void CheckPlan(const PipelinePlan& plan) const;

    /**
     * Refuses a problem with a layer that fits no device, wherever its stage begins.
     * @throws InputError naming the layer and what it needs
     */
    void CheckLayersFit() const;

    /**
     * @param stage a stage
     * @return its text in messages: layers "a" to "b"
     */
    std::string DescribeStage(const PipelineStage& stage) const;

  private:
    /** Prefix sums over the layers of one device type; entry i sums the layers before i. */
    struct TypeSums
    {
        uint32_t samples;             //!< of a micro-batch
        std::vector<double> forward;  //!< seconds
        std::vector<double> backward; //!< seconds

        /** @return times of a stage */
        PassSeconds Get(std::size_t firstLayer, std::size_t lastLayer) const
        {
            return {forward[lastLayer + 1] - forward[firstLayer],
                    backward[lastLayer + 1] - backward[firstLayer]};
        }
    };

    /**
     * @param replicas devices
     * @param bytes of gradients
     * @return time of summing them in a ring, equation (2); 0 for one device
     */
    double RingSeconds(const std::vector<StageReplica>& replicas, uint64_t bytes) const;

    /**
     * @param plan a plan
     * @param ties of its stages
     * @return by stage, time of the sums that begin with its last backward pass, seconds
     */
    std::vector<double> FindReduces(const PipelinePlan& plan,
                                    const std::vector<TiedStages>& ties) const;

    /**
     * @param plan a plan with groups or tied weights
     * @param reduces see FindReduces
     * @param sums of the plan
     * @param end of the last backward pass, equation (1), seconds
     * @return when the last gradients are summed, seconds
     */
    double FindLastReduce(const PipelinePlan& plan,
                          const std::vector<double>& reduces,
                          const PipelineSums& sums,
                          double end) const;

    /** Weights of one layer that another uses. */
    struct Tie
    {
        std::size_t owner; //!< index of the layer
        std::size_t user;  //!< index of the layer, after the owner
        uint64_t bytes;    //!< of the weights
    };

    const PipelineProblem& m_problem; //!< the problem
    /// By device type, in increasing order of samples; the last one is of a whole micro-batch.
    std::vector<std::vector<TypeSums>> m_types;
    std::vector<std::size_t> m_typeOfDevice; //!< index into m_types, by device
    std::vector<uint64_t> m_cutBytes;        //!< by last layer before the cut
    std::vector<uint64_t> m_parameterBytes;  //!< prefix sums
    std::vector<uint64_t> m_activationBytes; //!< prefix sums
    std::vector<uint64_t> m_receivedBytes;   //!< by first layer of a stage, see StageTensors
    std::vector<Tie> m_ties;                 //!< by owner, then by user
    /// Most bytes alive behind any of 2^k layers, by k and first layer.
    std::vector<std::vector<uint64_t>> m_largestCuts;
};

/**
 * @param costModel a cost model
 * @return devices by the seconds they take for the whole model, fastest first
 */
std::vector<std::size_t> FindFastestFirst(const PipelineCostModel& costModel);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_COST_MODEL_H */
