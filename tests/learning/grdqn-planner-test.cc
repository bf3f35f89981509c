// SPDX-License-Identifier: GPL-2.0-only

#include "planner/pipeline/random-pipeline-problem.h"

#include "ns3/edgepipe-grdqn-checkpoint.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-partial-plan.h"
#include "ns3/edgepipe-plan-search.h"

namespace
{

/// @return a planner that keeps nothing on disk
Ptr<GrdqnPlanner>
MakePlanner(const std::string& variant, uint32_t episodes)
{
    auto planner = DynamicCast<GrdqnPlanner>(
        FindByName<PipelinePlanner>("planner",
                                    variant == "faithful" ? "grdqn" : "grdqn-" + variant));
    planner->SetAttribute("Cache", BooleanValue(false));
    for (const char* name : {"CutEpisodes", "PlaceEpisodes", "ImprovedEpisodes"})
    {
        planner->SetAttribute(name, UintegerValue(episodes));
    }
    return planner;
}

/// @return a problem with uneven layers, tensors that shrink, and memory for twice the model
PipelineProblem
MakeUnevenProblem(std::size_t layers, std::size_t devices)
{
    Draws draws(11);
    PipelineProblem problem;
    problem.microBatches = 8;
    problem.bandwidthBitsPerSecond = 1e9;
    uint64_t needed = 0;
    for (std::size_t i = 0; i < layers; ++i)
    {
        PipelineLayer layer{"l" + std::to_string(i),
                            {},
                            draws.Integer(1000000, 20000000) / (i + 1),
                            draws.Integer(1000000, 9000000),
                            draws.Integer(100000, 9000000)};
        if (i > 0)
        {
            layer.inputs.push_back(i - 1);
        }
        needed += 2 * layer.parameterBytes + problem.microBatches * layer.activationBytes;
        problem.layers.push_back(layer);
        const double seconds = 0.01 + 0.2 * draws.Unit();
        for (const auto& [type, factor] :
             std::map<std::string, double>{{"fast", 1}, {"medium", 3}, {"slow", 12}})
        {
            problem.costs[type].forwardSeconds.push_back(factor * seconds);
            problem.costs[type].backwardSeconds.push_back(2 * factor * seconds);
        }
    }
    for (std::size_t d = 0; d < devices; ++d)
    {
        const char* types[] = {"fast", "medium", "slow", "slow"};
        problem.devices.push_back({"d" + std::to_string(d), types[d % 4], 2 * needed / devices});
    }
    return problem;
}

/// @return a problem of much memory in which it pays to share micro-batches
PipelineProblem
MakeUnevenGroupProblem()
{
    PipelineProblem problem = MakeUnevenProblem(24, 8);
    problem.microBatchSamples = 16;
    for (auto& [type, costs] : problem.costs)
    {
        PartCost one{1, costs.forwardSeconds, costs.backwardSeconds};
        for (auto* pass : {&one.forwardSeconds, &one.backwardSeconds})
        {
            for (double& seconds : *pass)
            {
                seconds /= 12; // a sample alone takes longer than a sixteenth
            }
        }
        costs.parts = {one};
    }
    for (auto& device : problem.devices)
    {
        device.memoryBytes *= 10;
    }
    return problem;
}

/// @return whether a stage has several devices
bool
HasGroup(const PipelinePlan& plan)
{
    return std::any_of(plan.stages.begin(), plan.stages.end(), [](const auto& stage) {
        return stage.group.size() > 1;
    });
}

/// @return whether they are the same
bool
IsSame(const PipelinePlan& a, const PipelinePlan& b)
{
    return std::equal(a.stages.begin(),
                      a.stages.end(),
                      b.stages.begin(),
                      b.stages.end(),
                      [](const PipelineStage& x, const PipelineStage& y) {
                          return x.device == y.device && x.firstLayer == y.firstLayer &&
                                 x.lastLayer == y.lastLayer;
                      });
}

TEST(EdgepipeGrdqnPlanner, IsTheSameForASeedAndAnotherForAnother)
{
    const PipelineProblem problem = MakeUnevenProblem(12, 4);
    for (const char* variant : {"faithful", "as-printed", "stage-aware", "improved"})
    {
        const auto first = MakePlanner(variant, 5)->Train(problem, {});
        EXPECT_EQ(MakePlanner(variant, 5)->Train(problem, {}).weights, first.weights);
        auto other = MakePlanner(variant, 5);
        other->SetAttribute("Stream", IntegerValue(1));
        EXPECT_NE(other->Train(problem, {}).weights, first.weights);
    }
}

TEST(EdgepipeGrdqnPlanner, AsPrintedAsksTheCostModelNothing)
{
    const PipelineProblem problem = MakeUnevenProblem(24, 8);
    const auto planner = MakePlanner("as-printed", 5);
    const auto weights = planner->Train(problem, {}).weights;
    EXPECT_EQ(planner->GetTrainingEvaluations(), 0);
    // Kappa and varsigma of the authors' scripts.
    for (const char* name : {"Kappa", "Varsigma"})
    {
        for (const double value : {0.5, 0.01})
        {
            planner->SetAttribute(name, DoubleValue(value));
            EXPECT_EQ(planner->Train(problem, {}).weights == weights, value == 0.5) << name;
        }
        planner->SetAttribute(name, DoubleValue(0));
    }
    const auto faithful = MakePlanner("faithful", 5);
    faithful->Train(problem, {});
    EXPECT_GT(faithful->GetTrainingEvaluations(), 0);
}

TEST(LongGrdqnPlanner, TrainedNetworksPlanBetterThanUntrained)
{
    const PipelineProblem problem = MakeUnevenProblem(24, 8);
    const double best = PipelineCostModel(problem).IterationSeconds(
        FindByName<PipelinePlanner>("planner", "exact")->Plan(problem));
    constexpr int64_t SEEDS = 6;
    double trained = 0;
    std::vector<double> gaps;
    for (int64_t seed = 0; seed < SEEDS; ++seed)
    {
        double seconds[2];
        for (uint32_t isTrained : {0, 1})
        {
            auto planner = MakePlanner("improved", isTrained ? 60 : 1);
            planner->SetAttribute("Stream", IntegerValue(seed));
            planner->SetAttribute("SearchEvaluations", UintegerValue(0));
            // A single episode whose plan is not imitated, with the smallest steps: random weights.
            planner->SetAttribute("ImitatedEvaluations", UintegerValue(isTrained ? 3000 : 0));
            planner->SetAttribute("LearningRate", DoubleValue(isTrained ? 1e-3 : 1e-9));
            seconds[isTrained] =
                PipelineCostModel(problem).IterationSeconds(planner->Plan(problem));
        }
        trained += seconds[1] / best / SEEDS;
        gaps.push_back((seconds[0] - seconds[1]) / best);
    }
    EXPECT_LT(trained, 1.05);
    double mean = 0;
    double squares = 0;
    for (double gap : gaps)
    {
        mean += gap / SEEDS;
    }
    for (double gap : gaps)
    {
        squares += (gap - mean) * (gap - mean) / (SEEDS - 1);
    }
    // One-sided paired t-test over the seeds; 2.02 is the 95 % point for 5 degrees of freedom.
    EXPECT_GT(mean, 2.02 * std::sqrt(squares / SEEDS));
    EXPECT_GT(mean, 0.05);
}

TEST(LongGrdqnPlanner, ChoosesGroupsWhereTheyPay)
{
    const PipelineProblem problem = MakeUnevenGroupProblem();
    const PipelineCostModel costModel(problem);
    const auto plan = [&](const std::string& name) {
        return costModel.IterationSeconds(
            FindByName<PipelinePlanner>("planner", name)->Plan(problem));
    };
    const double single = plan("exact");
    const double best = plan("hybrid");
    constexpr int64_t SEEDS = 3;
    double mean = 0;
    for (int64_t seed = 0; seed < SEEDS; ++seed)
    {
        auto planner = MakePlanner("improved", 60);
        planner->SetAttribute("Stream", IntegerValue(seed));
        planner->SetAttribute("SearchEvaluations", UintegerValue(0)); // the networks alone
        planner->SetAttribute("Groups", BooleanValue(true));
        const PipelinePlan made = planner->Plan(problem);
        EXPECT_TRUE(HasGroup(made)) << seed;
        mean += costModel.IterationSeconds(made) / SEEDS;
    }
    EXPECT_LT(mean, 0.95 * single);
    EXPECT_LT(mean, 1.05 * best);
    auto staged = MakePlanner("faithful", 1);
    staged->SetAttribute("Groups", BooleanValue(true));
    ExpectError([&] { staged->Plan(problem); }, "Groups: found true, expected false");
}

TEST(EdgepipeGrdqnPlanner, PlansAlikeFromACheckpointAndFromTheCache)
{
    TemporaryFolder folder;
    const PipelineProblem problem = MakeUnevenProblem(12, 4);
    auto planner = MakePlanner("improved", 5);
    WriteGrdqnCheckpoint(folder.GetPath() + "/weights", planner->Train(problem, {}));
    const PipelinePlan plan = planner->Plan(problem);
    EXPECT_GT(planner->GetTrainingEvaluations(), 0U);
    EXPECT_GT(planner->GetDecisionEvaluations(), 0U);
    // That training was asked for by itself: the plan that follows did not need it to be repeated.
    EXPECT_EQ(planner->GetEvaluations(), planner->GetDecisionEvaluations());

    auto loads = MakePlanner("improved", 5);
    loads->SetAttribute("Checkpoint", StringValue(folder.GetPath() + "/weights"));
    EXPECT_TRUE(IsSame(loads->Plan(problem), plan));
    EXPECT_EQ(loads->GetTrainingSeconds(), 0);
    // Weights do not depend on the number of layers, only on that of the devices.
    EXPECT_NO_THROW(loads->Plan(MakeUnevenProblem(9, 4)));
    ExpectError([&] { loads->Plan(MakeUnevenProblem(12, 5)); },
                "expected those of grdqn-improved for 5 devices");
    loads->SetAttribute("Checkpoint", StringValue(folder.GetPath() + "/none"));
    EXPECT_EQ(folder.MessageOf([&] { loads->Plan(problem); }),
              "planner grdqn-improved: checkpoint \"none\": there is no such file");

    auto cached = [&] {
        auto made = MakePlanner("improved", 5);
        made->SetAttribute("Cache", BooleanValue(true));
        made->SetAttribute("CacheFolder", StringValue(folder.GetPath() + "/cache"));
        return made;
    };
    auto trains = cached();
    EXPECT_TRUE(IsSame(trains->Plan(problem), plan));
    EXPECT_GT(trains->GetTrainingSeconds(), 0);
    EXPECT_EQ(trains->GetEvaluations(),
              trains->GetTrainingEvaluations() + trains->GetDecisionEvaluations());
    auto finds = cached();
    EXPECT_TRUE(IsSame(finds->Plan(problem), plan));
    EXPECT_EQ(finds->GetTrainingSeconds(), 0);
    EXPECT_EQ(finds->GetEvaluations(), finds->GetDecisionEvaluations());
    for (const auto& entry : std::filesystem::directory_iterator(folder.GetPath() + "/cache"))
    {
        std::filesystem::resize_file(entry.path(), 100);
    }
    auto distrusts = cached();
    EXPECT_TRUE(IsSame(distrusts->Plan(problem), plan));
    EXPECT_GT(distrusts->GetTrainingSeconds(), 0);
    auto nowhere = cached();
    nowhere->SetAttribute("CacheFolder", StringValue(folder.Write("file", "") + "/cache"));
    EXPECT_TRUE(IsSame(nowhere->Plan(problem), plan));
}

TEST(EdgepipeGrdqnPlanner, ServesSmallerClustersByTheImprovedVariantAlone)
{
    TemporaryFolder folder;
    for (const std::string variant : {"improved", "faithful"})
    {
        const std::string file = folder.GetPath() + "/" + variant;
        WriteGrdqnCheckpoint(file, MakePlanner(variant, 2)->Train(MakeUnevenProblem(20, 6), {}));
        auto loads = MakePlanner(variant, 2);
        loads->SetAttribute("Checkpoint", StringValue(file));
        for (const std::size_t devices : {6, 4, 7})
        {
            const std::string refusal =
                folder.MessageOf([&] { loads->Plan(MakeUnevenProblem(12, devices)); });
            const bool serves = devices == 6 || (devices == 4 && variant == "improved");
            EXPECT_EQ(refusal == "no error", serves) << variant << " " << devices << refusal;
        }
    }
}

TEST(EdgepipeGrdqnPlanner, KeyChangesWithWhateverTrainingDependsOn)
{
    const PipelineProblem problem = MakeUnevenProblem(3, 2);
    const auto find = [](const PipelineProblem& now, const Ptr<GrdqnPlanner>& planner) {
        return planner->Train(now, {}).key;
    };
    const auto make = [] { return MakePlanner("improved", 0); };
    const uint64_t key = find(problem, make());
    EXPECT_EQ(key, find(problem, make()));
    EXPECT_NE(key, find(problem, MakePlanner("faithful", 0)));
    const auto set = [&](const std::string& name, const AttributeValue& value) {
        auto planner = make();
        planner->SetAttribute(name, value);
        return find(problem, planner);
    };
    EXPECT_NE(key, set("Stream", IntegerValue(1)));
    EXPECT_NE(key, set("LearningRate", DoubleValue(2e-3 * (1 + 1e-12))));
    EXPECT_EQ(key, set("SearchEvaluations", UintegerValue(7)));
    PipelineProblem changed = problem;
    changed.bandwidthBitsPerSecond *= 1 + 1e-12;
    EXPECT_NE(key, find(changed, make()));
    changed = problem;
    changed.costs[changed.devices[0].type].backwardSeconds.back() += 1e-12;
    EXPECT_NE(key, find(changed, make()));
    changed = problem;
    ++changed.devices.back().memoryBytes;
    EXPECT_NE(key, find(changed, make()));
    changed = problem;
    changed.devices.back().delaySeconds = 1e-9;
    EXPECT_NE(key, find(changed, make()));
    changed = problem;
    changed.layers[0].name = "another name";
    changed.devices[0].name = "another name";
    changed.model = "another name";
    EXPECT_EQ(key, find(changed, make()));
    RngSeedManager::SetRun(2);
    EXPECT_NE(key, find(problem, make()));
    RngSeedManager::SetRun(1);
}

TEST(EdgepipeGrdqnPlanner, KeepsItsWeightsWhenConditionsChangeUnlessToldToRetrain)
{
    const PipelineProblem problem = MakeUnevenProblem(12, 4);
    PipelineProblem changed = problem;
    changed.bandwidthBitsPerSecond /= 100;
    changed.costs["fast"].forwardSeconds[3] *= 4;
    PipelineProblem fewer = changed;
    fewer.devices.pop_back();
    for (const bool retrains : {false, true})
    {
        auto planner = MakePlanner("improved", 5);
        planner->SetAttribute("Retrain", BooleanValue(retrains));
        planner->Plan(problem);
        EXPECT_GT(planner->GetEvaluations(), planner->GetDecisionEvaluations());
        for (const auto& now : {changed, fewer})
        {
            planner->Plan(now);
            EXPECT_EQ(planner->GetEvaluations() > planner->GetDecisionEvaluations(), retrains);
        }
    }
}

TEST(EdgepipeGrdqnPlanner, KeepsAboutToItsEvaluations)
{
    const PipelineProblem problem = MakeUnevenProblem(24, 8);
    for (const uint32_t most : {500, 5000})
    {
        auto planner = MakePlanner("improved", 250);
        planner->SetAttribute("Evaluations", UintegerValue(most));
        planner->Plan(problem);
        EXPECT_GT(planner->GetEvaluations(), most / 2);
        EXPECT_LT(planner->GetEvaluations(), most * 1.2);
    }
}

TEST(EdgepipeGrdqnPlanner, SaysWhichAttributeCannotBeUsed)
{
    const PipelineProblem problem = MakeUnevenProblem(3, 2);
    for (const char* text : {"", "0", "64,", "64,,64", "many", "99999"})
    {
        for (const std::string name : {"grdqn", "ppo"})
        {
            const auto planner = FindByName<PipelinePlanner>("planner", name);
            planner->SetAttribute("HiddenUnits", StringValue(text));
            EXPECT_EQ(
                ErrorOf([&] { planner->Plan(problem); }),
                "planner " + name + ": HiddenUnits: found \"" + text +
                    "\", expected units of the hidden layers, 1 to 10000, such as 160,128,64");
        }
    }
}

TEST(EdgepipePlanSearch, OnlyImprovesAndKeepsToItsEvaluations)
{
    const PipelineProblem problem = MakeUnevenProblem(24, 8);
    const PipelineCostModel costModel(problem);
    PartialPlanner partials(costModel);
    PartialPlan partial = partials.Begin();
    while (!partials.IsFinished(partial))
    {
        const std::size_t device = partials.FindDevices(partial).back();
        partial = partials.Extend(partial, device, partials.FindEnds(partial, device, 4).front());
    }
    const double first = costModel.IterationSeconds(partial.plan);
    double last = first;
    for (uint64_t evaluations : {0, 10, 100, 1000, 10000})
    {
        PipelinePlan plan = partial.plan;
        double seconds = first;
        EXPECT_LE(ImprovePlan(costModel, evaluations, plan, seconds), evaluations);
        costModel.CheckPlan(plan);
        EXPECT_DOUBLE_EQ(seconds, costModel.IterationSeconds(plan));
        EXPECT_LE(seconds, last);
        last = seconds;
    }
    EXPECT_LT(last, first / 2);
}

TEST(EdgepipePlanSearch, PutsStagesOnGroupsWhereAskedAndPossible)
{
    const PipelineProblem problem = MakeUnevenGroupProblem();
    const PipelineCostModel costModel(problem);
    const auto improve = [&](bool takesGroups) {
        PipelinePlan plan{{{0, 0, problem.layers.size() - 1}}};
        double seconds = costModel.IterationSeconds(plan);
        ImprovePlan(costModel, 3000, plan, seconds, takesGroups);
        costModel.CheckPlan(plan);
        EXPECT_DOUBLE_EQ(seconds, costModel.IterationSeconds(plan));
        EXPECT_EQ(HasGroup(plan), takesGroups);
        return seconds;
    };
    EXPECT_LT(improve(true), 0.95 * improve(false));
}

TEST(EdgepipePartialPlanner, PromisesTheIterationTimeOfAFinishedPlan)
{
    uint64_t grouped = 0;
    for (uint64_t seed = 0; seed < 400; ++seed)
    {
        const bool takesGroups = seed % 2 == 1;
        const PipelineProblem problem =
            takesGroups ? MakeGroupProblem(seed) : MakeRandomProblem(seed);
        const PipelineCostModel costModel(problem);
        Draws draws(seed);
        PartialPlanner partials(costModel, takesGroups);
        PartialPlan partial = partials.Begin();
        EXPECT_LE(CanGrowPlans(costModel), partials.CanGrowPlans()) << seed;
        if (!partials.CanGrowPlans())
        {
            continue;
        }
        while (!partials.IsFinished(partial))
        {
            const auto devices = partials.FindDevices(partial);
            ASSERT_FALSE(devices.empty()) << seed;
            const auto device = devices[draws.Integer(0, devices.size() - 1)];
            const auto stages = partials.FindStages(partial, device, 3);
            ASSERT_FALSE(stages.empty()) << seed;
            const PipelineStage& stage = stages[draws.Integer(0, stages.size() - 1)];
            grouped += stage.group.size() > 1;
            partial = partials.Extend(partial, partials.FindAlike(partial, stage));
            std::vector<float> features;
            partials.Describe(partial, features);
            ASSERT_EQ(features.size(), PartialPlanner::FEATURES);
            for (float feature : features)
            {
                ASSERT_TRUE(feature >= 0 && feature <= 4) << seed;
            }
        }
        costModel.CheckPlan(partial.plan);
        EXPECT_NEAR(partial.promise,
                    costModel.IterationSeconds(partial.plan),
                    1e-9 * costModel.IterationSeconds(partial.plan));
        EXPECT_TRUE(partials.CanGrow(partial.plan)) << seed;
    }
    EXPECT_GT(grouped, 50);
}

} // namespace
