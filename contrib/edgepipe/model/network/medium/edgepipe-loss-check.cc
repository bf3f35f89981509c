/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-loss-check.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/node.h"

#include <algorithm>
#include <array>
#include <string>

namespace ns3::edgepipe
{

namespace
{

/// Loss models of ns-3 that are random or change with every look at them.
constexpr std::array<const char*, 3> RANDOM_LOSSES{"ns3::RandomPropagationLossModel",
                                                   "ns3::NakagamiPropagationLossModel",
                                                   "ns3::JakesPropagationLossModel"};

} // namespace

void
CheckLossModel(Ptr<NetDevice> device, Ptr<PropagationLossModel> model)
{
    for (; model; model = model->GetNext())
    {
        const std::string name = model->GetInstanceTypeId().GetName();
        if (std::find(RANDOM_LOSSES.begin(), RANDOM_LOSSES.end(), name) != RANDOM_LOSSES.end())
        {
            throw InputError("node " + std::to_string(device->GetNode()->GetId()) + ": found " +
                             name +
                             " on its channel, expected path loss without chance at flow level, "
                             "or TransportHelper::DeclareCapacity");
        }
    }
}

} // namespace ns3::edgepipe
