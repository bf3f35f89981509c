/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MULTI_ACTOR_PROBLEM_H
#define EDGEPIPE_MULTI_ACTOR_PROBLEM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

class JsonTable;

/** What all actors share: the network of K layers, and the server. */
struct MultiActorModel
{
    std::vector<uint64_t> layerFlop;   //!< c_1 to c_K, FLOP of an inference; at least one layer
    std::vector<uint64_t> outputBytes; //!< b_0, of the input, to b_K, of the result: K + 1
    double serverFlopPerSecond{0};     //!< f_e, > 0
    /// Of layers 1 to K on the server, s, >= 0, e.g. from its profile; empty: eq. 5, c / f_e
    std::vector<double> serverLayerSeconds{};
    std::string name{}; //!< of the network; empty: not known
};

/** A device that steps an environment and asks for an action at every step. */
struct MultiActor
{
    std::string name;         //!< unique in its problem
    double flopPerSecond{0};  //!< f_d, > 0
    double bytesPerSecond{0}; //!< tr, of its link to the server, > 0
    /// Of layers 1 to K on it, s, >= 0, e.g. from its profile; empty: eq. 5, c / f_d
    std::vector<double> layerSeconds{};
};

/** Server resources for all actors together, for one inference of each. */
struct MultiActorBudgets
{
    double computeFlop{0};    //!< R_c, FLOP, >= 0
    double bandwidthBytes{0}; //!< R_b, bytes, >= 0
    double delta{1};          //!< bandwidth that a byte of a tensor takes, bytes, > 0
};

/** Budgets as whole FLOP and tensor bytes, so that checking them is exact. */
struct MultiActorLimits
{
    uint64_t flop;  //!< most FLOP on the server
    uint64_t bytes; //!< most tensor bytes uploaded to it
};

/**
 * The multi-actor cut problem: after which layer each actor hands its inference to the server.
 *
 * An actor that cuts at y runs layers 1 to y, uploads b_y bytes, and the server runs the rest; at
 * y = K it runs all and takes nothing of either budget. Minimise the sum of the response times
 * (MultiActorCut) such that the FLOP on the server stay within R_c, and delta times the bytes
 * uploaded within R_b. H. Dai, J. Wu, Y. Wang, C. Xu, "Towards scalable and efficient Deep-RL in
 * edge computing: A game-based partition approach", Journal of Parallel and Distributed Computing
 * 168, 2022, eq. 8 to 11.
 */
struct MultiActorProblem
{
    MultiActorModel model;          //!< what all actors share
    std::vector<MultiActor> actors; //!< in the order in which they join
    MultiActorBudgets budgets;      //!< shared budgets
};

/** The cuts of all actors. */
struct MultiActorPlan
{
    std::vector<std::size_t> cuts; //!< by actor, 0 (all on the server) to K (all on the actor)
};

/** A round in which one actor met others to decide together. */
struct MultiActorRound
{
    std::size_t actor;  //!< index of the actor
    std::size_t actors; //!< it met actors 0 to actors - 1, except itself
};

/**
 * @param model any model
 * @throws InputError naming the violated constraint of MultiActorModel
 */
void ValidateMultiActorModel(const MultiActorModel& model);

/**
 * @param actor any actor
 * @throws InputError naming the violated constraint of MultiActor
 */
void ValidateMultiActor(const MultiActor& actor);

/**
 * @param budgets any budgets
 * @throws InputError naming the violated constraint of MultiActorBudgets
 */
void ValidateMultiActorBudgets(const MultiActorBudgets& budgets);

/**
 * Refuses what the three checks above refuse, a problem without actors, duplicate names, layer
 * seconds that do not match the model's layers, and totals of 2^63 FLOP or 2^53 bytes or more.
 *
 * @param problem any problem
 * @throws InputError naming what is wrong
 */
void ValidateMultiActorProblem(const MultiActorProblem& problem);

/**
 * As ValidateMultiActorProblem, for a problem whose other actors are known to be valid; a newcomer
 * that has the name of one of them is not noticed.
 *
 * @param problem any problem
 * @param actors indices of those to check
 * @throws InputError naming what is wrong
 */
void ValidateActors(const MultiActorProblem& problem, const std::vector<std::size_t>& actors);

/**
 * @param budgets valid budgets
 * @return the largest whole numbers within them
 */
MultiActorLimits GetMultiActorLimits(const MultiActorBudgets& budgets);

/**
 * @param table reader or writer
 * @param problem read or written (doc/reference/problems.rst, "Multi-actor problem and plan")
 * @throws InputError when reading a problem that is malformed or fails ValidateMultiActorProblem
 */
void ListFields(JsonTable& table, MultiActorProblem& problem);

/**
 * @param table reader or writer
 * @param plan read or written (doc/reference/problems.rst, "Multi-actor problem and plan")
 * @param problem its problem
 * @throws InputError when reading a plan that is malformed or names what the problem lacks
 */
void ListFields(JsonTable& table, MultiActorPlan& plan, const MultiActorProblem& problem);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MULTI_ACTOR_PROBLEM_H */
