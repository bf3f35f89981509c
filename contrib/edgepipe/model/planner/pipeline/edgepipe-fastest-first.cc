/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-fastest-first.h"

#include <algorithm>
#include <numeric>

namespace ns3
{
namespace edgepipe
{

std::vector<std::size_t>
FindFastestFirst(const PipelineCostModel& costModel)
{
    const std::size_t last = costModel.GetProblem().layers.size() - 1;
    std::vector<std::size_t> devices(costModel.GetProblem().devices.size());
    std::iota(devices.begin(), devices.end(), 0);
    std::stable_sort(devices.begin(), devices.end(), [&](std::size_t a, std::size_t b) {
        const auto getSeconds = [&](std::size_t device) {
            return costModel.StageForwardSeconds(device, 0, last) +
                   costModel.StageBackwardSeconds(device, 0, last);
        };
        return getSeconds(a) < getSeconds(b);
    });
    return devices;
}

} // namespace edgepipe
} // namespace ns3
