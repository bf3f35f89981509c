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

/** Where some samples of every micro-batch go from one stage to the next. */
struct SharedCut
{
    std::size_t firstLayer{0}; //!< the first that the later stage runs for them
    uint32_t samples{0};       //!< how many; 0: all go where the plan cuts
};

/** What a search for shares came to. */
struct SharedCuts
{
    std::vector<SharedCut> cuts; //!< for each cut of the plan where samples go
    uint64_t passes{0};          //!< of stages over micro-batches that it worked out
};

/**
 * Full help between neighbouring stages, decided jointly before the training: some samples of every
 * micro-batch cross from one stage to the next at another layer than the others. The layers between
 * the two cuts are then on both devices, which share their samples; nothing else is copied, every
 * result is made where it is needed next, and both devices may help and be helped at once.
 *
 * What it costs is charged: what is fixed of those layers' passes at both, weights, gradients and
 * activations in both memories, the tensors of both cuts, and before every update the layers'
 * weight gradients, which the two devices send each other so that their copies stay equal.
 *
 * The shares of all cuts are found together, by descent over one cut at a time until none gets
 * better, on the time of an iteration as the schedule's dependencies make it: with few shares from
 * the first cut on, from the last one on, and from level stages on, and then with every share from
 * the best of these. Stages are level where each gives the next one what is above the least work
 * per micro-batch for which that goes: descent moves no work along several stages at once.
 * Transfers between two stages follow each other in each direction; those of different pairs are
 * taken not to meet.
 */
class CutSharing
{
  public:
    /**
     * @param job the training; its problem must outlive this object
     * @param plan who runs what; CheckPlan has accepted it
     */
    CutSharing(const PipelineJob& job, const PipelinePlan& plan);

    /** @return the best shares found; none if they gain less than LEAST_GAIN */
    SharedCuts Solve() const;

    /**
     * Take shares from a text, such as "0:features.13:14,2:classifier.1:8": of the first cut 14
     * samples cross at that layer, which is the first one that the stage behind runs for them.
     *
     * @param text the shares; cuts that are not named have none
     * @return for each cut of the plan where samples go
     * @throws InputError if it is no such text, or the shares make no iteration
     */
    std::vector<SharedCut> Read(const std::string& text) const;

    /**
     * @param cuts for each cut of the plan
     * @return seconds of an iteration; infinite where memory would not do, or the cuts at a stage's
     *         sides have met
     */
    double GetIterationSeconds(const std::vector<SharedCut>& cuts) const;

    /**
     * Tell the stages what they run.
     *
     * @param cuts for each cut of the plan; GetIterationSeconds is finite
     * @param placements of the plan, changed
     */
    void Apply(const std::vector<SharedCut>& cuts,
               std::vector<PipelinePlacement>& placements) const;

    /// Least share of the time that sharing has to gain, since transfers may meet.
    static constexpr double LEAST_GAIN = 0.01;

  private:
    /** What a stage has to do; per micro-batch or part of one where not said otherwise. */
    struct Load
    {
        double forwardSeconds{0};   //!< of a forward pass
        double backwardSeconds{0};  //!< of a backward pass
        double activationBytes{0};  //!< kept from forward until backward
        uint64_t parameterBytes{0}; //!< in all
        std::size_t firstLayer{0};  //!< that any sample passes
        std::size_t endLayer{0};    //!< behind the last one that any sample passes
    };

    /** Sums over the layers before each, on a stage's device. */
    struct Sums
    {
        std::vector<double> forward;  //!< seconds per part of a micro-batch
        std::vector<double> backward; //!< seconds per part
        std::vector<double> fixed;    //!< of either, seconds
    };

    /**
     * Add layers to a load.
     *
     * @param stage on whose device
     * @param first the first layer
     * @param end that behind the last one; none if not above first
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
     * @return what it has to do; endless activations if no layer is left that all samples pass
     * there
     */
    Load GetLoad(std::size_t stage, const std::vector<SharedCut>& cuts) const;

    /**
     * @param cut index of a cut
     * @param shared where samples go there
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
     * @param shared where samples go there
     * @return weights that both sides hold, bytes
     */
    uint64_t GetSharedBytes(std::size_t cut, const SharedCut& shared) const;

    /**
     * @param stage a stage
     * @param load what it has to do
     * @return whether its device's memory will do
     */
    bool Fits(std::size_t stage, const Load& load) const
    {
        return std::isfinite(load.activationBytes) &&
               CountMemory(load).GetBytes(m_mostHeld[stage]) <=
                   m_problem.devices[m_plan.stages[stage].device].memoryBytes;
    }

    /**
     * @param load of a stage
     * @return its memory, as if all samples passed what any does for all but weights and
     * activations
     */
    StageMemory CountMemory(const Load& load) const;

    /**
     * @param cut index of a cut
     * @param steps between the shares, samples; one and all but one are there as well
     * @return where samples may go there, none of them among it
     */
    std::vector<SharedCut> GetChoices(std::size_t cut, uint32_t steps) const;
    /**
     * Let each stage give the next one, from the first on, what is too much for it.
     *
     * @param most that a stage may compute for a micro-batch, both passes, seconds
     * @param found shares to begin with, replaced; passes are added to, one for each load looked at
     * @return whether that goes
     */
    bool Level(double most, SharedCuts& found) const;
    /**
     * Change one cut after the other as long as that makes iterations shorter.
     *
     * @param isForward whether the first cut comes first, or the last one
     * @param steps see GetChoices
     * @param found shares to begin with, replaced; passes are added to
     * @return seconds of an iteration
     */
    double Descend(bool isForward, uint32_t steps, SharedCuts& found) const;

    const PipelineJob& m_job;               //!< the training
    const PipelineProblem& m_problem;       //!< of it
    PipelinePlan m_plan;                    //!< who runs what
    PipelineCostModel m_costs;              //!< of the problem
    uint32_t m_parts;                       //!< of a micro-batch
    uint32_t m_samples;                     //!< of a part
    uint32_t m_microBatches;                //!< parts of them in an iteration
    std::vector<Sums> m_sums;               //!< by stage
    std::vector<uint64_t> m_parameterBytes; //!< of the layers before each
    std::vector<double> m_activationBytes;  //!< of those layers, per part of a micro-batch
    std::vector<PipelinePass> m_passes;     //!< in an order in which each has what it needs
    std::vector<uint32_t> m_mostHeld;       //!< micro-batches between their passes, by stage
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CUT_SHARING_H */
