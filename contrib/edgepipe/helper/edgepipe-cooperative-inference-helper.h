/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_HELPER_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_HELPER_H

#include "edgepipe-job-helper.h"

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-inference-replanner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Installs cooperative inference: an InferenceServer on one node and an InferenceDevice on each of
 * the others. All are edge devices (EdgeDeviceHelper) with a transport (TransportHelper).
 *
 * Nothing is planned before a device's application starts. Several jobs may be
 * installed, also on the same nodes.
 */
class CooperativeInferenceHelper : public JobHelper<TwoWayCutPlanner>
{
  public:
    /**
     * @param model a file's path or a name in the folder `models` of the traces folder, such as
     *        "googlenet"
     * @throws InputError for an unknown model or a malformed file
     */
    explicit CooperativeInferenceHelper(const std::string& model);

    /** @param graph the model */
    explicit CooperativeInferenceHelper(DnnGraph graph);

    /**
     * @param problems of each device, in the order passed to Install, with the bandwidths of its
     *        first plan
     * @param parameterBytes by device and layer, bytes of its weights
     */
    CooperativeInferenceHelper(std::vector<TwoWayCutProblem> problems,
                               std::vector<std::vector<uint64_t>> parameterBytes);

    /**
     * Set the bandwidth of first plans, by default the least DataRate among a device's own net
     * devices and their channels.
     *
     * @param uplink to the server, payload, above 0
     * @param downlink from it, payload, above 0
     */
    void SetBandwidth(DataRate uplink, DataRate downlink)
    {
        m_uplinkBitsPerSecond = uplink.GetBitRate();
        m_downlinkBitsPerSecond = downlink.GetBitRate();
    }

    /**
     * Set which devices share a radio cell, for InferenceReplanner::KnowOthers. By default none do.
     *
     * @param cells by device, in the order passed to Install: number of its cell, from 1 on;
     *        0: none
     */
    void SetCells(std::vector<uint32_t> cells)
    {
        m_cells = std::move(cells);
    }

    /**
     * Set the true costs where planners are told others. By default both are the same.
     *
     * @param problems by device, in the order passed to Install: the same models with true costs
     */
    void SetExecuted(std::vector<TwoWayCutProblem> problems)
    {
        m_executed = std::move(problems);
    }

    /** @param share available share of the server when first plans are made, 0 to 1 */
    void SetServerShare(double share)
    {
        m_serverShare = share;
    }

    /** @param objective of plans for a model; problems that are given have their own */
    void SetObjective(TwoWayCutObjective objective)
    {
        m_objective = objective;
    }

    /** @param encoding bytes per element when sent */
    void SetEncoding(const TwoWayEncoding& encoding)
    {
        m_encoding = encoding;
    }

    /**
     * @param name of an attribute of InferenceDevice
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value)
    {
        m_device.Set(name, value);
    }

    /**
     * @param devices that take frames
     * @param server that serves them; none of the devices
     * @return the server's application, then the devices'
     * @throws InputError if a node is no edge device or has no transport, if no bandwidth is known,
     *         if the server is one of the devices, or if there is not one cell per device
     */
    ApplicationContainer Install(const NodeContainer& devices, const Ptr<Node>& server) const;

  private:
    /**
     * @param device that takes frames
     * @param server that serves it
     * @return its problem
     */
    TwoWayCutProblem BuildProblem(const Ptr<Node>& device, const Ptr<Node>& server) const;
    /**
     * @param devices that take frames
     * @param i one of them
     * @param server that serves it
     * @return its job
     */
    InferenceJob MakeJob(const NodeContainer& devices, uint32_t i, const Ptr<Node>& server) const;

    std::shared_ptr<const DnnGraph> m_graph;             //!< the model; null: problems are given
    std::vector<TwoWayCutProblem> m_problems;            //!< given, by device
    std::vector<TwoWayCutProblem> m_executed;            //!< with true costs; empty: m_problems
    std::vector<std::vector<uint64_t>> m_parameterBytes; //!< by device, one for all with a graph
    double m_uplinkBitsPerSecond{0};                     //!< for first plans; 0: not set
    double m_downlinkBitsPerSecond{0};                   //!< for first plans; 0: not set
    double m_serverShare{1};                             //!< available for first plans
    std::vector<uint32_t> m_cells;                       //!< by device; empty: none
    TwoWayEncoding m_encoding;                           //!< bytes per element when sent
    TwoWayCutObjective m_objective{TwoWayCutObjective::LATENCY}; //!< of plans for m_graph
    ObjectFactory m_device;                                      //!< makes applications of devices
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_HELPER_H */
