/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-planner.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(Planner);

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
