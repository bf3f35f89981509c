/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_USAGE_H
#define EDGEPIPE_PIPELINE_USAGE_H

#include "edgepipe-job-filter.h"

#include "ns3/edgepipe-compute-device.h"
#include "ns3/edgepipe-pipeline-coordinator.h"
#include "ns3/edgepipe-pipeline-problem.h"
#include "ns3/edgepipe-pipeline-worker.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** When an iteration began and ended. */
struct IterationSpan
{
    Time start; //!< the workers were told to begin
    Time end;   //!< the last worker had reported
};

/** How a pipeline's devices spent their time, in finished iterations. */
struct PipelineUsage
{
    std::vector<double> idleRates;          //!< by iteration, 0 to 1
    std::vector<double> bubbleRates;        //!< by iteration, 0 to the idle rate
    std::map<uint32_t, double> busySeconds; //!< by device, seconds, all iterations
};

/**
 * @ingroup edgepipe
 *
 * Measures the bubbles and the use of one pipeline's devices as it runs, keeping only a few figures
 * per device.
 *
 * An iteration's idle rate is the time in which devices computed nothing, summed over the devices
 * that had a task of their own stage in it, over devices times the iteration's duration. Its bubble
 * rate is the part of that between tasks: the time stages were idle between their own first and
 * last task of that iteration, summed over the stages, over stages times the iteration's duration
 * (the bubble area of DGPAS eq. 14 over s times T_total). A stage's wait before its first task and
 * after its last is not a bubble, even if it computes for others in that time. A task belongs to
 * the iteration it ran in. A device that works for another job is idle for this one.
 */
class PipelineUsageMeter
{
  public:
    /** @param filter selects the tasks that count */
    explicit PipelineUsageMeter(JobFilter filter = JobFilter())
        : m_filter(std::move(filter))
    {
    }

    // The trace sources hold this object's address.
    PipelineUsageMeter(const PipelineUsageMeter&) = delete;
    PipelineUsageMeter& operator=(const PipelineUsageMeter&) = delete;

    /**
     * @param device index of a device, ignored in iterations without a task of its own stage
     * @param compute its processor, one task at a time
     * @param isOwn whether a task of that tag is of the device's own stage; null: all are
     */
    void Observe(uint32_t device, Ptr<ComputeDevice> compute, bool (*isOwn)(uint64_t) = nullptr);

    /** @param coordinator of the pipeline, which starts and ends iterations */
    void Observe(Ptr<PipelineCoordinator> coordinator);

    /** @param worker of the pipeline; its tasks for others' stages do not bound bubbles */
    void Observe(Ptr<PipelineWorker> worker);

    /** Start an iteration now. */
    void BeginIteration();

    /** End the current iteration now. */
    void EndIteration();

    /** @return the finished iterations, in order */
    const std::vector<IterationSpan>& GetIterations() const
    {
        return m_iterations;
    }

    /** @return what was measured so far */
    const PipelineUsage& GetUsage() const
    {
        return m_usage;
    }

  private:
    /** Tasks of a device in the current iteration. */
    struct Extent
    {
        uint32_t device;    //!< index of the device
        bool isUsed{false}; //!< whether it has run a task of its own stage
        Time first;         //!< start of its first own task
        Time last;          //!< end of its latest own task
        Time busy;          //!< time in ended tasks
        Time before;        //!< part of busy before its first own task
        Time until;         //!< part of busy until the end of its latest own task
    };

    JobFilter m_filter;                      //!< selects the tasks that count
    std::vector<Extent> m_extents;           //!< by device observed
    Time m_start;                            //!< start of the current iteration
    std::vector<IterationSpan> m_iterations; //!< finished iterations
    PipelineUsage m_usage;                   //!< of finished iterations
};

/**
 * @param problem what the plan is for
 * @param plan the plan
 * @return T_f and T_b by stage, from the layers' costs on its device
 */
std::vector<PassSeconds> GetStagePasses(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * The parameter of device heterogeneity, for which the DGPAS paper gives neither a value nor a
 * formula. Ours is the coefficient of variation (population standard deviation over mean) of the
 * speeds of the stages' devices; a device's speed is 1 / seconds for all layers, both ways.
 *
 * @param problem what the plan is for
 * @param plan the plan
 * @return lambda, 0 for devices of one speed
 */
double GetHeterogeneity(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * The bubble area of J. Li et al., "DGPAS", Computer Networks 271, 2025, equation (11):
 *
 *     S = T_pb + sum_r (s - r) (int_0^T_f(r) exp(-lambda x) dx + log(1 + T_b(r)))
 *
 * with all times in seconds and the natural logarithm. It adds seconds to a logarithm of seconds,
 * so it is not a time: print it as an index.
 *
 * @param bubbleSeconds T_pb, measured idle time between tasks, summed over the stages
 * @param passes by stage r = 1 to s
 * @param lambda >= 0; see GetHeterogeneity
 * @return S
 */
double GetBubbleArea(double bubbleSeconds, const std::vector<PassSeconds>& passes, double lambda);

/**
 * The bubble rate of equation (14), S / (s T_total), as an index next to a measured bubble rate.
 *
 * @param problem what the plan was made for
 * @param plan the plan
 * @param bubbleRate measured: idle time between tasks over stages times duration
 * @param seconds T_total, the iteration's duration
 * @param lambda of equation (11); GetHeterogeneity unless given
 * @return the index; 0 if the duration is 0
 */
double GetBubbleIndex(const PipelineProblem& problem,
                      const PipelinePlan& plan,
                      double bubbleRate,
                      double seconds,
                      std::optional<double> lambda = {});

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_USAGE_H */
