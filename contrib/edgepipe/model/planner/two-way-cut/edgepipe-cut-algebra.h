/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_ALGEBRA_H
#define EDGEPIPE_CUT_ALGEBRA_H

#include "edgepipe-cut-line.h"
#include "edgepipe-prime-block.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * @param choices where the cuts are from
 * @param a a cut
 * @param b a cut of other layers
 * @return both together
 */
inline CutLine
AddLines(CutChoices& choices, const CutLine& a, const CutLine& b)
{
    uint32_t choice = a.choice ? a.choice : b.choice;
    if (a.choice && b.choice)
    {
        choice = choices.Add(0, 0, a.choice, b.choice);
    }
    return {a.fixedSeconds + b.fixedSeconds, a.bytes + b.bytes, choice};
}

/** Some cuts of a region, of which only the best at one bandwidth matters. */
struct OneBandwidth
{
    using Cuts = CutLine; //!< the best of them

    double secondsPerByte; //!< of the uplink

    /** @return no cut at all */
    static Cuts None()
    {
        return {std::numeric_limits<double>::infinity(), 0, 0};
    }

    /** Keep a cut, whose choice is made only if it is worth it. */
    template <typename Choose>
    void Keep(Cuts& kept, double fixedSeconds, uint64_t bytes, Choose choose) const
    {
        const CutLine line{fixedSeconds, bytes, 0};
        if (line.At(secondsPerByte) < kept.At(secondsPerByte))
        {
            kept = {fixedSeconds, bytes, choose()};
        }
    }

    /** Call visit with every cut. */
    template <typename Visit>
    static void ForEach(const Cuts& cuts, Visit visit)
    {
        visit(cuts);
    }

    /** Nothing to drop. */
    static void Drop(Cuts&)
    {
    }

    /** @return every cut of one region with every cut of another */
    static Cuts Add(CutChoices& choices, const Cuts& a, const Cuts& b)
    {
        return AddLines(choices, a, b);
    }

    /** Call visit with the best cuts of a block. */
    template <typename Visit>
    void Solve(const PrimeBlock& block, Visit visit) const
    {
        visit(block.FindBest(secondsPerByte));
    }
};

/** Some cuts of a region, of which those matter that are the best at some bandwidth. */
struct EveryBandwidth
{
    using Cuts = std::vector<CutLine>; //!< each the best at some bandwidth

    /** @return no cut at all */
    static Cuts None()
    {
        return {};
    }

    /** Keep a cut. */
    template <typename Choose>
    static void Keep(Cuts& kept, double fixedSeconds, uint64_t bytes, Choose choose)
    {
        kept.push_back({fixedSeconds, bytes, choose()});
    }

    /** Call visit with every cut. */
    template <typename Visit>
    static void ForEach(const Cuts& cuts, Visit visit)
    {
        for (const CutLine& line : cuts)
        {
            visit(line);
        }
    }

    /** Drop what is the best nowhere. */
    static void Drop(Cuts& cuts)
    {
        KeepLowerEnvelope(cuts);
    }

    /**
     * @return the sum of two envelopes: at every x the best of one with the best of the other, so
     *         one walks along both by falling x
     */
    static Cuts Add(CutChoices& choices, const Cuts& a, const Cuts& b)
    {
        Cuts sum;
        const auto fall = [](const Cuts& cuts, std::size_t i) {
            return i + 1 == cuts.size()
                       ? -1
                       : (cuts[i].fixedSeconds - cuts[i + 1].fixedSeconds) /
                             static_cast<double>(cuts[i + 1].bytes - cuts[i].bytes);
        };
        for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();)
        {
            sum.push_back(AddLines(choices, a[i], b[j]));
            const double fallOfA = fall(a, i);
            const double fallOfB = fall(b, j);
            i += fallOfA >= fallOfB ? 1 : 0;
            j += fallOfB >= fallOfA ? 1 : 0;
        }
        return sum;
    }

    /** Call visit with the best cuts of a block. */
    template <typename Visit>
    static void Solve(const PrimeBlock& block, Visit visit)
    {
        block.FindEnvelope(visit);
    }
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CUT_ALGEBRA_H */
