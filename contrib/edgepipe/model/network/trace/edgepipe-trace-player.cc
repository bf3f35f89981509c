/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-player.h"

#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{
namespace edgepipe
{

namespace
{

constexpr int64_t SECOND = 1'000'000'000;
/// No replay goes beyond, some 285 years; ns-3's clock ends shortly after.
constexpr int64_t LATEST = 9'000'000'000 * SECOND;

/** @param lines of a recording that has become another one */
[[noreturn]] void
FailChanged(const TraceLines& lines)
{
    lines.FailFile("found another content than when it was checked, expected a file that stays as "
                   "it is during a run");
}

/** Replays steps. */
class StepPlayer : public StepSource
{
  public:
    /**
     * @param steps a recording
     * @param extent what is in it
     * @param playback how to replay it
     * @param least smallest value
     */
    StepPlayer(TraceSteps steps,
               const TraceExtent& extent,
               const TracePlayback& playback,
               double least)
        : m_steps(std::move(steps)),
          m_period(extent.nanoseconds),
          m_playback(playback),
          m_least(least)
    {
        m_steps.Rewind();
        if (m_playback.isLoop)
        {
            m_playback.nanoseconds %= m_period;
        }
    }

    bool Next(TraceStep& step) override
    {
        const int64_t start = m_playback.nanoseconds;
        if (!m_isStarted)
        {
            m_isStarted = true;
            TraceRow current{0, 0};
            while ((m_isAhead = Read(m_ahead)) && m_ahead.nanoseconds <= start)
            {
                current = m_ahead;
            }
            step = {NanoSeconds(0), current.value};
            return true;
        }
        if (!m_isAhead)
        {
            return false;
        }
        step = {NanoSeconds(m_ahead.nanoseconds - start), m_ahead.value};
        m_isAhead = Read(m_ahead);
        return true;
    }

  private:
    /**
     * @param row set to the next step on the recording's clock, which goes on when it loops
     * @return false if there is none
     */
    bool Read(TraceRow& row)
    {
        if (!m_isOver && m_steps.Next(row))
        {
            if (row.nanoseconds >= m_period)
            {
                FailChanged(m_steps.GetLines());
            }
            m_isEmpty = false;
            const double value = row.value * m_playback.scale;
            row = {m_base + row.nanoseconds, value < m_least ? 0 : value};
            return true;
        }
        if (m_isOver || m_playback.isHold || m_base > LATEST - 2 * m_period)
        {
            return false;
        }
        if (!m_playback.isLoop)
        {
            m_isOver = true;
            row = {m_period, 0};
            return true;
        }
        if (m_isEmpty)
        {
            FailChanged(m_steps.GetLines());
        }
        m_isEmpty = true;
        m_base += m_period;
        m_steps.Rewind();
        return Read(row);
    }

    TraceSteps m_steps;       //!< of the recording
    int64_t m_period;         //!< its length, ns
    TracePlayback m_playback; //!< how to replay
    double m_least;           //!< smallest value
    int64_t m_base{0};        //!< when the present pass began, ns
    bool m_isEmpty{true};     //!< the present pass has not found a step
    bool m_isOver{false};     //!< the value has become 0 for good
    bool m_isStarted{false};  //!< the first step has been given
    bool m_isAhead{false};    //!< whether a step is ready
    TraceRow m_ahead{0, 0};   //!< that step, on the recording's clock
};

/** Replays opportunities. */
class OpportunityPlayer : public OpportunitySource
{
  public:
    /**
     * @param rows a recording
     * @param extent what is in it
     * @param playback how to replay it
     */
    OpportunityPlayer(std::unique_ptr<TraceRows> rows,
                      const TraceExtent& extent,
                      const TracePlayback& playback)
        : m_rows(std::move(rows)),
          m_last(extent.nanoseconds),
          m_period(playback.isHold ? std::min(SECOND, m_last) : m_last),
          m_playback(playback)
    {
        m_rows->Rewind();
        if (m_playback.isLoop)
        {
            SkipPeriods();
        }
    }

    bool Next(Time& time) override
    {
        while (m_left == 0)
        {
            TraceRow row;
            if (!m_rows->Next(row))
            {
                if (!StartOver())
                {
                    return false;
                }
                continue;
            }
            if (row.nanoseconds > m_last)
            {
                FailChanged(m_rows->GetLines());
            }
            m_isEmpty = false;
            if (m_playback.isHold && !m_isMarked && row.nanoseconds > m_last - m_period)
            {
                m_isMarked = true;
                m_rows->Mark();
            }
            if (m_base + row.nanoseconds >= m_playback.nanoseconds)
            {
                m_time = m_base + row.nanoseconds - m_playback.nanoseconds;
                const double before = std::floor(m_count * m_playback.scale);
                ++m_count;
                m_left = std::floor(m_count * m_playback.scale) - before;
            }
        }
        --m_left;
        time = NanoSeconds(m_time);
        return true;
    }

  private:
    /** Leave out passes that end before the start. */
    void SkipPeriods()
    {
        const int64_t left = m_playback.nanoseconds - 1 - m_last - m_base;
        m_base += left >= 0 ? (left / m_period + 1) * m_period : 0;
    }

    /** @return whether there is another pass */
    bool StartOver()
    {
        const bool isEnd = !m_playback.isLoop && !m_playback.isHold;
        if (isEnd || m_base > LATEST - 2 * m_last)
        {
            return false;
        }
        if (m_isEmpty)
        {
            FailChanged(m_rows->GetLines());
        }
        m_isEmpty = true;
        m_base += m_period;
        SkipPeriods();
        m_rows->Rewind();
        return true;
    }

    std::unique_ptr<TraceRows> m_rows; //!< of the recording
    int64_t m_last;                    //!< time of its last row, ns
    int64_t m_period;                  //!< of what is repeated, ns
    TracePlayback m_playback;          //!< how to replay
    int64_t m_base{0};                 //!< added to the times of the present pass, ns
    bool m_isEmpty{true};              //!< the present pass has not found a row
    bool m_isMarked{false};            //!< where what is held begins has been found
    uint64_t m_count{0};               //!< rows used
    uint64_t m_left{0};                //!< opportunities that still are to be given at m_time
    int64_t m_time{0};                 //!< of the last row used, ns since the start
};

} // namespace

TracePlayback
ReadTracePlayback(const TraceOptions& options)
{
    if (options.end != "loop" && options.end != "hold" && options.end != "stop")
    {
        throw InputError("trace-end", QuoteBriefly(options.end), "loop, hold or stop");
    }
    const int64_t offset = options.offset.GetNanoSeconds();
    if (offset < 0 || offset > SECOND * SECOND)
    {
        std::ostringstream found;
        found << offset / 1e9 << " s";
        throw InputError("trace-offset", found.str(), "0 to 1e9 s");
    }
    if (!(options.scale >= 1e-3 && options.scale <= 1e3))
    {
        std::ostringstream found;
        found << options.scale;
        throw InputError("trace-scale", found.str(), "0.001 to 1000");
    }
    return {options.end == "loop", options.end == "hold", offset, options.scale};
}

std::unique_ptr<StepSource>
PlaySteps(TraceSteps steps, const TraceExtent& extent, const TracePlayback& playback, double least)
{
    return std::make_unique<StepPlayer>(std::move(steps), extent, playback, least);
}

std::unique_ptr<OpportunitySource>
PlayOpportunities(std::unique_ptr<TraceRows> rows,
                  const TraceExtent& extent,
                  const TracePlayback& playback)
{
    return std::make_unique<OpportunityPlayer>(std::move(rows), extent, playback);
}

} // namespace edgepipe
} // namespace ns3
