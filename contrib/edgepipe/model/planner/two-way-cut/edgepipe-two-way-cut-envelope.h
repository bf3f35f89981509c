/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_ENVELOPE_H
#define EDGEPIPE_TWO_WAY_CUT_ENVELOPE_H

#include "edgepipe-two-way-cut-problem.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::edgepipe
{

/**
 * The latency of one cut as a function of the uplink: a line in x, the seconds per byte.
 *
 * y(x) = fixedSeconds + bytes x. The cheapest of some cuts is a lower envelope of lines, which for
 * x > 0 is the lower left hull of the points (bytes, fixedSeconds).
 */
struct CutLine
{
    double fixedSeconds; //!< part independent of the uplink, relative to all on the server
    uint64_t bytes;      //!< bytes uploaded
    uint32_t choice;     //!< which layers are on the device, by CutChoices

    /**
     * @param secondsPerByte x, >= 0
     * @return y
     */
    double At(double secondsPerByte) const
    {
        return fixedSeconds + static_cast<double>(bytes) * secondsPerByte;
    }
};

/**
 * Keeps the lines that are the lowest somewhere at x > 0, fewer bytes first.
 *
 * @param lines the lines; one of several equal lines is kept
 */
void KeepLowerEnvelope(std::vector<CutLine>& lines);

/**
 * Which layers are on the device, for many cuts that have most of their layers in common.
 *
 * A choice is the union of a range of places in the order and two other choices.
 */
class CutChoices
{
  public:
    /** Choice 0 is no layer at all. */
    CutChoices();

    /**
     * @param begin first place
     * @param end one past the last place
     * @param left a choice
     * @param right another
     * @return their union; there can be at most 2^32 choices
     */
    uint32_t Add(uint32_t begin, uint32_t end, uint32_t left, uint32_t right);

    /**
     * @param choice a choice
     * @param layers how many there are
     * @return by layer, whether it is chosen
     */
    std::vector<bool> Expand(uint32_t choice, std::size_t layers) const;

    std::vector<int32_t> order; //!< layers by place; a layer may stand at several places

  private:
    /** One choice. */
    struct Choice
    {
        uint32_t begin; //!< first place
        uint32_t end;   //!< one past the last place
        uint32_t left;  //!< a choice made before
        uint32_t right; //!< another
    };

    std::vector<Choice> m_choices; //!< all choices
};

/**
 * The best plan of one problem for every uplink bandwidth.
 *
 * Bandwidth B only scales a plan's upload time: its latency is a line in 1/B, and the best latency
 * is the lower envelope of finitely many lines. The envelope is a list of segments, each a range of
 * B with one plan.
 */
class TwoWayCutEnvelope
{
  public:
    /**
     * @param lines kept by KeepLowerEnvelope, at least one
     * @param choices that the lines refer to
     * @param layers number of layers
     */
    TwoWayCutEnvelope(std::vector<CutLine> lines, CutChoices choices, std::size_t layers);

    /** @return how many segments there are, at least 1 */
    std::size_t GetSegments() const
    {
        return m_lines.size();
    }

    /**
     * @param segment a segment, below GetSegments
     * @return the lowest bandwidth at which its plan is the best, bit/s; 0 for the first. The
     *         segment ends where the next one starts.
     */
    double GetLowestBitsPerSecond(std::size_t segment) const
    {
        return m_starts[segment];
    }

    /**
     * Finds the segment of a bandwidth, in time logarithmic in the segments.
     *
     * @param uplinkBitsPerSecond the bandwidth, bit/s, > 0
     * @return the segment it lies in; at a breakpoint the one above it
     */
    std::size_t FindSegment(double uplinkBitsPerSecond) const;

    /**
     * @param segment a segment, below GetSegments
     * @return its plan, made at the first call and valid as long as the envelope
     */
    const TwoWayCutPlan& GetPlan(std::size_t segment);

    /**
     * @param uplinkBitsPerSecond the bandwidth, bit/s, > 0
     * @return the best plan there
     */
    const TwoWayCutPlan& FindPlan(double uplinkBitsPerSecond);

  private:
    std::vector<CutLine> m_lines;       //!< by segment
    std::vector<double> m_starts;       //!< by segment, bit/s
    CutChoices m_choices;               //!< of m_lines
    std::size_t m_layers;               //!< how many there are
    std::vector<TwoWayCutPlan> m_plans; //!< by segment; empty until requested
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_TWO_WAY_CUT_ENVELOPE_H */
