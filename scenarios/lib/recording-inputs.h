/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RECORDING_INPUTS_H
#define EDGEPIPE_RECORDING_INPUTS_H

#include "lib/scenario-options.h"

namespace ns3::edgepipe
{

/**
 * Read the options whose defaults depend on the link, and recordings.
 *
 * @param words options of the link, parsed
 * @param used names of those that it uses
 * @param network set to their values
 */
void ReadRates(const ScenarioOptions& words,
               const std::set<std::string>& used,
               NetworkOptions& network);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RECORDING_INPUTS_H */
