// SPDX-License-Identifier: GPL-2.0-only

#include "application/pipeline/pipeline-fixture.h"
#include "data-parallel-fixture.h"
#include "links.h"

#include <algorithm>

namespace
{

/// When bandwidth changes.
const Time CHANGE = Seconds(3);

/** Shares that follow the bandwidth that monitors estimate, at one level. */
class DataParallelMonitors : public BothFidelities
{
  protected:
    /// @param workers how many, alike, of 1 ms a sample and the same memory whatever the share; on
    ///        wires of 100 Mbit/s, whose 94.1 Mbit/s of payload gradients of 0.25 MB take 21.2 ms
    ///        of
    /// @return them, with an oracle
    DataParallelCase Make(uint32_t workers, uint64_t baseBatch) const
    {
        DataParallelCase one(workers, 250000, 1e-3);
        for (auto& node : one.nodes)
        {
            node.cost.activationBytes = 0;
        }
        one.network.fidelity = GetParam();
        SetRate(one.network, 100e6);
        one.monitor = "oracle";
        one.Set("DataParallelHelper::ReplanThreshold", 0.1);
        one.planner = "optimal";
        one.Set("DataParallelHelper::Exchange", "parameter-server");
        one.Set("DataParallelHelper::BaseBatch", baseBatch);
        one.SetUpdateInterval(MilliSeconds(200));
        one.Set("DataParallelWorker::Iterations", 40);
        return one;
    }

    /// @param one three workers; worker-1's wire is set to have 20 Mbit/s, both ways, from CHANGE
    ///        on
    static void SlowDownOne(DataParallelCase& one)
    {
        NetworkOptions slow = one.network;
        SetLaterRates(slow, {{CHANGE, 20e6}});
        one.network.groups = {{"", {"worker-0", "worker-2"}, one.network.groups.front().link},
                              {"", {"worker-1"}, slow.groups.front().link}};
    }
};

INSTANTIATE_PACKETS_LONG(DataParallelMonitors);

/// @return times of its last ten updates in ascending order, s
std::vector<double>
SortLastUpdates(const DataParallelResult& result)
{
    const auto& updates = result.updates;
    std::vector<double> seconds;
    for (std::size_t i = updates.size() - 10; i < updates.size(); ++i)
    {
        seconds.push_back((updates[i].end - updates[i - 1].end).GetSeconds());
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds;
}

/// @return their mean
double
GetLastUpdates(const DataParallelResult& result)
{
    return Sum(SortLastUpdates(result)) / 10;
}

} // namespace

TEST_P(DataParallelMonitors, GiveAWorkerFarFromTheServerLess)
{
    for (const char* monitor : {"oracle", "probe", "passive"})
    {
        SCOPED_TRACE(monitor);
        auto one = Make(2, 600);
        one.monitor = monitor;
        SetLaterRates(one.network, {{CHANGE, 20e6}});
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished);
        // Weights and gradients take the second worker twice 21.2 ms, and 106.2 ms in the end, in
        // which the server computes so many more samples; what changes by up to a tenth is left.
        const auto& first = result.shares.at(1).samples;
        EXPECT_LT(result.shares[1].decided, CHANGE);
        EXPECT_NEAR(first[0], 321, 3);
        const auto& last = result.shares.back().samples;
        EXPECT_GT(result.shares.back().decided, CHANGE);
        EXPECT_NEAR(last[0], 405, 11);
        EXPECT_EQ(last[0] + last[1], 600U);
        EXPECT_LE(result.plans, 10U);
        // What the upload took is half of it. A probe's bytes may delay an update.
        one.monitor = "none";
        EXPECT_LT(SortLastUpdates(result)[5], 0.93 * SortLastUpdates(one.Run())[5]);
        EXPECT_EQ(ShowDataParallel(result), [&] {
            one.monitor = monitor;
            return ShowDataParallel(one.Run());
        }());
    }
}

TEST_P(DataParallelMonitors, HaveBnoWeighBandwidth)
{
    auto one = Make(3, 480);
    SlowDownOne(one);
    one.planner = "bno";
    one.Set("DataParallelHelper::Normalize", true);
    const auto server = one.Run();
    ASSERT_TRUE(server.isFinished);
    const auto expect = [](const std::vector<uint64_t>& found, std::vector<uint64_t> expected) {
        for (std::size_t i = 0; i < expected.size(); ++i)
        {
            EXPECT_NEAR(found[i], expected[i], 4) << "worker " << i;
        }
    };
    // A third by speed and two by memory, and what a worker's response time is less than the
    // longest: all of it for the server, four fifths for the last worker in the end.
    expect(server.shares.at(1).samples, {240, 120, 120});
    expect(server.shares.back().samples, {200, 100, 180});
    // In a ring worker-0 sends to worker-1, and that one is as slow to receive.
    one.Set("DataParallelHelper::Exchange", "ring");
    one.Set("DataParallelHelper::BaseBatch", 380);
    const auto ring = one.Run();
    ASSERT_TRUE(ring.isFinished);
    expect(ring.shares.front().samples, {127, 127, 126});
    expect(ring.shares.back().samples, {100, 100, 180});
    // That is in vain there: one computes 180 samples, and not 127.
    one.planner = "equal";
    EXPECT_GT(GetLastUpdates(ring), 1.1 * GetLastUpdates(one.Run()));
}

