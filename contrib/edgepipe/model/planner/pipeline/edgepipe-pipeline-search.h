/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_SEARCH_H
#define EDGEPIPE_PIPELINE_SEARCH_H

#include "edgepipe-pipeline-cost-model.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** Restricts the cuts that a search may make. Stages count from 0; null: no restriction. */
struct PipelineCutRule
{
    /// Whether a stage may end behind a layer, not the model's last.
    std::function<bool(std::size_t stage, std::size_t layer)> mayEnd{};
    /// One past the last layer of a stage that begins with a layer; never decreases with that.
    std::function<std::size_t(std::size_t stage, std::size_t first)> findEnd{};
    /// A layer before findEnd where it may end although mayEnd forbids it; none if findEnd or later
    std::function<std::size_t(std::size_t stage, std::size_t first)> findForcedLast{};
};

/** What a search takes. */
struct PipelineSearchSize
{
    double steps;        //!< about, of one pass: L (K + R^2 - 1) U; floating point, may be huge
    double tableBytes;   //!< of the table that a pass fills
    std::size_t classes; //!< of devices
};

/**
 * @param costModel the cost model of a valid problem
 * @return what a search takes, as SearchPipelines counts
 */
PipelineSearchSize MeasurePipelineSearch(const PipelineCostModel& costModel);

/** Where a search ends. */
struct PipelineSearchLimits
{
    /// Passes after which the best plan so far is returned; of one pass, some plan that fits.
    uint64_t passes{std::numeric_limits<uint64_t>::max()};
    /// Only plans that take less count, seconds.
    double belowSeconds{std::numeric_limits<double>::infinity()};
};

/** Result of a search for the fastest plan. */
struct PipelineSearchResult
{
    PipelinePlan plan;           //!< the best; without stages if none fits or is fast enough
    double seconds{0};           //!< its time if transfers share no medium; not set without a plan
    bool isFinished{true};       //!< whether the search was completed
    double lowerBoundSeconds{0}; //!< no plan takes less; 0 after a completed search
    uint64_t passes{0};          //!< passes made
};

/**
 * Finds the plan with the least iteration time over every cut and every placement on single
 * devices. A medium that transfers share is left out: its plans take no less.
 *
 * Written with S the sum over stages and transfers, F = max(f, c) and B = max(b, c'), the time of a
 * plan is T = S + (M - 1)(F + B) (PipelineCostModel). A pass finds the least S of the plans whose
 * stages and transfers all stay below given bounds. Branch and bound makes passes in the (F, B)
 * plane:
 *
 * - A box holds the plans with x0 <= F < x1 and y0 <= B < y1. The least S under F < x1 and
 *   B < y1 gives both a plan, which may become the best one, and a lower bound for the box,
 *   S + (M - 1)(x0 + y0). A box whose bound reaches the best plan's time is dropped.
 * - Let (F', B') belong to the plan found. No plan of the box with F >= F' and B >= B'
 *   beats it, since none has a smaller S. The rest of the box is cut, across the wider of the
 *   gaps F' - x0 and B' - y0, into the half next to x0 and the parts below F' and below B'.
 *   Every part excludes the plan, so the search ends.
 * - Boxes are taken in the order of their bounds. Only plans with F + B below (best - S) / (M - 1)
 *   can improve, and max(f + b) <= F + B, which bounds the passes further.
 *
 * With M = 1 a single pass is enough. Ties, which are times that agree to within 1e-12 of the time
 * per stage, go to fewer stages; stages take the lowest device indices of their class.
 *
 * A pass is a dynamic programme. Devices that agree in type, memory, rates and delay form a class;
 * only the number of a class's devices in use matters, not which. Classes that agree in rates and
 * delay form a link group: a transfer's time depends only on the groups of both ends. The state is
 * the next layer i, the devices u used per class, and the group r of the next stage. Let W_k be the
 * prefix sums of forward and backward seconds on class k, and g(k) its group. Then
 *
 *     rest(i, u, r) = min over k in r and j of  W_k(j) - W_k(i) + penalty + onward(j, u + e_k, r),
 *     onward(j, u, r) = min over s of  c(j, r, s) + c'(j, s, r) + 2 d(r, s) + rest(j, u, s),
 *
 * where the stage of layers i to j - 1 must fit the class's memory and the bounds. These
 * constraints only tighten as j grows, so for one u and k the minima over j run from i to some end,
 * and a monotone queue yields each in O(log L) steps. With L layers, K classes of n_k devices each,
 * R groups, and U = prod(n_k + 1), a pass thus takes O(L (K log L + R^2) U) steps and O(L R U)
 * memory. Every device used holds a layer, so rest(i, u, r) is needed only where i is at least the
 * sum of u: one value in 24 with three classes of L devices or more.
 *
 * @param costModel the cost model of a valid problem
 * @param rule restricts cuts
 * @param limits where the search ends
 * @return the result
 */
PipelineSearchResult SearchPipelines(const PipelineCostModel& costModel,
                                     const PipelineCutRule& rule = {},
                                     const PipelineSearchLimits& limits = {});

/** First and last layer of each stage of a plan. */
using PipelineDivision = std::vector<std::pair<std::size_t, std::size_t>>;

/**
 * @param plan a plan
 * @return its stages without their devices
 */
PipelineDivision GetDivision(const PipelinePlan& plan);

/**
 * @param costModel the cost model of a valid problem
 * @param division stages that cover every layer once and in order
 * @return the plan that places them best, by SearchPipelines; without stages if none fits
 */
PipelinePlan PlaceDivision(const PipelineCostModel& costModel, const PipelineDivision& division);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_SEARCH_H */
