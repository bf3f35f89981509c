/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LINK_BELIEFS_H
#define EDGEPIPE_LINK_BELIEFS_H

#include "ns3/edgepipe-pipeline-problem.h"

#include <cstddef>
#include <vector>

namespace ns3::edgepipe
{

/** The measured rate of a transfer. */
struct PairRate
{
    std::size_t from;     //!< index of the sender
    std::size_t to;       //!< index of the receiver
    double bitsPerSecond; //!< payload, > 0
};

/**
 * Estimated uplinks and downlinks of devices, from transfers measured between pairs.
 *
 * A transfer gets the lesser of its sender's uplink and its receiver's downlink. A measurement
 * above the estimates raises both ends to it. A lower one reduces the end that no simultaneous
 * measurement contradicts; of two such ends, the one with more measurements, else the one estimated
 * to be slower; both if that leaves a tie. Measurements within 5 % of the estimate change nothing.
 * Changed estimates are rounded to two digits, so that devices with similar links stay alike.
 */
class LinkBeliefs
{
  public:
    /** Beliefs about no device. */
    LinkBeliefs() = default;

    /** @param problem gives the initial rates */
    explicit LinkBeliefs(const PipelineProblem& problem);

    /**
     * Updates the beliefs with simultaneous measurements.
     *
     * @param rates of some transfers
     */
    void SetRates(const std::vector<PairRate>& rates);

    /** @return by device, bit/s, > 0 */
    const std::vector<double>& GetUplinks() const
    {
        return m_uplinks;
    }

    /** @return by device, bit/s, > 0 */
    const std::vector<double>& GetDownlinks() const
    {
        return m_downlinks;
    }

  private:
    std::vector<double> m_uplinks;   //!< by device
    std::vector<double> m_downlinks; //!< by device
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LINK_BELIEFS_H */
