/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Recordings of any size cost the same: memory and open files.

#include "profile/input-test-support.h"

#include "ns3/edgepipe-trace.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/** Writes recordings. */
class TraceMemoryTest : public ::testing::Test
{
  protected:
    TemporaryFolder m_folder; //!< for the recordings
};

/**
 * Run something in a process of its own.
 *
 * @param action what to run
 * @return bytes by which its peak memory has grown, or -1 if it failed
 */
int64_t
MeasureGrowth(const std::function<bool()>& action)
{
    int ends[2];
    if (pipe(ends) != 0)
    {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0)
    {
        const auto peak = [] {
            rusage usage;
            getrusage(RUSAGE_SELF, &usage);
            return int64_t{usage.ru_maxrss} * 1024;
        };
        const int64_t before = peak();
        const int64_t growth = action() ? peak() - before : -1;
        _exit(write(ends[1], &growth, sizeof(growth)) == sizeof(growth) ? 0 : 1);
    }
    int64_t growth = -1;
    const bool isRead = read(ends[0], &growth, sizeof(growth)) == sizeof(growth);
    close(ends[0]);
    close(ends[1]);
    waitpid(child, nullptr, 0);
    return isRead ? growth : -1;
}

} // namespace

TEST_F(TraceMemoryTest, ReadsAGigabyteOfOneLineInLittleMemory)
{
    const std::string path = m_folder.Write("digits", std::string(20000, '7'));
    const std::string hole = m_folder.Write("hole", "1\n2\n");
    std::filesystem::resize_file(path, 1'000'000'000);
    std::filesystem::resize_file(hole, 1'000'000'000);
    for (const std::string& file : {path, hole})
    {
        const int64_t growth = MeasureGrowth([&] {
            const std::string message =
                m_folder.MessageOf([&] { CheckTrace(file, TraceDirection::UP, {}); });
            return message.find("found a line longer than 8192 bytes") != std::string::npos;
        });
        EXPECT_GE(growth, 0) << file;
        // The first exception of a process touches some megabytes of its libraries.
        EXPECT_LT(growth, 20'000'000) << file;
    }
}

TEST_F(TraceMemoryTest, ReplaysAnyNumberOfLinesInLittleMemory)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "AddressSanitizer keeps what is freed";
#endif
    const std::string path = m_folder.GetPath() + "/long";
    {
        std::ofstream file(path);
        for (int i = 0; i < 3'000'000; ++i)
        {
            file << i << " 1.5\n";
        }
    }
    ASSERT_GT(std::filesystem::file_size(path), 30'000'000u);
    const int64_t growth = MeasureGrowth([&] {
        const auto source = OpenRateTrace(path, TraceDirection::UP, {});
        TraceStep step;
        int count = 0;
        for (; count < 4'000'000 && source->Next(step); ++count)
        {
        }
        return count == 4'000'000;
    });
    EXPECT_GE(growth, 0);
    EXPECT_LT(growth, 8'000'000);
}

TEST_F(TraceMemoryTest, HoldsNoFileOpenBetweenReads)
{
    const std::string path = m_folder.Write("trace", "0 1\n1 2\n");
    std::vector<std::unique_ptr<StepSource>> sources;
    for (int i = 0; i < 3000; ++i)
    {
        sources.push_back(OpenRateTrace(path, TraceDirection::UP, {}));
    }
    TraceStep step;
    for (auto& source : sources)
    {
        ASSERT_TRUE(source->Next(step));
    }
}
