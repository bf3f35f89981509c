// SPDX-License-Identifier: GPL-2.0-only

#include "application/data-parallel/data-parallel-fixture.h"
#include "application/inference/inference-fixture.h"
#include "application/pipeline/replan-fixture.h"
#include "links.h"

namespace
{

/// From here on a lone transfer gets less of every link but those with competitors, s.
constexpr double CHANGED = 3;

/** What makes links worse during a run; actors and learner meet the same in ActorReplanning. */
enum class Change
{
    TRACE,
    WIFI_MOBILITY,
    LTE_MOBILITY,
    COMPETITORS,
};

/// In the order of Change, for names of cells.
constexpr const char* CHANGES[] = {"Trace", "WifiMobility", "LteMobility", "Competitors"};

/// What LTE gets a lone transfer at first, over what the other links do.
constexpr double LTE_RATE = 0.35;

/** Cells of the matrix of workloads and changes, at one level. */
class NetworkChanges : public testing::TestWithParam<std::tuple<const char*, Change>>
{
  protected:
    /// @param network set to links that get worse: of some 6 MB/s for one transfer at first, and of
    ///        2 MB/s or less in the end; LTE of LTE_RATE of that
    void SetNetwork(NetworkOptions& network)
    {
        const auto [fidelity, change] = GetParam();
        network = NetworkOptions();
        network.fidelity = fidelity;
        if (change == Change::TRACE)
        {
            const auto file = m_folder.Write("falls.csv",
                                             "seconds,bitsPerSecond\n0,50e6\n" +
                                                 std::to_string(CHANGED) + ",5e6\n1000,5e6\n");
            network.SetLink("trace",
                            "Trace",
                            StringValue(file),
                            "Delay",
                            TimeValue(MicroSeconds(20)));
            return;
        }
        if (change == Change::LTE_MOBILITY)
        {
            network.SetLink("lte",
                            "Distance",
                            DoubleValue(50),
                            "Mobility",
                            StringValue("away"),
                            "Speed",
                            DoubleValue(60));
            return;
        }
        network.SetLink("wifi",
                        "WifiStandard",
                        StringValue("n"),
                        "WifiBand",
                        DoubleValue(2.4),
                        "WifiWidth",
                        UintegerValue(20),
                        "Distance",
                        DoubleValue(8));
        if (change == Change::COMPETITORS)
        {
            network.Set("Competitors", UintegerValue(2));
            return;
        }
        network.Set("Mobility", StringValue("away"));
        network.Set("Speed", DoubleValue(8));
    }

    /// @return how many to run: competitors are there from the start, and many packets to simulate
    static uint32_t GetLength(uint32_t iterations)
    {
        return std::get<1>(GetParam()) == Change::COMPETITORS ? iterations / 2 : iterations;
    }

    /** @return what links get at first, over 6 MB/s */
    static double GetRate()
    {
        return std::get<1>(GetParam()) == Change::LTE_MOBILITY ? LTE_RATE : 1;
    }

  private:
    TemporaryFolder m_folder; //!< of the recording
};

std::string
NameCell(const testing::TestParamInfo<std::tuple<const char*, Change>>& info)
{
    const auto [fidelity, change] = info.param;
    return std::string(fidelity) + CHANGES[static_cast<int>(change)];
}

INSTANTIATE_TEST_SUITE_P(Flows,
                         NetworkChanges,
                         testing::Combine(testing::Values("flow"),
                                          testing::Values(Change::TRACE,
                                                          Change::WIFI_MOBILITY,
                                                          Change::LTE_MOBILITY,
                                                          Change::COMPETITORS)),
                         NameCell);
INSTANTIATE_TEST_SUITE_P(Packets,
                         NetworkChanges,
                         testing::Combine(testing::Values("packet"),
                                          testing::Values(Change::TRACE, Change::WIFI_MOBILITY)),
                         NameCell);
INSTANTIATE_TEST_SUITE_P(Long,
                         NetworkChanges,
                         testing::Combine(testing::Values("packet"),
                                          testing::Values(Change::LTE_MOBILITY,
                                                          Change::COMPETITORS)),
                         NameCell);

} // namespace

