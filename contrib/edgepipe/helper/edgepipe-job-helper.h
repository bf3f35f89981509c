/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_JOB_HELPER_H
#define EDGEPIPE_JOB_HELPER_H

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/edgepipe-edge-application.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-layer-replay.h"
#include "ns3/edgepipe-pair-monitors.h"
#include "ns3/edgepipe-tensor-endpoint.h"
#include "ns3/node-container.h"
#include "ns3/object-base.h"
#include "ns3/object-factory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** Attributes for objects that are made later. */
class AttributeList
{
  public:
    /**
     * @param name of an attribute
     * @param value its value
     */
    void Add(const std::string& name, const AttributeValue& value);

    /**
     * @param object gets the attributes, in the order in which they were added
     * @throws InputError if it has none of a name, or one that takes no such value
     */
    void Apply(ObjectBase& object) const;

  private:
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_attributes; //!< names and values
};

/**
 * Bandwidth that planners assume by default: the least DataRate of the net devices, or their
 * channels, that send on the present routes between nodes. Between nodes that have no route yet it
 * is that of their own net devices, which standard error says.
 *
 * @param from some nodes
 * @param to some nodes, which may be the same
 * @return the least data rate from any of the former to any of the latter, bit/s
 * @throws InputError if a device on the way, or all of a node's, have none
 */
double FindLeastDataRate(const NodeContainer& from, const NodeContainer& to);

/**
 * Add the applications of a job, which gets its own number, to their nodes.
 *
 * @param parts nodes and their applications, in the order in which they start
 * @return the applications
 */
ApplicationContainer AddJob(const std::vector<std::pair<Ptr<Node>, Ptr<EdgeApplication>>>& parts);

/**
 * Read the recording of passes that a node replays, if it has a LayerReplay.
 *
 * @param node a device
 * @param model of its job
 * @param layers of the model
 * @param batch samples of a pass
 * @param kind of its passes
 * @param getSeconds gives the seconds of a layer by the device's profile, from its index
 * @return whether it has one
 * @throws InputError as LayerReplay::Read
 */
template <typename Layer, typename GetSeconds>
bool
ReadReplay(const Ptr<Node>& node,
           const std::string& model,
           const std::vector<Layer>& layers,
           uint32_t batch,
           PassKind kind,
           GetSeconds getSeconds)
{
    const auto replay = node->GetObject<LayerReplay>();
    if (!replay)
    {
        return false;
    }
    std::vector<std::string> names;
    std::vector<LayerReplay::LayerTimes> profile;
    for (std::size_t i = 0; i < layers.size(); ++i)
    {
        names.push_back(layers[i].name);
        profile.push_back(getSeconds(i));
    }
    replay->Read(model, names, batch, std::move(profile), kind);
    return true;
}

/**
 * Common part of all jobs' helpers: the planner, the bandwidth of first plans, and its monitor.
 *
 * @tparam PlannerType of the job's kind of problem
 */
template <typename PlannerType>
class JobHelper
{
  public:
    /**
     * Choose the planner.
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

    /** @param planner decides plans */
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
     * Have links monitored.
     *
     * @param name of a BandwidthMonitor
     * @param capacity for an oracle; may be null
     * @throws InputError if there is no such monitor, or it needs a capacity and there is none
     */
    void SetMonitor(const std::string& name, BandwidthMonitor::Capacity capacity = nullptr)
    {
        BandwidthMonitor::Find(name, capacity);
        m_monitor = name;
        m_oracle = std::move(capacity);
    }

    /**
     * Set the bandwidth of first plans, by default the least DataRate on the routes between nodes.
     *
     * @param bandwidth payload, above 0
     */
    void SetBandwidth(DataRate bandwidth)
    {
        m_bitsPerSecond = bandwidth.GetBitRate();
    }

  protected:
    /**
     * @param planner name of the default planner
     * @param monitor name of the default monitor of links; empty: none
     */
    explicit JobHelper(std::string planner, std::string monitor = "")
        : m_planner(std::move(planner)),
          m_monitor(std::move(monitor))
    {
    }

    /** @return the planner, with its attributes */
    Ptr<PlannerType> MakePlanner() const
    {
        const auto planner = m_given ? m_given : FindByName<PlannerType>("planner", m_planner);
        m_planning.Apply(*planner);
        return planner;
    }

    /**
     * @param nodes whose routes to each other decide, unless SetBandwidth was called
     * @return bandwidth of first plans, payload bit/s
     */
    double FindBandwidth(const NodeContainer& nodes) const
    {
        return m_bitsPerSecond > 0 ? m_bitsPerSecond : FindLeastDataRate(nodes, nodes);
    }

    /**
     * @param nodes of the job
     * @param first initial estimate of a pair's monitor, bit/s
     * @return monitors of the links between them
     */
    std::shared_ptr<PairMonitors> MakeMonitors(const NodeContainer& nodes,
                                               BandwidthMonitor::Capacity first) const
    {
        ObjectFactory factory;
        factory.SetTypeId(BandwidthMonitor::Find(m_monitor, m_oracle)->GetInstanceTypeId());
        return std::make_shared<PairMonitors>(factory,
                                              TensorEndpoint::FindTransport(nodes.Get(0)),
                                              m_oracle,
                                              std::move(first));
    }

    std::string m_planner;               //!< name of the planner
    std::string m_monitor;               //!< name of the monitor of links; empty: none
    BandwidthMonitor::Capacity m_oracle; //!< for the monitor
    AttributeList m_planning;            //!< of planners
    AttributeList m_replanner;           //!< of replanners

  private:
    Ptr<PlannerType> m_given;  //!< the planner; null: by name
    double m_bitsPerSecond{0}; //!< for first plans; 0: not set
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_JOB_HELPER_H */
