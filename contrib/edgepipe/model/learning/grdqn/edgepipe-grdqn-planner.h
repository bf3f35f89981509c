/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GRDQN_PLANNER_H
#define EDGEPIPE_GRDQN_PLANNER_H

#include "ns3/edgepipe-grdqn-agent.h"
#include "ns3/edgepipe-grdqn-checkpoint.h"
#include "ns3/edgepipe-pipeline-planner.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3::edgepipe
{

/**
 * Plans by two learned networks: SDQN cuts the layers into stages, GRDQN assigns devices to them
 * ("DQN-GRU guided distributed DNN pipeline training and adjacent scheduling in edge
 * networks", DGPAS, section 3).
 *
 * This class follows the paper (StagedGrdqn), with thresholds and weights chosen by the cost model.
 * Subclasses have names of their own: grdqn-as-printed omits that choice, grdqn-stage-aware adds
 * the stage's length to the state, and grdqn-improved goes beyond the paper (JointGrdqn). Weights
 * come from the file Checkpoint if set, else from earlier training kept in this object or the
 * cache, else from training on the given problem, which is then cached; GetDecisionSeconds excludes
 * all this. The cache key covers everything that affects training, including ns-3's seed and run. A
 * damaged entry is replaced after new training; failure to write one is not an error. Draws come
 * from one ns-3 stream, so that equal seeds and runs give equal weights on one machine.
 */
class GrdqnPlanner : public Named<GrdqnPlanner, PipelinePlanner>, private GrdqnOptions
{
  public:
    static constexpr const char* NAME = "grdqn"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    GrdqnPlanner();

    /** @return faithful, as-printed, stage-aware or improved */
    const std::string& GetVariant() const
    {
        return m_variant;
    }

    int64_t AssignStreams(int64_t stream) override;

    uint64_t GetEvaluations() const override
    {
        return m_firstUseEvaluations + m_decisionEvaluations;
    }

    bool UsesGroups() const override
    {
        return usesGroups && m_variant == "improved";
    }

    /**
     * Trains new weights, regardless of cache and Checkpoint, and uses them from then on.
     *
     * @param problem the problem to train for
     * @param progress called after every episode; may be empty
     * @return the content for a file that Checkpoint can name
     * @throws InputError when the problem is malformed, no plan fits, or CanGrowPlans does not hold
     */
    GrdqnCheckpoint Train(const PipelineProblem& problem, const GrdqnProgress& progress);

    /** @return plans evaluated by the last training */
    uint64_t GetTrainingEvaluations() const
    {
        return m_trainingEvaluations;
    }

    /** @return plans evaluated by the last Plan, without training */
    uint64_t GetDecisionEvaluations() const
    {
        return m_decisionEvaluations;
    }

    /** @return wall-clock seconds of the last training; 0 before the first */
    double GetTrainingSeconds() const
    {
        return m_trainingSeconds;
    }

  protected:
    /** @param variant faithful, as-printed, stage-aware or improved */
    explicit GrdqnPlanner(const std::string& variant);

  private:
    void DoPrepare(const PipelineProblem& problem, const PipelineCostModel& costModel) override;
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        const PipelineCostModel& costModel) override;

    /**
     * @param option a member of GrdqnOptions or its base
     * @return the same as a member of GrdqnPlanner
     */
    template <typename T, typename C>
    static T GrdqnPlanner::*Own(T C::*option)
    {
        return option;
    }

    /**
     * @param costModel the cost model of a problem; must outlive the result
     * @param options of the planner
     * @return an agent of the variant, without weights
     */
    std::unique_ptr<GrdqnAgent> MakeAgent(const PipelineCostModel& costModel,
                                          const GrdqnOptions& options) const;

    /**
     * @param devices number of devices
     * @return the options that the attributes set for the variant
     * @throws InputError when an attribute cannot be used
     */
    GrdqnOptions FindOptions(std::size_t devices) const;

    /**
     * @param problem a problem
     * @return 64-bit hash of everything that affects training; names of layers and devices do not
     *         count
     */
    uint64_t FindKey(const PipelineProblem& problem) const;

    /**
     * @param checkpoint some weights
     * @param costModel the cost model of a problem
     * @return an agent with these weights; null if they do not match the variant, its hidden units
     *         or the number of devices
     */
    std::unique_ptr<GrdqnAgent> MakeAgent(const GrdqnCheckpoint& checkpoint,
                                          const PipelineCostModel& costModel) const;

    const std::string m_variant;  //!< faithful, as-printed, stage-aware or improved
    std::string m_checkpointFile; //!< path; empty: none
    bool m_usesCache;             //!< whether trained weights are kept on disk
    std::string m_cacheFolder;    //!< where; empty: the user's cache folder
    bool m_retrains;              //!< whether to retrain for another problem
    /// First stream assigned.
    int64_t m_firstStream{STREAMS.first};
    int64_t m_stream;                  //!< stream of the draws, as an offset from it
    std::string m_hiddenUnits;         //!< faithful
    std::string m_improvedHiddenUnits; //!< improved
    uint32_t m_improvedEpisodes;       //!< improved
    uint32_t m_faithfulReplay;         //!< faithful
    uint32_t m_improvedReplay;         //!< improved
    GrdqnCheckpoint m_weights;         //!< in use; at first none
    std::string m_loadedFile;          //!< the Checkpoint that m_weights were read from
    uint64_t m_trainingEvaluations{0}; //!< of the last training
    uint64_t m_decisionEvaluations{0}; //!< of the last decision
    uint64_t m_firstUseEvaluations{0}; //!< of the training during the last Plan
    double m_trainingSeconds{0};       //!< of the last training
};

/** GrdqnPlanner with the thresholds and weights of the authors, without any choice. */
class AsPrintedGrdqnPlanner : public Named<AsPrintedGrdqnPlanner, GrdqnPlanner>
{
  public:
    static constexpr const char* NAME = "grdqn-as-printed"; //!< for users

    AsPrintedGrdqnPlanner()
        : Named("as-printed")
    {
    }
};

/** GrdqnPlanner whose SDQN also sees the length of the stage. */
class StageAwareGrdqnPlanner : public Named<StageAwareGrdqnPlanner, GrdqnPlanner>
{
  public:
    static constexpr const char* NAME = "grdqn-stage-aware"; //!< for users

    StageAwareGrdqnPlanner()
        : Named("stage-aware")
    {
    }
};

/** Both networks trained together on the true cost, with a search; ours, beyond the paper. */
class ImprovedGrdqnPlanner : public Named<ImprovedGrdqnPlanner, GrdqnPlanner>
{
  public:
    static constexpr const char* NAME = "grdqn-improved"; //!< for users

    ImprovedGrdqnPlanner()
        : Named("improved")
    {
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GRDQN_PLANNER_H */
