/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-blocks.h"
#include "edgepipe-two-way-cut-cost.h"
#include "edgepipe-two-way-cut-planner.h"
#include "edgepipe-two-way-cut-problem.h"

#include "ns3/edgepipe-attributes.h"
#include "ns3/edgepipe-input-error.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * The closed partition of highest throughput: the one with the shortest bottleneck of computing on
 * the device, sending, and computing on the server; among several such, the one of least latency.
 *
 * No minimum cut finds it, since a maximum of sums is not a sum: even parallel layers to be divided
 * between the two sides are a partition problem. The search is branch and bound over all closed
 * partitions: layers are placed in their order, first on the device if all their inputs are there,
 * then on the server, until one part exceeds the best partition's bottleneck. The number of
 * partitions multiplies over the branches between two cut vertices (see FindBestCut) but only adds
 * up along the graph, so networks with a few short branches have thousands.
 */
class PipelinedCut
{
  public:
    /**
     * @param problem a valid problem, which must outlive this
     * @param most layer placements before giving up
     */
    PipelinedCut(const TwoWayCutProblem& problem, uint64_t most)
        : m_problem(problem),
          m_most(most),
          m_isRead(FindReadLayers(problem)),
          m_isOnDevice(problem.layers.size(), false),
          m_remote(problem.layers.size() + 1, 0),
          m_sums(problem.layers.size() + 1)
    {
        Complete(m_sums[0]);
        m_best.bottleneckSeconds = std::numeric_limits<double>::infinity();
        m_best.latencySeconds = m_best.bottleneckSeconds;
    }

    /**
     * @return the best partition
     * @throws InputError if that takes more placements than allowed
     */
    TwoWayCutPlan Find()
    {
        const std::size_t count = m_problem.layers.size();
        uint64_t steps = 0;
        std::size_t placed = 0;
        while (true)
        {
            if (placed < count && !IsHopeless(placed))
            {
                if (++steps > m_most)
                {
                    throw InputError("has placed " + std::to_string(m_most) +
                                     " layers and not seen all partitions, expected a network with "
                                     "fewer layers side by side, or a larger attribute MostSteps");
                }
                Place(placed, CanBeOnDevice(placed));
                ++placed;
                continue;
            }
            if (placed == count && !IsHopeless(placed))
            {
                m_best = m_sums[count];
                m_bestIsOnDevice = m_isOnDevice;
            }
            // Backtrack to the last layer on the device and try it on the server.
            while (placed > 0 && !m_isOnDevice[placed - 1])
            {
                TakeBack(--placed);
            }
            if (placed == 0)
            {
                return {m_bestIsOnDevice};
            }
            Place(placed - 1, false);
        }
    }

  private:
    /** Costs of the layers placed so far. */
    struct Sums
    {
        double deviceSeconds{0};  //!< on the device
        double serverSeconds{0};  //!< on the server
        uint64_t uplinkBytes{0};  //!< uploaded
        uint64_t resultBytes{0};  //!< returned
        double bottleneckSeconds; //!< longest of device, transfer and server
        double latencySeconds;    //!< their sum
    };

    /** Computes bottleneck and latency from the other sums. */
    void Complete(Sums& sums) const
    {
        const double moving =
            static_cast<double>(sums.uplinkBytes) * 8 / m_problem.uplinkBitsPerSecond +
            GetResultSeconds(m_problem, sums.resultBytes);
        sums.bottleneckSeconds = std::max({sums.deviceSeconds, moving, sums.serverSeconds});
        sums.latencySeconds = sums.deviceSeconds + sums.serverSeconds + moving;
    }

    /** @return whether no better partition places the first layers like this */
    bool IsHopeless(std::size_t layers) const
    {
        const Sums& sums = m_sums[layers];
        return sums.bottleneckSeconds != m_best.bottleneckSeconds
                   ? sums.bottleneckSeconds > m_best.bottleneckSeconds
                   : sums.latencySeconds >= m_best.latencySeconds;
    }

