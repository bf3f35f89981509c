/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SMALL_QUEUE_H
#define EDGEPIPE_SMALL_QUEUE_H

#include <algorithm>
#include <cmath>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * What one connection keeps before its host's own wire, as Linux's TCP small queues.
 *
 * It sends in bunches, another one whenever two or fewer wait there, or a millisecond's data at its
 * pacing rate. Since Linux 5.18 a bunch is 64 kB where the shortest round trip is below 512 us, and
 * half of that for each further 512 us (tcp_tso_rtt_log), plus that millisecond's data, but no more
 * than the window permits.
 */
struct SmallQueue
{
    /**
     * @param pace bytes/s at which Linux paces: in slow start twice the window per round trip,
     * later 1.2 times
     * @param leastSeconds shortest round trip so far, s
     * @param windowBytes that the window permits
     * @param segmentBytes a full segment
     */
    SmallQueue(double pace, double leastSeconds, double windowBytes, double segmentBytes)
    {
        constexpr double MOST = 65536;         // gso_max_size
        constexpr double HALVING = 512e-6;     // s
        constexpr double PACED_SECONDS = 1e-3; // sk_pacing_shift
        constexpr double LEAST = 2;            // tcp_min_tso_segs
        const double paced = pace * PACED_SECONDS;
        const double most = paced + MOST * std::exp2(-std::floor(leastSeconds / HALVING));
        bunchBytes = std::clamp(most, LEAST * segmentBytes, MOST);
        bunchBytes = std::min(bunchBytes, windowBytes);
        bytes = std::max(paced, 2 * bunchBytes);
    }

    double bunchBytes; //!< a bunch
    double bytes;      //!< most that waits when another one is sent
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SMALL_QUEUE_H */
