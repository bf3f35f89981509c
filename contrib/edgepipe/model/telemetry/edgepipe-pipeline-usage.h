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
 * Measures the bubbles and the use of one pipeline's devices as it runs, and keeps no more than a
 * few figures per device.
 *
 * An iteration's idle rate is the time in which devices computed nothing, summed over the devices
 * that had a task of their own stage in it, over devices times the iteration's duration. Its bubble
 * rate is the part of that between tasks: the time stages were idle between their own first and
 * last task of that iteration, summed over the stages, over stages times the iteration's duration
 * (the bubble area of DGPAS eq. 14 over s times T_total). A stage's wait before its first task and
 * after its last is not a bubble in this sense, and what it computes for others in that time
 * does not make it one. A task belongs to the iteration it ran in. While a device works for another
 * job it is idle for this one.
 */
class PipelineUsageMeter
{
  public:
    /** @param filter says whose tasks count */
    explicit PipelineUsageMeter(JobFilter filter = JobFilter())
        : m_filter(std::move(filter))
    {
    }

    // The trace sources hold this object's address.
    PipelineUsageMeter(const PipelineUsageMeter&) = delete;
    PipelineUsageMeter& operator=(const PipelineUsageMeter&) = delete;

    /**
     * @param device index of a device; in iterations in which it runs nothing it counts for nothing
     * @param compute its processor, one task at a time
     * @param isOwn says of a task's tag whether the task is of the device's own stage; null: all
     * are
     */
    void Observe(uint32_t device, Ptr<ComputeDevice> compute, bool (*isOwn)(uint64_t) = nullptr);

    /** @param coordinator of the pipeline, which says when iterations begin and end */
    void Observe(Ptr<PipelineCoordinator> coordinator);

    /** @param worker of the pipeline; what it computes for others' stages makes no bubble */
    void Observe(Ptr<PipelineWorker> worker);

    /** An iteration begins now. */
    void BeginIteration();

    /** The iteration that has begun ends now. */
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
    /** What a device has done in the present iteration. */
    struct Extent
    {
        uint32_t device;    //!< index of the device
        bool isUsed{false}; //!< whether it has begun a task of its own stage
        Time first;         //!< begin of its first one
        Time last;          //!< end of its latest own one
        Time busy;          //!< time in tasks that have ended
        Time before;        //!< of that, before its first own one
        Time until;         //!< of that, until the end of its latest own one
    };

    JobFilter m_filter;                      //!< says whose tasks count
    std::vector<Extent> m_extents;           //!< by device observed
    Time m_start;                            //!< begin of the present iteration
    std::vector<IterationSpan> m_iterations; //!< finished iterations
    PipelineUsage m_usage;                   //!< of finished iterations
};

/** What a stage takes for a micro-batch. */
struct StagePass
{
    double forwardSeconds;  //!< T_f, >= 0
    double backwardSeconds; //!< T_b, >= 0
};

/**
 * @param problem what the plan is for
 * @param plan who runs what
 * @return by stage, from the layers' costs on its device
 */
std::vector<StagePass> GetStagePasses(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * The parameter of device heterogeneity, for which the DGPAS paper gives neither a value nor a
 * formula. Ours is the coefficient of variation (population standard deviation over mean) of the
 * speeds of the stages' devices; a device's speed is 1 / seconds for all layers, both ways.
 *
 * @param problem what the plan is for
 * @param plan who runs what
 * @return lambda, 0 for devices of one speed
 */
double GetHeterogeneity(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * The bubble area of J. Li et al., "DGPAS", Computer Networks 271, 2025, equation (11):
 *
 *     S = T_pb + sum_r (s - r) (int_0^T_f(r) exp(-lambda x) dx + log(1 + T_b(r)))
 *
 * with seconds in every place and the natural logarithm. It adds seconds to a logarithm of
 * seconds, so it is no time: print it as an index.
 *
 * @param bubbleSeconds T_pb, measured idle time between tasks, summed over the stages
 * @param passes by stage r = 1 to s
 * @param lambda >= 0; see GetHeterogeneity
 * @return S
 */
double GetBubbleArea(double bubbleSeconds, const std::vector<StagePass>& passes, double lambda);

/**
 * The bubble rate of equation (14), S / (s T_total), as an index beside a measured bubble rate.
 *
 * @param problem what the plan was made for
 * @param plan who ran what
 * @param bubbleRate measured: idle time between tasks over stages times duration
 * @param seconds T_total, the iteration's duration
 * @param lambda of equation (11); GetHeterogeneity unless given
 * @return the index; 0 if the duration is
 */
double GetBubbleIndex(const PipelineProblem& problem,
                      const PipelinePlan& plan,
                      double bubbleRate,
                      double seconds,
                      std::optional<double> lambda = {});

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_USAGE_H */
