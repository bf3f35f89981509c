// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGEPIPE_PIPELINE_FIXTURE_H
#define EDGEPIPE_PIPELINE_FIXTURE_H

#include "application/diagnosis.h"
#include "application/run-attributes.h"
#include "test.h"
#include "workloads/pipeline/pipeline-training-run.h"

/** How to run: what is no attribute, and attributes. */
struct PipelineOptions : ns3::edgepipe::PipelineSetting, RunAttributes
{
};

/** A pipeline with one layer a stage, stage i on device i. */
struct Pipeline
{
    PipelineProblem problem; //!< what to compute
    PipelinePlan plan;       //!< stage i, which is layer i, on device i
    PipelineOptions options; //!< how to run it

    /// @param tensorBytes between any two stages, per micro-batch
    Pipeline(std::vector<double> forwardSeconds,
             std::vector<double> backwardSeconds,
             uint64_t tensorBytes,
             uint32_t microBatches);

    /** @return what comes of it */
    PipelineTrainingResult Run() const;
};

/// @return what comes of one pipeline on a network of its devices
PipelineTrainingResult RunPipelineTraining(const PipelineProblem& problem,
                                           const PipelinePlan& plan,
                                           const PipelineOptions& options);

/** @copydoc ns3::edgepipe::RunSideBySide */
SideBySideResult RunSideBySide(const std::vector<PipelineOnNetwork>& pipelines,
                               const std::vector<std::string>& names,
                               const PipelineOptions& options);

/// Links so fast that TCP's own costs do not count: a chain of 100 Gbit/s wires, 1 us long, in the
/// fidelity of the present test of BothFidelities, at packet level in any other.
NetworkOptions FastChain();

/// @return how often it is in the timeline, messages of a device to itself left out
uint64_t Count(const PipelineTrainingResult& result, PipelineTag::Kind kind);

/// @return its timeline, every time and byte of it, as text
std::string ShowTimeline(const PipelineTrainingResult& result);

#endif /* EDGEPIPE_PIPELINE_FIXTURE_H */
