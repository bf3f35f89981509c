/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-edge-application.h"

#include "ns3/uinteger.h"

namespace ns3::edgepipe
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

EdgeApplication::EdgeApplication(uint16_t port)
    : m_port(port)
{
}

void
EdgeApplication::Listen()
{
    if (m_port > 0 && !m_isListening)
    {
        m_isListening = true;
        m_socket = TensorSocket(GetNode(), m_number);
        m_socket.Listen(m_port, MakeCallback(&EdgeApplication::Receive, this));
    }
}

void
EdgeApplication::Receive(const Message&)
{
}

} // namespace ns3::edgepipe
