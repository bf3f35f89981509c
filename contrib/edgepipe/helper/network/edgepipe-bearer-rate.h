/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BEARER_RATE_H
#define EDGEPIPE_BEARER_RATE_H

#include "edgepipe-network-options.h"

#include "ns3/edgepipe-link-pacer.h"
#include "ns3/edgepipe-trace.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** The bandwidth of one direction of a bearer, in IP packets: recorded, or given by steps. */
struct BearerRate
{
    TraceDirection direction;         //!< which one
    std::string trace;                //!< file of a recording; empty: as the steps say
    TraceOptions replay;              //!< how to replay it
    double bitsPerSecond;             //!< at first, bit/s
    std::vector<BandwidthStep> steps; //!< later bandwidths

    /**
     * As flows see it, and an oracle: delivery opportunities are counted over intervals of 50 ms.
     *
     * @return bit/s
     * @throws InputError if the recording cannot be used
     */
    std::unique_ptr<StepSource> MakeRates() const;

    /**
     * @return when packets are sent
     * @throws InputError if the recording cannot be used
     */
    std::unique_ptr<LinkPacer> MakePacer() const;

    /** @return the recording, or the bandwidth in Mbit/s */
    std::string Describe() const;

  private:
    /** @return whether the bandwidth is recorded as opportunities */
    bool HasOpportunities() const;
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BEARER_RATE_H */
