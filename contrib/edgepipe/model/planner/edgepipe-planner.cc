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

void
Planner::Refuse(const InputError& error) const
{
    const std::string message = "planner " + GetName() + ": " + error.what();
    if (IsFromOutside())
    {
        throw PlannerFailure(message);
    }
    throw InputError(message);
}

bool
Planner::IsFromOutside() const
{
    return false;
}

} // namespace edgepipe
} // namespace ns3
