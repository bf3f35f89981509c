/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-edge-application.h"

#include "ns3/edgepipe-tensor-socket.h"
#include "ns3/uinteger.h"

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
            .AddAttribute("JobNumber",
                          "Number of the job among those of its nodes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&EdgeApplication::m_number),
                          MakeUintegerChecker<uint32_t>(0, TensorSocket::MOST_JOBS - 1))
            .AddTraceSource("Finished",
                            "There is nothing more to do; not of applications that serve others.",
                            MakeTraceSourceAccessor(&EdgeApplication::m_finishedTrace),
                            "ns3::edgepipe::EdgeApplication::FinishedTracedCallback");
    return tid;
}

uint32_t
EdgeApplication::GetJobNumber() const
{
    return m_number;
}

void
EdgeApplication::NotifyFinished()
{
    m_finishedTrace();
}

} // namespace edgepipe
} // namespace ns3
