/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/qdmp-sweep.h"

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-two-way-cut-cost.h"
#include "ns3/edgepipe-two-way-cut-planner.h"

#include <limits>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Steps of figure 11, bit/s, and how many there are after 0.
constexpr double SWEEP_STEP = 0.5e6;
constexpr int SWEEP_STEPS = 30;

} // namespace

QdmpSweep
SweepBandwidth(const CalibratedModel& swept)
{
    TwoWayCutProblem problem = swept.problem;
    const double frameBits = static_cast<double>(problem.inputBytes) * 8;
    const Ptr<TwoWayCutPlanner> qdmp = FindByName<TwoWayCutPlanner>("planner", "qdmp");
    const auto envelope = qdmp->PlanEveryBandwidth(problem);
    QdmpSweep sweep{swept.deviceSeconds, {}, 0, 0};
    sweep.cloudBeatsEdgeBitsPerSecond =
        swept.deviceSeconds > swept.serverSeconds
            ? frameBits / (swept.deviceSeconds - swept.serverSeconds)
            : std::numeric_limits<double>::infinity();
    const std::size_t last = envelope->GetSegments() - 1;
    sweep.allCloudBitsPerSecond =
        EvaluateTwoWayCut(problem, envelope->GetPlan(last)).deviceSeconds == 0
            ? envelope->GetLowestBitsPerSecond(last)
            : std::numeric_limits<double>::infinity();
    for (int step = 0; step <= SWEEP_STEPS; ++step)
    {
        const double bitsPerSecond = step * SWEEP_STEP;
        QdmpSweepPoint point{bitsPerSecond, std::numeric_limits<double>::infinity(), 0};
        const TwoWayCutPlan* plan = &envelope->GetPlan(0);
        if (step > 0)
        {
            problem.uplinkBitsPerSecond = bitsPerSecond;
            point.cloudSeconds = swept.serverSeconds + frameBits / bitsPerSecond;
            plan = &envelope->FindPlan(bitsPerSecond);
        }
        point.qdmpSeconds = EvaluateTwoWayCut(problem, *plan).latencySeconds;
        sweep.points.push_back(point);
    }
    return sweep;
}

} // namespace edgepipe
} // namespace ns3
