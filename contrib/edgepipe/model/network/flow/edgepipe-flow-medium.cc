/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-flow-medium.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(FlowMedium);

TypeId
FlowMedium::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::FlowMedium").SetParent<Object>().SetGroupName("Edgepipe");
    return tid;
}

} // namespace ns3::edgepipe
