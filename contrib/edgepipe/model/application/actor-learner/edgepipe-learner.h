/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LEARNER_H
#define EDGEPIPE_LEARNER_H

#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The learner: takes in steps, and updates the parameters on the server's processor.
 *
 * Once BatchSteps steps are there, an update is one task, behind whatever the processor has to do;
 * there is one at a time. The version counts updates. Steps that come faster than they are trained
 * with wait.
 */
class Learner : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * @param compute runs the updates
     * @param job number of the server's job
     */
    void SetUp(Ptr<ComputeDevice> compute, uint32_t job)
    {
        m_job = job;
        m_compute = compute;
    }

    /**
     * Take in steps.
     *
     * @param steps how many
     * @param version oldest one that took them
     */
    void TakeIn(uint32_t steps, uint32_t version);

    /** Begin no further update. */
    void Stop()
    {
        m_isStopped = true;
    }

    /** @return updates done */
    uint32_t GetVersion() const
    {
        return m_version;
    }

    /** @return steps taken in so far */
    uint64_t GetSteps() const
    {
        return m_steps;
    }

    /**
     * TracedCallback signature of the trace source Update.
     *
     * @param [in] update what was done
     */
    typedef void (*UpdateTracedCallback)(const UpdateRecord& update);

  private:
    /** Steps that one version took. */
    struct Intake
    {
        uint32_t steps;   //!< how many
        uint32_t version; //!< that took them
    };

    /** Begin an update if there are steps for it. */
    void BeginUpdate();

    uint32_t m_batchSteps;        //!< of an update
    double m_updateSeconds;       //!< of an update on the idle processor
    Ptr<ComputeDevice> m_compute; //!< runs updates
    uint32_t m_job{0};            //!< of the server
    std::deque<Intake> m_intakes; //!< that wait
    uint64_t m_waiting{0};        //!< steps that wait
    uint64_t m_steps{0};          //!< taken in so far
    uint32_t m_version{0};        //!< updates done
    bool m_isUpdating{false};     //!< whether one is under way
    bool m_isStopped{false};      //!< whether no further one begins

    /// Fires when an update is done.
    TracedCallback<const UpdateRecord& /* update */> m_updateTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LEARNER_H */
