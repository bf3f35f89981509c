/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOB_HELPER_H
#define EDGEPIPE_JOB_HELPER_H

#include "edgepipe-attribute-list.h"
#include "edgepipe-least-data-rate.h"

#include "ns3/data-rate.h"
#include "ns3/edgepipe-bandwidth-monitor.h"
#include "ns3/edgepipe-find-by-name.h"

#include <string>
#include <utility>

namespace ns3
{
namespace edgepipe
{

/**
 * What helpers of all jobs have in common: who plans, what plans know of bandwidth, and who
 * watches it.
 *
 * @tparam PlannerType of the job's kind of problem
 */
template <typename PlannerType>
class JobHelper
{
  public:
    /**
     * Choose who plans.
     *
     * @param name of a planner
     * @throws InputError if there is no such planner
     */
    void SetPlanner(const std::string& name)
    {
        FindByName<PlannerType>("planner", name);
        m_planner = name;
        m_given = nullptr;
    }

    /** @param planner who plans */
    void SetPlanner(Ptr<PlannerType> planner)
    {
        m_given = planner;
    }

    /**
     * @param name of an attribute of the planner
     * @param value its value
     */
    void SetPlannerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_planning.Add(name, value);
    }

    /**
     * @param name of an attribute of the job's Replanner
     * @param value its value
     */
    void SetReplannerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_replanner.Add(name, value);
    }

    /**
     * Have links watched.
     *
     * @param name of a BandwidthMonitor
     * @param capacity what its oracle knows; may be null
     * @throws InputError if there is no such monitor, or it needs a capacity and there is none
     */
    void SetMonitor(const std::string& name, BandwidthMonitor::Capacity capacity = nullptr)
    {
        BandwidthMonitor::Find(name, capacity);
        m_monitor = name;
        m_oracle = std::move(capacity);
    }

    /**
     * Say what first plans are made for. Unless told, it is the least DataRate among a node's net
     * devices and their channels.
     *
     * @param bandwidth payload, above 0
     */
    void SetBandwidth(DataRate bandwidth)
    {
        m_bitsPerSecond = bandwidth.GetBitRate();
    }

  protected:
    /**
     * @param planner who plans unless told otherwise
     * @param monitor who watches links unless told otherwise; empty: nobody
     */
    explicit JobHelper(std::string planner, std::string monitor = "")
        : m_planner(std::move(planner)),
          m_monitor(std::move(monitor))
    {
    }

    /** @return who plans, with its attributes */
    Ptr<PlannerType> MakePlanner() const
    {
        const auto planner = m_given ? m_given : FindByName<PlannerType>("planner", m_planner);
        m_planning.Apply(*planner);
        return planner;
    }

    /**
     * @param nodes whose net devices tell, unless SetBandwidth has
     * @return what first plans are made for, payload bit/s
     */
    double FindBandwidth(const NodeContainer& nodes) const
    {
        return m_bitsPerSecond > 0 ? m_bitsPerSecond : FindLeastDataRate(nodes);
    }

    std::string m_planner;               //!< who plans, by name
    std::string m_monitor;               //!< who watches links; empty: nobody
    BandwidthMonitor::Capacity m_oracle; //!< for it
    AttributeList m_planning;            //!< of planners
    AttributeList m_replanner;           //!< of replanners

  private:
    Ptr<PlannerType> m_given;  //!< who plans; null: by name
    double m_bitsPerSecond{0}; //!< for first plans; 0: not told
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_JOB_HELPER_H */
