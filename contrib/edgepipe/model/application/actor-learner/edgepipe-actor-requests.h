/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_REQUESTS_H
#define EDGEPIPE_ACTOR_REQUESTS_H

#include "ns3/abort.h"
#include "ns3/edgepipe-actor-message.h"
#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/edgepipe-ranges.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Queue of requests for the server's processor. They are computed one by one in order of arrival,
 * or in batches of those that are waiting when the processor becomes free.
 *
 * Requests of a batch may begin at different layers. A layer is computed once for all that need it,
 * in the profiled time for that many. All are answered when the last layer is done.
 */
class ActorRequests
{
  public:
    /// Called with a request whose layers are computed, and its cut.
    using ServedCallback = std::function<void(const ServedRecord& request, std::size_t cut)>;

    /**
     * @param model the network and the server
     * @param batchSeconds time by number of requests, from 1, and layer, s; larger batches scale
     *        the last entry; empty: the FLOP of each request over the server's speed
     */
    void SetUp(const MultiActorModel& model, std::vector<std::vector<double>> batchSeconds)
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

    /**
     * @param compute the server's processor
     * @param job number of the server's job
     * @param mostTogether most requests of a batch; 1: no batches
     * @param served called for every request
     */
    void Start(Ptr<ComputeDevice> compute,
               uint32_t job,
               uint32_t mostTogether,
               ServedCallback served)
    {
        m_compute = compute;
        m_job = job;
        m_mostTogether = mostTogether;
        m_served = std::move(served);
    }

    /** Discard waiting requests. */
    void Stop()
    {
        m_compute = nullptr;
        m_served = nullptr;
        m_waiting.clear();
    }

    /**
     * @param request that has arrived
     * @param cut layers that its actor has run
     */
    void Add(const ServedRecord& request, std::size_t cut)
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

    /**
     * @param cuts of requests
     * @return time of their layers together on the idle server, s
     */
    double GetSeconds(const std::vector<std::size_t>& cuts) const
    {
        double seconds = 0;
        if (m_batchSeconds.empty())
        {
            return Sum(cuts, [this](std::size_t cut) { return m_aloneSeconds.at(cut); });
        }
        const std::size_t layers = m_aloneSeconds.size() - 1;
        for (std::size_t layer = *std::min_element(cuts.begin(), cuts.end()); layer < layers;
             ++layer)
        {
            const std::size_t together =
                std::count_if(cuts.begin(), cuts.end(), [layer](auto cut) { return cut <= layer; });
            const std::size_t known = std::min(together, m_batchSeconds.size());
            seconds += m_batchSeconds[known - 1][layer] * together / known;
        }
        return seconds;
    }

  private:
    /** A waiting request. */
    struct Waiting
    {
        ServedRecord request; //!< as far as known
        std::size_t cut;      //!< of its actor
    };

    /** Compute the waiting requests, as soon as the processor is free. */
    void BeginBatch()
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
        // An empty task runs when all tasks before it are done.
        m_compute->Run(ActorTag{ActorTag::SERVER_BATCH}.Pack(),
                       0,
                       Callback<void>([this] { RunBatch(); }),
                       m_job);
    }

    /** Compute a batch on the free processor. */
    void RunBatch()
    {
        const std::size_t count = std::min(m_mostTogether, m_waiting.size());
        std::vector<Waiting> batch(m_waiting.begin(), m_waiting.begin() + count);
        m_waiting.erase(m_waiting.begin(), m_waiting.begin() + count);
        const auto cuts = Map(batch, &Waiting::cut);
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

    std::vector<double> m_aloneSeconds;              //!< of a request alone, by cut
    std::vector<std::vector<double>> m_batchSeconds; //!< by requests and layer
    Ptr<ComputeDevice> m_compute;                    //!< the server's processor
    uint32_t m_job{0};                               //!< of the server
    std::size_t m_mostTogether{1};                   //!< most requests of a batch
    ServedCallback m_served;                         //!< called for every request
    std::deque<Waiting> m_waiting;                   //!< in order of arrival
    bool m_isBusy{false};                            //!< whether a batch has begun or is about to
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_REQUESTS_H */
