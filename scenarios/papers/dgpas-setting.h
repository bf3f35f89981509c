/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DGPAS_SETTING_H
#define EDGEPIPE_DGPAS_SETTING_H

#include "lib/training-inputs.h"

#include "ns3/edgepipe-pipeline-usage.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/// How idle devices help in a run: not at all, as in the paper at no cost, or paying for
/// everything.
constexpr std::array<const char*, 3> DGPAS_HELPS{"none", "ideal", "full"};

/** A model on the testbed over a network, and how its mini-batches are cut. */
struct DgpasSite
{
    std::string model;       //!< stem of a file in traces/models
    std::string link;        //!< lan or wifi
    std::string bandwidth;   //!< such as 1Gbps; empty: the link's
    uint32_t microBatches;   //!< per mini-batch
    uint32_t microBatchSize; //!< samples
    bool hasMemory{true};    //!< whether devices hold no more than their memory
};

/** What came of a plan run in one way. */
struct DgpasOutcome
{
    std::string help;              //!< one of DGPAS_HELPS
    std::string status{"no-plan"}; //!< finished, stalled or no-plan
    std::string reason;            //!< why it did not finish
    double iterationSeconds{0};    //!< mean
    double bubbleRate{0};          //!< mean, measured
    double bubbleSeconds{0};       //!< per iteration, summed over the stages
    double index{0};               //!< see GetBubbleIndex
    std::optional<double> theta;   //!< see GetTheta; bubbles are those without help
    std::optional<double> theorem; //!< see GetTheoremBubbleSeconds, likewise, seconds
    AssistanceCounts assistance;   //!< how often idle devices helped
    uint64_t movedBytes{0};        //!< payload delivered between devices

    /** @return whether every iteration ended */
    bool IsFinished() const;
};

/// What came of a plan without help and with it, in the order of DGPAS_HELPS.
using DgpasOutcomes = std::vector<DgpasOutcome>;

/**
 * @param outcomes of a plan
 * @return whether every run ended
 */
bool IsFinished(const DgpasOutcomes& outcomes);

/**
 * @ingroup edgepipe
 *
 * A site of the scenario dgpas-testbed: plans are made for its problem and simulated on its
 * network, every one once.
 */
class DgpasSetting
{
  public:
    /**
     * Read the model and the testbed, and measure the bandwidth that planners are told.
     *
     * @param options of the scenario, parsed
     * @param site what to set up
     * @param lambda of the index; see GetBubbleIndex
     * @throws InputError if something cannot be used
     */
    DgpasSetting(const ScenarioOptions& options,
                 const DgpasSite& site,
                 std::optional<double> lambda);

    DgpasSetting(const DgpasSetting&) = delete;
    DgpasSetting& operator=(const DgpasSetting&) = delete;

    /** @return what planners are asked */
    const PipelineProblem& GetProblem() const;

    /** @return what was read */
    const TrainingInputs& GetInputs() const;

    /**
     * @param plan for the problem
     * @param schedule name of a PipelineSchedule
     * @param iterations mini-batches
     * @return what came of it; kept for the next time
     */
    const DgpasOutcomes& Simulate(const PipelinePlan& plan,
                                  const std::string& schedule,
                                  uint32_t iterations);

    /** @return simulations run */
    std::size_t GetSimulations() const;

  private:
    /**
     * @param plan for the problem
     * @param training how to run it
     * @return what came of it
     */
    DgpasOutcome DoSimulate(const PipelinePlan& plan,
                            const PipelineTrainingOptions& training) const;

    ScenarioOptions m_options;                       //!< of one training
    TrainingInputs m_inputs;                         //!< read by them
    std::optional<double> m_lambda;                  //!< of the index; see GetBubbleIndex
    PipelineProblem m_problem;                       //!< what planners are asked
    std::map<std::string, DgpasOutcomes> m_outcomes; //!< by plan and how it was run
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DGPAS_SETTING_H */
