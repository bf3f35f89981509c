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

/** What whoever decides knows of a device during a run; what nobody has told it is empty. */
struct DeviceState
{
    std::string name;                            //!< as in the problem
    std::optional<double> uplinkBitsPerSecond;   //!< from it, payload bit/s, > 0
    std::optional<double> downlinkBitsPerSecond; //!< to it, payload bit/s, > 0
    std::optional<double> share;                 //!< of it that is left for us, 0 to 1
    std::optional<uint64_t> backlog;             //!< tasks that wait for its processor or run on it
};

/**
 * What is known during a run when a planner is asked anew.
 *
 * @tparam Plan of the kind of problem
 */
template <typename Plan>
struct PlannerState
{
    double seconds{0};                //!< simulated time
    Plan plan;                        //!< in force
    std::vector<DeviceState> devices; //!< that something is known of, as in the problem
};

/**
 * A plan that was to come from outside, such as from a program, did not come or is none. Before a
 * run that is the user's mistake; during it, the plan in force stays.
 */
class PlannerFailure : public InputError
{
  public:
    using InputError::InputError;
};

/** Plans that were to come from outside during a run and did not, so that old ones stayed. */
struct PlannerFailures
{
    /** @param failure one more */
    void Add(const PlannerFailure& failure)
    {
        ++count;
        reason = failure.what();
    }

    /** @param others further ones */
    void Add(const PlannerFailures& others)
    {
        count += others.count;
        reason = others.count > 0 ? others.reason : reason;
    }

    uint64_t count{0};    //!< how many
    std::string reason{}; //!< of the last one
};

/**
 * What planners of every kind have: a name to be found by (FindByName), random streams, and the
 * time that their last decision took.
 *
 * Each kind has an interface of its own, which is this class's subclass and says in STREAMS which
 * streams are kept for it.
 */
class Planner : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

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
     * @return whether plans come from outside, such as from a program, which may fail; false unless
     *         overridden
     */
    virtual bool IsFromOutside() const
    {
        return false;
    }

  protected:
    /**
     * @param decide what GetDecisionSeconds counts
     * @return what it returns
     */
    template <typename Decide>
    auto DecideTimed(Decide decide)
    {
        const Stopwatch stopwatch{m_decisionSeconds};
        return decide();
    }

    /**
     * @param error why there is no plan
     * @throws InputError always, a PlannerFailure if the plan was to come from outside; it names
     *         the planner
     */
    [[noreturn]] void Refuse(const InputError& error) const;

  private:
    /** Sets wall-clock seconds at its end to how long it has lived. */
    struct Stopwatch
    {
        ~Stopwatch()
        {
            seconds =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        }

        double& seconds; //!< set at the end
        /// When it began.
        std::chrono::steady_clock::time_point start{std::chrono::steady_clock::now()};
    };

    double m_decisionSeconds{0}; //!< wall-clock seconds of the last decision
};

/**
 * A planner that may be told what is known during a run.
 *
 * @tparam PlanType of the kind of problem
 */
template <typename PlanType>
class StatePlanner : public Planner
{
  public:
    /**
     * @param state what is known when the next decisions are made; nothing before the run
     */
    void SetState(std::optional<PlannerState<PlanType>> state)
    {
        m_state = std::move(state);
    }

  protected:
    /** @return what is known during the run; null before it */
    const PlannerState<PlanType>* GetState() const
    {
        return m_state ? &*m_state : nullptr;
    }

  private:
    std::optional<PlannerState<PlanType>> m_state; //!< what is known during the run
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PLANNER_H */
