/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-pipeline-message.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Details of what belongs to an iteration, and to one of its micro-batches.
constexpr const char* ITERATION = ", iteration %1";
constexpr const char* MICRO_BATCH = " of micro-batch %2, iteration %1";

} // namespace

const std::vector<TagKind> PipelineTag::KINDS{
    {"assignment"},
    {"hello"},
    {"ready"},
    {"start", ITERATION},
    {"done", ITERATION},
    {"activations", MICRO_BATCH},
    {"gradients", MICRO_BATCH},
    {"forward", MICRO_BATCH},
    {"backward", MICRO_BATCH},
    {"update", ITERATION},
    {"request", MICRO_BATCH},
    {"grant", MICRO_BATCH},
    {"result", MICRO_BATCH},
    {"ask", ITERATION},
    {"report", ITERATION},
    {"planning", ITERATION},
    {"move", ITERATION},
    {"layer-weights", " of layer %2, iteration %1"},
    {"assist-forward", MICRO_BATCH},
    {"assist-backward", MICRO_BATCH},
    {"weights", ITERATION},
    {"collect", ITERATION},
    {"weight-gradients", ITERATION},
    {"refusal", MICRO_BATCH},
    {"merge", ITERATION},
};

bool
PipelineTag::HasMicroBatch() const
{
    return FindTagKind(KINDS, kind).details == MICRO_BATCH;
}

bool
PipelineTag::IsAssistance() const
{
    return kind == ASSIST_FORWARD || kind == ASSIST_BACKWARD;
}

} // namespace edgepipe
} // namespace ns3
