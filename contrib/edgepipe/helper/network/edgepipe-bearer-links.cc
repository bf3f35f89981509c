/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-topology.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-table.h"

namespace ns3::edgepipe
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
    const char* name;             //!< of the link type
    double uplinkBitsPerSecond;   //!< of IP packets; 0: must be given
    double downlinkBitsPerSecond; //!< of IP packets; 0: must be given
    int64_t delayMicroseconds;    //!< least, one way
    int64_t jitterMicroseconds;   //!< largest additional delay, uniform from 0 on
};

inline constexpr BearerKind FOUR_G{"4g", 5.85e6, 14.7e6, 22550, 8000};
inline constexpr BearerKind THREE_G{"3g", 1.1e6, 5.9e6, 23750, 16000};
inline constexpr BearerKind CAT1{"cat1", 0.13e6, 0.13e6 * 10296 / 5160, 22550, 8000};
/// Bandwidth is recorded, and all jitter is in the recording.
inline constexpr BearerKind RECORDED{"trace", 0, 0, 22550, 0};

/**
 * @ingroup edgepipe
 *
 * A star around the network's core, which forwards in no time: each device has a bearer of its own,
 * wired devices have a cable.
 */
class BearerLink : public Typed<BearerLink, DuplexLink>
{
  public:
    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override
    {
        DuplexLink::Check(network, names);
        CheckDelay("delay", m_delay);
        CheckDelay("jitter", m_jitter);
    }

    std::string Describe(const NetworkOptions& network) const override
    {
        const BearerMedium medium = MakeMedium();
        const auto& rates = medium.rates;
        const auto getDelay = [&medium](std::size_t way) {
            return Table::Rounded(1e3 * medium.GetDelay(way).GetSeconds());
        };
        std::string delay = getDelay(0) + (getDelay(0) == getDelay(1) ? "" : " and " + getDelay(1));
        delay += medium.HasRecordedDelay() ? " ms in the mean, as recorded" : " ms";
        const std::string jitter =
            m_jitter.IsZero()
                ? ""
                : " and up to " + Table::Rounded(1e3 * m_jitter.GetSeconds()) + " ms more";
        const double roundTripSeconds =
            2 * (medium.GetDelay(0) + medium.GetDelay(1) + m_jitter).GetSeconds();
        return GetName() + " (up " + rates[0].Describe() + ", down " + rates[1].Describe() +
               ", delay " + delay + jitter +
               DescribeWindow(std::min(rates[0].GetHighest(), rates[1].GetHighest()),
                              roundTripSeconds,
                              network.sendBufferBytes.value_or(medium.GetSendBuffer())) +
               ")";
    }

    Time GetDelay() const override
    {
        const auto rates = GetRates();
        const auto up = rates[0].GetRecordedDelay();
        const auto down = rates[1].GetRecordedDelay();
        return up && down ? (*up + *down) / 2 : m_delay;
    }

    Topology MakeTopology(const NetworkOptions& network,
                          const std::vector<std::string>& names) const override
    {
        return MakeStar(network, names, "core", MakeMedium());
    }

  protected:
    /** @param kind of the bearers */
    explicit BearerLink(const BearerKind& kind)
        : Typed({}, kind.uplinkBitsPerSecond, kind.downlinkBitsPerSecond)
    {
    }

    /**
     * @param tid of bearers of one kind
     * @param kind its defaults
     * @return tid with the attributes
     */
    static TypeId AddDefaults(TypeId tid, const BearerKind& kind)
    {
        return Attributes(tid)
            .Add("Delay",
                 "One-way delay of every bearer, such as 30ms, where no recording says it.",
                 {&BearerLink::m_delay, MicroSeconds(kind.delayMicroseconds)})
            .Add("Jitter",
                 "Largest additional delay of every bearer, such as 8ms, at flow level the mean of "
                 "a message's latest packet.",
                 {&BearerLink::m_jitter, MicroSeconds(kind.jitterMicroseconds)})
            .Add("Queue",
                 "Queue before each direction of a bearer, packets.",
                 {&BearerLink::m_queuePackets, QUEUE_PACKETS, 1, 1000000});
    }

