/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-inference-server.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <cmath>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeInferenceServer");

NS_OBJECT_ENSURE_REGISTERED(InferenceServer);

TypeId
InferenceServer::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("LoadThreshold",
             "Relative change of the server's load above which a device is told.",
             {&InferenceServer::m_loadThreshold, 0.1, 0})
        .Add("SharingPeriod",
             "Time after which a device that has asked for it gets a new report of the other "
             "devices' load.",
             {&InferenceServer::m_sharingPeriod, Seconds(1), Time(0)})
        .Add("FrameUploaded",
             "All tensors of a frame have arrived.",
             {&InferenceServer::m_uploadedTrace, "Frame"})
        .Add("FrameServed",
             "The server's part of a frame is computed.",
             {&InferenceServer::m_servedTrace, "Frame"});
}

void
InferenceServer::Receive(const Message& message)
{
    const InferenceTag tag = InferenceTag::Unpack(message.tag);
    NS_LOG_LOGIC("server: " << tag.Describe() << " from device " << message.from);
    if (m_clients.empty())
    {
        return; // stopped with messages under way
    }
    NS_ABORT_MSG_UNLESS(m_clients.count(message.from), "device " << message.from << " is unknown");
    Client& client = m_clients[message.from];
    client.bytes += static_cast<double>(message.bytes);
    client.lastBytes = Simulator::Now();
    m_cellBytes[client.cell] += static_cast<double>(message.bytes);
    switch (tag.kind)
    {
    case InferenceTag::PLAN: {
        const InferenceLayers layers = InferenceLayers::FromBytes(message.body);
        client.plans.push_back(
            {layers.firstFrame, MakeInferenceSplit(client.problem, {layers.isIncluded})});
        if (client.plans.size() == 1)
        {
            SendNotice(message.from, {InferenceTag::READY}, INFERENCE_NOTICE_BYTES);
        }
        break;
    }
    case InferenceTag::TENSOR:
        TakeTensor(message.from, tag.frame);
        break;
    case InferenceTag::FETCH: {
        const InferenceLayers layers = InferenceLayers::FromBytes(message.body);
        uint64_t bytes = message.body.size();
        for (std::size_t i = 0; i < layers.isIncluded.size(); ++i)
        {
            bytes += layers.isIncluded[i] ? client.parameterBytes[i] : 0;
        }
        SendNotice(message.from, {InferenceTag::WEIGHTS}, bytes, message.body);
        break;
    }
    case InferenceTag::ASK_LOAD:
        TellLoad(message.from);
        break;
    case InferenceTag::ASK_SHARING:
        TellSharing(message.from);
        break;
    case InferenceTag::WEIGHTS:
        break;
    default:
        NS_ABORT_MSG("a server cannot use " << tag.Describe());
    }
}

void
InferenceServer::TakeTensor(uint32_t device, uint64_t frame)
{
    Client& client = m_clients[device];
    // Tensors arrive in frame order, so older plans are no longer needed.
    while (client.plans.size() > 1 && client.plans[1].firstFrame <= frame)
    {
        client.plans.pop_front();
    }
    const InferenceSplit& split = client.plans.front().split;
    if (++client.frames[frame] < split.uplink.size())
    {
        return;
    }
    client.frames.erase(frame);
    m_uploadedTrace(device, frame);
    const double seconds = split.serverSeconds;
    std::vector<bool> layers;
    if (m_replay)
    {
        layers = split.plan.isOnDevice;
        layers.flip();
    }
    const uint64_t bytes = split.resultBytes;
    CountBacklog();
    client.seconds += seconds;
    client.lastWork = Simulator::Now();
    m_seconds += seconds;
    if (client.told != Time::Min() && Simulator::Now() - client.told >= m_sharingPeriod)
    {
        TellSharing(device);
    }
    m_compute->Run(
        InferenceTag{InferenceTag::SERVER_PART, static_cast<uint32_t>(frame), device}.Pack(),
        seconds,
        Callback<void>([this, device, frame, bytes] {
            m_servedTrace(device, frame);
            SendNotice(device, {InferenceTag::RESULT, static_cast<uint32_t>(frame)}, bytes);
            const auto served = m_clients.find(device);
            const double told = served == m_clients.end() ? 0 : served->second.toldShare;
            if (served != m_clients.end() &&
                std::abs(m_compute->GetAvailableShare() - told) > m_loadThreshold * told)
            {
                TellLoad(device);
            }
        }),
        m_socket.GetJob(),
        false,
        GetStretch(m_passes++, layers, LayerReplay::FORWARD));
}

void
InferenceServer::TurnPeriod()
{
    const Time past = Simulator::Now() - m_periodStart;
    if (past >= m_sharingPeriod)
    {
        m_leastBacklog = {past < m_sharingPeriod + m_sharingPeriod ? m_leastBacklog[1] : NONE,
                          NONE};
        m_periodStart = Simulator::Now();
    }
}

void
InferenceServer::TellSharing(uint32_t device)
{
    Client& own = m_clients[device];
    const Time now = Simulator::Now();
    const Time since = std::exchange(own.told, now);
    const bool isFirst = since == Time::Min();
    if (!isFirst)
    {
        CountBacklog();
    }
    const double seconds = m_seconds - own.seconds;
    const double bytes = own.cell == 0 ? 0 : m_cellBytes[own.cell] - own.bytes;
    ServerSharing sharing;
    if (!isFirst && now > since)
    {
        const double window = (now - since).GetSeconds();
        sharing.busyShare = (seconds - own.toldSeconds) / window;
        sharing.cellBitsPerSecond = 8 * (bytes - own.toldBytes) / window;
        for (const auto& [other, client] : m_clients)
        {
            const bool isOther = other != device;
            sharing.devices += isOther && client.lastWork > since;
            sharing.cellDevices +=
                isOther && own.cell != 0 && client.cell == own.cell && client.lastBytes > since;
        }
    }
    TurnPeriod();
    const double least = std::min(m_leastBacklog[0], m_leastBacklog[1]);
    sharing.backlogSeconds = least == NONE ? 0 : least;
    own.toldSeconds = seconds;
    own.toldBytes = bytes;
    if (isFirst)
    {
        return; // nothing has been counted yet
    }
    const std::string body = WriteBody(sharing);
    SendNotice(device, {InferenceTag::SHARING}, INFERENCE_NOTICE_BYTES + body.size(), body);
}

std::string
InferenceServer::DescribeWait() const
{
    std::string text;
    for (const auto& [device, client] : m_clients)
    {
        for (const auto& [frame, tensors] : client.frames)
        {
            text += (text.empty() ? "has " : ", ") + std::to_string(tensors) +
                    " of the tensors of frame " + std::to_string(frame) + " of device " +
                    std::to_string(device);
        }
    }
    return text;
}

} // namespace ns3::edgepipe
