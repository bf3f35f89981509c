/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-round-tcp-cubic.h"

namespace ns3::edgepipe
{

NS_OBJECT_ENSURE_REGISTERED(RoundTcpCubic);

void
RoundTcpCubic::PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt)
{
    if (tcb->m_cWnd < tcb->m_ssThresh)
    {
        IncreaseWindow(tcb, 0); // grows nothing, but starts the round that is due
    }
    TcpCubic::PktsAcked(tcb, segmentsAcked, rtt);
}

} // namespace ns3::edgepipe
