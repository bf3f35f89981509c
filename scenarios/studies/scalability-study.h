/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SCALABILITY_STUDY_H
#define EDGEPIPE_SCALABILITY_STUDY_H

#include "lib/experiment.h"
#include "lib/training-inputs.h"

#include "ns3/edgepipe-cluster.h"
#include "ns3/edgepipe-pipeline-problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One planner's plan for a number of devices, trained on a number of sites. */
struct ScalabilityCase
{
    std::string planner;               //!< name of the planner
    uint32_t devices;                  //!< of each site
    uint32_t pipelines;                //!< sites, one pipeline each
    std::string status;                //!< finished, stalled or no-plan
    std::vector<std::string> reasons;  //!< why not finished, one line each
    uint64_t stages{0};                //!< of each pipeline
    double predictedSeconds{0};        //!< iteration time by the cost model, seconds
    double iterationSeconds{0};        //!< simulated, mean over pipelines, seconds
    double samplesPerSecond{0};        //!< throughput, all pipelines together
    double bubbleRate{0};              //!< mean over pipelines
    double idleRate{0};                //!< likewise, see PipelineOutcome::GetMeanIdleRate
    uint64_t movedBytes{0};            //!< payload delivered between devices
    uint64_t transfers{0};             //!< messages delivered between devices
    uint64_t events{0};                //!< simulator events executed
    double simulatedSeconds{0};        //!< simulated time at the end
    double decisionSeconds{0};         //!< wall-clock time of planning for one site
    double simulationSeconds{0};       //!< wall-clock time of building, running, taking down
    uint64_t planningMemoryBytes{0};   //!< peak memory of the process that planned
    uint64_t simulationMemoryBytes{0}; //!< peak memory of the process that simulated

    /** @return whether every iteration of every pipeline ended */
    bool IsFinished() const;
};

/**
 * Set up a site: a cluster's devices, again and again from the first, each under a name of its
 * own: the first turn's are the cluster's, in turn k (from 1) `.k` follows.
 *
 * @param cluster whose devices to take
 * @param count how many, at least 1
 * @return the cluster with that many devices
 */
Cluster MakeSite(const Cluster& cluster, uint32_t count);

/**
 * @param site the devices of a site
 * @param pipelines how many sites
 * @return names of the devices of all sites: as in the first, after `site-k/` in site k (from 1)
 */
std::vector<std::string> NameDevices(const Cluster& site, uint32_t pipelines);

/**
 * Find where planning outgrows simulation: from which number of devices on planning takes longer
 * than simulating, if it also grows faster with the devices (a line through the logarithm of the
 * ratio over the logarithm of the devices rises).
 *
 * @param cases of one planner and one number of pipelines, by rising devices
 * @return the devices; 0 if it does not, or if too few cases finished to tell
 */
uint32_t FindOutgrowth(const std::vector<ScalabilityCase>& cases);

/**
 * @ingroup edgepipe
 *
 * Pipeline training over numbers of devices (strong scaling: one model over more devices) and of
 * pipelines side by side (weak scaling: more sites on one network, each training the model on its
 * own devices). Every case is planned and simulated in processes of their own, so that its memory
 * is its own. All sites are alike, so a plan is made once for each number of devices.
 */
class ScalabilityStudy : public Experiment
{
  public:
    /** @param options of the scenario, to declare */
    explicit ScalabilityStudy(ScenarioOptions& options);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * Find a plan for a site, in a process of its own.
     *
     * @param site the devices
     * @param one what the plan costs is filled in
     * @return the plan, empty if there is none
     */
    PipelinePlan Plan(const Cluster& site, ScalabilityCase& one) const;

    /**
     * Simulate a case, in a process of its own.
     *
     * @param site the devices of each site
     * @param plan of each site
     * @param progress told the share of tasks done
     * @param one what came of it is filled in
     */
    void SimulateCase(const Cluster& site,
                      const PipelinePlan& plan,
                      const std::function<void(double)>& progress,
                      ScalabilityCase& one) const;

    /**
     * @param one a case
     * @param isStrong whether to compare over devices, otherwise over pipelines
     * @return its efficiency; 0 if it did not finish
     */
    double GetEfficiency(const ScalabilityCase& one, bool isStrong) const;

    /** @return what came of every case */
    Sheet<ScalabilityCase> MakeResults() const;

    /** Print why cases did not finish, and where planning outgrows simulation. */
    void PrintNotes() const;

    /**
     * @param planner name of a planner
     * @param pipelines number of pipelines
     * @return its cases, by rising devices
     */
    std::vector<ScalabilityCase> Select(const std::string& planner, uint32_t pipelines) const;

    TrainingInputs m_inputs;              //!< what to train, and how
    std::vector<uint32_t> m_devices;      //!< counts, rising
    std::vector<uint32_t> m_pipelines;    //!< counts, rising
    double m_bandwidth;                   //!< that planners are told, bit/s
    std::vector<ScalabilityCase> m_cases; //!< by planner, devices, pipelines
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_SCALABILITY_STUDY_H */
