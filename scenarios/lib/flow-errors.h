/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_ERRORS_H
#define EDGEPIPE_FLOW_ERRORS_H

#include "lib/scenario-options.h"

namespace ns3::edgepipe
{

/** How far flow level was from packet level in drawn cases of one workload over some links. */
struct FlowErrors
{
    std::vector<std::string> links; //!< such as lan
    std::string workload;           //!< name of the scenario that runs it
    uint64_t cases{0};              //!< that were drawn
    double p95{0}; //!< 95th percentile of the absolute differences of their figure, a share
};

/**
 * @param path a file such as traces/links/flow-errors.json
 * @return what it holds
 * @throws InputError if it is not such a file
 */
std::vector<FlowErrors> ReadFlowErrors(const std::string& path);

/**
 * @param known what was measured
 * @param workload name of the scenario that runs it
 * @param network that it is to run over
 * @return a line for people on how far its figures may be from those of packet level, or that
 * nobody knows; empty if that is little or the network is at packet level
 */
std::string DescribeFlowErrors(const std::vector<FlowErrors>& known,
                               const std::string& workload,
                               const NetworkOptions& network);

/**
 * @param options of the scenario, which say where traces/links is
 * @param workload name of the scenario that runs it
 * @param network that it is to run over
 * @return the same by what was measured; empty as well if that is not there
 */
std::string DescribeFlowErrors(const ScenarioOptions& options,
                               const std::string& workload,
                               const NetworkOptions& network);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_FLOW_ERRORS_H */
