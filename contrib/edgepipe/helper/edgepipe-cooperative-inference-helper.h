/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_HELPER_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_HELPER_H

#include "edgepipe-job-helper.h"

#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-inference-replanner.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

#include <cstdint>

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
     * @param jobs of each device, in the order passed to Install, but for server, planner and
     *        monitor; problems have the bandwidths of first plans
     */
    explicit CooperativeInferenceHelper(std::vector<InferenceJob> jobs);

    /**
     * Set the bandwidth of first plans, by default the least DataRate on the route of each way.
     *
     * @param uplink to the server, payload, above 0
     * @param downlink from it, payload, above 0
     */
    void SetBandwidth(DataRate uplink, DataRate downlink)
    {
        m_uplinkBitsPerSecond = uplink.GetBitRate();
        m_downlinkBitsPerSecond = downlink.GetBitRate();
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
     *         or if the server is one of the devices
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

    std::shared_ptr<const DnnGraph> m_graph; //!< the model; null: jobs are given
    std::vector<InferenceJob> m_jobs;        //!< given, by device
    double m_uplinkBitsPerSecond{0};         //!< for first plans; 0: not set
    double m_downlinkBitsPerSecond{0};       //!< for first plans; 0: not set
    TwoWayEncoding m_encoding;               //!< bytes per element when sent
    TwoWayCutObjective m_objective{TwoWayCutObjective::LATENCY}; //!< of plans for m_graph
    ObjectFactory m_device;                                      //!< makes applications of devices
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_HELPER_H */
