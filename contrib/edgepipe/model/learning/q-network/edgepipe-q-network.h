/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_Q_NETWORK_H
#define EDGEPIPE_Q_NETWORK_H

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ns3::edgepipe
{

/** Shape of a Q network: an optional GRU cell, then layers with ReLU between them. */
struct QNetworkShape
{
    std::size_t recurrentInputs{0};  //!< entries of the GRU's input x; 0: there is no GRU
    std::size_t recurrentUnits{0};   //!< entries of the GRU's hidden state h
    std::size_t inputs{1};           //!< entries of the state s, concatenated with h
    std::vector<std::size_t> hidden; //!< units of the hidden layers
    std::size_t outputs{1};          //!< actions

    /** @return how many weights and biases the network has */
    std::size_t CountWeights() const;
};

/** Input of a Q network for one decision. */
struct QState
{
    std::vector<float> recurrent{};     //!< x
    std::vector<float> previous{};      //!< h of the previous step
    std::vector<float> figures{};       //!< s
    std::vector<std::size_t> allowed{}; //!< actions that may be taken
};

/** Rows of inputs for a Q network, one after the other. */
struct QInputs
{
    std::size_t rows{0};          //!< number of rows
    std::vector<float> recurrent; //!< x, rows * recurrentInputs
    std::vector<float> previous;  //!< h of the previous step, rows * recurrentUnits
    std::vector<float> states;    //!< s, rows * inputs

    /** @param state to add as a row */
    void Add(const QState& state);
};

/** Outputs of a Q network for QInputs. */
struct QOutputs
{
    std::vector<float> values; //!< Q, rows * outputs
    std::vector<float> hidden; //!< h of this step, rows * recurrentUnits
};

/**
 * A Q network and its target network: h_t = GRU(x_t, h_(t-1)), Q = layers(h_t, s_t). With Descend
 * the outputs may have another meaning, such as the logits of a policy.
 *
 * The implementation uses LibTorch. It is in a separate library, which MakeQNetwork opens: LibTorch
 * pulls in some 280 shared libraries, which take about half a second to load, and programs that do
 * not learn avoid that.
 */
class QNetwork
{
  public:
    /** Which of the two networks. */
    enum Which
    {
        ONLINE, //!< the one that learns
        TARGET  //!< its copy at the last CopyToTarget
    };

    /** @param shape the network's shape */
    explicit QNetwork(const QNetworkShape& shape)
        : m_shape(shape)
    {
    }

    virtual ~QNetwork() = default;

    /** @return the network's shape */
    const QNetworkShape& GetShape() const
    {
        return m_shape;
    }

    /**
     * @param which which network
     * @param inputs the rows
     * @return Q and h of every row
     */
    virtual QOutputs Evaluate(Which which, const QInputs& inputs) = 0;

    /**
     * Takes one step of Adam down the mean of weight * error^2, where error = target - Q(s, a).
     *
     * @param inputs the rows
     * @param actions a, by row
     * @param targets what Q(s, a) should be, by row
     * @param weights weight of the error, by row; empty: 1
     * @return the errors before the step, by row
     */
    virtual std::vector<float> Fit(const QInputs& inputs,
                                   const std::vector<std::size_t>& actions,
                                   const std::vector<float>& targets,
                                   const std::vector<float>& weights) = 0;

    /**
     * Takes one step of Adam down any loss that is a function of the outputs.
     *
     * @param inputs the rows
     * @param gradients derivatives of the loss with respect to the outputs, rows * outputs
     */
    virtual void Descend(const QInputs& inputs, const std::vector<float>& gradients) = 0;

    /** Copies the online network to the target network. */
    virtual void CopyToTarget() = 0;

    /**
     * @return every weight and bias of the online network: the GRU's input-hidden and hidden-hidden
     *         weights and biases (reset, update, new), then each layer's weights (row by row, one
     *         row per unit) and biases
     */
    virtual std::vector<float> GetWeights() const = 0;

    /** @param weights for both networks, in the order of GetWeights, as many as that returns */
    virtual void SetWeights(const std::vector<float>& weights) = 0;

  private:
    QNetworkShape m_shape; //!< the network's shape
};

/**
 * @param shape the network's shape
 * @param learningRate step size of Adam, above 0
 * @return a network whose weights are all 0
 * @throws InputError when the library that computes it cannot be opened
 */
std::unique_ptr<QNetwork> MakeQNetwork(const QNetworkShape& shape, double learningRate);

/**
 * @param shape of a network
 * @param random source of draws
 * @return weights for it, uniform in +-1 / sqrt(n), with n the layer's inputs (of the GRU: its
 *         units), as LibTorch draws them
 */
std::vector<float> DrawQWeights(const QNetworkShape& shape, Ptr<UniformRandomVariable> random);

/**
 * @param values by action
 * @param allowed actions, at least one
 * @return the first allowed action with the largest value
 */
std::size_t FindBestAction(const float* values, const std::vector<std::size_t>& allowed);

/**
 * @param allowed actions, at least one
 * @param random source of the draw
 * @return one of them
 */
std::size_t DrawAnyAction(const std::vector<std::size_t>& allowed,
                          const Ptr<UniformRandomVariable>& random);

/**
 * @param name of the attribute
 * @param text such as 160,128,64
 * @return the numbers
 * @throws InputError when the text is not such a list
 */
std::vector<std::size_t> ParseHiddenUnits(const std::string& name, const std::string& text);

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_Q_NETWORK_H */
