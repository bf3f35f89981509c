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
 * Plans by two networks that learn: SDQN cuts the layers into stages, GRDQN gives the stages
 * devices ("DQN-GRU guided distributed DNN pipeline training and adjacent scheduling in edge
 * networks", DGPAS, section 3).
 *
 * Attribute Variant tells how: "faithful" as the paper does (StagedGrdqn), with thresholds and
 * weights chosen by the cost model, "as-printed" without that choice, "stage-aware" as faithful
 * with a state that also tells how long the stage is, "improved" beyond the paper (JointGrdqn).
 * Weights come from the file Checkpoint where one is named, else from the cache of earlier
 * trainings, else from training on the problem asked for, which then enters the cache;
 * GetDecisionSeconds counts none of that. The cache is keyed by all that decides what training
 * leads to, ns-3's seed and run included; a damaged entry counts as none and is replaced, and
 * where no entry can be written, none is. Draws come from one ns-3 stream, so that equal seeds
 * and runs end in equal weights on one machine.
 */
class GrdqnPlanner : public Named<GrdqnPlanner, PipelinePlanner>, private GrdqnOptions
{
  public:
    static constexpr const char* TYPE = "ns3::edgepipe::GrdqnPlanner"; //!< name of its TypeId
    static constexpr const char* NAME = "grdqn";                       //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid);

    int64_t AssignStreams(int64_t stream) override;

    uint64_t GetEvaluations() const override
    {
        return m_firstUseEvaluations + m_decisionEvaluations;
    }

    /**
     * Trains new weights, whatever the cache or Checkpoint hold, and plans by them from then on.
     *
     * @param problem what to train for
     * @param progress told after every episode; may be empty
     * @return what to write to a file, with which Checkpoint can be set
     * @throws InputError when the problem is malformed or no plan fits
     */
    GrdqnCheckpoint Train(const PipelineProblem& problem, const GrdqnProgress& progress);

    /** @return how many plans the cost model was asked about by the last training */
    uint64_t GetTrainingEvaluations() const
    {
        return m_trainingEvaluations;
    }

    /** @return how many plans the cost model was asked about by the last Plan, training apart */
    uint64_t GetDecisionEvaluations() const
    {
        return m_decisionEvaluations;
    }

    /** @return wall-clock seconds of the last training; 0 before the first */
    double GetTrainingSeconds() const
    {
        return m_trainingSeconds;
    }

  private:
    void DoPrepare(const PipelineProblem& problem, const PipelineCostModel& costModel) override;
    PipelinePlan DoPlan(const PipelineProblem& problem,
                        const PipelineCostModel& costModel) override;

    /**
     * @param option an attribute of the agent's
     * @return it, as one of this object's
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
     * @param devices how many there are
     * @return the attributes, as the variant takes them
     * @throws InputError when an attribute cannot be used
     */
    GrdqnOptions FindOptions(std::size_t devices) const;

    /**
     * @param problem a problem
     * @return 64 bits that differ wherever training could end differently; names of layers and
     *         devices do not count
     */
    uint64_t FindKey(const PipelineProblem& problem) const;

    /**
     * @param checkpoint some weights
     * @param costModel the cost model of a problem
     * @return an agent for it that has them; null where they are not of the variant, of its hidden
     *         units, or for that many devices
     */
    std::unique_ptr<GrdqnAgent> MakeAgent(const GrdqnCheckpoint& checkpoint,
                                          const PipelineCostModel& costModel) const;

    std::string m_variant;        //!< faithful, as-printed, stage-aware or improved
    std::string m_checkpointFile; //!< path; empty: none
    bool m_usesCache;             //!< whether trained weights are kept on disk
    std::string m_cacheFolder;    //!< where; empty: the user's cache folder
    bool m_retrains;              //!< whether another problem is trained for anew
    /// First stream that it may draw from.
    int64_t m_firstStream{STREAMS.first};
    int64_t m_stream;                  //!< of the draws, from there on
    std::string m_hiddenUnits;         //!< faithful
    std::string m_improvedHiddenUnits; //!< improved
    uint32_t m_improvedEpisodes;       //!< improved
    uint32_t m_faithfulReplay;         //!< faithful
    uint32_t m_improvedReplay;         //!< improved
    GrdqnCheckpoint m_weights;         //!< to plan by; at first none
    std::string m_loadedFile;          //!< the Checkpoint that m_weights are of
    uint64_t m_trainingEvaluations{0}; //!< of the last training
    uint64_t m_decisionEvaluations{0}; //!< of the last decision
    uint64_t m_firstUseEvaluations{0}; //!< of the training that the last Plan began with
    double m_trainingSeconds{0};       //!< of the last training
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GRDQN_PLANNER_H */
