/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_NETWORK_PROBE_H
#define EDGEPIPE_NETWORK_PROBE_H

#include "ns3/edgepipe-network-options.h"
#include "ns3/edgepipe-wifi-capacity-table.h"

#include <functional>
#include <ostream>

namespace ns3::edgepipe
{

/**
 * Measure the bandwidth of a single transfer between the first two devices, in a separate
 * simulation: what a planner would be told.
 *
 * @param options how the devices are joined; loss applies, cuts do not
 * @param names of the devices, at least two
 * @return payload bit/s of a message of some megabytes on a warm connection
 * @throws InputError if an option is invalid or nothing arrives within StallMonitor's time-out
 */
double MeasureBandwidth(const NetworkOptions& options, const std::vector<std::string>& names);

/**
 * Simulate endless transfers, packet by packet, and measure their goodput.
 *
 * @param options how the devices are joined
 * @param transfers the transfers; devices are numbered from 0 without gaps
 * @param warmUp time that all transfers run before the measurement
 * @param window length of the measurement
 * @return IP bytes of tensor data that reach their receivers, bytes/s, all transfers together:
 *         payload and the headers of its segments, without acknowledgements and retransmissions; 0
 *         if some transfer has not begun after a minute of simulated time
 * @throws InputError if the options are invalid
 */
double MeasureGoodput(const NetworkOptions& options,
                      const Transfers& transfers,
                      const Time& warmUp,
                      const Time& window);

/**
 * Simulate small messages from one device to another over an open connection, one at a time.
 *
 * @param options how the devices are joined
 * @param count how many messages, each sent a while after the previous one has arrived
 * @return median of the seconds from sending to delivery; 0 if not all arrive within a minute
 * @throws InputError if the options are invalid
 */
double MeasureLatency(const NetworkOptions& options, uint32_t count);

/**
 * @ingroup edgepipe
 *
 * Send without end between a device and a wired server, one way, and measure what arrives, in a
 * separate simulation.
 *
 * @param options of the link between the device and the network, fidelity included
 * @param isUp whether the device sends
 * @param interval length of every measurement, > 0
 * @param duration of the recording; the first interval begins when the connection is open
 * @param progress called with the share that is done, 0 to 1; may be null
 * @return of every interval, IP bits per second that reached the receiver, headers included,
 * without acknowledgements and retransmissions; none if the connection has not opened after a
 * minute
 * @throws InputError if the options are invalid
 */
std::vector<double> RecordBandwidth(NetworkOptions options,
                                    bool isUp,
                                    const Time& interval,
                                    const Time& duration,
                                    std::function<void(double)> progress);

/**
 * Write a recording that OpenRateTrace reads, with comments on its origin.
 *
 * @param out stream to write to
 * @param bitsPerSecond of every interval
 * @param interval length of each
 * @param isUp whether the device sent
 * @param command that made the recording
 */
void WriteRecording(std::ostream& out,
                    const std::vector<double>& bitsPerSecond,
                    const Time& interval,
                    bool isUp,
                    const std::string& command);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_NETWORK_PROBE_H */
