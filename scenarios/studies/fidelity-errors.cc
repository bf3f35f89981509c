/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/fidelity-errors.h"

#include "lib/run-report.h"
#include "runs/percentile.h"

#include "ns3/abort.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Pairs of planners that differ by less are as good as each other.
constexpr double DIFFERENT = 0.05;
/// Pairs that are printed.
constexpr std::size_t SHOWN_PAIRS = 10;

/**
 * @param share a share
 * @return it in percent
 */
std::string
FormatShare(double share)
{
    return Table::Rounded(100 * share, 3) + " %";
}

/**
 * Add the distribution of some cases' differences to a table.
 *
 * @param table gets a row
 * @param name what they have in common
 * @param workload the same, or all
 * @param cases the cases
 * @param goal its figures follow, if not null
 */
void
AddDistribution(Table& table,
                const std::string& name,
                const std::string& workload,
                const std::vector<const FidelityComparison*>& cases,
                const FidelityGoal* goal)
{
    std::vector<double> errors;
    std::size_t stalled = 0;
    double sum = 0;
    for (const auto* one : cases)
    {
        if (one->IsFinished())
        {
            errors.push_back(std::abs(one->GetDifference()));
            sum += one->GetDifference();
        }
        stalled += !one->IsFinished();
    }
    if (cases.empty())
    {
        return;
    }
    const auto rank = [&](double share, double FidelityGoal::*most = nullptr) {
        return errors.empty() ? "-"
                              : FormatShare(FindPercentile(errors, share)) +
                                    (goal && most ? " (" + FormatShare(goal->*most) + ")" : "");
    };
    table.AddRow({name,
                  workload,
                  std::to_string(cases.size()),
                  std::to_string(stalled),
                  errors.empty() ? "-" : FormatShare(sum / errors.size()),
                  rank(0.5, &FidelityGoal::median),
                  rank(0.9),
                  rank(0.95, &FidelityGoal::p95),
                  rank(1, &FidelityGoal::worst)});
}

} // namespace

double
FidelityComparison::GetDifference() const
{
    return IsFinished() && packet.seconds > 0 ? flow.seconds / packet.seconds - 1 : 0;
}

double
FidelityComparison::GetNetworkShare() const
{
    return IsFinished() ? 1 - idealSeconds / packet.seconds : 0;
}

bool
FidelityComparison::IsFinished() const
{
    return packet.isFinished && flow.isFinished;
}

const std::vector<FidelityGoal>&
GetFidelityGoals()
{
    static const std::vector<FidelityGoal> goals{
        {"wired", {"lan", "p2p"}, 0.01, 0.05, 0.10},
        {"Wi-Fi", {"wifi"}, 0.04, 0.10, 0.20},
        {"cellular", {"3g", "4g", "cat1", "lte", "trace"}, 0.04, 0.10, 0.20},
        {"mixed", {"mixed"}, 0.04, 0.10, 0.20}};
    return goals;
}

const FidelityGoal&
FindFidelityGoal(const std::string& link)
{
    const auto& goals = GetFidelityGoals();
    const auto goal = std::find_if(goals.begin(), goals.end(), [&link](const auto& kind) {
        return std::count(kind.links.begin(), kind.links.end(), link) > 0;
    });
    NS_ABORT_MSG_IF(goal == goals.end(), "no goal for the link " << link);
    return *goal;
}

FidelityOrder
CompareOrders(const std::vector<FidelityComparison>& comparisons)
{
    FidelityOrder order;
    for (std::size_t i = 0; i < comparisons.size(); ++i)
    {
        for (std::size_t j = i + 1; j < comparisons.size(); ++j)
        {
            const auto* fast = &comparisons[i];
            const auto* slow = &comparisons[j];
            if (fast->setting != slow->setting || !fast->IsFinished() || !slow->IsFinished())
            {
                continue;
            }
            if (fast->packet.seconds > slow->packet.seconds)
            {
                std::swap(fast, slow);
            }
            if (slow->packet.seconds <= (1 + DIFFERENT) * fast->packet.seconds)
            {
                continue;
            }
            ++order.pairs;
            if (fast->flow.seconds < slow->flow.seconds)
            {
                ++order.alike;
                continue;
            }
            order.reversed.push_back(
                fast->options + "\n    beats the planner of\n    " + slow->options + "\n    by " +
                FormatRounded(fast->packet.seconds) + " s to " +
                FormatRounded(slow->packet.seconds) + " s in packets, in flows " +
                FormatRounded(fast->flow.seconds) + " s to " + FormatRounded(slow->flow.seconds) +
                " s");
        }
    }
    return order;
}

void
PrintFidelityErrors(const std::vector<FidelityComparison>& comparisons)
{
    Table table(
        {"links", "workload", "cases", "stalled", "mean", "median", "90th", "95th", "worst"});
    for (const auto& goal : GetFidelityGoals())
    {
        const auto choose = [&](const std::string& workload) {
            std::vector<const FidelityComparison*> cases;
            for (const auto& one : comparisons)
            {
                if (&FindFidelityGoal(one.link) == &goal &&
                    (workload.empty() || one.workload == workload))
                {
                    cases.push_back(&one);
                }
            }
            return cases;
        };
        for (const auto& workload : GetFidelityWorkloads())
        {
            AddDistribution(table, goal.name, workload, choose(workload), nullptr);
        }
        AddDistribution(table, goal.name, "all (goal)", choose(""), &goal);
    }
    std::cout << "\nDifferences, flow against packet level: the mean, and ranks of the absolutes:"
                 "\n\n";
    table.Print(std::cout);

    const FidelityOrder order = CompareOrders(comparisons);
    std::cout << "\nPairs of planners that differ by more than " << FormatShare(DIFFERENT)
              << " at packet level: " << order.pairs
              << ", ordered alike by flow level: " << order.alike;
    if (order.pairs > 0)
    {
        std::cout << " (" << FormatShare(static_cast<double>(order.alike) / order.pairs) << ")";
    }
    std::cout << "\n";
    for (std::size_t i = 0; i < std::min(order.reversed.size(), SHOWN_PAIRS); ++i)
    {
        std::cout << "  " << order.reversed[i] << "\n";
    }
}

} // namespace edgepipe
} // namespace ns3
