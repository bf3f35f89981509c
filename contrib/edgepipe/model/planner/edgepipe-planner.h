/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PLANNER_H
#define EDGEPIPE_PLANNER_H

#include "ns3/object.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

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
    virtual int64_t AssignStreams(int64_t stream);

    /** @return wall-clock seconds the last decision took; 0 before the first */
    double GetDecisionSeconds() const;

  protected:
    /**
     * @param decide what GetDecisionSeconds counts
     * @return what it returns
     */
    template <typename Decide>
    auto DecideTimed(Decide decide)
    {
        const auto start = std::chrono::steady_clock::now();
        auto answer = decide();
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        m_decisionSeconds = elapsed.count();
        return answer;
    }

  private:
    double m_decisionSeconds{0}; //!< wall-clock seconds of the last decision
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PLANNER_H */
