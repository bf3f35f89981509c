/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WIFI_DATA_LOSS_H
#define EDGEPIPE_WIFI_DATA_LOSS_H

#include "ns3/error-model.h"

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Loses 802.11 data frames, after reception, as often as another model says.
 *
 * Control and management frames are spared. When the acknowledgement of an ADDBA
 * response is lost, an ns-3 station and its access point disagree about where the block ack window
 * begins: the receiver keeps every frame back, waiting for one that it has already delivered.
 */
class WifiDataLoss : public ErrorModel
{
  public:
    /**
     * @param loss says which frames to lose
     */
    explicit WifiDataLoss(Ptr<RateErrorModel> loss);

  private:
    bool DoCorrupt(Ptr<Packet> frame) override;
    void DoReset() override;

    Ptr<RateErrorModel> m_loss; //!< says which frames to lose
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_WIFI_DATA_LOSS_H */
