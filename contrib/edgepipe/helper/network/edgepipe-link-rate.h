/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_RATE_H
#define EDGEPIPE_LINK_RATE_H

#include "ns3/attribute-helper.h"
#include "ns3/edgepipe-link-pacer.h"
#include "ns3/edgepipe-trace.h"

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** A bandwidth from some time on. */
struct BandwidthStep
{
    Time time;            //!< since when
    double bitsPerSecond; //!< of every wire, bit/s
};

/**
 * Bandwidth of a link, as an attribute: a rate that may change at given times, or none. As text,
 * 5.85Mbps, 0s:5.85Mbps,30s:1.1Mbps, or nothing.
 */
struct RateSteps
{
    RateSteps() = default;

    /**
     * @param bitsPerSecond at first
     * @param later rates, in the order of time
     */
    RateSteps(double bitsPerSecond, const std::vector<BandwidthStep>& later = {});

    /**
     * @param text of a rate or several
     * @return whether the text says rates, which are then set
     */
    bool Parse(const std::string& text);

    /** @return those after the first */
    std::vector<BandwidthStep> GetLater() const
    {
        return steps.empty() ? steps : std::vector<BandwidthStep>(steps.begin() + 1, steps.end());
    }

    std::vector<BandwidthStep> steps; //!< the first at time 0; empty: none
};

/**
 * @param os gets the text
 * @param rate to write
 * @return os
 */
std::ostream& operator<<(std::ostream& os, const RateSteps& rate);

/**
 * @param is text; fails if it is not one that Parse takes, nor empty
 * @param rate set to what it says
 * @return is
 */
std::istream& operator>>(std::istream& is, RateSteps& rate);

ATTRIBUTE_HELPER_HEADER(RateSteps);

/**
 * The bandwidth of one direction of a link, or a station's limit, in IP packets: recorded, or given
 * by steps.
 */
struct LinkRate
{
    TraceDirection direction;           //!< which one
    std::string trace{};                //!< file of a recording; empty: as the steps say
    TraceOptions replay{};              //!< how to replay it
    double bitsPerSecond{0};            //!< at first, bit/s
    std::vector<BandwidthStep> steps{}; //!< later bandwidths

    /** @return whether it is recorded or has steps */
    bool IsChanging() const
    {
        return !trace.empty() || !steps.empty();
    }

    /**
     * Make the rates for flows and oracles; delivery opportunities are counted over intervals of
     * 50 ms.
     *
     * @return bit/s
     * @throws InputError if the recording cannot be used
     */
    std::unique_ptr<StepSource> MakeRates() const;

    /**
     * @return decides when packets are sent
     * @throws InputError if the recording cannot be used
     */
    std::unique_ptr<LinkPacer> MakePacer() const;

    /**
     * @return the mean delay of the recording, one way, if it says it
     * @throws InputError if the recording cannot be used
     */
    std::optional<Time> GetRecordedDelay() const;

    /** @return the recording, or the bandwidth in Mbit/s */
    std::string Describe() const;

    /**
     * @return its highest rate, bit/s
     * @throws InputError if the recording cannot be used
     */
    double GetHighest() const;

    /**
     * @return a single figure: the mean of a recording, else the rate at first, bit/s
     * @throws InputError if the recording cannot be used
     */
    double GetUsual() const;

  private:
    /** @return the properties of the recording, which there is */
    TraceSummary Check() const
    {
        return CheckTrace(trace, direction, replay);
    }

    /** @return whether the bandwidth is recorded as opportunities */
    bool HasOpportunities() const
    {
        return !trace.empty() && Check().format == TraceFormat::MAHIMAHI;
    }
};

/**
 * @param uplinkTrace a recording of an uplink
 * @return the recording of its downlink: FILE.down beside FILE.up, or FILE.down.csv beside
 *         FILE.up.csv, if it is there, else the same file
 */
std::string FindDownlinkTrace(const std::string& uplinkTrace);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_RATE_H */
