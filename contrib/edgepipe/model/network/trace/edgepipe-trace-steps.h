/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TRACE_STEPS_H
#define EDGEPIPE_TRACE_STEPS_H

#include "ns3/edgepipe-trace-rows.h"

#include <cstdint>
#include <memory>

namespace ns3
{
namespace edgepipe
{

/** One pass through a recording: steps from time 0 on, their times increasing. */
class TraceSteps
{
  public:
    /** @param rows of the recording */
    explicit TraceSteps(std::unique_ptr<TraceRows> rows);

    /**
     * @param step set to the next one
     * @return false at the end of the recording
     */
    bool Next(TraceRow& step);

    /** Go back to the first step. */
    void Rewind();

    /** @return the lines, for messages */
    const TraceLines& GetLines() const;

  private:
    std::unique_ptr<TraceRows> m_rows; //!< what to read
    TraceRow m_ahead;                  //!< the row behind the last step, if any
    bool m_isAhead{false};             //!< whether there is one
    bool m_isFresh{true};              //!< no row has been read in this pass
    int64_t m_start{0};                //!< time of the first row, ns
};

/** What a whole pass through a recording finds. */
struct TraceExtent
{
    int64_t nanoseconds; //!< until it loops
    double mean;         //!< of the value over that time; opportunities: bit/s
    double largest;      //!< value; opportunities: bit/s in the fullest millisecond
    double lowest;       //!< value; opportunities: bit/s in the emptiest whole second, or in all
    double highest;      //!< likewise, in the fullest whole second
};

/**
 * The last step lasts as long as the one before it, a single step one second.
 *
 * @param steps a recording, at its start; read to its end
 * @return what was found
 * @throws InputError if it holds no step, or lasts less than 1 ms or more than 1e9 s
 */
TraceExtent MeasureSteps(TraceSteps& steps);

/**
 * Lasts until the last opportunity, as in mm-link.
 *
 * @param rows opportunities, at their start; read to their end
 * @return what was found
 * @throws InputError if there is none, they last less than 1 ms or more than 1e9 s, or a
 *         millisecond delivers more than MOST_BITS_PER_SECOND
 */
TraceExtent MeasureOpportunities(TraceRows& rows);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TRACE_STEPS_H */
