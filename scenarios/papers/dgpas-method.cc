/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-method.h"

#include "ns3/edgepipe-child-process.h"
#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-grdqn-planner.h"
#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
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

/**
 * @param methods who plans
 * @param problem the problem
 * @param seed ns-3's run number
 * @return what ParsePlans reads
 */
std::string
PlanAndFormat(const std::vector<DgpasMethod>& methods,
              const PipelineProblem& problem,
              uint64_t seed)
{
    auto plans = nlohmann::json::object();
    for (const DgpasMethod& method : methods)
    {
        if (plans.contains(method.GetKey()))
        {
            continue;
        }
        const DgpasPlan made = MakeDgpasPlan(method, problem, seed);
        auto stages = nlohmann::json::array();
        for (const PipelineStage& stage : made.plan.stages)
        {
            stages.push_back({stage.device, stage.firstLayer, stage.lastLayer});
        }
        plans[method.GetKey()] = {made.problemWithPlan,
                                  stages,
                                  made.predictedSeconds,
                                  made.decisionSeconds,
                                  made.preparationSeconds,
                                  made.evaluations,
                                  made.isTrained};
    }
    return plans.dump();
}

/**
 * @param text of PlanAndFormat
 * @return the plans
 */
DgpasPlans
ParsePlans(const std::string& text)
{
    DgpasPlans plans;
    const auto all = nlohmann::json::parse(text);
    for (const auto& [key, figures] : all.items())
    {
        DgpasPlan& made = plans[key];
        figures[0].get_to(made.problemWithPlan);
        for (const auto& stage : figures[1])
        {
            made.plan.stages.push_back({stage[0], stage[1], stage[2]});
        }
        figures[2].get_to(made.predictedSeconds);
        figures[3].get_to(made.decisionSeconds);
        figures[4].get_to(made.preparationSeconds);
        figures[5].get_to(made.evaluations);
        figures[6].get_to(made.isTrained);
    }
    return plans;
}

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
            if (planner == "dp")
            {
                addSetting("dp-transfer-aware", "Variant=transfer-aware");
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

std::vector<DgpasPlans>
MakeDgpasPlans(const std::vector<DgpasMethod>& methods,
               const PipelineProblem& problem,
               const std::vector<uint64_t>& seeds)
{
    std::vector<std::future<ChildReport>> children;
    for (const uint64_t seed : seeds)
    {
        children.push_back(std::async(std::launch::async, [&, seed] {
            return ChildProcess::Run([&, seed] { return PlanAndFormat(methods, problem, seed); });
        }));
    }
    std::vector<DgpasPlans> plans;
    for (auto& child : children)
    {
        plans.push_back(ParsePlans(child.get().text));
    }
    return plans;
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
