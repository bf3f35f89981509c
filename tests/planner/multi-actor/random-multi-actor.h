// SPDX-License-Identifier: GPL-2.0-only

#ifndef RANDOM_MULTI_ACTOR_H
#define RANDOM_MULTI_ACTOR_H

#include "planner/pipeline/random-pipeline-problem.h"
#include "test.h"

#include "ns3/edgepipe-multi-actor-problem-builder.h"

/// Layers of 100 and 200 FLOP; 50 bytes in, 20 between, 5 out; a server of 1000 FLOP/s. Actor a
/// (100 FLOP/s, 100 bytes/s) takes 3 s alone, 0.85 s with all on the server, 1.45 s with one layer
/// there; actor b (50 FLOP/s) 6 s, 0.85 s and 2.45 s.
inline MultiActorProblem
MakeTwoActors()
{
    MultiActorProblem problem;
    problem.model = {{100, 200}, {50, 20, 5}, 1000};
    problem.actors = {{"a", 100, 100}, {"b", 50, 100}};
    problem.budgets = {300, 60, 1};
    return problem;
}

/** Makes multi-actor problems whose budgets bind, or nearly so. */
class RandomMultiActor
{
  public:
    using Problem = MultiActorProblem;

    /** What the budgets are measured by. */
    enum Server
    {
        ELASTIC,    //!< by the actors that there are
        NON_ELASTIC //!< by 20 actors
    };

    /// Half of the networks are traces/models/atari_cnn.json; the other half have 4 to 15 random
    /// layers that mostly shrink their input. Each budget is 0.1 to 1.2 times what the actors' best
    /// cuts take.
    /// @param layers if above 0, the network is a random one of so many layers
    /// @return the problem
    static Problem Make(uint64_t seed, std::size_t actors, Server server, std::size_t layers = 0)
    {
        RandomMultiActor random(seed);
        Problem problem;
        problem.model = layers > 0 ? random.MakeLayers(layers)
                        : seed % 2 ? random.MakeAtari()
                                   : random.MakeLayers(random.m_draws.Integer(4, 15));
        MultiActorLimits wanted{0, 0};
        for (std::size_t i = 0; i < actors; ++i)
        {
            problem.actors.push_back(random.MakeActor(i));
            const auto best = ListUsefulMultiActorCuts(problem.model, problem.actors[i]).front();
            wanted.flop += best.flop;
            wanted.bytes += best.bytes;
        }
        const double scale = server == ELASTIC ? 1 : 20.0 / actors;
        problem.budgets.delta = seed % 3 ? 1 : random.Between(0.5, 2);
        problem.budgets.computeFlop = random.Between(0.1, 1.2) * scale * wanted.flop;
        problem.budgets.bandwidthBytes =
            random.Between(0.1, 1.2) * scale * wanted.bytes * problem.budgets.delta;
        return problem;
    }

    explicit RandomMultiActor(uint64_t seed)
        : m_draws(seed)
    {
    }

    /// @return an actor from a Raspberry Pi 3 on poor Wi-Fi to a desktop's processor on good Wi-Fi
    MultiActor MakeActor(std::size_t index)
    {
        return {"actor" + std::to_string(index), Between(1e9, 3e10), Between(1e6, 2e7)};
    }

    /// @return a network of so many layers
    MultiActorModel MakeLayers(std::size_t layers)
    {
        MultiActorModel model;
        double bytes = 112896;
        model.outputBytes.push_back(static_cast<uint64_t>(bytes));
        for (std::size_t k = 0; k < layers; ++k)
        {
            const double kind = m_draws.Unit();
            bytes *= kind < 0.15 ? 2 + 2 * m_draws.Unit() : kind < 0.5 ? 1 : Between(0.2, 1);
            model.outputBytes.push_back(static_cast<uint64_t>(std::max(4.0, bytes)));
            model.layerFlop.push_back(static_cast<uint64_t>(Between(3e6, 3e8)));
        }
        model.outputBytes.back() = 72;
        model.serverFlopPerSecond = Between(1e12, 1e13);
        return model;
    }

    Draws& GetDraws()
    {
        return m_draws;
    }

  private:
    MultiActorModel MakeAtari()
    {
        return BuildMultiActorModel(ReadDnnGraph(EDGEPIPE_ROOT "/traces/models/atari_cnn.json"),
                                    Between(1e12, 1e13));
    }

    /** @return a number whose logarithm is evenly distributed */
    double Between(double least, double most)
    {
        return least * std::pow(most / least, m_draws.Unit());
    }

    Draws m_draws; //!< the random numbers
};

#endif /* RANDOM_MULTI_ACTOR_H */
