// SPDX-License-Identifier: GPL-2.0-only

#include "quick-planner.h"
#include "random-pipeline-problem.h"

namespace
{

/// Planners that need not find a plan wherever there is one: they keep to an order of devices, or
/// search blindly.
const std::set<std::string>
    MAY_FIND_NONE{"dp", "dp-dgpas", "even", "fastest-device", "ga", "pipedream", "pso"};
/// Random problems for planners that train, unless EDGEPIPE_PLANNER_PROBLEMS says otherwise.
constexpr uint64_t FEW = 12;
/// Random problems for the others.
constexpr uint64_t MANY = 500;

/// @return whether no plan fits a random problem, by the exact planner
bool
IsImpossible(uint64_t seed)
{
    static std::map<uint64_t, bool> found;
    const auto [known, isNew] = found.emplace(seed, false);
    if (isNew)
    {
        known->second =
            !ErrorOf([seed] {
                 FindByName<PipelinePlanner>("planner", "exact")->Plan(MakeRandomProblem(seed));
             }).empty();
    }
    return known->second;
}

/// Plans random problems. Plan checks every rule of a plan, and reports one that is broken as an
/// InputError that names the stage, device or layer, unlike the ones that are expected.
void
PlanRandomProblems(const std::string& name, uint64_t problems)
{
    uint64_t impossible = 0;
    uint64_t planned = 0;
    for (uint64_t seed = 0; seed < problems; ++seed)
    {
        const PipelineProblem problem = MakeRandomProblem(seed);
        const bool isImpossible = IsImpossible(seed);
        std::string refusal;
        try
        {
            const PipelinePlan plan = MakeQuickPlanner(name)->Plan(problem);
            PipelineCostModel(problem).CheckPlan(plan);
            ++planned;
        }
        catch (const InputError& error)
        {
            refusal = error.what();
        }
        const std::string what = name + ", problem " + std::to_string(seed);
        if (isImpossible)
        {
            EXPECT_NE(refusal, "") << what;
            ++impossible;
        }
        if (refusal.empty())
        {
            continue;
        }
        EXPECT_EQ(refusal.rfind("planner " + name + ": ", 0), 0u) << what << ": " << refusal;
        if (MAY_FIND_NONE.count(name) == 0)
        {
            EXPECT_TRUE(isImpossible) << what << ": " << refusal;
            EXPECT_NE(refusal.find("fit"), std::string::npos) << what << ": " << refusal;
        }
    }
    EXPECT_GT(impossible, problems / 20) << name;
    EXPECT_GT(planned, problems / 5) << name;
}

TEST(EdgepipeEveryPipelinePlanner, NeverBreaksARuleAndSaysSoWhereNoPlanFits)
{
    const char* asked = std::getenv("EDGEPIPE_PLANNER_PROBLEMS");
    std::string untried;
    for (const auto& [name, learns] : FindPipelinePlanners())
    {
        if (learns && !EDGEPIPE_HAS_TORCH)
        {
            untried += " " + name;
            continue;
        }
        const uint64_t problems = learns ? (asked ? std::strtoull(asked, nullptr, 10) : FEW) : MANY;
        PlanRandomProblems(name, problems);
    }
    if (!untried.empty())
    {
        GTEST_SKIP() << "this build is without LibTorch: not tried are" << untried;
    }
}

} // namespace
