/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_FIDELITY_DRAW_H
#define EDGEPIPE_FIDELITY_DRAW_H

#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** A combination of everything but the planner, and planners that meet it. */
struct FidelitySetting
{
    std::string workload;              //!< name of the scenario
    std::string link;                  //!< joins the devices
    std::string options;               //!< see FidelityCase::Make, but for the planner
    std::string cluster;               //!< of a mixed network: its file; else empty
    std::vector<std::string> planners; //!< options that name one, such as "planner=dp"
};

/**
 * @ingroup edgepipe
 *
 * Draws combinations of model, devices, planner, schedule, batch, network and all else that
 * workloads differ by, from ns-3's random variable streams. A combination may make no sense, such
 * as a model that fits no device: who runs it finds out, and draws another.
 *
 * Rates are drawn from 5 Mbit/s to 1 Gbit/s and delays from 20 us to 10 ms on wires, distances from
 * 2 to 25 m on Wi-Fi and from 10 to 1000 m on LTE, all log-uniform, so that every order of
 * magnitude gets its share. Devices of a mixed network are on some of these.
 */
class FidelityDraw
{
  public:
    /// Seeds are 0 to this.
    static constexpr uint32_t LARGEST_SEED = 39999;

    /** @return the links it can draw for */
    static const std::vector<std::string>& GetLinks();

    /**
     * @param seed tells draws from each other
     * @param traces the traces folder
     * @throws InputError if it has no models or devices
     */
    FidelityDraw(uint32_t seed, const std::string& traces);

    /**
     * @param workload name of a scenario, one of GetFidelityWorkloads
     * @param link one of GetLinks
     * @param planners how many; fewer if the workload has fewer
     * @param cluster path that the file of a mixed network is to have
     * @return a combination
     */
    FidelitySetting Draw(const std::string& workload,
                         const std::string& link,
                         std::size_t planners,
                         const std::string& cluster = "");

  private:
    /**
     * @param lowest smallest
     * @param highest largest
     * @return a number whose logarithm is uniform, of three digits
     */
    double DrawLog(double lowest, double highest);
    /**
     * @param lowest smallest
     * @param highest largest
     * @return a whole number, uniform
     */
    uint32_t DrawWhole(uint32_t lowest, uint32_t highest);
    /**
     * @param from what there is, not empty
     * @return one of it
     */
    const std::string& Pick(const std::vector<std::string>& from);
    /**
     * @param link joins the devices
     * @return options that say how
     */
    std::string DrawNetwork(const std::string& link);
    /** @return a recording of bandwidth, of uplinks where there are two: its name without ending */
    std::string DrawRecording();
    /**
     * Draw 3 to 10 devices on two to four networks: wires, bearers, recordings, an LTE cell and up
     * to two of Wi-Fi.
     *
     * @param options that concern them are added
     * @return a cluster file
     */
    std::string DrawCluster(std::string& options);
    /**
     * @param bitsPerSecond a rate
     * @return it, or rates by time around it
     */
    std::string DrawRates(double bitsPerSecond);

    Ptr<UniformRandomVariable> m_uniform; //!< where everything comes from
    std::string m_traces;                 //!< the traces folder
    std::vector<std::string> m_models;    //!< names
    std::vector<std::string> m_clusters;  //!< names
    std::vector<std::string> m_devices;   //!< names of types
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_FIDELITY_DRAW_H */
