/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RADIO_INPUTS_H
#define EDGEPIPE_RADIO_INPUTS_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-network-options.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Declare what wifi and lte have in common, and the options of lte.
 *
 * @param options of the scenario
 */
void AddRadioOptions(ScenarioOptions& options);

/**
 * @param options of the scenario, parsed
 * @param network its options of wifi and lte are set
 * @throws InputError if something cannot be read
 */
void ReadRadioOptions(const ScenarioOptions& options, NetworkOptions& network);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_RADIO_INPUTS_H */
