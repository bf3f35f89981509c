/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/edgepipe-flow-medium.h"
#include "ns3/edgepipe-flow-route.h"

#include <algorithm>
#include <optional>

namespace ns3::edgepipe
{

namespace
{

/// Bytes that an Ethernet frame adds to its packet: header 14, check sequence 4.
constexpr double ETHERNET_HEADER = 18;
/// Further bytes of LLC encapsulation.
constexpr double LLC_HEADER = 8;
/// Factor for the idle time between turns; for this and the following see CsmaMedium.
constexpr double TURN_FACTOR = 1.05;
/// Share of the propagation delay for which a sender oversleeps.
constexpr double OVERSLEPT_SHARE = 0.7;
/// Longest oversleeping, s.
constexpr double MOST_OVERSLEPT = 333e-6;

} // namespace

/**
 * @ingroup edgepipe
 *
 * A CsmaChannel: one medium, which a frame of n bytes occupies for
 *
 *   1.05 n / rate + delay + min(0.7 delay, 333 us).                                        (1)
 *
 * The last term is how long a sender oversleeps after its last frame has propagated: the mean of
 * ns3::Backoff at its defaults, slots of 1 us and twice as many at each attempt up to 1000. The 5 %
 * are idle time between the turns of different senders: 2 to 9 % was measured at 10 and 100 Mbit/s
 * with one to five transfers. A full IP packet takes (1) for its frame and for its share of an
 * acknowledgement's. Senders do not take turns in a fixed order, so single transfers among several
 * end earlier or later than here; all together take as long.
 */
class CsmaMedium : public Typed<CsmaMedium, FlowMedium>
{
  public:
    Ptr<Object> FindKey(const FlowHop& hop) const override
    {
        return DynamicCast<CsmaNetDevice>(hop.from) &&
                       hop.to->GetChannel() == hop.from->GetChannel()
                   ? hop.from->GetChannel()
                   : nullptr;
    }

    void AddHop(const FlowMediumSettings& settings, const FlowHop& hop, FlowRoute& route) override
    {
        auto device = DynamicCast<CsmaNetDevice>(hop.from);
        auto channel = DynamicCast<CsmaChannel>(device->GetChannel());
        if (!m_link)
        {
            m_link = settings.network->AddLink(1);
        }
        const double headers =
            ETHERNET_HEADER +
            (device->GetEncapsulationMode() == CsmaNetDevice::LLC ? LLC_HEADER : 0);
        const double delay = channel->GetDelay().GetSeconds();
        const double rate = channel->GetDataRate().GetBitRate() / 8.0;
        const auto getSeconds = [=](double bytes) {
            return TURN_FACTOR * (bytes + headers) / rate + delay +
                   std::min(OVERSLEPT_SHARE * delay, MOST_OVERSLEPT);
        };
        const double packet = getSeconds(settings.packetBytes);
        const double back =
            settings.acknowledgementShare > 0
                ? getSeconds(settings.acknowledgementBytes) / SEGMENTS_PER_ACKNOWLEDGEMENT
                : 0;
        Cross(*m_link, (packet + back) / settings.packetBytes, delay, route);
    }

  private:
    std::optional<uint32_t> m_link; //!< one second of use per second
};

NS_OBJECT_ENSURE_REGISTERED(CsmaMedium);

} // namespace ns3::edgepipe
