/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_PIPELINED_CUT_H
#define EDGEPIPE_PIPELINED_CUT_H

#include "edgepipe-two-way-cut-problem.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/**
 * The closed partition under which frames that follow each other go through fastest: the one whose
 * longest part, of computing on the device, moving and computing on the server, is the shortest,
 * and of several such the one of least latency.
 *
 * No minimum cut gives it, since a maximum of sums is no sum: already layers side by side, which
 * share their work out to both sides, are a partition problem. The search is branch and bound over
 * all closed partitions: layers are placed in their order, on the device first where all that they
 * read is there, else on the server, until one part takes longer than the best partition's longest.
 * Between two cut vertices (see FindBestCut) partitions multiply; over the whole graph they add up,
 * so that networks with a few short branches have thousands.
 */
class PipelinedCut
{
  public:
    /**
     * @param problem a valid problem, which must outlive this
     * @param most layers to place before giving up
     */
    PipelinedCut(const TwoWayCutProblem& problem, uint64_t most);

    /**
     * @return the best partition
     * @throws InputError if more layers would be to place
     */
    TwoWayCutPlan Find();

  private:
    /** What the layers placed so far take. */
    struct Sums
    {
        double deviceSeconds{0};  //!< on the device
        double serverSeconds{0};  //!< on the server
        uint64_t uplinkBytes{0};  //!< crossing
        uint64_t resultBytes{0};  //!< coming back
        double bottleneckSeconds; //!< longest of device, transfer and server
        double latencySeconds;    //!< their sum
    };

    /** Fill in what follows from the others. */
    void Complete(Sums& sums) const;
    /** @return whether the first layers as placed are no part of a better partition */
    bool IsHopeless(std::size_t layers) const;
    /** @return whether a layer may be on the device as those before it are placed */
    bool CanBeOnDevice(std::size_t layer) const;
    /**
     * Place the layer after those placed.
     * @param layer its index
     * @param isOnDevice where
     */
    void Place(std::size_t layer, bool isOnDevice);
    /**
     * Take the last layer placed back.
     * @param layer its index
     */
    void TakeBack(std::size_t layer);

    const TwoWayCutProblem& m_problem;  //!< the problem
    uint64_t m_most;                    //!< layers to place
    std::vector<bool> m_isRead;         //!< by layer, whether it is no result
    std::vector<bool> m_isOnDevice;     //!< by layer, as placed
    std::vector<uint32_t> m_remote;     //!< by layer, then the frame: readers on the server
    std::vector<Sums> m_sums;           //!< by number of layers placed
    Sums m_best;                        //!< of the best partition so far
    std::vector<bool> m_bestIsOnDevice; //!< the best partition so far
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_PIPELINED_CUT_H */
