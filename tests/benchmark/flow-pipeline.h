// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_FLOW_PIPELINE_H
#define EDGEPIPE_FLOW_PIPELINE_H

#include "measured-run.h"
#include "pipeline-workload.h"

/// Run a workload by TensorTransport and ComputeDevice at flow level. Only latency and max-min
/// sharing are on: no headers, acknowledgements, start-up of TCP or storing of packets.
/// @return transfers, simulated time and the CPU time of Simulator::Run
RunFigures RunFlow(const PipelineWorkload& workload);

/// Run a workload by the applications, as scenarios do: coordinators, workers, memory ledgers and
/// stall monitor, with iterations one after another. The network is that of RunFlow, or with every
/// part of the model on.
/// @param isPlain whether to switch off what RunFlow switches off
/// @return transfers, simulated time and the CPU time of everything, building included
RunFigures RunApplications(const PipelineWorkload& workload,
                           const std::string& fidelity,
                           bool isPlain);

/// Let events that do nothing but schedule themselves again run in ns-3.
/// @param pending how many are pending at any time
/// @return events, simulated time and the CPU time of Simulator::Run
RunFigures RunEmptyEvents(uint32_t pending, uint64_t events);

/// @param devices how many bare ns-3 nodes to make
/// @return their number
RunFigures BuildNodes(uint32_t devices);

/// @param devices how many devices to make, each a node, on a flow-level network
/// @return their number
RunFigures BuildIdleDevices(uint32_t devices);

#endif /* EDGEPIPE_FLOW_PIPELINE_H */
