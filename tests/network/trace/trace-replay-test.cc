// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-trace-recording.h"

#include <limits>

namespace
{

using Steps = std::vector<std::pair<double, double>>;
using Times = std::vector<double>;

TraceOptions
Options(const std::string& end, double offsetSeconds = 0, double scale = 1)
{
    TraceOptions options;
    options.end = end;
    options.offset = Seconds(offsetSeconds);
    options.scale = scale;
    return options;
}

/// @param count at most so many are taken
/// @return their times, ms
std::vector<double>
TakeMilliseconds(OpportunitySource& source, std::size_t count)
{
    std::vector<double> times;
    for (Time time; times.size() < count && source.Next(time);)
    {
        times.push_back(time.GetNanoSeconds() / 1e6);
    }
    return times;
}

/// @param count at most so many are taken
/// @return seconds and values
std::vector<std::pair<double, double>>
TakeSteps(StepSource& source, std::size_t count)
{
    std::vector<std::pair<double, double>> steps;
    for (TraceStep step; steps.size() < count && source.Next(step);)
    {
        steps.emplace_back(step.time.GetNanoSeconds() / 1e9, step.value);
    }
    return steps;
}

/// @return bytes that cross in each second
std::vector<double>
CountBytes(StepSource& source, std::size_t seconds)
{
    std::vector<double> bytes(seconds, 0.0);
    double now = 0;
    double rate = 0;
    while (now < seconds)
    {
        TraceStep step;
        const bool isMore = source.Next(step);
        const double next = isMore ? step.time.GetNanoSeconds() / 1e9 : seconds;
        for (std::size_t s = now; s < seconds && s < next; ++s)
        {
            const double from = std::max<double>(now, s);
            bytes[s] += rate / 8 * (std::min<double>(next, s + 1) - from);
        }
        now = next;
        rate = isMore ? step.value : rate;
    }
    return bytes;
}

/** Writes recordings and replays them. */
class TraceReplayTest : public testing::Test
{
  protected:
    Steps PlayRates(const std::string& text, const TraceOptions& options, std::size_t count = 20)
    {
        const std::string path = m_folder.Write("trace", text);
        return TakeSteps(*OpenRateTrace(path, TraceDirection::UP, options), count);
    }

    /// @return their times, ms
    Times PlayOpportunities(const std::string& text,
                            const TraceOptions& options,
                            std::size_t count = 20)
    {
        return TakeMilliseconds(*OpenOpportunityTrace(m_folder.Write("trace", text), options),
                                count);
    }

    Steps PlayAsRates(const std::string& text,
                      const TraceOptions& options,
                      double interval,
                      std::size_t count = 20)
    {
        const std::string path = m_folder.Write("trace", text);
        return TakeSteps(*MakeRates(OpenOpportunityTrace(path, options), Seconds(interval)), count);
    }

    TemporaryFolder m_folder; //!< for the recordings
};

/// 1 Mbit/s for 2 s, 3 for 1 s, 2 for as long as the one before.
const std::string THREE = "seconds,bitsPerSecond\n0,1e6\n2,3e6\n3,2e6\n";

} // namespace

TEST_F(TraceReplayTest, LoopsWithTheLastStepAsLongAsTheOneBefore)
{
    EXPECT_EQ(PlayRates(THREE, Options("loop"), 7),
              (Steps{{0, 1e6}, {2, 3e6}, {3, 2e6}, {4, 1e6}, {6, 3e6}, {7, 2e6}, {8, 1e6}}));
}

TEST_F(TraceReplayTest, HoldsTheLastValue)
{
    EXPECT_EQ(PlayRates(THREE, Options("hold")), (Steps{{0, 1e6}, {2, 3e6}, {3, 2e6}}));
    EXPECT_EQ(PlayRates(THREE, Options("hold", 100)), (Steps{{0, 2e6}}));
}

TEST_F(TraceReplayTest, StopsWhenTheLastStepIsOver)
{
    EXPECT_EQ(PlayRates(THREE, Options("stop")), (Steps{{0, 1e6}, {2, 3e6}, {3, 2e6}, {4, 0}}));
    EXPECT_EQ(PlayRates(THREE, Options("stop", 3.5)), (Steps{{0, 2e6}, {0.5, 0}}));
}