    Time m_delay; //!< least, one way, where no recording says it

  private:
    /** @return the bearers */
    BearerMedium MakeMedium() const
    {
        return {GetRates(), m_delay, m_jitter, m_queuePackets};
    }

    Time m_jitter;           //!< largest additional delay of a packet
    uint32_t m_queuePackets; //!< before each direction
};

NS_OBJECT_ENSURE_REGISTERED(BearerLink);

/**
 * Bearers of a kind.
 *
 * @tparam Self the class
 * @tparam KIND of the bearers
 */
template <typename Self, const BearerKind& KIND>
class KindOfBearer : public Named<Self, BearerLink>
{
  public:
    static constexpr const char* NAME = KIND.name; //!< to select it by

    KindOfBearer()
        : KindOfBearer::Named(KIND)
    {
    }

    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return BearerLink::AddDefaults(tid, KIND);
    }
};

/** @ingroup edgepipe 4G bearers. */
class FourGLink : public KindOfBearer<FourGLink, FOUR_G>
{
};

/** @ingroup edgepipe 3G bearers. */
class ThreeGLink : public KindOfBearer<ThreeGLink, THREE_G>
{
};

/** @ingroup edgepipe Bearers of LTE's user equipment category 1. */
class Cat1Link : public KindOfBearer<Cat1Link, CAT1>
{
};

