// SPDX-License-Identifier: GPL-2.0-only

#ifndef RANDOM_PIPELINE_PROBLEM_H
#define RANDOM_PIPELINE_PROBLEM_H

#include "test.h"

/** Draws that are the same with every standard library. */
class Draws
{
  public:
    explicit Draws(uint64_t seed)
        : m_engine(seed)
    {
    }

    /** @return a number in [0, 1) */
    double Unit()
    {
        return static_cast<double>(m_engine() >> 11) * 0x1p-53;
    }

    /// @return an integer
    uint64_t Integer(uint64_t least, uint64_t most)
    {
        return least + m_engine() % (most - least + 1);
    }

  private:
    std::mt19937_64 m_engine; //!< the only engine whose output is fixed by the standard
};

/// Lets some layers use weights of earlier ones.
inline void
TieWeights(PipelineProblem& problem, uint64_t seed)
{
    Draws draws(seed);
    for (std::size_t i = 1; i < problem.layers.size(); ++i)
    {
        const std::size_t owner = draws.Integer(0, i - 1);
        const uint64_t most = problem.layers[owner].parameterBytes;
        if (most > 0 && draws.Unit() < 0.5)
        {
            problem.layers[i].tied.push_back({owner, draws.Integer(1, most)});
        }
    }
}

/**
 * Makes a problem that brute force can solve: 1 to 7 layers, 2 to 4 devices of 1 to 3 types.
 *
 * Half of the problems are chains, the others DAGs with skip connections. Some costs are 0, links
 * range from far too slow to free, and memory from too little to ample. In problems of odd seeds
 * most devices have rates of their own, and in every second pair of problems delays. Some
 * optimizers keep state, and in every fifth problem activations are computed again.
 *
 * @param seed the seed
 * @return the problem
 */
inline PipelineProblem
MakeRandomProblem(uint64_t seed)
{
    Draws draws(seed);
    PipelineProblem problem;
    const uint32_t microBatches[] = {1, 2, 3, 8, 30};
    problem.microBatches = microBatches[draws.Integer(0, 4)];
    problem.bandwidthBitsPerSecond = std::pow(10, 1 + 4 * draws.Unit());
    problem.optimizerStates = seed % 3;
    problem.recomputes = seed % 5 == 4;
    std::size_t layers = draws.Integer(1, 7);
    bool isChain = draws.Unit() < 0.5;
    uint64_t needed = 0;
    for (std::size_t i = 0; i < layers; ++i)
    {
        PipelineLayer layer{"l" + std::to_string(i),
                            {},
                            draws.Integer(0, 100),
                            draws.Integer(0, 100),
                            draws.Integer(0, 20)};
        if (i > 0 && (isChain || draws.Unit() < 0.8))
        {
            layer.inputs.push_back(i - 1);
        }
        for (std::size_t j = 0; !isChain && j + 1 < i; ++j)
        {
            if (draws.Unit() < 0.25)
            {
                layer.inputs.push_back(j);
            }
        }
        needed += (2 + problem.optimizerStates) * layer.parameterBytes + 2 * layer.outputBytes +
                  problem.microBatches * layer.activationBytes;
        problem.layers.push_back(layer);
    }
    for (const uint64_t loss : FindLossBytes(problem.layers))
    {
        needed += problem.microBatches * loss;
    }
    std::size_t types = draws.Integer(1, 3);
    for (std::size_t t = 0; t < types; ++t)
    {
        LayerSeconds costs;
        double speed = std::pow(10, draws.Unit());
        for (std::size_t i = 0; i < layers; ++i)
        {
            costs.forwardSeconds.push_back(draws.Unit() < 0.1 ? 0 : speed * draws.Unit());
            costs.backwardSeconds.push_back(draws.Unit() < 0.1 ? 0 : 2 * speed * draws.Unit());
        }
        problem.costs["t" + std::to_string(t)] = costs;
    }
    std::size_t devices = draws.Integer(2, 4);
    double ampleness = 0.2 + 1.2 * draws.Unit();
    for (std::size_t d = 0; d < devices; ++d)
    {
        double share = ampleness * (draws.Unit() < 0.5 ? 1 : draws.Unit());
        problem.devices.push_back({"d" + std::to_string(d),
                                   "t" + std::to_string(draws.Integer(0, types - 1)),
                                   static_cast<uint64_t>(share * static_cast<double>(needed))});
    }
    for (auto& device : problem.devices)
    {
        for (double* rate : {&device.uplinkBitsPerSecond, &device.downlinkBitsPerSecond})
        {
            const bool isOwn = seed % 2 == 1 && draws.Unit() < 0.75;
            *rate = isOwn ? problem.bandwidthBitsPerSecond * std::pow(10, 2 * draws.Unit() - 1) : 0;
        }
        device.delaySeconds = seed % 4 > 1 ? draws.Integer(0, 2) * draws.Unit() : 0;
    }
    return problem;
}

/// @return a random problem whose micro-batches have 1 to 4 samples, with costs of their parts
inline PipelineProblem
MakeGroupProblem(uint64_t seed)
{
    PipelineProblem problem = MakeRandomProblem(seed);
    Draws draws(seed + 1000000);
    problem.microBatchSamples = draws.Integer(1, 4);
    problem.sharesMedium = draws.Integer(0, 3) == 0;
    problem.layers.resize(std::min<std::size_t>(problem.layers.size(), 6));
    const std::size_t layers = problem.layers.size();
    for (PipelineLayer& layer : problem.layers)
    {
        layer.outputBytes *= problem.microBatchSamples;
    }
    for (PipelineDevice& device : problem.devices)
    {
        device.memoryBytes *= problem.microBatchSamples;
    }
    for (auto& [type, costs] : problem.costs)
    {
        costs.forwardSeconds.resize(layers);
        costs.backwardSeconds.resize(layers);
        const double fixed = 0.5 * draws.Unit();
        for (uint32_t samples = 1; samples < problem.microBatchSamples; samples *= 2)
        {
            PartCost part{samples, {}, {}};
            for (std::size_t i = 0; i < layers; ++i)
            {
                const double share = 1.0 * samples / problem.microBatchSamples;
                part.forwardSeconds.push_back(costs.forwardSeconds[i] *
                                              (fixed + (1 - fixed) * share));
                part.backwardSeconds.push_back(costs.backwardSeconds[i] *
                                               std::pow(share, draws.Unit()));
            }
            costs.parts.push_back(part);
        }
    }
    return problem;
}

#endif /* RANDOM_PIPELINE_PROBLEM_H */
