/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_SWEEP_H
#define EDGEPIPE_QDMP_SWEEP_H

#include "papers/qdmp-calibration.h"

#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Latencies at one bandwidth of figure 11, s. */
struct QdmpSweepPoint
{
    double uplinkBitsPerSecond; //!< 0 or more
    double cloudSeconds;        //!< cloud-only, infinite at 0
    double qdmpSeconds;         //!< qdmp
};

/** Figure 11: a model from 0 to 15 Mbit/s in steps of 0.5. */
struct QdmpSweep
{
    double edgeSeconds;                 //!< edge-only at any bandwidth
    std::vector<QdmpSweepPoint> points; //!< rising
    double cloudBeatsEdgeBitsPerSecond; //!< from here on cloud-only is faster than edge-only
    double allCloudBitsPerSecond;       //!< from here on qdmp leaves the device nothing
};

/**
 * @param model a model
 * @return how its latencies change with the bandwidth
 */
QdmpSweep SweepBandwidth(const CalibratedModel& model);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_SWEEP_H */
