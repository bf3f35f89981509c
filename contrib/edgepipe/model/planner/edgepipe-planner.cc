/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-planner.h"

#include "ns3/edgepipe-attributes.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Planner);

TypeId
Planner::GetTypeId()
{
    static TypeId tid = Attributes::Of<Planner, Object>("Planner");
    return tid;
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

} // namespace ns3::edgepipe
