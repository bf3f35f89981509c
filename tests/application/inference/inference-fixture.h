// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_INFERENCE_FIXTURE_H
#define EDGEPIPE_INFERENCE_FIXTURE_H

#include "application/diagnosis.h"
#include "application/run-attributes.h"
#include "test.h"
#include "workloads/cooperative-inference-run.h"

/** A planner that answers what the present test wants; `given-cut`. */
class GivenCutPlanner : public Named<GivenCutPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "given-cut"; //!< to be found by

    /// Decides; layers from the returned one on run on the server.
    static std::function<std::size_t(const TwoWayCutProblem&)> decide;

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override;
};

/** What a layer of a chain costs. */
struct ChainLayer
{
    double deviceSeconds; //!< on the device
    double serverSeconds; //!< on the server
    uint64_t outputBytes; //!< that it puts out
    uint64_t weightBytes; //!< of its weights
};

/// @param layers each reads the one before it
/// @return the device
CooperativeDevice MakeChainDevice(const std::string& name,
                                  uint64_t inputBytes,
                                  const std::vector<ChainLayer>& layers);

/** How to run: what is no attribute, and attributes. */
struct InferenceOptions : ns3::edgepipe::CooperativeSetting, RunAttributes
{
};

/** @copydoc ns3::edgepipe::RunCooperativeInference */
ns3::edgepipe::CooperativeInferenceResult RunCooperativeInference(
    const std::vector<ns3::edgepipe::CooperativeDevice>& devices,
    const InferenceOptions& options,
    const std::function<void(double)>& progress);

/** @return options of the oracle and the planner given-cut on a wire */
InferenceOptions MakeInferenceOptions(double bitsPerSecond);

/// @return the quantile of the latencies of frames that finished, seconds
double GetLatencyQuantile(const std::vector<FrameRecord>& frames, double share);

/** Every frame of a complete run has finished or was dropped, in a sound order of times. */
void ExpectConserved(const CooperativeInferenceResult& result);

#endif /* EDGEPIPE_INFERENCE_FIXTURE_H */
