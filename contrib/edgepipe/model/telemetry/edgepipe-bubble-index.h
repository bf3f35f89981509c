/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BUBBLE_INDEX_H
#define EDGEPIPE_BUBBLE_INDEX_H

#include "ns3/edgepipe-adjacent-scheduling.h"
#include "ns3/edgepipe-pipeline-problem.h"

#include <optional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What a stage takes for a micro-batch. */
struct StagePass
{
    double forwardSeconds;  //!< T_f, >= 0
    double backwardSeconds; //!< T_b, >= 0
};

/**
 * @param problem what the plan is for
 * @param plan who runs what
 * @return by stage, from the layers' costs on its device
 */
std::vector<StagePass> GetStagePasses(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * The parameter of device heterogeneity, for which the DGPAS paper gives neither a value nor a
 * formula. Ours is the coefficient of variation (population standard deviation over mean) of the
 * speeds of the stages' devices; a device's speed is 1 / seconds for all layers, both ways.
 *
 * @param problem what the plan is for
 * @param plan who runs what
 * @return lambda, 0 for devices of one speed
 */
double GetHeterogeneity(const PipelineProblem& problem, const PipelinePlan& plan);

/**
 * The bubble area of J. Li et al., "DGPAS", Computer Networks 271, 2025, equation (11):
 *
 *     S = T_pb + sum_r (s - r) (int_0^T_f(r) exp(-lambda x) dx + log(1 + T_b(r)))
 *
 * with seconds in every place and the natural logarithm. It adds seconds to a logarithm of
 * seconds, so it is no time: print it as an index.
 *
 * @param bubbleSeconds T_pb, measured idle time between tasks, summed over the stages
 * @param passes by stage r = 1 to s
 * @param lambda >= 0; see GetHeterogeneity
 * @return S
 */
double GetBubbleArea(double bubbleSeconds, const std::vector<StagePass>& passes, double lambda);

/**
 * The bubble rate of equation (14), S / (s T_total), as an index beside a measured bubble rate.
 *
 * @param problem what the plan was made for
 * @param plan who ran what
 * @param bubbleRate measured: idle time between tasks over stages times duration
 * @param seconds T_total, the iteration's duration
 * @param lambda of equation (11); GetHeterogeneity unless given
 * @return the index; 0 if the duration is
 */
double GetBubbleIndex(const PipelineProblem& problem,
                      const PipelinePlan& plan,
                      double bubbleRate,
                      double seconds,
                      std::optional<double> lambda = {});

/**
 * Theorem 1's theta, the share of the bubbles that a grant is to remove, as the mean over grants
 * of
 *
 *     1 - |max((M - t F' - A) / F', A / B) - A / F| / T_pb
 *
 * @param assistance that was given; see GrantBalance
 * @param bubbleSeconds T_pb; bubbles without help, seconds
 * @return theta, at most 1, below 0 if grants leave more imbalance than there were bubbles; none
 *         without a grant or without bubbles
 */
std::optional<double> GetTheta(const AssistanceCounts& assistance, double bubbleSeconds);

/**
 * Theorem 1's bound of the bubbles that help leaves, T_pb times the product of 1 - theta over the
 * grants.
 *
 * @param assistance that was given; see GrantBalance
 * @param bubbleSeconds T_pb; bubbles without help, seconds
 * @return the bound, seconds; T_pb without a grant; none without bubbles
 */
std::optional<double> GetTheoremBubbleSeconds(const AssistanceCounts& assistance,
                                              double bubbleSeconds);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_BUBBLE_INDEX_H */
