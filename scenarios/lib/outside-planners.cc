/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lib/outside-planners.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-outside-planner.h"

#include <iostream>

namespace ns3::edgepipe
{

void
AddPlanOption(ScenarioOptions& options, std::vector<std::string>& planners)
{
    options
        .Bind("plan=",
              [&] {
                  if (options.GetString("plan").empty())
                  {
                      return;
                  }
                  for (const auto& path : options.GetList("plan"))
                  {
                      try
                      {
                          for (const auto& [name, plan] : ReadPlans(path))
                          {
                              planners.push_back(name);
                          }
                      }
                      catch (const InputError& error)
                      {
                          throw InputError(std::string("--plan: ") + error.what());
                      }
                  }
              })
        .Help("files with plans made before, as `plan` prints them, to be run beside; several "
              "separated by commas");
}

bool
IsOutsidePlanner(const std::string& planner)
{
    return planner.find(':') != std::string::npos;
}

void
PrintFailures(const std::string& planner, const PlannerFailures& failures)
{
    if (failures.count > 0)
    {
        std::cout << "\n"
                  << planner << ": "
                  << (failures.count > 1 ? std::to_string(failures.count) + " decisions"
                                         : std::string("a decision"))
                  << " came to nothing, and the plan stayed; the last: " << failures.reason << "\n";
    }
}

} // namespace ns3::edgepipe
