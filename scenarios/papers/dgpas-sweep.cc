/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "papers/dgpas-sweep.h"

namespace ns3
{
namespace edgepipe
{

std::optional<double>
FindPayingBandwidth(const std::vector<DgpasPoint>& points)
{
    std::optional<double> found;
    for (auto point = points.rbegin(); point != points.rend() && point->outcomes.IsFinished() &&
                                       point->outcomes.GetGain(DgpasHelp::FULL) >= DGPAS_LEAST_GAIN;
         ++point)
    {
        found = point->x;
    }
    return found;
}

std::vector<std::string>
GetDgpasBandwidths(bool isQuick)
{
    return isQuick ? std::vector<std::string>{"10Mbps", "1Gbps", "100Gbps"}
                   : std::vector<std::string>{"10Mbps",
                                              "20Mbps",
                                              "50Mbps",
                                              "100Mbps",
                                              "200Mbps",
                                              "500Mbps",
                                              "1Gbps",
                                              "2Gbps",
                                              "5Gbps",
                                              "10Gbps",
                                              "20Gbps",
                                              "50Gbps",
                                              "100Gbps"};
}

} // namespace edgepipe
} // namespace ns3
