// SPDX-License-Identifier: GPL-2.0-only

#include "test.h"

#include "ns3/edgepipe-replay-buffer.h"

#include <array>

namespace
{

/** @return draws that are the same every time */
Ptr<UniformRandomVariable>
MakeRandom()
{
    auto random = CreateObject<UniformRandomVariable>();
    random->SetStream(7);
    return random;
}

/** A transition of the toy problem. */
struct ToyStep
{
    int state;     //!< 0 to 3
    int action;    //!< 0 left, 1 right
    double reward; //!< of the step
    int next;      //!< state; -1: the episode ended
};

/// Four states in a row. Right leads on, from the last one out with reward 1. Left leads out at
/// once with reward 0.5 from state 0 and 0 from the others. With gamma = 0.8, by hand: Q(3, right)
/// = 1, Q(2, right) = 0.8, Q(1, right) = 0.64, Q(0, right) = 0.512, Q(0, left) = 0.5.
/// @return what happens
ToyStep
TakeToyStep(int state, int action)
{
    if (action == 0)
    {
        return {state, action, state == 0 ? 0.5 : 0, -1};
    }
    return {state, action, state == 3 ? 1.0 : 0, state == 3 ? -1 : state + 1};
}

/// @param state of the toy problem, as one of four
void
AppendToyState(QInputs& inputs, int state)
{
    ++inputs.rows;
    for (int i = 0; i < 4; ++i)
    {
        inputs.states.push_back(i == state ? 1 : 0);
    }
}

TEST(EdgepipeQNetwork, ConvergesToTheKnownQValuesOfAToyProblem)
{
    const double gamma = 0.8;
    const double known[4][2] = {{0.5, 0.512}, {0, 0.64}, {0, 0.8}, {0, 1}};
    QNetworkShape shape;
    shape.inputs = 4;
    shape.hidden = {32, 32};
    shape.outputs = 2;
    auto random = MakeRandom();
    auto network = MakeQNetwork(shape, 3e-3);
    network->SetWeights(DrawQWeights(shape, random));
    ReplayBuffer<ToyStep> replay(500, 0.6);
    for (int i = 0; i < 200; ++i)
    {
        replay.Add(TakeToyStep(static_cast<int>(random->GetInteger(0, 3)),
                               static_cast<int>(random->GetInteger(0, 1))));
    }
    QInputs all;
    for (int state = 0; state < 4; ++state)
    {
        AppendToyState(all, state);
    }
    auto loss = [&] {
        const auto values = network->Evaluate(QNetwork::ONLINE, all).values;
        double sum = 0;
        for (int i = 0; i < 8; ++i)
        {
            sum += std::pow(values[i] - known[i / 2][i % 2], 2) / 8;
        }
        return sum;
    };
    const double before = loss();
    for (int fit = 0; fit < 1500; ++fit)
    {
        QInputs now;
        QInputs next;
        std::vector<std::size_t> drawn;
        std::vector<std::size_t> actions;
        std::vector<float> weights;
        for (int i = 0; i < 16; ++i)
        {
            drawn.push_back(replay.Draw(random));
            const ToyStep& step = replay[drawn.back()];
            AppendToyState(now, step.state);
            AppendToyState(next, std::max(0, step.next));
            actions.push_back(step.action);
            weights.push_back(static_cast<float>(replay.GetWeight(drawn.back())));
        }
        const auto values = network->Evaluate(QNetwork::TARGET, next).values;
        std::vector<float> targets;
        for (std::size_t i = 0; i < drawn.size(); ++i)
        {
            const ToyStep& step = replay[drawn[i]];
            const double rest =
                step.next < 0 ? 0 : gamma * std::max(values[2 * i], values[2 * i + 1]);
            targets.push_back(static_cast<float>(step.reward + rest));
        }
        const auto errors = network->Fit(now, actions, targets, weights);
        for (std::size_t i = 0; i < drawn.size(); ++i)
        {
            replay.SetPriority(drawn[i], errors[i]);
        }
        if (fit % 25 == 0)
        {
            network->CopyToTarget();
        }
    }
    EXPECT_GT(before, 0.05);
    EXPECT_LT(loss(), 1e-4);
}

TEST(EdgepipeQNetwork, ComputesTheGruAndTheLayersByTheirEquations)
{
    // One unit each: r = s(x), z = s(0) = 1/2, n = tanh(x + r h), h' = (1 - z) n + z h, then
    // Q = max(0, h' + 2 s).
    QNetworkShape shape;
    shape.recurrentInputs = 1;
    shape.recurrentUnits = 1;
    shape.inputs = 1;
    shape.hidden = {1};
    shape.outputs = 1;
    auto network = MakeQNetwork(shape, 1e-3);
    network->SetWeights({1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 0});
    ASSERT_EQ(shape.CountWeights(), 17U);
    const double x = 0.3;
    const double h = -0.4;
    const double s = 0.25;
    const double r = 1 / (1 + std::exp(-x));
    const double next = std::tanh(x + r * h) / 2 + h / 2;
    QInputs inputs;
    inputs.rows = 1;
    inputs.recurrent = {static_cast<float>(x)};
    inputs.previous = {static_cast<float>(h)};
    inputs.states = {static_cast<float>(s)};
    const auto outputs = network->Evaluate(QNetwork::TARGET, inputs);
    EXPECT_NEAR(outputs.hidden[0], next, 1e-6);
    EXPECT_NEAR(outputs.values[0], next + 2 * s, 1e-6);
}

TEST(EdgepipeQNetwork, TargetFollowsOnlyWhenCopied)
{
    QNetworkShape shape;
    shape.hidden = {4};
    auto network = MakeQNetwork(shape, 0.1);
    network->SetWeights(DrawQWeights(shape, MakeRandom()));
    QInputs inputs;
    inputs.rows = 1;
    inputs.states = {1};
    const auto before = network->Evaluate(QNetwork::TARGET, inputs).values;
    const auto weights = network->GetWeights();
    const auto errors = network->Fit(inputs, {0}, {before[0] + 2}, {});
    EXPECT_NEAR(errors[0], 2, 1e-6);
    EXPECT_NE(network->GetWeights(), weights);
    EXPECT_EQ(network->Evaluate(QNetwork::TARGET, inputs).values, before);
    network->CopyToTarget();
    EXPECT_EQ(network->Evaluate(QNetwork::TARGET, inputs).values,
              network->Evaluate(QNetwork::ONLINE, inputs).values);
    EXPECT_NE(network->Evaluate(QNetwork::TARGET, inputs).values, before);
}

TEST(EdgepipeReplayBuffer, DrawsInProportionToPriorityAndForgetsTheOldest)
{
    ReplayBuffer<int> replay(4, 1);
    auto random = MakeRandom();
    for (int value : {10, 11, 12, 13, 14})
    {
        replay.Add(value);
    }
    ASSERT_EQ(replay.GetSize(), 4U);
    EXPECT_EQ(replay[0], 14);
    const std::array<double, 4> shares{0.1, 0.3, 0.2, 0.4};
    for (std::size_t i = 0; i < shares.size(); ++i)
    {
        replay.SetPriority(i, shares[i] - 1e-3); // which is what keeps priorities above 0
    }
    std::array<int, 4> counts{};
    for (int i = 0; i < 20000; ++i)
    {
        ++counts[replay.Draw(random)];
    }
    for (std::size_t i = 0; i < shares.size(); ++i)
    {
        EXPECT_NEAR(counts[i] / 20000.0, shares[i], 0.015);
        EXPECT_NEAR(replay.GetWeight(i), 1 / (4 * shares[i]), 1e-9);
    }
}

} // namespace
