// SPDX-License-Identifier: GPL-2.0-only

#ifndef PIPELINE_ORACLE_H
#define PIPELINE_ORACLE_H

#include "test.h"

/// What a plan takes and needs, found without the cost model: sums are taken layer by layer, and
/// the time by following every micro-batch through every stage and transfer.
class PipelineOracle
{
  public:
    using Problem = PipelineProblem;
    using Plan = PipelinePlan;
    using Stage = PipelineStage;

    explicit PipelineOracle(const Problem& problem)
        : m_problem(problem)
    {
    }

    /// @return whether all that the stage holds at once, at most, fits its device
    bool Fits(const Stage& stage) const
    {
        return CountMemory(stage.firstLayer, stage.lastLayer) <=
               m_problem.devices[stage.device].memoryBytes;
    }

    /// @return bytes that a stage holds when all micro-batches are between their passes
    uint64_t CountMemory(std::size_t first, std::size_t last) const
    {
        uint64_t bytes = 0;
        uint64_t kept = 0;
        uint64_t atWork = first > 0 ? CountAlive(first - 1) : 0;
        for (std::size_t i = first; i <= last; ++i)
        {
            bytes += 2 * m_problem.layers[i].parameterBytes; // and gradients
            for (uint32_t s = 0; s < m_problem.optimizerStates; ++s)
            {
                bytes += m_problem.layers[i].parameterBytes;
            }
            // What no layer reads goes to the loss, which keeps a copy.
            const uint64_t loss = IsRead(i) ? 0 : m_problem.layers[i].outputBytes;
            kept += m_problem.layers[i].activationBytes + loss;
            atWork = std::max(atWork, CountAlive(i) + loss);
        }
        for (std::size_t owner = 0; owner < first; ++owner)
        {
            uint64_t tied = 0;
            for (std::size_t i = first; i <= last; ++i)
            {
                for (const TiedWeights& each : m_problem.layers[i].tied)
                {
                    tied = each.layer == owner ? std::max(tied, each.bytes) : tied;
                }
            }
            bytes += (2 + m_problem.optimizerStates) * tied;
        }
        uint64_t input = m_problem.layers[0].outputBytes;
        if (first > 0)
        {
            input = CountAlive(first - 1);
            uint64_t read = 0;
            for (std::size_t each : m_problem.layers[first].inputs)
            {
                read += m_problem.layers[each].outputBytes;
            }
            kept += input - (m_problem.layers[first].activationBytes >= read ? read : 0);
        }
        bytes += 2 * atWork;
        for (uint32_t m = 0; m < m_problem.microBatches; ++m)
        {
            bytes += m_problem.recomputes ? input : kept;
        }
        return bytes + (m_problem.recomputes ? kept : 0);
    }

    /// @return whether any layer reads that one
    bool IsRead(std::size_t layer) const
    {
        return std::any_of(m_problem.layers.begin(),
                           m_problem.layers.end(),
                           [layer](const PipelineLayer& other) {
                               return std::count(other.inputs.begin(), other.inputs.end(), layer) >
                                      0;
                           });
    }

    /// @param last the last layer before a cut
    /// @return bytes of the tensors alive across it
    uint64_t CountAlive(std::size_t last) const
    {
        uint64_t bytes = 0;
        for (std::size_t i = 0; i <= last; ++i)
        {
            for (std::size_t j = last + 1; j < m_problem.layers.size(); ++j)
            {
                const std::vector<std::size_t>& inputs = m_problem.layers[j].inputs;
                if (std::count(inputs.begin(), inputs.end(), i) > 0)
                {
                    bytes += m_problem.layers[i].outputBytes;
                    break;
                }
            }
        }
        return bytes;
    }

    /// @param last the last layer before a cut
    /// @return seconds the tensors alive across it take
    double TransferSeconds(std::size_t last, std::size_t from, std::size_t to) const
    {
        const uint64_t bytes = CountAlive(last);
        double uplink = m_problem.devices[from].uplinkBitsPerSecond;
        double downlink = m_problem.devices[to].downlinkBitsPerSecond;
        uplink = uplink > 0 ? uplink : m_problem.bandwidthBitsPerSecond;
        downlink = downlink > 0 ? downlink : m_problem.bandwidthBitsPerSecond;
        return bytes * 8 / std::min(uplink, downlink);
    }

