/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-blocks.h"

#include "edgepipe-cut-algebra.h"
#include "edgepipe-two-way-cut-cost.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace ns3::edgepipe
{

/**
 * A problem for FindBestCut, in arrays compact enough to stay in the cache.
 *
 * A virtual source stands for the model's input; a virtual sink reads what nothing else does.
 */
class CutGraph
{
  public:
    /// The virtual source; layers follow from 0 on, the virtual sink is one past the last layer.
    static constexpr int32_t SOURCE = -1;

    /** @param problem a valid problem */
    explicit CutGraph(const TwoWayCutProblem& problem);

    /** @return range of a layer's inputs: layers or the source */
    std::pair<const int32_t*, const int32_t*> GetInputs(int32_t layer) const
    {
        return {m_inputs.data() + m_inputEnds[layer], m_inputs.data() + m_inputEnds[layer + 1]};
    }

    /** @return whether a layer reads another, or the source */
    bool Reads(int32_t layer, int32_t other) const
    {
        const auto [begin, end] = GetInputs(layer);
        return std::find(begin, end, other) != end;
    }

    int32_t layers;              //!< number of layers; also the virtual sink
    uint64_t frameBytes;         //!< of the model's input
    int32_t lastReader;          //!< last layer that reads the source
    std::vector<uint64_t> bytes; //!< by layer, of its output; 0 if that is the result
    std::vector<double> gains;   //!< by layer, seconds more on the device than on the server
    std::vector<int32_t> lasts;  //!< by layer, the last that reads it

  private:
    std::vector<int32_t> m_inputs;     //!< of all layers in turn
    std::vector<uint32_t> m_inputEnds; //!< by layer + 1, one past its last input; 0 before them
};

CutGraph::CutGraph(const TwoWayCutProblem& problem)
    : layers(static_cast<int32_t>(problem.layers.size())),
      frameBytes(problem.inputBytes),
      lastReader(0),
      bytes(layers),
      gains(layers),
      lasts(layers, layers),
      m_inputEnds(layers + 1)
{
    m_inputs.reserve(layers + layers / 4);
    for (int32_t i = 0; i < layers; ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        gains[i] = layer.deviceSeconds - layer.serverSeconds;
        bytes[i] = layer.outputBytes;
        for (const std::size_t input : layer.inputs)
        {
            m_inputs.push_back(static_cast<int32_t>(input));
            lasts[input] = i;
        }
        if (layer.inputs.empty())
        {
            m_inputs.push_back(SOURCE);
            lastReader = i;
        }
        m_inputEnds[i + 1] = static_cast<uint32_t>(m_inputs.size());
    }
    for (int32_t i = 0; i < layers; ++i)
    {
        if (lasts[i] == layers)
        {
            gains[i] -= GetResultSeconds(problem, bytes[i]);
            bytes[i] = 0;
        }
    }
}

namespace
{

/// Levels of nested blocks and branches beyond which a branch is not divided further.
constexpr uint32_t DEEPEST = 64;

/**
 * Solves one problem.
 *
 * A region lies between a head, on the device, and a tail, on the server: a range of places in the
 * order, with layers ascending.
 */
template <typename Algebra>
class BlockSolver
{
  public:
    using Cuts = typename Algebra::Cuts;

    /**
     * @param problem the problem
     * @param algebra which cuts matter
     * @param choices that the cuts refer to
     */
    BlockSolver(const TwoWayCutProblem& problem, Algebra algebra, CutChoices& choices)
        : m_graph(problem),
          m_algebra(algebra),
          m_choices(choices),
          m_parents(m_graph.layers),
          m_readers(m_graph.layers),
          m_numbers(m_graph.layers)
    {
        m_choices.order.resize(m_graph.layers);
        std::iota(m_choices.order.begin(), m_choices.order.end(), 0);
    }

    /** @return the relevant cuts of the whole problem */
    Cuts Solve()
    {
        const uint32_t end = static_cast<uint32_t>(m_graph.layers);
        // If only the first layer reads the source, everything is one branch.
        const RegionCuts cuts = m_graph.lastReader == 0
                                    ? SolveBranch(CutGraph::SOURCE, {0, end, 0}, m_graph.layers, 0)
                                    : SolveRegion(CutGraph::SOURCE, 0, end, m_graph.layers, 0);
        Cuts all = Algebra::None();
        KeepBehind(all, cuts.covered, 0, 0, 0, 0);
        KeepBehind(all, cuts.all, 0, m_graph.frameBytes, 0, 0);
        Algebra::Drop(all);
        return all;
    }

  private:
    /** Cuts of a region, without the cost of sending the head's tensor. */
    struct RegionCuts
    {
        Cuts all;     //!< any cuts
        Cuts covered; //!< those with all readers of the head on the device
    };

    /** Part of a region that shares only head and tail with the rest. */
    struct Branch
    {
        uint32_t begin;     //!< first place
        uint32_t end;       //!< one past the last place
        int32_t lastReader; //!< last layer of it that reads the head
    };

    /** @return the representative of a layer's branch, among layers joined so far */
    int32_t FindRoot(int32_t layer)
    {
        while (m_parents[layer] != layer)
        {
            layer = m_parents[layer] = m_parents[m_parents[layer]];
        }
        return layer;
    }

    /** @return cuts of a region without layers */
    Cuts Nothing() const
    {
        Cuts cuts = Algebra::None();
        m_algebra.Keep(cuts, 0, 0, []() -> uint32_t { return 0; });
        return cuts;
    }

    /** Adds cuts with the given places on the device too, at the given extra cost. */
    void KeepBehind(Cuts& kept,
                    const Cuts& cuts,
                    double fixedSeconds,
                    uint64_t bytes,
                    uint32_t begin,
                    uint32_t end)
    {
        Algebra::ForEach(cuts, [&](const CutLine& line) {
            m_algebra.Keep(kept, line.fixedSeconds + fixedSeconds, line.bytes + bytes, [&] {
                return begin == end ? line.choice : m_choices.Add(begin, end, line.choice, 0);
            });
        });
    }

    /** @return the branches of a region; sorts its places by branch */
    std::vector<Branch> Divide(int32_t head, uint32_t begin, uint32_t end)
    {
        std::vector<int32_t>& order = m_choices.order;
        uint32_t roots = 0;
        for (uint32_t place = begin; place < end; ++place)
        {
            const int32_t layer = order[place];
            int32_t root = layer;
            m_parents[layer] = layer;
            m_numbers[layer] = -1;
            bool isReader = false;
            ++roots;
            const auto [firstInput, endOfInputs] = m_graph.GetInputs(layer);
            for (const int32_t* input = firstInput; input != endOfInputs; ++input)
            {
                if (*input == head)
                {
                    isReader = true;
                    continue;
                }
                const int32_t other = FindRoot(*input);
                if (other != root)
                {
                    m_parents[root] = other;
                    m_readers[other] = root == layer ? m_readers[other]
                                                     : std::max(m_readers[other], m_readers[root]);
                    root = other;
                    --roots;
                }
            }
            if (isReader)
            {
                m_readers[root] = layer;
            }
        }
        if (roots == 1)
        {
            return {{begin, end, m_readers[FindRoot(order[begin])]}};
        }

        std::vector<Branch> branches;
        branches.reserve(roots);
        for (uint32_t place = begin; place < end; ++place)
        {
            const int32_t layer = order[place];
            const int32_t root = FindRoot(layer);
            if (m_numbers[root] < 0)
            {
                m_numbers[root] = static_cast<int32_t>(branches.size());
                branches.push_back({0, 0, m_readers[root]});
            }
            m_numbers[layer] = m_numbers[root];
            ++branches[m_numbers[root]].end;
        }
        uint32_t next = begin;
        for (Branch& branch : branches)
        {
            branch.begin = next;
            next += branch.end;
            branch.end = branch.begin;
        }
        m_unsorted.assign(order.begin() + begin, order.begin() + end);
        for (const int32_t layer : m_unsorted)
        {
            order[branches[m_numbers[layer]].end++] = layer;
        }
        return branches;
    }

    /** @return the cuts of a region */
    RegionCuts SolveRegion(int32_t head, uint32_t begin, uint32_t end, int32_t tail, uint32_t depth)
    {
        if (begin == end)
        {
            return {Nothing(), Nothing()};
        }
        const std::vector<Branch> branches = Divide(head, begin, end);
        RegionCuts sum = SolveBranch(head, branches[0], tail, depth);
        for (std::size_t i = 1; i < branches.size(); ++i)
        {
            const RegionCuts cuts = SolveBranch(head, branches[i], tail, depth);
            sum.all = Algebra::Add(m_choices, sum.all, cuts.all);
            sum.covered = Algebra::Add(m_choices, sum.covered, cuts.covered);
        }
        return sum;
    }

    /** @return the cuts of a branch */
    RegionCuts SolveBranch(int32_t head, const Branch& branch, int32_t tail, uint32_t depth)
    {
        const std::vector<int32_t>& order = m_choices.order;
        RegionCuts first{Algebra::None(), Algebra::None()}; // cuts before the first cut vertex
        Cuts later = Algebra::None();
        double gains = 0; // of the branch up to and including the block's head
        int32_t blockHead = head;
        uint32_t blockBegin = branch.begin;
        int32_t reach = branch.lastReader; // the last reader of any tensor made so far
        const auto solveBlock = [&](uint32_t blockEnd, int32_t blockTail) {
            if (blockHead == head)
            {
                first = SolveRegion(head, blockBegin, blockEnd, blockTail, depth + 1);
                if (m_graph.Reads(blockTail, head))
                {
                    first.covered = Algebra::None();
                }
                return;
            }
            const uint64_t bytes = m_graph.bytes[blockHead];
            if (blockBegin == blockEnd)
            {
                m_algebra.Keep(later, gains, bytes, [&] {
                    return m_choices.Add(branch.begin, blockBegin, 0, 0);
                });
                return;
            }
            const RegionCuts cuts =
                SolveRegion(blockHead, blockBegin, blockEnd, blockTail, depth + 1);
            KeepBehind(later, cuts.all, gains, bytes, branch.begin, blockBegin);
            if (m_graph.lasts[blockHead] != blockTail)
            {
                KeepBehind(later, cuts.covered, gains, 0, branch.begin, blockBegin);
            }
        };
        for (uint32_t place = branch.begin; place < branch.end && depth < DEEPEST; ++place)
        {
            const int32_t layer = order[place];
            if (reach <= layer)
            {
                solveBlock(place, layer);
                for (; blockBegin <= place; ++blockBegin)
                {
                    gains += m_graph.gains[order[blockBegin]];
                }
                blockHead = layer;
            }
            reach = std::max(reach, m_graph.lasts[layer]);
        }
        if (blockHead == head)
        {
            return SolvePrime(head, branch, tail);
        }
        solveBlock(branch.end, tail);
        Algebra::Drop(later);
        KeepBehind(first.all, later, 0, 0, 0, 0);
        KeepBehind(first.covered, later, 0, 0, 0, 0);
        Algebra::Drop(first.all);
        Algebra::Drop(first.covered);
        return first;
    }

    /** @return the cuts of a branch that is not divided */
    RegionCuts SolvePrime(int32_t head, const Branch& branch, int32_t tail)
    {
        std::vector<int32_t>& order = m_choices.order;
        std::vector<PrimeLayer> layers(branch.end - branch.begin);
        for (uint32_t i = 0; i < layers.size(); ++i)
        {
            const int32_t layer = order[branch.begin + i];
            m_numbers[layer] = static_cast<int32_t>(i);
            layers[i] = {m_graph.gains[layer],
                         m_graph.bytes[layer],
                         false,
                         m_graph.lasts[layer] == tail,
                         {}};
            const auto [firstInput, endOfInputs] = m_graph.GetInputs(layer);
            for (const int32_t* input = firstInput; input != endOfInputs; ++input)
            {
                if (*input != head)
                {
                    layers[m_numbers[*input]].consumers.push_back(i);
                }
            }
        }
        const auto solve = [&](Cuts& kept) {
            m_algebra.Solve(PrimeBlock(layers), [&](const PrimeCut& cut) {
                m_algebra.Keep(kept, cut.fixedSeconds, cut.bytes, [&] {
                    const auto begin = static_cast<uint32_t>(order.size());
                    for (uint32_t i = 0; i < cut.isOnDevice.size(); ++i)
                    {
                        if (cut.isOnDevice[i])
                        {
                            order.push_back(order[branch.begin + i]);
                        }
                    }
                    return m_choices.Add(begin, static_cast<uint32_t>(order.size()), 0, 0);
                });
            });
            Algebra::Drop(kept);
        };
        RegionCuts cuts{Algebra::None(), Algebra::None()};
        solve(cuts.all);
        for (uint32_t i = 0; i < layers.size(); ++i)
        {
            layers[i].isForced = m_graph.Reads(order[branch.begin + i], head);
        }
        solve(cuts.covered);
        return cuts;
    }

    CutGraph m_graph;                //!< the problem
    Algebra m_algebra;               //!< which cuts matter
    CutChoices& m_choices;           //!< choices that the cuts refer to
    std::vector<int32_t> m_parents;  //!< by layer, towards its root
    std::vector<int32_t> m_readers;  //!< by root, the last of its layers that reads the head
    std::vector<int32_t> m_numbers;  //!< by layer, index of its branch, or its own in a PrimeBlock
    std::vector<int32_t> m_unsorted; //!< a region while it is being sorted
};

/**
 * @param problem a valid problem
 * @param choices gets all layers
 * @return everything on the device, which saves the delay of messages
 */
CutLine
MakeDeviceLine(const TwoWayCutProblem& problem, CutChoices& choices)
{
    const std::vector<bool> isRead = FindReadLayers(problem);
    const auto begin = static_cast<uint32_t>(choices.order.size());
    double seconds = -GetMessageSeconds(problem);
    for (std::size_t i = 0; i < problem.layers.size(); ++i)
    {
        const TwoWayCutLayer& layer = problem.layers[i];
        seconds += layer.deviceSeconds - layer.serverSeconds -
                   (isRead[i] ? 0 : GetResultSeconds(problem, layer.outputBytes));
        choices.order.push_back(static_cast<int32_t>(i));
    }
    return {seconds, 0, choices.Add(begin, static_cast<uint32_t>(choices.order.size()), 0, 0)};
}

} // namespace

TwoWayCutPlan
FindBestCut(const TwoWayCutProblem& problem)
{
    CutChoices choices;
    const OneBandwidth algebra{8 / problem.uplinkBitsPerSecond};
    CutLine best = BlockSolver<OneBandwidth>(problem, algebra, choices).Solve();
    if (problem.delaySeconds > 0)
    {
        const CutLine device = MakeDeviceLine(problem, choices);
        best = device.fixedSeconds < best.At(algebra.secondsPerByte) ? device : best;
    }
    return {choices.Expand(best.choice, problem.layers.size())};
}

std::unique_ptr<TwoWayCutEnvelope>
FindCutEnvelope(const TwoWayCutProblem& problem)
{
    CutChoices choices;
    std::vector<CutLine> lines = BlockSolver<EveryBandwidth>(problem, {}, choices).Solve();
    if (problem.delaySeconds > 0)
    {
        lines.push_back(MakeDeviceLine(problem, choices));
        KeepLowerEnvelope(lines);
    }
    return std::make_unique<TwoWayCutEnvelope>(std::move(lines),
                                               std::move(choices),
                                               problem.layers.size());
}

} // namespace ns3::edgepipe
