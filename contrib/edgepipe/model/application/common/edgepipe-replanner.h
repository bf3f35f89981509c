/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_REPLANNER_H
#define EDGEPIPE_REPLANNER_H

#include "ns3/edgepipe-compute-device.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * What all decisions during a run have in common: when one is due, and what it costs the device
 * that makes it.
 *
 * A decision is due when a figure, such as a bandwidth that a BandwidthMonitor has estimated,
 * differs from what the last decision was made for by more than ReplanThreshold of that, and every
 * ReplanPeriod. It costs the device a task of FixedPlanningTime + PlanningScale x the wall-clock
 * time that the planner took.
 */
class Replanner : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the type ID
     */
    static TypeId GetTypeId();

    /** Watch no longer: there is nothing more to decide. */
    virtual void Stop();

    /**
     * @param before figures that a decision was made for
     * @param now the same figures, as measured
     * @param threshold relative change that matters
     * @return whether any has changed by more
     */
    static bool HasChanged(const std::vector<double>& before,
                           const std::vector<double>& now,
                           double threshold);

  protected:
    void DoDispose() override;

    /**
     * A first decision has been made.
     * @param figures that it was made for
     */
    void SetFigures(std::vector<double> figures);

    /** Let the first ReplanPeriod begin. */
    void Watch();

    /**
     * If a decision is due, take it for made.
     *
     * @param figures as measured, as many as at first
     * @return whether it is due
     */
    bool TakeIfDue(const std::vector<double>& figures);

    /** @return what a decision costs whatever the planner took, s */
    double GetFixedSeconds() const;

    /** @return what it costs over the wall-clock time of the planner */
    double GetPlanningScale() const;

    /**
     * Have a device pay for a decision.
     *
     * @param compute the device's processor
     * @param seconds what it costs, at least 0
     * @param tag of the task
     * @param job number of the job
     * @param done called when it is paid for
     * @return whether there is something to pay; if not, done is not called
     */
    static bool Charge(Ptr<ComputeDevice> compute,
                       double seconds,
                       uint64_t tag,
                       uint32_t job,
                       ComputeDevice::DoneCallback done);

  private:
    /** ReplanPeriod is over. */
    void EndPeriod();
    /** A decision is due because ReplanPeriod is over. */
    virtual void NoticePeriod();

    double m_threshold;            //!< relative change that makes a decision due
    Time m_period;                 //!< between decisions that are due anyway; 0: none
    Time m_fixedTime;              //!< that a decision costs
    double m_scale;                //!< of wall-clock time that it costs
    std::vector<double> m_figures; //!< that the last decision was made for
    bool m_isPeriodOver{false};    //!< whether one is due whatever the figures
    EventId m_nextPeriod;          //!< end of the present period
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_REPLANNER_H */
