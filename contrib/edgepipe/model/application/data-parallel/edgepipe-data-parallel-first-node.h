/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_FIRST_NODE_H
#define EDGEPIPE_DATA_PARALLEL_FIRST_NODE_H

#include "ns3/double.h"
#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-data-parallel-worker.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-replanner.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Collects metrics of all workers of data-parallel training, decides shares, and hands them out.
 *
 * It decides when every worker has reported since it last decided, and that is due; the first
 * worker's device pays for it (Replanner). Figures are all that workers have measured: speeds,
 * response times and what exchanging gradients takes. With a ReplanThreshold of 0, the default
 * here, a decision is due whenever all have reported. A decision that changes something is sent to
 * every worker; when all have confirmed it, its version is announced with the first worker's
 * gradients, so that all workers use it from the same iteration on. A worker that asks to be let in
 * or go has a share or none in the next version, which the planner decides where the metrics of all
 * are there, and which has the proportions of the last one, a mean share for a worker that is new,
 * where they are not. Whose metrics do not arrive is named, and shares stay as they are until they
 * do. They stay, too, where a plan from outside does not come; the first one has to.
 */
class DataParallelFirstNode : public EdgeApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    DataParallelFirstNode()
        : EdgeApplication(DATA_PARALLEL_FIRST_NODE_PORT),
          m_replanner(CreateObjectWithAttributes<Replanner>("ReplanThreshold", DoubleValue(0)))
    {
    }

    /** @return says when to decide, and has it paid for */
    Ptr<Replanner> GetReplanner() const
    {
        return m_replanner;
    }

    /**
     * To be called on its node, before the application starts.
     *
     * @param ranks of all workers, on the nodes of their reporters
     * @param worker the first worker, which announces
     * @param planner decides
     * @param problem what is asked but for the metrics; its nodes are the workers, by rank
     * @param shares samples by worker at first; 0: it is not in, and may ask to be
     */
    void SetUp(std::shared_ptr<const WorkerRanks> ranks,
               Ptr<DataParallelWorker> worker,
               Ptr<BatchSharesPlanner> planner,
               BatchSharesProblem problem,
               std::vector<uint64_t> shares);

    /** Look for metrics no more, also once the training has ended. */
    void StopApplication() override
    {
        m_check.Cancel();
        m_replanner->Stop();
    }

    /** @return the problem of the workers that are in, with the latest metrics */
    BatchSharesProblem GetProblem() const;

    std::string DescribeWait() const override
    {
        return m_missing.empty() ? "" : "waits for metrics of workers " + JoinWords(m_missing);
    }

    /**
     * TracedCallback signature of the decisions.
     *
     * @param [in] version of the shares
     * @param [in] shares samples by worker
     */
    typedef void (*DecidedTracedCallback)(uint32_t version, const std::vector<uint64_t>& shares);

    /**
     * TracedCallback signature of metrics that do not arrive, or arrive again.
     *
     * @param [in] rank whose
     * @param [in] since when the last ones arrived
     */
    typedef void (*MetricsTracedCallback)(uint32_t rank, Time since);

  protected:
    void DoDispose() override;

  private:
    /// What the tag has room for; shares stay after that.
    static constexpr uint32_t LAST_VERSION = (1 << 20) - 1;

    void StartApplication() override;
    void Receive(const Message& message) override;

    /**
     * A worker's metrics have arrived.
     *
     * @param rank of the worker
     * @param version of the shares that they are of
     * @param metrics the metrics
     */
    void TakeMetrics(uint32_t rank, uint32_t version, const NodeMetrics& metrics);

    /** @return whether a decision is being paid for, or has yet to be confirmed */
    bool IsBusy() const
    {
        return m_isDeciding || !m_unconfirmed.empty() || m_version == LAST_VERSION;
    }

    /** Let in and go who has asked for it, as soon as the last decision has been confirmed. */
    void Form();
    /** Decide, if every worker has reported and the last decision has been confirmed. */
    void Decide();
    /** @return what makes a decision due */
    std::vector<double> ListFigures() const;
    /**
     * Ask the planner.
     * @param otherwise shares by worker, where a plan does not come
     */
    void Plan(const std::vector<uint64_t>& otherwise);
    /** @return what has been told of the devices of those that are in, and what is known here */
    std::vector<DeviceState> FindStates() const;
    /**
     * A decision has been paid for.
     * @param shares that were decided, samples by worker
     */
    void HandOut(const std::vector<uint64_t>& shares);
    /** Look whose metrics are missing. */
    void Check();

    Time m_interval;                            //!< between looks
    Time m_missingAfter;                        //!< metrics older than this are missing
    std::shared_ptr<const WorkerRanks> m_ranks; //!< of all workers
    Ptr<DataParallelWorker> m_worker;           //!< announces
    Ptr<BatchSharesPlanner> m_planner;          //!< decides
    Ptr<Replanner> m_replanner;                 //!< says when
    bool m_isDeciding{false};                   //!< whether a decision is being paid for
    BatchSharesProblem m_problem;               //!< of all workers, with the latest metrics
    std::map<uint32_t, DeviceReport> m_reports; //!< on links, by rank
    std::vector<uint32_t> m_members;            //!< ranks of those that are in, or are let in
    std::set<uint32_t> m_asking;                //!< those to be let in or go
    uint32_t m_formed{0};                       //!< first version of these members
    std::vector<uint64_t> m_shares;             //!< as last decided
    uint32_t m_version{0};                      //!< of them
    std::set<uint32_t> m_unconfirmed;           //!< ranks that have yet to confirm it
    std::set<uint32_t> m_unreported;            //!< ranks that have yet to report
    std::vector<Time> m_reported;               //!< when each last did
    std::set<uint32_t> m_missing;               //!< ranks named as missing
    EventId m_check;                            //!< calls Check

    /// Fires when the planner has been asked.
    TracedCallback<> m_plannedTrace;
    /// Fires when shares have been decided that differ from those before.
    TracedCallback<uint32_t /* version */, const std::vector<uint64_t>& /* shares */>
        m_decidedTrace;
    /// Fires when a worker's metrics are found missing.
    TracedCallback<uint32_t /* rank */, Time /* since */> m_missingTrace;
    /// Fires when they arrive again.
    TracedCallback<uint32_t /* rank */, Time /* since */> m_backTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_FIRST_NODE_H */
