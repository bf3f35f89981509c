// SPDX-License-Identifier: GPL-2.0-only

#ifndef MULTI_ACTOR_ORACLE_H
#define MULTI_ACTOR_ORACLE_H

#include "test.h"

/** Tries every plan; knows eq. 4 to 11 and nothing of the module's own cuts. */
class MultiActorOracle
{
  public:
    /** @param problem a valid problem; it must outlive this object */
    explicit MultiActorOracle(const MultiActorProblem& problem)
        : m_problem(problem)
    {
    }

    /// @return its response time, s
    double GetResponseSeconds(std::size_t actor, std::size_t cut) const
    {
        const auto& model = m_problem.model;
        const auto& who = m_problem.actors[actor];
        const auto middle = model.layerFlop.begin() + cut;
        double seconds = std::accumulate(model.layerFlop.begin(), middle, 0.0) / who.flopPerSecond;
        seconds += std::accumulate(middle, model.layerFlop.end(), 0.0) / model.serverFlopPerSecond;
        if (cut < model.layerFlop.size())
        {
            seconds +=
                (0.0 + model.outputBytes[cut] + model.outputBytes.back()) / who.bytesPerSecond;
        }
        return seconds;
    }

    /** @return the largest total reduction of all plans that keep the budgets, s */
    double FindMostReduction() const
    {
        return Search(0, 0, 0);
    }

  private:
    double Search(std::size_t actor, uint64_t flop, uint64_t bytes) const
    {
        const auto& model = m_problem.model;
        const auto& budgets = m_problem.budgets;
        if (flop > budgets.computeFlop || bytes * budgets.delta > budgets.bandwidthBytes)
        {
            return -1e300;
        }
        if (actor == m_problem.actors.size())
        {
            return 0;
        }
        const std::size_t layers = model.layerFlop.size();
        const double local = GetResponseSeconds(actor, layers);
        double most = -1e300;
        for (std::size_t cut = 0; cut <= layers; ++cut)
        {
            const uint64_t onServer =
                std::accumulate(model.layerFlop.begin() + cut, model.layerFlop.end(), uint64_t{0});
            const uint64_t sent = cut < layers ? model.outputBytes[cut] : 0;
            most = std::max(most,
                            local - GetResponseSeconds(actor, cut) +
                                Search(actor + 1, flop + onServer, bytes + sent));
        }
        return most;
    }

    const MultiActorProblem& m_problem; //!< the problem
};

#endif /* MULTI_ACTOR_ORACLE_H */
