/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-join-words.h"
#include "ns3/edgepipe-trace-recording.h"

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Rates below count as 0, bit/s: nothing could be planned with them.
constexpr double LEAST_BITS_PER_SECOND = 1;
/// Shares of a device below count as 0.
constexpr double LEAST_SHARE = 1e-6;
/// No replay goes beyond, some 285 years; ns-3's clock ends shortly after.
constexpr int64_t LATEST = 9'000'000'000 * NANOSECONDS_PER_SECOND;

/** TraceOptions as the players use them. */
struct TracePlayback
{
    bool isLoop;         //!< start over at the end
    bool isHold;         //!< hold the end
    int64_t nanoseconds; //!< where in the recording to start
    double scale;        //!< of values, or of the number of opportunities
};

/**
 * Replays steps. With loop, the recording starts over after its last step; with hold, that step
 * lasts forever; with stop, the value is 0 from its end on.
 */
class StepPlayer : public StepSource
{
  public:
    /**
     * @param recording with steps
     * @param playback how to replay it
     * @param least smallest value; values below count as 0
     */
    StepPlayer(std::shared_ptr<const TraceRecording> recording,
               const TracePlayback& playback,
               double least)
        : m_recording(std::move(recording)),
          m_playback(playback),
          m_least(least)
    {
        if (m_playback.isLoop)
        {
            m_playback.nanoseconds %= m_recording->nanoseconds;
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
     * @param row set to the next step on the recording's clock, which continues when it loops
     * @return false if there is none
     */
    bool Read(TraceRow& row)
    {
        const int64_t period = m_recording->nanoseconds;
        if (m_next == m_recording->rows.size() && m_playback.isLoop &&
            m_base <= LATEST - 2 * period)
        {
            m_base += period;
            m_next = 0;
        }
        if (m_next < m_recording->rows.size())
        {
            row = m_recording->rows[m_next++];
            row.nanoseconds += m_base;
            row.value *= m_playback.scale;
            row.value = row.value < m_least ? 0 : row.value;
            return true;
        }
        const bool isStop = !m_playback.isLoop && !m_playback.isHold && !m_isOver;
        m_isOver = true;
        row = {period, 0};
        return isStop;
    }

    std::shared_ptr<const TraceRecording> m_recording; //!< what is replayed
    TracePlayback m_playback;                          //!< how
    double m_least;                                    //!< smallest value
    std::size_t m_next{0};                             //!< index of the next row of this pass
    int64_t m_base{0};                                 //!< when this pass began, ns
    bool m_isOver{false};                              //!< the value has become 0 for good
    bool m_isStarted{false};                           //!< the first step has been given
    bool m_isAhead{false};                             //!< whether a step is ready
    TraceRow m_ahead{0, 0};                            //!< that step, on the recording's clock
};

/**
 * Replays opportunities. With loop, the recording starts over at the time of its last opportunity,
 * as in mm-link; with hold, its last second is repeated, or all of it if it is shorter.
 *
 * A scale does not change the times: after n recorded opportunities, floor(scale * n) have been
 * given.
 */
class OpportunityPlayer : public OpportunitySource
{
  public:
    /**
     * @param recording with opportunities
     * @param playback how to replay it
     */
    OpportunityPlayer(std::shared_ptr<const TraceRecording> recording,
                      const TracePlayback& playback)
        : m_recording(std::move(recording)),
          m_last(m_recording->nanoseconds),
          m_period(playback.isHold ? std::min(NANOSECONDS_PER_SECOND, m_last) : m_last),
          m_playback(playback)
    {
        if (m_playback.isLoop)
        {
            SkipPeriods();
        }
    }

    bool Next(Time& time) override
    {
        const auto& rows = m_recording->rows;
        while (m_left == 0)
        {
            if (m_next == rows.size() && !StartOver())
            {
                return false;
            }
            const int64_t now = m_base + rows[m_next++].nanoseconds;
            if (now >= m_playback.nanoseconds)
            {
                m_time = now - m_playback.nanoseconds;
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
    /** Skip passes that end before the start. */
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
        m_base += m_period;
        SkipPeriods();
        const auto& rows = m_recording->rows;
        // Hold repeats only the end.
        m_next = m_playback.isLoop ? 0
                                   : std::upper_bound(rows.begin(),
                                                      rows.end(),
                                                      m_last - m_period,
                                                      [](int64_t time, const TraceRow& row) {
                                                          return time < row.nanoseconds;
                                                      }) -
                                         rows.begin();
        return true;
    }

    std::shared_ptr<const TraceRecording> m_recording; //!< what is replayed
    int64_t m_last;                                    //!< time of its last row, ns
    int64_t m_period;                                  //!< of what is repeated, ns
    TracePlayback m_playback;                          //!< how to replay
    std::size_t m_next{0};                             //!< index of the next row of this pass
    int64_t m_base{0};   //!< added to the times of the present pass, ns
    uint64_t m_count{0}; //!< rows used
    uint64_t m_left{0};  //!< opportunities still to be given at m_time
    int64_t m_time{0};   //!< of the last row used, ns since the start
};

/**
 * @param options how to replay
 * @return the options as the players use them
 * @throws InputError if one of them is out of range; the format is not checked
 */
TracePlayback
ReadTracePlayback(const TraceOptions& options)
{
    Require(options.end == "loop" || options.end == "hold" || options.end == "stop",
            "trace-end",
            QuoteBriefly(options.end),
            "loop, hold or stop");
    const int64_t offset = options.offset.GetNanoSeconds();
    Require(offset >= 0 && offset <= NANOSECONDS_PER_SECOND * NANOSECONDS_PER_SECOND,
            "trace-offset",
            JoinParts(offset / 1e9, " s"),
            "0 to 1e9 s");
    Require(options.scale >= 1e-3 && options.scale <= 1e3,
            "trace-scale",
            JoinParts(options.scale),
            "0.001 to 1000");
    return {options.end == "loop", options.end == "hold", offset, options.scale};
}

/**
 * Refuse a valid recording that does not fit the options.
 *
 * @param path the file
 * @param extent its contents
 * @param playback how it would be replayed
 * @param least smallest value
 */
void
CheckExtent(const std::string& path,
            const TraceRecording& extent,
            const TracePlayback& playback,
            double least)
{
    const double largest = extent.largest * playback.scale;
    Require(largest >= least,
            JoinParts(path,
                      ": found no value of at least ",
                      least / playback.scale,
                      ", expected one: nothing would ever move"));
    Require(largest <= MOST_TRACE_BITS_PER_SECOND,
            "trace-scale",
            JoinParts(playback.scale),
            JoinParts("at most ", MOST_TRACE_BITS_PER_SECOND / extent.largest, " with ", path));
    Require(playback.isLoop || playback.isHold || playback.nanoseconds < extent.nanoseconds,
            "trace-offset",
            JoinParts(playback.nanoseconds / 1e9, " s"),
            JoinParts("less than the ", extent.nanoseconds / 1e9, " s of ", path));
}

/**
 * @param path a file
 * @param direction the direction to read if the file has both
 * @param options how to replay it
 * @param playback the same options, as the players use them
 * @return the recording, checked against the options
 */
std::shared_ptr<const TraceRecording>
ReadChecked(const std::string& path,
            TraceDirection direction,
            const TraceOptions& options,
            const TracePlayback& playback)
{
    auto recording = ReadRecording(path, direction, options);
    const bool isUp = direction == TraceDirection::UP;
    const std::string link = isUp ? "uplink" : "downlink";
    Require(options.isUnsaturated || recording->doubt.empty(),
            JoinParts(path,
                      ": ",
                      link,
                      ": ",
                      recording->doubt,
                      "; a recording of a saturated ",
                      link,
                      " is needed, by ",
                      isUp ? "--trace=FILE, with this one as --trace-down" : "--trace-down=FILE",
                      ", or --trace-unsaturated=true"));
    const bool isRate = recording->format != TraceFormat::MAHIMAHI;
    CheckExtent(path, *recording, playback, isRate ? LEAST_BITS_PER_SECOND : 0);
    return recording;
}

} // namespace

TraceSummary
CheckTrace(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    const auto recording = ReadChecked(path, direction, options, ReadTracePlayback(options));
    return {recording->format,
            recording->nanoseconds / 1e9,
            recording->mean * options.scale,
            recording->lowest * options.scale,
            recording->highest * options.scale,
            recording->direction,
            recording->saturated,
            recording->hasBoth,
            recording->notes,
            recording->delay};
}

std::unique_ptr<StepSource>
OpenRateTrace(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    const TracePlayback playback = ReadTracePlayback(options);
    auto recording = ReadChecked(path, direction, options, playback);
    Require(recording->format != TraceFormat::MAHIMAHI,
            path + ": found delivery opportunities (mahimahi), expected rates");
    return std::make_unique<StepPlayer>(std::move(recording), playback, LEAST_BITS_PER_SECOND);
}

std::unique_ptr<StepSource>
OpenDelayTrace(const std::string& path, TraceDirection direction, const TraceOptions& options)
{
    TracePlayback playback = ReadTracePlayback(options);
    const auto recording = ReadChecked(path, direction, options, playback);
    if (!recording->delay)
    {
        return nullptr;
    }
    playback.scale = 1;
    auto delays = std::make_shared<TraceRecording>(*recording);
    for (auto& row : delays->rows)
    {
        row.value = row.delaySeconds;
    }
    return std::make_unique<StepPlayer>(std::move(delays), playback, 0);
}

std::unique_ptr<OpportunitySource>
OpenOpportunityTrace(const std::string& path, const TraceOptions& options)
{
    const TracePlayback playback = ReadTracePlayback(options);
    auto recording = ReadChecked(path, TraceDirection::UP, options, playback);
    Require(recording->format == TraceFormat::MAHIMAHI,
            path + ": found rates, expected delivery opportunities (mahimahi)");
    return std::make_unique<OpportunityPlayer>(std::move(recording), playback);
}

std::unique_ptr<StepSource>
OpenLoadTrace(const std::string& path, const TraceOptions& options)
{
    TracePlayback playback = ReadTracePlayback(options);
    playback.scale = 1;
    auto recording = ReadLoadRecording(path, options);
    CheckExtent(path, *recording, playback, LEAST_SHARE);
    return std::make_unique<StepPlayer>(std::move(recording), playback, LEAST_SHARE);
}

} // namespace ns3::edgepipe
