/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_QDMP_ANCHORS_H
#define EDGEPIPE_QDMP_ANCHORS_H

#include "ns3/edgepipe-dnn-graph.h"

#include <string>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** What printed figures of the paper imply of the layers up to one, and after it. */
struct QdmpAnchor
{
    std::string model;    //!< as the paper names it
    std::string network;  //!< of the cell
    std::string layer;    //!< the last on the device
    double deviceSeconds; //!< T_e of the layers up to it, > 0
    double serverSeconds; //!< T_c of the layers after it, >= 0
};

/**
 * Reads those anchors that a layer of ours can have; the file says how they were found.
 *
 * @param path such as traces/published/qdmp-anchors.json
 * @return them
 * @throws InputError for a file that is unreadable or malformed
 */
std::vector<QdmpAnchor> ReadQdmpAnchors(const std::string& path);

/**
 * Gives layers times that add up to what anchors imply: between two of them, and between one and
 * either end, all layers keep their proportions.
 *
 * @param graph a model
 * @param seconds by layer; scaled
 * @param anchors of the model; of several at one layer the mean counts
 * @param isServer whether the times are the server's
 * @throws InputError if the model lacks a layer, or an anchor leaves less than nothing for the
 *         layers after it
 */
void ShapeByAnchors(const DnnGraph& graph,
                    std::vector<double>& seconds,
                    const std::vector<QdmpAnchor>& anchors,
                    bool isServer);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_QDMP_ANCHORS_H */
