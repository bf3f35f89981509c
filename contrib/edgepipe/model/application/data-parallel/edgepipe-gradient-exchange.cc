/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-gradient-exchange.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <numeric>

namespace ns3::edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeGradientExchange");

NS_OBJECT_ENSURE_REGISTERED(GradientExchange);

void
GradientExchange::SetUp(uint32_t rank,
                        std::shared_ptr<const WorkerRanks> ranks,
                        const TensorSocket& socket,
                        const std::vector<GradientBucket>& buckets,
                        UpdateCallback update,
                        DoneCallback done,
                        uint16_t port)
{
    const bool isListening = m_ranks != nullptr;
    m_rank = rank;
    m_ranks = std::move(ranks);
    m_socket = socket;
    m_port = port;
    m_buckets.clear();
    m_bytes = 0;
    m_helloTimes.clear();
    for (const GradientBucket& bucket : buckets)
    {
        m_buckets.push_back(bucket.bytes);
        m_bytes += bucket.bytes;
    }
    m_update = update;
    m_done = done;
    m_members = m_ranks->GetAll();
    m_place = rank;
    if (!isListening)
    {
        m_socket.Listen(m_port, MakeCallback(&GradientExchange::Receive, this));
    }
}

void
GradientExchange::Greet(Callback<void> greeted)
{
    m_greeted = greeted;
    if (GetNeighbours().empty())
    {
        m_greeted();
        return;
    }
    SayHello();
}

void
GradientExchange::SayHello()
{
    const auto neighbours = GetNeighbours();
    m_hellos = neighbours.size();
    m_helloSent = Simulator::Now();
    m_helloTime = Time();
    for (const uint32_t to : neighbours)
    {
        Send(to,
             {DataParallelTag::HELLO, m_iteration},
             GetHelloBytes()[m_helloTimes.size()],
             MakeCallback(&GradientExchange::NoticeHello, this));
    }
}

void
GradientExchange::NoticeHello()
{
    m_helloTime += Simulator::Now() - m_helloSent;
    if (--m_hellos > 0)
    {
        return;
    }
    m_helloTimes.push_back(m_helloTime / static_cast<int64_t>(GetNeighbours().size()));
    if (m_helloTimes.size() < GetHelloBytes().size())
    {
        SayHello();
    }
    else
    {
        m_greeted();
    }
}

void
GradientExchange::Begin(uint32_t iteration, uint32_t version)
{
    NS_LOG_FUNCTION(this << iteration << version);
    if (!m_isExchanging)
    {
        m_iteration = iteration;
        m_isExchanging = true;
        m_isUpdating = false;
        m_ready = 0;
        m_summed = 0;
        m_isSumming = false;
        // Only the first worker's version counts; the others receive it in messages.
        m_version = IsFirst() ? version : 0;
    }
    ++m_ready;
    BeginBucket();
    for (const auto& message : std::exchange(m_early, {}))
    {
        Receive(message);
    }
}

void
GradientExchange::BeginBucket()
{
    if (!m_isSumming && m_summed < m_ready)
    {
        m_isSumming = true;
        DoBegin();
    }
}

void
GradientExchange::FinishBucket()
{
    m_isSumming = false;
    if (++m_summed < m_buckets.size())
    {
        BeginBucket();
        return;
    }
    m_isUpdating = true;
    m_update();
}

void
GradientExchange::SetMembers(DataParallelMembers members)
{
    m_members = std::move(members);
    const auto own = std::lower_bound(m_members->begin(), m_members->end(), m_rank);
    NS_ABORT_MSG_UNLESS(own != m_members->end() && *own == m_rank,
                        "worker " << m_rank << " is no member");
    m_place = own - m_members->begin();
}

void
GradientExchange::Receive(const Message& message)
{
    const DataParallelTag tag = DataParallelTag::Unpack(message.tag);
    if (tag.kind == DataParallelTag::HELLO)
    {
        return;
    }
    if (!m_admitted.IsNull() && tag.kind == DataParallelTag::WEIGHTS)
    {
        std::exchange(m_admitted, AdmittedCallback())(tag.iteration, tag.version);
    }
    else if (tag.iteration > m_iteration)
    {
        m_early.push_back(message);
    }
    else
    {
        DoReceive(message, tag);
    }
}

std::string
GradientExchange::DescribeWait() const
{
    if (!m_admitted.IsNull())
    {
        return "waits for the weights, to join";
    }
    if (m_hellos > 0)
    {
        return "waits to reach the workers that it sends gradients to";
    }
    return m_isExchanging && !m_isUpdating ? DoDescribeWait() : "";
}

uint32_t
GradientExchange::GetSender(const Message& message) const
{
    const uint32_t rank = m_ranks->FindRank(message.from).value();
    return std::lower_bound(m_members->begin(), m_members->end(), rank) - m_members->begin();
}

} // namespace ns3::edgepipe
