/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GRDQN_CHECKPOINT_H
#define EDGEPIPE_GRDQN_CHECKPOINT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** The result of training. */
struct GrdqnCheckpoint
{
    std::string variant;                     //!< of GrdqnPlanner
    uint64_t key{0};                         //!< GrdqnPlanner::FindKey of the training
    std::size_t devices{0};                  //!< that the networks distinguish
    std::vector<std::vector<float>> weights; //!< GrdqnAgent::GetWeights
};

/**
 * Writes a file under a unique temporary name, then renames it: readers see all of it or nothing,
 * even with concurrent writers.
 *
 * The file holds the line "edgepipe-grdqn 2", the members of GrdqnCheckpoint by name in CBOR
 * (RFC 8949), and ns-3's Hash64 of all that in the machine's byte order.
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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_GRDQN_CHECKPOINT_H */
