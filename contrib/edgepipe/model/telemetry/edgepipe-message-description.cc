/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-message-description.h"

#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-data-parallel-message.h"
#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-link-probe.h"
#include "ns3/edgepipe-pipeline-message.h"
#include "ns3/edgepipe-tensor-socket.h"

namespace ns3
{
namespace edgepipe
{

std::string
DescribeMessage(const Message& message)
{
    if (message.port >= TensorTransport::MONITOR_PORT)
    {
        return ProbeTag::Unpack(message.tag).Describe();
    }
    switch (TensorSocket::GetJobPort(message.port))
    {
    case INFERENCE_SERVER_PORT:
    case INFERENCE_DEVICE_PORT:
        return InferenceTag::Unpack(message.tag).Describe();
    case EDGE_SERVER_PORT:
    case ACTOR_PORT:
        return ActorTag::Unpack(message.tag).Describe();
    case DATA_PARALLEL_FIRST_NODE_PORT:
    case DATA_PARALLEL_REPORTER_PORT:
    case DATA_PARALLEL_EXCHANGE_PORT:
        return DataParallelTag::Unpack(message.tag).Describe();
    default:
        return PipelineTag::Unpack(message.tag).Describe();
    }
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

} // namespace edgepipe
} // namespace ns3
