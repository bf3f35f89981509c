/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NETWORK_PROBE_H
#define EDGEPIPE_NETWORK_PROBE_H

#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-wifi-capacity-table.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Measure what one transfer between the first two devices gets out of a network, in a simulation
 * of its own: the bandwidth a planner would be told.
 *
 * @param options how the devices are joined; loss applies, cuts do not
 * @param names of the devices, at least two
 * @return payload bit/s of a message of some megabytes on a warm connection
 * @throws InputError if an option makes no sense or nothing arrives within StallMonitor's time-out
 */
double MeasureBandwidth(const NetworkOptions& options, const std::vector<std::string>& names);

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
 * @return median of the seconds from sending to delivery; 0 if one has not arrived after a minute
 * @throws InputError if the options make no sense
 */
double MeasureLatency(const NetworkOptions& options, uint32_t count);

/**
 * @ingroup edgepipe
 *
 * Let a device and a wired server send to each other without end, one way, and measure what
 * arrives, in a simulation of its own.
 *
 * @param options of the link between the device and the network, fidelity included
 * @param isUp whether the device sends
 * @param interval of every measurement, > 0
 * @param duration of the recording; the first interval begins when the connection is open
 * @param progress told the share that is done, 0 to 1; may be null
 * @return of every interval, IP bits per second that reached the receiver, headers included,
 * without acknowledgements and repetitions; none if the connection has not opened after a minute
 * @throws InputError if the options make no sense
 */
std::vector<double> RecordBandwidth(NetworkOptions options,
                                    bool isUp,
                                    const Time& interval,
                                    const Time& duration,
                                    std::function<void(double)> progress);

/**
 * Write a recording that OpenRateTrace reads, under comments that say where it comes from.
 *
 * @param out where to
 * @param bitsPerSecond of every interval
 * @param interval length of each
 * @param command that made the recording
 */
void WriteRecording(std::ostream& out,
                    const std::vector<double>& bitsPerSecond,
                    const Time& interval,
                    const std::string& command);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NETWORK_PROBE_H */