TEST_F(TraceReplayTest, StartsInTheMiddleOfAStepOrAtItsBeginning)
{
    EXPECT_EQ(PlayRates(THREE, Options("loop", 0.5), 3), (Steps{{0, 1e6}, {1.5, 3e6}, {2.5, 2e6}}));
    EXPECT_EQ(PlayRates(THREE, Options("loop", 2), 3), (Steps{{0, 3e6}, {1, 2e6}, {2, 1e6}}));
    EXPECT_EQ(PlayRates(THREE, Options("loop", 3.5), 3), (Steps{{0, 2e6}, {0.5, 1e6}, {2.5, 3e6}}));
    EXPECT_EQ(PlayRates(THREE, Options("loop", 4e6 + 2), 2), (Steps{{0, 3e6}, {1, 2e6}}));
    // Pass by pass, this would take a day.
    EXPECT_EQ(PlayRates("0 7\n0.0005 1\n0.001 2\n", Options("loop", 1e9), 2),
              (Steps{{0, 1e6}, {0.0005, 2e6}}));
    EXPECT_EQ(PlayOpportunities("1\n", Options("loop", 1e9), 2), (Times{0, 1}));
    EXPECT_EQ(PlayOpportunities("1\n", Options("hold", 1e9), 2), (Times{0, 1}));
}

TEST_F(TraceReplayTest, ScalesRates)
{
    EXPECT_EQ(PlayRates(THREE, Options("hold", 0, 0.5)), (Steps{{0, 5e5}, {2, 1.5e6}, {3, 1e6}}));
    const TraceSummary summary =
        CheckTrace(m_folder.Write("trace", THREE), TraceDirection::UP, Options("hold", 0, 0.5));
    EXPECT_DOUBLE_EQ(summary.durationSeconds, 4);
    EXPECT_DOUBLE_EQ(summary.meanBitsPerSecond, (2 * 1e6 + 3e6 + 2e6) / 4 * 0.5);
    EXPECT_DOUBLE_EQ(summary.lowestBitsPerSecond, 0.5e6);
    EXPECT_DOUBLE_EQ(summary.highestBitsPerSecond, 1.5e6);
}

TEST_F(TraceReplayTest, SumsOpportunitiesUpByWholeSeconds)
{
    const auto summarize = [this](const std::string& lines) {
        return CheckTrace(m_folder.Write("trace", lines), TraceDirection::UP, {});
    };
    // Two, one and none; the last second is not whole.
    TraceSummary summary = summarize("100\n200\n1500\n3200\n3300\n3600\n");
    EXPECT_DOUBLE_EQ(summary.meanBitsPerSecond, 6 * 12e3 / 3.6);
    EXPECT_DOUBLE_EQ(summary.lowestBitsPerSecond, 0);
    EXPECT_DOUBLE_EQ(summary.highestBitsPerSecond, 24e3);
    summary = summarize("1200\n1201\n2700\n");
    EXPECT_DOUBLE_EQ(summary.lowestBitsPerSecond, 0);
    EXPECT_DOUBLE_EQ(summary.highestBitsPerSecond, 24e3);
    summary = summarize("250\n500\n");
    EXPECT_DOUBLE_EQ(summary.lowestBitsPerSecond, 48e3);
    EXPECT_DOUBLE_EQ(summary.highestBitsPerSecond, 48e3);
}

TEST_F(TraceReplayTest, CountsARateBelowOneBitPerSecondAsNone)
{
    EXPECT_EQ(PlayRates("0 1\n1 1\n2 1e-7\n", Options("hold")), (Steps{{0, 1e6}, {1, 0}}));
}

TEST_F(TraceReplayTest, LetsTheLastOfSeveralValuesAtOneTimeCount)
{
    const std::string head = "seconds,bitsPerSecond\n";
    EXPECT_EQ(PlayRates(head + "0,1e6\n1,2e6\n1,3e6\n1.0000000001,4e6\n2,5e6\n", Options("hold")),
              (Steps{{0, 1e6}, {1, 4e6}, {2, 5e6}}));
    EXPECT_EQ(PlayRates(head + "0,1e6\n1,2e6\n1,3e6\n", Options("loop"), 4),
              (Steps{{0, 1e6}, {1, 3e6}, {2, 1e6}, {3, 3e6}}));
}

