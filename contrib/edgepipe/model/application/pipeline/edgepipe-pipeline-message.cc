/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-message.h"

#include <limits>
#include <sstream>

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
    switch (kind)
    {
    case ASSIGNMENT:
        return "assignment";
    case HELLO:
        return "hello";
    case READY:
        return "ready";
    case START:
        return "start";
    case DONE:
        return "done";
    case ACTIVATIONS:
        return "activations";
    case GRADIENTS:
        return "gradients";
    case FORWARD:
        return "forward";
    case BACKWARD:
        return "backward";
    case UPDATE:
        return "update";
    case REQUEST:
        return "request";
    case GRANT:
        return "grant";
    case RESULT:
        return "result";
    case ASSIST_FORWARD:
        return "assist-forward";
    case ASSIST_BACKWARD:
        return "assist-backward";
    case ASK:
        return "ask";
    case REPORT:
        return "report";
    case PLANNING:
        return "planning";
    case MOVE:
        return "move";
    case LAYER_WEIGHTS:
        return "layer-weights";
    case WEIGHTS:
        return "weights";
    case COLLECT:
        return "collect";
    case WEIGHT_GRADIENTS:
        return "weight-gradients";
    case REFUSAL:
        return "refusal";
    case MERGE:
        return "merge";
    }
    return "unknown";
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

std::string
StageAssignment::ToText() const
{
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << stage << ' ' << stages << ' ' << microBatches << ' ' << coordinator << ' ' << previous
         << ' ' << next << ' ' << forwardSeconds << ' ' << backwardSeconds << ' ' << updateSeconds
         << ' ' << inputBytes << ' ' << outputBytes << ' ' << parameterBytes << ' '
         << activationBytes << ' ' << schedule;
    if (samples > 0)
    {
        text << ' ' << samples << ' ' << bandwidthBytesPerSecond << ' ' << sampleBytes << ' '
             << slowestOther.forward << ' ' << slowestOther.backward;
        for (const auto& pass : atStages)
        {
            text << ' ' << pass.forward << ' ' << pass.backward;
        }
    }
    return text.str();
}

StageAssignment
StageAssignment::FromText(const std::string& text)
{
    StageAssignment a;
    std::istringstream stream(text);
    stream >> a.stage >> a.stages >> a.microBatches >> a.coordinator >> a.previous >> a.next >>
        a.forwardSeconds >> a.backwardSeconds >> a.updateSeconds >> a.inputBytes >> a.outputBytes >>
        a.parameterBytes >> a.activationBytes >> a.schedule >> a.samples >>
        a.bandwidthBytesPerSecond >> a.sampleBytes >> a.slowestOther.forward >>
        a.slowestOther.backward;
    for (PassSeconds pass; stream >> pass.forward >> pass.backward;)
    {
        a.atStages.push_back(pass);
    }
    return a;
}

} // namespace edgepipe
} // namespace ns3
