/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_PROBLEM_H
#define EDGEPIPE_TWO_WAY_CUT_PROBLEM_H

#include "ns3/edgepipe-shared-vector.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

class JsonTable;

/** What a plan optimises. */
enum class TwoWayCutObjective
{
    LATENCY,   //!< least time for a single frame
    THROUGHPUT //!< shortest bottleneck of computing on the device, sending, and computing on the
               //!< server, for the highest rate of back-to-back frames
};

/** Believed costs of a layer, seconds, >= 0. */
struct TwoWayCutBelief
{
    double deviceSeconds; //!< on the end device
    double serverSeconds; //!< on the server
};

/** One layer of the network as a two-way cut planner sees it; all figures per frame. */
struct TwoWayCutLayer
{
    std::string name;                //!< unique in its problem
    std::vector<std::size_t> inputs; //!< indices of earlier layers; empty: the model's input
    uint64_t outputBytes;            //!< bytes of the output; of the result where nothing reads it
    double deviceSeconds;            //!< on the end device, in context, >= 0
    double serverSeconds;            //!< on the server, in context, >= 0
    double flop{0};                  //!< of the layer, >= 0; 0 in all layers: not known
};

/**
 * The two-way cut problem: which layers of a network run on an end device, which on a server.
 *
 * Layers are in topological order and may have several inputs and outputs. The frame is on the
 * device, and the result is needed there. A partition must be closed: layers on the device read
 * only tensors made on the device, so nothing but the result is ever sent back. S. Zhang et al.,
 * "Towards real-time cooperative deep inference over the cloud and edge end devices", Proc. ACM
 * IMWUT 4(2), 2020, section 3.
 */
struct TwoWayCutProblem
{
    SharedVector<TwoWayCutLayer> layers;     //!< in topological order, 1 to 2^31 - 1
    SharedVector<TwoWayCutBelief> isolated;  //!< by layer, timed alone, as DADS does; may be empty
    SharedVector<TwoWayCutBelief> predicted; //!< by layer, by a regression, as Neurosurgeon does;
                                             //!< may be empty
    uint64_t inputBytes{0};                  //!< of the frame, uploaded if the server reads it
    double uplinkBitsPerSecond{0};           //!< from device to server, bit/s, > 0
    double downlinkBitsPerSecond{0};         //!< from server to device, bit/s, > 0
    bool countResult{true};                  //!< whether latency includes returning the result
    TwoWayCutObjective objective{TwoWayCutObjective::LATENCY}; //!< of the plan
    std::string model{};                                       //!< name; empty: not known
    /// Of every message, one way, s, >= 0; of latency, if any layer is on the server
    double delaySeconds{0};
};

/** Placement of the layers. */
struct TwoWayCutPlan
{
    std::vector<bool> isOnDevice; //!< by layer; the others run on the server
};

/**
 * Refuses a problem that violates a constraint of TwoWayCutProblem, or whose bytes do not fit 63
 * bits.
 *
 * @param problem any problem
 * @throws InputError naming what is wrong
 */
void ValidateTwoWayCutProblem(const TwoWayCutProblem& problem);

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidateTwoWayCutProblem
 */
void ListFields(JsonTable& table, TwoWayCutProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Two-way cut problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, TwoWayCutPlan& plan, const TwoWayCutProblem& problem);

/**
 * @param problem the problem
 * @param plan a plan for it
 * @param isOnDevice which layers
 * @return the names of the layers that run on the device, or of those on the server
 */
std::vector<std::string> ListLayers(const TwoWayCutProblem& problem,
                                    const TwoWayCutPlan& plan,
                                    bool isOnDevice);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_PROBLEM_H */
