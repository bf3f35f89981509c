/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_TWO_WAY_CUT_ENVELOPE_H
#define EDGEPIPE_TWO_WAY_CUT_ENVELOPE_H

#include "edgepipe-cut-line.h"
#include "edgepipe-two-way-cut-problem.h"

#include <cstddef>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * The best plan of one problem for every uplink bandwidth.
 *
 * Bandwidth B only scales what a plan sends: its latency is a line in 1/B, and the best one is the
 * lower envelope of finitely many lines. The envelope is a list of segments, each a range of B
 * with one plan.
 */
class TwoWayCutEnvelope
{
  public:
    /**
     * @param lines what KeepLowerEnvelope kept, at least one
     * @param choices what the lines choose from
     * @param layers how many there are
     */
    TwoWayCutEnvelope(std::vector<CutLine> lines, CutChoices choices, std::size_t layers);

    /** @return how many segments there are, at least 1 */
    std::size_t GetSegments() const;

    /**
     * @param segment a segment, below GetSegments
     * @return the bandwidth from which on its plan is the best, bit/s; 0 for the first. The next
     *         segment's is where it ends.
     */
    double GetLowestBitsPerSecond(std::size_t segment) const;

    /**
     * Looks up. Takes time logarithmic in the segments.
     *
     * @param uplinkBitsPerSecond the bandwidth, bit/s, > 0
     * @return the segment it lies in; at a breakpoint the one above it
     */
    std::size_t FindSegment(double uplinkBitsPerSecond) const;

    /**
     * @param segment a segment, below GetSegments
     * @return its plan, made at the first call and kept as long as the envelope
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
    std::vector<TwoWayCutPlan> m_plans; //!< by segment; empty until asked for
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_TWO_WAY_CUT_ENVELOPE_H */
