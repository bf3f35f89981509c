/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LAYER_COST_H
#define EDGEPIPE_LAYER_COST_H

#include "edgepipe-dnn-graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * What every layer of a model costs on one type of device, for one batch of samples.
 *
 * The vectors hold one entry per layer, in the order of the graph.
 */
struct LayerCost
{
    std::string model;  //!< name of the graph
    std::string device; //!< name of the device type
    std::string origin; //!< "measured", "published" or "estimated"; "interpolated" between two
                        //!< files of other batches
    std::string source; //!< the file or formula the figures come from; a file in the traces folder
                        //!< by its path there
    std::map<std::string, std::string> header;   //!< key: value lines of the file
    uint32_t batch{1};                           //!< samples per batch
    std::vector<double> forwardSeconds;          //!< in context, per batch, >= 0
    std::vector<double> backwardSeconds;         //!< in context, per batch, >= 0
    std::vector<double> isolatedForwardSeconds;  //!< alone, per batch; empty where unknown
    std::vector<double> isolatedBackwardSeconds; //!< alone, per batch; empty where unknown
    std::vector<double> fixedSeconds; //!< of either pass, whatever the batch; empty where unknown
    /// Of an estimate: standard deviation of the logarithm of the factor, common to all layers, by
    /// which a type of device takes other times than these, >= 0
    double logSpread{0};
    /// Of what was measured: standard deviation of the figure, s, >= 0, from the interquartile
    /// range of the repeats; empty where unknown
    std::vector<double> forwardSpreadSeconds;
    std::vector<double> backwardSpreadSeconds; //!< see forwardSpreadSeconds
    uint32_t negativeValues{0};                //!< seconds that were negative and count as 0

    /** @return of both passes through all layers in context, seconds per batch */
    double GetSeconds() const;
};

/**
 * Reads a profile (doc/reference/formats.rst, "Profile").
 *
 * Columns may stand in any order; the two isolated ones, the spreads and the operator may be
 * absent. Rows may stand in any order and must name every layer of the graph once.
 *
 * @param path the CSV file
 * @param graph the model it must be a profile of
 * @return the costs
 * @throws InputError naming the line, what was found and what was expected
 */
LayerCost ReadLayerProfile(const std::string& path, const DnnGraph& graph);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LAYER_COST_H */