    /** @return whether a layer may be on the device, given those before it */
    bool CanBeOnDevice(std::size_t layer) const
    {
        const auto& inputs = m_problem.layers[layer].inputs;
        return std::all_of(inputs.begin(), inputs.end(), [this](std::size_t input) {
            return m_isOnDevice[input];
        });
    }

    /**
     * Places the next layer.
     * @param layer its index
     * @param isOnDevice whether on the device
     */
    void Place(std::size_t layer, bool isOnDevice)
    {
        const TwoWayCutLayer& placed = m_problem.layers[layer];
        Sums sums = m_sums[layer];
        m_isOnDevice[layer] = isOnDevice;
        if (isOnDevice)
        {
            sums.deviceSeconds += placed.deviceSeconds;
        }
        else
        {
            sums.serverSeconds += placed.serverSeconds;
            sums.resultBytes += m_isRead[layer] ? 0 : placed.outputBytes;
            for (const std::size_t input : placed.inputs)
            {
                sums.uplinkBytes += m_isOnDevice[input] && m_remote[input]++ == 0
                                        ? m_problem.layers[input].outputBytes
                                        : 0;
            }
            if (placed.inputs.empty())
            {
                sums.uplinkBytes += m_remote.back()++ == 0 ? m_problem.inputBytes : 0;
            }
        }
        Complete(sums);
        m_sums[layer + 1] = sums;
    }

    /**
     * Undoes the last placement.
     * @param layer its index
     */
    void TakeBack(std::size_t layer)
    {
        if (m_isOnDevice[layer])
        {
            return;
        }
        const auto& inputs = m_problem.layers[layer].inputs;
        for (const std::size_t input : inputs)
        {
            m_remote[input] -= m_isOnDevice[input];
        }
        m_remote.back() -= inputs.empty();
    }

    const TwoWayCutProblem& m_problem;  //!< the problem
    uint64_t m_most;                    //!< limit of placements
    std::vector<bool> m_isRead;         //!< by layer, whether another layer reads it
    std::vector<bool> m_isOnDevice;     //!< by layer, as placed
    std::vector<uint32_t> m_remote;     //!< readers on the server, by layer, then of the frame
    std::vector<Sums> m_sums;           //!< by number of layers placed
    Sums m_best;                        //!< of the best partition so far
    std::vector<bool> m_bestIsOnDevice; //!< the best partition so far
};

/**
 * The best of all closed partitions by either objective: least latency as in QdmpPlanner, highest
 * throughput by PipelinedCut. Uses in-context costs. Our own reference.
 */
class ExactCutPlanner : public Named<ExactCutPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "exact"; //!< for users

    /// @copydoc Named::AddAttributes
    static TypeId AddAttributes(TypeId tid)
    {
        return Attributes(tid).Add("MostSteps",
                                   "For throughput: layer placements, repeated ones included, "
                                   "after which the search fails.",
                                   {&ExactCutPlanner::m_mostSteps, 100000000, 1});
    }

    bool CanPlanFor(TwoWayCutObjective) const override
    {
        return true;
    }

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        return problem.objective == TwoWayCutObjective::THROUGHPUT
                   ? PipelinedCut(problem, m_mostSteps).Find()
                   : FindBestCut(problem);
    }

    uint64_t m_mostSteps; //!< of the search
};

NS_OBJECT_ENSURE_REGISTERED(ExactCutPlanner);

/**
 * The partition of least latency, found block by block: the quick deep model partitioning of
 * S. Zhang et al. (see TwoWayCutProblem), section 4.
 *
 * FindBestCut describes how the blocks are solved. Costs are in-context and include uploading the
 * input, so the result is the best closed partition. It also plans for every bandwidth at once.
 */
class QdmpPlanner : public Named<QdmpPlanner, TwoWayCutPlanner>
{
  public:
    static constexpr const char* NAME = "qdmp"; //!< for users

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override
    {
        return FindBestCut(problem);
    }

    std::unique_ptr<TwoWayCutEnvelope> DoPlanEveryBandwidth(
        const TwoWayCutProblem& problem) override
    {
        return FindCutEnvelope(problem);
    }
};

NS_OBJECT_ENSURE_REGISTERED(QdmpPlanner);

} // namespace ns3::edgepipe