TEST_F(TraceReplayTest, EndsARateOfPensieveAtTheTimeOfItsLine)
{
    // Pensieve, sim/env.py: cooked_bw[i] from cooked_time[i - 1] to cooked_time[i].
    const std::string text = "0 5.0\n1 5.0\n31 0.1\n32 5.0\n";
    EXPECT_EQ(PlayRates(text, Options("loop"), 5),
              (Steps{{0, 5e6}, {1, 0.1e6}, {31, 5e6}, {32, 5e6}, {33, 0.1e6}}));
    const TraceSummary summary =
        CheckTrace(m_folder.Write("trace", text), TraceDirection::UP, Options("loop"));
    EXPECT_DOUBLE_EQ(summary.durationSeconds, 32);
    EXPECT_DOUBLE_EQ(summary.meanBitsPerSecond, (5e6 + 30 * 0.1e6 + 5e6) / 32);
    // A line at the time of the one above has no time.
    EXPECT_EQ(PlayRates("0 1\n1 2\n1 3\n2 4\n", Options("loop"), 3),
              (Steps{{0, 2e6}, {1, 4e6}, {2, 2e6}}));
    EXPECT_EQ(PlayRates("1500 1\n1501.5 2\n1502 3\n", Options("loop"), 3),
              (Steps{{0, 2e6}, {1.5, 3e6}, {2, 2e6}}));
    EXPECT_EQ(PlayRates("7 1\n8 2\n", Options("stop")), (Steps{{0, 2e6}, {1, 0}}));
}

TEST_F(TraceReplayTest, AcceptsLineEndsMarksAndBlanksOfOtherEditors)
{
    EXPECT_EQ(PlayRates("\xef\xbb\xbf# one\r\n\r\nseconds,bitsPerSecond\r\n# two\r\n 0 , 1e6\r\n"
                        "2,\t3e6",
                        Options("hold")),
              (Steps{{0, 1e6}, {2, 3e6}}));
    EXPECT_EQ(PlayRates("\xef\xbb\xbf"
                        " 0 \t 1 \r\n\r\n2 3\r\n3 4\r\n",
                        Options("hold")),
              (Steps{{0, 3e6}, {2, 4e6}}));
    EXPECT_EQ(PlayOpportunities("\xef\xbb\xbf"
                                "3\r\n4\r\n",
                                Options("stop")),
              (Times{3, 4}));
}

TEST_F(TraceReplayTest, TakesTheMeanOfRowsOfOneSecondAndSkipsMissingOnesInGnettrack)
{
    const std::string text = "NetworkMode,UL_bitrate,Timestamp,DL_bitrate\n"
                             "5G,-,2019.12.31_23.59.57,50\n"
                             "5G,100,2019.12.31_23.59.58,60\n"
                             "5G,200,2019.12.31_23.59.58,-\n"
                             "5G,400,2020.01.01_00.00.00,80\n"
                             "5G,-,2020.01.01_00.00.01,90\n"
                             "5G,50,2020.01.01_00.00.03,90\n";
    EXPECT_EQ(PlayRates(text, Options("loop"), 4),
              (Steps{{0, 150e3}, {2, 400e3}, {4, 50e3}, {7, 150e3}}));
    const std::string path = m_folder.Write("trace", text);
    EXPECT_EQ(TakeSteps(*OpenRateTrace(path, TraceDirection::DOWN, Options("hold")), 9),
              (Steps{{0, 50e3}, {1, 60e3}, {2, 80e3}, {4, 90e3}, {5, 90e3}}));
}

TEST_F(TraceReplayTest, CountsDaysOverTheEndsOfFebruaryAndTheYear)
{
    const struct
    {
        std::string from;
        std::string to;
        double days;
    } rows[] = {
        {"2019.02.28", "2019.03.01", 1},
        {"2020.02.28", "2020.03.01", 2},
        {"2000.02.28", "2000.03.01", 2},
        {"2095.02.28", "2095.03.01", 1},
        {"2019.12.31", "2020.01.01", 1},
        {"2005.01.01", "2020.01.01", 5478},
    };

    for (const auto& row : rows)
    {
        const std::string text =
            "Timestamp,UL_bitrate\n" + row.from + "_12.00.00,1\n" + row.to + "_12.00.00,2\n";
        EXPECT_EQ(PlayRates(text, Options("hold")), (Steps{{0, 1e3}, {row.days * 86400, 2e3}}))
            << row.from;
    }
}

