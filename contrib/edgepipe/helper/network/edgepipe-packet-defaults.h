/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PACKET_DEFAULTS_H
#define EDGEPIPE_PACKET_DEFAULTS_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3::edgepipe
{

/**
 * Replace the defaults of ns-3 with which TCP stalls where real hosts do not, on every device that
 * there is and of what ns-3 makes later. What the user has set to another value stays.
 *
 * - Wi-Fi: the time-out of a block-ack agreement. Stations of a channel choose their access point
 *   one after the other, and never give up the only one of their network.
 * - Address resolution is tried again soon.
 * - LTE: room for TCP's windows before the radio. A device never gives up the only base station.
 *
 * Simulations at packet level call this once their devices exist, before they run.
 */
void SetPacketDefaults();

/**
 * @param stations of a Wi-Fi channel
 * @return when they have chosen an access point and associated, after SetPacketDefaults
 */
Time GetAssociationEnd(uint32_t stations);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PACKET_DEFAULTS_H */
