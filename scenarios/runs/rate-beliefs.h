/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_RATE_BELIEFS_H
#define EDGEPIPE_RATE_BELIEFS_H

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * The rate of a link that a decision was made for, and the one that it had. A transfer may get less
 * of it: a send buffer holds 128 kB over bearers.
 */
struct RateBelief
{
    double seconds;   //!< simulated time of the decision
    std::string from; //!< sender
    std::string to;   //!< receiver
    double believed;  //!< payload bit/s, > 0
    double actual;    //!< payload bit/s, >= 0

    /** @return by which factor they differ, 1 or more */
    double GetFactor() const;
};

/**
 * @param believed rate of a link, payload bit/s
 * @param all that a lone transfer gets, payload bit/s
 * @param users of its medium
 * @return the rate nearest to the believed one that a transfer may get beside the others', payload
 *         bit/s
 */
inline double
FindNearestShare(double believed, double all, std::size_t users)
{
    return std::clamp(believed, all / users, all);
}

/**
 * @param who decided
 * @param what was decided, with its plural: such as "decision"
 * @param beliefs one for each decision
 * @return a line on those whose rates differ by more than a third, and the worst of them; empty if
 *         there are none
 */
std::vector<std::string> DescribeBeliefs(const std::string& who,
                                         const std::string& what,
                                         const std::vector<RateBelief>& beliefs);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_RATE_BELIEFS_H */
