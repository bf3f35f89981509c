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
 * It decides when every worker has reported since the last decision and a new one is due; the first
 * worker's device bears the cost (Replanner). The figures are all that workers measure: speeds,
 * response times and gradient exchange times. With a ReplanThreshold of 0, the default here, a
 * decision is due whenever all have reported. Changed shares are sent to every worker; when all
 * have confirmed them, their version is announced with the first worker's gradients, so that all
 * workers use it from the same iteration on.
 *
 * A worker that asks to join or leave has a share, or none, in the next version. The planner
 * decides that version if the metrics of all members are known. Otherwise the shares keep their
 * proportions, and a new worker gets a mean share. Workers whose metrics are missing are named, and
 * shares stay as they are until these arrive. They also stay if an external plan does not arrive;
 * the first plan must arrive.
 */
class DataParallelFirstNode : public Typed<DataParallelFirstNode, EdgeApplication>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    DataParallelFirstNode()
        : Typed(DATA_PARALLEL_FIRST_NODE_PORT),
          m_replanner(CreateObjectWithAttributes<Replanner>("ReplanThreshold", DoubleValue(0)))
    {
    }

    /** @return the replanner, which triggers decisions and charges for them */
    Ptr<Replanner> GetReplanner() const
    {
        return m_replanner;
    }

    /**
     * To be called on its node, before the application starts.
     *
     * @param ranks of all workers, on the nodes of their reporters
     * @param worker the first worker, which announces versions
     * @param planner makes the plans
     * @param problem without metrics; its nodes are the workers, by rank
     * @param shares initial samples by worker; 0: the worker is not in, and may ask to join
     */
    void SetUp(std::shared_ptr<const WorkerRanks> ranks,
               Ptr<DataParallelWorker> worker,
               Ptr<BatchSharesPlanner> planner,
               BatchSharesProblem problem,
               std::vector<uint64_t> shares);

    /** Stop checking for metrics; also called when the training has ended. */
    void StopApplication() override
    {
        m_check.Cancel();
        m_replanner->Stop();
    }

    /** @return the problem of the members, with the latest metrics */
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
     * @param [in] rank of the worker
     * @param [in] since when the last ones arrived
     */
    typedef void (*MetricsTracedCallback)(uint32_t rank, Time since);

  protected:
    void DoDispose() override;

  private:
    /// Largest version that fits the tag; shares stay fixed after it.
    static constexpr uint32_t LAST_VERSION = (1 << 17) - 1;

    void StartApplication() override;
    void Receive(const Message& message) override;

    /**
     * A worker's metrics have arrived.
     *
     * @param rank of the worker
     * @param version of the shares that they were measured with
     * @param metrics the metrics
     */
    void TakeMetrics(uint32_t rank, uint32_t version, const NodeMetrics& metrics);

    /** @return whether a decision is being paid for or unconfirmed, or none can follow */
    bool IsBusy() const
    {
        return m_isDeciding || !m_unconfirmed.empty() || m_version == LAST_VERSION;
    }

    /** Apply requests to join and leave, if the last decision has been confirmed. */
    void Form();
    /** Decide, if every worker has reported and the last decision has been confirmed. */
    void Decide();
    /** @return the figures whose changes make a decision due */
    std::vector<double> ListFigures() const;
    /**
     * Run the planner.
     * @param otherwise shares by worker, used if no plan arrives
     */
    void Plan(const std::vector<uint64_t>& otherwise);
    /** @return reported states of the members' devices, and the state of the first one */
    std::vector<DeviceState> FindStates() const;
    /**
     * Send out decided shares, if they differ from the present ones.
     * @param shares samples by worker
     */
    void HandOut(const std::vector<uint64_t>& shares);
    /** Check for missing metrics. */
    void Check();
    /**
     * Note that a worker has reported, or has just been asked to.
     * @param rank of the worker
     */
    void SetReported(uint32_t rank);

    Time m_interval;                            //!< between checks
    Time m_missingAfter;                        //!< metrics older than this are missing
    std::shared_ptr<const WorkerRanks> m_ranks; //!< of all workers
    Ptr<DataParallelWorker> m_worker;           //!< first worker, which announces versions
    Ptr<BatchSharesPlanner> m_planner;          //!< makes the plans
    Ptr<Replanner> m_replanner;                 //!< triggers decisions
    bool m_isDeciding{false};                   //!< whether a decision is being paid for
    BatchSharesProblem m_problem;               //!< of all workers, with the latest metrics
    std::map<uint32_t, DeviceReport> m_reports; //!< reports on links, by rank
    std::vector<uint32_t> m_members;            //!< ranks of the members, joining ones included
    std::set<uint32_t> m_asking;                //!< ranks that ask to join or leave
    uint32_t m_formed{0};                       //!< first version with these members
    std::vector<uint64_t> m_shares;             //!< latest decided samples, by worker
    uint32_t m_version{0};                      //!< of m_shares
    std::set<uint32_t> m_unconfirmed;           //!< ranks that have not confirmed it
    std::set<uint32_t> m_unreported;            //!< ranks that have not reported since a decision
    std::vector<Time> m_reported;               //!< latest report of each worker
    Time m_overdue;                             //!< until then no other one is missing
    std::set<uint32_t> m_missing;               //!< ranks named as missing
    EventId m_check;                            //!< calls Check

    /// Fires when a decision is complete, whether or not shares change.
    TracedCallback<> m_plannedTrace;
    /// Fires when decided shares differ from those before.
    TracedCallback<uint32_t /* version */, const std::vector<uint64_t>& /* shares */>
        m_decidedTrace;
    /// Fires when a worker's metrics are found missing.
    TracedCallback<uint32_t /* rank */, Time /* since */> m_missingTrace;
    /// Fires when they arrive again.
    TracedCallback<uint32_t /* rank */, Time /* since */> m_backTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_FIRST_NODE_H */
