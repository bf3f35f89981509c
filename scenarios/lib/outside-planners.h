/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_OUTSIDE_PLANNERS_H
#define EDGEPIPE_OUTSIDE_PLANNERS_H

#include "lib/scenario-options.h"

#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-sheet.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Declare --plan, beside an option that names planners.
 *
 * @param options of a scenario
 * @param planners names of planners, which planners of the plans in its files are added to
 */
void AddPlanOption(ScenarioOptions& options, std::vector<std::string>& planners);

/**
 * @param planner name of a planner
 * @return whether it needs an argument, so that its plans come from outside
 */
bool IsOutsidePlanner(const std::string& planner);

/**
 * Say on standard output that decisions came to nothing during a run, if any did.
 *
 * @param planner its name
 * @param failures what they were
 */
void PrintFailures(const std::string& planner, const PlannerFailures& failures);

/**
 * @tparam Row what a row is made from
 * @param planners names of planners
 * @param count how many decisions of a row came to nothing: a function of the row
 * @return a column with that where plans of any planner come from outside, otherwise none
 */
template <typename Row, typename Count>
std::vector<Column<Row>>
MakeFailureColumns(const std::vector<std::string>& planners, Count count)
{
    if (std::none_of(planners.begin(), planners.end(), IsOutsidePlanner))
    {
        return {};
    }
    return {{"failedDecisions", "failed decisions", count}};
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_OUTSIDE_PLANNERS_H */
