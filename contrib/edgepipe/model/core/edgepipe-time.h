/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TIME_H
#define EDGEPIPE_TIME_H

#include "ns3/nstime.h"

#include <cmath>

namespace ns3::edgepipe
{

/**
 * ns3::Seconds in double arithmetic, since ns-3's 128-bit arithmetic costs as much as an event.
 *
 * @param seconds magnitude below 9e9
 * @return the time, rounded to a nanosecond
 */
inline Time
RoundSeconds(double seconds)
{
    return NanoSeconds(std::llround(1e9 * seconds));
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TIME_H */
