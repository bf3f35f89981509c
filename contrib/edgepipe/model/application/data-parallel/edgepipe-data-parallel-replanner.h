/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DATA_PARALLEL_REPLANNER_H
#define EDGEPIPE_DATA_PARALLEL_REPLANNER_H

#include "ns3/edgepipe-batch-shares-problem.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-replanner.h"

#include <cstdint>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * When shares are due to be decided anew, and what that costs the first worker's device, as
 * Replanner says; the figures are all that the workers have measured: speeds, response times and
 * what exchanging gradients takes. With a ReplanThreshold of 0, as a DataParallelFirstNode sets it,
 * a decision is due whenever all have reported.
 */
class DataParallelReplanner : public Replanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /** Let the first ReplanPeriod begin. */
    void Start();

    /**
     * If a decision is due, take it for made.
     *
     * @param problem with what all workers have reported
     * @return whether it is due; the first one is
     */
    bool Take(const BatchSharesProblem& problem);

    /**
     * @param compute processor of the device that decides
     * @param job number of the training
     * @param plannerSeconds wall-clock time that the planner took
     * @param done called when it is paid for; not if there is nothing to pay
     * @return whether there is something to pay
     */
    bool Pay(Ptr<ComputeDevice> compute,
             uint32_t job,
             double plannerSeconds,
             ComputeDevice::DoneCallback done) const;

  private:
    bool m_isFirst{true}; //!< whether no decision has been made
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DATA_PARALLEL_REPLANNER_H */