TEST_P(NetworkChanges, MakeAPipelineOneStage)
{
    // Two stages of 6 layers take 0.36 s a micro-batch instead of 0.72 s, and 1.5 MB each way
    // between them 0.25 s at 6 MB/s, but 0.75 s at 2 MB/s.
    Pipeline pipeline = MakePipeline("exact");
    pipeline.problem.devices.resize(2);
    pipeline.problem.bandwidthBitsPerSecond = 45e6 * GetRate();
    for (auto& layer : pipeline.problem.layers)
    {
        layer.outputBytes = 1500000 * GetRate();
    }
    pipeline.plan = pipeline.options.replanner->Plan(pipeline.problem);
    ASSERT_EQ(pipeline.plan.stages.size(), 2U);
    SetNetwork(pipeline.options.network);
    pipeline.options.Set("PipelineCoordinator::Iterations", GetLength(7));
    pipeline.options.monitor = "passive";
    const auto result = pipeline.Run();
    ASSERT_TRUE(result.finished) << ShowDiagnosis(result);
    EXPECT_GT(result.decisions.size(), 0U);
    ASSERT_GE(result.planChanges.size(), 1U);
    EXPECT_EQ(result.planChanges.back().decision.plan.stages.size(), 1U);
}

TEST_P(NetworkChanges, TakeACamerasFramesFromTheServer)
{
    // 0.5 s on the device, or 1.8 MB and 20 ms: 0.32 s at 6 MB/s and 0.9 s at 2 MB/s. Wi-Fi has
    // less than the 3.75 MB/s of equal times for a second before the camera is out of its range.
    const uint64_t bytes = 1800000 * GetRate();
    CooperativeDevice device =
        MakeChainDevice("camera", bytes, {{0.25, 0.01, bytes, 0}, {0.25, 0.01, 100, 0}});
    InferenceOptions options = MakeInferenceOptions(45e6 * GetRate());
    options.planner = "qdmp";
    options.monitor = "passive";
    options.Set("InferenceDevice::Frames", GetLength(30));
    options.firstUplinkBitsPerSecond = options.firstDownlinkBitsPerSecond = 45e6 * GetRate();
    SetNetwork(options.network);
    options.network.wiredDevices = {"server"};
    const auto result = RunCooperativeInference({device}, options, {});
    ExpectConserved(result);
    ASSERT_GE(result.plans.size(), 2U);
    EXPECT_EQ(result.plans.front().plan.isOnDevice, (std::vector<bool>{false, false}));
    // Competitors leave now less, now more than that.
    EXPECT_TRUE(std::any_of(result.plans.begin(), result.plans.end(), [](const auto& record) {
        return record.plan.isOnDevice == std::vector<bool>{true, true};
    }));
}

TEST_P(NetworkChanges, HaveAParameterServerComputeMore)
{
    // 0.3 MB of gradients, and as many of weights, take 0.1 s together at 6 MB/s and 0.3 s at 2
    // MB/s; half as many more samples of 1 ms than the other worker has time for are the server's.
    DataParallelCase one(2, 300000 * GetRate(), 1e-3);
    one.planner = "optimal";
    one.Set("DataParallelHelper::Exchange", "parameter-server");
    one.Set("DataParallelHelper::BaseBatch", 400);
    one.Set("DataParallelWorker::Iterations", GetLength(24));
    one.SetUpdateInterval(MilliSeconds(500));
    one.monitor = "passive";
    one.Set("DataParallelHelper::ReplanThreshold", 0.1);
    SetNetwork(one.network);
    const auto worse = one.Run();
    ASSERT_TRUE(worse.isFinished);
    EXPECT_GT(worse.plans, 1U);
    // What they would be on links that stay as good as they are at first.
    if (std::get<1>(GetParam()) == Change::TRACE)
    {
        one.network.SetLink("p2p");
    }
    else
    {
        one.network.Set("Competitors", UintegerValue(0));
        one.network.Set("Mobility", StringValue("static"));
    }
    SetRate(one.network, 50e6);
    const auto good = one.Run();
    ASSERT_TRUE(good.isFinished);
    EXPECT_GT(good.shares.back().samples[0], 220U);
    EXPECT_GT(worse.shares.back().samples[0], good.shares.back().samples[0] + 20);
}
