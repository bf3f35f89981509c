/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-planner.h"

#include "edgepipe-two-way-cut-cost.h"

#include "ns3/boolean.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/log.h"

#include <chrono>

namespace ns3
{
namespace edgepipe
{

NS_LOG_COMPONENT_DEFINE("EdgepipeTwoWayCutPlanner");

NS_OBJECT_ENSURE_REGISTERED(TwoWayCutPlanner);

namespace
{

/**
 * Validates a problem and decides.
 *
 * @param problem the problem as given
 * @param countResult whether the planner may see the result's way back
 * @param decisionSeconds set to the wall-clock seconds of the decision
 * @param decide makes the answer from a valid problem
 * @return the answer
 */
template <typename Decide>
auto
DecideTimed(const TwoWayCutProblem& problem,
            bool countResult,
            double& decisionSeconds,
            Decide decide)
{
    ValidateTwoWayCutProblem(problem);
    TwoWayCutProblem copy;
    const TwoWayCutProblem* seen = &problem;
    if (problem.countResult && !countResult)
    {
        copy = problem;
        copy.countResult = false;
        seen = &copy;
    }
    const auto start = std::chrono::steady_clock::now();
    auto answer = decide(*seen);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    decisionSeconds = elapsed.count();
    return answer;
}

} // namespace

TypeId
TwoWayCutPlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::TwoWayCutPlanner")
            .SetParent<Object>()
            .SetGroupName("Edgepipe")
            .AddAttribute("CountResult",
                          "Whether the result's way back to the device sways the decision, where "
                          "the problem counts it.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&TwoWayCutPlanner::m_countResult),
                          MakeBooleanChecker());
    return tid;
}

TwoWayCutPlan
TwoWayCutPlanner::Plan(const TwoWayCutProblem& problem)
{
    NS_LOG_FUNCTION(this);
    TwoWayCutPlan plan =
        DecideTimed(problem, m_countResult, m_decisionSeconds, [this](const auto& seen) {
            return DoPlan(seen);
        });
    try
    {
        CheckTwoWayCut(problem, plan);
    }
    catch (const InputError& error)
    {
        throw InputError("planner " + GetName() + ": " + error.what());
    }
    return plan;
}

std::unique_ptr<TwoWayCutEnvelope>
TwoWayCutPlanner::PlanEveryBandwidth(const TwoWayCutProblem& problem)
{
    NS_LOG_FUNCTION(this);
    return DecideTimed(problem, m_countResult, m_decisionSeconds, [this](const auto& seen) {
        return DoPlanEveryBandwidth(seen);
    });
}

double
TwoWayCutPlanner::GetDecisionSeconds() const
{
    return m_decisionSeconds;
}

std::unique_ptr<TwoWayCutEnvelope>
TwoWayCutPlanner::DoPlanEveryBandwidth(const TwoWayCutProblem&)
{
    return nullptr;
}

} // namespace edgepipe
} // namespace ns3
