/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-closed-cut.h"
#include "edgepipe-two-way-cut-beliefs.h"
#include "edgepipe-two-way-cut-cost.h"
#include "edgepipe-two-way-cut-planner.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-json-reader.h"
#include "ns3/edgepipe-training-memory.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * One minimum cut of the whole graph, as in C. Hu, W. Bao, D. Wang, F. Liu, "Dynamic adaptive DNN
 * surgery for inference acceleration on the edge", IEEE INFOCOM 2019.
 *
 * By default it ignores the upload of the input (CountInput) and uses the times of layers run alone
 * (Belief), or in-context times if the problem has none. With the input counted and in-context
 * times it finds what QdmpPlanner finds.
 */
class DadsPlanner : public Named<DadsPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "dads"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid)
            .Add("CountInput",
                 "Whether uploading the input counts.",
                 {&DadsPlanner::m_countInput, false})
            .Add("Belief",
                 std::string("Layer times to plan with: ") + TwoWayCutBeliefs::NAMES + ".",
                 {&DadsPlanner::m_belief, "isolated"})
            .Add("Algorithm",
                 "How minimum cuts are found: boykov-kolmogorov, push-relabel or "
                 "edmonds-karp.",
                 {&DadsPlanner::m_algorithm, "boykov-kolmogorov"});
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        static const std::map<std::string, MinCutAlgorithm> algorithms{
            {"boykov-kolmogorov", MinCutAlgorithm::BOYKOV_KOLMOGOROV},
            {"push-relabel", MinCutAlgorithm::PUSH_RELABEL},
            {"edmonds-karp", MinCutAlgorithm::EDMONDS_KARP}};
        const auto algorithm = algorithms.find(m_algorithm);
        Require(algorithm != algorithms.end(),
                "attribute Algorithm: found " + QuoteForMessage(m_algorithm) +
                    ", expected boykov-kolmogorov, push-relabel or edmonds-karp");
        const TwoWayCutBeliefs beliefs(problem, m_belief);
        const std::size_t count = problem.layers.size();
        const std::vector<bool> isRead = FindReadLayers(problem);
        std::vector<ClosedCutNode> nodes(count + 1);
        ClosedCutNode& input = nodes[0];
        input.serverSeconds = std::numeric_limits<double>::infinity();
        const auto getUplinkSeconds = [&problem](uint64_t bytes) {
            return static_cast<double>(bytes) * 8 / problem.uplinkBitsPerSecond;
        };
        input.tensorSeconds = m_countInput ? getUplinkSeconds(problem.inputBytes) : 0;
        for (std::size_t i = 0; i < count; ++i)
        {
            const TwoWayCutLayer& layer = problem.layers[i];
            ClosedCutNode& node = nodes[i + 1];
            const TwoWayCutBelief belief = beliefs.Get(i);
            node.deviceSeconds = belief.deviceSeconds;
            node.serverSeconds = belief.serverSeconds +
                                 (isRead[i] ? 0 : GetResultSeconds(problem, layer.outputBytes));
            node.tensorSeconds = isRead[i] ? getUplinkSeconds(layer.outputBytes) : 0;
            for (const std::size_t producer : layer.inputs)
            {
                nodes[producer + 1].consumers.push_back(static_cast<uint32_t>(i + 1));
            }
            if (layer.inputs.empty())
            {
                input.consumers.push_back(static_cast<uint32_t>(i + 1));
            }
        }
        if (problem.delaySeconds > 0)
        {
            // Any layer on the server costs the messages' delay, once.
            ClosedCutNode messages;
            messages.serverSeconds = input.serverSeconds;
            messages.tensorSeconds = GetMessageSeconds(problem);
            for (std::size_t i = 0; i < count; ++i)
            {
                messages.consumers.push_back(static_cast<uint32_t>(i + 2));
            }
            for (auto& node : nodes)
            {
                for (auto& consumer : node.consumers)
                {
                    ++consumer;
                }
            }
            nodes.insert(nodes.begin(), std::move(messages));
        }
        TwoWayCutPlan plan{FindMinimumClosedCut(nodes, algorithm->second)};
        plan.isOnDevice.erase(plan.isOnDevice.begin(), plan.isOnDevice.end() - count);
        return plan;
    }

    bool m_countInput;       //!< whether uploading the input counts
    std::string m_belief;    //!< see TwoWayCutBeliefs
    std::string m_algorithm; //!< how minimum cuts are found
};

