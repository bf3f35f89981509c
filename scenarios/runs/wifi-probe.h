/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_PROBE_H
#define EDGEPIPE_WIFI_PROBE_H

#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-wifi-capacity-table.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{
namespace edgepipe
{

/**
 * Simulate transfers that never end, packet by packet, and measure what gets through.
 *
 * @param options how the devices are joined
 * @param transfers the transfers; devices are numbered from 0 without gaps
 * @param warmUp how long all transfers have been running when the measurement begins
 * @param window how long to measure
 * @return IP bytes of tensor data that reach their receivers, bytes/s, all transfers together:
 *         payload and the headers of its segments, without acknowledgements and repetitions; 0 if
 *         some transfer has not begun after a minute of simulated time
 * @throws InputError if the options make no sense
 */
double MeasureGoodput(const NetworkOptions& options,
                      const Transfers& transfers,
                      const Time& warmUp,
                      const Time& window);

/**
 * Simulate lone small messages from one device to another over an open connection.
 *
 * @param options how the devices are joined
 * @param count how many messages, each sent a while after the one before has arrived
 * @return mean seconds from sending to delivery; 0 if one has not arrived after a minute
 * @throws InputError if the options make no sense
 */
double MeasureLatency(const NetworkOptions& options, uint32_t count);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WIFI_PROBE_H */
