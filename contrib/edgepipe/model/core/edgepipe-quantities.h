/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QUANTITIES_H
#define EDGEPIPE_QUANTITIES_H

#include "ns3/nstime.h"

#include <string>

namespace ns3::edgepipe
{

/**
 * Read a number.
 *
 * @param text must be a number as a whole
 * @param value set to the number
 * @return whether it is a finite number
 */
bool ParseNumber(const std::string& text, double& value);

/**
 * Read a time.
 *
 * @param text such as 20us, 1.5s or 2min; only 0 needs no unit
 * @param time set to the time
 * @return whether the text is a time of 0 or more
 */
bool ParseTime(const std::string& text, Time& time);

/**
 * Read a data rate.
 *
 * @param text such as 5.85Mbps; must have a unit
 * @param bitsPerSecond set to the rate
 * @return whether the text is a rate above 0
 */
bool ParseBitsPerSecond(const std::string& text, double& bitsPerSecond);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_QUANTITIES_H */
