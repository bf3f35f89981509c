/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-two-way-cut-beliefs.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

namespace ns3
{
namespace edgepipe
{

const char* const TwoWayCutBeliefs::NAMES = "in-context, isolated, predicted or flop";

TwoWayCutBeliefs::TwoWayCutBeliefs(const TwoWayCutProblem& problem, const std::string& belief)
    : m_problem(problem)
{
    const bool isPredicted = belief == "predicted";
    if (isPredicted && !problem.predicted.empty())
    {
        m_given = &problem.predicted;
    }
    else if (isPredicted || belief == "isolated")
    {
        m_given = problem.isolated.empty() ? nullptr : &problem.isolated;
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
        if (flop <= 0)
        {
            throw InputError("attribute Belief: found \"flop\", but the problem does not say the "
                             "layers' FLOP");
        }
        m_perFlop = {deviceSeconds / flop, serverSeconds / flop};
    }
    else if (belief != "in-context")
    {
        throw InputError("attribute Belief: found " + QuoteForMessage(belief) + ", expected " +
                         NAMES);
    }
}

} // namespace edgepipe
} // namespace ns3
