/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INPUT_SIZE_H
#define EDGEPIPE_INPUT_SIZE_H

#include "edgepipe-dnn-graph.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * @param path a model file
 * @return pixels of a side of its input
 * @throws InputError if it cannot be read, or says no channels, height and width
 */
uint32_t ReadInputSide(const std::string& path);

/**
 * Estimates a model for inputs of another size: FLOP, outputs and activations of the layers before
 * the first linear or flattening one go with the area, weights stay as they are. Borders that
 * layers keep are not looked at.
 *
 * @param graph a model
 * @param from pixels of a side of its input, > 0
 * @param to pixels of a side of another, > 0
 * @return the model for it, by another name, since profiles are of the size of the file
 */
DnnGraph ScaleInput(const DnnGraph& graph, uint32_t from, uint32_t to);

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_INPUT_SIZE_H */
