// A custom planner: as many stages as there are devices, one layer each; the last takes the rest.
// To be found by name it only needs a TypeId with a constructor.

#include "ns3/edgepipe-pipeline-planner.h"

#include <algorithm>

using namespace ns3;
using namespace ns3::edgepipe;

/** Gives each device but the last one layer. */
class RoundRobinPlanner : public PipelinePlanner
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("RoundRobinPlanner")
                                .SetParent<PipelinePlanner>()
                                .AddConstructor<RoundRobinPlanner>();
        return tid;
    }

    std::string GetName() const override
    {
        return "round-robin";
    }

  private:
    PipelinePlan DoPlan(const PipelineProblem& problem, const PipelineCostModel&) override
    {
        PipelinePlan plan;
        const std::size_t stages = std::min(problem.devices.size(), problem.layers.size());
        for (std::size_t i = 0; i < stages; ++i)
        {
            plan.stages.push_back({i, i, i + 1 < stages ? i : problem.layers.size() - 1});
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(RoundRobinPlanner);
