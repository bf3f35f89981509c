/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-multi-actor-cut.h"
#include "edgepipe-multi-actor-planner.h"

#include <algorithm>
#include <tuple>

namespace ns3::edgepipe
{

namespace
{

/** A cut that an actor may choose. */
struct Offer
{
    std::size_t actor; //!< index of the actor
    MultiActorCut cut; //!< the cut
    double density;    //!< seconds saved per FLOP or byte of the scarcer resource
};

} // namespace

/**
 * The incremental greedy algorithm of the paper cited at MultiActorProblem: every actor that joins
 * takes its best response to what is free (eq. 25), and no actor ever gives anything back.
 */
class IgreedyPlanner : public Named<IgreedyPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "igreedy"; //!< for users

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        MultiActorLimits free = GetMultiActorLimits(problem.budgets);
        MultiActorPlan plan;
        for (const MultiActor& actor : problem.actors)
        {
            const auto cuts = ListUsefulMultiActorCuts(problem.model, actor);
            const MultiActorCut& best = cuts[FindBestResponse(cuts, free)];
            free.flop -= best.flop;
            free.bytes -= best.bytes;
            plan.cuts.push_back(best.cut);
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(IgreedyPlanner);

/**
 * The offline greedy algorithm of the paper cited at MultiActorProblem, which does not specify it:
 * takes the cuts of all actors in order of the seconds saved per unit of the scarcer resource, each
 * if it fits and its actor has none yet.
 *
 * The scarcer resource is the one of whose budget all actors' best cuts (eq. 7) together take the
 * larger share.
 */
class OgreedyPlanner : public Named<OgreedyPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "ogreedy"; //!< for users

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        std::vector<Offer> offers;
        MultiActorLimits wanted{0, 0};
        for (std::size_t i = 0; i < problem.actors.size(); ++i)
        {
            const auto cuts = ListUsefulMultiActorCuts(problem.model, problem.actors[i]);
            wanted.flop += cuts.front().flop;
            wanted.bytes += cuts.front().bytes;
            for (const MultiActorCut& cut : cuts)
            {
                offers.push_back({i, cut, 0});
            }
        }
        MultiActorLimits free = GetMultiActorLimits(problem.budgets);
        const bool isComputeScarcer = static_cast<double>(wanted.flop) * free.bytes >=
                                      static_cast<double>(wanted.bytes) * free.flop;
        for (Offer& offer : offers)
        {
            // Infinite for a cut that takes none of it; the condition avoids 0 / 0.
            const uint64_t taken = isComputeScarcer ? offer.cut.flop : offer.cut.bytes;
            offer.density = offer.cut.reductionSeconds > 0 ? offer.cut.reductionSeconds / taken : 0;
        }
        std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
            return std::tie(a.density, a.cut.reductionSeconds) >
                   std::tie(b.density, b.cut.reductionSeconds);
        });
        const std::size_t none = problem.model.layerFlop.size() + 1;
        MultiActorPlan plan{std::vector<std::size_t>(problem.actors.size(), none)};
        for (const Offer& offer : offers)
        {
            if (plan.cuts[offer.actor] == none && offer.cut.flop <= free.flop &&
                offer.cut.bytes <= free.bytes)
            {
                plan.cuts[offer.actor] = offer.cut.cut;
                free.flop -= offer.cut.flop;
                free.bytes -= offer.cut.bytes;
            }
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(OgreedyPlanner);

/**
 * Every actor runs all layers, y = K, as in IMPALA (L. Espeholt et al., ICML 2018): the server only
 * learns.
 */
class AllLocalPlanner : public Named<AllLocalPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "all-local"; //!< for users

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        return {std::vector<std::size_t>(problem.actors.size(), problem.model.layerFlop.size())};
    }
};

NS_OBJECT_ENSURE_REGISTERED(AllLocalPlanner);

/**
 * The server runs all layers for every actor, y = 0, as in Seed-RL (L. Espeholt et al., ICLR 2020),
 * without keeping the budgets.
 */
class AllServerPlanner : public Named<AllServerPlanner, MultiActorPlanner>
{
  public:
    static constexpr const char* NAME = "all-server"; //!< for users

    bool KeepsBudgets() const override
    {
        return false;
    }

  private:
    MultiActorPlan DoPlan(const MultiActorProblem& problem) override
    {
        return {std::vector<std::size_t>(problem.actors.size(), 0)};
    }
};

NS_OBJECT_ENSURE_REGISTERED(AllServerPlanner);

} // namespace ns3::edgepipe
