/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_REPLAY_BUFFER_H
#define EDGEPIPE_REPLAY_BUFFER_H

#include "edgepipe-q-network.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ns3::edgepipe
{

/** A batch of transitions to learn from. */
struct QBatch
{
    QInputs inputs;                   //!< states, a row for each
    std::vector<std::size_t> drawn;   //!< their places in the replay buffer
    std::vector<float> weights;       //!< weights of their errors; empty: 1
    std::vector<std::size_t> actions; //!< actions taken, to be filled in
    std::vector<float> targets;       //!< targets of these, to be filled in
};

/**
 * Experience replay: the newest transitions, drawn at random.
 *
 * Transitions are drawn in proportion to p^a, with p set by SetPriority (T. Schaul et al.,
 * "Prioritized experience replay", ICLR 2016); a = 0 draws uniformly. A new transition has the
 * largest priority seen.
 *
 * @tparam T a transition
 */
template <typename T>
class ReplayBuffer
{
  public:
    /**
     * @param capacity most transitions kept, at least 1
     * @param exponent a, at least 0
     */
    ReplayBuffer(std::size_t capacity, double exponent)
        : m_capacity(capacity),
          m_exponent(exponent),
          m_sums(2 * capacity, 0)
    {
    }

    /** @param transition to keep, in place of the oldest when the buffer is full */
    void Add(T transition)
    {
        const std::size_t index = m_next;
        m_next = (m_next + 1) % m_capacity;
        if (m_items.size() < m_capacity)
        {
            m_items.push_back(std::move(transition));
        }
        else
        {
            m_items[index] = std::move(transition);
        }
        SetPower(index, m_largest);
    }

    /**
     * @param random source of draws
     * @return index of a transition; there must be one
     */
    std::size_t Draw(Ptr<UniformRandomVariable> random) const
    {
        double rest = random->GetValue(0, m_sums[1]);
        std::size_t node = 1;
        while (node < m_capacity)
        {
            node *= 2;
            // Rounding must not lead to a leaf that holds nothing.
            if (rest >= m_sums[node] && m_sums[node + 1] > 0)
            {
                rest -= m_sums[node];
                ++node;
            }
        }
        return std::min(node - m_capacity, m_items.size() - 1);
    }

    /**
     * @param index of a transition
     * @return the weight of its error, which corrects for frequent draws: (n P)^-1, with n
     *         transitions and P the probability of drawing this one
     */
    double GetWeight(std::size_t index) const
    {
        return m_sums[1] / (m_sums[m_capacity + index] * static_cast<double>(m_items.size()));
    }

    /**
     * @param index of a transition
     * @param error the network's error for it
     */
    void SetPriority(std::size_t index, double error)
    {
        const double power = std::pow(std::abs(error) + SMALLEST_PRIORITY, m_exponent);
        m_largest = std::max(m_largest, power);
        SetPower(index, power);
    }

    /**
     * @param count number of transitions
     * @param random source of draws
     * @return transitions; T must have a member state, a QState
     */
    QBatch DrawBatch(std::size_t count, const Ptr<UniformRandomVariable>& random) const
    {
        QBatch batch;
        for (std::size_t i = 0; i < count; ++i)
        {
            const std::size_t index = Draw(random);
            batch.drawn.push_back(index);
            batch.inputs.Add(m_items[index].state);
            if (m_exponent > 0)
            {
                batch.weights.push_back(static_cast<float>(GetWeight(index)));
            }
        }
        return batch;
    }

    /**
     * Takes a gradient step and sets priorities by the errors.
     *
     * @param network network to train
     * @param batch batch from DrawBatch
     * @return mean squared error before the step
     */
    double Fit(QNetwork& network, const QBatch& batch)
    {
        double loss = 0;
        const auto errors = network.Fit(batch.inputs, batch.actions, batch.targets, batch.weights);
        for (std::size_t i = 0; i < errors.size(); ++i)
        {
            SetPriority(batch.drawn[i], errors[i]);
            loss += errors[i] * errors[i] / static_cast<double>(errors.size());
        }
        return loss;
    }

    /** @return number of transitions */
    std::size_t GetSize() const
    {
        return m_items.size();
    }

    /**
     * @param index of a transition
     * @return the transition
     */
    const T& operator[](std::size_t index) const
    {
        return m_items[index];
    }

  private:
    /// Keeps transitions without an error from never being drawn again.
    static constexpr double SMALLEST_PRIORITY = 1e-3;

    /**
     * @param index of a transition
     * @param power p^a
     */
    void SetPower(std::size_t index, double power)
    {
        std::size_t node = m_capacity + index;
        m_sums[node] = power;
        for (node /= 2; node > 0; node /= 2)
        {
            m_sums[node] = m_sums[2 * node] + m_sums[2 * node + 1];
        }
    }

    std::size_t m_capacity;     //!< most transitions
    double m_exponent;          //!< a
    std::vector<T> m_items;     //!< the transitions
    std::vector<double> m_sums; //!< node i sums nodes 2 i and 2 i + 1; the leaves hold p^a
    std::size_t m_next{0};      //!< where the next transition goes
    double m_largest{1};        //!< largest p^a so far
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_REPLAY_BUFFER_H */
