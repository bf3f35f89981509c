/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-wifi-data-loss.h"

#include "ns3/packet.h"

#include <algorithm>
#include <array>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param frame what was received
 * @return whether it is a data frame
 */
bool
IsData(Ptr<const Packet> frame)
{
    // ns-3 hands over the frame with its header and, if aggregated, a delimiter up to 3.42, and
    // only its body from 3.43. What tells data in both is the LLC/SNAP header (IEEE 802.2, RFC
    // 1042): the body's first bytes, or, in an A-MSDU, those after a header of 14. In front of it
    // are at most 4 bytes of delimiter, 36 of MAC header, and those 14.
    static constexpr std::array<uint8_t, 6> SNAP{0xAA, 0xAA, 0x03, 0, 0, 0};
    std::array<uint8_t, 4 + 36 + 14 + SNAP.size()> head{};
    frame->CopyData(head.data(), head.size());
    return std::search(head.begin(), head.end(), SNAP.begin(), SNAP.end()) != head.end();
}

} // namespace

WifiDataLoss::WifiDataLoss(Ptr<RateErrorModel> loss)
    : m_loss(loss)
{
}

bool
WifiDataLoss::DoCorrupt(Ptr<Packet> frame)
{
    return IsData(frame) && m_loss->IsCorrupt(frame);
}

void
WifiDataLoss::DoReset()
{
    m_loss->Reset();
}

} // namespace ns3::edgepipe
