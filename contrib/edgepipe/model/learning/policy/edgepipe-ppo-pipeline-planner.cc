/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-policy-pipeline-planner.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace edgepipe
{

/**
 * Proximal policy optimisation (J. Schulman et al., "Proximal policy optimization algorithms",
 * arXiv:1707.06347, 2017), one of the planners that DGPAS compares itself with: several gradient
 * steps per batch of plans, with the loss clipped so that the policy does not move far from the one
 * that drew them. Decisions and reward are PolicyPipelinePlanner's.
 */
class PpoPipelinePlanner : public PolicyPipelinePlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        using P = PpoPipelinePlanner;
        static TypeId tid =
            TypeId("ns3::edgepipe::PpoPipelinePlanner")
                .SetParent<PolicyPipelinePlanner>()
                .SetGroupName("Edgepipe")
                .AddConstructor<PpoPipelinePlanner>()
                .AddAttribute("Clip",
                              "Furthest that the ratio of new to old probability may move from 1 "
                              "(Schulman et al.: 0.2).",
                              DoubleValue(0.2),
                              MakeDoubleAccessor(&P::m_clip),
                              MakeDoubleChecker<double>(0, 1000))
                .AddAttribute("Epochs",
                              "Gradient steps per batch of plans (ours).",
                              UintegerValue(6),
                              MakeUintegerAccessor(&P::m_epochs),
                              MakeUintegerChecker<uint32_t>(1, 10000));
        return tid;
    }

    std::string GetName() const override
    {
        return "ppo";
    }
};

NS_OBJECT_ENSURE_REGISTERED(PpoPipelinePlanner);

} // namespace edgepipe
} // namespace ns3
