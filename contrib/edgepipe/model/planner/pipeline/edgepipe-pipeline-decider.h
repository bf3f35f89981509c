/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINE_DECIDER_H
#define EDGEPIPE_PIPELINE_DECIDER_H

#include "ns3/edgepipe-pipeline-cost-model.h"
#include "ns3/edgepipe-pipeline-planner.h"
#include "ns3/edgepipe-pipeline-problem.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** What has been measured of the devices and the links between them. */
struct PipelineState
{
    std::vector<double> shares;       //!< by device, of it that is left for us; 0: cannot be used
    double bandwidthBitsPerSecond{0}; //!< of devices without rates of their own, payload bit/s, > 0
    double seconds{0};                //!< simulated time
    std::vector<DeviceState> devices{}; //!< what each has told of those that have told anything
    /// By device, payload bit/s, where devices have rates of their own; else empty
    std::vector<double> uplinks{};
    std::vector<double> downlinks{}; //!< see uplinks
};

/** A layer whose weights change devices. */
struct LayerMove
{
    std::size_t layer; //!< index of the layer
    std::size_t from;  //!< device that ran it
    std::size_t to;    //!< device that is to run it
    uint64_t bytes;    //!< of its weights, > 0
};

/** On what terms a plan is changed. */
struct ReplanTerms
{
    uint32_t horizonIterations{10}; //!< within which a change has to pay back
    bool sharesMedium{false};       //!< whether all transfers share one medium, or a chain of wires
    double chargedSeconds{0};       //!< what the decision costs whatever the planner takes
    double chargedScale{0};         //!< what it costs over the wall-clock time of the planner
};

/** What a decision came to. */
struct PipelineDecision
{
    PipelinePlan plan;            //!< the planner's, for the state measured
    std::string problemWithPlan;  //!< why there is none; empty if there is one
    double oldSeconds{0};         //!< an iteration under the plan in force, as measured
    double newSeconds{0};         //!< an iteration under the other plan, as measured
    std::vector<LayerMove> moves; //!< by layer
    uint64_t moveBytes{0};        //!< of all moves
    double moveSeconds{0};        //!< what the moves are predicted to take
    double chargedSeconds{0};     //!< what the decision costs
    bool isWorthIt{false};        //!< whether to change
};

/**
 * @param base a problem whose devices are idle
 * @param state what was measured, a share for each device
 * @return the problem as measured: a device of which a share is left takes 1 / share as long,
 * shares in two digits so that equal devices stay of one type; one that cannot be used has no
 *         memory, and takes a million times as long
 */
PipelineProblem ChangeProblem(const PipelineProblem& base, const PipelineState& state);

/**
 * @param problem what both plans are for
 * @param before the plan in force
 * @param after another plan
 * @return the layers with weights that change devices
 */
std::vector<LayerMove> FindMoves(const PipelineProblem& problem,
                                 const PipelinePlan& before,
                                 const PipelinePlan& after);

/**
 * Devices send and receive at once, each at its full rates; the busiest direction of a device
 * decides. On a shared medium all bytes cross one after another. The longest delay comes on top.
 *
 * @param costs of the problem
 * @param moves what moves
 * @param sharesMedium whether all transfers share one medium
 * @return seconds until the last has arrived
 */
double PredictMoveSeconds(const PipelineCostModel& costs,
                          const std::vector<LayerMove>& moves,
                          bool sharesMedium);

/**
 * Ask a planner for a plan under what was measured, and weigh it against the plan in force: it is
 * worth changing if
 *
 *     (oldSeconds - newSeconds) x horizonIterations > moveSeconds + chargedSeconds.
 *
 * Both times are predictions of PipelineCostModel for the problem as measured. A function of its
 * arguments, without a node or a clock but for the planner's decision time.
 *
 * @param base a problem whose devices are idle
 * @param state what was measured
 * @param current the plan in force
 * @param planner who decides
 * @param terms on what terms
 * @return the decision; a planner that finds no plan leaves the one in force
 */
PipelineDecision DecidePipeline(const PipelineProblem& base,
                                const PipelineState& state,
                                const PipelinePlan& current,
                                PipelinePlanner& planner,
                                const ReplanTerms& terms);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_DECIDER_H */
