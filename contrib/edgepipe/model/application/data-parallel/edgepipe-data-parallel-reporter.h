/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_REPORTER_H
#define EDGEPIPE_DATA_PARALLEL_REPORTER_H

#include "ns3/edgepipe-data-parallel-worker.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-pair-monitors.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Tells the first node of data-parallel training how a worker is doing, while it trains, and tells
 * the worker its new shares.
 *
 * Every UpdateInterval it pings the first node, or every node, and when all have answered sends
 * NodeMetrics, in the tag of which is the version of the shares: a latency is the time from request
 * to response (equation 3 of the paper that BatchSharesProblem cites). While answers are missing it
 * asks nobody anew, and nobody at all once the training has ended. With monitors, the response time
 * is the least that it has measured and what all gradients would take at the bandwidth estimated of
 * the link on which they go, which it reports, too. A worker without a share at
 * first asks the first node to let it in when the reporter starts, and one that is to leave asks to
 * be let go. The reporters may live on nodes of their own, with a network of their own.
 */
class DataParallelReporter : public EdgeApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    DataParallelReporter()
        : EdgeApplication(DATA_PARALLEL_REPORTER_PORT)
    {
    }

    /**
     * To be called on its node, before the application starts.
     *
     * @param ranks of all workers, on the nodes of their reporters
     * @param worker reported about
     * @param monitors watch the link that the worker's gradients take; latency is to the first node
     *        alone then; null: none
     * @param leave when the worker asks to be let go; 0: never
     */
    void SetUp(std::shared_ptr<const WorkerRanks> ranks,
               Ptr<DataParallelWorker> worker,
               std::shared_ptr<PairMonitors> monitors,
               const Time& leave);

    /** Report no more, also once the training has ended. */
    void StopApplication() override
    {
        m_next.Cancel();
        m_leaving.Cancel();
        StopWatching();
    }

    std::string DescribeWait() const override
    {
        return m_missing > 0 ? "waits for answers to its pings" : "";
    }

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void Receive(const Message& message) override;

    /** Ask for answers, unless some are still missing. */
    void Ask();

    /**
     * Send the first node a message.
     *
     * @param tag what it is
     * @param body real bytes; may be empty
     */
    void Tell(const DataParallelTag& tag, const std::string& body = "")
    {
        Send(m_ranks->GetNode(0), DATA_PARALLEL_FIRST_NODE_PORT, tag, body);
    }

    /** All have answered: report. */
    void Report();
    /** Watch the link to whom the worker sends its gradients now. */
    void Watch();
    /** Watch none. */
    void StopWatching();

    /**
     * Send a message.
     *
     * @param to id of the receiving node
     * @param port receiving application
     * @param tag what it is
     * @param body real bytes; may be empty
     */
    void Send(uint32_t to, DataParallelPort port, DataParallelTag tag, const std::string& body)
    {
        m_socket.Send(to, port, tag.Pack(), DATA_PARALLEL_NOTICE_BYTES + body.size(), body);
    }

    Time m_interval;                            //!< between reports
    bool m_allPairs;                            //!< whether to ping every node
    std::shared_ptr<const WorkerRanks> m_ranks; //!< of all workers
    Ptr<DataParallelWorker> m_worker;           //!< reported about
    std::shared_ptr<PairMonitors> m_monitors;   //!< of the training; null: none
    std::optional<uint32_t> m_receiver;         //!< id of the node to which the link is watched
    Ptr<BandwidthMonitor> m_monitor;            //!< of that link; null: none
    double m_leastLatency{
        std::numeric_limits<double>::infinity()}; //!< that the first node has answered after, s
    Time m_leave;                                 //!< when the worker asks to be let go; 0: never
    EventId m_leaving;                            //!< calls Tell
    EventId m_next;                               //!< calls Ask
    uint32_t m_missing{0};                        //!< answers to come
    Time m_asked;                                 //!< when
    uint32_t m_version{0};                        //!< of the shares in force then
    std::vector<uint32_t> m_nodes;                //!< ranks of those asked
    std::vector<double> m_latencies;              //!< theirs, s
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_REPORTER_H */
