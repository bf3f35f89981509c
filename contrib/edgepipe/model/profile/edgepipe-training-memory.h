/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRAINING_MEMORY_H
#define EDGEPIPE_TRAINING_MEMORY_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/object.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Settings of the memory model of pipelines and data-parallel training.
 */
class TrainingMemory : public Typed<TrainingMemory, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /** @return numbers that the optimizer keeps for each weight */
    uint32_t GetOptimizerStates() const
    {
        return m_optimizerStates;
    }

    /** @return whether stages keep only their inputs and recompute activations */
    bool Recomputes() const
    {
        return m_recomputes;
    }

    /** @return share of a device's usable memory that plans leave free, 0 to 0.9 */
    double GetMargin() const
    {
        return m_margin;
    }

  private:
    uint32_t m_optimizerStates; //!< for each weight
    double m_margin;            //!< share of the usable memory that plans leave free
    bool m_recomputes;          //!< whether activations are recomputed
};

/** Tensors of a stage's layers, bytes, per micro-batch except for the weights. */
struct StageTensors
{
    uint64_t parameterBytes{0};  //!< of the weights
    uint64_t activationBytes{0}; //!< that its layers and the loss keep from forward until backward
    uint64_t receivedBytes{0};   //!< of received tensors not in activationBytes
    uint64_t inputBytes{0};      //!< of all tensors that it reads
    uint64_t largestBytes{0};    //!< of all tensors alive at once, at most
};

/** The memory of a stage in training. */
struct StageMemory
{
    /// Bytes all the time: weights, gradients, optimizer state and working tensors.
    uint64_t residentBytes{0};
    uint64_t heldBytes{0}; //!< bytes for each micro-batch between its passes

    /**
     * @param microBatches between their passes
     * @return bytes in all
     */
    uint64_t GetBytes(uint64_t microBatches) const
    {
        return residentBytes + microBatches * heldBytes;
    }
};

/**
 * The memory rule that planners, ledgers and checks share. With P, A, R, I and W for the figures of
 * StageTensors in their order, and s numbers of optimizer state for each weight, a stage takes
 *
 *     (2 + s) P + 2 W      all the time and     A + R     for each micro-batch held.         (1)
 *
 * (2 + s) P are weights, gradients and optimizer state; 2 W a gradient and the one computed from
 * it, or an arriving and a departing tensor; A + R the inputs of the backward pass. P has weights
 * that other stages own, too. Outputs that no layer reads go to the loss on the stage's device. A
 * cross entropy keeps a copy of them, which A has (FindKeptBytes), and W their gradients. With
 * recomputation (Huang et al., GPipe, NeurIPS 2019, section 2.3), only I is held per micro-batch,
 * and A + R once.
 *
 * @param tensors of the stage
 * @param optimizerStates s
 * @param recomputes whether activations are recomputed
 * @return its memory
 */
StageMemory CountStageMemory(const StageTensors& tensors,
                             uint32_t optimizerStates,
                             bool recomputes = false);

/**
 * @param optimizerStates s
 * @return passes of a weight update over the weights' bytes: weights and state are read and
 *         written, gradients read
 */
constexpr double
GetUpdatePasses(uint32_t optimizerStates)
{
    return 3.0 + 2.0 * optimizerStates;
}

/**
 * @tparam Layer has inputs, indices of earlier layers, and outputBytes
 * @param layers in a topological order
 * @return by layer, bytes of its output if it goes to the loss, since no layer reads it; else 0
 */
template <typename Layer>
std::vector<uint64_t>
FindLossBytes(const std::vector<Layer>& layers)
{
    std::vector<uint64_t> bytes;
    for (const Layer& layer : layers)
    {
        bytes.push_back(layer.outputBytes);
        for (const std::size_t input : layer.inputs)
        {
            bytes[input] = 0;
        }
    }
    return bytes;
}

/**
 * @tparam Layer has inputs, indices of earlier layers, outputBytes and activationBytes
 * @param layers in a topological order
 * @return by layer, bytes that it and the loss of its output keep from forward until backward
 */
template <typename Layer>
std::vector<uint64_t>
FindKeptBytes(const std::vector<Layer>& layers)
{
    std::vector<uint64_t> bytes = FindLossBytes(layers);
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        bytes[i] += layers[i].activationBytes;
    }
    return bytes;
}

/**
 * @tparam Layer has inputs, indices of earlier layers, and outputBytes
 * @param layers in a topological order
 * @return by layer, bytes of the tensors produced up to it and read after it
 */
template <typename Layer>
std::vector<uint64_t>
FindCutBytes(const std::vector<Layer>& layers)
{
    std::vector<std::size_t> lastReader(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        lastReader[i] = i;
        for (const std::size_t input : layers[i].inputs)
        {
            lastReader[input] = i;
        }
    }
    // A tensor is alive from the cut after its layer to the cut before its last reader.
    std::vector<uint64_t> ending(layers.size(), 0);
    std::vector<uint64_t> cuts;
    uint64_t alive = 0;
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        alive -= ending[i];
        if (lastReader[i] > i)
        {
            alive += layers[i].outputBytes;
            ending[lastReader[i]] += layers[i].outputBytes;
        }
        cuts.push_back(alive);
    }
    return cuts;
}

/**
 * @tparam Layer has inputs, indices of earlier layers, and outputBytes
 * @param layers in a topological order
 * @return by layer, bytes alive behind it: of tensors read after it, and of its output for the loss
 */
template <typename Layer>
std::vector<uint64_t>
FindAliveBytes(const std::vector<Layer>& layers)
{
    std::vector<uint64_t> bytes = FindCutBytes(layers);
    const std::vector<uint64_t> loss = FindLossBytes(layers);
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        bytes[i] += loss[i];
    }
    return bytes;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRAINING_MEMORY_H */
