// SPDX-License-Identifier: GPL-2.0-only

// Recordings in the formats of others, read here a second time and in the simplest way.

#include "test.h"
#include "trace-support.h"

#include "ns3/edgepipe-trace.h"

#include <cstdio>
#include <ctime>

using namespace ns3;
using namespace ns3::edgepipe;

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
MakePieces(const std::vector<double>& times, const std::vector<double>& rates)
{
    std::vector<Piece> pieces;
    const std::size_t last = times.size() - 1;
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        const double length = i < last ? times[i + 1] - times[i] : times[last] - times[last - 1];
        pieces.push_back({times[i] - times[0], length, rates[i]});
    }
    return pieces;
}

/// @return its pieces
std::vector<Piece>
ReadPensieve(const std::string& path)
{
    std::vector<double> times;
    std::vector<double> rates;
    std::ifstream file(path);
    for (double time, megabits; file >> time >> megabits;)
    {
        times.push_back(time);
        rates.push_back(1e6 * megabits);
    }
    return MakePieces(times, rates);
}

/// @return its pieces
std::vector<Piece>
ReadGnettrack(const std::string& path, const std::string& name)
{
    const auto split = [](const std::string& line) {
        std::vector<std::string> fields;
        std::istringstream stream(line);
        for (std::string field; std::getline(stream, field, ',');)
        {
            fields.push_back(field);
        }
        return fields;
    };
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> header = split(line);
    const auto column = std::find(header.begin(), header.end(), name) - header.begin();
    std::map<double, std::vector<double>> bySecond;
    while (std::getline(file, line))
    {
        std::tm t{};
        EXPECT_EQ(std::sscanf(line.c_str(),
                              "%d.%d.%d_%d.%d.%d",
                              &t.tm_year,
                              &t.tm_mon,
                              &t.tm_mday,
                              &t.tm_hour,
                              &t.tm_min,
                              &t.tm_sec),
                  6);
        t.tm_year -= 1900;
        t.tm_mon -= 1;
        const std::string value = split(line)[column];
        if (value != "-")
        {
            bySecond[timegm(&t)].push_back(1e3 * std::stod(value));
        }
    }
    std::vector<double> times;
    std::vector<double> rates;
    for (const auto& [second, values] : bySecond)
    {
        double sum = 0;
        for (double value : values)
        {
            sum += value;
        }
        times.push_back(second);
        rates.push_back(sum / values.size());
    }
    return MakePieces(times, rates);
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

/** Recordings of one folder. */
class TraceRecordingsTest : public ::testing::TestWithParam<const char*>
{
  protected:
    void SetUp() override
    {
        const std::filesystem::path folder =
            std::filesystem::path(EDGEPIPE_ROOT) / "tests" / "recordings" / GetParam();
        for (const auto& entry : std::filesystem::directory_iterator(folder))
        {
            m_files.insert(entry.path().string());
        }
        ASSERT_FALSE(m_files.empty());
    }

    void Compare(const std::string& file,
                 TraceDirection direction,
                 const std::vector<Piece>& pieces)
    {
        SCOPED_TRACE(file);
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

    std::set<std::string> m_files; //!< paths
};

class TraceMahimahiRecordingsTest : public TraceRecordingsTest
{
};

class TracePensieveRecordingsTest : public TraceRecordingsTest
{
};

class TraceGnettrackRecordingsTest : public TraceRecordingsTest
{
};

} // namespace

TEST_P(TraceMahimahiRecordingsTest, DeliverEveryOpportunityAtItsTimeOverLoops)
{
    for (const std::string& path : m_files)
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

INSTANTIATE_TEST_SUITE_P(Shipped, TraceMahimahiRecordingsTest, ::testing::Values("mahimahi"));

TEST_P(TracePensieveRecordingsTest, DeliverTheBytesOfEverySecondOverLoops)
{
    for (const std::string& path : m_files)
    {
        Compare(path, TraceDirection::UP, ReadPensieve(path));
        EXPECT_EQ(CheckTrace(path, TraceDirection::UP, {}).format, TraceFormat::PENSIEVE);
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped, TracePensieveRecordingsTest, ::testing::Values("pensieve"));

TEST_P(TraceGnettrackRecordingsTest, DeliverTheBytesOfEverySecondInBothDirectionsOverLoops)
{
    for (const std::string& path : m_files)
    {
        Compare(path, TraceDirection::UP, ReadGnettrack(path, "UL_bitrate"));
        Compare(path, TraceDirection::DOWN, ReadGnettrack(path, "DL_bitrate"));
        EXPECT_EQ(CheckTrace(path, TraceDirection::UP, {}).format, TraceFormat::GNETTRACK);
    }
}

INSTANTIATE_TEST_SUITE_P(Shipped, TraceGnettrackRecordingsTest, ::testing::Values("gnettrack"));

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
