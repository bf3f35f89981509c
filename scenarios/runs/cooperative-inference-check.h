/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COOPERATIVE_INFERENCE_CHECK_H
#define EDGEPIPE_COOPERATIVE_INFERENCE_CHECK_H

#include "runs/cooperative-inference-run.h"

#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Refuse what makes no sense whatever the network; links, models and planners are checked where
 * they are used.
 *
 * @param devices the end devices
 * @param options how to run
 * @throws InputError naming the device or the option
 */
void CheckCooperativeInference(const std::vector<CooperativeDevice>& devices,
                               const CooperativeInferenceOptions& options);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COOPERATIVE_INFERENCE_CHECK_H */
