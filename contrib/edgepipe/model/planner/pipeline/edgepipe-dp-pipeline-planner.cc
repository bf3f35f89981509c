/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-dp-pipeline-planner.h"

#include "edgepipe-fastest-first.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/string.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(DpPipelinePlanner);

namespace
{

constexpr double IMPOSSIBLE = std::numeric_limits<double>::infinity();

/**
 * @param costModel the cost model
 * @return prefix sums of the layers' weights w(l)
 */
std::vector<double>
SumWeights(const PipelineCostModel& costModel)
{
    std::size_t layers = costModel.GetProblem().layers.size();
    std::vector<double> weights(layers + 1, 0);
    for (std::size_t d = 0; d < costModel.GetProblem().devices.size(); ++d)
    {
        auto seconds = [&](std::size_t last) {
            return costModel.StageForwardSeconds(d, 0, last) +
                   costModel.StageBackwardSeconds(d, 0, last);
        };
        double total = seconds(layers - 1);
        for (std::size_t i = 0; i < layers && total > 0; ++i)
        {
            weights[i + 1] += seconds(i) / total;
        }
    }
    return weights;
}

} // namespace

TypeId
DpPipelinePlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::DpPipelinePlanner")
                            .SetParent<PipelinePlanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<DpPipelinePlanner>()
                            .AddAttribute("Variant",
                                          "as-read: balances work on the mean device, devices in "
                                          "their order, transfers left out; transfer-aware: by "
                                          "every device's own speed, the fastest first, and with "
                                          "transfers.",
                                          StringValue("as-read"),
                                          MakeStringAccessor(&DpPipelinePlanner::m_variant),
                                          MakeStringChecker());
    return tid;
}

std::string
DpPipelinePlanner::GetName() const
{
    return "dp";
}

PipelinePlan
DpPipelinePlanner::DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel)
{
    const std::size_t layers = problem.layers.size();
    const std::size_t stages = std::min(problem.devices.size(), layers);
    const bool isAware = m_variant == "transfer-aware";
    if (!isAware && m_variant != "as-read")
    {
        throw InputError("Variant: found \"" + m_variant +
                         "\", expected as-read or transfer-aware");
    }
    const std::vector<double> weights = SumWeights(costModel);
    std::vector<std::size_t> devices(problem.devices.size());
    std::iota(devices.begin(), devices.end(), 0);
    devices = isAware ? FindFastestFirst(costModel) : devices;
    // What stage r takes for layers i to j - 1.
    const auto weigh = [&](std::size_t r, std::size_t i, std::size_t j) {
        return isAware ? costModel.StageForwardSeconds(devices[r], i, j - 1) +
                             costModel.StageBackwardSeconds(devices[r], i, j - 1)
                       : weights[j] - weights[i];
    };
    // What bringing it its input takes.
    const auto weighInput = [&](std::size_t r, std::size_t i) {
        if (!isAware || r == 0 || i == 0)
        {
            return 0.0;
        }
        const CutTimes c = costModel.CutSeconds(i - 1, devices[r - 1], devices[r]);
        return c.forward + c.backward;
    };
    std::vector<std::vector<double>> best(stages + 1, std::vector<double>(layers + 1, IMPOSSIBLE));
    std::vector<std::vector<std::size_t>> cut(stages + 1, std::vector<std::size_t>(layers + 1, 0));
    best[0][0] = 0;
    for (std::size_t r = 0; r < stages; ++r)
    {
        for (std::size_t j = 1; j <= layers; ++j)
        {
            // Going back from j, stages only grow: the first that does not fit ends the search.
            for (std::size_t i = j; i-- > 0;)
            {
                double weight = weigh(r, i, j);
                if (costModel.StageMemoryBytes(i, j - 1) >
                        problem.devices[devices[r]].memoryBytes ||
                    weight > best[r + 1][j])
                {
                    break;
                }
                double bottleneck = std::max({best[r][i], weight, weighInput(r, i)});
                if (bottleneck < best[r + 1][j])
                {
                    best[r + 1][j] = bottleneck;
                    cut[r + 1][j] = i;
                }
            }
        }
    }

    std::size_t used = 0;
    for (std::size_t r = 1; r <= stages; ++r)
    {
        if (best[r][layers] < best[used][layers])
        {
            used = r;
        }
    }
    if (used == 0)
    {
        throw InputError("no plan fits: no cut into stages fits the memory of the devices, taken "
                         "in their order");
    }
    PipelinePlan plan;
    for (std::size_t end = layers; used > 0; end = cut[used][end], --used)
    {
        plan.stages.insert(plan.stages.begin(), {devices[used - 1], cut[used][end], end - 1});
    }
    return plan;
}

} // namespace edgepipe
} // namespace ns3
