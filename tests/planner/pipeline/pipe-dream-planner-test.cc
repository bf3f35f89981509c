// SPDX-License-Identifier: GPL-2.0-only
//
// PipeDream's planner against every way to give devices, in their order, to consecutive layers.

#include "planner/pipeline/random-pipeline-problem.h"

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"

#include <limits>

using namespace ns3;
using namespace ns3::edgepipe;

namespace
{

/// The paper's objective.
class PipeDreamObjective
{
  public:
    explicit PipeDreamObjective(const PipelineProblem& problem)
        : m_problem(problem),
          m_costs(problem)
    {
    }

    /// @return the stage, with even shares
    PipelineStage MakeStage(std::size_t device,
                            std::size_t size,
                            std::size_t first,
                            std::size_t last) const
    {
        PipelineStage stage{device, first, last};
        for (std::size_t d = 0; size > 1 && d < size; ++d)
        {
            const uint32_t all = m_problem.microBatchSamples;
            stage.group.push_back(
                {device + d, static_cast<uint32_t>(all / size + (d < all % size))});
        }
        return stage;
    }

    /// @return max of T of the stage and the transfer of its input; infinite: no memory for it
    double GetSeconds(std::size_t device,
                      std::size_t size,
                      std::size_t first,
                      std::size_t last) const
    {
        double relative = 0;
        double speed = 0;
        uint64_t memory = std::numeric_limits<uint64_t>::max();
        for (std::size_t d = 0; d < m_problem.devices.size(); ++d)
        {
            const double whole = m_costs.StageSeconds(d, 0, m_problem.layers.size() - 1);
            relative += whole > 0 ? m_costs.StageSeconds(d, first, last) / whole : 0;
            speed += 1 / std::max(whole, 1e-30);
            const bool isIn = d >= device && d < device + size;
            memory = isIn ? std::min(memory, m_problem.devices[d].memoryBytes) : memory;
        }
        const PipelineStage stage = MakeStage(device, size, first, last);
        const uint32_t most = size > 1 ? stage.group.front().samples : 1;
        if (m_costs.ReplicaMemoryBytes(stage, most) > memory)
        {
            return std::numeric_limits<double>::infinity();
        }
        double bytes = 0;
        for (std::size_t layer = first; layer <= last; ++layer)
        {
            bytes += m_problem.layers[layer].parameterBytes;
        }
        const double sync = 2.0 * (size - 1) * 8 * bytes / m_problem.bandwidthBitsPerSecond /
                            m_problem.microBatches;
        return std::max(std::max(relative / speed, sync) / size,
                        first > 0 ? 2 * m_costs.TransferSeconds(first - 1) : 0);
    }

    /// @return the least of any plan from a layer and a device on
    double FindLeast(std::size_t first = 0, std::size_t device = 0) const
    {
        double least = std::numeric_limits<double>::infinity();
        const std::size_t layers = m_problem.layers.size();
        for (std::size_t last = first; last < layers; ++last)
        {
            for (std::size_t size = 1; device + size <= m_problem.devices.size() &&
                                       size <= std::max(1U, m_problem.microBatchSamples);
                 ++size)
            {
                const double rest = last + 1 < layers ? FindLeast(last + 1, device + size) : 0;
                least = std::min(least, std::max(rest, GetSeconds(device, size, first, last)));
            }
        }
        return least;
    }

    /// @return the objective of a plan
    double GetSeconds(const PipelinePlan& plan) const
    {
        double most = 0;
        std::size_t device = 0;
        for (const PipelineStage& stage : plan.stages)
        {
            const std::size_t size = std::max<std::size_t>(1, stage.group.size());
            EXPECT_EQ(ListDevices({{stage}}),
                      ListDevices({{MakeStage(device, size, stage.firstLayer, stage.lastLayer)}}));
            most = std::max(most, GetSeconds(device, size, stage.firstLayer, stage.lastLayer));
            device += size;
        }
        return most;
    }

  private:
    const PipelineProblem& m_problem;
    PipelineCostModel m_costs;
};

} // namespace

TEST(PipeDreamPlanner, HasTheLeastObjective)
{
    const auto planner = FindByName<PipelinePlanner>("planner", "pipedream");
    uint32_t grouped = 0;
    uint32_t impossible = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const PipelineProblem problem = MakeGroupProblem(seed);
        const PipeDreamObjective objective(problem);
        const double least = objective.FindLeast();
        if (least == std::numeric_limits<double>::infinity())
        {
            EXPECT_THROW(planner->Plan(problem), InputError);
            ++impossible;
            continue;
        }
        const PipelinePlan plan = planner->Plan(problem);
        EXPECT_NEAR(objective.GetSeconds(plan), least, 1e-9 * least);
        grouped += std::any_of(plan.stages.begin(), plan.stages.end(), [](const auto& stage) {
            return !stage.group.empty();
        });
    }
    EXPECT_GT(grouped, 60U);
    EXPECT_LT(impossible, 150U);
}
