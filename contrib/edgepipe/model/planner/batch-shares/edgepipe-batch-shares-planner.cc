/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-planner.h"

#include <algorithm>
#include <numeric>

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(BatchSharesPlanner);

BatchSharesPlan
BatchSharesPlanner::Plan(const BatchSharesProblem& problem)
{
    ValidateBatchSharesProblem(problem);
    return MakeOrRefuse([&] {
        BatchSharesPlan plan = DecideTimed([&] { return DoPlan(problem); });
        const auto isEmpty = [](uint64_t batch) { return batch == 0; };
        Require(plan.batches.size() == problem.nodes.size() &&
                    std::none_of(plan.batches.begin(), plan.batches.end(), isEmpty),
                "made a plan that does not give every node a sample");
        return plan;
    });
}

std::vector<uint64_t>
SplitBatch(uint64_t baseBatch, std::vector<double> weights)
{
    const std::size_t count = weights.size();
    const double largest = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights)
    {
        weight = largest > 0 ? weight / largest : 1;
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<uint64_t> batches(count);
    std::vector<double> remainders(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        const double exact = baseBatch * (weights[i] / sum);
        batches[i] = std::max<uint64_t>(1, static_cast<uint64_t>(exact));
        remainders[i] = exact - static_cast<double>(batches[i]);
    }
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&remainders](std::size_t a, std::size_t b) {
        return remainders[a] > remainders[b];
    });
    uint64_t given = std::accumulate(batches.begin(), batches.end(), uint64_t{0});
    for (std::size_t i = 0; given < baseBatch; i = (i + 1) % count, ++given)
    {
        ++batches[order[i]];
    }
    // Raising nodes to one sample may exceed the base batch: reduce the largest batches.
    for (; given > baseBatch; --given)
    {
        --*std::max_element(batches.begin(), batches.end());
    }
    return batches;
}

} // namespace ns3::edgepipe
