/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-pipeline-cost-model.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"

#include <boost/iterator/counting_iterator.hpp>
#include <sstream>

namespace ns3::edgepipe
{

namespace
{

/**
 * @param bytes a number of bytes
 * @return it in B to EB (powers of ten), three significant digits
 */
std::string
FormatBytes(uint64_t bytes)
{
    double value = static_cast<double>(bytes);
    const char* unit = " B";
    for (const char* larger : {" kB", " MB", " GB", " TB", " PB", " EB"})
    {
        // 999.5 and more would be shown as 1e+03.
        if (value >= 999.5)
        {
            value /= 1000;
            unit = larger;
        }
    }
    std::ostringstream text;
    text.precision(3);
    text << value << unit;
    return text.str();
}

/**
 * @param needed bytes that are needed
 * @param middle text between the two figures
 * @param offered bytes available
 * @param margin share of the usable memory that is not offered
 * @return "NEEDED middle OFFERED", in bytes if rounded figures would be equal, and what is kept
 * free
 */
std::string
DescribeShortage(uint64_t needed, const std::string& middle, uint64_t offered, double margin)
{
    const bool isClose = FormatBytes(needed) == FormatBytes(offered);
    std::ostringstream text;
    text << (isClose ? std::to_string(needed) + " B" + middle + std::to_string(offered) + " B"
                     : FormatBytes(needed) + middle + FormatBytes(offered));
    if (margin > 0)
    {
        text << " (plans leave " << 100 * margin << " % of its memory free)";
    }
    return text.str();
}

} // namespace

StageTensors
PipelineCostModel::GetTensors(std::size_t firstLayer, std::size_t lastLayer) const
{
    std::size_t power = 0;
    while ((std::size_t{2} << power) <= lastLayer + 1 - firstLayer)
    {
        ++power;
    }
    const std::vector<uint64_t>& largest = m_largestCuts[power];
    uint64_t weights = m_parameterBytes[lastLayer + 1] - m_parameterBytes[firstLayer];
    uint64_t tied = 0; // of the owner at hand, largest of its users in the stage
    for (auto tie = m_ties.begin(); tie != m_ties.end() && tie->owner < firstLayer; ++tie)
    {
        tied =
            tie->user >= firstLayer && tie->user <= lastLayer ? std::max(tied, tie->bytes) : tied;
        if (std::next(tie) == m_ties.end() || std::next(tie)->owner != tie->owner)
        {
            weights += tied;
            tied = 0;
        }
    }
    return {weights,
            m_activationBytes[lastLayer + 1] - m_activationBytes[firstLayer],
            m_receivedBytes[firstLayer],
            // The first stage reads the mini-batch, which the first layer passes on.
            firstLayer > 0 ? m_cutBytes[firstLayer - 1] : m_problem.layers[0].outputBytes,
            std::max({firstLayer > 0 ? m_cutBytes[firstLayer - 1] : 0,
                      largest[firstLayer],
                      largest[lastLayer + 1 - (std::size_t{1} << power)]})};
}

StageMemory
PipelineCostModel::CountMemory(std::size_t firstLayer,
                               std::size_t lastLayer,
                               uint32_t part,
                               uint32_t all) const
{
    StageTensors tensors = GetTensors(firstLayer, lastLayer);
    for (uint64_t* bytes : {&tensors.activationBytes,
                            &tensors.receivedBytes,
                            &tensors.inputBytes,
                            &tensors.largestBytes})
    {
        *bytes = GetPartBytes(*bytes, part, all);
    }
    return CountStageMemory(tensors, m_problem.optimizerStates, m_problem.recomputes);
}

std::size_t
PipelineCostModel::FindMemoryEnd(std::size_t firstLayer, uint64_t memoryBytes) const
{
    using Layer = boost::counting_iterator<std::size_t>;
    return *std::partition_point(
        Layer(firstLayer),
        Layer(m_problem.layers.size()),
        [&](std::size_t last) { return StageMemoryBytes(firstLayer, last) <= memoryBytes; });
}

void
PipelineCostModel::CheckPlan(const PipelinePlan& plan) const
{
    std::size_t next = 0;
    std::vector<bool> isTaken(m_problem.devices.size(), false);
    for (std::size_t i = 0; i < plan.stages.size(); ++i)
    {
        const PipelineStage& stage = plan.stages[i];
        std::string name = "stage " + std::to_string(i);
        Require(stage.firstLayer == next && stage.lastLayer >= stage.firstLayer &&
                    stage.lastLayer < m_problem.layers.size(),
                name + " holds layers " + std::to_string(stage.firstLayer) + " to " +
                    std::to_string(stage.lastLayer) + ", expected it to begin at layer " +
                    std::to_string(next) + " of " + std::to_string(m_problem.layers.size()));
        uint64_t samples = 0;
        for (const StageReplica& replica : stage.group)
        {
            samples += replica.samples;
        }
        Require(stage.group.empty() || m_problem.microBatchSamples == 0 ||
                    (stage.group.size() > 1 && stage.device == stage.group.front().device &&
                     samples == m_problem.microBatchSamples),
                name + ": found " + std::to_string(samples) + " samples on a group of " +
                    std::to_string(stage.group.size()) + ", expected " +
                    std::to_string(m_problem.microBatchSamples) +
                    ", those of a micro-batch, on two devices or more");
        for (const StageReplica& replica : stage.GetReplicas(m_problem.microBatchSamples))
        {
            Require(replica.device < m_problem.devices.size(),
                    name + " is on device " + std::to_string(replica.device) +
                        ", expected one of " + std::to_string(m_problem.devices.size()));
            const PipelineDevice& device = m_problem.devices[replica.device];
            Require(!isTaken[replica.device],
                    name + " is on " + device.name + ", which has another stage");
            Require(stage.group.empty() || !m_problem.costs.at(device.type).parts.empty(),
                    name + " has " + std::to_string(replica.samples) + " samples on " +
                        device.name +
                        ", expected a micro-batch: the problem has no costs of parts of one, as "
                        "with groups=true");
            const uint64_t bytes = ReplicaMemoryBytes(stage, replica.samples);
            if (bytes > device.memoryBytes)
            {
                throw InputError(name + " (" + DescribeStage(stage) + ") needs " +
                                 DescribeShortage(bytes,
                                                  ", but " + device.name + " has ",
                                                  device.memoryBytes,
                                                  m_problem.memoryMargin));
            }
            isTaken[replica.device] = true;
        }
        next = stage.lastLayer + 1;
    }
    if (next != m_problem.layers.size())
    {
        throw InputError("the stages end before layer " +
                         QuoteForMessage(m_problem.layers[next].name));
    }
}

void
PipelineCostModel::CheckLayersFit() const
{
    auto largest = std::max_element(m_problem.devices.begin(),
                                    m_problem.devices.end(),
                                    [](const PipelineDevice& a, const PipelineDevice& b) {
                                        return a.memoryBytes < b.memoryBytes;
                                    });
    for (std::size_t i = 0; i < m_problem.layers.size(); ++i)
    {
        uint64_t bytes = StageMemoryBytes(i, i);
        for (std::size_t first = i; first-- > 0 && bytes > largest->memoryBytes;)
        {
            bytes = std::min(bytes, StageMemoryBytes(first, i));
        }
        if (bytes > largest->memoryBytes)
        {
            throw InputError("no plan fits: layer " + QuoteForMessage(m_problem.layers[i].name) +
                             " needs " +
                             DescribeShortage(bytes,
                                              ", no device has more than ",
                                              largest->memoryBytes,
                                              m_problem.memoryMargin));
        }
    }
}

std::string
PipelineCostModel::DescribeStage(const PipelineStage& stage) const
{
    return "layers " + QuoteForMessage(m_problem.layers[stage.firstLayer].name) + " to " +
           QuoteForMessage(m_problem.layers[stage.lastLayer].name);
}

} // namespace ns3::edgepipe
