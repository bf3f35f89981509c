/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-message.h"

#include <iterator>

namespace ns3
{
namespace edgepipe
{

uint64_t
PipelineTag::Pack() const
{
    return static_cast<uint64_t>(kind) << 56 | static_cast<uint64_t>(iteration) << 32 | microBatch;
}

PipelineTag
PipelineTag::Unpack(uint64_t packed)
{
    return {static_cast<Kind>(packed >> 56),
            static_cast<uint32_t>(packed >> 32 & 0xffffff),
            static_cast<uint32_t>(packed)};
}

std::string
PipelineTag::GetKindName() const
{
    static constexpr const char* NAMES[] = {"assignment",
                                            "hello",
                                            "ready",
                                            "start",
                                            "done",
                                            "activations",
                                            "gradients",
                                            "forward",
                                            "backward",
                                            "update",
                                            "request",
                                            "grant",
                                            "result",
                                            "ask",
                                            "report",
                                            "planning",
                                            "move",
                                            "layer-weights",
                                            "assist-forward",
                                            "assist-backward",
                                            "weights",
                                            "collect",
                                            "weight-gradients",
                                            "refusal",
                                            "merge"};
    static_assert(std::size(NAMES) == MERGE + 1, "every kind has a name");
    return NameKind(NAMES, kind);
}

bool
PipelineTag::HasMicroBatch() const
{
    switch (kind)
    {
    case ACTIVATIONS:
    case GRADIENTS:
    case FORWARD:
    case BACKWARD:
    case REQUEST:
    case GRANT:
    case RESULT:
    case ASSIST_FORWARD:
    case ASSIST_BACKWARD:
    case REFUSAL:
        return true;
    default:
        return false;
    }
}

bool
PipelineTag::IsAssistance() const
{
    return kind == ASSIST_FORWARD || kind == ASSIST_BACKWARD;
}

std::string
PipelineTag::Describe() const
{
    std::string text = GetKindName();
    if (kind == LAYER_WEIGHTS)
    {
        text += " of layer " + std::to_string(microBatch);
    }
    if (HasMicroBatch())
    {
        text += " of micro-batch " + std::to_string(microBatch);
    }
    const bool isSetUp = kind == ASSIGNMENT || kind == HELLO || kind == READY;
    return isSetUp ? text : text + ", iteration " + std::to_string(iteration);
}

} // namespace edgepipe
} // namespace ns3
