/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_BEARERS_H
#define EDGEPIPE_FLOW_BEARERS_H

#include "ns3/edgepipe-flow-network-builder.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A link up to and a link down from the network's core for each device. While no message is under
 * way their capacities stand still, so that a simulation with nothing left to do ends.
 */
class FlowBearers : public FlowNetworkBuilder
{
  public:
    using FlowNetworkBuilder::FlowNetworkBuilder;

  private:
    FlowRouter Join() override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_BEARERS_H */
