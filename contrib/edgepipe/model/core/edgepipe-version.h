/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_VERSION_H
#define EDGEPIPE_VERSION_H

#include <string>

namespace ns3::edgepipe
{

/** @return the version of edgepipe, as run.json records it */
std::string GetEdgepipeVersion();

/** @return the version of ns-3 that edgepipe was built with, "unknown" if the build did not say */
std::string GetNs3Version();

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_VERSION_H */
