// SPDX-License-Identifier: GPL-2.0-only
//
// The planner hybrid against every plan with groups of small problems.

#include "planner/pipeline/random-pipeline-problem.h"

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"

#include <limits>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// Tries every cut, every group of devices and every way to share samples.
class EveryGroupPlan
{
  public:
    explicit EveryGroupPlan(const PipelineProblem& problem)
        : m_problem(problem),
          m_costs(problem),
          m_isTaken(problem.devices.size(), false)
    {
        AddStage(0);
    }

    double least{std::numeric_limits<double>::infinity()}; //!< time of any plan that fits
    uint64_t plans{0};                                     //!< that fit

  private:
    void AddStage(std::size_t first)
    {
        if (first == m_problem.layers.size())
        {
            if (m_costs.Fits(m_plan))
            {
                m_costs.CheckPlan(m_plan);
                ++plans;
                least = std::min(least, m_costs.IterationSeconds(m_plan));
            }
            return;
        }
        for (std::size_t last = first; last < m_problem.layers.size(); ++last)
        {
            m_plan.stages.push_back({0, first, last});
            AddDevice(0, m_problem.microBatchSamples);
            m_plan.stages.pop_back();
        }
    }

    /// @param from devices before it are not added to the last stage's group any more
    /// @param left samples that no device of the group has
    void AddDevice(std::size_t from, uint32_t left)
    {
        if (left == 0)
        {
            const PipelineStage kept = m_plan.stages.back();
            PipelineStage& stage = m_plan.stages.back();
            stage.device = stage.group.front().device;
            if (stage.group.size() == 1)
            {
                stage.group.clear();
            }
            AddStage(stage.lastLayer + 1);
            m_plan.stages.back() = kept;
            return;
        }
        for (std::size_t device = from; device < m_problem.devices.size(); ++device)
        {
            if (m_isTaken[device])
            {
                continue;
            }
            m_isTaken[device] = true;
            for (uint32_t samples = 1; samples <= left; ++samples)
            {
                m_plan.stages.back().group.push_back({device, samples});
                AddDevice(device + 1, left - samples);
                m_plan.stages.back().group.pop_back();
            }
            m_isTaken[device] = false;
        }
    }

    const PipelineProblem& m_problem;
    PipelineCostModel m_costs;
    PipelinePlan m_plan;
    std::vector<bool> m_isTaken;
};

/// @return seconds of the planner's plan; nothing if it finds that none fits
std::optional<double>
PlanSeconds(const PipelineProblem& problem, const std::string& planner)
{
    try
    {
        const auto plan = FindByName<PipelinePlanner>("planner", planner)->Plan(problem);
        return PipelineCostModel(problem).IterationSeconds(plan);
    }
    catch (const InputError&)
    {
        return std::nullopt;
    }
}

} // namespace

TEST(HybridPipelinePlanner, EqualsBruteForce)
{
    uint32_t grouped = 0;
    uint32_t impossible = 0;
    for (uint64_t seed = 1; seed <= 400; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const PipelineProblem problem = MakeGroupProblem(seed);
        const EveryGroupPlan all(problem);
        const auto found = PlanSeconds(problem, "hybrid");
        ASSERT_EQ(found.has_value(), all.plans > 0);
        impossible += !found;
        if (!found)
        {
            continue;
        }
        EXPECT_NEAR(*found, all.least, 1e-9 * all.least);
        const auto single = PlanSeconds(problem, "exact");
        grouped += !single || *found < *single * (1 - 1e-6);
    }
    EXPECT_GT(grouped, 60U);     // problems in which a group helps
    EXPECT_LT(impossible, 120U); // problems that no plan fits
}

TEST(HybridPipelinePlanner, SplitsNoMicroBatchOfMoreSamplesThanAreShared)
{
    PipelineProblem problem = MakeGroupProblem(2);
    problem.sharesMedium = false;
    for (PipelineDevice& device : problem.devices)
    {
        device.memoryBytes = 1000000000;
    }
    for (const bool hasParts : {true, false})
    {
        for (const uint32_t samples : {PipelineProblem::MOST_SHARED_SAMPLES + 1, UINT32_MAX})
        {
            problem.microBatchSamples = samples;
            for (auto& [type, costs] : problem.costs)
            {
                costs.parts.clear();
                if (hasParts)
                {
                    costs.parts = {{1, costs.forwardSeconds, costs.backwardSeconds}};
                }
            }
            EXPECT_FALSE(problem.TakesGroups());
            const auto single = PlanSeconds(problem, "exact");
            ASSERT_TRUE(single.has_value());
            EXPECT_EQ(PlanSeconds(problem, "hybrid"), single);
        }
    }
}
