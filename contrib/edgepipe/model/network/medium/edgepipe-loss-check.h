/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LOSS_CHECK_H
#define EDGEPIPE_LOSS_CHECK_H

#include "ns3/net-device.h"
#include "ns3/propagation-loss-model.h"

namespace ns3::edgepipe
{

/**
 * Refuse path loss that is another each time it is asked for: a route is read once, and would be as
 * good as that one draw.
 *
 * @param device whose channel it is
 * @param model its first loss model
 * @throws InputError if the model, or one that follows it, is random
 */
void CheckLossModel(Ptr<NetDevice> device, Ptr<PropagationLossModel> model);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LOSS_CHECK_H */
