/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-method.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// The planner of the paper.
const std::string GRDQN = "grdqn";

/// Planners that draw nothing.
const std::set<std::string> DETERMINISTIC{"dp", "even", "exact"};

/// Rows of table 3 by planner, in its order.
const std::vector<std::pair<std::string, std::string>> ROWS{{"pg-mpss", "PG-MPSS"},
                                                            {"dp", "DP"},
                                                            {"ga", "GA"},
                                                            {"pso", "PSO"},
                                                            {"ppo", "PPO"},
                                                            {"autopipe", "AutoPipe"}};

} // namespace

std::vector<DgpasMethod>
GetDgpasMethods()
{
    std::set<std::string> planners = GetNames<PipelinePlanner>();
    std::vector<DgpasMethod> methods;
    const bool hasGrdqn = planners.erase(GRDQN) > 0;
    if (hasGrdqn)
    {
        methods.push_back({DGPAS_FAITHFUL, GRDQN, "faithful", "gpipe", "DGPAS", true});
        methods.push_back({DGPAS_IMPROVED, GRDQN, "improved", "gpipe", "DGPAS", true});
    }
    const auto add = [&](const std::string& planner, const std::string& theirs) {
        methods.push_back({planner, planner, "", "gpipe", theirs, !DETERMINISTIC.count(planner)});
    };
    for (const auto& [planner, theirs] : ROWS)
    {
        if (planners.erase(planner) > 0)
        {
            add(planner, theirs);
        }
    }
    for (const std::string& planner : planners)
    {
        add(planner, "");
    }
    if (hasGrdqn)
    {
        for (const char* variant : {"faithful", "improved"})
        {
            methods.push_back(
                {std::string("seq1f1b-") + variant, GRDQN, variant, "seq1f1b", "Seq1F1B", true});
        }
    }
    return methods;
}

DgpasPlan
MakeDgpasPlan(const DgpasMethod& method, const PipelineProblem& problem, uint64_t seed)
{
    using Clock = std::chrono::steady_clock;
    RngSeedManager::SetRun(seed);
    const auto planner = FindByName<PipelinePlanner>("planner", method.planner);
    if (!method.variant.empty())
    {
        planner->SetAttribute("Variant", StringValue(method.variant));
    }
    DgpasPlan made;
    const auto start = Clock::now();
    try
    {
        made.plan = planner->Plan(problem);
    }
    catch (const InputError& error)
    {
        made.problemWithPlan = error.what();
        return made;
    }
    made.predictedSeconds = PipelineCostModel(problem).IterationSeconds(made.plan);
    made.decisionSeconds = planner->GetDecisionSeconds();
    made.preparationSeconds = std::max(0.0,
                                       std::chrono::duration<double>(Clock::now() - start).count() -
                                           made.decisionSeconds);
    made.evaluations = planner->GetEvaluations();
    const auto grdqn = DynamicCast<GrdqnPlanner>(planner);
    made.isTrained = grdqn && grdqn->GetTrainingSeconds() > 0;
    return made;
}

} // namespace edgepipe
} // namespace ns3
