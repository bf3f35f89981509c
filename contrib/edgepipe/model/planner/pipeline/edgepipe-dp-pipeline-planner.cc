/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-cost-model.h"
#include "edgepipe-pipeline-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"

#include <algorithm>
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

} // namespace

/**
 * Balances the stages on a device of mean speed, then gives them to the devices in order.
 *
 * This is the "DP" that pipeline training papers compare with. Let t(l, d) be the forward and
 * backward seconds of layer l on device d and t(d) their sum over the layers. Device d runs the
 * model at speed 1 / t(d), so a layer weighs w(l) = sum over d of t(l, d) / t(d), up to a factor
 * that does not change the balance. With W(i, j) the weight of layers i to j - 1 and r counting
 * stages,
 *
 *     best(0, 0) = 0,   best(r + 1, j) = min over i < j of max(best(r, i), W(i, j)),
 *
 * where layers i to j - 1 must fit the memory of device r, which stage r gets. The answer is the
 * least best(r, L) over r up to the number of devices; ties go to fewer stages, then to the later
 * cut. The baseline ignores transfers and the differences between devices. It takes
 * O(devices * layers^2) time and O(devices * layers) memory.
 *
 * Variant "transfer-aware", which is ours, accounts for both: devices are ordered fastest first,
 * W(i, j) is the forward and backward seconds of the layers on device r, and a stage counts as no
 * shorter than the transfer of its input, forward and backward, at the rates of device r and the
 * one before it.
 */
class DpPipelinePlanner : public Named<DpPipelinePlanner, PipelinePlanner>
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::DpPipelinePlanner"; //!< name of its TypeId
    static constexpr const char* NAME = "dp";                               //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add("Variant",
                                   "as-read: balances work on a mean device, devices in "
                                   "their order, without transfers; transfer-aware: by "
                                   "each device's own speed, fastest device first, with "
                                   "transfers.",
                                   {&DpPipelinePlanner::m_variant, "as-read"});
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem, const PipelineCostModel& costModel) override
    {
        const std::size_t layers = problem.layers.size();
        const std::size_t stages = std::min(problem.devices.size(), layers);
        const bool isAware = m_variant == "transfer-aware";
        Require(isAware || m_variant == "as-read",
                "Variant: found \"" + m_variant + "\", expected as-read or transfer-aware");
        const std::vector<double> weights = SumWeights(costModel);
        std::vector<std::size_t> devices(problem.devices.size());
        std::iota(devices.begin(), devices.end(), 0);
        devices = isAware ? FindFastestFirst(costModel) : devices;
        // Seconds (or weight) of stage r for layers i to j - 1.
        const auto weigh = [&](std::size_t r, std::size_t i, std::size_t j) {
            return isAware ? costModel.StageSeconds(devices[r], i, j - 1) : weights[j] - weights[i];
        };
        // Seconds of its input's transfer.
        const auto weighInput = [&](std::size_t r, std::size_t i) {
            if (!isAware || r == 0 || i == 0)
            {
                return 0.0;
            }
            const PassSeconds c = costModel.CutSeconds(i - 1, devices[r - 1], devices[r]);
            return c.forward + c.backward;
        };
        std::vector<std::vector<double>> best(stages + 1,
                                              std::vector<double>(layers + 1, IMPOSSIBLE));
        std::vector<std::vector<std::size_t>> cut(stages + 1,
                                                  std::vector<std::size_t>(layers + 1, 0));
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

    std::string m_variant; //!< as-read or transfer-aware
};

NS_OBJECT_ENSURE_REGISTERED(DpPipelinePlanner);

/**
 * PipeDream's planner: balances stages on groups of alike devices.
 *
 * D. Narayanan et al., "PipeDream: generalized pipeline parallelism for DNN training", SOSP 2019,
 * section 3.1, for one level of links. On m of the workers, which are taken as equal,
 *
 *     T(i -> j, m) = 1 / m max(sum of T_l, 2 (m - 1) sum of |w_l| / B),
 *     A(j, m) = min over i, m' of max(A(i, m - m'), 2 a_i / B, T(i + 1 -> j, m')).
 *
 * T_l is that of a device of mean speed, as in `dp`, and B the problem's bandwidth. PipeDream
 * updates the weights after every micro-batch; here the sum of the gradients counts as its part of
 * an iteration. Devices serve the stages in their order, each with an even share of the samples of
 * every micro-batch, and the largest share must fit the memory of every device of its group. The
 * answer is the least A(L, m) over m; ties go to fewer devices. It takes O(layers^2 devices^2)
 * time.
 */
class PipeDreamPlanner : public Named<PipeDreamPlanner, PipelinePlanner>
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::PipeDreamPlanner"; //!< name of its TypeId
    static constexpr const char* NAME = "pipedream";                       //!< for users

    bool UsesGroups() const override
    {
        return true;
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
