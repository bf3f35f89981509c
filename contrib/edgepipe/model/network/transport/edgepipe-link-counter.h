/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_COUNTER_H
#define EDGEPIPE_LINK_COUNTER_H

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/** A transmitter and how much it has sent. */
struct LinkCounter
{
    std::string name;  //!< such as "pi-3 -> switch"
    uint64_t bytes{0}; //!< bytes sent, all headers and repetitions included
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_COUNTER_H */
