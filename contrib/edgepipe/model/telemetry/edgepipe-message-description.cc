/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-message-description.h"

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-language-message.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-tensor-socket.h"

#include <map>

namespace ns3::edgepipe
{

namespace
{

/**
 * @tparam T a workload's tag
 * @param tag packed
 * @return its description
 */
template <typename T>
std::string
Describe(uint64_t tag)
{
    return T::Unpack(tag).Describe();
}

/// Describes the tags of messages, by port of a job.
std::map<uint16_t, std::string (*)(uint64_t)> g_describers{
    {PIPELINE_COORDINATOR_PORT, Describe<PipelineTag>},
    {PIPELINE_WORKER_PORT, Describe<PipelineTag>},
    {PIPELINE_METRICS_PORT, Describe<PipelineTag>},
    {PIPELINE_WEIGHTS_PORT, Describe<PipelineTag>},
    {INFERENCE_SERVER_PORT, Describe<InferenceTag>},
    {INFERENCE_DEVICE_PORT, Describe<InferenceTag>},
    {ACTOR_SERVER_PORT, Describe<ActorTag>},
    {ACTOR_PORT, Describe<ActorTag>},
    {LANGUAGE_NODE_PORT, Describe<LanguageTag>},
    {DATA_PARALLEL_FIRST_NODE_PORT, Describe<DataParallelTag>},
    {DATA_PARALLEL_REPORTER_PORT, Describe<DataParallelTag>},
    {DATA_PARALLEL_EXCHANGE_PORT, Describe<DataParallelTag>},
};

} // namespace

std::string
DescribeMessage(const Message& message)
{
    if (message.port >= TensorTransport::MONITOR_PORT)
    {
        return Describe<ProbeTag>(message.tag);
    }
    const uint16_t port = TensorSocket::GetJobPort(message.port);
    const auto found = g_describers.find(IsTiedPort(port) ? DATA_PARALLEL_EXCHANGE_PORT : port);
    return found == g_describers.end() ? "message with tag " + std::to_string(message.tag)
                                       : found->second(message.tag);
}

void
AddMessageDescription(uint16_t port, std::string (*describe)(uint64_t tag))
{
    g_describers[port] = describe;
}

bool
KeepsComing(const Message& message)
{
    const uint16_t port = TensorSocket::GetJobPort(message.port);
    return message.port >= TensorTransport::MONITOR_PORT || port == DATA_PARALLEL_FIRST_NODE_PORT ||
           port == DATA_PARALLEL_REPORTER_PORT ||
           (port == PIPELINE_COORDINATOR_PORT &&
            PipelineTag::Unpack(message.tag).kind == PipelineTag::REPORT);
}

} // namespace ns3::edgepipe
