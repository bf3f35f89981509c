/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "studies/cooperative-study.h"

#include "lib/progress.h"

#include <algorithm>
#include <chrono>

namespace ns3
{
namespace edgepipe
{

std::string
CooperativeCase::GetStatus() const
{
    return result.isComplete ? "finished" : "stalled";
}

CooperativeStudy::CooperativeStudy(const ScenarioOptions& options)
    : m_inputs(options)
{
}

void
CooperativeStudy::Run()
{
    using Clock = std::chrono::steady_clock;
    Progress progress;
    for (const auto& planner : m_inputs.planners)
    {
        CooperativeCase one;
        one.planner = planner;
        CooperativeInferenceOptions run = m_inputs.run;
        run.planner = planner;
        const auto start = Clock::now();
        one.result = RunCooperativeInference(m_inputs.devices, run, [&](double done) {
            progress.Update((m_cases.size() + done) / m_inputs.planners.size(),
                            planner + ": simulating");
        });
        one.simulationSeconds = std::chrono::duration<double>(Clock::now() - start).count();
        one.summary = Summarise(m_inputs.problem, one.result);
        m_cases.push_back(std::move(one));
    }
}

int
CooperativeStudy::GetStatus() const
{
    const bool isAnyStalled = std::any_of(m_cases.begin(), m_cases.end(), [](const auto& one) {
        return one.GetStatus() == "stalled";
    });
    return isAnyStalled ? 3 : 0;
}

} // namespace edgepipe
} // namespace ns3