    /// @return seconds until the last backward pass of the first stage ends
    double Simulate(const Plan& plan) const
    {
        // The machines of a pass, in the order in which a micro-batch meets them.
        std::vector<double> forward;
        std::vector<double> backward;
        std::vector<double> delays; // behind each, likewise
        for (std::size_t r = 0; r < plan.stages.size(); ++r)
        {
            const Stage& stage = plan.stages[r];
            const auto& costs = m_problem.costs.at(m_problem.devices[stage.device].type);
            double f = 0;
            double b = 0;
            for (std::size_t i = stage.firstLayer; i <= stage.lastLayer; ++i)
            {
                f += costs.forwardSeconds[i];
                b += costs.backwardSeconds[i];
            }
            forward.push_back(f);
            backward.insert(backward.begin(), b);
            delays.push_back(0);
            if (stage.lastLayer + 1 < m_problem.layers.size())
            {
                const std::size_t next = plan.stages[r + 1].device;
                forward.push_back(TransferSeconds(stage.lastLayer, stage.device, next));
                backward.insert(backward.begin(),
                                TransferSeconds(stage.lastLayer, next, stage.device));
                delays.push_back(m_problem.devices[stage.device].delaySeconds +
                                 m_problem.devices[next].delaySeconds);
            }
        }
        const double middle = RunPass(forward, delays, 0) + FindTurns(forward);
        std::reverse(delays.begin(), delays.end());
        return RunPass(backward, delays, middle) + FindTurns(backward);
    }

    /// Tries every cut and every placement.
    /// @return the least time of a plan that fits; nothing when none does
    std::optional<double> Enumerate() const
    {
        return EnumeratePlacements({});
    }

    /// Tries every placement of given stages.
    /// @param lasts last layer of every stage; empty: any
    /// @return the least time of a plan that fits; nothing when none does
    std::optional<double> EnumeratePlacements(const std::vector<std::size_t>& lasts) const
    {
        std::optional<double> best;
        Plan plan;
        std::vector<bool> isTaken(m_problem.devices.size(), false);
        Extend(plan, isTaken, lasts, best);
        return best;
    }

  private:
    /// @param machines seconds per micro-batch of every machine, in order: stages, links between
    /// @return what waiting for the others' transfers adds to a pass on a shared medium, seconds
    double FindTurns(const std::vector<double>& machines) const
    {
        double transfers = 0;
        for (std::size_t i = 1; i < machines.size(); i += 2)
        {
            transfers += machines[i];
        }
        const double longest = *std::max_element(machines.begin(), machines.end());
        return m_problem.sharesMedium && transfers > longest
                   ? (m_problem.microBatches - 1.0) * (transfers - longest)
                   : 0;
    }

    /// @param machines seconds per micro-batch of every machine, in order
    /// @param delays seconds from leaving a machine to reaching the next
    /// @param start when the first micro-batch may begin
    /// @return when the last micro-batch leaves the last machine
    double RunPass(const std::vector<double>& machines,
                   const std::vector<double>& delays,
                   double start) const
    {
        std::vector<double> freeAt(machines.size(), start);
        double end = start;
        for (uint32_t m = 0; m < m_problem.microBatches; ++m)
        {
            end = start;
            for (std::size_t r = 0; r < machines.size(); ++r)
            {
                freeAt[r] = std::max(end, freeAt[r]) + machines[r];
                end = freeAt[r] + delays[r];
            }
        }
        return end;
    }

    /// @param lasts last layer of every stage; empty: any
    void Extend(Plan& plan,
                std::vector<bool>& isTaken,
                const std::vector<std::size_t>& lasts,
                std::optional<double>& best) const
    {
        std::size_t first = plan.stages.empty() ? 0 : plan.stages.back().lastLayer + 1;
        if (first == m_problem.layers.size())
        {
            double seconds = Simulate(plan);
            best = best ? std::min(*best, seconds) : seconds;
            return;
        }
        for (std::size_t d = 0; d < m_problem.devices.size(); ++d)
        {
            for (std::size_t last = first; last < m_problem.layers.size() && !isTaken[d]; ++last)
            {
                Stage stage{d, first, last};
                if (Fits(stage) && (lasts.empty() || lasts[plan.stages.size()] == last))
                {
                    isTaken[d] = true;
                    plan.stages.push_back(stage);
                    Extend(plan, isTaken, lasts, best);
                    plan.stages.pop_back();
                    isTaken[d] = false;
                }
            }
        }
    }

    const Problem& m_problem; //!< the problem
};

#endif /* PIPELINE_ORACLE_H */
