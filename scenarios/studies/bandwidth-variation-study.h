/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BANDWIDTH_VARIATION_STUDY_H
#define EDGEPIPE_BANDWIDTH_VARIATION_STUDY_H

#include "lib/cooperative-inputs.h"
#include "lib/experiment.h"

#include "ns3/edgepipe-table.h"
#include "ns3/edgepipe-two-way-cut-problem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Lone frames by one planner's plan at one bandwidth. */
struct BandwidthCase
{
    std::string planner;                //!< its name
    double bitsPerSecond;               //!< of the link, up and down; 0: nothing moves
    std::string status;                 //!< finished, no-link or stalled
    std::vector<std::string> diagnosis; //!< who waits for what, if it stalled
    Time end;                           //!< of the run
    TwoWayCutPlan plan;                 //!< who runs what, unless no-link
    double toldBitsPerSecond{0};        //!< what the planner took the uplink to give, payload bit/s
    double predictedSeconds{0};         //!< latency
    double simulatedSeconds{0};         //!< latency, mean over frames
    uint64_t uplinkBytes{0};            //!< payload per frame
    double decisionSeconds{0};          //!< wall-clock time

    /** @return whether there are figures */
    bool IsFinished() const;
};

/**
 * @ingroup edgepipe
 *
 * Latency of lone frames over a sweep of bandwidths, as figure 11 of S. Zhang et al. (see
 * TwoWayCutProblem). At a bandwidth of 0 nothing can be sent, and only edge-only, which sends
 * nothing, has a latency: as long as over any link.
 */
class BandwidthVariationStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit BandwidthVariationStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * @param planner name of a planner
     * @param bitsPerSecond of the link, 0: nothing moves
     * @return what comes of it
     */
    BandwidthCase SimulateCase(const std::string& planner, double bitsPerSecond) const;

    /**
     * @param planner name of a planner
     * @param point index into the bandwidths
     * @return its case
     */
    const BandwidthCase& Find(const std::string& planner, std::size_t point) const;

    /**
     * @param one a case
     * @param reference name of a planner
     * @return latency under that planner's plan at the same bandwidth over the case's, both
     *         simulated: the paper's kappa; nothing if one of them has no figures
     */
    std::optional<double> GetSpeedUp(const BandwidthCase& one, const std::string& reference) const;

    /** Print from where on the server is worth it, and from where on all goes there. */
    void PrintCrossovers() const;

    /**
     * @param holds tells it by the index of a bandwidth
     * @return the lowest bandwidth from which on something holds, bit/s; nothing if it does not at
     *         the last
     */
    template <typename Holds>
    std::optional<double> FindFrom(Holds holds) const;

    /**
     * @param planner name of a planner
     * @return the lowest bandwidth from which on its plans keep nothing on the device, bit/s;
     *         nothing if the last one keeps something
     */
    std::optional<double> FindAllOnServer(const std::string& planner) const;

    /**
     * @param seconds latencies to compare: simulated or predicted ones
     * @return the lowest bandwidth from which on cloud-only beats edge-only, bit/s; nothing if it
     *         does not at the last
     */
    std::optional<double> FindCloudBeatsEdge(double BandwidthCase::*seconds) const;

    CooperativeInputs m_inputs;          //!< what to do
    BitsPerSecond m_from;                //!< lowest bandwidth
    BitsPerSecond m_to;                  //!< highest bandwidth
    BitsPerSecond m_step;                //!< from one to the next
    std::vector<double> m_bandwidths;    //!< rising, bit/s
    std::vector<std::string> m_planners; //!< those asked for, and the references
    std::vector<BandwidthCase> m_cases;  //!< by bandwidth, then planner
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BANDWIDTH_VARIATION_STUDY_H */
