/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_RUN_H
#define EDGEPIPE_ACTOR_LEARNER_RUN_H

#include "lib/workload.h"

#include "ns3/edgepipe-actor-log.h"
#include "ns3/edgepipe-actor-replanner.h"
#include "ns3/edgepipe-multi-actor-problem.h"

namespace ns3::edgepipe
{

/** A device that may join as an actor. */
struct ActorSpec
{
    std::string name;     //!< unique
    double flopPerSecond; //!< speed with the model, FLOP/s, > 0
    /// Execution times of layers 1 to K, s; empty: eq. 5 with the speed
    std::vector<double> layerSeconds{};
    /// The same as planners are told that believe a profile; empty: the same
    std::vector<double> believedSeconds{};

    /** @return what planners are told that believe a profile, but for the link */
    MultiActor GetProfile() const
    {
        return {name, flopPerSecond, 1, believedSeconds.empty() ? layerSeconds : believedSeconds};
    }
};

/** An actor joins or leaves. */
struct ActorChange
{
    Time time;      //!< when
    uint32_t actor; //!< which one
    bool isJoin;    //!< whether it joins, not leaves
};

/** Actors, server and network; everything else is an attribute. */
struct ActorLearnerSetting : RunSetting
{
    ActorLearnerSetting()
    {
        planner = "defp";
    }

    std::string serverName{"server"}; //!< connected by a cable, see NetworkOptions::wiredDevices
    MultiActorModel model;            //!< the DNN, and the server's speed
    /// Execution times on the server, see ActorRequests::SetUp; empty: eq. 5 with its speed
    std::vector<std::vector<double>> serverBatchSeconds;
    bool believesProfile{false}; //!< whether planners assume profiled layer times, not eq. 5
    std::vector<uint64_t> parameterBytes; //!< of layers 1 to K
    std::vector<ActorSpec> actors;        //!< that may join, at least one
    std::vector<ActorChange> changes;     //!< in time order
    double planSeconds{600};              //!< time limit of a decision, for planners that have one
    ActorBudgets budgets;                 //!< what actors share
    /// Bandwidth of every actor's link as planners see it, payload bytes/s; 0: what a transfer
    /// alone on the network gets when the actor joins
    double linkBytesPerSecond{0};
    double linkShare{1}; //!< factor on that bandwidth, > 0
    std::string monitor; //!< a BandwidthMonitor; empty: decisions only at joins and leaves
    Time replanPeriod;   //!< after which a decision is due anyway; 0: never
    double environmentSeconds{0.1}; //!< mean duration of an environment step on the actor, >= 0
    double environmentSpread{0.2};  //!< uniform from 1 - this to 1 + this times the mean, 0 to 1
    Time duration{Seconds(30)};     //!< after which no step begins, > 0
    Time span{Seconds(1)};          //!< time resolution of the server's usage, > 0
};

/** Result of a run. */
struct ActorLearnerResult : CaseOutcome, ActorRecords
{
    uint64_t takenIn{0};                  //!< steps that reached the learner
    std::vector<ServerUsage> spans;       //!< use of the server over time
    std::vector<double> delaySeconds;     //!< by actor, one way to the server
    std::vector<RateBelief> beliefs;      //!< of every decision, the uplink furthest off
    MultiActorProblem problem;            //!< of the actors present at the end
    std::map<uint32_t, std::size_t> cuts; //!< layers that each of them runs, as decided last
    /// Number of joined actors that wait at the end of the duration, by what they wait for.
    std::map<std::string, uint32_t> waits;
};

/**
 * Simulate actors and learner in one network.
 *
 * @param options how to run
 * @param progress called with the elapsed share of the duration; may be empty
 * @return the result
 * @throws InputError naming what makes no sense
 */
ActorLearnerResult RunActorLearner(const ActorLearnerSetting& options,
                                   const std::function<void(double)>& progress);

/**
 * Draw joins and leaves: the first actors join at time 0, then joins and leaves follow at
 * exponential intervals. Both are equally likely, as is every eligible actor; the last actor does
 * not leave.
 *
 * @param actors number of actors
 * @param first number that joins at time 0, 1 to actors
 * @param perMinute mean joins and leaves afterwards; 0: none
 * @param duration of the run
 * @param stream first of three random streams of ns-3
 * @return the changes in time order
 */
std::vector<ActorChange> DrawActorChanges(uint32_t actors,
                                          uint32_t first,
                                          double perMinute,
                                          const Time& duration,
                                          int64_t stream);

/**
 * @param count number of actors
 * @return joins of all at time 0
 */
std::vector<ActorChange> JoinAll(uint32_t count);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_LEARNER_RUN_H */
