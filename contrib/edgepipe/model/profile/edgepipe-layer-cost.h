/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LAYER_COST_H
#define EDGEPIPE_LAYER_COST_H

#include "edgepipe-device-spec.h"
#include "edgepipe-dnn-graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Costs of every layer of a model on one device type, for one batch of samples.
 *
 * The vectors hold one entry per layer, in the order of the graph.
 */
struct LayerCost
{
    std::string model;  //!< name of the graph
    std::string device; //!< name of the device type
    std::string origin; //!< "measured", "published" or "estimated"; "interpolated" between two
                        //!< files of other batches; inference timed in training mode is
                        //!< "estimated"
    std::string source; //!< file or formula of the figures; a file in the traces folder by its
                        //!< path relative to the folder
    std::optional<PassKind> mode; //!< of the passes that were timed: TRAINING (training mode) or
                                  //!< INFERENCE (evaluation mode); empty: a formula's
    std::string runs;  //!< how many passes were timed and their spread, for display; may be empty
    std::string stack; //!< kind and precision of the device's stack, such as "eager, fp32"; empty
                       //!< where the device file does not say
    std::map<std::string, std::string> header;   //!< key: value lines of the file
    uint32_t batch{1};                           //!< samples per batch
    std::vector<double> forwardSeconds;          //!< in context, per batch, >= 0
    std::vector<double> backwardSeconds;         //!< in context, per batch, >= 0
    std::vector<double> isolatedForwardSeconds;  //!< alone, per batch; empty where unknown
    std::vector<double> isolatedBackwardSeconds; //!< alone, per batch; empty where unknown
    std::vector<double> fixedSeconds; //!< of either pass, for any batch size; empty where unknown
    /// Of an estimate: standard deviation of the logarithm of true over estimated time, a factor
    /// common to all layers on a device type, >= 0
    double logSpread{0};
    /// Of a measurement: standard deviation of its time, s, >= 0, from the interquartile range of
    /// the repeats; empty where unknown
    std::vector<double> forwardSpreadSeconds;
    std::vector<double> backwardSpreadSeconds; //!< see forwardSpreadSeconds
    uint32_t negativeValues{0};                //!< seconds that were negative and count as 0

    /** @return time of both passes through all layers in context, seconds per batch */
    double GetSeconds() const;
};

/**
 * Reads a profile (doc/reference/formats.rst, "Profile").
 *
 * Columns may stand in any order; the two isolated ones, the spreads and the operator may be
 * absent. Rows may stand in any order and must name every layer of the graph once. A file without
 * a mode (edgepipe-profile 1) is of evaluation mode if all backward seconds are 0.
 *
 * @param path the CSV file
 * @param graph the model it must be a profile of
 * @return the costs
 * @throws InputError naming the line, what was found and what was expected
 */
LayerCost ReadLayerProfile(const std::string& path, const DnnGraph& graph);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LAYER_COST_H */
