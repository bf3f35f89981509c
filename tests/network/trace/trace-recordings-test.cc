// SPDX-License-Identifier: GPL-2.0-only

// Recordings in the formats of others, read here a second time and in the simplest way.

#include "recording-bytes.h"
#include "test.h"
#include "trace-support.h"

namespace
{

/** A value of a recording and how long it holds. */
struct Piece
{
    double start;  //!< s
    double length; //!< s
    double rate;   //!< bit/s
};

/// @return the pieces, the last as long as the one before it
std::vector<Piece>
ReadPieces(const std::string& path, TraceDirection direction)
{
    const RecordingBytes read(path, direction == TraceDirection::UP);
    const auto& times = read.times;
    std::vector<Piece> pieces;
    const std::size_t last = times.size() - 1;
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        const double length = i < last ? times[i + 1] - times[i] : times[last] - times[last - 1];
        pieces.push_back({times[i] - times[0], length, read.rates[i]});
    }
    return pieces;
}

/// @param pieces a recording that starts over at its end
/// @return bytes until then
double
CountBytesUntil(const std::vector<Piece>& pieces, double time)
{
    const double period = pieces.back().start + pieces.back().length;
    const double passes = std::floor(time / period);
    double whole = 0;
    double part = 0;
    for (const Piece& piece : pieces)
    {
        whole += piece.rate / 8 * piece.length;
        const double share = time - passes * period - piece.start;
        part += piece.rate / 8 * std::min(std::max(share, 0.0), piece.length);
    }
    return passes * whole + part;
}

/// @return paths of its recordings
std::set<std::string>
List(const std::string& format)
{
    std::set<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(EDGEPIPE_ROOT "/tests/recordings/" + format))
    {
        files.insert(entry.path().string());
    }
    EXPECT_FALSE(files.empty());
    return files;
}

/// Expect the recording's bytes of every second, over loops.
void
Compare(const std::string& file, TraceDirection direction)
{
    SCOPED_TRACE(file);
    const auto pieces = ReadPieces(file, direction);
    ASSERT_GT(pieces.size(), 40u);
    const double period = pieces.back().start + pieces.back().length;
    const double mean = 8 * CountBytesUntil(pieces, period) / period;
    const TraceSummary summary = CheckTrace(file, direction, {});
    EXPECT_NEAR(summary.durationSeconds, period, 1e-6);
    EXPECT_NEAR(summary.meanBitsPerSecond, mean, 1e-6 * mean);

    const std::size_t seconds = 2.4 * period;
    const std::vector<double> bytes = CountBytes(*OpenRateTrace(file, direction, {}), seconds);
    for (std::size_t s = 0; s < seconds; ++s)
    {
        const double expected = CountBytesUntil(pieces, s + 1) - CountBytesUntil(pieces, s);
        ASSERT_NEAR(bytes[s], expected, 1 + 1e-6 * expected) << "second " << s;
    }
}

} // namespace

TEST(TraceRecordings, OfMahimahiDeliverEveryOpportunityAtItsTimeOverLoops)
{
    for (const std::string& path : List("mahimahi"))
    {
        SCOPED_TRACE(path);
        std::vector<double> lines;
        std::ifstream file(path);
        for (double milliseconds; file >> milliseconds;)
        {
            lines.push_back(milliseconds);
        }
        ASSERT_GT(lines.size(), 1000u);
        const double period = lines.back();

        std::vector<double> expected;
        for (int pass = 0; pass < 3; ++pass)
        {
            for (double line : lines)
            {
                expected.push_back(pass * period + line);
            }
        }
        const auto source = OpenOpportunityTrace(path, {});
        EXPECT_EQ(TakeMilliseconds(*source, expected.size()), expected);

        const std::size_t seconds = 2.4 * period / 1000;
        std::vector<double> bytes(seconds, 0.0);
        for (double time : expected)
        {
            if (time < 1000.0 * seconds)
            {
                bytes[std::floor(time / 1000)] += 1500;
            }
        }
        const auto rates = MakeRates(OpenOpportunityTrace(path, {}), Seconds(1));
        const std::vector<double> found = CountBytes(*rates, seconds);
        for (std::size_t s = 0; s < seconds; ++s)
        {
            ASSERT_NEAR(found[s], bytes[s], 1e-6) << "second " << s;
        }

        const TraceSummary summary = CheckTrace(path, TraceDirection::UP, {});
        EXPECT_EQ(summary.format, TraceFormat::MAHIMAHI);
        EXPECT_DOUBLE_EQ(summary.durationSeconds, period / 1000);
        EXPECT_NEAR(summary.meanBitsPerSecond, lines.size() * 12e6 / period, 1);
    }
}

TEST(TraceRecordings, OfPensieveDeliverTheBytesOfEverySecondOverLoops)
{
    for (const std::string& path : List("pensieve"))
    {
        Compare(path, TraceDirection::UP);
        EXPECT_EQ(CheckTrace(path, TraceDirection::UP, {}).format, TraceFormat::PENSIEVE);
    }
}

TEST(TraceRecordings, OfGnettrackDeliverTheBytesOfEverySecondInBothDirectionsOverLoops)
{
    for (const std::string& path : List("gnettrack"))
    {
        Compare(path, TraceDirection::UP);
        Compare(path, TraceDirection::DOWN);
        EXPECT_EQ(CheckTrace(path, TraceDirection::UP, {}).format, TraceFormat::GNETTRACK);
    }
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
    EXPECT_GE(count, 11u);
}
