/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-actor-requests.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-actor-message.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace edgepipe
{

void
ActorRequests::SetUp(const MultiActorModel& model, std::vector<std::vector<double>> batchSeconds)
{
    const std::size_t layers = model.layerFlop.size();
    m_aloneSeconds.assign(layers + 1, 0);
    uint64_t flop = 0;
    for (std::size_t i = 0; i < layers; ++i)
    {
        flop += model.layerFlop[layers - 1 - i];
        m_aloneSeconds[layers - 1 - i] = flop / model.serverFlopPerSecond;
    }
    m_batchSeconds = std::move(batchSeconds);
    for (const auto& seconds : m_batchSeconds)
    {
        NS_ABORT_MSG_UNLESS(seconds.size() == layers, "seconds of other layers");
    }
    for (std::size_t cut = 0; cut <= layers; ++cut)
    {
        m_aloneSeconds[cut] = GetSeconds({cut});
    }
}

void
ActorRequests::Start(Ptr<ComputeDevice> compute,
                     uint32_t job,
                     uint32_t mostTogether,
                     ServedCallback served)
{
    m_compute = compute;
    m_job = job;
    m_mostTogether = mostTogether;
    m_served = std::move(served);
}

void
ActorRequests::Stop()
{
    m_compute = nullptr;
    m_served = nullptr;
    m_waiting.clear();
}

double
ActorRequests::GetSeconds(const std::vector<std::size_t>& cuts) const
{
    double seconds = 0;
    if (m_batchSeconds.empty())
    {
        for (const std::size_t cut : cuts)
        {
            seconds += m_aloneSeconds.at(cut);
        }
        return seconds;
    }
    const std::size_t layers = m_aloneSeconds.size() - 1;
    for (std::size_t layer = *std::min_element(cuts.begin(), cuts.end()); layer < layers; ++layer)
    {
        const std::size_t together =
            std::count_if(cuts.begin(), cuts.end(), [layer](auto cut) { return cut <= layer; });
        const std::size_t known = std::min(together, m_batchSeconds.size());
        seconds += m_batchSeconds[known - 1][layer] * together / known;
    }
    return seconds;
}

void
ActorRequests::Add(const ServedRecord& request, std::size_t cut)
{
    if (m_mostTogether > 1)
    {
        m_waiting.push_back({request, cut});
        BeginBatch();
        return;
    }
    m_compute->Run(ActorTag{ActorTag::SERVER_PART, request.step, request.actor}.Pack(),
                   m_aloneSeconds.at(cut),
                   Callback<void>([this, request, cut] { m_served(request, cut); }),
                   m_job);
}

void
ActorRequests::BeginBatch()
{
    if (m_isBusy || m_waiting.empty())
    {
        return;
    }
    m_isBusy = true;
    if (!m_compute->IsBusy())
    {
        RunBatch();
        return;
    }
    // A task of no work has its turn when those before it are done.
    m_compute->Run(ActorTag{ActorTag::SERVER_BATCH}.Pack(),
                   0,
                   Callback<void>([this] { RunBatch(); }),
                   m_job);
}

void
ActorRequests::RunBatch()
{
    const std::size_t count = std::min(m_mostTogether, m_waiting.size());
    std::vector<Waiting> batch(m_waiting.begin(), m_waiting.begin() + count);
    m_waiting.erase(m_waiting.begin(), m_waiting.begin() + count);
    std::vector<std::size_t> cuts;
    for (const auto& one : batch)
    {
        cuts.push_back(one.cut);
    }
    const auto step = batch.front().request.step;
    m_compute->Run(ActorTag{ActorTag::SERVER_BATCH, step, static_cast<uint32_t>(count)}.Pack(),
                   GetSeconds(cuts),
                   Callback<void>([this, batch = std::move(batch)] {
                       m_isBusy = false;
                       for (const auto& one : batch)
                       {
                           m_served(one.request, one.cut);
                       }
                       BeginBatch();
                   }),
                   m_job);
}

} // namespace edgepipe
} // namespace ns3
