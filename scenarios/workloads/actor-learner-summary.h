/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_SUMMARY_H
#define EDGEPIPE_ACTOR_LEARNER_SUMMARY_H

#include "workloads/actor-learner-run.h"

namespace ns3::edgepipe
{

/** How many versions parameters were behind the learner's newest. */
struct PolicyLag
{
    double mean{0};    //!< over steps
    uint32_t most{0};  //!< of any step
    uint64_t steps{0}; //!< that used these parameters
};

/**
 * Key figures of a run, from the end of the warm-up to the end of the duration. If no request ended
 * in that time, figures of requests are unmeasured, not 0.
 */
struct ActorLearnerSummary
{
    uint64_t requests{0};               //!< finished inferences, including those on actors alone
    double requestsPerSecond{0};        //!< of all actors together
    double meanSeconds{0};              //!< response: from observation to action
    double medianSeconds{0};            //!< response
    double p95Seconds{0};               //!< response, 95th percentile
    double p99Seconds{0};               //!< response, 99th percentile
    double eq5Seconds{0};               //!< mean of eq. 6 for the same cuts, layer times by eq. 5
    double profileSeconds{0};           //!< mean of eq. 6 for the same cuts, profiled layer times
    double predictedSeconds{0};         //!< the one that planners assume, plus the links' delay
    double queueSeconds{0};             //!< wait for the server's processor, mean over all requests
    double inferenceShare{0};           //!< of the server's time, 0 to 1
    double trainingShare{0};            //!< of the server's time, 0 to 1
    ServerUsage usage;                  //!< in the window
    double uplinkBytesPerSecond{0};     //!< tensors and trajectories, payload
    double downlinkBytesPerSecond{0};   //!< actions and parameters, payload
    double fairness{0};                 //!< Jain's index of the actors' requests/s, 0 to 1
    PolicyLag actorLag;                 //!< of layers on actors, when the action was taken
    PolicyLag serverLag;                //!< of layers on the server
    PolicyLag trainingLag;              //!< of a step's oldest layers, when it was trained with
    uint64_t changes{0};                //!< joins and leaves, in the whole run
    uint64_t replans{0};                //!< decisions on links and loads, in the whole run
    double movedPerChange{0};           //!< other actors whose cut one of all these moved, mean
    uint64_t planMessages{0};           //!< of planning, in the whole run
    double meetingSeconds{0};           //!< from a change to its decision on the server, mean
    ServerUsage whole;                  //!< in the whole run
    PlanChangeRecord last{};            //!< the last change
    std::map<std::size_t, double> cuts; //!< share of the requests, by cut

    /** @return whether a request ended */
    bool IsMeasured() const
    {
        return requests > 0;
    }
};

/**
 * @param options of a run
 * @param result of the run
 * @param warmUp steps that end before are left out; less than the duration
 * @return its summary
 */
ActorLearnerSummary Summarise(const ActorLearnerSetting& options,
                              const ActorLearnerResult& result,
                              const Time& warmUp);

/**
 * @param values of some actors, none negative
 * @return Jain's fairness index, 1 over their number to 1; 0 if all are 0
 */
double GetJainIndex(const std::vector<double>& values);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_ACTOR_LEARNER_SUMMARY_H */
