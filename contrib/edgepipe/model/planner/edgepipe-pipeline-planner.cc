/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-planner.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <chrono>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipePipelinePlanner");

NS_OBJECT_ENSURE_REGISTERED(PipelinePlanner);

namespace
{

/** @return one new instance of every planner in the TypeId table */
std::vector<Ptr<PipelinePlanner>>
CreateAllPlanners()
{
    std::vector<Ptr<PipelinePlanner>> planners;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(PipelinePlanner::GetTypeId()) && type.HasConstructor())
        {
            ObjectFactory factory;
            factory.SetTypeId(type);
            planners.push_back(factory.Create<PipelinePlanner>());
        }
    }
    return planners;
}

} // namespace

TypeId
PipelinePlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::PipelinePlanner").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

PipelinePlan
PipelinePlanner::Plan(const PipelineProblem& problem)
{
    NS_LOG_FUNCTION(this);
    ValidatePipelineProblem(problem);
    auto start = std::chrono::steady_clock::now();
    try
    {
        PipelineCostModel costModel(problem);
        costModel.CheckLayersFit();
        PipelinePlan plan = DoPlan(problem, costModel);
        std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        m_decisionSeconds = elapsed.count();
        costModel.CheckPlan(plan);
        return plan;
    }
    catch (const InputError& error)
    {
        throw InputError("planner " + GetName() + ": " + error.what());
    }
}

double
PipelinePlanner::GetDecisionSeconds() const
{
    return m_decisionSeconds;
}

Ptr<PipelinePlanner>
FindPipelinePlanner(const std::string& name)
{
    for (const Ptr<PipelinePlanner>& planner : CreateAllPlanners())
    {
        if (planner->GetName() == name || planner->GetInstanceTypeId().GetName() == name)
        {
            return planner;
        }
    }
    std::string known;
    for (const std::string& other : ListPipelinePlanners())
    {
        known += (known.empty() ? "" : ", ") + other;
    }
    throw InputError("planner: found " + QuoteForMessage(name) + ", expected one of " + known);
}

std::vector<std::string>
ListPipelinePlanners()
{
    std::vector<std::string> names;
    for (const Ptr<PipelinePlanner>& planner : CreateAllPlanners())
    {
        names.push_back(planner->GetName());
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace edgepipe
} // namespace ns3
