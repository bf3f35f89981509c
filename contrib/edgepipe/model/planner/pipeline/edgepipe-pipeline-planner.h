/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_PLANNER_H
#define EDGEPIPE_PIPELINE_PLANNER_H

#include "edgepipe-pipeline-cost-model.h"
#include "edgepipe-pipeline-problem.h"

#include "ns3/edgepipe-batch-shares-planner.h"
#include "ns3/edgepipe-planner.h"
#include "ns3/edgepipe-random-streams.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>

namespace ns3::edgepipe
{

/**
 * An algorithm that cuts a model into pipeline stages and places them on devices.
 *
 * A planner is a function from a problem to a plan: it never sees a node, a socket or the clock.
 * To add one, derive from this class in any module, register its TypeId with this class as
 * parent and a constructor, and implement GetName and DoPlan; FindByName<PipelinePlanner> then
 * finds it.
 */
class PipelinePlanner : public StatePlanner<PipelinePlanner, PipelinePlan>
{
  public:
    /// Random streams reserved for these planners.
    static constexpr StreamRange STREAMS = random_streams::PIPELINE_PLANNER;

    /**
     * @param tid of the class
     * @return tid with the attributes of the class
     */
    static TypeId AddAttributes(TypeId tid);

    /**
     * Makes a plan.
     *
     * @param problem the problem
     * @return a plan that covers every layer, one stage per device, within every device's memory
     * @throws InputError when the problem is malformed, no plan fits, or the planner made a plan
     *         that breaks a rule
     */
    PipelinePlan Plan(const PipelineProblem& problem);

    /**
     * @return how many plans the last Plan evaluated, including while learning for that problem; 0
     *         for planners that do not search, and before the first Plan
     */
    virtual uint64_t GetEvaluations() const
    {
        return 0;
    }

    /**
     * @return lower bound on the seconds of any plan for the last problem, by the cost model, as
     *         far as proved; 0 if nothing is proved
     */
    virtual double GetLowerBoundSeconds() const
    {
        return 0;
    }

    /**
     * @return whether it puts stages on groups of devices where the problem has costs of parts of
     *         micro-batches
     */
    virtual bool UsesGroups() const
    {
        return false;
    }

    /** @return whether its plans differ where transfers share one medium */
    virtual bool UsesSharedMedium() const
    {
        return true;
    }

    /**
     * @param what the attribute or option that the name comes from
     * @param name a value of GroupShares
     * @return the planner of batch shares of that name; null: plan or balanced
     * @throws InputError if there is none
     */
    static Ptr<BatchSharesPlanner> FindSharesPlanner(const std::string& what,
                                                     const std::string& name);

    /**
     * Signature of Progress.
     *
     * @param done share of the work that is done, 0 to 1
     * @param what is being done
     */
    typedef void (*ProgressTracedCallback)(double done, const std::string& what);

  protected:
    /**
     * Fires the trace source Progress, for planners that run for long.
     *
     * @param done share of the work that is done, 0 to 1
     * @param what is being done
     */
    void ReportProgress(double done, const std::string& what);

  private:
    /**
     * Does work that need not be repeated for every decision, such as training, outside the
     * measured decision time. Called before every DoPlan, with the same arguments.
     *
     * @param problem a valid problem
     * @param costModel its cost model
     * @throws InputError when it cannot be done; the message need not name the planner
     */
    virtual void DoPrepare(const PipelineProblem& problem, const PipelineCostModel& costModel);

    /**
     * Makes a plan. Every layer alone fits some device when this is called.
     *
     * @param problem a valid problem
     * @param costModel its cost model
     * @return the plan; Plan checks it
     * @throws InputError when the planner finds no plan; the message need not name the planner
     */
    virtual PipelinePlan DoPlan(const PipelineProblem& problem,
                                const PipelineCostModel& costModel) = 0;

    /**
     * Share the samples of a plan's groups as GroupShares says.
     *
     * @param costModel the cost model
     * @param plan its shares are replaced
     * @throws InputError when there are no such shares
     */
    void SetGroupShares(const PipelineCostModel& costModel, PipelinePlan& plan);

    std::string m_groupShares; //!< see the attribute
    /// Decides on shares; null before the first plan, and without such a planner.
    Ptr<BatchSharesPlanner> m_sharesPlanner;
    std::string m_sharesOf; //!< value of the attribute that it is for
    /// Fires now and then while a planner learns or searches for long.
    TracedCallback<double, const std::string&> m_progress;
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_PLANNER_H */
