/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_REPLANNER_H
#define EDGEPIPE_REPLANNER_H

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

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
    void Use(const TensorSocket& socket, Ptr<ComputeDevice> compute);

    /** Watch no longer: there is nothing more to decide. */
    virtual void Stop();

    /**
     * @param before figures that a decision was made for
     * @param now the same figures, as measured
     * @param threshold relative change that matters
     * @return whether any has changed by more, or there are more or fewer of them
     */
    static bool HasChanged(const std::vector<double>& before,
                           const std::vector<double>& now,
                           double threshold);

    /**
     * A first decision has been made.
     * @param figures that it was made for
     */
    void SetFigures(std::vector<double> figures);

    /** Let the first ReplanPeriod begin. */
    void Watch();

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
    double GetFixedSeconds() const;

    /** @return what it costs over the wall-clock time of the planner */
    double GetPlanningScale() const;

    /** @return whether Ask has brought a plan */
    bool HasPlan() const;

    /** @return plans that did not come */
    const PlannerFailures& GetFailures() const;

    /** @return wall-clock seconds that asking has taken */
    double GetDecisionSeconds() const;

  protected:
    void DoDispose() override;

    /** @return what moves the messages of the device that decides */
    const TensorSocket& GetSocket() const;

    /** @return its processor */
    const Ptr<ComputeDevice>& GetCompute() const;

  private:
    /** ReplanPeriod is over. */
    void EndPeriod();
    /** A decision is due because ReplanPeriod is over. */
    virtual void NoticePeriod();

    double m_threshold;            //!< relative change that makes a decision due
    Time m_period;                 //!< between decisions that are due anyway; 0: none
    Time m_fixedTime;              //!< that a decision costs
    double m_scale;                //!< of wall-clock time that it costs
    TensorSocket m_socket;         //!< moves messages
    Ptr<ComputeDevice> m_compute;  //!< pays
    std::vector<double> m_figures; //!< that the last decision was made for
    bool m_isPeriodOver{false};    //!< whether one is due whatever the figures
    EventId m_nextPeriod;          //!< end of the present period
    bool m_hasPlan{false};         //!< whether a plan has come
    PlannerFailures m_failures;    //!< plans that did not come
    double m_seconds{0};           //!< of wall-clock time that asking has taken
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_REPLANNER_H */
