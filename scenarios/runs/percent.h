/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PERCENT_H
#define EDGEPIPE_PERCENT_H

#include <cmath>
#include <cstdio>
#include <string>

namespace ns3::edgepipe
{

/**
 * @param ratio a share
 * @return the share in percent, for people
 */
inline std::string
FormatPercent(double ratio)
{
    char text[40];
    // Adding 0 turns the -0 that a small negative share rounds to into 0.
    std::snprintf(text, sizeof(text), "%.1f %%", std::round(1000 * ratio) / 10 + 0.0);
    return text;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PERCENT_H */
