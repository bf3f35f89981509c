// SPDX-License-Identifier: GPL-2.0-only
//
// Takes the place of simgrid-pipeline.cc where SimGrid is not installed.

#include "simgrid-pipeline.h"

#include <stdexcept>

namespace ns3::edgepipe
{

bool
HasSimgrid()
{
    return false;
}

RunFigures
RunSimgrid(const PipelineWorkload&, SimgridForm)
{
    throw std::runtime_error("built without SimGrid");
}

} // namespace ns3::edgepipe
