/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_REQUESTS_H
#define EDGEPIPE_ACTOR_REQUESTS_H

#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-multi-actor-problem.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The requests that wait for the server's processor, and how they are computed: one by one in the
 * order of arrival, or those that wait when the processor has become free together, as a batch.
 *
 * Requests of a batch may begin at different layers; a layer is computed for all that need it at
 * once, and takes what the profile says of so many. All are answered when the last layer is done.
 */
class ActorRequests
{
  public:
    /// Told of a request whose layers are computed, and its cut.
    using ServedCallback = std::function<void(const ServedRecord& request, std::size_t cut)>;

    /**
     * @param model the network and the server
     * @param batchSeconds by requests, from one on, and layer: what so many take together, s; for
     *        more of them in proportion to the last; empty: the FLOP of each over the server's
     * speed
     */
    void SetUp(const MultiActorModel& model, std::vector<std::vector<double>> batchSeconds);

    /**
     * @param compute the server's processor
     * @param job number of the server's job
     * @param mostTogether requests of a batch, at most; 1: none is batched
     * @param served told of every request
     */
    void Start(Ptr<ComputeDevice> compute,
               uint32_t job,
               uint32_t mostTogether,
               ServedCallback served);

    /** Forget what waits. */
    void Stop();

    /**
     * @param request that has arrived
     * @param cut layers that its actor has run
     */
    void Add(const ServedRecord& request, std::size_t cut);

    /**
     * @param cuts of requests
     * @return what their layers take together on the idle server, s
     */
    double GetSeconds(const std::vector<std::size_t>& cuts) const;

  private:
    /** A request that waits. */
    struct Waiting
    {
        ServedRecord request; //!< what is known of it
        std::size_t cut;      //!< of its actor
    };

    /** Compute what waits, as soon as the processor is free. */
    void BeginBatch();
    /** The processor is free. */
    void RunBatch();

    std::vector<double> m_aloneSeconds;              //!< of a request alone, by cut
    std::vector<std::vector<double>> m_batchSeconds; //!< by requests and layer
    Ptr<ComputeDevice> m_compute;                    //!< the server's processor
    uint32_t m_job{0};                               //!< of the server
    std::size_t m_mostTogether{1};                   //!< of a batch
    ServedCallback m_served;                         //!< told of every request
    std::deque<Waiting> m_waiting;                   //!< in the order of arrival
    bool m_isBusy{false};                            //!< whether a batch has begun or is about to
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_ACTOR_REQUESTS_H */
