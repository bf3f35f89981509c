/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_SIMULATION_H
#define EDGEPIPE_QDMP_SIMULATION_H

#include "papers/qdmp-calibration.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What simulating a plan gives, which the formulas of the paper only state. */
struct QdmpSimulated
{
    double latencySeconds;  //!< mean of a frame that meets no other
    double framesPerSecond; //!< with several frames in flight
};

/**
 * Simulates plans over the bearers that stand for the paper's networks, the result's way back
 * included. What was simulated once is remembered.
 */
class QdmpSimulation
{
  public:
    /**
     * @param network of the paper
     * @return whether there is a bearer for it, and latencies of the paper to compare with
     */
    static bool Knows(const std::string& network);

    /**
     * @param model calibrated; its times in context are what execution takes
     * @param network one that Knows
     * @param plan who runs what
     * @param fidelity flow or packet
     * @return what comes of it
     * @throws InputError if it does not end
     */
    QdmpSimulated Find(const CalibratedModel& model,
                       const std::string& network,
                       const TwoWayCutPlan& plan,
                       const std::string& fidelity);

  private:
    /// What distinguishes simulations: model, times, bytes, network, plan, fidelity.
    using Key = std::tuple<std::string,
                           std::vector<double>,
                           std::vector<uint64_t>,
                           std::string,
                           std::vector<bool>,
                           std::string>;

    std::map<Key, QdmpSimulated> m_done; //!< simulated
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_SIMULATION_H */
