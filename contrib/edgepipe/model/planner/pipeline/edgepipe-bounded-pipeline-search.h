/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_BOUNDED_PIPELINE_SEARCH_H
#define EDGEPIPE_BOUNDED_PIPELINE_SEARCH_H

#include "edgepipe-pipeline-cost-model.h"
#include "edgepipe-pipeline-problem.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace ns3::edgepipe
{

/** Bounds below which stages and transfers of a plan must stay; seconds per micro-batch. */
struct PipelineBounds
{
    double forward{std::numeric_limits<double>::infinity()};  //!< every f and c < this
    double backward{std::numeric_limits<double>::infinity()}; //!< every b and c' < this
    double both{std::numeric_limits<double>::infinity()};     //!< every f + b and c + c' < this
};

/** Restricts the cuts that a search may make. Stages count from 0. */
class PipelineCutRule
{
  public:
    virtual ~PipelineCutRule() = default;

    /**
     * @param stage index of a stage
     * @param layer not the model's last
     * @return whether the stage may end there
     */
    virtual bool MayEnd(std::size_t stage, std::size_t layer) const = 0;

    /**
     * @param stage index of a stage
     * @param first its first layer
     * @return one past the last layer that it may hold; never decreases with first
     */
    virtual std::size_t FindEnd(std::size_t stage, std::size_t first) const = 0;

    /**
     * @param stage index of a stage
     * @param first its first layer
     * @return a layer before FindEnd where it may end although MayEnd forbids it; none if FindEnd
     *         or later
     */
    virtual std::size_t FindForcedLast(std::size_t stage, std::size_t first) const = 0;
};

/** A plan with the least sum under some bounds. */
struct BoundedPipelinePlan
{
    double sum{0};      //!< sum of f + b + c + c' + 2 d and the penalties, seconds
    double forward{0};  //!< max(f, c), seconds
    double backward{0}; //!< max(b, c'), seconds
    PipelinePlan plan;  //!< the plan itself
};

/**
 * Finds the plan with the least sum of stage and transfer seconds among those whose stages and
 * transfers all stay below given bounds, over every cut and every placement.
 *
 * Devices that agree in type, memory, rates and delay form a class; only the number of a class's
 * devices in use matters, not which. Classes that agree in rates and delay form a link group: a
 * transfer's time depends only on the groups of both ends. The state is the next layer i, the
 * devices u used per class, and the group r of the next stage. Let W_k be the prefix sums of
 * forward and backward seconds on class k, and g(k) its group. Then
 *
 *     rest(i, u, r) = min over k in r and j of  W_k(j) - W_k(i) + penalty + onward(j, u + e_k, r),
 *     onward(j, u, r) = min over s of  c(j, r, s) + c'(j, s, r) + 2 d(r, s) + rest(j, u, s),
 *
 * where the stage of layers i to j - 1 must fit the class's memory and the bounds. These
 * constraints only tighten as j grows, so for one u and k the minima over j run from i to some end,
 * and a monotone queue yields each in O(log L) steps. With L layers, K classes of n_k devices each,
 * R groups, and U = prod(n_k + 1), one search thus takes O(L (K log L + R^2) U) steps and O(L R U)
 * memory. Every device used holds a layer, so rest(i, u, r) is needed only where i is at least the
 * sum of u: one value in 24 with three classes of L devices or more.
 */
class BoundedPipelineSearch
{
  public:
    /**
     * @param costModel the cost model of a valid problem; must outlive this object
     * @param rule restricts cuts; null: none; must outlive this object
     */
    explicit BoundedPipelineSearch(const PipelineCostModel& costModel,
                                   const PipelineCutRule* rule = nullptr);

    /** @return approximate steps of one search, L (K + R^2 - 1) U */
    double GetStepsPerSearch() const
    {
        return m_steps;
    }

    /** @return bytes of the table that a search fills */
    double GetTableBytes() const;

    /** @return how many classes the devices form */
    std::size_t GetClassCount() const
    {
        return m_classes.size();
    }

    /** @param penaltySeconds added to a plan's sum for every stage; initially 0 */
    void SetStagePenalty(double penaltySeconds);

    /**
     * @param bounds the bounds
     * @return the plan of least sum, stages on the lowest device indices of their classes;
     *         nothing when no plan meets bounds and memory
     */
    std::optional<BoundedPipelinePlan> Search(const PipelineBounds& bounds);

  private:
    /** Devices that agree in type, memory, rates and delay. */
    struct DeviceClass
    {
        std::vector<std::size_t> devices; //!< indices, ascending
        std::size_t stride;               //!< increment of u for one used device
        std::size_t group;                //!< its link group
        std::vector<double> seconds;      //!< W_k, one entry more than layers
        std::vector<std::size_t> memory;  //!< by first layer: one past the last that fits
        std::vector<std::size_t> end;     //!< the same, for memory and the current bounds
    };

    /**
     * Fills DeviceClass::end and the cuts for some bounds.
     * @param bounds the bounds
     */
    void ApplyBounds(const PipelineBounds& bounds);

    /**
     * Updates m_rest with plans whose next stage is on a class.
     * @param deviceClass the class
     * @param state u
     * @param used number of devices in u, and thus the first layer that matters
     */
    void Relax(const DeviceClass& deviceClass, std::size_t state, std::size_t used);

    /**
     * Fills m_onward from m_rest by adding the transfers before the stages.
     * @param state u, of m_rest
     * @param first first layer that matters
     */
    void Transfer(std::size_t state, std::size_t first);

    /** @return the plan that the table holds, from layer 0 and no device used */
    BoundedPipelinePlan ExtractPlan() const;

    /**
     * @param deviceClass a class
     * @param state u
     * @return how many of the class's devices u uses
     */
    std::size_t CountUsed(const DeviceClass& deviceClass, std::size_t state) const;

    /**
     * @param deviceClass a class
     * @param stage index of a stage on it
     * @param first its first layer
     * @return one past the last layer that memory, bounds and rule let it hold
     */
    std::size_t FindEnd(const DeviceClass& deviceClass, std::size_t stage, std::size_t first) const;

    /**
     * @param stage index of a stage
     * @param layer a layer before FindEnd
     * @return whether the rule lets the stage end there, wherever it begins
     */
    bool MayEnd(std::size_t stage, std::size_t layer) const;

    const PipelineCostModel& m_costModel; //!< the cost model
    const PipelineCutRule* m_rule;        //!< restricts cuts; null: none
    std::size_t m_layers;                 //!< L
    std::size_t m_states;                 //!< U
    double m_steps;                     //!< L (K + R^2 - 1) U; floating point, since it may be huge
    double m_penalty{0};                //!< added to the sum per stage
    std::vector<DeviceClass> m_classes; //!< by lowest device index
    std::vector<std::size_t> m_groups;  //!< by link group, its lowest device index
    std::vector<double> m_cuts;         //!< c + c' + 2 d at (r R + s) L + i; infinite above bounds
    std::vector<double> m_rest;         //!< rest(i, u, r) of the last u, at r (L + 1) + i
    std::vector<double> m_onward;       //!< onward(i, u, r) at (u R + r) (L + 1) + i
    std::vector<double> m_continue;     //!< scratch: value of ending a stage, by last layer
    std::vector<std::size_t> m_queue;   //!< scratch: the monotone queue
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_BOUNDED_PIPELINE_SEARCH_H */