TEST_F(TraceReplayTest, StartsOpportunitiesOverAtTheTimeOfTheLastOneAsMahimahiDoes)
{
    // link_queue.cc adds the last timestamp to its base when the schedule wraps.
    EXPECT_EQ(PlayOpportunities("0\n5\n5\n12\n", Options("loop"), 10),
              (Times{0, 5, 5, 12, 12, 17, 17, 24, 24, 29}));
    EXPECT_EQ(PlayOpportunities("5\n12\n", Options("loop"), 5), (Times{5, 12, 17, 24, 29}));
    EXPECT_EQ(PlayOpportunities("0\n5\n12\n", Options("stop")), (Times{0, 5, 12}));
}

TEST_F(TraceReplayTest, RepeatsTheLastSecondOfOpportunitiesWhenItHolds)
{
    EXPECT_EQ(PlayOpportunities("0\n1000\n1001\n1600\n2000\n", Options("hold"), 11),
              (Times{0, 1000, 1001, 1600, 2000, 2001, 2600, 3000, 3001, 3600, 4000}));
    EXPECT_EQ(PlayOpportunities("0\n5\n12\n", Options("hold"), 7),
              (Times{0, 5, 12, 17, 24, 29, 36}));
    EXPECT_EQ(PlayOpportunities("0\n1000\n1001\n1600\n2000\n", Options("hold", 1e6 + 0.5), 4),
              (Times{100, 500, 501, 1100}));
}

TEST_F(TraceReplayTest, StartsOpportunitiesAtAnOffset)
{
    EXPECT_EQ(PlayOpportunities("0\n5\n12\n", Options("loop", 0.005), 5), (Times{0, 7, 7, 12, 19}));
    EXPECT_EQ(PlayOpportunities("0\n5\n12\n", Options("loop", 0.012), 4), (Times{0, 0, 5, 12}));
    EXPECT_EQ(PlayOpportunities("0\n5\n12\n", Options("loop", 12e3 + 0.006), 4),
              (Times{6, 6, 11, 18}));
    EXPECT_EQ(PlayOpportunities("0\n5\n12\n", Options("stop", 0.0055)), (Times{6.5}));
}

TEST_F(TraceReplayTest, ScalesTheNumberOfOpportunitiesAndLeavesTheirTimes)
{
    EXPECT_EQ(PlayOpportunities("1\n2\n3\n4\n", Options("stop", 0, 2)),
              (Times{1, 1, 2, 2, 3, 3, 4, 4}));
    EXPECT_EQ(PlayOpportunities("1\n2\n3\n4\n", Options("loop", 0, 0.5), 4), (Times{2, 4, 6, 8}));
    EXPECT_EQ(PlayOpportunities("1\n2\n3\n4\n", Options("stop", 0, 1.5)),
              (Times{1, 2, 2, 3, 4, 4}));
    const auto times = PlayOpportunities("1\n", Options("loop", 0, 0.3), 3000);
    EXPECT_NEAR(times.back(), 10000, 1.5);
}

TEST_F(TraceReplayTest, TurnsOpportunitiesIntoRatesThatAreExactInEveryIntervalOverLoops)
{
    // Period 12 ms, intervals of 10 ms: [0, 10) has 0 5 5, [10, 20) 12 12 17 17, [20, 30) 24 24 29
    // 29, and so on; 12 Mbit/s is an opportunity per ms.
    EXPECT_EQ(PlayAsRates("0\n5\n5\n12\n", Options("loop"), 0.01, 4),
              (Steps{{0, 3.6e6}, {0.01, 4.8e6}, {0.02, 4.8e6}, {0.03, 2.4e6}}));
}

TEST_F(TraceReplayTest, BeginsIntervalsAtTheStartOfTheSimulationAndSkipsEmptyOnes)
{
    EXPECT_EQ(PlayAsRates("10\n500\n", Options("stop"), 0.01),
              (Steps{{0, 0}, {0.01, 1.2e6}, {0.02, 0}, {0.5, 1.2e6}, {0.51, 0}}));
    EXPECT_EQ(PlayAsRates("3600000000\n", Options("stop"), 0.01),
              (Steps{{0, 0}, {3600000, 1.2e6}, {3600000.01, 0}}));
}

