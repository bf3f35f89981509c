/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_WORKLOAD_SCALABILITY_STUDY_H
#define EDGEPIPE_WORKLOAD_SCALABILITY_STUDY_H

#include "lib/experiment.h"
#include "studies/fidelity-case.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One planner with a number of devices. */
struct WorkloadScalabilityCase
{
    std::string planner;              //!< its name
    uint32_t devices;                 //!< cameras of a server, actors, or workers
    std::string status;               //!< finished, stalled or refused
    std::vector<std::string> reasons; //!< why not finished, one line each
    FidelityRun run;                  //!< what came of it
    uint64_t peakMemoryBytes{0};      //!< of the process that simulated

    /** @return whether it came to its end */
    bool IsFinished() const;
    /** @return wall-clock microseconds of its simulation per request, if there is one */
    Cell GetMicrosecondsPerRequest() const;
};

/**
 * @ingroup edgepipe
 *
 * Cooperative inference, actors and learner or data-parallel training over numbers of devices:
 * what ScalabilityStudy does for pipelines. Every case is simulated in a process of its own.
 */
class WorkloadScalabilityStudy : public Experiment
{
  public:
    /**
     * @param options of the scenario, to declare
     * @param workload one of GetFidelityWorkloads, but for pipeline-training
     */
    WorkloadScalabilityStudy(ScenarioOptions& options, const std::string& workload);

  private:
    void Read() override;
    void Simulate() override;
    void Print() const override;
    std::string Write(ResultsFolder& folder) const override;

    /**
     * @param planner its name
     * @param devices how many
     * @return options of the case, as FidelityCase takes them
     */
    std::string MakeText(const std::string& planner, uint32_t devices) const;
    /**
     * @param one a case
     * @return its throughput per device over that of the same planner's smallest case
     */
    Cell GetEfficiency(const WorkloadScalabilityCase& one) const;
    /** @return what came of every case */
    Sheet<WorkloadScalabilityCase> MakeResults() const;

    std::string m_workload;                       //!< its scenario
    std::string m_case;                           //!< further options of it
    std::string m_fidelity;                       //!< flow or packet
    std::vector<std::string> m_planners;          //!< their names
    std::vector<uint32_t> m_devices;              //!< counts, rising
    std::string m_link;                           //!< what joins the devices
    std::vector<WorkloadScalabilityCase> m_cases; //!< by planner and devices
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_WORKLOAD_SCALABILITY_STUDY_H */
