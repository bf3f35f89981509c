/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_BELIEFS_H
#define EDGEPIPE_TWO_WAY_CUT_BELIEFS_H

#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Layer times that a planner believes, selected by the name of the belief. */
class TwoWayCutBeliefs
{
  public:
    /** Names of all beliefs, for help texts. */
    static constexpr const char* NAMES = "in-context, isolated, predicted or flop";

    /**
     * @param problem a valid problem, which must outlive this
     * @param belief in-context: the layers' own times; isolated: times of layers run alone, else
     *        in-context; predicted: times from a regression, else isolated; flop: the sum of all
     *        layers' in-context times, divided in proportion to FLOP
     * @throws InputError for another name, or flop where the layers have none
     */
    TwoWayCutBeliefs(const TwoWayCutProblem& problem, const std::string& belief)
        : m_problem(problem)
    {
        const bool isPredicted = belief == "predicted";
        if (isPredicted && !problem.predicted.empty())
        {
            m_given = &problem.predicted.Get();
        }
        else if (isPredicted || belief == "isolated")
        {
            m_given = problem.isolated.empty() ? nullptr : &problem.isolated.Get();
        }
        else if (belief == "flop")
        {
            double flop = 0;
            double deviceSeconds = 0;
            double serverSeconds = 0;
            for (const TwoWayCutLayer& layer : problem.layers)
            {
                flop += layer.flop;
                deviceSeconds += layer.deviceSeconds;
                serverSeconds += layer.serverSeconds;
            }
            Require(flop > 0,

                    "attribute Belief: found \"flop\", but the problem does not say the "
                    "layers' FLOP");
            m_perFlop = {deviceSeconds / flop, serverSeconds / flop};
        }
        else if (belief != "in-context")
        {
            throw InputError("attribute Belief: found " + QuoteForMessage(belief) + ", expected " +
                             NAMES);
        }
    }

    /**
     * @param layer index of a layer
     * @return its believed times
     */
    TwoWayCutBelief Get(std::size_t layer) const
    {
        const TwoWayCutLayer& own = m_problem.layers[layer];
        return m_given ? (*m_given)[layer]
               : m_perFlop.empty()
                   ? TwoWayCutBelief{own.deviceSeconds, own.serverSeconds}
                   : TwoWayCutBelief{m_perFlop[0] * own.flop, m_perFlop[1] * own.flop};
    }

  private:
    const TwoWayCutProblem& m_problem;                    //!< the problem
    const std::vector<TwoWayCutBelief>* m_given{nullptr}; //!< isolated or predicted; null: neither
    std::vector<double> m_perFlop; //!< seconds on the device, on the server; empty: in context
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_BELIEFS_H */
