/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-parameter-server-exchange.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(ParameterServerExchange);

TypeId
ParameterServerExchange::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::ParameterServerExchange")
                            .SetParent<GradientExchange>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<ParameterServerExchange>();
    return tid;
}

std::string
ParameterServerExchange::GetName() const
{
    return "parameter-server";
}

double
ParameterServerExchange::GetUploadSeconds() const
{
    return m_upload.GetSeconds();
}

std::optional<uint32_t>
ParameterServerExchange::FindReceiver() const
{
    return IsFirst() ? std::nullopt : GradientExchange::FindReceiver();
}

double
ParameterServerExchange::FindOwnSeconds(double uplinkBitsPerSecond,
                                        double downlinkBitsPerSecond) const
{
    // It begins when it has its weights, the server when it has updated them.
    return 8.0 * static_cast<double>(GetBytes()) *
           (1 / uplinkBitsPerSecond + 1 / downlinkBitsPerSecond);
}

std::vector<uint32_t>
ParameterServerExchange::GetNeighbours() const
{
    if (GetRank() > 0)
    {
        return {0};
    }
    std::vector<uint32_t> others;
    for (uint32_t rank = 1; rank < GetWorkers(); ++rank)
    {
        others.push_back(rank);
    }
    return others;
}

void
ParameterServerExchange::DoBegin(uint32_t version)
{
    if (GetRank() == 0)
    {
        m_version = version;
        m_hasArrived.resize(GetWorkers());
        m_hasArrived[0] = true;
        Advance();
        return;
    }
    m_uploadStart = Simulator::Now();
    Send(0,
         DataParallelTag::GRADIENTS,
         0,
         0,
         GetBytes(),
         Callback<void>([self = Ptr<ParameterServerExchange>(this)] {
             self->m_upload = Simulator::Now() - self->m_uploadStart;
         }));
}

void
ParameterServerExchange::DoReceive(const Message& message, const DataParallelTag& tag)
{
    if (tag.kind == DataParallelTag::WEIGHTS)
    {
        Finish(tag.version);
        return;
    }
    m_hasArrived.resize(GetWorkers());
    m_hasArrived[GetSender(message)] = true;
    Advance();
}

void
ParameterServerExchange::Advance()
{
    if (std::all_of(m_hasArrived.begin(), m_hasArrived.end(), [](bool has) { return has; }))
    {
        RequestUpdate();
    }
}

void
ParameterServerExchange::DoNotifyUpdated()
{
    m_hasArrived.assign(GetWorkers(), false);
    for (uint32_t rank = 1; rank < GetWorkers(); ++rank)
    {
        Send(rank, DataParallelTag::WEIGHTS, 0, m_version, GetBytes());
    }
    Finish(m_version);
}

std::string
ParameterServerExchange::DoDescribeWait() const
{
    const std::string iteration = " of iteration " + std::to_string(GetIteration());
    if (GetRank() > 0)
    {
        return "waits for weights" + iteration + ", from worker 0";
    }
    std::string missing;
    for (uint32_t rank = 0; rank < m_hasArrived.size(); ++rank)
    {
        if (!m_hasArrived[rank])
        {
            missing += (missing.empty() ? "" : ", ") + std::to_string(GetWorker(rank));
        }
    }
    return "waits for gradients" + iteration + ", from workers " + missing;
}

} // namespace edgepipe
} // namespace ns3
