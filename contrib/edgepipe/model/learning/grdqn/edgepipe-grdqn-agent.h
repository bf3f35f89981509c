/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GRDQN_AGENT_H
#define EDGEPIPE_GRDQN_AGENT_H

#include "edgepipe-staged-rewards.h"

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-q-network.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Architecture and training of the two networks; see the attributes of GrdqnPlanner. */
struct GrdqnOptions : StagedConstants
{
    std::vector<std::size_t> hiddenUnits; //!< of the layers of both networks
    uint32_t recurrentUnits;              //!< of the GRU
    uint32_t cutEpisodes;                 //!< episodes that train SDQN (staged) or both (joint)
    uint32_t placeEpisodes;               //!< episodes that train GRDQN (staged)
    double learningRate;                  //!< of Adam
    double cutDiscount;                   //!< staged: gamma of eq. 6
    double placeDiscount;                 //!< staged: gamma of eq. 9
    double firstEpsilon;                  //!< share of random actions, first episode
    double lastEpsilon;                   //!< the same, after exploring
    double exploringShare;                //!< share of the episodes over which epsilon falls
    uint32_t batchSize;                   //!< transitions per gradient step
    uint32_t replayCapacity;              //!< transitions kept
    uint32_t targetInterval;              //!< gradient steps between copies to the target
    uint32_t fitsPerEpisode;              //!< staged: gradient steps
    bool seesStage;                       //!< staged: whether SDQN's state has the stage's length
    bool isJudged;                        //!< staged: cost model chooses thresholds and weights
    bool doubleDqn;                       //!< joint: double DQN
    double priorityExponent;              //!< joint: prioritised replay; 0: uniform
    bool returnBound;                     //!< joint: no target below the observed return
    uint32_t beamWidth;                   //!< joint: partial plans kept while deciding
    uint32_t imitatedEvaluations;         //!< joint: plans tried to improve an episode's plan
    uint32_t searchEvaluations;           //!< joint: plans tried to improve a decision
    bool usesGroups;                      //!< joint: whether stages may be put on groups
    std::size_t deviceSlots;              //!< devices that the networks distinguish
    uint64_t mostEvaluations;             //!< joint: most plans evaluated in training; 0: no limit
};

/** One episode of training, a point of the paper's figures 8 and 9. */
struct GrdqnEpisode
{
    std::string network;     //!< "sdqn", "grdqn", or "joint"
    uint32_t episode;        //!< from 0
    double reward;           //!< sum of the episode's rewards
    double epsilon;          //!< share of random actions
    double loss;             //!< mean squared error over the episode's gradient steps
    double iterationSeconds; //!< predicted, of the greedy plan; 0 where it was not evaluated
};

/** Called after every episode with it and the share of the training done, 0 to 1. */
using GrdqnProgress = std::function<void(const GrdqnEpisode&, double)>;

/**
 * SDQN and GRDQN for one problem: trained together, or one after the other.
 */
class GrdqnAgent
{
  public:
    virtual ~GrdqnAgent() = default;

    /**
     * Draws new weights and trains them.
     *
     * @param random source of all draws
     * @param progress called after every episode; may be empty
     */
    void Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress);

    /**
     * @return the plan for the current weights; deterministic
     */
    virtual PipelinePlan Decide() = 0;

    /** @return the weights of SDQN and GRDQN, in the order of QNetwork::GetWeights */
    std::vector<std::vector<float>> GetWeights() const;

    /**
     * @param weights of SDQN and GRDQN
     * @return whether their number fits the networks; if not, none is set
     */
    bool SetWeights(const std::vector<std::vector<float>>& weights);

    /** @return plans evaluated so far */
    uint64_t GetEvaluations() const
    {
        return m_evaluations;
    }

  protected:
    /**
     * @param costModel the cost model of the problem; must outlive this object
     * @param options the options
     * @param cut shape of SDQN
     * @param place shape of GRDQN
     */
    GrdqnAgent(const PipelineCostModel& costModel,
               const GrdqnOptions& options,
               const QNetworkShape& cut,
               const QNetworkShape& place);

    /** Draws new weights of both networks. */
    void DrawWeights();

    /**
     * @param plan a complete plan
     * @return seconds of one iteration; counts as an evaluation
     */
    double Evaluate(const PipelinePlan& plan);

    /**
     * @param episode from 0
     * @param episodes number of episodes
     * @return epsilon: falls linearly over the exploring share, then stays
     */
    double FindEpsilon(double episode, uint32_t episodes) const;

    const PipelineCostModel& m_costModel; //!< the cost model
    GrdqnOptions m_options;               //!< the options
    std::unique_ptr<QNetwork> m_cut;      //!< SDQN
    std::unique_ptr<QNetwork> m_place;    //!< GRDQN
    Ptr<UniformRandomVariable> m_random;  //!< source of draws while training
    GrdqnProgress m_progress;             //!< called after every episode
    uint64_t m_evaluations{0};            //!< plans evaluated

  private:
    /** Draws new weights, trains them and reports every episode. */
    virtual void DoTrain() = 0;
};

/**
 * @param options the options
 * @param recurrent entries of the GRU's input; 0: there is no GRU
 * @param inputs other entries of the state
 * @param outputs of the network
 * @return the shape of SDQN or GRDQN
 */
QNetworkShape MakeGrdqnShape(const GrdqnOptions& options,
                             std::size_t recurrent,
                             std::size_t inputs,
                             std::size_t outputs);

/**
 * @param costModel the cost model of a problem for which CanGrowPlans holds; must outlive the
 *        result
 * @param options the options
 * @return an agent that trains SDQN, then GRDQN, as the paper does; without weights
 */
std::unique_ptr<GrdqnAgent> MakeStagedGrdqn(const PipelineCostModel& costModel,
                                            const GrdqnOptions& options);

/**
 * @param costModel as above
 * @param options the options
 * @return an agent that trains both networks together on the true cost; without weights
 */
std::unique_ptr<GrdqnAgent> MakeJointGrdqn(const PipelineCostModel& costModel,
                                           const GrdqnOptions& options);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GRDQN_AGENT_H */
