/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLANNER_H
#define EDGEPIPE_PLANNER_H

#include "ns3/edgepipe-find-by-name.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/object.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** State of a device during a run; what has not been reported is empty. */
struct DeviceState
{
    std::string name;                            //!< as in the problem
    std::optional<double> uplinkBitsPerSecond;   //!< from the device, payload bit/s, > 0
    std::optional<double> downlinkBitsPerSecond; //!< to the device, payload bit/s, > 0
    std::optional<double> share;                 //!< available to edgepipe, 0 to 1
    std::optional<uint64_t> backlog; //!< tasks waiting for its processor or running on it
};

/**
 * State of a run when a planner decides again.
 *
 * @tparam Plan plan type of the problem
 */
template <typename Plan>
struct PlannerState
{
    double seconds{0};                //!< simulated time
    Plan plan;                        //!< the plan in force
    std::vector<DeviceState> devices; //!< those with reported state, as in the problem
};

/**
 * An external source, such as a program, gave no valid plan. Before a run this is a user error;
 * during a run the plan in force stays.
 */
class PlannerFailure : public InputError
{
  public:
    using InputError::InputError;
};

/** Failures of external planners during a run, each of which left the old plan in force. */
struct PlannerFailures
{
    /** @param failure a failure to count */
    void Add(const PlannerFailure& failure)
    {
        ++count;
        reason = failure.what();
    }

    /** @param others failures to add */
    void Add(const PlannerFailures& others)
    {
        count += others.count;
        reason = others.count > 0 ? others.reason : reason;
    }

    uint64_t count{0};    //!< number of failures
    std::string reason{}; //!< of the last failure
};

/**
 * Base of all planners: a name (FindByName), random streams, and the time of the last decision.
 *
 * Each kind of problem has its own interface, a subclass whose STREAMS are reserved for it.
 */
class Planner : public Typed<Planner, Object>
{
  public:
    /** @return the short name users select the planner by, unique among planners of its kind */
    virtual std::string GetName() const = 0;

    /**
     * Assign fixed random variable stream numbers to the random variables used.
     *
     * @param stream first stream index to use
     * @return the number of stream indices assigned; 0, the default, for planners that draw nothing
     */
    virtual int64_t AssignStreams([[maybe_unused]] int64_t stream)
    {
        return 0;
    }

    /** @return wall-clock seconds the last decision took, a failed one too; 0 before the first */
    double GetDecisionSeconds() const
    {
        return m_decisionSeconds;
    }

    /**
     * @return whether plans come from an external source that may fail, such as a program; false
     *         unless overridden
     */
    virtual bool IsFromOutside() const
    {
        return false;
    }

  protected:
    /**
     * @param decide decision timed by GetDecisionSeconds
     * @return its result
     */
    template <typename Decide>
    auto DecideTimed(Decide decide)
    {
        const Stopwatch stopwatch{m_decisionSeconds};
        return decide();
    }

    /**
     * @param make makes a plan, with DecideTimed
     * @return what it makes
     * @throws InputError as Refuse, where it throws one
     */
    template <typename Make>
    auto MakeOrRefuse(Make make) -> decltype(make())
    {
        try
        {
            return make();
        }
        catch (const InputError& error)
        {
            Refuse(error);
        }
    }

    /**
     * @param error why there is no plan
     * @throws InputError always, naming the planner; a PlannerFailure if IsFromOutside
     */
    [[noreturn]] void Refuse(const InputError& error) const;

  private:
    /** Stores its lifetime in wall-clock seconds when destroyed. */
    struct Stopwatch
    {
        ~Stopwatch()
        {
            seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }

        double& seconds; //!< set on destruction
        /// Time of construction.
        std::chrono::steady_clock::time_point start{std::chrono::steady_clock::now()};
    };

    double m_decisionSeconds{0}; //!< wall-clock seconds of the last decision
};

/**
 * Base of the planners of one kind of problem, which can be given the state of a run.
 *
 * @tparam Self the interface of that kind, whose name is its TypeId's
 * @tparam PlanType plan type of the problem
 */
template <typename Self, typename PlanType>
class StatePlanner : public Typed<Self, Planner>
{
  public:
    /**
     * @param state the state for the next decisions; empty before the run
     */
    void SetState(std::optional<PlannerState<PlanType>> state)
    {
        m_state = std::move(state);
    }

  protected:
    /** @return the state of the run; null before it */
    const PlannerState<PlanType>* GetState() const
    {
        return m_state ? &*m_state : nullptr;
    }

  private:
    std::optional<PlannerState<PlanType>> m_state; //!< state of the run; empty before it
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PLANNER_H */
