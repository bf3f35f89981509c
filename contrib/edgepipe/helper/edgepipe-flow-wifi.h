/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FLOW_WIFI_H
#define EDGEPIPE_FLOW_WIFI_H

#include "ns3/edgepipe-flow-network-builder.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * One Wi-Fi cell whose time all transfers share, each crossing the air twice.
 */
class FlowWifi : public FlowNetworkBuilder
{
  public:
    using FlowNetworkBuilder::FlowNetworkBuilder;

  private:
    FlowRouter Join() override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FLOW_WIFI_H */
