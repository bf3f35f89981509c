/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-bearer.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-step-cursor.h"
#include "ns3/edgepipe-table.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Over which opportunities are counted where there are no packets.
const Time RATE_INTERVAL = MilliSeconds(50);

/**
 * Uplinks: the QDMP paper (Zhang et al., 2020), table 5.
 *
 * Downlinks of 4g and 3g: Ofcom, "Measuring mobile broadband performance in the UK", April 2015
 * (measured October to December 2014): means of 14.7 and 5.9 Mbit/s. Of cat1: an estimate, the
 * uplink times the ratio of the limits of LTE's UE category 1, 10296 to 5160 bits per millisecond
 * (3GPP TS 36.306, tables 4.1-1 and 4.1-2).
 *
 * Delay: half the mean round trip less the mean jitter. Round trips of 4g and 3g: the same report,
 * 53.1 and 63.5 ms; of cat1, an LTE radio too: as 4g. Of recordings, which hold none: as 4g.
 *
 * Jitter: an estimate, one repetition by the radio: a round of LTE's 8 HARQ processes of 1 ms each
 * (3GPP TS 36.213), and of HSUPA's 8 of 2 ms each (3GPP TS 25.319). Recordings have their own.
 *
 * Queue: an estimate, more than the megabyte that a connection of ours has under way. Carriers'
 * buffers hold so much (Jiang et al., "Understanding bufferbloat in cellular networks", 2012).
 */
const std::map<std::string, Bearer> BEARERS{
    {"4g", {5.85e6, 14.7e6, MicroSeconds(22550), MilliSeconds(8), 1000}},
    {"3g", {1.1e6, 5.9e6, MicroSeconds(23750), MilliSeconds(16), 1000}},
    {"cat1", {0.13e6, 0.13e6 * 10296 / 5160, MicroSeconds(22550), MilliSeconds(8), 1000}},
    {"trace", {0, 0, MicroSeconds(22550), Time(), 1000}},
};

/** A rate given by steps. */
class ScheduledRates : public StepSource
{
  public:
    /**
     * @param first bit/s at time 0
     * @param steps later ones
     */
    ScheduledRates(double first, const std::vector<BandwidthStep>& steps)
        : m_steps{{Time(), first}}
    {
        m_steps.insert(m_steps.end(), steps.begin(), steps.end());
    }

    bool Next(TraceStep& step) override
    {
        if (m_next == m_steps.size())
        {
            return false;
        }
        step = {m_steps[m_next].time, m_steps[m_next].bitsPerSecond};
        ++m_next;
        return true;
    }

  private:
    std::vector<BandwidthStep> m_steps; //!< all
    std::size_t m_next{0};              //!< place of the next one
};

/**
 * @param options of bearers
 * @param direction which one
 * @return the recording of its bandwidth, empty if there is none
 */
const std::string&
GetTrace(const NetworkOptions& options, TraceDirection direction)
{
    return direction == TraceDirection::UP ? options.uplinkTrace : options.downlinkTrace;
}

/**
 * @param options of bearers
 * @param direction which one
 * @return whether its bandwidth is recorded as opportunities
 */
bool
HasOpportunities(const NetworkOptions& options, TraceDirection direction)
{
    const std::string& trace = GetTrace(options, direction);
    return !trace.empty() &&
           CheckTrace(trace, direction, options.trace).format == TraceFormat::MAHIMAHI;
}

} // namespace

const Bearer*
FindBearer(const std::string& link)
{
    const auto bearer = BEARERS.find(link);
    return bearer == BEARERS.end() ? nullptr : &bearer->second;
}

void
CheckBearerOptions(const NetworkOptions& options)
{
    const auto refuse = [](const std::string& option,
                           const std::string& found,
                           const std::string& want) { throw InputError(option, found, want); };
    const auto allow = [&](const std::string& option,
                           bool isGiven,
                           const std::string& found,
                           const std::string& links,
                           bool isAllowed) {
        if (isGiven && !isAllowed)
        {
            refuse(option, found, "none, or --link=" + links);
        }
    };
    const double downlink = options.downlinkBitsPerSecond;
    const double jitter = options.jitter.GetSeconds();
    const bool isBearer = FindBearer(options.link);
    const bool isTrace = options.link == "trace";
    const std::string bearers = "4g, 3g, cat1 or trace";
    const std::string& up = options.uplinkTrace;
    const std::string& down = options.downlinkTrace;
    allow("downlink-bandwidth", downlink != 0, Table::Exact(downlink), bearers, isBearer);
    allow("jitter", jitter != 0, Table::Exact(jitter), bearers, isBearer);
    allow("queue",
          options.queuePackets != 0,
          std::to_string(options.queuePackets),
          bearers,
          isBearer);
    allow("trace", !up.empty(), "\"" + up + "\"", "trace", isTrace);
    allow("trace-down", !down.empty(), "\"" + down + "\"", "trace", isTrace);
    std::vector<double> rates{downlink};
    for (const auto& step : options.downlinkSteps)
    {
        rates.push_back(step.bitsPerSecond);
    }
    for (const double rate : rates)
    {
        if (downlink != 0 && !(rate >= 1e3 && rate <= 1e12))
        {
            refuse("downlink-bandwidth", Table::Exact(rate), "1e3 to 1e12 bit/s");
        }
    }
    if (!(jitter >= 0 && jitter <= 100))
    {
        refuse("jitter", Table::Exact(jitter), "0 to 100 s");
    }
}

