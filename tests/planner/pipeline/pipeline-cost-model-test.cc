// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-oracle.h"
#include "random-pipeline-problem.h"

namespace
{

/** A fork and a join on two devices: a feeds b and d, c follows b, d joins a and c. */
PipelineProblem
MakeFork()
{
    PipelineProblem problem;
    problem.microBatches = 4;
    problem.layers = {{"a", {}, 100, 1, 10},
                      {"b", {0}, 30, 2, 20},
                      {"c", {1}, 7, 4, 40},
                      {"d", {0, 2}, 1, 8, 80}};
    problem.devices = {{"fast", "f", 1000}, {"slow", "s", 1200}};
    problem.costs["f"] = {{1, 2, 3, 4}, {2, 4, 6, 8}};
    problem.costs["s"] = {{10, 20, 30, 40}, {11, 21, 31, 41}};
    problem.bandwidthBitsPerSecond = 8;
    return problem;
}

TEST(EdgepipePipelineCostModel, CountsTheMemoryOfAStage)
{
    const PipelineProblem problem = MakeFork();
    const PipelineCostModel model(problem);
    // Weights and gradients of b and c, a's 100 bytes and b's 30 twice, and of each micro-batch 60
    // bytes and a's output, of which b, with 20 bytes, counts nothing.
    EXPECT_EQ(model.StageMemoryBytes(1, 2), 2u * 6 + 2 * 130 + 4 * (60 + 100));
    EXPECT_EQ(model.CountMemory(1, 2, 1, 3).heldBytes, 20u + 34) << "a third of each, rounded up";
}

TEST(EdgepipePipelineCostModel, CountsMemoryAsWhatAStageHolds)
{
    for (uint64_t seed = 0; seed < 500; ++seed)
    {
        PipelineProblem problem = MakeRandomProblem(seed);
        if (seed % 2 == 1)
        {
            TieWeights(problem, seed);
        }
        const PipelineCostModel model(problem);
        for (std::size_t first = 0; first < problem.layers.size(); ++first)
        {
            for (std::size_t last = first; last < problem.layers.size(); ++last)
            {
                ASSERT_EQ(model.StageMemoryBytes(first, last),
                          PipelineOracle(problem).CountMemory(first, last))
                    << "seed " << seed << ", layers " << first << " to " << last;
            }
        }
    }
}

TEST(EdgepipePipelineCostModel, TheLossKeepsTheOutputOfEveryMicroBatch)
{
    PipelineProblem problem = MakeFork();
    problem.layers[3].outputBytes = 1000;
    const PipelineCostModel model(problem);
    // Alone on a stage, d reads a and c, which it counts itself, and its output is the most alive.
    EXPECT_EQ(model.StageMemoryBytes(3, 3), 2u * 8 + 2 * 1000 + 4 * (80 + 1000 + 107 - 0));
    EXPECT_EQ(model.StageMemoryBytes(0, 3), 2u * 15 + 2 * 1000 + 4 * (150 + 1000));
    problem.recomputes = true;
    EXPECT_EQ(PipelineCostModel(problem).StageMemoryBytes(0, 3),
              2u * 15 + 2 * 1000 + (150 + 1000) + 4 * 100);
    // An output in the middle is the loss's on that stage, and crosses no cut.
    problem = MakeFork();
    problem.layers[3].inputs = {0};
    EXPECT_EQ(PipelineCostModel(problem).StageMemoryBytes(1, 2),
              2u * 6 + 2 * 130 + 4 * (60 + 100 + 7));
    EXPECT_EQ(PipelineCostModel(problem).CutBytes(2), 100u);
}

TEST(EdgepipePipelineCostModel, StagesHoldTiedWeightsTwiceAndSumTheirGradients)
{
    PipelineProblem problem = MakeFork();
    problem.devices[0].delaySeconds = 0.25;
    problem.devices[1].uplinkBitsPerSecond = 4;
    problem.layers[0].parameterBytes = 50;
    problem.optimizerStates = 1;
    const PipelinePlan split{{{0, 0, 1}, {1, 2, 3}}};
    const PipelineCostModel before(problem);
    const double seconds = before.IterationSeconds(split);
    const uint64_t bytes = before.StageMemoryBytes(2, 3);
    problem.layers[2].tied = {{0, 30}};
    problem.layers[3].tied = {{0, 40}};
    const PipelineCostModel model(problem);
    ValidatePipelineProblem(problem);
    EXPECT_EQ(model.StageMemoryBytes(2, 3), bytes + 3 * 40) << "once, not 30 and 40";
    EXPECT_EQ(model.StageMemoryBytes(0, 3), before.StageMemoryBytes(0, 3));
    EXPECT_EQ(model.GetTensors(2, 3).parameterBytes, 4u + 8 + 40);
    const auto ties = model.FindTies(split);
    ASSERT_EQ(ties.size(), 1u);
    EXPECT_EQ(ties[0].stages, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(ties[0].bytes, 40u);
    // In a ring of two each sends 40 bytes in two steps, at 4 bit/s.
    EXPECT_DOUBLE_EQ(model.IterationSeconds(split), seconds + 8 * 40 / 4. + 2 * 0.25);
    const PipelinePlan single{{{0, 0, 3}}};
    EXPECT_TRUE(model.FindTies(single).empty());
    EXPECT_EQ(model.IterationSeconds(single), before.IterationSeconds(single));
    problem.sharesMedium = true;
    EXPECT_DOUBLE_EQ(PipelineCostModel(problem).IterationSeconds(split),
                     seconds + 2 * 8 * 40 / 4. + 2 * 0.25)
        << "one after the other";
    const auto refuse = [&problem](std::vector<TiedWeights> tied) {
        problem.layers[3].tied = std::move(tied);
        return ErrorOf([&] { ValidatePipelineProblem(problem); });
    };
    EXPECT_NE(refuse({{3, 1}}), "");
    EXPECT_NE(refuse({{0, 51}}), "");
    EXPECT_NE(refuse({{0, 0}}), "");
    EXPECT_NE(refuse({{0, 1}, {0, 2}}), "");
}

TEST(EdgepipePipelineCostModel, EqualsTheRecurrenceOfMicroBatchesThroughThePipeline)
{
    Draws draws(1);
    for (uint64_t seed = 0; seed < 500; ++seed)
    {
        PipelineProblem problem = MakeRandomProblem(seed);
        PipelinePlan plan;
        std::size_t first = 0;
        for (std::size_t d = 0; d < problem.devices.size() && first < problem.layers.size(); ++d)
        {
            bool isFinal = d + 1 == problem.devices.size();
            std::size_t most = problem.layers.size() - 1;
            std::size_t last = isFinal ? most : draws.Integer(first, most);
            plan.stages.push_back({d, first, last});
            first = last + 1;
        }
        double simulated = PipelineOracle(problem).Simulate(plan);
        EXPECT_NEAR(PipelineCostModel(problem).IterationSeconds(plan), simulated, 1e-12 * simulated)
            << "seed " << seed;
    }
}

TEST(EdgepipePipelineCostModel, RefusesPlansThatBreakARule)
{
    PipelineProblem problem = MakeFork();
    PipelineCostModel model(problem);
    auto check = [&](const std::vector<PipelineStage>& stages) {
        return ErrorOf([&] { model.CheckPlan({stages}); });
    };
    EXPECT_EQ(check({{0, 0, 1}, {1, 2, 3}}), "");
    EXPECT_EQ(check({{0, 0, 1}, {1, 3, 3}}),
              "stage 1 holds layers 3 to 3, expected it to begin at layer 2 of 4");
    EXPECT_EQ(check({{0, 0, 4}}),
              "stage 0 holds layers 0 to 4, expected it to begin at layer 0 of 4");
    EXPECT_EQ(check({{0, 0, 1}, {0, 2, 3}}), "stage 1 is on fast, which has another stage");
    EXPECT_EQ(check({{2, 0, 3}}), "stage 0 is on device 2, expected one of 2");
    EXPECT_EQ(check({{1, 0, 2}}), R"(the stages end before layer "d")");
    EXPECT_EQ(check({}), R"(the stages end before layer "a")");
    problem.devices[1].memoryBytes = 1167;
    EXPECT_EQ(check({{0, 0, 1}, {1, 2, 3}}),
              R"(stage 1 (layers "c" to "d") needs 1168 B, but slow has 1167 B)");
}

TEST(EdgepipePipelineCostModel, NamesALayerThatFitsNoDevice)
{
    PipelineProblem problem = MakeFork();
    problem.layers[2].parameterBytes = 151000000;
    problem.devices[0].memoryBytes = 100000000;
    EXPECT_EQ(ErrorOf([&] { PipelineCostModel(problem).CheckLayersFit(); }),
              R"(no plan fits: layer "c" needs 302 MB, no device has more than 100 MB)");
    // Where rounded figures would read alike, bytes are shown.
    problem.devices[0].memoryBytes = 302000545;
    EXPECT_EQ(ErrorOf([&] { PipelineCostModel(problem).CheckLayersFit(); }),
              R"(no plan fits: layer "c" needs 302000546 B, no device has more than 302000545 B)");
}

TEST(EdgepipePipelineProblem, RefusesWhatBreaksAPromise)
{
    struct Case
    {
        std::function<void(PipelineProblem&)> damage; //!< breaks the problem
        const char* message;                          //!< what is to be said
    };

    const std::vector<Case> cases = {
        {[](PipelineProblem& p) { p.microBatches = 0; },
         "microBatches: found 0, expected a positive integer"},
        {[](PipelineProblem& p) { p.layers.clear(); },
         "the problem has no layer, expected at least one"},
        {[](PipelineProblem& p) { p.devices.clear(); },
         "the problem has no device, expected at least one"},
        {[](PipelineProblem& p) { p.layers[1].name = "a"; }, R"(layer "a" is given twice)"},
        {[](PipelineProblem& p) { p.layers[1].inputs = {1}; },
         R"(layer "b" reads layer 1, expected a layer before it)"},
        {[](PipelineProblem& p) { p.layers[1].activationBytes = uint64_t{1} << 61; },
         "the layers hold 2^63 bytes or more over all micro-batches"},
        {[](PipelineProblem& p) { p.devices[1].name = "fast"; }, R"(device "fast" is given twice)"},
        {[](PipelineProblem& p) { p.devices[1].type = "x"; },
         R"(device "slow" is of type "x", for which there are no costs)"},
        {[](PipelineProblem& p) { p.costs["s"].forwardSeconds.pop_back(); },
         R"(costs of type "s", forwardSeconds: found 3 costs, expected one for each of 4 layers)"},
        {[](PipelineProblem& p) { p.costs["s"].backwardSeconds[2] = -0.5; },
         R"(costs of type "s", backwardSeconds[2]: found -0.5, expected seconds, 0 or more)"},
        {[](PipelineProblem& p) { p.costs["f"].forwardSeconds[0] = std::nan(""); },
         R"(costs of type "f", forwardSeconds[0]: found nan, expected seconds, 0 or more)"},
        {[](PipelineProblem& p) { p.devices[0].delaySeconds = -1; },
         R"(device "fast", delaySeconds: found -1, expected seconds, 0 or more)"},
        {[](PipelineProblem& p) { p.bandwidthBitsPerSecond = 0; },
         "bandwidthBitsPerSecond: found 0, expected a number above 0"},
    };
    PipelineProblem correct = MakeFork();
    EXPECT_EQ(ErrorOf([&] { ValidatePipelineProblem(correct); }), "");
    for (const Case& broken : cases)
    {
        PipelineProblem problem = MakeFork();
        broken.damage(problem);
        EXPECT_EQ(ErrorOf([&] { ValidatePipelineProblem(problem); }), broken.message);
    }
}

} // namespace
