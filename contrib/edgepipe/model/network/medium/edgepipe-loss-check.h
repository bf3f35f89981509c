/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LOSS_CHECK_H
#define EDGEPIPE_LOSS_CHECK_H

#include "ns3/edgepipe-input-error.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/propagation-loss-model.h"

#include <algorithm>
#include <array>
#include <string>

namespace ns3::edgepipe
{

/**
 * Refuse random path loss: a route is read once, and would depend on that one draw.
 *
 * @param device whose channel it is
 * @param model its first loss model
 * @throws InputError if the model, or one that follows it, is random
 */
inline void
CheckLossModel(Ptr<NetDevice> device, Ptr<PropagationLossModel> model)
{
    // Models of ns-3 that are random or change with every call.
    constexpr std::array<const char*, 3> random{"ns3::RandomPropagationLossModel",
                                                "ns3::NakagamiPropagationLossModel",
                                                "ns3::JakesPropagationLossModel"};
    for (; model; model = model->GetNext())
    {
        const std::string name = model->GetInstanceTypeId().GetName();
        Require(std::find(random.begin(), random.end(), name) == random.end(),
                "node " + std::to_string(device->GetNode()->GetId()) + ": found " + name +
                    " on its channel, expected path loss without chance at flow level, "
                    "or TransportHelper::DeclareCapacity");
    }
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LOSS_CHECK_H */
