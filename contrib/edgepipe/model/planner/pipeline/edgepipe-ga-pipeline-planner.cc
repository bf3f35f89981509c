/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-search-pipeline-planner.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace edgepipe
{

/**
 * A genetic algorithm over random keys: the best are kept, children take each key from the better
 * of their parents more often, and some keys move by a normal step or are drawn anew.
 */
class GaPipelinePlanner : public SearchPipelinePlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::edgepipe::GaPipelinePlanner")
                .SetParent<SearchPipelinePlanner>()
                .SetGroupName("Edgepipe")
                .AddConstructor<GaPipelinePlanner>()
                .AddAttribute("Population",
                              "Plans of a generation.",
                              UintegerValue(100),
                              MakeUintegerAccessor(&GaPipelinePlanner::m_population),
                              MakeUintegerChecker<uint32_t>(4))
                .AddAttribute("Elite",
                              "Share of a generation that is kept as it is.",
                              DoubleValue(0.1),
                              MakeDoubleAccessor(&GaPipelinePlanner::m_elite),
                              MakeDoubleChecker<double>(0, 0.9))
                .AddAttribute("Mutation",
                              "Share of keys that change.",
                              DoubleValue(0.08),
                              MakeDoubleAccessor(&GaPipelinePlanner::m_mutation),
                              MakeDoubleChecker<double>(0, 1))
                .AddAttribute("Inheritance",
                              "How often a child takes a key of its better parent.",
                              DoubleValue(0.7),
                              MakeDoubleAccessor(&GaPipelinePlanner::m_inheritance),
                              MakeDoubleChecker<double>(0.5, 1));
        return tid;
    }

    std::string GetName() const override
    {
        return "ga";
    }

  private:
    Candidate Search(PipelineKeys& keys) override
    {
        const auto isBetter = [](const Candidate& a, const Candidate& b) {
            return a.seconds < b.seconds;
        };
        std::vector<Candidate> generation{Draw(keys)};
        while (generation.size() < m_population && HasBudget(keys))
        {
            generation.push_back(Draw(keys));
        }
        std::stable_sort(generation.begin(), generation.end(), isBetter);
        const auto kept =
            std::max<std::size_t>(1, static_cast<std::size_t>(m_elite * m_population));
        while (HasBudget(keys))
        {
            std::vector<Candidate> next(generation.begin(),
                                        generation.begin() + std::min(kept, generation.size()));
            while (next.size() < m_population && HasBudget(keys))
            {
                next.push_back(MakeChild(generation, keys));
            }
            std::stable_sort(next.begin(), next.end(), isBetter);
            generation = std::move(next);
        }
        return generation.front();
    }

    /**
     * @param generation sorted, the best first
     * @param keys plans
     * @return a child of two of them
     */
    Candidate MakeChild(const std::vector<Candidate>& generation, PipelineKeys& keys)
    {
        // The better of two drawn is a parent; places are sorted, so that a lower one
        // is better.
        const auto select = [&] {
            const double count = static_cast<double>(generation.size());
            return static_cast<std::size_t>(std::min(DrawNumber(0, count), DrawNumber(0, count)));
        };
        const std::size_t a = select();
        const std::size_t b = select();
        const auto& better = generation[std::min(a, b)].keys;
        const auto& worse = generation[std::max(a, b)].keys;
        Candidate child;
        for (std::size_t i = 0; i < keys.GetSize(); ++i)
        {
            double key = DrawNumber(0, 1) < m_inheritance ? better[i] : worse[i];
            if (DrawNumber(0, 1) < m_mutation)
            {
                constexpr double step = 0.1;
                key =
                    DrawNumber(0, 1) < 0.5 ? ClampKey(key + step * DrawNormal()) : DrawNumber(0, 1);
            }
            child.keys.push_back(key);
        }
        child.seconds = keys.Evaluate(child.keys);
        return child;
    }

    uint32_t m_population; //!< plans of a generation
    double m_elite;        //!< share that is kept
    double m_mutation;     //!< share of keys that change
    double m_inheritance;  //!< how often a key is the better parent's
};

NS_OBJECT_ENSURE_REGISTERED(GaPipelinePlanner);

} // namespace edgepipe
} // namespace ns3
