/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_RUN_H
#define EDGEPIPE_ACTOR_LEARNER_RUN_H

#include "lib/workload.h"
#include "runs/deployment.h"

#include "ns3/edgepipe-actor-log.h"
#include "ns3/edgepipe-actor-replanner.h"
#include "ns3/edgepipe-multi-actor-problem.h"
#include "ns3/nstime.h"

namespace ns3::edgepipe
{

/** A device that may join as an actor. */
struct ActorSpec
{
    std::string name;     //!< unique
    double flopPerSecond; //!< speed with the model, FLOP/s, > 0
    /// Of layers 1 to K, s: what executes; empty: what eq. 5 says by the speed
    std::vector<double> layerSeconds{};
    std::vector<double> believedSeconds{}; //!< see ActorLearnerHelper::SetSpeed
};

/** An actor comes or goes. */
struct ActorChange
{
    Time time;      //!< when
    uint32_t actor; //!< which one
    bool isJoin;    //!< whether it comes
};

/** Actors, server and network; all else are attributes. */
struct ActorLearnerSetting
{
    NetworkOptions network;           //!< how actors and server are joined
    std::string serverName{"server"}; //!< joined by a cable, see NetworkOptions::wiredDevices
    MultiActorModel model;            //!< the network, and the server's speed
    /// What executes on the server, see ActorRequests::SetUp; empty: what eq. 5 says by the speed
    std::vector<std::vector<double>> serverBatchSeconds;
    bool believesProfile{false};          //!< whether planners believe what layers take, not eq. 5
    std::vector<uint64_t> parameterBytes; //!< of layers 1 to K
    std::vector<ActorSpec> actors;        //!< those that may join, at least one
    std::vector<ActorChange> changes;     //!< in the order of time
    std::string planner{"defp"};          //!< a MultiActorPlanner
    double planSeconds{600};              //!< most of a decision, for planners that have a limit
    ActorBudgets budgets;                 //!< what actors share
    /// What the planner is told of every actor's link, payload bytes/s; 0: what a transfer that
    /// has the network to itself gets when the actor joins
    double linkBytesPerSecond{0};
    double linkShare{1};            //!< that is multiplied by this, > 0
    std::string monitor;            //!< a BandwidthMonitor; empty: decided once an actor joins
    Time replanPeriod;              //!< after which one is due anyway; 0: never
    std::vector<DeviceLoad> loads;  //!< shares of actors or the server that are left for us
    TraceOptions load;              //!< how to replay their traces
    double environmentSeconds{0.1}; //!< mean of an environment's step on the actor, >= 0
    double environmentSpread{0.2};  //!< uniform from 1 - this to 1 + this times the mean, 0 to 1
    Time duration{Seconds(30)};     //!< when no further step begins, > 0
    Time span{Seconds(1)};          //!< resolution of the use over time, > 0
};

/** What came of a run. */
struct ActorLearnerResult : CaseOutcome, ActorRecords
{
    uint64_t takenIn{0};                  //!< steps that reached the learner
    std::vector<ServerUsage> spans;       //!< use of the server over time
    std::vector<double> delaySeconds;     //!< by actor, one way to the server
    MultiActorProblem problem;            //!< of the actors there were at the end
    std::map<uint32_t, std::size_t> cuts; //!< layers of these, by actor, as decided last
    /// At the end of the duration, by what actors that are in wait for: how many. No entry for
    /// those that wait for nothing.
    std::map<std::string, uint32_t> waits;
};

/**
 * Simulate actors and learner: all in one network.
 *
 * @param options how to run
 * @param progress told the share of the duration that is over; may be empty
 * @return what came of it
 * @throws InputError naming what makes no sense
 */
ActorLearnerResult RunActorLearner(const ActorLearnerSetting& options,
                                   const std::function<void(double)>& progress);

/**
 * Draw who comes and goes when: the first actors join at time 0, and then joins and leaves follow
 * each other at exponential intervals. Either is as likely, and anybody it could befall; the last
 * actor does not leave.
 *
 * @param actors there are
 * @param first of them that join at time 0, 1 to actors
 * @param perMinute joins and leaves afterwards, mean; 0: none
 * @param duration of the run
 * @param stream of ns-3's random numbers; three are used
 * @return what happens, in the order of time
 */
std::vector<ActorChange> DrawActorChanges(uint32_t actors,
                                          uint32_t first,
                                          double perMinute,
                                          const Time& duration,
                                          int64_t stream);

/**
 * @param count of actors
 * @return all of them join at time 0
 */
std::vector<ActorChange> JoinAll(uint32_t count);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_LEARNER_RUN_H */
