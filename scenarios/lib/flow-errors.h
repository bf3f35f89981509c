/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_ERRORS_H
#define EDGEPIPE_FLOW_ERRORS_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-network-options.h"

namespace ns3::edgepipe
{

/** Errors of flow level against packet level in drawn cases of one workload over some links. */
struct FlowErrors
{
    std::vector<std::string> links; //!< such as lan
    std::string workload;           //!< name of the scenario that runs it
    uint64_t cases{0};              //!< number of drawn cases
    double p95{0}; //!< 95th percentile of the absolute error of their figure, a share
};

/**
 * @return the rules of flow level that can be left out, each with the attribute that switches it,
 *         such as FlowTransport::HyStart, by name
 */
std::map<std::string, std::string> ListFlowRules();

/**
 * @param path a file such as traces/links/flow-errors.json
 * @return its content
 * @throws InputError if it is not such a file
 */
std::vector<FlowErrors> ReadFlowErrors(const std::string& path);

/**
 * @param known measured errors
 * @param workload name of the scenario that runs it
 * @param network that it is to run over
 * @return a line on how far its figures may be off those of packet level, or that this was not
 * measured; empty if it is little or the network is not at flow level
 */
std::string DescribeFlowErrors(const std::vector<FlowErrors>& known,
                               const std::string& workload,
                               const NetworkOptions& network);

/**
 * @param options of the scenario, with the traces folder
 * @param workload name of the scenario that runs it
 * @param network that it is to run over
 * @return the same, by the errors in that folder; also empty if it has none
 */
std::string DescribeFlowErrors(const ScenarioOptions& options,
                               const std::string& workload,
                               const NetworkOptions& network);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_ERRORS_H */
