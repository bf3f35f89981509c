/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_ROWS_H
#define EDGEPIPE_TRACE_ROWS_H

#include "ns3/edgepipe-trace-lines.h"
#include "ns3/edgepipe-trace.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{
namespace edgepipe
{

/** What one line of a recording says. */
struct TraceRow
{
    int64_t nanoseconds; //!< on the recording's own clock, 0 or more
    double value;        //!< bit/s, a share, or nothing where lines are opportunities
};

/** The rows of a recording, whatever its format. Each format is a subclass. */
class TraceRows
{
  public:
    static constexpr double MOST_BITS_PER_SECOND = 1e12; //!< largest rate
    /// Largest time on a recording's clock; twice it is still a time.
    static constexpr double MOST_SECONDS = 4e9;

    /** @param path the file */
    explicit TraceRows(std::string path);
    virtual ~TraceRows() = default;

    /**
     * @param row set to the next row; its time is not before the last one's
     * @return false at the end of the recording
     * @throws InputError naming file, line, what was found and what was expected
     */
    bool Next(TraceRow& row);

    /** From now on Rewind goes to the row that Next gave last. */
    void Mark();

    /** Go back to the first row, or to the one marked. */
    void Rewind();

    /** @return whether rows of one time stand for their mean; else the last one counts */
    virtual bool IsMeanOfEqualTimes() const;

    /** @return the lines, for messages */
    const TraceLines& GetLines() const;

  protected:
    /**
     * @param line set to the next line that is not blank
     * @return false at the end of the file
     */
    bool NextLine(std::string_view& line);

    /** Rewind goes to here: the header has been read. */
    void MarkHere();

  private:
    /**
     * @param row set to the next row, its time at least 0
     * @return false at the end of the recording
     */
    virtual bool DoNext(TraceRow& row) = 0;

    TraceLines m_lines;               //!< of the file
    TraceLines::Position m_mark;      //!< where Rewind goes
    TraceLines::Position m_rowBefore; //!< behind the row before the last one given
    int64_t m_previous{0};            //!< time of the last row given, ns
};

/**
 * @param path a file
 * @return rows of no value, one for each opportunity
 */
std::unique_ptr<TraceRows> MakeMahimahiRows(const std::string& path);

/**
 * @param path a file
 * @return bit/s
 */
std::unique_ptr<TraceRows> MakePensieveRows(const std::string& path);

/**
 * @param path a file
 * @param direction which column
 * @return bit/s; lines without a value are left out
 * @throws InputError if the header lacks a column
 */
std::unique_ptr<TraceRows> MakeGnettrackRows(const std::string& path, TraceDirection direction);

/// Header of a CSV of rates.
inline constexpr std::string_view RATE_CSV_HEADER = "seconds,bitsPerSecond";
/// Header of a CSV of loads.
inline constexpr std::string_view LOAD_CSV_HEADER = "seconds,share";

/**
 * @param path a file
 * @param header RATE_CSV_HEADER or LOAD_CSV_HEADER
 * @param most largest value of the second column
 * @return its values
 * @throws InputError if it has another header
 */
std::unique_ptr<TraceRows> MakeCsvRows(const std::string& path,
                                       std::string_view header,
                                       double most);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRACE_ROWS_H */
