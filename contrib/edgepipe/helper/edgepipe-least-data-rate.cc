/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-least-data-rate.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/net-device.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace edgepipe
{

double
FindLeastDataRate(const NodeContainer& nodes)
{
    double least = std::numeric_limits<double>::infinity();
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        for (uint32_t j = 0; j < nodes.Get(i)->GetNDevices(); ++j)
        {
            const auto device = nodes.Get(i)->GetDevice(j);
            const Ptr<Channel> channel = device->GetChannel();
            DataRateValue rate;
            if (device->GetAttributeFailSafe("DataRate", rate) ||
                (channel && channel->GetAttributeFailSafe("DataRate", rate)))
            {
                least = std::min(least, static_cast<double>(rate.Get().GetBitRate()));
            }
        }
    }
    if (least == std::numeric_limits<double>::infinity())
    {
        throw InputError("none of the nodes has a net device with a DataRate, expected one, or the "
                         "helper to be told a bandwidth, which planners ask for");
    }
    return least;
}

} // namespace edgepipe
} // namespace ns3
