/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CHOSEN_H
#define EDGEPIPE_CHOSEN_H

#include "lib/scenario-options.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param options of the scenario
 * @param option name of one
 * @param asked names that it lists
 * @param known what to choose from
 * @param name of these, their names
 * @return those chosen, in the order asked for
 * @throws InputError listing the names there are, if one is unknown
 */
template <typename T>
std::vector<T>
Choose(const ScenarioOptions& options,
       const std::string& option,
       const std::vector<std::string>& asked,
       const std::vector<T>& known,
       std::string T::*name)
{
    std::vector<T> chosen;
    std::vector<std::string> names;
    std::transform(known.begin(), known.end(), std::back_inserter(names), [name](const T& one) {
        return one.*name;
    });
    for (const auto& word : asked)
    {
        const auto place = std::find(names.begin(), names.end(), word);
        if (place == names.end())
        {
            options.Refuse(option, "some of " + JoinWords(names));
        }
        chosen.push_back(known[place - names.begin()]);
    }
    return chosen;
}

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CHOSEN_H */