TEST_F(TraceReplayTest, DeliversAsManyBytesAsRatesAsInOpportunities)
{
    std::string text;
    std::vector<double> bytes(40, 0.0);
    uint32_t state = 1;
    double time = 0;
    Times lines;
    for (int i = 0; i < 4000; ++i)
    {
        state = state * 1664525 + 1013904223;
        time += (state >> 24) % 3 == 0 ? (state >> 16) % 7 : 0;
        text += std::to_string(static_cast<int>(time)) + "\n";
        lines.push_back(time);
    }
    for (double base = 0; base < 40000; base += lines.back())
    {
        for (double line : lines)
        {
            const double at = base + line - 333;
            if (at >= 0 && at < 40000)
            {
                bytes[std::floor(at / 1000)] += 1500;
            }
        }
    }
    for (const double interval : {1.0, 0.1, 0.001})
    {
        const std::string path = m_folder.Write("trace", text);
        auto rates =
            MakeRates(OpenOpportunityTrace(path, Options("loop", 0.333)), Seconds(interval));
        const auto found = CountBytes(*rates, bytes.size());
        for (std::size_t s = 0; s < bytes.size(); ++s)
        {
            EXPECT_NEAR(found[s], bytes[s], 1e-6 * bytes[s]) << interval << ", second " << s;
        }
    }
}

TEST_F(TraceReplayTest, ReplaysTheLoadOfADevice)
{
    const std::string path =
        m_folder.Write("load.csv", "# office hours\nseconds,share\n0,1\n10,0.25\n20,0\n");
    EXPECT_EQ(TakeSteps(*OpenLoadTrace(path, Options("loop", 5)), 4),
              (Steps{{0, 1}, {5, 0.25}, {15, 0}, {25, 1}}));
    EXPECT_EQ(TakeSteps(*OpenLoadTrace(path, Options("hold", 0, 3)), 4),
              (Steps{{0, 1}, {10, 0.25}, {20, 0}}));
}

TEST_F(TraceReplayTest, EndsALoopBeforeTheClockDoes)
{
    auto source =
        OpenRateTrace(m_folder.Write("trace", "0 1\n5e8 1\n1e9 2\n"), TraceDirection::UP, {});
    Time last = NanoSeconds(-1);
    std::size_t count = 0;
    for (TraceStep step; source->Next(step); last = step.time)
    {
        ASSERT_GT(step.time, last);
        ASSERT_LT(++count, 100u);
    }
    EXPECT_GT(last, Seconds(7e9));
    const std::string text = "1000000000000\n";
    EXPECT_EQ(PlayOpportunities(text, Options("loop"), 100).size(), 9u);
}

TEST_F(TraceReplayTest, SharesARecordingUntilItsFileIsWrittenAnew)
{
    const auto path = m_folder.Write("trace", "0 1\n1 2\n");
    const auto first = ReadRecording(path, TraceDirection::UP, {});
    EXPECT_EQ(ReadRecording(path, TraceDirection::UP, {}), first);
    m_folder.Write("trace", "0 1\n1 2\n2 30\n");
    EXPECT_EQ(ReadRecording(path, TraceDirection::UP, {})->rows.back().value, 30e6);
    EXPECT_EQ(first->rows.back().value, 2e6);
}

TEST_F(TraceReplayTest, RefusesMoreThanMemoryShouldHold)
{
    const auto path = m_folder.Write("trace", "0 1\n");
    std::filesystem::resize_file(path, 300'000'000);
    EXPECT_EQ(m_folder.MessageOf([&] { OpenRateTrace(path, TraceDirection::UP, {}); }),
              "trace: found 300000000 bytes, expected at most 268435456");
}

TEST(TraceShippedTest, EveryRecordingInTheTreeIsReadable)
{
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(EDGEPIPE_ROOT "/traces/bandwidth"))
    {
        if (entry.path().extension() != ".csv")
        {
            continue;
        }
        const TraceSummary summary = CheckTrace(entry.path().string(), TraceDirection::UP, {});
        EXPECT_EQ(summary.format, TraceFormat::CSV) << entry.path();
        EXPECT_GE(summary.durationSeconds, 1) << entry.path();
        EXPECT_GT(summary.meanBitsPerSecond, 1e4) << entry.path();
        ++count;
    }
    EXPECT_GE(count, 10u);
}
