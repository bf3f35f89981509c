// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_SIMGRID_PIPELINE_H
#define EDGEPIPE_SIMGRID_PIPELINE_H

#include "measured-run.h"
#include "pipeline-workload.h"

/** How a workload is written down for SimGrid. */
enum class SimgridForm
{
    ACTORS,   //!< an actor per stage, a mailbox per direction, as in SimGrid's examples
    CALLBACKS //!< no actors: the end of an activity starts the next ones
};

/// Whether this program was built with SimGrid; RunSimgrid is there only then.
constexpr bool HAS_SIMGRID = EDGEPIPE_HAS_SIMGRID;

/**
 * Run a workload in SimGrid (S4U), once per process.
 *
 * The network model is CM02 without its TCP corrections: max-min sharing after the latency, as
 * in Casanova and Marchal, A network model for simulation of grid application, 2002.
 *
 * @return transfers, simulated time and the CPU time of Engine::run
 */
RunFigures RunSimgrid(const PipelineWorkload& workload, SimgridForm form);

#endif /* EDGEPIPE_SIMGRID_PIPELINE_H */
