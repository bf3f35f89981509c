/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_DATA_LOSS_H
#define EDGEPIPE_WIFI_DATA_LOSS_H

#include "ns3/error-model.h"
#include "ns3/packet.h"

#include <algorithm>
#include <array>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Drops 802.11 data frames, after reception, as another error model decides.
 *
 * Control and management frames are spared. When the acknowledgement of an ADDBA response is lost,
 * an ns-3 station and its access point disagree about where the block ack window begins: the
 * receiver keeps every frame back, waiting for one that it has already delivered.
 */
class WifiDataLoss : public ErrorModel
{
  public:
    /**
     * @param loss decides which frames to lose
     */
    explicit WifiDataLoss(Ptr<RateErrorModel> loss)
        : m_loss(loss)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> frame) override
    {
        // ns-3 hands over the frame with its header and, if aggregated, a delimiter up to 3.42, and
        // only its body from 3.43. Data in both are identified by the LLC/SNAP header (IEEE 802.2,
        // RFC 1042): the body's first bytes, or, in an A-MSDU, those after a header of 14. In front
        // of it are at most 4 bytes of delimiter, 36 of MAC header, and those 14.
        static constexpr std::array<uint8_t, 6> SNAP{0xAA, 0xAA, 0x03, 0, 0, 0};
        std::array<uint8_t, 4 + 36 + 14 + SNAP.size()> head{};
        frame->CopyData(head.data(), head.size());
        return std::search(head.begin(), head.end(), SNAP.begin(), SNAP.end()) != head.end() &&
               m_loss->IsCorrupt(frame);
    }

    void DoReset() override
    {
        m_loss->Reset();
    }

    Ptr<RateErrorModel> m_loss; //!< decides which frames to lose
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_WIFI_DATA_LOSS_H */
