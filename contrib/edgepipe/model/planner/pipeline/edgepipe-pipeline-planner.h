/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PLANNER_H
#define EDGEPIPE_PIPELINE_PLANNER_H

#include "edgepipe-pipeline-cost-model.h"
#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * An algorithm that decides who runs what in a pipeline.
 *
 * A planner is a function from a problem to a plan: it never sees a node, a socket or the clock.
 * To add one, derive from this class in any module, register its TypeId with this class as
 * parent and a constructor, and implement GetName and DoPlan; FindByName<PipelinePlanner> then
 * finds it.
 */
class PipelinePlanner : public StatePlanner<PipelinePlan>
{
  public:
    /// Streams kept for such planners.
    static constexpr StreamRange STREAMS = random_streams::PIPELINE_PLANNER;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Decides.
     *
     * @param problem the problem
     * @return a plan that covers every layer, one stage per device, within every device's memory
     * @throws InputError when the problem is malformed, no plan fits, or the planner made a plan
     *         that breaks a rule
     */
    PipelinePlan Plan(const PipelineProblem& problem);

    /**
     * @return how many plans' costs the last Plan looked at, those of learning included where it
     *         learned for that problem; 0 for planners that do not search, and before the first
     */
    virtual uint64_t GetEvaluations() const
    {
        return 0;
    }

    /**
     * @return what no plan for the problem of the last Plan takes less than, by the cost model, as
     *         far as the planner has proved it, seconds; 0 if it has proved nothing
     */
    virtual double GetLowerBoundSeconds() const
    {
        return 0;
    }

    /**
     * Signature of Progress.
     *
     * @param done share of the work that is done, 0 to 1
     * @param what is being done
     */
    typedef void (*ProgressCallback)(double done, const std::string& what);

  protected:
    /**
     * Tells whoever follows the trace source Progress; for planners that work long.
     *
     * @param done share of the work that is done, 0 to 1
     * @param what is being done
     */
    void ReportProgress(double done, const std::string& what);

  private:
    /**
     * Does what need not be done anew for every decision, such as training, before the time of
     * the decision is taken. Called before every DoPlan, on the same terms.
     *
     * @param problem a valid problem
     * @param costModel what its plans cost
     * @throws InputError when it cannot be done; the message need not name the planner
     */
    virtual void DoPrepare(const PipelineProblem& problem, const PipelineCostModel& costModel);

    /**
     * Decides. Every layer alone fits some device when this is called.
     *
     * @param problem a valid problem
     * @param costModel what its plans cost
     * @return the plan; what it breaks is reported by Plan
     * @throws InputError when the planner finds no plan; the message need not name the planner
     */
    virtual PipelinePlan DoPlan(const PipelineProblem& problem,
                                const PipelineCostModel& costModel) = 0;

    /// Fires now and then while a planner learns or searches for long.
    TracedCallback<double, const std::string&> m_progress;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PLANNER_H */
