/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INPUTS_H
#define EDGEPIPE_COOPERATIVE_INPUTS_H

#include "lib/adaptive-inputs.h"
#include "lib/scenario-options.h"
#include "runs/cooperative-inference-run.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-dnn-graph.h"
#include "ns3/edgepipe-layer-cost.h"
#include "ns3/edgepipe-two-way-cut-problem-builder.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * What a scenario of cooperative inference is asked to do: its options and the files they name,
 * read and checked.
 */
class CooperativeInputs
{
  public:
    /** @param options of the scenario, to declare; its values are handed to this object */
    explicit CooperativeInputs(ScenarioOptions& options);

    /**
     * Read the model, the devices and the layer costs, and check what concerns several options.
     *
     * @throws InputError if something cannot be used
     */
    void Read();

    /** @return names of the device types, a comma between two */
    std::string GetDeviceTypes() const;

    /** @return name of the server's type */
    const std::string& GetServerType() const;

    /** @return whether plans are for throughput */
    bool IsForThroughput() const;

    /** @return what joins devices and server, recordings by their file names */
    std::string DescribeNetwork() const;

    CooperativeInferenceOptions run;        //!< how to run, but for the planner
    std::vector<std::string> planners;      //!< their names
    DnnGraph graph;                         //!< the model
    std::map<std::string, LayerCost> costs; //!< by type
    std::vector<CooperativeDevice> devices; //!< end devices; the run fills in bandwidths
    std::vector<std::string> names;         //!< of the end devices, then the server
    std::vector<std::string> types;         //!< likewise

  private:
    /** Read --planner-bandwidth. */
    void ReadPlannerBandwidth();

    /**
     * @param traces the traces folder
     * @param type index of a device type among those of the cluster
     * @return what devices of that type are to infer
     * @throws InputError if a model or profile cannot be used
     */
    TwoWayCutProblem BuildProblem(const std::string& traces, std::size_t type) const;

    /** @throws InputError if a planner does not plan for the objective */
    void CheckObjective() const;

    ScenarioOptions& m_options; //!< of the scenario
    Cluster m_cluster;          //!< end devices, then the server
    uint32_t m_count{1};        //!< end devices
    TwoWayEncoding m_encoding;  //!< on the way
    std::string m_objective;    //!< latency or throughput
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COOPERATIVE_INPUTS_H */
