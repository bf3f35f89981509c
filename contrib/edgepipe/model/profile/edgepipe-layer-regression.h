/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LAYER_REGRESSION_H
#define EDGEPIPE_LAYER_REGRESSION_H

#include "edgepipe-device-spec.h"
#include "edgepipe-dnn-graph.h"
#include "edgepipe-layer-cost.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/**
 * Predicts the time of a layer's forward pass by a linear function of its figures, one function per
 * operator, fitted by least squares, as Neurosurgeon (see NeurosurgeonPlanner), section 4.1, does
 * for layers that were not measured.
 *
 * seconds = c0 + c1 FLOP + c2 input bytes + c3 output bytes + c4 parameter bytes, at least 0. If
 * the layers of an operator do not determine all five, the solution of least norm is taken. A layer
 * with operator "input" takes no time.
 */
class LayerRegression
{
  public:
    /**
     * Add the layers of a model as examples, by their isolated times, or their times in context
     * where those are unknown.
     *
     * @param graph the model
     * @param cost its layer costs; all examples must be of the same device and batch
     */
    void AddExamples(const DnnGraph& graph, const LayerCost& cost);

    /** Fit to the examples given so far. */
    void Fit();

    /**
     * @param graph a model
     * @return seconds by layer, for the batch of the examples
     * @throws InputError for an operator without examples
     */
    std::vector<double> Predict(const DnnGraph& graph) const;

  private:
    /// 1, FLOP, bytes of inputs, output and parameters.
    using Features = std::array<double, 5>;

    /** A layer and its time. */
    struct Example
    {
        Features features; //!< of the layer
        double seconds;    //!< its time
    };

    /** @return the features of a layer */
    static Features GetFeatures(const DnnGraph& graph, const DnnLayer& layer);

    std::map<std::string, std::vector<Example>> m_examples; //!< by operator
    std::map<std::string, Features> m_coefficients;         //!< by operator
};

/**
 * Fits to all models of a traces folder: to those measured on the device or, if there are none, to
 * their roofline estimates.
 *
 * @param tracesDirectory the traces folder
 * @param spec the device
 * @param batch samples per batch, at least 1
 * @return the fitted regression
 * @throws InputError for a model or profile that is malformed, or a folder without models
 */
LayerRegression FitLayerRegression(const std::string& tracesDirectory,
                                   const DeviceSpec& spec,
                                   uint32_t batch);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LAYER_REGRESSION_H */
