/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-medium.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(FlowMedium);

TypeId
FlowMedium::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::FlowMedium").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

void
FlowMedium::Update(const FlowMediumSettings& /* settings */)
{
}

void
FlowMedium::AddUse(uint32_t link, double weight, FlowRoute& route)
{
    const auto use = std::find_if(route.uses.begin(), route.uses.end(), [link](const auto& other) {
        return other.link == link;
    });
    if (use == route.uses.end())
    {
        route.uses.push_back({link, weight});
    }
    else
    {
        use->weight += weight;
    }
}

} // namespace edgepipe
} // namespace ns3
