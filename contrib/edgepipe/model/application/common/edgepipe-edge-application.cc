/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-edge-application.h"

#include "ns3/edgepipe-attributes.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(EdgeApplication);

TypeId
EdgeApplication::AddAttributes(TypeId tid)
{
    return Attributes(tid)
        .Add("JobNumber",
             "Number of the job among those of its nodes.",
             {&EdgeApplication::m_number, 0, 0, TensorSocket::MOST_JOBS - 1})
        .Add("Finished",
             "The application has finished; never fires for applications that serve others.",
             {&EdgeApplication::m_finishedTrace, "Finished"});
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

} // namespace ns3::edgepipe
