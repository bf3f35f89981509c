/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-ppo-pipeline-planner.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(PpoPipelinePlanner);

TypeId
PpoPipelinePlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::PpoPipelinePlanner")
            .SetParent<PolicyPipelinePlanner>()
            .SetGroupName("Edgepipe")
            .AddConstructor<PpoPipelinePlanner>()
            .AddAttribute("Clip",
                          "Furthest that the ratio of new to old probability may move from 1 "
                          "(Schulman et al.: 0.2).",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&PpoPipelinePlanner::m_clip),
                          MakeDoubleChecker<double>(0, 1000))
            .AddAttribute("Epochs",
                          "Gradient steps per batch of plans (ours).",
                          UintegerValue(6),
                          MakeUintegerAccessor(&PpoPipelinePlanner::m_epochs),
                          MakeUintegerChecker<uint32_t>(1, 10000));
    return tid;
}

std::string
PpoPipelinePlanner::GetName() const
{
    return "ppo";
}

PolicyPipelinePlanner::Method
PpoPipelinePlanner::GetMethod() const
{
    return {m_clip, m_epochs, 0};
}

} // namespace edgepipe
} // namespace ns3
