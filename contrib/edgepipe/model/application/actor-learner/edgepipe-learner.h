/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LEARNER_H
#define EDGEPIPE_LEARNER_H

#include "ns3/edgepipe-actor-record.h"
#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The learner: collects steps, and updates the parameters on the server's processor.
 *
 * Once BatchSteps steps are waiting, an update is queued as one task of the processor; there is at
 * most one at a time. The version counts updates. Steps wait if they arrive faster than updates use
 * them.
 */
class Learner : public Typed<Learner, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

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
     * Add steps.
     *
     * @param steps number of steps
     * @param version oldest parameter version used for them
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

    /** @return steps added so far */
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
    /** Steps taken with one parameter version. */
    struct Intake
    {
        uint32_t steps;   //!< number of steps
        uint32_t version; //!< of the parameters
    };

    /** Begin an update if enough steps are waiting. */
    void BeginUpdate();

    uint32_t m_batchSteps;        //!< steps per update
    double m_updateSeconds;       //!< of an update on the idle processor
    Ptr<ComputeDevice> m_compute; //!< runs updates
    uint32_t m_job{0};            //!< of the server
    std::deque<Intake> m_intakes; //!< waiting, in order of arrival
    uint64_t m_waiting{0};        //!< waiting steps
    uint64_t m_steps{0};          //!< added so far
    uint32_t m_version{0};        //!< updates done
    bool m_isUpdating{false};     //!< whether an update is in progress
    bool m_isStopped{false};      //!< whether no further update begins

    /// Fires when an update is done.
    TracedCallback<const UpdateRecord& /* update */> m_updateTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LEARNER_H */
