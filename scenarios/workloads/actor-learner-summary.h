/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_ACTOR_LEARNER_SUMMARY_H
#define EDGEPIPE_ACTOR_LEARNER_SUMMARY_H

#include "workloads/actor-learner-run.h"

namespace ns3::edgepipe
{

/** Versions that parameters were behind the learner's newest, over steps. */
struct PolicyLag
{
    double mean{0};    //!< over steps
    uint32_t most{0};  //!< of a step
    uint64_t steps{0}; //!< that used such layers
};

/**
 * What came of a run in a few figures, from the end of a warm-up to the end of the duration. Where
 * no request ended in that time, what is said of requests was not measured, and is no 0.
 */
struct ActorLearnerSummary
{
    uint64_t requests{0};             //!< inferences that ended, those on actors alone included
    double requestsPerSecond{0};      //!< of all actors together
    double meanSeconds{0};            //!< response: from observation to action
    double medianSeconds{0};          //!< response
    double p95Seconds{0};             //!< response, 95th percentile
    double p99Seconds{0};             //!< response, 99th percentile
    double eq5Seconds{0};             //!< eq. 6 for the same cuts by eq. 5, mean
    double profileSeconds{0};         //!< eq. 6 for the same cuts by what each layer takes, mean
    double predictedSeconds{0};       //!< the one that planners believe, and the links' delay
    double queueSeconds{0};           //!< waiting for the server's processor, mean over all
    double inferenceShare{0};         //!< of the server's time, 0 to 1
    double trainingShare{0};          //!< of the server's time, 0 to 1
    ServerUsage usage;                //!< in the window
    double uplinkBytesPerSecond{0};   //!< tensors and trajectories, payload
    double downlinkBytesPerSecond{0}; //!< actions and parameters, payload
    double fairness{0};               //!< Jain's index of the actors' requests/s, 0 to 1
    PolicyLag actorLag;               //!< of layers that actors ran, when the action was taken
    PolicyLag serverLag;              //!< of layers that the server ran
    PolicyLag trainingLag;            //!< of the oldest layers of a step, when it was trained with
    double totalReductionSeconds{0};  //!< of the plan after the last change, eq. 6
    double cutVariance{0};            //!< of that plan over the actors, layers^2
    double reductionVariance{0};      //!< of that plan over the actors, s^2
    uint64_t changes{0};              //!< joins and leaves, in the whole run
    uint64_t replans{0};              //!< decisions on links and loads, in the whole run
    double movedPerChange{0};         //!< other actors whose cut one of all these changed, mean
    uint64_t planMessages{0};         //!< of planning, in the whole run
    uint64_t meetingMessages{0};      //!< that were sent of these
    uint64_t meetingBytes{0};         //!< of these, payload
    uint64_t probeBytes{0};           //!< of monitors' messages, in the whole run
    double meetingSeconds{0};         //!< from what the server knew until it could tell, mean
    uint64_t sentMessages{0};         //!< joins, leaves, cuts and answers, in the whole run
    double decisionSeconds{0};        //!< wall-clock time of planning at a change, mean
    std::map<std::size_t, double> cuts; //!< share of the requests, by cut

    /** @return whether a request ended */
    bool IsMeasured() const
    {
        return requests > 0;
    }
};

/**
 * @param options of a run
 * @param result of it
 * @param warmUp what ends before does not count; less than the duration
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
