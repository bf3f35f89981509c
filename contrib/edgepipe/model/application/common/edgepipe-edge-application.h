/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_EDGE_APPLICATION_H
#define EDGEPIPE_EDGE_APPLICATION_H

#include "ns3/application.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * What the applications of all workloads have in common: they belong to a job, can say what they
 * wait for, and those that come to an end say so.
 */
class EdgeApplication : public Application
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /** @return number of its job among those of its nodes, see TensorEndpoint::TakeJob */
    uint32_t GetJobNumber() const;

    /** @return what it waits for, in words; empty if it waits for nothing */
    virtual std::string DescribeWait() const = 0;

    /** TracedCallback signature of the trace source Finished. */
    typedef void (*FinishedTracedCallback)();

  protected:
    /** Tell whoever follows that there is nothing more to do. */
    void NotifyFinished();

  private:
    uint32_t m_number;                //!< of its job
    TracedCallback<> m_finishedTrace; //!< fires once, when there is nothing more to do
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_EDGE_APPLICATION_H */
