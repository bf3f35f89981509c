/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DNN_GRAPH_H
#define EDGEPIPE_DNN_GRAPH_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Weights of another layer that a layer uses again. */
struct TiedWeights
{
    std::size_t layer; //!< index of the layer that owns them, earlier
    uint64_t bytes;    //!< of them, at most the owner's

    /**
     * @param other some other
     * @return whether both are the same weights
     */
    bool operator==(const TiedWeights& other) const
    {
        return layer == other.layer && bytes == other.bytes;
    }
};

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
    double outputs{0};               //!< numbers in the output; 0: a quarter of its bytes
    uint64_t parameters{0};          //!< numbers in the weights; 0: as wide as those in the output
    uint64_t integerBytes{0};        //!< of the output, integers such as tokens
    std::vector<TiedWeights> tied{}; //!< of each owner once, not in parameterBytes

    /** @return numbers in the output */
    double CountOutputs() const
    {
        return outputs > 0 ? outputs : static_cast<double>(outputBytes) / 4;
    }

    /**
     * @param bytesOfNumber of a number when sent; 4 or more: that many quarters of its bytes in the
     *        model; integers are sent as they are
     * @return bytes of the output when sent; with fewer than 4, no more than in the model
     */
    uint64_t GetSentBytes(uint32_t bytesOfNumber) const
    {
        const uint64_t bytes = outputBytes - integerBytes;
        const double numbers = integerBytes > 0 ? bytes / 4.0 : CountOutputs();
        const auto sent = static_cast<uint64_t>(numbers * bytesOfNumber);
        return integerBytes +
               (bytesOfNumber < 4 ? std::min(sent, bytes) : bytes * bytesOfNumber / 4);
    }
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
 * The numbers in an output are counted by its shape. A shape that leaves out windows or another
 * leading axis does not fit the bytes; then a number is as large as in the layer's first input.
 *
 * @param path the model file
 * @return the graph
 * @throws InputError for an unreadable or malformed file, an unknown operator, a negative figure,
 *         a name used twice, an input that is no layer, tied weights that no earlier layer has, or
 *         a cycle, which it names
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
