/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_RECORDING_H
#define EDGEPIPE_TRACE_RECORDING_H

#include "edgepipe-trace.h"

#include "ns3/edgepipe-text-lines.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** A step of a recording, or a delivery opportunity. */
struct TraceRow
{
    int64_t nanoseconds; //!< since the recording began, 0 or more
    double value;        //!< bit/s, or a share; of no meaning for an opportunity
};

/** A whole recording: steps from time 0 on, in increasing order, or opportunities in order. */
struct TraceRecording
{
    TraceFormat format;         //!< as given or detected
    std::vector<TraceRow> rows; //!< at least one
    int64_t nanoseconds;        //!< until it loops: 1 ms to 1e9 s
    double mean;                //!< of the value over that time; opportunities: bit/s
    double largest;             //!< value; opportunities: bit/s in the fullest millisecond
    double lowest;  //!< value; opportunities: bit/s in the emptiest whole second, or in all
    double highest; //!< value; opportunities: bit/s in the fullest whole second
};

/// Largest rate of a recording, bit/s.
constexpr double MOST_TRACE_BITS_PER_SECOND = 1e12;
/// Largest time on a recording's clock, s; twice it still fits into Time.
constexpr double MOST_TRACE_SECONDS = 4e9;

/**
 * Read a recording of bandwidth, shared by all that replay it.
 *
 * The last step lasts as long as the one before it, a single step one second. Of rows with the same
 * time the last one counts, or, in G-NetTrack's format, their mean. A recording of opportunities
 * ends with the last one, as in mm-link.
 *
 * @param path a file
 * @param format auto (by content), mahimahi, pensieve, gnettrack or csv
 * @param direction the direction to read if the file has both
 * @return the recording
 * @throws InputError naming file, line, what was found and what was expected
 */
std::shared_ptr<const TraceRecording> ReadRecording(const std::string& path,
                                                    const std::string& format,
                                                    TraceDirection direction);

/**
 * Read the load of a device from CSV with the header seconds,share.
 *
 * @param path a file
 * @return the recording
 * @throws InputError as ReadRecording
 */
std::shared_ptr<const TraceRecording> ReadLoadRecording(const std::string& path);

/**
 * Read rows in G-NetTrack's format, on their own clock; lines without a value are left out.
 *
 * @param lines of the file, at its start
 * @param direction which column
 * @param take gets the rows, bit/s
 * @throws InputError if the header lacks a column or a line is malformed
 */
void ParseGnettrack(TextLines& lines,
                    TraceDirection direction,
                    const std::function<void(TraceRow)>& take);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRACE_RECORDING_H */
