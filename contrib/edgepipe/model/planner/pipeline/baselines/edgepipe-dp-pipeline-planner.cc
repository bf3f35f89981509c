/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace ns3::edgepipe
{

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
        double total = costModel.StageSeconds(d, 0, layers - 1);
        for (std::size_t i = 0; i < layers && total > 0; ++i)
        {
            weights[i + 1] += costModel.StageSeconds(d, 0, i) / total;
        }
    }
    return weights;
}

/// What a stage counts for.
using StageWeight = std::function<double(std::size_t r, std::size_t first, std::size_t end)>;

/**
 * Make the heaviest of the stages, and of the transfers between them, as light as possible. With
 * W(r, i, j) the weight of layers i to j - 1 as stage r, and X(r, i) that of its input's transfer,
 *
 *     best(0, 0) = 0,   best(r + 1, j) = min over i < j of max(best(r, i), W(r, i, j), X(r, i)),
 *
 * where layers i to j - 1 must fit the memory of stage r's device. The answer is the least
 * best(r, L) over r up to the number of devices; ties go to fewer stages, then to the later cut.
 * It takes O(devices * layers^2) time and O(devices * layers) memory.
 *
 * @param costModel of the problem
 * @param devices in the order of the stages that they get
 * @param weigh W, which must not fall as the first layer does
 * @param weighInput X
 * @return the plan
 * @throws InputError if none fits
 */
