/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CUT_ALGEBRA_H
#define EDGEPIPE_CUT_ALGEBRA_H

#include "edgepipe-closed-cut.h"
#include "edgepipe-two-way-cut-envelope.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** One layer of a PrimeBlock. */
struct PrimeLayer
{
    double gainSeconds;              //!< additional cost on the device compared with the server
    uint64_t bytes;                  //!< of its output
    bool isForced;                   //!< whether it must be on the device
    bool isReadBehind;               //!< whether it is read behind the block, on the server
    std::vector<uint32_t> consumers; //!< indices of the layers of the block that read it
};

/** A cut of a PrimeBlock. */
struct PrimeCut
{
    double fixedSeconds{0};       //!< sum of the gains on the device
    uint64_t bytes{0};            //!< bytes that cross
    std::vector<bool> isOnDevice; //!< by layer
};

/**
 * Part of a network that cut vertices and parallel branches do not divide further, so that its best
 * cut takes a general minimum cut.
 */
class PrimeBlock
{
  public:
    /** @param layers its layers, in a topological order */
    explicit PrimeBlock(std::vector<PrimeLayer> layers)
        : m_layers(std::move(layers))
    {
    }

    /**
     * @param secondsPerByte of the uplink, >= 0
     * @return a cheapest closed cut
     */
    PrimeCut FindBest(double secondsPerByte) const
    {
        std::vector<ClosedCutNode> nodes(m_layers.size());
        for (std::size_t i = 0; i < m_layers.size(); ++i)
        {
            const PrimeLayer& layer = m_layers[i];
            const double tensorSeconds = static_cast<double>(layer.bytes) * secondsPerByte;
            nodes[i].deviceSeconds = std::max(layer.gainSeconds, 0.0);
            nodes[i].serverSeconds = layer.isForced ? std::numeric_limits<double>::infinity()
                                                    : std::max(-layer.gainSeconds, 0.0);
            // What is read behind the block crosses whenever it is made on the device.
            (layer.isReadBehind ? nodes[i].deviceSeconds : nodes[i].tensorSeconds) += tensorSeconds;
            nodes[i].consumers = layer.consumers;
        }
        PrimeCut cut;
        cut.isOnDevice = FindMinimumClosedCut(nodes, MinCutAlgorithm::BOYKOV_KOLMOGOROV);
        for (std::size_t i = 0; i < m_layers.size(); ++i)
        {
            const PrimeLayer& layer = m_layers[i];
            const auto isOnServer = [&cut](uint32_t consumer) { return !cut.isOnDevice[consumer]; };
            if (!cut.isOnDevice[i])
            {
                continue;
            }
            cut.fixedSeconds += layer.gainSeconds;
            if (layer.isReadBehind ||
                std::any_of(layer.consumers.begin(), layer.consumers.end(), isOnServer))
            {
                cut.bytes += layer.bytes;
            }
        }
        return cut;
    }

    /**
     * Finds the best cut for every bandwidth: searches where two known cuts cost the same, until
     * nothing better is found. Takes two minimum cuts per segment of the envelope.
     *
     * @param take called with every cut found; some may be best nowhere
     */
    void FindEnvelope(const std::function<void(const PrimeCut&)>& take) const
    {
        // At the sum of all gains in seconds per byte, saving a byte outweighs all gains.
        double gains = 0;
        for (const PrimeLayer& layer : m_layers)
        {
            gains += std::abs(layer.gainSeconds);
        }
        const PrimeCut fast = FindBest(0);
        const PrimeCut slow = FindBest(gains > 0 ? gains : 1);
        take(fast);
        take(slow);
        std::vector<std::pair<PrimeCut, PrimeCut>> toDivide{{fast, slow}};
        while (!toDivide.empty())
        {
            const auto [many, few] = std::move(toDivide.back());
            toDivide.pop_back();
            if (many.bytes <= few.bytes || few.fixedSeconds <= many.fixedSeconds)
            {
                continue;
            }
            const double secondsPerByte = (few.fixedSeconds - many.fixedSeconds) /
                                          static_cast<double>(many.bytes - few.bytes);
            const PrimeCut between = FindBest(secondsPerByte);
            const auto at = [secondsPerByte](const PrimeCut& cut) {
                return cut.fixedSeconds + static_cast<double>(cut.bytes) * secondsPerByte;
            };
            // The rounding of the minimum cut must not count as progress.
            if (at(many) - at(between) > 1e-12 * (gains + std::abs(at(many))))
            {
                take(between);
                toDivide.push_back({many, between});
                toDivide.push_back({between, few});
            }
        }
    }

  private:
    std::vector<PrimeLayer> m_layers; //!< the layers
};

/**
 * @param choices that the cuts refer to
 * @param a a cut
 * @param b a cut of other layers
 * @return their union
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

/** Keeps only the best cut of a region at one bandwidth. */
struct OneBandwidth
{
    using Cuts = CutLine; //!< the best cut

    double secondsPerByte; //!< of the uplink

    /** @return no cut at all */
    static Cuts None()
    {
        return {std::numeric_limits<double>::infinity(), 0, 0};
    }

    /** Keeps a cut if it is better; only then makes its choice. */
    template <typename Choose>
    void Keep(Cuts& kept, double fixedSeconds, uint64_t bytes, Choose choose) const
    {
        const CutLine line{fixedSeconds, bytes, 0};
        if (line.At(secondsPerByte) < kept.At(secondsPerByte))
        {
            kept = {fixedSeconds, bytes, choose()};
        }
    }

    /** Calls visit with every cut. */
    template <typename Visit>
    static void ForEach(const Cuts& cuts, Visit visit)
    {
        visit(cuts);
    }

    /** Does nothing: there is one cut. */
    static void Drop(Cuts&)
    {
    }

    /** @return the union of cuts of two regions */
    static Cuts Add(CutChoices& choices, const Cuts& a, const Cuts& b)
    {
        return AddLines(choices, a, b);
    }

    /** Calls visit with the best cuts of a block. */
    template <typename Visit>
    void Solve(const PrimeBlock& block, Visit visit) const
    {
        visit(block.FindBest(secondsPerByte));
    }
};

/** Keeps the cuts of a region that are best at some bandwidth. */
struct EveryBandwidth
{
    using Cuts = std::vector<CutLine>; //!< each the best at some bandwidth

    /** @return no cut at all */
    static Cuts None()
    {
        return {};
    }

    /** Keeps a cut. */
    template <typename Choose>
    static void Keep(Cuts& kept, double fixedSeconds, uint64_t bytes, Choose choose)
    {
        kept.push_back({fixedSeconds, bytes, choose()});
    }

    /** Calls visit with every cut. */
    template <typename Visit>
    static void ForEach(const Cuts& cuts, Visit visit)
    {
        for (const CutLine& line : cuts)
        {
            visit(line);
        }
    }

    /** Drops cuts that are best nowhere. */
    static void Drop(Cuts& cuts)
    {
        KeepLowerEnvelope(cuts);
    }

    /**
     * @return the sum of two envelopes: at every x the best cuts of both, found by walking along
     *         both with decreasing x
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

    /** Calls visit with the best cuts of a block. */
    template <typename Visit>
    static void Solve(const PrimeBlock& block, Visit visit)
    {
        block.FindEnvelope(visit);
    }
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_CUT_ALGEBRA_H */