std::string
FindDownlinkTrace(const std::string& uplinkTrace)
{
    std::filesystem::path path(uplinkTrace);
    if (path.extension() == ".up")
    {
        path.replace_extension(".down");
        std::error_code error;
        if (std::filesystem::is_regular_file(path, error))
        {
            return path.string();
        }
    }
    return uplinkTrace;
}

std::string
DescribeLink(const NetworkOptions& options)
{
    if (!FindBearer(options.link))
    {
        return options.link;
    }
    const auto describe = [](const std::string& trace, double bitsPerSecond, bool hasSteps) {
        return trace.empty()
                   ? Table::Rounded(bitsPerSecond / 1e6) + " Mbit/s" + (hasSteps ? " at first" : "")
                   : trace;
    };
    const bool isLikeUp = options.downlinkBitsPerSecond == 0;
    const auto& steps = isLikeUp ? options.bandwidthSteps : options.downlinkSteps;
    const std::string jitter =
        options.jitter.IsZero()
            ? ""
            : " and up to " + Table::Rounded(1e3 * options.jitter.GetSeconds()) + " ms more";
    return options.link + " (up " +
           describe(options.uplinkTrace,
                    options.bandwidthBitsPerSecond,
                    !options.bandwidthSteps.empty()) +
           ", down " +
           describe(options.downlinkTrace,
                    isLikeUp ? options.bandwidthBitsPerSecond : options.downlinkBitsPerSecond,
                    !steps.empty()) +
           ", delay " + Table::Rounded(1e3 * options.delay.GetSeconds()) + " ms" + jitter + ")";
}

std::unique_ptr<StepSource>
MakeBearerRates(const NetworkOptions& options, TraceDirection direction)
{
    const std::string& trace = GetTrace(options, direction);
    if (HasOpportunities(options, direction))
    {
        return MakeRates(OpenOpportunityTrace(trace, options.trace), RATE_INTERVAL);
    }
    if (!trace.empty())
    {
        return OpenRateTrace(trace, direction, options.trace);
    }
    return direction == TraceDirection::UP || options.downlinkBitsPerSecond == 0
               ? std::make_unique<ScheduledRates>(options.bandwidthBitsPerSecond,
                                                  options.bandwidthSteps)
               : std::make_unique<ScheduledRates>(options.downlinkBitsPerSecond,
                                                  options.downlinkSteps);
}

std::unique_ptr<LinkPacer>
MakeBearerPacer(const NetworkOptions& options, TraceDirection direction)
{
    if (HasOpportunities(options, direction))
    {
        return std::make_unique<OpportunityPacer>(
            OpenOpportunityTrace(GetTrace(options, direction), options.trace));
    }
    return std::make_unique<RatePacer>(MakeBearerRates(options, direction));
}

std::function<double(uint32_t, uint32_t)>
MakeBearerCapacity(const NetworkOptions& options, const std::vector<std::string>& names)
{
    std::vector<bool> isWired;
    for (const auto& name : names)
    {
        isWired.push_back(options.wiredDevices.count(name) > 0);
    }
    // Cursors move on, and a std::function is copied.
    const auto up = std::make_shared<StepCursor>(MakeBearerRates(options, TraceDirection::UP));
    const auto down = std::make_shared<StepCursor>(MakeBearerRates(options, TraceDirection::DOWN));
    const double cable = options.backhaulBitsPerSecond * GetEthernetShare(options.mtuBytes);
    const double payload =
        static_cast<double>(options.mtuBytes - TCP_IP_HEADERS) / options.mtuBytes;
    return [isWired, up, down, cable, payload](uint32_t from, uint32_t to) {
        const Time now = Simulator::Now();
        up->Advance(now);
        down->Advance(now);
        return payload * std::min(isWired[from] ? cable : up->GetValue(),
                                  isWired[to] ? cable : down->GetValue());
    };
}

} // namespace edgepipe
} // namespace ns3
