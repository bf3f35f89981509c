/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-version.h"

namespace ns3::edgepipe
{

std::string
GetEdgepipeVersion()
{
    return "0.1.0";
}

std::string
GetNs3Version()
{
#ifdef EDGEPIPE_NS3_VERSION
    return EDGEPIPE_NS3_VERSION;
#else
    return "unknown";
#endif
}

} // namespace ns3::edgepipe
