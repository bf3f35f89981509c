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

/** Measurements of the devices and the links between them. */
struct PipelineState
{
    std::vector<double> shares;         //!< by device, share of its speed left for us; 0: unusable
    double bandwidthBitsPerSecond{0};   //!< of devices without own rates, payload bit/s, > 0
    double seconds{0};                  //!< simulated time
    std::vector<DeviceState> devices{}; //!< of the devices that have reported any
    /// By device, payload bit/s, if devices have rates of their own; else empty
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

/** Conditions for changing a plan. */
struct ReplanTerms
{
    uint32_t horizonIterations{10}; //!< iterations within which a change must pay off
    bool sharesMedium{false};       //!< whether transfers share one medium or a chain of wires
    double chargedSeconds{0};       //!< fixed cost of the decision
    double chargedScale{0};         //!< cost per wall-clock second of the planner
};

/** Result of a decision. */
struct PipelineDecision
{
    PipelinePlan plan;            //!< the planner's plan, or the one in force if it found none
    std::string problemWithPlan;  //!< why the planner found none; empty if it did
    double oldSeconds{0};         //!< predicted iteration under the plan in force
    double newSeconds{0};         //!< predicted iteration under the new plan
    std::vector<LayerMove> moves; //!< by layer
    uint64_t moveBytes{0};        //!< of all moves
    double moveSeconds{0};        //!< predicted time of the moves
    double chargedSeconds{0};     //!< cost of the decision
    bool isWorthIt{false};        //!< whether to change
};

/**
 * @param base a problem whose devices are idle
 * @param state measurements, with a share for each device
 * @return the problem as measured: a device with a share left takes 1 / share as long, shares
 *         rounded to two digits so that equal devices stay of one type; an unusable one has no
 *         memory and takes a million times as long
 */
PipelineProblem ChangeProblem(const PipelineProblem& base, const PipelineState& state);

/**
 * @param problem the problem of both plans
 * @param before the plan in force
 * @param after another plan
 * @return the layers with weights that change devices
 */
std::vector<LayerMove> FindMoves(const PipelineProblem& problem,
                                 const PipelinePlan& before,
                                 const PipelinePlan& after);

/**
 * Predicts the time of moves. Devices send and receive at once, each at its full rates, and the
 * busiest direction of a device decides. On a shared medium all bytes cross one after another. The
 * longest delay is added.
 *
 * @param costs of the problem
 * @param moves the moves
 * @param sharesMedium whether all transfers share one medium
 * @return seconds until the last has arrived
 */
double PredictMoveSeconds(const PipelineCostModel& costs,
                          const std::vector<LayerMove>& moves,
                          bool sharesMedium);

/**
 * Asks a planner for a plan under the measured state and weighs it against the plan in force. A
 * change is worth it if
 *
 *     (oldSeconds - newSeconds) x horizonIterations > moveSeconds + chargedSeconds.
 *
 * Both times are predictions of PipelineCostModel for the problem as measured. Apart from the
 * planner's decision time, the result depends only on the arguments.
 *
 * @param base a problem whose devices are idle
 * @param state measurements
 * @param current the plan in force
 * @param planner the planner
 * @param terms conditions for a change
 * @return the decision; keeps the plan in force if the planner finds none
 */
PipelineDecision DecidePipeline(const PipelineProblem& base,
                                const PipelineState& state,
                                const PipelinePlan& current,
                                PipelinePlanner& planner,
                                const ReplanTerms& terms);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_PIPELINE_DECIDER_H */
