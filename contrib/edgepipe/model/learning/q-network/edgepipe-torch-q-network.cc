/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-q-network.h"

#include <mutex>

// From OpenBLAS, which LibTorch multiplies with where installed: its threads cost more than they
// gain for matrices this small.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));
#include <torch/torch.h>

namespace ns3::edgepipe
{

namespace
{

/** The layers of one Q network. */
struct Layers : torch::nn::Module
{
    /** @param shape the network's shape */
    explicit Layers(const QNetworkShape& shape)
    {
        if (shape.recurrentInputs > 0)
        {
            gru = register_module("gru",
                                  torch::nn::GRUCell(shape.recurrentInputs, shape.recurrentUnits));
        }
        std::size_t width = shape.recurrentUnits + shape.inputs;
        for (std::size_t units : shape.hidden)
        {
            linear.push_back(register_module("hidden" + std::to_string(linear.size()),
                                             torch::nn::Linear(width, units)));
            width = units;
        }
        linear.push_back(register_module("output", torch::nn::Linear(width, shape.outputs)));
    }

    torch::nn::GRUCell gru{nullptr};       //!< empty: none
    std::vector<torch::nn::Linear> linear; //!< the layers, the output last
};

/** The network, computed by LibTorch on one thread. */
class TorchQNetwork : public QNetwork
{
  public:
    /**
     * @param shape the network's shape
     * @param learningRate step size of Adam
     */
    TorchQNetwork(const QNetworkShape& shape, double learningRate)
        : QNetwork(shape),
          m_online(shape),
          m_target(shape),
          m_adam(m_online.parameters(), torch::optim::AdamOptions(learningRate))
    {
        SetWeights(std::vector<float>(shape.CountWeights(), 0));
    }

    QOutputs Evaluate(Which which, const QInputs& inputs) override
    {
        torch::NoGradGuard guard;
        auto [values, hidden] = Forward(which == ONLINE ? m_online : m_target, inputs);
        return {ToVector(values), ToVector(hidden)};
    }

    std::vector<float> Fit(const QInputs& inputs,
                           const std::vector<std::size_t>& actions,
                           const std::vector<float>& targets,
                           const std::vector<float>& weights) override
    {
        std::vector<int64_t> indices(actions.begin(), actions.end());
        const auto rows = static_cast<int64_t>(inputs.rows);
        const auto chosen = torch::from_blob(indices.data(), {rows, 1}, torch::kInt64);
        const auto values = Forward(m_online, inputs).first.gather(1, chosen).squeeze(1);
        const auto errors = Wrap(targets, inputs.rows).squeeze(1) - values;
        auto squares = errors * errors;
        if (!weights.empty())
        {
            squares = squares * Wrap(weights, inputs.rows).squeeze(1);
        }
        Step(squares.mean());
        return ToVector(errors);
    }

    void Descend(const QInputs& inputs, const std::vector<float>& gradients) override
    {
        Step((Forward(m_online, inputs).first * Wrap(gradients, inputs.rows)).sum());
    }

    void CopyToTarget() override
    {
        torch::NoGradGuard guard;
        auto from = m_online.parameters();
        auto to = m_target.parameters();
        for (std::size_t i = 0; i < from.size(); ++i)
        {
            to[i].copy_(from[i]);
        }
    }

    std::vector<float> GetWeights() const override
    {
        std::vector<float> weights;
        for (const auto& parameter : m_online.parameters())
        {
            auto part = ToVector(parameter);
            weights.insert(weights.end(), part.begin(), part.end());
        }
        return weights;
    }

    void SetWeights(const std::vector<float>& weights) override
    {
        torch::NoGradGuard guard;
        const float* next = weights.data();
        for (auto& parameter : m_online.parameters())
        {
            // from_blob takes no const pointer; the values are only read.
            parameter.copy_(
                torch::from_blob(const_cast<float*>(next), parameter.sizes(), torch::kFloat32));
            next += parameter.numel();
        }
        CopyToTarget();
    }

  private:
    /// Largest norm of the gradient; a longer one is clipped to it.
    static constexpr double LARGEST_GRADIENT = 10;

    /** @param loss the loss to descend */
    void Step(const torch::Tensor& loss)
    {
        m_adam.zero_grad();
        loss.backward();
        torch::nn::utils::clip_grad_norm_(m_online.parameters(), LARGEST_GRADIENT);
        m_adam.step();
    }

    /**
     * @param values rows of equal length, which the tensor does not copy
     * @param rows number of rows
     * @return them as a tensor
     */
    static torch::Tensor Wrap(const std::vector<float>& values, std::size_t rows)
    {
        return torch::from_blob(
            const_cast<float*>(values.data()),
            {static_cast<int64_t>(rows), static_cast<int64_t>(values.size() / rows)},
            torch::kFloat32);
    }

    /**
     * @param tensor any tensor
     * @return its values, row by row
     */
    static std::vector<float> ToVector(const torch::Tensor& tensor)
    {
        const auto flat = tensor.detach().contiguous();
        return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
    }

    /**
     * @param layers of a network
     * @param inputs the rows
     * @return Q and h
     */
    std::pair<torch::Tensor, torch::Tensor> Forward(Layers& layers, const QInputs& inputs) const
    {
        auto values = Wrap(inputs.states, inputs.rows);
        torch::Tensor hidden = torch::empty({0});
        if (layers.gru)
        {
            hidden = layers.gru->forward(Wrap(inputs.recurrent, inputs.rows),
                                         Wrap(inputs.previous, inputs.rows));
            values = torch::cat({hidden, values}, 1);
        }
        for (std::size_t i = 0; i < layers.linear.size(); ++i)
        {
            values = layers.linear[i]->forward(values);
            if (i + 1 < layers.linear.size())
            {
                values = torch::relu_(values);
            }
        }
        return {values, hidden};
    }

    Layers m_online;           //!< learns
    Layers m_target;           //!< the target network
    torch::optim::Adam m_adam; //!< the optimiser
};

} // namespace

extern "C" QNetwork*
EdgepipeMakeQNetwork(const QNetworkShape& shape, double learningRate)
{
    static std::once_flag once;
    std::call_once(once, [] {
        torch::set_num_threads(1);
        if (openblas_set_num_threads)
        {
            openblas_set_num_threads(1);
        }
    });
    return new TorchQNetwork(shape, learningRate);
}

} // namespace ns3::edgepipe
