/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-cut-decider.h"

#include "ns3/edgepipe-inference-message.h"
#include "ns3/edgepipe-ranges.h"
#include "ns3/edgepipe-two-way-cut-cost.h"

#include <cmath>

namespace ns3::edgepipe
{

namespace
{

/// Change of the results' download time, over the latency, above which plans are rebuilt.
constexpr double REBUILD_SHARE = 0.01;

/**
 * @param problem a valid problem
 * @return bytes of all its results
 */
uint64_t
CountResultBytes(const TwoWayCutProblem& problem)
{
    const std::vector<bool> isRead = FindReadLayers(problem);
    return Sum(CountUp(problem.layers.size()),
               [&](std::size_t i) { return isRead[i] ? 0 : problem.layers[i].outputBytes; });
}

} // namespace

InferenceSplit
MakeInferenceSplit(const TwoWayCutProblem& problem, const TwoWayCutPlan& plan)
{
    const TwoWayCutCost cost = EvaluateTwoWayCut(problem, plan);
    InferenceSplit split{plan, cost.deviceSeconds, cost.serverSeconds, {}, cost.downlinkBytes};
    const TwoWayCutCrossing crossing = FindCrossing(problem, plan);
    if (crossing.isInputSent)
    {
        split.uplink.push_back({InferenceTag::INPUT, problem.inputBytes});
    }
    for (const std::size_t layer : crossing.layers)
    {
        split.uplink.push_back({static_cast<uint32_t>(layer), problem.layers[layer].outputBytes});
    }
    return split;
}

CutDecider::CutDecider(TwoWayCutProblem problem, Ptr<TwoWayCutPlanner> planner)
    : m_problem(std::move(problem)),
      m_planner(planner),
      m_resultBytes(CountResultBytes(m_problem))
{
}

PlanRecord
CutDecider::Decide(double uplinkBitsPerSecond,
                   double downlinkBitsPerSecond,
                   std::optional<PlannerState<TwoWayCutPlan>> state)
{
    m_planner->SetState(std::move(state));
    m_problem.uplinkBitsPerSecond = uplinkBitsPerSecond;
    m_problem.downlinkBitsPerSecond = downlinkBitsPerSecond;
    PlanRecord decision{};
    decision.uplinkBitsPerSecond = uplinkBitsPerSecond;
    decision.downlinkBitsPerSecond = downlinkBitsPerSecond;
    decision.decisionSeconds = m_isBuilt ? 0 : Build();
    decision.decisionSeconds += Plan(decision.plan);
    TwoWayCutCost cost = EvaluateTwoWayCut(m_problem, decision.plan);
    const double change = GetResultSeconds(m_problem, m_resultBytes) *
                          std::abs(1 - downlinkBitsPerSecond / m_envelopeDownlink);
    if (m_envelope && change > REBUILD_SHARE * cost.latencySeconds)
    {
        decision.decisionSeconds += Build();
        decision.decisionSeconds += Plan(decision.plan);
        cost = EvaluateTwoWayCut(m_problem, decision.plan);
    }
    decision.predictedSeconds = cost.latencySeconds;
    decision.uplinkBytes = cost.uplinkBytes;
    return decision;
}

double
CutDecider::Plan(TwoWayCutPlan& plan)
{
    if (!m_envelope)
    {
        plan = m_planner->Plan(m_problem);
        return m_planner->GetDecisionSeconds();
    }
    const auto start = std::chrono::steady_clock::now();
    const TwoWayCutPlan& found = m_envelope->FindPlan(m_problem.uplinkBitsPerSecond);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    plan = found;
    return elapsed.count();
}

} // namespace ns3::edgepipe
