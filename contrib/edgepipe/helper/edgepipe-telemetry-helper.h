/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TELEMETRY_HELPER_H
#define EDGEPIPE_TELEMETRY_HELPER_H

#include "ns3/application-container.h"
#include "ns3/edgepipe-job-recorder.h"
#include "ns3/edgepipe-results-folder.h"
#include "ns3/edgepipe-sheet.h"
#include "ns3/edgepipe-timeline.h"

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * Records what jobs do, separately even where they share nodes, and writes it as tables.
 *
 * Of every job it records what its nodes did for it (JobUsage), its iterations, updates, frames or
 * steps (JobRecorder), and its tasks, messages and its devices' memory (Timeline). The helper never
 * runs the simulation, and must outlive it. Read it after Simulator::Run and before
 * Simulator::Destroy, which removes the nodes that it names.
 */
class TelemetryHelper
{
  public:
    TelemetryHelper() = default;
    // The trace sources hold addresses of its jobs.
    TelemetryHelper(const TelemetryHelper&) = delete;
    TelemetryHelper& operator=(const TelemetryHelper&) = delete;

    /**
     * Timelines grow with every task and message.
     *
     * @param isRecorded whether those of jobs installed from now on are recorded; by default they
     *        are
     */
    void SetTimeline(bool isRecorded)
    {
        m_isTimed = isRecorded;
    }

    /**
     * Record a job from now on.
     *
     * @param name of the job, for tables and file names
     * @param applications returned by the helper of its workload
     * @throws InputError if the name is taken or unfit for a file name, or if the applications are
     *         not those of one job
     */
    void Install(const std::string& name, const ApplicationContainer& applications);

    /**
     * @param name of a job
     * @return what its nodes have done for it so far
     */
    const JobUsage& GetUsage(const std::string& name) const
    {
        return Find(name).usage;
    }

    /**
     * @param name of a job
     * @return what it has done so far; empty if it is not recorded
     */
    const Timeline& GetTimeline(const std::string& name) const
    {
        return Find(name).timeline;
    }

    /** @param os gets a readable table of what every node has done for every job */
    void PrintUsage(std::ostream& os) const;

    /**
     * Write usage.csv for all jobs; for each JOB-iterations.csv, JOB-updates.csv, JOB-frames.csv or
     * JOB-steps.csv, by its workload; and timeline.json in Chrome's trace event format, if any
     * timeline is recorded.
     *
     * @param folder made if it does not exist; files of these names are replaced
     * @throws InputError if it cannot be written to
     */
    void Write(const std::string& folder) const;

  private:
    /** A job that is recorded. */
    struct Job
    {
        /**
         * @param jobName of the job
         * @param applications of the job
         * @param isTimed whether its timeline is recorded
         */
        Job(const std::string& jobName, const ApplicationContainer& applications, bool isTimed);

        std::string name;     //!< for tables
        JobFilter filter;     //!< selects its tasks and messages
        JobUsage usage;       //!< of its nodes
        Timeline timeline;    //!< of its nodes
        JobRecorder recorder; //!< of its iterations, updates, frames or steps
    };

    /**
     * @param name of a job
     * @return the job
     */
    const Job& Find(const std::string& name) const;

    /** @return what every node has done for every job */
    Sheet<std::string, uint32_t, NodeUsage> MakeUsage() const;

    bool m_isTimed{true};                     //!< whether timelines are recorded
    bool m_hasTimelines{false};               //!< whether one is
    std::vector<std::unique_ptr<Job>> m_jobs; //!< in the order installed
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TELEMETRY_HELPER_H */
