/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_LOG_H
#define EDGEPIPE_DATA_PARALLEL_LOG_H

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-data-parallel-first-node.h"
#include "ns3/edgepipe-data-parallel-worker.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::edgepipe
{

/** One weight update of all workers. */
struct WeightUpdateRecord
{
    uint32_t version{0};   //!< version of the shares
    uint64_t samples{0};   //!< samples of all workers
    Time previousEnd;      //!< end of the previous update; start if there is none
    Time start;            //!< when the first worker began, which may be before previousEnd
    Time firstComputed;    //!< when the first worker had computed its share
    Time lastComputed;     //!< when the last worker had
    Time end;              //!< when the last worker had the new weights
    double nodeSeconds{0}; //!< from a worker's gradients to its new weights, mean over workers
    /// From the last worker's gradients to a worker's new weights, mean over workers: the part of
    /// nodeSeconds that is not waiting for slower workers.
    double exchangeSeconds{0};

    /** @return from previousEnd to end, seconds */
    double GetIterationSeconds() const
    {
        return (end - previousEnd).GetSeconds();
    }
};

/** Shares, and when they came into force. */
struct ShareRecord
{
    Time decided;                  //!< zero for the first
    bool isInForce{false};         //!< whether any iteration used them
    uint32_t iteration{0};         //!< the first iteration that used them
    std::vector<uint64_t> samples; //!< by worker; 0: takes no part
};

/** A period without metrics of a worker. */
struct MissingMetrics
{
    uint32_t rank; //!< rank of the worker
    Time since;    //!< when the last metrics arrived
    Time until;    //!< when metrics arrived again; zero if they did not
};

/** Work and messages of a worker. */
struct DataParallelNodeUse
{
    uint64_t samples{0};       //!< computed
    double computeSeconds{0};  //!< of its shares, from the start of each to its end
    uint64_t exchangeBytes{0}; //!< payload sent of gradients and weights
    uint64_t controlBytes{0};  //!< payload sent of metrics, pings and shares
};

/** Records of a data-parallel training. */
struct DataParallelRecords
{
    std::vector<WeightUpdateRecord> updates; //!< finished by every worker, in order
    std::vector<ShareRecord> shares;         //!< by version
    uint32_t plans{0};                       //!< number of calls of the planner
    std::vector<MissingMetrics> missing;     //!< in the order in which they were noticed
    std::vector<DataParallelNodeUse> nodes;  //!< by rank
    uint64_t exchangeTransfers{0};           //!< messages of gradients and weights
};

/**
 * @ingroup edgepipe
 *
 * Records a data-parallel training.
 */
class DataParallelLog
{
  public:
    /**
     * @param applications of one training, its workers by rank, see DataParallelHelper
     * @throws InputError if they are not of one training
     */
    explicit DataParallelLog(const ApplicationContainer& applications);

    // The trace sources hold this object's address.
    DataParallelLog(const DataParallelLog&) = delete;
    DataParallelLog& operator=(const DataParallelLog&) = delete;

    /** @return what was recorded so far */
    const DataParallelRecords& GetRecords() const
    {
        return m_records;
    }

  private:
    /**
     * @param rank of a worker
     * @param worker the worker
     */
    void Observe(uint32_t rank, Ptr<DataParallelWorker> worker);
    /** @param firstNode the node that decides shares */
    void Observe(Ptr<DataParallelFirstNode> firstNode);
    /**
     * Count messages.
     * @param nodes of the workers, or of their control network, by rank
     */
    void Observe(const NodeContainer& nodes);

    JobFilter m_filter;                        //!< selects the messages that count
    DataParallelRecords m_records;             //!< so far
    std::vector<WeightUpdateRecord> m_open;    //!< the current update and the next
    uint32_t m_ended{0};                       //!< workers that have finished the current one
    std::vector<Time> m_begun;                 //!< by worker: when it began its present share
    std::map<uint32_t, std::size_t> m_missing; //!< by worker: the latest of its missing records
    std::vector<Time> m_computed;              //!< by worker: when it last had gradients
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DATA_PARALLEL_LOG_H */
