/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_POLICY_H
#define EDGEPIPE_POLICY_H

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param logits of every action
 * @param actions how many there are
 * @param allowed actions; one at least
 * @return probabilities of every action, 0 for those that are not allowed
 */
std::vector<double> FindProbabilities(const float* logits,
                                      std::size_t actions,
                                      const std::vector<std::size_t>& allowed);

/**
 * @param probabilities of every action
 * @param random where the draw comes from
 * @return an action whose probability is above 0
 */
std::size_t DrawAction(const std::vector<double>& probabilities,
                       const Ptr<UniformRandomVariable>& random);

/**
 * Derivatives of a step's loss by the logits. With p the probability of the action now, q that
 * when it was taken, r = p / q, A the advantage, c the clip and H the entropy,
 *
 *     loss = -min(r A, clamp(r, 1 - c, 1 + c) A) - e H
 *
 * (J. Schulman et al., "Proximal policy optimization algorithms", 2017, eq. 7 and 9). Where p = q
 * this is REINFORCE's gradient.
 *
 * @param probabilities of every action, now
 * @param action that was taken
 * @param before q
 * @param advantage A
 * @param clip c, furthest that r may move from 1; infinite: no limit
 * @param entropyWeight e
 * @return by action; 0 where the probability is
 */
std::vector<double> GetPolicyGradient(const std::vector<double>& probabilities,
                                      std::size_t action,
                                      double before,
                                      double advantage,
                                      double clip,
                                      double entropyWeight);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_POLICY_H */
