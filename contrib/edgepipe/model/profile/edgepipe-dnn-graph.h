/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DNN_GRAPH_H
#define EDGEPIPE_DNN_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** One layer of a neural network; all figures per sample. */
struct DnnLayer
{
    std::string name;                //!< unique in its graph
    std::string operatorName;        //!< one of the operators of doc/reference/formats.rst
    std::vector<std::size_t> inputs; //!< indices of the layers it reads, each once, all earlier
    uint64_t flop;                   //!< forward pass, FLOP (a multiply-accumulate is 2)
    uint64_t parameterBytes;         //!< bytes of the weights
    uint64_t outputBytes;            //!< bytes of the output tensor
    uint64_t activationBytes;        //!< bytes training keeps from forward until backward
    uint64_t channels{0};            //!< of the output; 0 if the file lacks its shape
};

/** A neural network: a directed acyclic graph of layers. */
struct DnnGraph
{
    std::string name;             //!< as profiles name the model
    std::vector<DnnLayer> layers; //!< at least one, in a topological order
};

/**
 * Reads a model file (doc/reference/formats.rst, "Model").
 *
 * Layers that stand in a topological order keep it; otherwise they are sorted, each layer as
 * early as its inputs allow, ties in the order of the file.
 *
 * @param path the model file
 * @return the graph
 * @throws InputError for an unreadable or malformed file, an unknown operator, a negative figure,
 *         a name used twice, an input that is no layer, or a cycle, which it names
 */
DnnGraph ReadDnnGraph(const std::string& path);

/**
 * @param path a model file
 * @return pixels of a side of its input
 * @throws InputError if it cannot be read, or its inputShape is not channels, height and width
 */
uint32_t ReadInputSide(const std::string& path);

/**
 * Estimates a model for inputs of another size: FLOP, outputs and activations of layers before the
 * first linear or flatten layer scale with the area; weights stay the same. Border effects are
 * ignored.
 *
 * @param graph a model
 * @param from pixels of a side of its input, > 0
 * @param to pixels of a side of the new input, > 0
 * @return the scaled model, under another name, since profiles are for the size in the file
 */
DnnGraph ScaleInput(const DnnGraph& graph, uint32_t from, uint32_t to);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_DNN_GRAPH_H */
