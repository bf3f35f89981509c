// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-fixture.h"
#include "test.h"

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// @param ordinary how many runs an ordinary test makes
/// @return that, or what the environment variable EDGEPIPE_LOSS_RUNS says
uint32_t
CountRuns(uint32_t ordinary)
{
    const char* wanted = std::getenv("EDGEPIPE_LOSS_RUNS");
    return wanted ? std::max(1, std::atoi(wanted)) : ordinary;
}

/// Run small trainings with different seeds over a network that loses packets, and expect each to
/// finish with nothing missing or to say why not.
/// @return how many finished
uint32_t
RunLossy(const NetworkOptions& network, uint32_t runs)
{
    uint32_t finished = 0;
    Time longest;
    uint64_t events = 0;
    for (uint32_t run = 1; run <= runs; ++run)
    {
        SCOPED_TRACE(testing::Message() << "run " << run);
        const uint32_t stages = 3 + run % 2;
        Pipeline pipeline(std::vector<double>(stages, 0.01),
                          std::vector<double>(stages, 0.02),
                          20000 * (1 + run % 10),
                          4);
        pipeline.options.network = network;
        pipeline.options.network.fidelity = "packet";
        pipeline.options.network.lossRate = 0.01;
        pipeline.options.schedule = run % 3 ? "1f1b" : "gpipe";
        pipeline.options.stallTimeout = Seconds(60);
        RngSeedManager::SetRun(run);
        const auto result = pipeline.Run();
        longest = std::max(longest, result.end);
        events += result.events;
        if (result.finished)
        {
            ++finished;
            EXPECT_TRUE(result.diagnosis.empty());
            EXPECT_EQ(Count(result, PipelineTag::ACTIVATIONS), 4 * (stages - 1));
            EXPECT_EQ(Count(result, PipelineTag::GRADIENTS), 4 * (stages - 1));
            EXPECT_EQ(Count(result, PipelineTag::BACKWARD), 4 * stages);
        }
        else
        {
            EXPECT_NE(ShowDiagnosis(result).find("waits for"), std::string::npos)
                << "not finished, and nobody says why";
            std::cout << "run " << run << " has stalled:\n" << ShowDiagnosis(result);
        }
    }
    RngSeedManager::SetRun(1);
    std::cout << finished << " of " << runs << " finished, the longest after "
              << longest.As(Time::S) << ", " << events << " events" << std::endl;
    return finished;
}

} // namespace

TEST(Loss, RunsOnALanThatLosesPacketsFinish)
{
    const uint32_t runs = CountRuns(40);
    NetworkOptions lan;
    lan.link = "lan";
    EXPECT_EQ(RunLossy(lan, runs), runs);
}

TEST(Loss, RunsOnWifiWithinItsRangeFinish)
{
    const uint32_t runs = CountRuns(10);
    NetworkOptions wifi;
    wifi.link = "wifi";
    wifi.distanceMeters = 20;
    EXPECT_GE(RunLossy(wifi, runs), runs - runs / 20);
}

TEST(Loss, RunsOnWifiOutOfItsRangeSayThatNothingMoves)
{
    NetworkOptions wifi;
    wifi.link = "wifi";
    wifi.distanceMeters = 52;
    EXPECT_EQ(RunLossy(wifi, 2), 0U);
}

TEST(Loss, RunsOnWifiAtTheEdgeOfItsRangeFinishOrSayWhyNot)
{
    NetworkOptions wifi;
    wifi.link = "wifi";
    // ns-3 detects no preamble below -82 dBm, which is the level at 51.4 m.
    wifi.distanceMeters = 51.4;
    const uint32_t runs = CountRuns(10);
    EXPECT_GE(RunLossy(wifi, runs), runs / 2);
}

TEST(Loss, AStationThatMissesWhoHasRequestsIsAskedAgain)
{
    // With 40% loss, a neighbour misses all four requests of a round in about one run of five.
    const uint32_t runs = 30;
    uint32_t finished = 0;
    for (uint32_t run = 1; run <= runs; ++run)
    {
        Pipeline pipeline({0.01, 0.01, 0.01}, {0.01, 0.01, 0.01}, 5000, 2);
        pipeline.options.network.link = "wifi";
        pipeline.options.network.distanceMeters = 20;
        pipeline.options.network.lossRate = 0.4;
        RngSeedManager::SetRun(run);
        const auto result = pipeline.Run();
        finished += result.finished;
        EXPECT_EQ(result.finished, result.diagnosis.empty());
    }
    RngSeedManager::SetRun(1);
    EXPECT_GE(finished, 27U);
}
