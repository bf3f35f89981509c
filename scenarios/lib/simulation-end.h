/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SIMULATION_END_H
#define EDGEPIPE_SIMULATION_END_H

#include "ns3/edgepipe-tensor-transport.h"
#include "ns3/simulator.h"

namespace ns3
{
namespace edgepipe
{

/** Takes the simulation down, however it ends. */
struct SimulationEnd
{
    ~SimulationEnd()
    {
        if (transport)
        {
            transport->Dispose();
        }
        Simulator::Destroy();
    }

    Ptr<TensorTransport> transport; //!< disposed of first
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_SIMULATION_END_H */
