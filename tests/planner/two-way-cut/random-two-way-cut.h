// SPDX-License-Identifier: GPL-2.0-only

#ifndef RANDOM_TWO_WAY_CUT_H
#define RANDOM_TWO_WAY_CUT_H

#include "planner/pipeline/random-pipeline-problem.h"
#include "test.h"

/** Makes two-way cut problems whose costs are whole nanoseconds. */
class RandomTwoWayCut
{
  public:
    using Problem = TwoWayCutProblem;

    /** How the layers read each other. */
    enum Shape
    {
        CHAIN,  //!< each the one before it, some an older one too
        WINDOW, //!< up to three of the few before it
        ANY,    //!< up to three of all before it
        NESTED, //!< branches within branches
        SHAPES  //!< how many there are
    };

    /// Some layers have no input, some are read by nobody, some cost nothing or send nothing, and
    /// some are faster on the device.
    /// @param seed the seed; its remainder by SHAPES is the shape
    /// @return the problem
    static Problem Make(uint64_t seed, std::size_t layers)
    {
        RandomTwoWayCut random(seed);
        switch (seed % SHAPES)
        {
        case NESTED:
            random.GrowNested({}, layers);
            break;
        case CHAIN:
            random.GrowWindow(layers, 1, 0.1);
            break;
        case WINDOW:
            random.GrowWindow(layers, 1 + random.m_draws.Integer(1, 5), 0.02);
            break;
        default:
            random.GrowWindow(layers, layers, 0);
        }
        return random.m_problem;
    }

  private:
    using Inputs = std::vector<std::size_t>;

    explicit RandomTwoWayCut(uint64_t seed)
        : m_draws(seed)
    {
        m_serverShare = std::pow(10, -1.5 * m_draws.Unit());
        // A byte takes 1 to 10,000 ns up and as long down.
        m_problem.uplinkBitsPerSecond = 8e9 / std::floor(std::pow(10, 4 * m_draws.Unit()));
        m_problem.downlinkBitsPerSecond = 8e9 / std::floor(std::pow(10, 4 * m_draws.Unit()));
        m_problem.inputBytes = m_draws.Integer(0, 3000);
        m_problem.countResult = m_draws.Unit() < 0.7;
    }

    /** @return the index of a new layer that reads the given ones */
    std::size_t AddLayer(Inputs inputs)
    {
        std::sort(inputs.begin(), inputs.end());
        inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
        const std::size_t index = m_problem.layers.size();
        const auto draw = [this](double most) {
            return m_draws.Unit() < 0.15 ? 0 : std::floor(most * m_draws.Unit());
        };
        m_problem.layers.Edit().push_back({"l" + std::to_string(index),
                                           inputs,
                                           static_cast<uint64_t>(draw(1000)),
                                           draw(1e6) * 1e-9,
                                           draw(1e6 * m_serverShare) * 1e-9});
        return index;
    }

    /** Add layers that read up to three of those at most `window` before them. */
    void GrowWindow(std::size_t layers, std::size_t window, double jumpShare)
    {
        for (std::size_t i = 0; i < layers; ++i)
        {
            Inputs inputs;
            const std::size_t most = window == 1 ? 1 : m_draws.Integer(1, 3);
            for (std::size_t j = 0; i > 0 && j < most; ++j)
            {
                inputs.push_back(i - m_draws.Integer(1, std::min(window, i)));
            }
            if (i > 0 && m_draws.Unit() < jumpShare)
            {
                inputs.push_back(m_draws.Integer(0, i - 1));
            }
            if (i > 0 && m_draws.Unit() < 0.03)
            {
                inputs.clear();
            }
            AddLayer(inputs);
        }
    }

    /** @return the last of `layers` new layers behind a head, or behind the input without one */
    std::size_t GrowNested(const Inputs& head, std::size_t layers)
    {
        if (layers <= 1)
        {
            return AddLayer(head);
        }
        const std::size_t part = m_draws.Integer(1, layers - 1);
        if (layers == 2 || m_draws.Unit() < 0.4)
        {
            const std::size_t middle = GrowNested(head, part);
            const bool isUnread = part > 1 && m_draws.Unit() < 0.1;
            return GrowNested({isUnread ? middle - 1 : middle}, layers - part);
        }
        if (layers >= 6 && m_draws.Unit() < 0.4)
        {
            return GrowTangled(head, layers);
        }
        Inputs tails;
        std::size_t left = layers - 1;
        while (left > 0)
        {
            const std::size_t size = m_draws.Integer(1, left);
            tails.push_back(GrowNested(head, size));
            left -= size;
        }
        if (!head.empty() && m_draws.Unit() < 0.3)
        {
            tails.push_back(head[0]);
        }
        return AddLayer(tails);
    }

    /** @return the last of `layers` new layers, of which those in between cannot be divided */
    std::size_t GrowTangled(const Inputs& head, std::size_t layers)
    {
        const std::size_t first = AddLayer(head);
        Inputs tails;
        for (std::size_t i = 1; i + 1 < layers; ++i)
        {
            Inputs inputs{i < 3 ? first : first + m_draws.Integer(1, i - 1)};
            if (i > 2)
            {
                inputs.push_back(first + m_draws.Integer(0, i - 1));
            }
            tails.push_back(AddLayer(inputs));
        }
        for (std::size_t i = first + 1; i < m_problem.layers.size(); ++i)
        {
            for (const std::size_t input : m_problem.layers[i].inputs)
            {
                if (m_draws.Unit() < 0.8)
                {
                    tails.erase(std::remove(tails.begin(), tails.end(), input), tails.end());
                }
            }
        }
        return AddLayer(tails);
    }

    Draws m_draws;           //!< the random numbers
    Problem m_problem;       //!< so far
    double m_serverShare{1}; //!< server seconds over device seconds, about
};

#endif /* RANDOM_TWO_WAY_CUT_H */
