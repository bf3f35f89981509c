/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-batch-shares-planner.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Gives every worker the same share of the base batch; the first ones take what is left over.
 */
class EqualSharesPlanner : public BatchSharesPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::EqualSharesPlanner")
                                .SetParent<BatchSharesPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<EqualSharesPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "equal";
    }

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override
    {
        return {SplitBatch(problem.baseBatch, std::vector<double>(problem.nodes.size(), 1))};
    }
};

NS_OBJECT_ENSURE_REGISTERED(EqualSharesPlanner);

/**
 * Splits the base batch in proportion to weights drawn uniformly from 0 to 1, anew each time.
 */
class RandomSharesPlanner : public BatchSharesPlanner
{
  public:
    /// @copydoc Planner::GetTypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::edgepipe::RandomSharesPlanner")
                                .SetParent<BatchSharesPlanner>()
                                .SetGroupName("Edgepipe")
                                .AddConstructor<RandomSharesPlanner>();
        return tid;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_weight->SetStream(stream);
        return 1;
    }

    std::string GetName() const override
    {
        return "random";
    }

  private:
    BatchSharesPlan DoPlan(const BatchSharesProblem& problem) override
    {
        std::vector<double> weights;
        for (std::size_t i = 0; i < problem.nodes.size(); ++i)
        {
            weights.push_back(m_weight->GetValue());
        }
        return {SplitBatch(problem.baseBatch, weights)};
    }

    Ptr<UniformRandomVariable> m_weight{
        MakeRandomVariable<UniformRandomVariable>(STREAMS.first)}; //!< of a node
};

NS_OBJECT_ENSURE_REGISTERED(RandomSharesPlanner);

} // namespace edgepipe
} // namespace ns3
