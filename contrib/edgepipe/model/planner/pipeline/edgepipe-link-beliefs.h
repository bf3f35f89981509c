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

/** What a transfer was measured to get. */
struct PairRate
{
    std::size_t from;     //!< index of the sender
    std::size_t to;       //!< index of the receiver
    double bitsPerSecond; //!< payload, > 0
};

/**
 * What is believed of the uplinks and downlinks of devices whose transfers are measured in pairs.
 *
 * A transfer gets the lesser of its sender's uplink and its receiver's downlink. A measurement
 * above what is believed raises both ends to it. One below lowers an end that no other measurement
 * of the same time contradicts: the one that more of them agree on, or else the one believed to be
 * the slower, or both where they are alike. Measurements within 5 % of what is believed change
 * nothing. Beliefs that change are rounded to two digits, so that devices of like links stay alike.
 */
class LinkBeliefs
{
  public:
    /** Of no device. */
    LinkBeliefs() = default;

    /** @param problem whose rates are believed at first */
    explicit LinkBeliefs(const PipelineProblem& problem);

    /**
     * Take up what was measured at one time.
     *
     * @param rates of some transfers
     */
    void Tell(const std::vector<PairRate>& rates);

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
