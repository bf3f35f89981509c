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
#include <utility>

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

/// Name and attribute of another setting, by planner: the state and rewards of the paper, or what
/// dp lacks.
const std::map<std::string, std::pair<std::string, std::string>> SETTINGS{
    {"pg-mpss", {"pg-mpss-paper-state", "Setting=paper"}},
    {"dp", {"dp-transfer-aware", "Variant=transfer-aware"}},
    {"ppo", {"ppo-paper-state", "Setting=paper"}}};

} // namespace

std::string
DgpasMethod::GetKey() const
{
    std::string key = planner;
    for (const auto& [name, value] : attributes)
    {
        key += " " + name + "=" + value;
    }
    return key;
}

std::string
DgpasMethod::GetOption() const
{
    return model.empty() ? planner : GRDQN;
}

std::vector<DgpasMethod>
GetDgpasMethods(const std::string& folder)
{
    std::set<std::string> planners = GetNames<PipelinePlanner>();
    std::vector<DgpasMethod> methods;
    const bool hasGrdqn = planners.erase(GRDQN) > 0;
    const auto addGrdqn = [&](const std::string& name, const std::string& variant) {
        methods.push_back({name, GRDQN, {{"Variant", variant}}, "gpipe", "DGPAS", true});
    };
    // A variant for comparison, over the network of table 3 alone.
    const auto addSetting = [&](const std::string& name, const std::string& attribute) {
        DgpasMethod setting = methods.back();
        setting.name = name;
        const auto equals = attribute.find('=');
        setting.attributes[attribute.substr(0, equals)] = attribute.substr(equals + 1);
        setting.theirs.clear();
        setting.isOfFirstNetwork = true;
        methods.push_back(setting);
    };
    if (hasGrdqn)
    {
        addGrdqn(DGPAS_FAITHFUL, "faithful");
        addSetting("grdqn-published-constants", "Constants=published");
        addGrdqn(DGPAS_IMPROVED, "improved");
        addSetting(DGPAS_STAGE_AWARE, "Variant=stage-aware");
        methods.push_back({"dgpas-published-plan",
                           "plan:" + folder + "/published/dgpas-vgg19-plan.json",
                           {},
                           "gpipe",
                           "",
                           false,
                           false,
                           "vgg19"});
    }
    const auto add = [&](const std::string& planner, const std::string& theirs) {
        methods.push_back({planner, planner, {}, "gpipe", theirs, !DETERMINISTIC.count(planner)});
    };
    for (const auto& [planner, theirs] : ROWS)
    {
        if (planners.erase(planner) > 0)
        {
            add(planner, theirs);
            const auto setting = SETTINGS.find(planner);
            if (setting != SETTINGS.end())
            {
                addSetting(setting->second.first, setting->second.second);
            }
        }
    }
    for (const std::string& planner : planners)
    {
        add(planner, "");
    }
    if (hasGrdqn)
    {
        for (const std::string variant : {"faithful", "improved"})
        {
            methods.push_back(
                {"seq1f1b-" + variant, GRDQN, {{"Variant", variant}}, "seq1f1b", "Seq1F1B", true});
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
    for (const auto& [name, value] : method.attributes)
    {
        planner->SetAttribute(name, StringValue(value));
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