NS_OBJECT_ENSURE_REGISTERED(DadsPlanner);

/**
 * One cut of the layers in their order, as in Y. Kang et al., "Neurosurgeon: collaborative
 * intelligence between the cloud and mobile edge", ASPLOS 2017, for chains.
 *
 * It tries every place between two neighbours of the topological order, as well as before the first
 * layer and after the last. By default it uses predicted times (Belief), or isolated, else
 * in-context times if the problem has none. For throughput, which is our extension, it takes the
 * cut with the shortest bottleneck. Every tensor alive across the cut crosses it once. Takes time
 * linear in layers and inputs.
 */
class NeurosurgeonPlanner : public Named<NeurosurgeonPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "neurosurgeon"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add("Belief",
                                   std::string("Layer times to plan with: ") +
                                       TwoWayCutBeliefs::NAMES + ".",
                                   {&NeurosurgeonPlanner::m_belief, "predicted"});
    }

    bool CanPlanFor(TwoWayCutObjective) const override
    {
        return true;
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        const std::size_t count = problem.layers.size();
        // The last layer without inputs is the last to read the model's input.
        std::size_t lastInputReader = 0;
        for (std::size_t i = 0; i < count; ++i)
        {
            lastInputReader = problem.layers[i].inputs.empty() ? i : lastInputReader;
        }
        const std::vector<bool> isRead = FindReadLayers(problem);
        const std::vector<uint64_t> cuts = FindCutBytes(problem.layers.Get());
        const TwoWayCutBeliefs beliefs(problem, m_belief);
        // Start with everything on the server and the input sent; "seconds" is relative to that,
        // without the upload.
        uint64_t aliveBytes = problem.inputBytes;
        double seconds = 0;
        double deviceSeconds = 0;
        double serverSeconds = 0;
        double resultSeconds = 0;
        for (std::size_t i = 0; i < count; ++i)
        {
            serverSeconds += beliefs.Get(i).serverSeconds;
            resultSeconds +=
                isRead[i] ? 0 : GetResultSeconds(problem, problem.layers[i].outputBytes);
        }
        std::size_t placed = 0; // on the device
        const auto getCost = [&] {
            const double up = static_cast<double>(aliveBytes) * 8 / problem.uplinkBitsPerSecond;
            return problem.objective == TwoWayCutObjective::LATENCY
                       ? seconds + up + (placed < count ? GetMessageSeconds(problem) : 0)
                       : std::max({deviceSeconds, up + resultSeconds, serverSeconds});
        };
        double least = getCost();
        std::size_t onDevice = 0;
        for (std::size_t i = 0; i < count; ++i)
        {
            const TwoWayCutLayer& layer = problem.layers[i];
            const TwoWayCutBelief belief = beliefs.Get(i);
            const double down = isRead[i] ? 0 : GetResultSeconds(problem, layer.outputBytes);
            seconds += belief.deviceSeconds - belief.serverSeconds - down;
            deviceSeconds += belief.deviceSeconds;
            serverSeconds -= belief.serverSeconds;
            resultSeconds -= down;
            aliveBytes = cuts[i] + (i < lastInputReader ? problem.inputBytes : 0);
            placed = i + 1;
            if (getCost() < least)
            {
                least = getCost();
                onDevice = i + 1;
            }
        }
        TwoWayCutPlan plan;
        plan.isOnDevice.assign(count, false);
        std::fill(plan.isOnDevice.begin(), plan.isOnDevice.begin() + onDevice, true);
        return plan;
    }

    std::string m_belief; //!< see TwoWayCutBeliefs
};

NS_OBJECT_ENSURE_REGISTERED(NeurosurgeonPlanner);

} // namespace ns3::edgepipe
