/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-planner.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <numeric>

namespace ns3::edgepipe
{

/**
 * Gives every worker the same share of the base batch; the first ones take the remainder.
 */
class EqualSharesPlanner : public Named<EqualSharesPlanner, BatchSharesPlanner>
{
  public:
    static constexpr const char* NAME = "equal"; //!< for users

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override
    {
        return {SplitBatch(problem.baseBatch, std::vector<double>(problem.nodes.size(), 1))};
    }
};

NS_OBJECT_ENSURE_REGISTERED(EqualSharesPlanner);

/**
 * Splits the base batch in proportion to weights drawn uniformly from 0 to 1, anew each time.
 */
class RandomSharesPlanner : public Named<RandomSharesPlanner, BatchSharesPlanner>
{
  public:
    static constexpr const char* NAME = "random"; //!< for users

    int64_t AssignStreams(int64_t stream) override
    {
        m_weight->SetStream(stream);
        return 1;
    }

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override
    {
        std::vector<double> weights;
        for (std::size_t i = 0; i < problem.nodes.size(); ++i)
        {
            weights.push_back(m_weight->GetValue());
        }
        return {SplitBatch(problem.baseBatch, weights)};
    }

    Ptr<UniformRandomVariable> m_weight{
        MakeRandomVariable<UniformRandomVariable>(STREAMS.first)}; //!< of a node
};

NS_OBJECT_ENSURE_REGISTERED(RandomSharesPlanner);

namespace
{

/// Bisection steps, enough for the precision of a double.
constexpr int BISECTIONS = 100;

} // namespace

/**
 * A reference of ours: minimises the latest finish time. A node with b samples finishes after
 * communicationSeconds + b * opsPerSample / opsPerSecond.
 */
class OptimalSharesPlanner : public Named<OptimalSharesPlanner, BatchSharesPlanner>
{
  public:
    static constexpr const char* NAME = "optimal"; //!< for users

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override
    {
        Require(problem.opsPerSample > 0,
                "opsPerSample: found 0, expected the operations that a sample takes");
        std::vector<double> secondsPerSample;
        for (const auto& node : problem.nodes)
        {
            if (!(node.opsPerSecond > 0))
            {
                throw InputError(
                    "node " + QuoteForMessage(node.name) +
                    ", opsPerSecond: found 0, expected more, since it computes a sample");
            }
            secondsPerSample.push_back(problem.opsPerSample / node.opsPerSecond);
        }
        const auto fill = [&](double deadline) {
            std::vector<uint64_t> batches;
            for (std::size_t i = 0; i < problem.nodes.size(); ++i)
            {
                const double left = deadline - problem.nodes[i].communicationSeconds;
                const double samples =
                    std::min(left / secondsPerSample[i], 2.0 * LARGEST_BASE_BATCH);
                batches.push_back(samples > 1 ? static_cast<uint64_t>(samples) : 1);
            }
            return batches;
        };
        const auto count = [](const std::vector<uint64_t>& batches) {
            return std::accumulate(batches.begin(), batches.end(), uint64_t{0});
        };
        double low = 0;
        double high = problem.nodes.front().communicationSeconds +
                      secondsPerSample.front() * static_cast<double>(problem.baseBatch);
        for (int step = 0; step < BISECTIONS; ++step)
        {
            const double middle = low + (high - low) / 2;
            (count(fill(middle)) < problem.baseBatch ? low : high) = middle;
        }
        BatchSharesPlan plan{fill(low)};
        // Each node lacks at most one sample: give it to those that would finish it first.
        std::vector<std::pair<double, std::size_t>> next;
        for (std::size_t i = 0; i < plan.batches.size(); ++i)
        {
            next.emplace_back(problem.nodes[i].communicationSeconds +
                                  secondsPerSample[i] * static_cast<double>(plan.batches[i] + 1),
                              i);
        }
        std::sort(next.begin(), next.end());
        uint64_t given = count(plan.batches);
        for (std::size_t i = 0; given < problem.baseBatch; i = (i + 1) % next.size(), ++given)
        {
            ++plan.batches[next[i].second];
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(OptimalSharesPlanner);

} // namespace ns3::edgepipe