/** @ingroup edgepipe Bearers that replay a recording. */
class TraceLink : public KindOfBearer<TraceLink, RECORDED>
{
  public:
    /// @copydoc Typed::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(KindOfBearer::AddAttributes(tid))
            .Add(
                "Trace",
                "Recorded bandwidth of every uplink: a file, or a name in traces/bandwidth such as "
                "lte-up or lte-driving; without --trace-down, downlinks replay FILE.down beside "
                "FILE.up, the downlink in a file with both, or else the same recording.",
                {&TraceLink::m_up, ""})
            .Add("TraceDown",
                 "Recorded bandwidth of every downlink: a file or a name as for --trace.",
                 {&TraceLink::m_down, ""})
            .Add("TraceFormat",
                 "Format of recordings: mahimahi, pensieve, gnettrack, csv, log, mets, sabre, "
                 "iperf3 or columns; auto: by content.",
                 {&TraceLink::m_format, "auto"})
            .Add("TraceColumns",
                 "What the columns of a recording hold, such as time:ms,down:kbps (in their order) "
                 "or time=NAME:s,down=NAME:Mbps,up=NUMBER:bytes; empty: by its format.",
                 {&TraceLink::m_columns, ""})
            .Add("TraceOrder",
                 "Rows of a recording that go back in time: strict (refused), sort or drop.",
                 {&TraceLink::m_order, "strict"})
            .Add("TraceUnsaturated",
                 "Whether to replay a direction that was not saturated when it was recorded, such "
                 "as a download's acknowledgements.",
                 {&TraceLink::m_isUnsaturated, false})
            .Add("TraceEnd",
                 "What comes after a recording: loop, hold (the last value) or stop.",
                 {&TraceLink::m_end, "loop"})
            .Add("TraceOffset",
                 "Where in the recording the simulation starts, such as 30s.",
                 {&TraceLink::m_offset, Time()})
            .Add("TraceScale",
                 "Factor on recorded bandwidth, 0.001 to 1000.",
                 {&TraceLink::m_scale, 1, 1e-3, 1e3});
    }

    void Forget(const Options& given) override
    {
        DuplexLink::Forget(given);
        const auto exclude = [&given](const std::string& trace, const std::string& rate) {
            const auto found = given.find(rate);
            Require(found == given.end() || !given.count(trace),
                    rate,
                    found == given.end() ? "" : "\"" + found->second + "\"",
                    "none where --" + trace + " says it");
        };
        exclude("trace", "bandwidth");
        exclude("trace", "uplink-bandwidth");
        exclude("trace-down", "downlink-bandwidth");
        if (given.count("bandwidth") || given.count("uplink-bandwidth"))
        {
            m_up.clear();
        }
        if (given.count("bandwidth") || given.count("trace") || given.count("downlink-bandwidth"))
        {
            m_down.clear();
        }
        if (given.count("trace"))
        {
            m_bandwidth = m_uplink = m_downlink = {};
        }
        if (given.count("trace-down"))
        {
            m_downlink = {};
        }
    }

    void Check(const NetworkOptions& network, const std::vector<std::string>& names) const override
    {
        const auto rates = GetRates();
        bool isDelayed = true;
        for (const auto& rate : rates)
        {
            const bool isUp = rate.direction == TraceDirection::UP;
            const std::string trace = isUp ? "trace" : "trace-down";
            Require(!rate.trace.empty() || rate.bitsPerSecond > 0,
                    trace,
                    "\"\"",
                    std::string("a file, or --bandwidth or --") +
                        (isUp ? "uplink-bandwidth" : "downlink-bandwidth"));
            if (!rate.trace.empty())
            {
                CheckRecording(rate,
                               isUp || !m_down.empty(),
                               isUp || m_down.empty() ? "trace" : trace);
            }
            isDelayed &= rate.GetRecordedDelay().has_value();
        }
        BearerLink::Check(network, names);
        Require(!isDelayed || m_delay == MicroSeconds(RECORDED.delayMicroseconds),
                "delay",
                Table::Exact(m_delay.GetSeconds()),
                "none where --trace says it");
    }

    std::array<LinkRate, 2> GetRates() const override
    {
        auto rates = BearerLink::GetRates();
        rates[0].trace = m_up;
        rates[1].trace = !m_down.empty() || m_up.empty() || !m_downlink.steps.empty()
                             ? m_down
                             : FindDownlinkTrace(m_up);
        for (auto& rate : rates)
        {
            rate.replay = {m_format, m_columns, m_order, m_isUnsaturated, m_end, m_offset, m_scale};
        }
        return rates;
    }

  private:
    /**
     * @param rate recorded
     * @param isGiven whether an option names the recording for this direction
     * @param option that names it
     * @throws InputError if it cannot be replayed
     */
    static void CheckRecording(const LinkRate& rate, bool isGiven, const std::string& option)
    {
        try
        {
            const TraceSummary summary = CheckTrace(rate.trace, rate.direction, rate.replay);
            // Where nothing names a downlink's, it is taken to be like the uplink.
            const bool isOther = isGiven && summary.saturated &&
                                 summary.saturated->count(rate.direction) == 0 &&
                                 !rate.replay.isUnsaturated;
            const std::string link = rate.direction == TraceDirection::UP ? "uplink" : "downlink";
            Require(!isOther,
                    rate.trace + ": found a recording made while the " + link +
                        " was not saturated, expected one of a saturated " + link +
                        ", or --trace-unsaturated=true");
        }
        catch (const InputError& error)
        {
            throw error.GetOption().empty() ? InputError(option, error) : error;
        }
    }

    std::string m_up;      //!< recording of every uplink
    std::string m_down;    //!< of every downlink; empty: found by the uplink's
    std::string m_format;  //!< see TraceOptions
    std::string m_columns; //!< see TraceOptions
    std::string m_order;   //!< see TraceOptions
    bool m_isUnsaturated;  //!< see TraceOptions
    std::string m_end;     //!< see TraceOptions
    Time m_offset;         //!< see TraceOptions
    double m_scale;        //!< see TraceOptions
};

NS_OBJECT_ENSURE_REGISTERED(FourGLink);
NS_OBJECT_ENSURE_REGISTERED(ThreeGLink);
NS_OBJECT_ENSURE_REGISTERED(Cat1Link);
NS_OBJECT_ENSURE_REGISTERED(TraceLink);

} // namespace ns3::edgepipe
