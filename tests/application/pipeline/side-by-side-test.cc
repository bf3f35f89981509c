// SPDX-License-Identifier: GPL-2.0-only

#include "links.h"
#include "pipeline-fixture.h"

namespace
{

/** @return three unequal stages on a slow network, of two iterations */
Pipeline
ThreeStages()
{
    Pipeline pipeline({0.01, 0.03, 0.02}, {0.02, 0.05, 0.04}, 40000, 4);
    SetRate(pipeline.options.network, 1e7);
    pipeline.options.Set("PipelineCoordinator::Iterations", 2);
    return pipeline;
}

/// @return what comes of it
SideBySideResult
RunSites(const Pipeline& pipeline, uint32_t sites)
{
    std::vector<PipelineOnNetwork> pipelines;
    std::vector<std::string> names;
    for (uint32_t i = 0; i < sites; ++i)
    {
        pipelines.push_back(
            {&pipeline.problem, &pipeline.plan, static_cast<uint32_t>(names.size())});
        for (const auto& device : pipeline.problem.devices)
        {
            names.push_back("site-" + std::to_string(i) + "/" + device.name);
        }
    }
    return RunSideBySide(pipelines, names, pipeline.options);
}

} // namespace

TEST(SideBySide, PipelinesThatShareNothingTakeAsLongAsOneAlone)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        for (const char* link : {"lan", "p2p"})
        {
            SCOPED_TRACE(std::string(fidelity) + ", " + link);
            Pipeline pipeline = ThreeStages();
            pipeline.options.network.fidelity = fidelity;
            SetKind(pipeline.options.network, link);
            const auto alone = pipeline.Run();
            const auto all = RunSites(pipeline, 4);
            ASSERT_EQ(all.pipelines.size(), 4U);
            for (const auto& one : all.pipelines)
            {
                EXPECT_TRUE(one.finished);
                EXPECT_NEAR(one.GetMeanIterationSeconds(), alone.GetMeanIterationSeconds(), 1e-9);
                EXPECT_NEAR(one.GetMeanBubbleRate(), alone.GetMeanBubbleRate(), 1e-9);
            }
            EXPECT_GT(alone.GetMeanBubbleRate(), 0);
            // An assignment tells device numbers, which have more digits further on.
            EXPECT_NEAR(all.bytesMoved, 4 * alone.bytesMoved, 100);
            EXPECT_EQ(all.transfers, 4 * alone.transfers);
            EXPECT_EQ(all.devices.size(), 12U);
            EXPECT_EQ(all.devices[10].stage, 1);
            EXPECT_NEAR(all.devices[10].busySeconds, alone.devices[1].busySeconds, 1e-9);
        }
    }
}

TEST(SideBySide, PipelinesThatShareAWifiCellSlowEachOther)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        SCOPED_TRACE(fidelity);
        Pipeline pipeline({0.001, 0.001}, {0.001, 0.001}, 400000, 4);
        pipeline.options.network.fidelity = fidelity;
        SetKind(pipeline.options.network, "wifi");
        pipeline.options.network.Set("WifiCapacity",
                                     StringValue(EDGEPIPE_ROOT "/traces/links/wifi-capacity.csv"));
        const auto alone = pipeline.Run();
        const auto both = RunSites(pipeline, 2);
        ASSERT_TRUE(alone.finished);
        for (const auto& one : both.pipelines)
        {
            ASSERT_TRUE(one.finished);
            EXPECT_GT(one.GetMeanIterationSeconds(), 1.4 * alone.GetMeanIterationSeconds());
        }
    }
}

TEST(SideBySide, PipelinesMayDiffer)
{
    const Pipeline fast({0.01, 0.01}, {0.01, 0.01}, 1000, 3);
    const Pipeline slow({0.1, 0.2, 0.1}, {0.1, 0.2, 0.1}, 1000, 5);
    const auto result =
        RunSideBySide({{&slow.problem, &slow.plan, 0}, {&fast.problem, &fast.plan, 3}},
                      {"a", "b", "c", "d", "e"},
                      fast.options);
    EXPECT_NEAR(result.pipelines[0].GetMeanIterationSeconds(),
                slow.Run().GetMeanIterationSeconds(),
                1e-9);
    EXPECT_NEAR(result.pipelines[1].GetMeanIterationSeconds(),
                fast.Run().GetMeanIterationSeconds(),
                1e-9);
}

TEST(SideBySide, APipelineThatStallsIsNamedAndLeavesTheOthersAlone)
{
    Pipeline pipeline = ThreeStages();
    SetKind(pipeline.options.network, "lan");
    pipeline.options.network.cutDevice = "site-1/device-2";
    pipeline.options.network.cutTime = Seconds(0.3);
    pipeline.options.Set("StallMonitor::Timeout", Seconds(5));
    const auto result = RunSites(pipeline, 3);
    EXPECT_TRUE(result.pipelines[0].finished);
    EXPECT_FALSE(result.pipelines[1].finished);
    EXPECT_TRUE(result.pipelines[2].finished);
    ASSERT_FALSE(result.diagnosis.empty());
    for (const auto& line : result.diagnosis)
    {
        EXPECT_NE(line.find("site-1/"), std::string::npos) << line;
    }
}

TEST(SideBySide, APipelineThatIsRefusedLeavesTheOthersAlone)
{
    const Pipeline fits = ThreeStages();
    Pipeline large = ThreeStages();
    for (auto& device : large.problem.devices)
    {
        device.memoryBytes = 81999; // 2000 of weights and gradients, 40000 twice at work
    }
    const auto result =
        RunSideBySide({{&large.problem, &large.plan, 0}, {&fits.problem, &fits.plan, 3}},
                      {"a", "b", "c", "d", "e", "f"},
                      fits.options);
    EXPECT_FALSE(result.pipelines[0].finished);
    EXPECT_TRUE(result.pipelines[1].finished);
    ASSERT_EQ(result.diagnosis.size(), 1U);
    EXPECT_NE(result.diagnosis[0].find("tensors at work need 82000 bytes"), std::string::npos)
        << result.diagnosis[0];
}

TEST(SideBySide, WithoutDetailsTheFiguresAreTheSame)
{
    Pipeline pipeline = ThreeStages();
    const auto whole = pipeline.Run();
    pipeline.options.details = false;
    const auto brief = pipeline.Run();
    EXPECT_TRUE(whole.timeline);
    EXPECT_FALSE(brief.timeline);
    EXPECT_EQ(brief.GetMeanIterationSeconds(), whole.GetMeanIterationSeconds());
    EXPECT_EQ(brief.GetMeanBubbleRate(), whole.GetMeanBubbleRate());
    EXPECT_EQ(brief.bytesMoved, whole.bytesMoved);
    EXPECT_EQ(brief.events, whole.events);
}
