/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-cut-blocks.h"

#include "edgepipe-cut-algebra.h"
#include "edgepipe-cut-graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{
namespace edgepipe
{

namespace
{

/// Levels of blocks within branches within blocks after which a branch is not divided further.
constexpr uint32_t DEEPEST = 64;

/**
 * Solves one problem.
 *
 * A region is what lies between a head, on the device, and a tail, on the server: a range of
 * places in the order, in which layers ascend.
 */
template <typename Algebra>
class BlockSolver
{
  public:
    using Cuts = typename Algebra::Cuts;

    /**
     * @param problem the problem
     * @param algebra which cuts matter
     * @param choices what the cuts choose from
     */
    BlockSolver(const TwoWayCutProblem& problem, Algebra algebra, CutChoices& choices);

    /** @return the cuts of the whole problem that matter */
    Cuts Solve();

  private:
    /** The cuts of a region, without what they pay for the head's tensor. */
    struct RegionCuts
    {
        Cuts all;     //!< any
        Cuts covered; //!< those with all that reads the head on the device
    };

    /** Part of a region that shares nothing with the rest of it but head and tail. */
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

    /** Add cuts in which the given places are on the device too, at the given extra cost. */
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

    /** @return the branches of a region, whose places it sorts by branch */
    std::vector<Branch> Divide(int32_t head, uint32_t begin, uint32_t end);

    /** @return the cuts of a region */
    RegionCuts SolveRegion(int32_t head,
                           uint32_t begin,
                           uint32_t end,
                           int32_t tail,
                           uint32_t depth);

    /** @return the cuts of a branch */
    RegionCuts SolveBranch(int32_t head, const Branch& branch, int32_t tail, uint32_t depth);

    /** @return the cuts of a branch that is not divided */
    RegionCuts SolvePrime(int32_t head, const Branch& branch, int32_t tail);

    CutGraph m_graph;                //!< the problem
    Algebra m_algebra;               //!< which cuts matter
    CutChoices& m_choices;           //!< what the cuts choose from
    std::vector<int32_t> m_parents;  //!< by layer, towards its root
    std::vector<int32_t> m_readers;  //!< by root, the last of its layers that reads the head
    std::vector<int32_t> m_numbers;  //!< by layer, that of its branch, or its own in a PrimeBlock
    std::vector<int32_t> m_unsorted; //!< a region while it is being sorted
};

template <typename Algebra>
BlockSolver<Algebra>::BlockSolver(const TwoWayCutProblem& problem,
                                  Algebra algebra,
                                  CutChoices& choices)
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

template <typename Algebra>
auto
BlockSolver<Algebra>::Solve() -> Cuts
{
    const uint32_t end = static_cast<uint32_t>(m_graph.layers);
    // Behind a single first layer all is one branch.
    const RegionCuts cuts = m_graph.lastReader == 0
                                ? SolveBranch(CutGraph::SOURCE, {0, end, 0}, m_graph.layers, 0)
                                : SolveRegion(CutGraph::SOURCE, 0, end, m_graph.layers, 0);
    Cuts all = Algebra::None();
    KeepBehind(all, cuts.covered, 0, 0, 0, 0);
    KeepBehind(all, cuts.all, 0, m_graph.frameBytes, 0, 0);
    Algebra::Drop(all);
    return all;
}

template <typename Algebra>
auto
BlockSolver<Algebra>::Divide(int32_t head, uint32_t begin, uint32_t end) -> std::vector<Branch>
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
                m_readers[other] =
                    root == layer ? m_readers[other] : std::max(m_readers[other], m_readers[root]);
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

template <typename Algebra>
auto
BlockSolver<Algebra>::SolveRegion(int32_t head,
                                  uint32_t begin,
                                  uint32_t end,
                                  int32_t tail,
                                  uint32_t depth) -> RegionCuts
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

template <typename Algebra>
auto
BlockSolver<Algebra>::SolveBranch(int32_t head, const Branch& branch, int32_t tail, uint32_t depth)
    -> RegionCuts
{
    const std::vector<int32_t>& order = m_choices.order;
    RegionCuts first{Algebra::None(), Algebra::None()}; // cuts before the first cut vertex
    Cuts later = Algebra::None();
    double gains = 0; // of the branch up to the block's head, that included
    int32_t blockHead = head;
    uint32_t blockBegin = branch.begin;
    int32_t reach = branch.lastReader; // the last layer that a tensor made before goes to
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
        const RegionCuts cuts = SolveRegion(blockHead, blockBegin, blockEnd, blockTail, depth + 1);
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

template <typename Algebra>
auto
BlockSolver<Algebra>::SolvePrime(int32_t head, const Branch& branch, int32_t tail) -> RegionCuts
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

} // namespace

CutLine
FindBestCut(const TwoWayCutProblem& problem, CutChoices& choices)
{
    const OneBandwidth algebra{8 / problem.uplinkBitsPerSecond};
    return BlockSolver<OneBandwidth>(problem, algebra, choices).Solve();
}

std::vector<CutLine>
FindCutEnvelope(const TwoWayCutProblem& problem, CutChoices& choices)
{
    return BlockSolver<EveryBandwidth>(problem, {}, choices).Solve();
}

} // namespace edgepipe
} // namespace ns3
