/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "runs/rate-beliefs.h"

#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-table.h"

#include <algorithm>

namespace ns3::edgepipe
{

namespace
{

/// Factor between belief and truth from which a run says both.
constexpr double FAR_APART = 4.0 / 3;

/// Slowest link that network options accept, bit/s, as which one counts that is dead.
constexpr double LEAST_RATE = 1000;

} // namespace

double
RateBelief::GetFactor() const
{
    const double truth = std::max(actual, LEAST_RATE);
    return std::max(believed / truth, truth / believed);
}

std::vector<std::string>
DescribeBeliefs(const std::string& who,
                const std::string& what,
                const std::vector<RateBelief>& beliefs)
{
    const auto isFar = [](const RateBelief& one) { return one.GetFactor() > FAR_APART; };
    const auto count = Filter(beliefs, isFar).size();
    if (count == 0)
    {
        return {};
    }
    const RateBelief& worst = MaxBy(beliefs, &RateBelief::GetFactor);
    return {who + ": " + std::to_string(count) + " of " + std::to_string(beliefs.size()) + " " +
            what + (beliefs.size() == 1 ? "" : "s") + " on a rate more than a third off; at " +
            Table::Rounded(worst.seconds) + " s, " + worst.from + " to " + worst.to + ": " +
            Table::Rounded(worst.believed / 1e6) + " Mbit/s believed, the link has " +
            Table::Rounded(worst.actual / 1e6)};
}

} // namespace ns3::edgepipe
