/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOB_FILTER_H
#define EDGEPIPE_JOB_FILTER_H

#include "ns3/application-container.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace ns3::edgepipe
{

/** A task that has run. */
struct TaskSpan
{
    uint32_t device; //!< index of the device
    uint64_t tag;    //!< the application's label
    Time start;      //!< when it started to run
    Time end;        //!< when it finished
};

/** A message that has been delivered. */
struct TransferSpan
{
    uint32_t from;  //!< sending device
    uint32_t to;    //!< receiving device
    uint16_t port;  //!< receiving application
    uint64_t tag;   //!< the application's label
    uint64_t bytes; //!< payload
    Time start;     //!< when its first byte entered the network
    Time end;       //!< when it had arrived whole
};

/**
 * Distinguishes one job's tasks and messages from those of others on the same nodes and transport.
 *
 * A job has a number that no other on its nodes has (TensorEndpoint::TakeJob); jobs without a node
 * in common may have the same.
 */
class JobFilter
{
  public:
    /** Accepts those of all jobs. */
    JobFilter() = default;

    /**
     * @param applications of one job
     * @throws InputError if they are not, or if one of them is no EdgeApplication
     */
    explicit JobFilter(const ApplicationContainer& applications);

    /**
     * @param message on a transport of the job's nodes
     * @return whether it belongs to the job
     */
    bool Has(const Message& message) const;

    /**
     * Report every task of the job when it has ended.
     *
     * @param device index of a device
     * @param compute its processor, one task at a time
     * @param note called with the task
     */
    void WatchTasks(uint32_t device,
                    Ptr<ComputeDevice> compute,
                    std::function<void(const TaskSpan&)> note) const;

    /**
     * Report every message of the job when it has arrived whole.
     *
     * @param transport transport of the messages
     * @param note called with the message
     */
    void WatchTransfers(Ptr<TensorTransport> transport,
                        std::function<void(const TransferSpan&)> note) const;

    /** @return ids of the job's nodes; empty: all */
    const std::set<uint32_t>& GetNodes() const
    {
        return m_nodes;
    }

  private:
    std::optional<uint32_t> m_number; //!< of the job; none: all
    std::set<uint32_t> m_nodes;       //!< ids
};

/**
 * @tparam T a class of applications
 * @param applications some
 * @return those of that class
 */
template <typename T>
std::vector<Ptr<T>>
Select(const ApplicationContainer& applications)
{
    std::vector<Ptr<T>> selected;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (const auto application = DynamicCast<T>(*i))
        {
            selected.push_back(application);
        }
    }
    return selected;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_JOB_FILTER_H */
