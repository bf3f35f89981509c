// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"

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
        pipeline.options.Set("StallMonitor::Timeout", Seconds(60));
        RngSeedManager::SetRun(run);
        const auto result = pipeline.Run();
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
        }
    }
    return finished;
}

} // namespace

TEST(Loss, RunsThatLosePacketsFinishOrSayWhyNot)
{
    NetworkOptions options;
    EXPECT_EQ(RunLossy(options, CountRuns(20)), CountRuns(20));
    const uint32_t runs = CountRuns(10);
    options.SetLink("wifi");
    options.Set("Distance", DoubleValue(20));
    EXPECT_GE(RunLossy(options, runs), runs - runs / 20);
    // ns-3 detects no preamble below -82 dBm, which is the level at 51.4 m.
    options.Set("Distance", DoubleValue(51.4));
    EXPECT_GE(RunLossy(options, runs), runs / 2);
    options.Set("Distance", DoubleValue(52));
    EXPECT_EQ(RunLossy(options, 2), 0U);
}

TEST(Loss, AStationThatMissesWhoHasRequestsIsAskedAgain)
{
    // With 40% loss, a neighbour misses all four requests of a round in about one run of five.
    const uint32_t runs = 30;
    uint32_t finished = 0;
    for (uint32_t run = 1; run <= runs; ++run)
    {
        Pipeline pipeline({0.01, 0.01, 0.01}, {0.01, 0.01, 0.01}, 5000, 2);
        SetKind(pipeline.options.network, "wifi");
        pipeline.options.network.Set("Distance", DoubleValue(20));
        pipeline.options.network.lossRate = 0.4;
        RngSeedManager::SetRun(run);
        const auto result = pipeline.Run();
        finished += result.finished;
        EXPECT_EQ(result.finished, result.diagnosis.empty());
    }
    EXPECT_GE(finished, 27U);
}
