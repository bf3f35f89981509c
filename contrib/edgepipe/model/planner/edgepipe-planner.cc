/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-planner.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Planner);

TypeId
Planner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::Planner").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

int64_t
Planner::AssignStreams(int64_t)
{
    return 0;
}

double
Planner::GetDecisionSeconds() const
{
    return m_decisionSeconds;
}

} // namespace edgepipe
} // namespace ns3
