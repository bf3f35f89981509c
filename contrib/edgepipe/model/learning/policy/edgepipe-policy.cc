/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace edgepipe
{

std::vector<double>
FindProbabilities(const float* logits, std::size_t actions, const std::vector<std::size_t>& allowed)
{
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t action : allowed)
    {
        largest = std::max<double>(largest, logits[action]);
    }
    std::vector<double> probabilities(actions, 0);
    double sum = 0;
    for (std::size_t action : allowed)
    {
        probabilities[action] = std::exp(logits[action] - largest);
        sum += probabilities[action];
    }
    for (double& probability : probabilities)
    {
        probability /= sum;
    }
    return probabilities;
}

std::size_t
DrawAction(const std::vector<double>& probabilities, const Ptr<UniformRandomVariable>& random)
{
    double rest = random->GetValue();
    std::size_t last = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
    {
        if (probabilities[i] > 0)
        {
            last = i;
            rest -= probabilities[i];
            if (rest < 0)
            {
                break;
            }
        }
    }
    return last;
}

std::vector<double>
GetPolicyGradient(const std::vector<double>& probabilities,
                  std::size_t action,
                  double before,
                  double advantage,
                  double clip,
                  double entropyWeight)
{
    const double ratio = probabilities[action] / before;
    const bool isClipped = advantage > 0 ? ratio > 1 + clip : ratio < 1 - clip;
    const double byLogarithm = isClipped ? 0 : -advantage * ratio;
    double entropy = 0;
    for (double p : probabilities)
    {
        entropy -= p > 0 ? p * std::log(p) : 0;
    }
    std::vector<double> gradient;
    for (std::size_t i = 0; i < probabilities.size(); ++i)
    {
        const double p = probabilities[i];
        gradient.push_back(p > 0 ? byLogarithm * ((i == action ? 1 : 0) - p) +
                                       entropyWeight * p * (std::log(p) + entropy)
                                 : 0);
    }
    return gradient;
}

} // namespace edgepipe
} // namespace ns3
