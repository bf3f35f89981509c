/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COMPUTE_DEVICE_H
#define EDGEPIPE_COMPUTE_DEVICE_H

#include "ns3/callback.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <list>
#include <utility>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A processor that runs one task at a time, in the order they were submitted.
 *
 * A task is an amount of work, in seconds on the idle device. The attribute AvailableShare is the
 * part of the device that is available to us; it may change at any time, even while a task runs. A
 * task of w seconds takes w / share. With a share of 0 nothing advances.
 */
class ComputeDevice : public Typed<ComputeDevice, Object>
{
  public:
    /** Called when a task has finished. */
    using DoneCallback = Callback<void>;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Submit a task.
     *
     * @param tag the caller's label, handed to the trace sources
     * @param seconds work, seconds on the idle device, finite and not negative
     * @param done called when the task has finished; may be null
     * @param job number of the caller's job among those of the node, handed to the trace sources
     * @param isDecision whether it only decides on other work, see GetLastDecision
     * @param stretch time that the task takes of the idle device over its seconds, 0 or more
     * @return whether it runs at once; otherwise it waits for earlier tasks
     */
    bool Run(uint64_t tag,
             double seconds,
             DoneCallback done,
             uint32_t job = 0,
             bool isDecision = false,
             double stretch = 1);

    /**
     * Change the share of the device that is available to us.
     *
     * @param share from 0 to 1
     */
    void SetAvailableShare(double share);

    /** @return the share of the device that is available to us, 0 to 1 */
    double GetAvailableShare() const
    {
        return m_share;
    }

    /**
     * Get the available share as the device measures it by timing its own work.
     *
     * @return work over time of the last finished task of more than a microsecond, above 0, at
     *         most 1; the present share if there was none
     */
    double GetMeasuredShare() const
    {
        return m_measured > 0 ? m_measured : m_share;
    }

    /** @return whether a task is running or waiting */
    bool IsBusy() const
    {
        return m_isBusy;
    }

    /** @return how many tasks are running or waiting */
    uint64_t GetBacklog() const;

    /** @return work left of all tasks that are running or waiting, seconds on the idle device */
    double GetBacklogSeconds() const;

    /** @return work left of the running task, seconds on the idle device; 0 if none runs */
    double GetRemaining() const;

    /**
     * Take work off the running task, because another device does it.
     *
     * @param seconds work, seconds on the idle device, from 0 to GetRemaining()
     */
    void Shorten(double seconds);

    /**
     * Schedule a call when the running task has only so much work left, or less after Shorten.
     * There is one such call at a time; a second one replaces the first.
     *
     * @param seconds work left, seconds on the idle device, from 0 to GetRemaining()
     * @param reached called once
     */
    void CallAtRemaining(double seconds, Callback<void> reached);

    /** @return the end of the running task, expired if none advances */
    EventId GetFinish() const
    {
        return m_finish;
    }

    /** @return whether anyone follows its tasks */
    bool IsObserved() const
    {
        return !m_startTrace.IsEmpty() || !m_endTrace.IsEmpty() || !m_reached.IsNull();
    }

    /**
     * Let the running task, which advances, run as much later as if it had begun later.
     * @param delay how much
     */
    void Postpone(const Time& delay);

    /** @return when the task that runs, or ran last, began; zero before the first */
    Time GetTaskStart() const
    {
        return m_began;
    }

    /** @return when a task other than a decision last ran, zero before the first */
    Time GetLastProgress() const;

    /** @return when the last decision began, and when it last ran; zeros before the first */
    std::pair<Time, Time> GetLastDecision() const;

    /**
     * TracedCallback signature of the task trace sources.
     *
     * @param [in] tag the label given to Run
     * @param [in] job number of the job given to Run
     */
    typedef void (*TaskTracedCallback)(uint64_t tag, uint32_t job);

  protected:
    void DoDispose() override;

  private:
    /** A submitted task. */
    struct Task
    {
        uint64_t tag;      //!< the caller's label
        double seconds;    //!< work left, seconds on the idle device
        DoneCallback done; //!< may be null
        uint32_t job;      //!< of the caller
        bool isDecision;   //!< whether it only decides on other work
        double work;       //!< seconds on the idle device by its profile
    };

    /** @return whether the running task advances */
    bool IsAdvancing() const
    {
        return m_isBusy && m_share > 0;
    }

    /** Announce the running task and let it run. */
    void Begin();
    /** Halt the running task and subtract the work done since the last change. */
    void Settle();
    /** Let a halted task run, its end scheduled at the present share. */
    void Continue();
    /** The running task has as much work left as the caller of CallAtRemaining asked for. */
    void Reach();
    /** The running task has finished. */
    void Finish();

    Task m_running;                       //!< the running task, if there is one
    bool m_isBusy{false};                 //!< whether there is one
    std::list<Task> m_waiting;            //!< tasks behind it; a list, as it is usually empty
    double m_waitingSeconds{0};           //!< work of m_waiting, seconds on the idle device
    double m_share{1};                    //!< share of the device available to us
    Time m_since;                         //!< since when the running task runs at m_share
    Time m_began;                         //!< see GetTaskStart
    double m_measured{0};                 //!< work over time of the last task; 0: none yet
    EventId m_finish;                     //!< end of the running task
    double m_mark{0};                     //!< work left at which to call m_reached, seconds
    Callback<void> m_reached;             //!< null if there is no such call
    EventId m_reach;                      //!< calls m_reached
    Time m_lastProgress;                  //!< when a task other than a decision last finished
    std::pair<Time, Time> m_lastDecision; //!< begin and end of the last finished decision

    /// Fires when the share of the device that is available to us has been set.
    TracedCallback<double /* before */, double /* after */> m_shareTrace;
    /// Fires when a task starts to run.
    TracedCallback<uint64_t /* tag */, uint32_t /* job */> m_startTrace;
    /// Fires when a task has finished, before the caller is told.
    TracedCallback<uint64_t /* tag */, uint32_t /* job */> m_endTrace;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COMPUTE_DEVICE_H */
