/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_ROWS_H
#define EDGEPIPE_TRACE_ROWS_H

#include "ns3/edgepipe-text-lines.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/// Recordings' clocks count nanoseconds.
constexpr int64_t NANOSECONDS_PER_SECOND = 1'000'000'000;

/// Delay of a row that says none.
constexpr double NO_DELAY = -1;

/** A step of a recording, or a delivery opportunity. */
struct TraceRow
{
    int64_t nanoseconds;           //!< since the recording began, 0 or more
    double value;                  //!< bit/s, or a share; of no meaning for an opportunity
    double delaySeconds{NO_DELAY}; //!< one way
};

/** A row as a file has it. */
struct TraceSample
{
    int64_t nanoseconds;           //!< on the file's clock
    double value;                  //!< bit/s, a share, or the bits of an interval
    int64_t length{0};             //!< of the interval, ns, if the file says it
    bool isIdle{false};            //!< nothing was sent: its time is no part of the recording
    double delaySeconds{NO_DELAY}; //!< one way
};

/** How the intervals of a file's rows follow from their times. */
enum class TraceTiming
{
    INSTANTS, //!< opportunities: there are no intervals
    BEGINS,   //!< a row holds from its time on; the last one as long as the one before it
    ENDS,     //!< a row is of what came before its time; the first one as long as the second
    BETWEEN,  //!< as ENDS, but the first row only says when the recording begins
    LENGTHS,  //!< each row says how long it lasts; gaps are no part of the recording
};

/**
 * Collects the rows of a file, and makes steps of them.
 */
class TraceRows
{
  public:
    /**
     * @param lines of the file, for messages
     * @param timing how intervals follow from times
     * @param order what becomes of rows that go back in time: strict (refused), sort or drop
     * @param option name of the option that says so, for messages
     */
    TraceRows(const TextLines& lines, TraceTiming timing, std::string order, std::string option);

    /** @param timing replaces that of the constructor, before the first row */
    void SetTiming(TraceTiming timing)
    {
        m_timing = timing;
    }

    /**
     * Values are bits in an interval from now on, not bit/s.
     *
     * @param areCounted whether they are the bits so far, of which the first row only says where
     * they begin
     */
    void SetAmounts(bool areCounted)
    {
        m_isAmount = true;
        m_isCounter = areCounted;
        m_timing = areCounted ? TraceTiming::BETWEEN : m_timing;
    }

    /**
     * @param sample the next row
     * @throws InputError if it goes back in time, unless the order allows that
     */
    void AddSample(const TraceSample& sample);

    /** Count a row that has no value. */
    void Miss()
    {
        ++m_missing;
    }

    /**
     * @param nanoseconds set to the duration of the recording
     * @return its steps from 0 on, or its opportunities; empty if nothing lasts, see DescribeLack
     * @throws InputError if a rate is above 1 Tbit/s, or amounts are a counter's and not said to be
     */
    std::vector<TraceRow> MakeSteps(int64_t& nanoseconds);

    /** @return why there are no steps */
    std::string DescribeLack() const;

    /** @return what was left out, in words; one entry a kind */
    std::vector<std::string> GetNotes() const;

  private:
    /** Join rows of the same time. */
    void Merge();
    /** Make amounts of a counter's values; refuse those that look like a counter's. */
    void CountAmounts();
    /**
     * Note times in which nothing was recorded, which the row beside them fills.
     *
     * @param lengths of the rows' intervals, ns
     */
    void FindGaps(std::vector<int64_t> lengths);
    /** Give rows without a delay that of the row before, the first ones that of the next. */
    void CompleteDelays();

    const TextLines& m_lines;           //!< of the file
    TraceTiming m_timing;               //!< how intervals follow from times
    std::string m_order;                //!< of rows that go back
    std::string m_option;               //!< that says so
    bool m_isAmount{false};             //!< values are bits
    bool m_isCounter{false};            //!< since the counter began
    std::string m_gaps;                 //!< what to say of them
    std::vector<TraceSample> m_samples; //!< rows
    int64_t m_latest{0};                //!< largest time so far
    uint64_t m_back{0};                 //!< rows that went back
    uint64_t m_ofOneTime{0};            //!< rows, if all are of one time
    uint64_t m_missing{0};              //!< rows without a value
    uint64_t m_idle{0};                 //!< rows in which nothing was sent
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TRACE_ROWS_H */
