/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-edge-application.h"

namespace ns3
{
namespace edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(EdgeApplication);

TypeId
EdgeApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::edgepipe::EdgeApplication")
            .SetParent<Application>()
            .SetGroupName("Edgepipe")
            .AddTraceSource("Finished",
                            "There is nothing more to do; not of applications that serve others.",
                            MakeTraceSourceAccessor(&EdgeApplication::m_finishedTrace),
                            "ns3::edgepipe::EdgeApplication::FinishedTracedCallback");
    return tid;
}

void
EdgeApplication::NotifyFinished()
{
    m_finishedTrace();
}

} // namespace edgepipe
} // namespace ns3
