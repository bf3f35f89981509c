/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_REPLANNER_H
#define EDGEPIPE_REPLANNER_H

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-message-body.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::edgepipe
{

/** What a device tells the coordinator of itself; travels as text in DONE and REPORT messages. */
struct DeviceReport
{
    double share{1};               //!< of the device that is left for us, 0 to 1
    double uplinkBitsPerSecond{0}; //!< to the device it watches, payload bit/s; 0: it watches none
    double downlinkBitsPerSecond{0}; //!< from that device; 0: none
    uint64_t backlog{0};             //!< tasks that wait for its processor or run on it

    /// For messages.
    static constexpr const char* NAME = "device report";

    /**
     * Lists the fields, see MessageBody.
     * @param body what writes or reads them
     */
    template <typename Body>
    void List(Body& body)
    {
        body("share", share)("uplinkBitsPerSecond", uplinkBitsPerSecond);
        if (body.HasMore(downlinkBitsPerSecond != uplinkBitsPerSecond || backlog > 0))
        {
            body("downlinkBitsPerSecond", downlinkBitsPerSecond);
        }
        else
        {
            downlinkBitsPerSecond = uplinkBitsPerSecond;
        }
        if (body.HasMore(backlog > 0))
        {
            body("backlog", backlog);
        }
    }
};

/**
 * @ingroup edgepipe
 *
 * What all decisions during a run have in common: when one is due, how a planner is asked, and what
 * that costs the device that decides.
 *
 * A decision is due when a figure, such as a bandwidth that a BandwidthMonitor has estimated,
 * differs from what the last decision was made for by more than ReplanThreshold of that, and every
 * ReplanPeriod. It costs the device a task of FixedPlanningTime + PlanningScale x the wall-clock
 * time that the planner took. A plan from outside that does not come leaves the old one in force;
 * the first one has to come.
 */
class Replanner : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /**
     * Say who decides; before the first decision.
     *
     * @param socket moves its messages
     * @param compute its processor, which pays
     */
    void Use(const TensorSocket& socket, Ptr<ComputeDevice> compute)
    {
        m_socket = socket;
        m_compute = compute;
    }

    /** Watch no longer: there is nothing more to decide. */
    virtual void Stop()
    {
        m_nextPeriod.Cancel();
    }

    /**
     * A first decision has been made.
     * @param figures that it was made for
     */
    void SetFigures(std::vector<double> figures)
    {
        m_figures = std::move(figures);
    }

    /**
     * Let the first ReplanPeriod begin.
     * @param due called at the end of every one, when a decision is due; may be null
     */
    void Watch(std::function<void()> due = nullptr);

    /**
     * Return whether a decision is due, and reset the trigger.
     *
     * @param figures as measured
     * @return whether it is due
     */
    bool TakeIfDue(const std::vector<double>& figures);

    /**
     * Ask a planner.
     *
     * @param ask asks it, and keeps its plan
     * @return whether a plan has come; otherwise the failure is counted
     * @throws PlannerFailure if the first plan does not come, InputError if there is no plan
     */
    bool Ask(const std::function<void()>& ask);

    /**
     * Have the device pay for a decision.
     *
     * @param plannerSeconds wall-clock time that the planner took, s
     * @param tag of the task
     * @param handOut called when it is paid for: at once if it costs nothing
     */
    void Pay(double plannerSeconds, uint64_t tag, std::function<void()> handOut);

    /** @return what a decision costs whatever the planner took, s */
    double GetFixedSeconds() const
    {
        return m_fixedTime.GetSeconds();
    }

    /** @return what it costs over the wall-clock time of the planner */
    double GetPlanningScale() const
    {
        return m_scale;
    }

    /** @return whether Ask has brought a plan */
    bool HasPlan() const
    {
        return m_hasPlan;
    }

    /** @return plans that did not come */
    const PlannerFailures& GetFailures() const
    {
        return m_failures;
    }

    /** @return wall-clock seconds that asking has taken */
    double GetDecisionSeconds() const
    {
        return m_seconds;
    }

  protected:
    void DoDispose() override;

    TensorSocket m_socket;        //!< moves the messages of the device that decides
    Ptr<ComputeDevice> m_compute; //!< its processor, which pays

  private:
    /** ReplanPeriod is over. */
    void EndPeriod();

    double m_threshold;            //!< relative change that makes a decision due
    Time m_period;                 //!< between decisions that are due anyway; 0: none
    Time m_fixedTime;              //!< that a decision costs
    double m_scale;                //!< of wall-clock time that it costs
    std::vector<double> m_figures; //!< that the last decision was made for
    bool m_isPeriodOver{false};    //!< whether one is due whatever the figures
    std::function<void()> m_due;   //!< called at the end of a period
    EventId m_nextPeriod;          //!< end of the present period
    bool m_hasPlan{false};         //!< whether a plan has come
    PlannerFailures m_failures;    //!< plans that did not come
    double m_seconds{0};           //!< of wall-clock time that asking has taken
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_REPLANNER_H */
