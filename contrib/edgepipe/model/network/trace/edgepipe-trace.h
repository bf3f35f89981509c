/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_H
#define EDGEPIPE_TRACE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** A value from some time on. */
struct TraceStep
{
    Time time;    //!< its start, from the start of the simulation
    double value; //!< bit/s, or a share of a device
};

/**
 * A value that changes in steps. The first step is at time 0, times increase.
 */
class StepSource
{
  public:
    virtual ~StepSource() = default;

    /**
     * @param step set to the next step
     * @return false if there is none: the last value holds for ever
     */
    virtual bool Next(TraceStep& step) = 0;
};

/** Instants at which a link delivers, in order; several may coincide. */
class OpportunitySource
{
  public:
    virtual ~OpportunitySource() = default;

    /// Bytes of IP packets that one opportunity delivers.
    static constexpr uint32_t BYTES = 1500;

    /**
     * @param time set to the next opportunity's, from the start of the simulation
     * @return false if there are no more
     */
    virtual bool Next(Time& time) = 0;
};

/** Formats of recorded bandwidth. */
enum class TraceFormat
{
    MAHIMAHI,  //!< a millisecond per line, at which one packet may cross
    PENSIEVE,  //!< seconds and Mbit/s, separated by blanks
    GNETTRACK, //!< CSV with a header; Timestamp, DL_bitrate and UL_bitrate in kbit/s
    CSV,       //!< CSV with the header seconds,bitsPerSecond
    LOG,       //!< six columns, the last two bytes and milliseconds of an interval
    METS,      //!< a second per line, a number and its unit
    SABRE,     //!< JSON of the simulator Sabre
    IPERF3,    //!< JSON of iperf3 -J
    COLUMNS,   //!< a table whose columns TraceOptions names
};

/** Directions of a recording that has both. */
enum class TraceDirection
{
    UP,   //!< from the device
    DOWN, //!< to the device
};

/** How to replay a recording. */
struct TraceOptions
{
    /// auto (by content), mahimahi, pensieve, gnettrack, csv, log, mets, sabre, iperf3 or columns
    std::string format{"auto"};
    std::string columns{};       //!< what the columns of a table hold, see TraceColumns
    std::string order{"strict"}; //!< of rows that go back in time: strict (refused), sort or drop
    /// Whether to replay a direction that was not saturated when it was recorded.
    bool isUnsaturated{false};
    /// loop, hold (the last value, or the last second of opportunities repeated) or stop (nothing
    /// moves any more)
    std::string end{"loop"};
    Time offset;     //!< where in the recording the simulation starts, 0 to 1e9 s
    double scale{1}; //!< rates, or opportunities per time, are multiplied by this, 0.001 to 1000
};

/** Properties of a recording, known without replaying it. */
struct TraceSummary
{
    TraceFormat format;       //!< as given or detected
    double durationSeconds;   //!< until it loops, 0.001 to 1e9
    double meanBitsPerSecond; //!< over that time, in one direction, as scaled
    /// Its lowest rate, as scaled; of opportunities over whole seconds, or over all if shorter.
    double lowestBitsPerSecond;
    double highestBitsPerSecond; //!< its highest rate, measured the same way
    /// Direction that it was recorded in, if known.
    std::optional<TraceDirection> direction;
    /// Directions that were saturated when it was made, if the file says so.
    std::optional<std::set<TraceDirection>> saturated;
    bool hasBoth;                   //!< whether the file has values of both directions
    std::vector<std::string> notes; //!< what was left out of the file, and its delay
    /// Its mean delay one way, 0 to 100 s, if the file says it.
    std::optional<double> delaySeconds;
};

/**
 * Read a whole recording; it stays in memory, shared, as long as something replays it.
 *
 * Messages about options call them trace-format, trace-columns, trace-order, trace-end,
 * trace-offset and trace-scale. A direction that was not saturated when it was recorded is no
 * capacity: one that says so, or whose rate is below 5% of the other direction's and in step with
 * it, or below 1%, as acknowledgements are, is refused unless the options allow it.
 *
 * @param path a file, or FILE#DEVICE for the rows of one device
 * @param direction the direction to read if the file has both
 * @param options how to replay it
 * @return its properties
 * @throws InputError naming file, line, what was found and what was expected
 */
TraceSummary CheckTrace(const std::string& path,
                        TraceDirection direction,
                        const TraceOptions& options);

/**
 * Replay a recording of rates: every format but Mahimahi's.
 *
 * @param path a file
 * @param direction the direction to read if the file has both
 * @param options how to replay it
 * @return bit/s, 0 or 1 to 1e12
 * @throws InputError as CheckTrace does
 */
std::unique_ptr<StepSource> OpenRateTrace(const std::string& path,
                                          TraceDirection direction,
                                          const TraceOptions& options);

/**
 * Replay the delay that a recording has beside its rates.
 *
 * @param path a file
 * @param direction the direction to read if the file has both
 * @param options how to replay it; the scale is not used
 * @return s, one way, 0 to 100; null if the file does not say it
 * @throws InputError as CheckTrace does
 */
std::unique_ptr<StepSource> OpenDelayTrace(const std::string& path,
                                           TraceDirection direction,
                                           const TraceOptions& options);

/**
 * Replay a recording of delivery opportunities: Mahimahi's format.
 *
 * @param path a file
 * @param options how to replay it
 * @return the opportunities
 * @throws InputError naming file, line, what was found and what was expected
 */
std::unique_ptr<OpportunitySource> OpenOpportunityTrace(const std::string& path,
                                                        const TraceOptions& options);

/**
 * Convert opportunities to a rate, for links without packets: in each interval the mean rate of its
 * opportunities.
 *
 * @param opportunities the opportunities
 * @param interval length of the intervals, the first begins at time 0; above 0, at most an hour
 * @return bit/s
 * @throws InputError if the interval is out of range
 */
std::unique_ptr<StepSource> MakeRates(std::unique_ptr<OpportunitySource> opportunities,
                                      Time interval);

/**
 * Replay the load of a device: CSV with the header seconds,share, or a table; the share of the
 * device that is available to us, 0 to 1.
 *
 * @param path a file, or FILE#DEVICE for the rows of one device
 * @param options how to replay it; format and scale are not used
 * @return the share
 * @throws InputError naming file, line, what was found and what was expected
 */
std::unique_ptr<StepSource> OpenLoadTrace(const std::string& path, const TraceOptions& options);

/**
 * @param path of a recording, such as a.up.csv or a.up
 * @param direction that its name must say
 * @return the file of the other direction beside it; empty if there is none
 */
std::string FindOtherDirection(const std::string& path, TraceDirection direction);

/**
 * @param option name of an option, for the message
 * @param name one of TraceOptions::format
 * @throws InputError if it is none of them
 */
void CheckTraceFormat(const std::string& option, const std::string& name);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRACE_H */