TEST_P(DataParallelMonitors, FindThatNoShareMakesUpForASlowLinkInARing)
{
    auto one = Make(3, 300);
    SlowDownOne(one);
    // Of a third of the gradients a step takes 7.1 ms on a fast link, and 35.4 ms on the slow one.
    // From a worker's gradients to its weights the longest way of four steps goes over every link
    // once and over the slowest once more.
    auto& slow = one.network.groups.back();
    NetworkOptions bearer;
    bearer.SetLink("trace",
                   "Bandwidth",
                   RateStepsValue({100e6, {{CHANGE, 20e6}}}),
                   "DownlinkBandwidth",
                   RateStepsValue(100e6),
                   "Delay",
                   TimeValue(MicroSeconds(10)));
    slow.link = bearer.groups.front().link;
    one.Set("DataParallelHelper::Exchange", "ring");
    const auto optimal = one.Run();
    ASSERT_TRUE(optimal.isFinished);
    EXPECT_GE(optimal.plans, 2U); // the bandwidth has changed, and shares have not
    EXPECT_EQ(optimal.shares.back().samples, (std::vector<uint64_t>{100, 100, 100}));
    EXPECT_NEAR(GetLastUpdates(optimal), 0.1 + 2 * (0.0071 + 0.0354), 3e-3);
    const std::vector<std::vector<uint64_t>> tried{{110, 80, 110}, {80, 110, 110}, {90, 120, 90}};
    const auto measure = [&one](const std::vector<uint64_t>& shares) {
        one.planner = "given-shares";
        GivenSharesPlanner::decide = [=](const BatchSharesProblem&) { return shares; };
        const auto given = one.Run();
        EXPECT_EQ(given.shares.back().samples, shares);
        return GetLastUpdates(given);
    };
    for (const auto& shares : tried)
    {
        // So many samples of 1 ms more does one of them compute.
        EXPECT_NEAR(measure(shares) - GetLastUpdates(optimal),
                    1e-3 * (*std::max_element(shares.begin(), shares.end()) - 100),
                    3e-3);
    }
    // Where it is as slow to receive, two of the ring's links are slow. What then takes longest
    // goes by turns from it to one that it hears from or sends to, and back: less for it gains a
    // little.
    slow.link = one.network.groups.front().link;
    slow.Set("Bandwidth", RateStepsValue({100e6, {{CHANGE, 20e6}}}));
    const double equal = measure({100, 100, 100});
    double best = equal;
    for (const auto& shares : tried)
    {
        best = std::min(best, measure(shares));
    }
    EXPECT_LT(best, 0.99 * equal);
    EXPECT_GT(best, 0.97 * equal);
}

TEST_P(DataParallelMonitors, DecideEveryPeriodWhateverChanges)
{
    auto one = Make(2, 200);
    one.Set("DataParallelHelper::ReplanThreshold", 10);
    EXPECT_EQ(one.Run().plans, 1U);
    one.Set("Replanner::ReplanPeriod", Seconds(1));
    const auto often = one.Run();
    EXPECT_NEAR(often.plans, 1 + often.end.GetSeconds(), 1);
}

TEST_P(DataParallelMonitors, TellThePlannerWhatTheyEstimate)
{
    auto one = Make(3, 60);
    SlowDownOne(one);
    one.planner = "given-shares";
    one.Set("DataParallelHelper::ReplanThreshold", 0);
    one.Set("DataParallelWorker::Iterations", 60);
    std::vector<DeviceState> told;
    GivenSharesPlanner::decide = [&](const BatchSharesProblem& problem) {
        told = GivenSharesPlanner::state.devices;
        return std::vector<uint64_t>{20, 20, 20};
    };
    ASSERT_TRUE(one.Run().isFinished);
    ASSERT_EQ(told.size(), 3U);
    EXPECT_FALSE(told[0].uplinkBitsPerSecond); // it sends to nobody
    EXPECT_NEAR(*told[1].uplinkBitsPerSecond, 18.83e6, 0.1e6);
    EXPECT_NEAR(*told[1].downlinkBitsPerSecond, 18.83e6, 0.1e6);
    EXPECT_NEAR(*told[2].uplinkBitsPerSecond, 94.1e6, 0.5e6);
}

TEST_P(DataParallelMonitors, WatchTheRingOfThoseThatAreLeft)
{
    for (const char* monitor : {"probe", "passive"})
    {
        SCOPED_TRACE(monitor);
        auto one = Make(3, 480);
        SlowDownOne(one);
        one.monitor = monitor;
        one.Set("DataParallelHelper::Exchange", "ring");
        one.planner = "bno";
        one.Set("DataParallelHelper::Normalize", true);
        one.Set("DataParallelWorker::Iterations", 100);
        one.nodes[1].leave = Seconds(12);
        const auto result = one.Run();
        ASSERT_TRUE(result.isFinished);
        EXPECT_EQ(result.shares.back().samples[1], 0U);
        // Both of those that are left have a fast wire to each other.
        EXPECT_NEAR(result.shares.back().samples[0], 240, 12);
    }
}
