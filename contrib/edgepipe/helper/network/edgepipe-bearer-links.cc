/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-topology.h"

#include "ns3/edgepipe-table.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * A kind of bearer: its name and its defaults.
 *
 * Uplinks of 4g, 3g and cat1: the QDMP paper (Zhang et al., 2020), table 5.
 *
 * Downlinks of 4g and 3g: Ofcom, "Measuring mobile broadband performance in the UK", April 2015
 * (measured October to December 2014): means of 14.7 and 5.9 Mbit/s. Of cat1: an estimate, the
 * uplink times the ratio of the limits of LTE's UE category 1, 10296 to 5160 bits per millisecond
 * (3GPP TS 36.306, tables 4.1-1 and 4.1-2).
 *
 * Delay: half the mean round trip less the mean jitter. Round trips of 4g and 3g: the same report,
 * 53.1 and 63.5 ms; of cat1, an LTE radio too: as 4g. Of recordings, which have none: as 4g.
 *
 * Jitter: an estimate, one retransmission by the radio: a round of LTE's 8 HARQ processes of 1 ms
 * each (3GPP TS 36.213), and of HSUPA's 8 of 2 ms each (3GPP TS 25.319). Recordings have their own.
 */
struct BearerKind
{
    const char* type;             //!< name of the TypeId
    const char* name;             //!< of the link type
    double uplinkBitsPerSecond;   //!< of IP packets; 0: must be given
    double downlinkBitsPerSecond; //!< of IP packets; 0: as the uplink
    int64_t delayMicroseconds;    //!< least, one way
    int64_t jitterMicroseconds;   //!< largest additional delay, uniform from 0 on
};

constexpr BearerKind FOUR_G{"ns3::edgepipe::FourGLink", "4g", 5.85e6, 14.7e6, 22550, 8000};
constexpr BearerKind THREE_G{"ns3::edgepipe::ThreeGLink", "3g", 1.1e6, 5.9e6, 23750, 16000};
constexpr BearerKind CAT1{"ns3::edgepipe::Cat1Link",
                          "cat1",
                          0.13e6,
                          0.13e6 * 10296 / 5160,
                          22550,
                          8000};
/// Bandwidth is recorded, and all jitter is in the recording.
constexpr BearerKind RECORDED{"ns3::edgepipe::TraceLink", "trace", 0, 0, 22550, 0};

} // namespace

/**
 * @ingroup edgepipe
 *
 * A star around the network's core, which forwards in no time: each device has a bearer of its own,
 * wired devices have a cable.
 *
 * @tparam KIND of the bearers
 */
template <const BearerKind& KIND>
class BearerLink : public Named<BearerLink<KIND>, LinkType>
{
  public:
    static constexpr const char* NAME = KIND.name; //!< to select it by

    /// @copydoc Typed::GetTypeName
    static std::string GetTypeName()
    {
        return KIND.type;
    }

    BearerLink()
        : BearerLink::Named(LinkTraits{
              {"bandwidth", "uplink-bandwidth", "downlink-bandwidth", "delay", "jitter", "queue"}})
    {
        if (&KIND == &RECORDED)
        {
            this->m_traits.options.insert({"trace",
                                           "trace-down",
                                           "trace-format",
                                           "trace-columns",
                                           "trace-order",
                                           "trace-unsaturated",
                                           "trace-end",
                                           "trace-offset",
                                           "trace-scale"});
        }
    }

    void SetDefaults(NetworkOptions& options) const override
    {
        options.bandwidthBitsPerSecond = KIND.uplinkBitsPerSecond;
        options.downlinkBitsPerSecond = KIND.downlinkBitsPerSecond;
        options.delay = MicroSeconds(KIND.delayMicroseconds);
        options.jitter = MicroSeconds(KIND.jitterMicroseconds);
        options.queuePackets = QUEUE_PACKETS;
    }

    void Check(const NetworkOptions& options,
               const std::vector<std::string>& /* names */) const override
    {
        const double jitter = options.jitter.GetSeconds();
        Require(jitter >= 0 && jitter <= 100, "jitter", Table::Exact(jitter), "0 to 100 s");
    }

    std::string Describe(const NetworkOptions& options) const override
    {
        const BearerMedium medium{MakeBearerRates(options), options.delay, options.jitter, 1};
        const auto& rates = medium.rates;
        const auto getDelay = [&medium](std::size_t way) {
            return Table::Rounded(1e3 * medium.GetDelay(way).GetSeconds());
        };
        std::string delay = getDelay(0) + (getDelay(0) == getDelay(1) ? "" : " and " + getDelay(1));
        delay += medium.HasRecordedDelay() ? " ms in the mean, as recorded" : " ms";
        const std::string jitter =
            options.jitter.IsZero()
                ? ""
                : " and up to " + Table::Rounded(1e3 * options.jitter.GetSeconds()) + " ms more";
        const double roundTripSeconds =
            2 * (medium.GetDelay(0) + medium.GetDelay(1) + options.jitter).GetSeconds();
        return NAME + std::string(" (up ") + rates[0].Describe() + ", down " + rates[1].Describe() +
               ", delay " + delay + jitter +
               DescribeWindow(std::min(rates[0].GetHighest(), rates[1].GetHighest()),
                              roundTripSeconds,
                              options.sendBufferBytes.value_or(medium.GetSendBuffer())) +
               ")";
    }

    Topology MakeTopology(const NetworkOptions& options,
                          const std::vector<std::string>& names) const override
    {
        const uint32_t queue = options.queuePackets ? options.queuePackets : QUEUE_PACKETS;
        return MakeStar(
            options,
            names,
            "core",
            BearerMedium{MakeBearerRates(options), options.delay, options.jitter, queue});
    }
};

/// Bearers of every kind, as ns-3 registers them.
using FourGLink = BearerLink<FOUR_G>;
using ThreeGLink = BearerLink<THREE_G>; //!< see FourGLink
using Cat1Link = BearerLink<CAT1>;      //!< see FourGLink
using TraceLink = BearerLink<RECORDED>; //!< see FourGLink

NS_OBJECT_ENSURE_REGISTERED(FourGLink);
NS_OBJECT_ENSURE_REGISTERED(ThreeGLink);
NS_OBJECT_ENSURE_REGISTERED(Cat1Link);
NS_OBJECT_ENSURE_REGISTERED(TraceLink);

std::string
FindDownlinkTrace(const std::string& uplinkTrace)
{
    const std::string other = FindOtherDirection(uplinkTrace, TraceDirection::UP);
    return other.empty() ? uplinkTrace : other;
}

} // namespace ns3::edgepipe
