/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BANDWIDTH_RECORDER_H
#define EDGEPIPE_BANDWIDTH_RECORDER_H

#include "ns3/edgepipe-network-options.h"
#include "ns3/nstime.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

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

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BANDWIDTH_RECORDER_H */
