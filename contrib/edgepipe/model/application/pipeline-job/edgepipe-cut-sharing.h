/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_SHARING_H
#define EDGEPIPE_CUT_SHARING_H

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-job.h"
#include "ns3/edgepipe-pipeline-passes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** A second cut between two stages, which some samples of every micro-batch cross. */
struct SharedCut
{
    std::size_t firstLayer{0}; //!< first layer that the later stage runs for them
    uint32_t samples{0};       //!< number of samples; 0: all cross at the plan's cut
};

/** Result of a search for shares. */
struct SharedCuts
{
    std::vector<SharedCut> cuts; //!< one for each cut of the plan
    uint64_t passes{0};          //!< stage passes over micro-batches that it evaluated
};

/**
 * Fully charged help between neighbouring stages, decided jointly before training: some samples of
 * every micro-batch cross from one stage to the next at another layer than the others. Both devices
 * then hold the layers between the two cuts and share their samples. Nothing else is copied, every
 * result is computed where it is needed next, and a device may help and be helped at once.
 *
 * The costs charged are the fixed time of those layers' passes on both devices; weights, gradients
 * and activations in both memories; the tensors of both cuts; and, before every update, an exchange
 * of the layers' weight gradients, which keeps both copies equal.
 *
 * All shares are found together, by descent over one cut at a time, on the iteration time under the
 * schedule's dependencies. Three descents try few shares: from no sharing, starting at the first or
 * at the last cut, and from level stages. The best result then starts a descent over every share.
 * To level stages, each one hands the next its work above a limit per micro-batch, the least that
 * succeeds; descent alone moves no work along several stages at once. Transfers between two stages
 * follow each other in each direction; transfers of different pairs are assumed not to contend.
 */
class CutSharing
{
  public:
    /**
     * @param job the training; its problem must outlive this object
     * @param plan a plan that CheckPlan has accepted
     */
    CutSharing(const PipelineJob& job, const PipelinePlan& plan);

    /** @return the best shares found; none if they gain less than LEAST_GAIN */
    SharedCuts Solve() const;

    /**
     * Parse shares, such as "0:features.13:14,2:classifier.1:8": at the first cut, 14 samples cross
     * before features.13, the first layer that the later stage runs for them.
     *
     * @param text the shares; cuts that are not named have none
     * @return one for each cut of the plan
     * @throws InputError if the text is malformed or the shares are infeasible
     */
    std::vector<SharedCut> Read(const std::string& text) const;

    /**
     * @param cuts for each cut of the plan
     * @return seconds of an iteration; infinite if memory does not suffice, or a stage's two cuts
     *         meet
     */
    double GetIterationSeconds(const std::vector<SharedCut>& cuts) const;

    /**
     * Write shares into the stage assignments.
     *
     * @param cuts for each cut of the plan, with a finite GetIterationSeconds
     * @param placements of the plan, changed
     */
    void Apply(const std::vector<SharedCut>& cuts,
               std::vector<PipelinePlacement>& placements) const;

    /// Least relative gain for sharing, since transfers may contend.
    static constexpr double LEAST_GAIN = 0.01;

  private:
    /** Work of a stage, per micro-batch or part of one unless stated otherwise. */
    struct Load
    {
        double forwardSeconds{0};   //!< of a forward pass
        double backwardSeconds{0};  //!< of a backward pass
        double activationBytes{0};  //!< kept from forward until backward
        uint64_t parameterBytes{0}; //!< in total
        std::size_t firstLayer{0};  //!< first layer that any sample passes
        std::size_t endLayer{0};    //!< one past the last layer that any sample passes
    };

    /** Sums over the layers before each one, on a stage's device. */
    struct Sums
    {
        std::vector<double> forward;  //!< seconds per part of a micro-batch
        std::vector<double> backward; //!< seconds per part
        std::vector<double> fixed;    //!< fixed part of either, seconds
    };

    /**
     * Add layers to a load.
     *
     * @param stage on whose device
     * @param first the first layer
     * @param end one past the last layer; no layers if not above first
     * @param samples that pass them
     * @param load added to
     */
    void Add(std::size_t stage,
             std::size_t first,
             std::size_t end,
             double samples,
             Load& load) const;
    /**
     * @param stage a stage
     * @param cuts for each cut of the plan
     * @return its load; infinite activations if no layer is left that all samples pass
     */
    Load GetLoad(std::size_t stage, const std::vector<SharedCut>& cuts) const;

    /**
     * @param cut index of a cut
     * @param shared its shares
     * @return bytes across it, per part of a micro-batch
     */
    double GetCutBytes(std::size_t cut, const SharedCut& shared) const
    {
        const double all = m_costs.CutBytes(m_plan.stages[cut].lastLayer);
        const double part = double(shared.samples) / m_samples;
        const double other = shared.samples > 0 ? m_costs.CutBytes(shared.firstLayer - 1) : 0;
        return std::ceil(((1 - part) * all + part * other) / m_parts);
    }

    /**
     * @param cut index of a cut
     * @param shared its shares
     * @return weights that both sides hold, bytes
     */
    uint64_t GetSharedBytes(std::size_t cut, const SharedCut& shared) const;

    /**
     * @param stage a stage
     * @param load its load
     * @return whether it fits into its device's memory
     */
    bool Fits(std::size_t stage, const Load& load) const
    {
        return std::isfinite(load.activationBytes) &&
               CountMemory(load).GetBytes(m_mostHeld[stage]) <=
                   m_problem.devices[m_plan.stages[stage].device].memoryBytes;
    }

    /**
     * @param load of a stage
     * @return its memory, with all but weights and activations counted as if every sample passed
     *         every layer of the load
     */
    StageMemory CountMemory(const Load& load) const;

    /**
     * @param cut index of a cut
     * @param steps between the shares, samples; one and all but one are included as well
     * @return shares to try there, including none
     */
    std::vector<SharedCut> GetChoices(std::size_t cut, uint32_t steps) const;
    /**
     * Let each stage, from the first on, hand the next its work above a limit.
     *
     * @param most limit of a stage's work per micro-batch, both passes, seconds
     * @param found initial shares, replaced; passes grow by one for each load evaluated
     * @return whether all stages meet the limit
     */
    bool Level(double most, SharedCuts& found) const;
    /**
     * Change one cut after the other as long as that shortens iterations.
     *
     * @param isForward whether to start at the first cut, or at the last one
     * @param steps see GetChoices
     * @param found initial shares, replaced; passes are added
     * @return seconds of an iteration
     */
    double Descend(bool isForward, uint32_t steps, SharedCuts& found) const;

    const PipelineJob& m_job;               //!< the training
    const PipelineProblem& m_problem;       //!< its problem
    PipelinePlan m_plan;                    //!< the plan
    PipelineCostModel m_costs;              //!< of the problem
    uint32_t m_parts;                       //!< parts of a micro-batch
    uint32_t m_samples;                     //!< samples of a part
    uint32_t m_microBatches;                //!< parts of micro-batches in an iteration
    std::vector<Sums> m_sums;               //!< by stage
    std::vector<uint64_t> m_parameterBytes; //!< sums over the layers before each one
    std::vector<double> m_activationBytes;  //!< the same, per part of a micro-batch
    std::vector<PipelinePass> m_passes;     //!< in an order of their dependencies
    std::vector<uint32_t> m_mostHeld;       //!< most micro-batches between their passes, by stage
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CUT_SHARING_H */
