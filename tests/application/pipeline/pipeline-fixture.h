// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_PIPELINE_FIXTURE_H
#define EDGEPIPE_PIPELINE_FIXTURE_H

#include "runs/pipeline-training-helper.h"
#include "test.h"

#include "ns3/edgepipe-pipeline-message.h"

/** A pipeline with one layer a stage, stage i on device i. */
struct Pipeline
{
    ns3::edgepipe::PipelineProblem problem;         //!< what to compute
    ns3::edgepipe::PipelinePlan plan;               //!< stage i, which is layer i, on device i
    ns3::edgepipe::PipelineTrainingOptions options; //!< how to run it

    /// @param tensorBytes between any two stages, per micro-batch
    Pipeline(std::vector<double> forwardSeconds,
             std::vector<double> backwardSeconds,
             uint64_t tensorBytes,
             uint32_t microBatches);

    /** @return what comes of it */
    ns3::edgepipe::PipelineTrainingResult Run() const;

    /** @return names of the devices */
    std::vector<std::string> GetNames() const;
};

/** A suite whose tests run once at flow level and once at packet level. */
class BothFidelities : public testing::TestWithParam<const char*>
{
  protected:
    void SetUp() override;
    void TearDown() override;
};

/** Instantiates a suite of BothFidelities. */
#define INSTANTIATE_BOTH_FIDELITIES(suite)                                                         \
    INSTANTIATE_TEST_SUITE_P(Fidelity,                                                             \
                             suite,                                                                \
                             testing::Values("flow", "packet"),                                    \
                             [](const auto& info) { return std::string(info.param); })

/// Links so fast that TCP's own costs do not count: a chain of 100 Gbit/s wires, 1 us long, in the
/// fidelity of the present test of BothFidelities, at packet level in any other.
ns3::edgepipe::NetworkOptions FastChain();

/// @return how often it is in the timeline, messages of a device to itself left out
uint64_t Count(const ns3::edgepipe::PipelineTrainingResult& result,
               ns3::edgepipe::PipelineTag::Kind kind);

/// @return its timeline, every time and byte of it, as text
std::string ShowTimeline(const ns3::edgepipe::PipelineTrainingResult& result);

/// @return its diagnosis as one text
std::string ShowDiagnosis(const ns3::edgepipe::PipelineTrainingResult& result);

#endif /* EDGEPIPE_PIPELINE_FIXTURE_H */
