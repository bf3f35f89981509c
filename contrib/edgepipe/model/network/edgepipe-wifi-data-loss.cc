/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-data-loss.h"

#include "ns3/packet.h"

namespace ns3
{
namespace edgepipe
{

namespace
{

/**
 * @param psdu what was received
 * @return whether it is a data frame, or an aggregate that begins with one
 */
bool
IsData(Ptr<const Packet> psdu)
{
    // An aggregate begins with a delimiter of 4 bytes, the last of which is always 0x4E (IEEE
    // 802.11-2020, 9.7.1); in a lone frame that is the high byte of a duration, and never so large.
    uint8_t head[5] = {};
    psdu->CopyData(head, sizeof(head));
    const uint8_t frameControl = head[head[3] == 0x4E ? 4 : 0];
    return (frameControl & 0x0C) == 0x08;
}

} // namespace

WifiDataLoss::WifiDataLoss(Ptr<RateErrorModel> loss)
    : m_loss(loss)
{
}

bool
WifiDataLoss::DoCorrupt(Ptr<Packet> psdu)
{
    return (m_loss->GetRate() >= 1 || IsData(psdu)) && m_loss->IsCorrupt(psdu);
}

void
WifiDataLoss::DoReset()
{
    m_loss->Reset();
}

} // namespace edgepipe
} // namespace ns3
