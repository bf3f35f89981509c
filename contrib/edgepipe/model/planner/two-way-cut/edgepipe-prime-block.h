/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PRIME_BLOCK_H
#define EDGEPIPE_PRIME_BLOCK_H

#include "edgepipe-closed-cut.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** One layer of a PrimeBlock. */
struct PrimeLayer
{
    double gainSeconds; //!< what it costs on the device more than on the server
    uint64_t bytes;     //!< of its output
    bool isForced;      //!< whether it must be on the device
    bool isReadBehind;  //!< whether something behind the block, on the server, reads it
    std::vector<uint32_t> consumers; //!< indices of the layers of the block that read it
};

/** A cut of a PrimeBlock. */
struct PrimeCut
{
    double fixedSeconds{0};       //!< sum of the gains on the device
    uint64_t bytes{0};            //!< what crosses
    std::vector<bool> isOnDevice; //!< by layer
};

/**
 * Part of a network that neither cut vertices nor parallel branches divide further, so that its
 * best cut takes a general minimum cut.
 */
class PrimeBlock
{
  public:
    /** @param layers its layers, in a topological order */
    explicit PrimeBlock(std::vector<PrimeLayer> layers);

    /**
     * @param secondsPerByte of the uplink, >= 0
     * @return a cheapest closed cut
     */
    PrimeCut FindBest(double secondsPerByte) const;

    /**
     * Finds the best cut for every bandwidth by asking for the best one where two known ones cost
     * the same, until that finds nothing better: two minimum cuts per segment of the envelope.
     *
     * @param take called with every cut found; some may be the best nowhere
     */
    void FindEnvelope(const std::function<void(const PrimeCut&)>& take) const;

  private:
    std::vector<PrimeLayer> m_layers; //!< the layers
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PRIME_BLOCK_H */
