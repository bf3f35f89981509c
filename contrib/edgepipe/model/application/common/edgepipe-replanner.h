/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_REPLANNER_H
#define EDGEPIPE_REPLANNER_H

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-message-body.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::edgepipe
{

/** A device's report to its coordinator; sent as text in DONE, JOIN and REPORT messages. */
struct DeviceReport
{
    double share{1};                 //!< available share of the device, 0 to 1
    double uplinkBitsPerSecond{0};   //!< to the watched device, payload bit/s; 0: watches none
    double downlinkBitsPerSecond{0}; //!< from that device; 0: none
    uint64_t backlog{0};             //!< tasks waiting for its processor or running on it

    /// For error messages.
    static constexpr const char* NAME = "device report";

    /**
     * Lists the fields, see MessageBody.
     * @param body writes or reads them
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
 * Common part of all decisions during a run: when one is due, how a planner is run, and what that
 * costs the deciding device.
 *
 * A decision is due every ReplanPeriod, and when a figure, such as a bandwidth estimated by a
 * BandwidthMonitor, differs from its value at the last decision by more than ReplanThreshold of
 * that value. It costs the device a task of FixedPlanningTime + PlanningScale x the planner's
 * wall-clock time. If an external plan does not arrive, the old one stays in force; the first plan
 * must arrive.
 */
class Replanner : public Typed<Replanner, Object>
{
  public:
    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Set the deciding device; before the first decision.
     *
     * @param socket sends its messages
     * @param compute its processor, which bears the cost
     */
    void SetHost(const TensorSocket& socket, Ptr<ComputeDevice> compute)
    {
        m_socket = socket;
        m_compute = compute;
    }

    /** Stop watching, because there is nothing more to decide. */
    virtual void Stop()
    {
        m_nextPeriod.Cancel();
    }

    /**
     * Set the figures that later ones are compared with, as a decision has been made for them.
     * @param figures that it was made for
     */
    void SetFigures(std::vector<double> figures)
    {
        m_figures = std::move(figures);
    }

    /**
     * Begin the first ReplanPeriod.
     * @param due called at the end of every period, when a decision is due; may be null
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
     * Run a planner.
     *
     * @param ask runs it, and keeps its plan
     * @return whether a plan has arrived; otherwise the failure is counted
     * @throws PlannerFailure if the first plan does not arrive, InputError if there is no plan
     */
    bool Ask(const std::function<void()>& ask);

    /**
     * Charge the device for a decision.
     *
     * @param plannerSeconds wall-clock time that the planner took, s
     * @param tag of the task
     * @param handOut called when the task is done; at once if the decision costs nothing
     */
    void Pay(double plannerSeconds, uint64_t tag, std::function<void()> handOut);

    /** @return cost of a decision regardless of the planner's time, s */
    double GetFixedSeconds() const
    {
        return m_fixedTime.GetSeconds();
    }

    /** @return factor from the planner's wall-clock time to its cost */
    double GetPlanningScale() const
    {
        return m_scale;
    }

    /** @return whether Ask has obtained a plan */
    bool HasPlan() const
    {
        return m_hasPlan;
    }

    /** @return plans that did not arrive */
    const PlannerFailures& GetFailures() const
    {
        return m_failures;
    }

    /** @return wall-clock seconds spent in Ask */
    double GetDecisionSeconds() const
    {
        return m_seconds;
    }

  protected:
    void DoDispose() override;

    TensorSocket m_socket;        //!< sends the messages of the deciding device
    Ptr<ComputeDevice> m_compute; //!< its processor, which bears the cost

  private:
    /** A ReplanPeriod is over. */
    void EndPeriod();

    double m_threshold;            //!< relative change that makes a decision due
    Time m_period;                 //!< between decisions due regardless of figures; 0: none
    Time m_fixedTime;              //!< fixed cost of a decision
    double m_scale;                //!< factor from the planner's wall-clock time to its cost
    std::vector<double> m_figures; //!< of the last decision
    bool m_isPeriodOver{false};    //!< whether a decision is due regardless of figures
    std::function<void()> m_due;   //!< called at the end of a period
    EventId m_nextPeriod;          //!< end of the present period
    bool m_hasPlan{false};         //!< whether a plan has arrived
    PlannerFailures m_failures;    //!< plans that did not arrive
    double m_seconds{0};           //!< wall-clock time spent in Ask
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_REPLANNER_H */
