/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-data-parallel-replanner.h"

#include "ns3/double.h"
#include "ns3/edgepipe-data-parallel-message.h"

#include <utility>
#include <vector>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(DataParallelReplanner);

TypeId
DataParallelReplanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::edgepipe::DataParallelReplanner")
                            .SetParent<Replanner>()
                            .SetGroupName("Edgepipe")
                            .AddConstructor<DataParallelReplanner>();
    return tid;
}

void
DataParallelReplanner::Start()
{
    Watch();
}

bool
DataParallelReplanner::Take(const BatchSharesProblem& problem)
{
    std::vector<double> figures;
    for (const auto& node : problem.nodes)
    {
        figures.push_back(node.opsPerSecond);
        figures.push_back(node.communicationSeconds);
        figures.insert(figures.end(), node.latenciesSeconds.begin(), node.latenciesSeconds.end());
    }
    DoubleValue threshold;
    GetAttribute("ReplanThreshold", threshold);
    if (m_isFirst || threshold.Get() == 0)
    {
        m_isFirst = false;
        SetFigures(std::move(figures));
        return true;
    }
    return TakeIfDue(figures);
}

bool
DataParallelReplanner::Pay(Ptr<ComputeDevice> compute,
                           uint32_t job,
                           double plannerSeconds,
                           ComputeDevice::DoneCallback done) const
{
    return Charge(compute,
                  GetFixedSeconds() + GetPlanningScale() * plannerSeconds,
                  DataParallelTag{DataParallelTag::PLANNING}.Pack(),
                  job,
                  std::move(done));
}

} // namespace edgepipe
} // namespace ns3
