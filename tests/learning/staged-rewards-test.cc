// SPDX-License-Identifier: GPL-2.0-only

#include "planner/pipeline/random-pipeline-problem.h"

#include "ns3/edgepipe-staged-rewards.h"

namespace
{

/// Constants that are easy to follow by hand.
const StagedConstants CONSTANTS{1, 0.5, 2, 7, 5, 3, 0.1, 1.5, 20, 10, 100};

/// @return a chain of 4 layers of 1, 2, 3 and 6 s per micro-batch on a fast device, of which there
///        is one; another takes twice, a third four times as long. Tensors take 1, 2, 4 and 0 s
PipelineProblem
MakeStagedChain()
{
    PipelineProblem problem;
    problem.microBatches = 1;
    problem.bandwidthBitsPerSecond = 8;
    for (std::size_t i = 0; i < 4; ++i)
    {
        PipelineLayer layer{"l" + std::to_string(i), {}, uint64_t{1} << i, 1, 1};
        if (i > 0)
        {
            layer.inputs.push_back(i - 1);
        }
        problem.layers.push_back(layer);
    }
    for (const auto& [type, factor] :
         std::map<std::string, double>{{"fast", 1}, {"half", 2}, {"quarter", 4}})
    {
        for (const double seconds : {1, 2, 3, 6})
        {
            problem.costs[type].forwardSeconds.push_back(factor * seconds / 3);
            problem.costs[type].backwardSeconds.push_back(factor * seconds * 2 / 3);
        }
        problem.devices.push_back({type, type, 48});
    }
    return problem;
}

TEST(EdgepipeStagedRewards, AreThoseOfTheEquationsByHand)
{
    const PipelineProblem problem = MakeStagedChain();
    const PipelineCostModel costModel(problem);
    StagedRewards rewards(costModel, CONSTANTS);
    // Speeds 1, 0.5 and 0.25 sum to 1.75, so a balanced share of the 12 s is 48/7 s. A stage's
    // device counts as no slower than (1 + 1/4 + 1/16) / 1.75 = 0.75.
    EXPECT_DOUBLE_EQ(rewards.GetStageLength({0, 0, 2}), 6 / (48.0 / 7));
    EXPECT_DOUBLE_EQ(rewards.GetStageLength({1, 2, 3}), 9 / (48.0 / 7 * 0.75));
    EXPECT_EQ(rewards.RewardCut({0, 0, 2}, true), -7); // 6 s of 48/7
    EXPECT_EQ(rewards.RewardCut({1, 2, 3}, true), 2);  // 9 s of 36/7
    // Half a share is 24/7 s: tensors of 2 s are below that, of 4 s above.
    EXPECT_EQ(rewards.RewardCut({0, 0, 1}, false), -3);
    EXPECT_EQ(rewards.RewardCut({0, 0, 2}, false), 5);
    rewards.SetThresholds(0.8, 0.6); // 192/35 s and 144/35 s
    EXPECT_EQ(rewards.RewardCut({0, 0, 2}, true), 2);
    EXPECT_EQ(rewards.RewardCut({0, 0, 2}, false), -3);
    // Stages of 6 and 6 s on devices of speed 1 and 0.75: 6 and 8 s, off their mean by a seventh.
    EXPECT_DOUBLE_EQ(rewards.RewardDivision({{0, 2}, {3, 3}}), 6 - 10.0 / 49);
    // Stages of 1 and 11 s: 1 and 44/3 s; their mean is 47/6 s, off by 41/47.
    EXPECT_DOUBLE_EQ(rewards.RewardDivision({{0, 0}, {1, 3}}), -std::pow(41.0 / 47, 2));
    // 6 s of 48 on the slowest and a tensor of 4 s, both within 1.5 shares. A layer takes 2 bytes
    // of weights and gradients and keeps 1; tensors at work, twice the largest, come to 8.
    EXPECT_DOUBLE_EQ(rewards.RewardPlacing({{{0, 0, 2}}}),
                     20 - 10 * 6 / 48.0 - 100 * (17 / 48.0 * 17 / 48.0 + 1 / 64.0));
    // Then 24 s on the slowest device, which is beyond 1.5 shares. There 4 bytes are received, and
    // the output of 8 goes to the loss, which keeps a copy and has its gradient at work.
    EXPECT_DOUBLE_EQ(rewards.RewardPlacing({{{0, 0, 2}, {2, 3, 3}}}),
                     -10 * 0.5 -
                         100 * (17 / 48.0 * 17 / 48.0 + 1 / 64.0 + 31 / 48.0 * 31 / 48.0 + 0.25));
}

TEST(EdgepipeStagedRewards, KnowADevicesOwnRates)
{
    PipelineProblem problem = MakeStagedChain();
    const auto place = [&problem](std::size_t device) {
        return StagedRewards(PipelineCostModel(problem), CONSTANTS)
            .RewardPlacing({{{device, 0, 2}}});
    };
    // 4 bytes go at 8 bit/s, in 4 s of the 72/7 that are enough; at 1 bit/s that is missed.
    const double before = place(0);
    problem.devices[0].uplinkBitsPerSecond = 1;
    EXPECT_DOUBLE_EQ(before - place(0), CONSTANTS.fitReward);
    // GRDQN sees the lesser of a device's rates, over the largest of any device.
    problem.devices[1].uplinkBitsPerSecond = 16;
    problem.devices[1].downlinkBitsPerSecond = 10;
    const auto devices =
        PipelineScales(PipelineCostModel(problem)).DescribeDevices({false, false, false});
    EXPECT_FLOAT_EQ(devices[1], 0.1F);
    EXPECT_FLOAT_EQ(devices[5], 1);
    EXPECT_FLOAT_EQ(devices[9], 0.8F);
}

TEST(EdgepipeStagedWalk, SaysWhatThePaperSays)
{
    const PipelineProblem problem = MakeStagedChain();
    const PipelineCostModel costModel(problem);
    const StagedWalk walk(costModel);
    const auto rows = walk.GetScales().DescribeLayers();
    StagedPlan state = walk.Begin();
    walk.TakeAction(state, StagedWalk::CONTINUE);
    std::vector<float> figures;
    walk.Describe(state, figures);
    EXPECT_EQ(figures, std::vector<float>(rows.begin() + 8, rows.begin() + 16));
    walk.TakeAction(state, StagedWalk::SPLIT);
    walk.TakeAction(state, StagedWalk::CONTINUE);
    ASSERT_FALSE(walk.IsCutting(state));
    figures.clear();
    walk.Describe(state, figures);
    auto expected = walk.GetScales().DescribeDevices({false, false, false});
    expected.push_back(3 / 12.0F);  // W of the stage, of the model's
    expected.push_back(10 / 48.0F); // its bytes, of the largest memory
    EXPECT_EQ(figures, expected);
}

TEST(EdgepipeStagedWalk, AllowsWhatMemoryLeavesAndEndsWithAPlanThatFits)
{
    for (uint64_t seed = 0; seed < 200; ++seed)
    {
        const PipelineProblem problem = MakeRandomProblem(seed);
        const PipelineCostModel costModel(problem);
        if (!CanGrowPlans(costModel))
        {
            continue;
        }
        Draws draws(seed);
        const StagedWalk walk(costModel);
        StagedPlan state = walk.Begin();
        std::vector<std::pair<std::size_t, bool>> taken; // layer, and whether a stage ended there
        while (!walk.IsFinished(state))
        {
            const auto allowed = walk.FindAllowed(state);
            ASSERT_FALSE(allowed.empty()) << seed;
            const std::size_t action = allowed[draws.Integer(0, allowed.size() - 1)];
            if (walk.IsCutting(state))
            {
                taken.emplace_back(state.layer, action == StagedWalk::SPLIT);
            }
            walk.TakeAction(state, action);
        }
        costModel.CheckPlan(state.plan);
        costModel.CheckPlan(walk.PlaceByRule(state.division));
        std::vector<std::pair<std::size_t, bool>> told;
        ForEachCut(state.division, [&told](const CutState& cut, bool isSplit) {
            told.emplace_back(cut.layer, isSplit);
        });
        EXPECT_EQ(told, taken) << seed;
    }
}

TEST(EdgepipeCutRehearsal, ChoosesThresholdsOfWhatItWasTold)
{
    const PipelineProblem problem = MakeStagedChain();
    const PipelineCostModel costModel(problem);
    const StagedWalk walk(costModel);
    const auto random = MakeRandomVariable<UniformRandomVariable>(1);
    for (const bool seesStage : {false, true})
    {
        StagedRewards rewards(costModel, CONSTANTS);
        // Wherever a single cut is wanted, thresholds are found that lead there.
        for (const std::size_t last : {0, 1, 2})
        {
            uint32_t judged = 0;
            double least = 1;
            const auto judge = [&](const PipelineDivision& division) {
                ++judged;
                const bool isWanted = division == PipelineDivision{{0, last}, {last + 1, 3}};
                least = std::min(least, isWanted ? 0.0 : 1.0);
                return isWanted ? 0.0 : 1.0;
            };
            const auto choose = [&](double kappa, double varsigma) {
                return ChooseThresholds(walk, rewards, seesStage, {kappa, varsigma}, judge, random);
            };
            const auto [kappa, varsigma] = choose(0, 0);
            EXPECT_LE(judged, 8u); // each of the divisions there are, at most once
            rewards.SetThresholds(kappa, varsigma);
            const auto myopic = walk.Cut([&rewards](const CutState& state) {
                return rewards.RewardCut(state, true) > rewards.RewardCut(state, false);
            });
            EXPECT_EQ(least, 0) << seesStage << " " << last;
            EXPECT_EQ(judge(myopic), 0) << seesStage << " " << last;
            EXPECT_EQ(choose(kappa, 0).first, kappa);
            EXPECT_EQ(choose(0.7, 0.2), std::pair(0.7, 0.2));
        }
    }
}

} // namespace
