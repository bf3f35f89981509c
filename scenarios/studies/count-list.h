/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_COUNT_LIST_H
#define EDGEPIPE_COUNT_LIST_H

#include "lib/scenario-options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * Read rising counts, such as 2,4,8 or 2,4,...,10000.
 *
 * An ellipsis, three dots or the one character, stands for what the numbers before it begin. After
 * two numbers the second of which is a multiple of the first, every number is that multiple of the
 * one before it; after two others, every number is as much more than the one before it. After
 * three or more numbers it is whichever of the two the last three agree with. The number after the
 * ellipsis ends the list and always belongs to it.
 *
 * @param text the counts, separated by commas
 * @param counts set to the counts, each above the one before it
 * @return whether the text is such a list, of 1 to 10000 numbers from 1 to 4294967295
 */
bool ParseCounts(const std::string& text, std::vector<uint32_t>& counts);

/**
 * Declare an option that lists counts, see ScenarioOptions::Bind.
 *
 * @param options of a scenario
 * @param declaration name and default
 * @param target set to the counts
 * @param highest largest count allowed; 1 is the smallest
 * @return the option, to be given its Help
 */
ScenarioOptions::Option& BindCounts(ScenarioOptions& options,
                                    const std::string& declaration,
                                    std::vector<uint32_t>& target,
                                    uint32_t highest);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_COUNT_LIST_H */
