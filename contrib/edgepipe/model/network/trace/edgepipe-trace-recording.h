/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_RECORDING_H
#define EDGEPIPE_TRACE_RECORDING_H

#include "edgepipe-trace-rows.h"
#include "edgepipe-trace.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

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
    /// Direction that its values were recorded in, if known.
    std::optional<TraceDirection> direction{};
    /// Directions that were saturated when it was made, if the file says so.
    std::optional<std::set<TraceDirection>> saturated{};
    bool hasBoth{false};              //!< the file has values of both directions
    std::string doubt{};              //!< why its values are no capacity; empty: nothing says so
    std::vector<std::string> notes{}; //!< what was left out of the file, and its delay
    std::optional<double> delay{};    //!< mean one way, s, if the file says it
};

/// Largest rate of a recording, bit/s.
constexpr double MOST_TRACE_BITS_PER_SECOND = 1e12;
/// Largest delay of a recording, one way, s.
constexpr double MOST_TRACE_DELAY_SECONDS = 100;
/// Largest time on a recording's clock, s; twice it still fits into Time.
constexpr double MOST_TRACE_SECONDS = 4e9;

/**
 * Read a recording of bandwidth, shared by all that replay it.
 *
 * See TraceTiming for how long each row lasts; a single row lasts a second. Of rows with the same
 * time the last one counts in CSV, the first in Pensieve's format, their mean, or sum of bytes, in
 * others. A recording of opportunities ends with the last one, as in mm-link.
 *
 * @param path a file, or FILE#DEVICE for the rows of one device
 * @param direction the direction to read if the file has both
 * @param options format, columns and order
 * @return the recording
 * @throws InputError naming file, line, what was found and what was expected
 */
std::shared_ptr<const TraceRecording> ReadRecording(const std::string& path,
                                                    TraceDirection direction,
                                                    const TraceOptions& options);

/**
 * Read the load of a device from CSV with the header seconds,share, or a table.
 *
 * @param path a file, or FILE#DEVICE for the rows of one device
 * @param options columns and order
 * @return the recording
 * @throws InputError as ReadRecording
 */
std::shared_ptr<const TraceRecording> ReadLoadRecording(const std::string& path,
                                                        const TraceOptions& options);

/**
 * Read a recording of the simulator Sabre: a list of objects with duration_ms, bandwidth_kbps and
 * latency_ms, which is from a request to its answer's first byte: a round trip.
 *
 * @param path a file
 * @param rows gets the intervals
 * @throws InputError if the file has another form
 */
void ReadSabre(const std::string& path, TraceRows& rows);

/**
 * Read the output of iperf3 -J, without the intervals that it omitted.
 *
 * @param path a file
 * @param direction which one, if the test had both; the client's output is up
 * @param rows gets the intervals
 * @param into its direction, doubt and notes are set
 * @throws InputError if the file has another form
 */
void ReadIperf3(const std::string& path,
                TraceDirection direction,
                TraceRows& rows,
                TraceRecording& into);

/**
 * Compare the two directions of a recording. TCP acknowledges with a few per cent of the bytes that
 * it acknowledges, at most.
 *
 * @param one a direction
 * @param other the other one, at the same time
 * @return why the one's rate is no capacity: it has less than 1% of the other's, or less than 5%
 * and follows it second by second, or less than 10% in a log of what applications sent; empty: it
 * may be one
 */
std::string DoubtAsAcknowledgements(const TraceRecording& one, const TraceRecording& other);

/**
 * @param recording a log of what applications sent
 * @return why its rate is no capacity: in half of the time or more it has less than 1% of its mean;
 * empty: it may be one
 */
std::string DoubtAsPauses(const TraceRecording& recording);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRACE_RECORDING_H */
