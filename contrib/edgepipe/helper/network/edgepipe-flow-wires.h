/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_WIRES_H
#define EDGEPIPE_FLOW_WIRES_H

#include "ns3/edgepipe-flow-network-builder.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A wire up to and a wire down from the switch for each device.
 */
class FlowLan : public FlowNetworkBuilder
{
  public:
    using FlowNetworkBuilder::FlowNetworkBuilder;

  private:
    FlowRouter Join() override;
};

/**
 * @ingroup edgepipe
 *
 * A chain: a wire each way between neighbours.
 */
class FlowChain : public FlowNetworkBuilder
{
  public:
    using FlowNetworkBuilder::FlowNetworkBuilder;

  private:
    FlowRouter Join() override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_WIRES_H */
