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
 * Reports metrics of a worker in data-parallel training to the first node, and passes new shares to
 * the worker.
 *
 * Every UpdateInterval it pings the first node, or every node. When all have answered, it sends
 * NodeMetrics, with the version of the shares in the tag; a latency is the time from request to
 * response (equation 3 of the paper that BatchSharesProblem cites). It sends no pings while answers
 * are missing, or once the training has ended. With monitors, the response time is the least one
 * measured plus the time of all gradients at the estimated bandwidth of their link, which it also
 * reports. A worker without an initial share asks to join when the reporter starts, and one that is
 * to leave asks for that. Reporters may run on nodes of their own, with a network of their own.
 */
class DataParallelReporter : public Typed<DataParallelReporter, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    DataParallelReporter()
        : Typed(DATA_PARALLEL_REPORTER_PORT)
    {
    }

    /**
     * To be called on its node, before the application starts.
     *
     * @param ranks of all workers, on the nodes of their reporters
     * @param worker that it reports on
     * @param monitors watch the link that the worker's gradients take, and require latencies to the
     *        first node alone; null: none
     * @param leave when the worker asks to leave; 0: never
     */
    void SetUp(std::shared_ptr<const WorkerRanks> ranks,
               Ptr<DataParallelWorker> worker,
               std::shared_ptr<PairMonitors> monitors,
               const Time& leave);

    /** Stop reporting; also called when the training has ended. */
    void StopApplication() override
    {
        m_started.reset();
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

    /** Schedule the next pings, a whole number of intervals after the start, unless stopped. */
    void AskNext();
    /** Send pings. */
    void Ask();

    /**
     * Send the first node a message.
     *
     * @param tag of the message
     * @param body real bytes; may be empty
     */
    void SendToFirst(const DataParallelTag& tag, const std::string& body = "")
    {
        Send(m_ranks->GetNode(0), DATA_PARALLEL_FIRST_NODE_PORT, tag, body);
    }

    /** Report, as all have answered. */
    void Report();
    /** Watch the link that the worker's gradients take now. */
    void Watch();
    /** Stop watching the link. */
    void StopWatching();

    /**
     * Send a message.
     *
     * @param to id of the receiving node
     * @param port receiving application
     * @param tag of the message
     * @param body real bytes; may be empty
     */
    void Send(uint32_t to, DataParallelPort port, DataParallelTag tag, const std::string& body)
    {
        m_socket.Send(to, port, tag.Pack(), DATA_PARALLEL_NOTICE_BYTES + body.size(), body);
    }

    Time m_interval;                            //!< between reports
    bool m_allPairs;                            //!< whether to ping every node
    std::shared_ptr<const WorkerRanks> m_ranks; //!< of all workers
    Ptr<DataParallelWorker> m_worker;           //!< that it reports on
    std::shared_ptr<PairMonitors> m_monitors;   //!< of the training; null: none
    std::optional<uint32_t> m_receiver;         //!< id of the node that receives its gradients
    Ptr<BandwidthMonitor> m_monitor;            //!< of that link; null: none
    double m_leastLatency{
        std::numeric_limits<double>::infinity()}; //!< least response time of the first node, s
    Time m_leave;                                 //!< when the worker asks to leave; 0: never
    EventId m_leaving;                            //!< calls Tell
    EventId m_next;                               //!< calls Ask
    uint32_t m_missing{0};                        //!< answers still missing
    std::optional<Time> m_started;                //!< when it began to ask; none: it does not
    Time m_asked;                                 //!< when the latest pings were sent
    uint32_t m_version{0};                        //!< of the shares in force then
    std::vector<uint32_t> m_nodes;                //!< ranks of the pinged workers
    std::vector<double> m_latencies;              //!< their latencies, s
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_REPORTER_H */
