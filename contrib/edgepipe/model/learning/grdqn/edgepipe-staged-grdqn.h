/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STAGED_GRDQN_H
#define EDGEPIPE_STAGED_GRDQN_H

#include "ns3/edgepipe-cut-walk.h"
#include "ns3/edgepipe-grdqn-agent.h"
#include "ns3/edgepipe-replay-buffer.h"
#include "ns3/edgepipe-stage-fit.h"

namespace ns3
{
namespace edgepipe
{

/**
 * SDQN, then GRDQN, as the DGPAS paper trains them (algorithms 1 and 2).
 *
 * SDQN walks over the layers and decides after each but the last whether a stage ends there. Its
 * state is the layer's work, parameters, memory and the bytes that a split after it sends, and the
 * model's totals; with seesStage, which is not the paper's, also the stage's length so far. GRDQN
 * then walks over the stages and gives each a device. A greedy walk takes the action of the largest
 * Q value among those that keep the plan within memory and within one stage per device.
 *
 * GRDQN's process is a Markov decision process whose rewards are spread over the stages, so gamma
 * near 1 makes it weigh all of them; SDQN's next state does not depend on its action, and gamma
 * hardly matters. So there are two. Kappa and varsigma are inputs of algorithm 1: where they are 0,
 * they are chosen for the problem (CutRehearsal).
 *
 * Where the paper is silent, this is ours: what W, F, C and the T of eq. 4 are measured in
 * (StagedRewards); that "device p" of eq. 2 and 4 is the r-th fastest for stage r, since no stage
 * has a device yet, but never slower than the mean of F weighted by F, lest splits into stages fit
 * for the slowest be rewarded;
 * and which weights count as the best: those whose greedy walk, looked at after every episode,
 * gave the plan with the least predicted iteration time. Those greedy walks are experience too:
 * with epsilon at 0.1, one layer in 20 gets a split by chance, and in networks of hundreds of
 * layers no stage would ever be seen to grow as large as it should. While GRDQN is not trained yet,
 * SDQN's stages are placed for that purpose by a rule, the heaviest on the fastest device.
 */
class StagedGrdqn : public GrdqnAgent
{
  public:
    /**
     * @param costModel the cost model of a problem for which StageFit::CanComplete holds from
     *        layer 0; must outlive this object
     * @param options how
     */
    StagedGrdqn(const PipelineCostModel& costModel, const GrdqnOptions& options);

    void Train(Ptr<UniformRandomVariable> random, const GrdqnProgress& progress) override;
    PipelinePlan Decide() override;

  private:
    /** What SDQN can do after a layer. */
    enum CutAction
    {
        SPLIT,   //!< the stage ends
        CONTINUE //!< the next layer joins it
    };

    /** What SDQN learns from. */
    struct CutExperience
    {
        std::vector<float> state;    //!< s
        std::size_t action;          //!< a CutAction
        double reward;               //!< of eq. 2, 3 and 5
        bool isLast;                 //!< whether the episode ended
        std::vector<float> next;     //!< s'
        std::vector<bool> isAllowed; //!< by CutAction, in s'
    };

    /** The state that GRDQN decides in. */
    struct PlaceState
    {
        std::vector<float> devices;  //!< x of eq. 1
        std::vector<float> previous; //!< h of the step before
        std::vector<float> stage;    //!< W_r and M_r
        std::vector<bool> isAllowed; //!< by device
    };

    /** What GRDQN learns from. */
    struct PlaceStep
    {
        PlaceState state;   //!< s
        std::size_t device; //!< a
        double reward;      //!< of eq. 8
        bool isLast;        //!< whether the episode ended
        PlaceState next;    //!< s'
    };

    /** What came of a step that is learned from. */
    struct Outcome
    {
        std::size_t action;                 //!< that was taken
        double reward;                      //!< for it
        const std::vector<bool>* isAllowed; //!< actions of the next state; null: the episode ended
    };

    /**
     * @param state of a walk over the layers
     * @param row what the state of SDQN is appended to
     */
    void DescribeCut(const CutState& state, std::vector<float>& row) const;

    /**
     * Walks over the layers.
     * @param epsilon share of random actions
     * @param random where they come from
     * @param experiences what was done is appended to, with rewards
     * @return the stages
     */
    PipelineDivision WalkLayers(double epsilon,
                                const Ptr<UniformRandomVariable>& random,
                                std::vector<CutExperience>& experiences);

    /**
     * Take a gradient step, by eq. 6 or 9.
     *
     * @param network what learns
     * @param fits its gradient steps so far, counted on
     * @param now states
     * @param next the states after these
     * @param outcomes of the steps from one to the other
     * @param discount gamma
     * @return mean squared error before it
     */
    double Fit(QNetwork& network,
               uint64_t& fits,
               const QInputs& now,
               const QInputs& next,
               const std::vector<Outcome>& outcomes,
               double discount);

    /**
     * One gradient step of SDQN.
     * @param replay what to learn from
     * @param random where draws come from
     * @return the mean squared error
     */
    double FitCut(const ReplayBuffer<CutExperience>& replay,
                  const Ptr<UniformRandomVariable>& random);

    /**
     * @param division the stages
     * @param plan its first stages, placed
     * @param hidden h of the step before
     * @return the state for the next stage
     */
    PlaceState DescribePlacing(const PipelineDivision& division,
                               const PipelinePlan& plan,
                               std::vector<float> hidden) const;

    /**
     * Walks over the stages.
     * @param division the stages
     * @param epsilon share of random actions
     * @param random where they come from
     * @param steps set to what was done, with rewards
     * @return the plan
     */
    PipelinePlan WalkStages(const PipelineDivision& division,
                            double epsilon,
                            const Ptr<UniformRandomVariable>& random,
                            std::vector<PlaceStep>& steps);

    /** As FitCut, of GRDQN. */
    double FitPlace(const ReplayBuffer<PlaceStep>& replay,
                    const Ptr<UniformRandomVariable>& random);

    /**
     * Train a network, and leave it the weights that made the best plan.
     *
     * @tparam Step what is learned from
     * @param name of the network
     * @param network what learns
     * @param before episodes that others have taken
     * @param episodes to take
     * @param progress told after every episode; may be empty
     * @param walk takes a share of random actions, adds steps and returns what it has made
     * @param makePlan makes a plan of that
     * @param fit takes a gradient step and returns its loss
     */
    template <typename Step, typename Walk, typename MakePlan, typename FitOnce>
    void TrainNetwork(const std::string& name,
                      QNetwork& network,
                      uint32_t before,
                      uint32_t episodes,
                      const GrdqnProgress& progress,
                      Walk walk,
                      MakePlan makePlan,
                      FitOnce fit);

    /**
     * @param random where draws come from
     * @param progress told after every episode
     */
    void TrainCut(const Ptr<UniformRandomVariable>& random, const GrdqnProgress& progress);

    /** @copydoc TrainCut */
    void TrainPlace(const Ptr<UniformRandomVariable>& random, const GrdqnProgress& progress);

    StagedRewards m_rewards;   //!< what both learn by
    StageFit m_fit;            //!< of the problem
    CutWalk m_walk;            //!< over the layers
    std::vector<float> m_rows; //!< figures of the layers
    uint64_t m_cutFits{0};     //!< gradient steps of SDQN
    uint64_t m_placeFits{0};   //!< gradient steps of GRDQN
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_STAGED_GRDQN_H */