PipelinePlan
Balance(const PipelineCostModel& costModel,
        const std::vector<std::size_t>& devices,
        const StageWeight& weigh,
        const std::function<double(std::size_t r, std::size_t first)>& weighInput)
{
    const std::size_t layers = costModel.GetProblem().layers.size();
    const std::size_t stages = std::min(devices.size(), layers);
    std::vector<std::vector<double>> best(stages + 1, std::vector<double>(layers + 1, IMPOSSIBLE));
    std::vector<std::vector<std::size_t>> cut(stages + 1, std::vector<std::size_t>(layers + 1, 0));
    best[0][0] = 0;
    for (std::size_t r = 0; r < stages; ++r)
    {
        for (std::size_t j = 1; j <= layers; ++j)
        {
            for (std::size_t i = j; i-- > 0;)
            {
                double weight = weigh(r, i, j);
                // Stages only get longer as i falls.
                if (weight > best[r + 1][j])
                {
                    break;
                }
                if (!costModel.Fits({devices[r], i, j - 1}))
                {
                    continue;
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
    Require(used > 0,
            "no plan fits: no cut into stages fits the memory of the devices, taken "
            "in their order");
    PipelinePlan plan;
    for (std::size_t end = layers; used > 0; end = cut[used][end], --used)
    {
        plan.stages.insert(plan.stages.begin(), {devices[used - 1], cut[used][end], end - 1});
    }
    return plan;
}

} // namespace

/**
 * Balances the stages by dynamic programming over cuts, see Balance: devices are ordered fastest
 * first, a stage weighs its forward and backward seconds on its own device, and the transfer of
 * its input, forward and backward, those at the rates of its device and the one before it.
 */
class DpPipelinePlanner : public Named<DpPipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "dp"; //!< for users

    bool UsesSharedMedium() const override
    {
        return false;
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& /* problem */,
                        const PipelineCostModel& costModel) override
    {
        const std::vector<std::size_t> devices = FindFastestFirst(costModel);
        return Balance(
            costModel,
            devices,
            [&](std::size_t r, std::size_t i, std::size_t j) {
                return costModel.StageSeconds(devices[r], i, j - 1);
            },
            [&](std::size_t r, std::size_t i) {
                if (r == 0 || i == 0)
                {
                    return 0.0;
                }
                const PassSeconds c = costModel.CutSeconds(i - 1, devices[r - 1], devices[r]);
                return c.forward + c.backward;
            });
    }
};

NS_OBJECT_ENSURE_REGISTERED(DpPipelinePlanner);

/**
 * Balances the stages on a device of mean speed, then gives them to the devices in order.
 *
 * This is the baseline "DP" of the paper "DQN-GRU guided distributed DNN pipeline training and
 * adjacent scheduling in edge networks" (DGPAS). Let t(l, d) be the forward and backward seconds
 * of layer l on device d and t(d) their sum over the layers. Device d runs the model at speed
 * 1 / t(d), so a layer weighs w(l) = sum over d of t(l, d) / t(d), up to a factor that does not
 * change the balance. It ignores transfers and the differences between devices.
 */
class DgpasDpPipelinePlanner : public Named<DgpasDpPipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "dp-dgpas"; //!< for users

    bool UsesSharedMedium() const override
    {
        return false;
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel) override
    {
        const std::vector<double> weights = SumWeights(costModel);
        std::vector<std::size_t> devices(problem.devices.size());
        std::iota(devices.begin(), devices.end(), 0);
        return Balance(
            costModel,
            devices,
            [&](std::size_t, std::size_t i, std::size_t j) { return weights[j] - weights[i]; },
            [](std::size_t, std::size_t) { return 0.0; });
    }
};

NS_OBJECT_ENSURE_REGISTERED(DgpasDpPipelinePlanner);

/**
 * PipeDream's planner: balances stages on groups of alike devices.
 *
 * D. Narayanan et al., "PipeDream: generalized pipeline parallelism for DNN training", SOSP 2019,
 * section 3.1, for one level of links. On m of the workers, which are taken as equal,
 *
 *     T(i -> j, m) = 1 / m max(sum of T_l, 2 (m - 1) sum of |w_l| / B),
 *     A(j, m) = min over i, m' of max(A(i, m - m'), 2 a_i / B, T(i + 1 -> j, m')).
 *
 * T_l is that of a device of mean speed, as in `dp-dgpas`, and B the problem's bandwidth. PipeDream
 * updates the weights after every micro-batch; here the sum of the gradients counts as its part of
 * an iteration. Devices serve the stages in their order, each with an even share of the samples of
 * every micro-batch, and the largest share must fit the memory of every device of its group. The
 * answer is the least A(L, m) over m; ties go to fewer devices. It takes O(layers^2 devices^2)
 * time.
 */
class PipeDreamPlanner : public Named<PipeDreamPlanner, PipelinePlanner>
{
  public:
    static constexpr const char* NAME = "pipedream"; //!< for users

    bool UsesGroups() const override
    {
        return true;
    }

    bool UsesSharedMedium() const override
    {
        return false;
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel) override
    {
        const std::size_t layers = problem.layers.size();
        const std::size_t devices = problem.devices.size();
        const uint32_t samples = problem.TakesGroups() ? problem.microBatchSamples : 1;
        const auto weights = SumWeights(costModel);
        double speed = 0;
        for (std::size_t d = 0; d < devices; ++d)
        {
            speed += 1 / std::max(costModel.StageSeconds(d, 0, layers - 1), 1e-30);
        }
        // By first device and size, the least memory of a group.
        std::vector<std::vector<uint64_t>> memory(devices);
        for (std::size_t d = 0; d < devices; ++d)
        {
            memory[d].push_back(std::numeric_limits<uint64_t>::max());
            for (std::size_t other = d; other < devices; ++other)
            {
                memory[d].push_back(std::min(memory[d].back(), problem.devices[other].memoryBytes));
            }
        }

        /** The last stage of the best plan of some layers on some devices. */
        struct Best
        {
            double seconds{IMPOSSIBLE}; //!< A
            std::size_t first{0};       //!< layer of the stage
            std::size_t devices{0};     //!< of the stage
        };

        std::vector<std::vector<Best>> best(layers + 1, std::vector<Best>(devices + 1));
        best[0][0].seconds = 0;
        for (std::size_t j = 1; j <= layers; ++j)
        {
            for (std::size_t i = 0; i < j; ++i)
            {
                const double input = i > 0 ? 2 * costModel.TransferSeconds(i - 1) : 0;
                const double compute = (weights[j] - weights[i]) / speed;
                const double send = 8.0 * costModel.GetTensors(i, j - 1).parameterBytes /
                                    problem.bandwidthBitsPerSecond / problem.microBatches;
                for (std::size_t size = 1; size <= std::min<std::size_t>(devices, samples); ++size)
                {
                    const double stage =
                        std::max(compute, 2 * (static_cast<double>(size) - 1) * send) / size;
                    const uint32_t part = (samples + size - 1) / size;
                    const uint64_t needed = costModel.CountMemory(i, j - 1, part, samples)
                                                .GetBytes(problem.microBatches);
                    for (std::size_t before = 0; before + size <= devices; ++before)
                    {
                        Best& found = best[j][before + size];
                        const double slowest = std::max({best[i][before].seconds, input, stage});
                        if (slowest < found.seconds && needed <= memory[before][size])
                        {
                            found = {slowest, i, size};
                        }
                    }
                }
            }
        }
        std::size_t used = 0;
        for (std::size_t m = 1; m <= devices; ++m)
        {
            used = best[layers][m].seconds < best[layers][used].seconds ? m : used;
        }
        Require(used > 0,
                "no plan fits: no cut into stages fits the memory of the devices, taken "
                "in their order");
        PipelinePlan plan;
        for (std::size_t end = layers; end > 0;)
        {
            const Best& last = best[end][used];
            used -= last.devices;
            PipelineStage stage{used, last.first, end - 1};
            for (std::size_t d = 0; last.devices > 1 && d < last.devices; ++d)
            {
                const bool hasMore = d < samples % last.devices;
                stage.group.push_back(
                    {used + d, static_cast<uint32_t>(samples / last.devices + hasMore)});
            }
            plan.stages.insert(plan.stages.begin(), std::move(stage));
            end = last.first;
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(PipeDreamPlanner);

} // namespace ns3::edgepipe
