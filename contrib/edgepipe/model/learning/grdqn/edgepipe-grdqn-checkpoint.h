/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GRDQN_CHECKPOINT_H
#define EDGEPIPE_GRDQN_CHECKPOINT_H

#include "ns3/edgepipe-grdqn-agent.h"
#include "ns3/edgepipe-pipeline-problem.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What training left behind. */
struct GrdqnCheckpoint
{
    std::string variant;                     //!< of GrdqnPlanner
    uint64_t key{0};                         //!< HashGrdqnProblem of what it was trained for
    std::vector<std::vector<float>> weights; //!< GrdqnAgent::GetWeights
};

/**
 * @param problem a problem
 * @param variant of GrdqnPlanner
 * @param options how the networks are trained
 * @param stream number of the stream that draws come from; ns-3's seed and run count too
 * @return 64 bits that differ wherever training could end differently; names of layers and
 *         devices do not count
 */
uint64_t HashGrdqnProblem(const PipelineProblem& problem,
                          const std::string& variant,
                          const GrdqnOptions& options,
                          int64_t stream);

/**
 * Writes a file under a temporary name of its own, then renames it: a reader sees all of it or
 * nothing, whoever else writes the same file.
 *
 * The file holds the line "edgepipe-grdqn 1", then in the machine's byte order the key (8 bytes),
 * the variant's length (8) and text, the number of networks (8), and for each how many weights (8)
 * and the weights (4 each, IEEE 754), then the 64-bit FNV-1a hash of all that (8).
 *
 * @param path of the file; its folder must exist
 * @param checkpoint what to write
 * @throws InputError when it cannot be written
 */
void WriteGrdqnCheckpoint(const std::string& path, const GrdqnCheckpoint& checkpoint);

/**
 * @param path of a file that WriteGrdqnCheckpoint wrote
 * @return what it holds
 * @throws InputError when there is none, or it is cut short, damaged, or of another kind
 */
GrdqnCheckpoint ReadGrdqnCheckpoint(const std::string& path);

/**
 * @param folder as the user gave it; empty: edgepipe/grdqn in the user's cache folder, which is
 *        $XDG_CACHE_HOME, or $HOME/.cache
 * @return the folder, or an empty string where the user has none
 */
std::string FindGrdqnCache(const std::string& folder);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_GRDQN_CHECKPOINT_H */
