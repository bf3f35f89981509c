/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LTE_LINK_H
#define EDGEPIPE_LTE_LINK_H

#include "edgepipe-radio-link.h"

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * One cell of ns-3's LTE with its core network: FDD, round-robin scheduler, RLC in unacknowledged
 * mode with room for two TCP windows, ideal RRC, no fading; powers and path loss of LteRadio. Every
 * device has the default bearer; wired ones are behind the gateway to the Internet, through which
 * devices also reach each other. Devices never look for another cell.
 */
class LteLink : public RadioLink
{
  public:
    /**
     * Register this type.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    LteLink();

    void Check(const NetworkOptions& options, const std::vector<std::string>& names) const override;
    std::shared_ptr<const RadioCell> MakeCell(const NetworkOptions& options) const override;
    PacketHub Install(const NetworkOptions& options,
                      const NodeContainer& stations,
                      const std::vector<std::string>& names,
                      PacketNetworkBuilder& builder) const override;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_LTE_LINK_H */
