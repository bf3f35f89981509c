/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-outcome.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-two-way-cut-planner.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// What counts as equal, a share: sums in another order differ in their last digits.
constexpr double EQUAL = 1e-9;

/**
 * @param planner one of GetQdmpPlanners
 * @param assumptions what it believes
 * @return the planner that decides for this column
 */
Ptr<TwoWayCutPlanner>
MakePlanner(const std::string& planner, const QdmpAssumptions& assumptions)
{
    static const std::map<std::string, std::string> variants{{"dads-with-input", "dads"},
                                                             {"cloud-only-serial", "cloud-only"}};
    const auto variant = variants.find(planner);
    const auto found =
        FindByName<TwoWayCutPlanner>("planner",
                                     variant == variants.end() ? planner : variant->second);
    if (planner == "dads-with-input")
    {
        found->SetAttribute("CountInput", BooleanValue(true));
    }
    if (assumptions.belief == "flop")
    {
        found->SetAttributeFailSafe("Belief", StringValue("flop"));
    }
    return found;
}

} // namespace

const std::vector<std::string>&
GetQdmpPlanners()
{
    static const std::vector<std::string> planners{"cloud-only",
                                                   "edge-only",
                                                   "neurosurgeon",
                                                   "dads",
                                                   "qdmp",
                                                   "dads-with-input",
                                                   "cloud-only-serial"};
    return planners;
}

QdmpOutcome::QdmpOutcome(const std::string& traces,
                         const QdmpAssumptions& assumptions,
                         const PublishedQdmp& published,
                         const std::vector<std::string>& networks)
{
    const QdmpCalibration calibration(traces, assumptions);
    for (const PublishedQdmpModel& model : published.models)
    {
        models.push_back(calibration.Calibrate(model, published.networks));
        TwoWayCutProblem problem = models.back().problem;
        for (const auto& [network, uplinkBitsPerSecond] : published.networks)
        {
            if (std::find(networks.begin(), networks.end(), network) == networks.end())
            {
                continue;
            }
            problem.uplinkBitsPerSecond = uplinkBitsPerSecond;
            problem.downlinkBitsPerSecond = problem.uplinkBitsPerSecond;
            for (const std::string& planner : GetQdmpPlanners())
            {
                QdmpCell cell{models.size() - 1,
                              network,
                              planner,
                              MakePlanner(planner, assumptions)->Plan(problem),
                              {},
                              0,
                              {}};
                cell.cost = EvaluateTwoWayCut(problem, cell.plan);
                cell.framesPerSecond =
                    1 / (planner == "cloud-only-serial" ? cell.cost.latencySeconds
                                                        : std::max({cell.cost.deviceSeconds,
                                                                    cell.cost.transferSeconds,
                                                                    cell.cost.serverSeconds}));
                cells.push_back(std::move(cell));
            }
        }
    }
}

void
QdmpOutcome::Simulate(QdmpSimulation& simulation)
{
    for (QdmpCell& cell : cells)
    {
        for (const std::string fidelity : {"flow", "packet"})
        {
            if (QdmpSimulation::Knows(cell.network))
            {
                QdmpSimulated& simulated = cell.simulated[fidelity];
                simulated = simulation.Find(models[cell.model], cell.network, cell.plan, fidelity);
                if (cell.planner == "cloud-only-serial")
                {
                    simulated.framesPerSecond = 1 / simulated.latencySeconds;
                }
            }
        }
    }
}

const char*
GetPlace(const QdmpCell& cell)
{
    return cell.cost.serverSeconds == 0 && cell.cost.uplinkBytes == 0 ? "device"
           : cell.cost.deviceSeconds == 0                             ? "server"
                                                                      : "cut";
}

const QdmpCell*
QdmpOutcome::Find(std::size_t model, const std::string& network, const std::string& planner) const
{
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const QdmpCell& cell) {
        return cell.model == model && cell.network == network && cell.planner == planner;
    });
    return found == cells.end() ? nullptr : &*found;
}

std::vector<const QdmpCell*>
QdmpOutcome::FindFasterThanQdmp() const
{
    std::vector<const QdmpCell*> faster;
    for (const QdmpCell& cell : cells)
    {
        const QdmpCell& qdmp = *Find(cell.model, cell.network, "qdmp");
        // cloud-only-serial decides as cloud-only does.
        if (cell.planner != "cloud-only-serial" &&
            qdmp.cost.latencySeconds / cell.cost.latencySeconds - 1 > EQUAL)
        {
            faster.push_back(&cell);
        }
    }
    return faster;
}

} // namespace edgepipe
} // namespace ns3
