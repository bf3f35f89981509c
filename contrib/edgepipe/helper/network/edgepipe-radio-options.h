/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RADIO_OPTIONS_H
#define EDGEPIPE_RADIO_OPTIONS_H

#include "ns3/edgepipe-network-options.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Refuse options of wifi and lte that make no sense, or that are set for another link.
 *
 * @param options the options
 * @param names of the devices
 * @throws InputError naming the option
 */
void CheckRadioOptions(const NetworkOptions& options, const std::vector<std::string>& names);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_RADIO_OPTIONS_H */
