/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-training-memory.h"

#include "ns3/edgepipe-attributes.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(TrainingMemory);

TypeId
TrainingMemory::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("OptimizerStates",
             "Numbers that the optimizer keeps for each weight: 0 SGD, 1 SGD with momentum, 2 "
             "Adam.",
             {&TrainingMemory::m_optimizerStates, 1, 0, 16})
        .Add("Recompute",
             "Whether pipeline stages keep only their inputs and recompute the forward pass before "
             "the backward pass, as in GPipe.",
             {&TrainingMemory::m_recomputes, false})
        .Add(
            "MemoryMargin",
            "Share of every device's usable memory that plans leave free, 0 to 0.9, since measured "
            "peaks are up to a quarter above the rule.",
            {&TrainingMemory::m_margin, 0.2, 0, 0.9});
}

StageMemory
CountStageMemory(const StageTensors& tensors, uint32_t optimizerStates, bool recomputes)
{
    const uint64_t kept = tensors.activationBytes + tensors.receivedBytes;
    const uint64_t resident =
        (2 + uint64_t{optimizerStates}) * tensors.parameterBytes + 2 * tensors.largestBytes;
    return recomputes ? StageMemory{resident + kept, tensors.inputBytes}
                      : StageMemory{resident, kept};
}

} // namespace ns3::edgepipe
