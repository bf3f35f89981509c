/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_DADS_PLANNER_H
#define EDGEPIPE_DADS_PLANNER_H

#include "edgepipe-two-way-cut-planner.h"

#include <string>

namespace ns3
{
namespace edgepipe
{

/**
 * One minimum cut of the whole graph, as C. Hu, W. Bao, D. Wang, F. Liu, "Dynamic adaptive DNN
 * surgery for inference acceleration on the edge", IEEE INFOCOM 2019, do it.
 *
 * It takes the upload of the input for free and believes the times of layers run alone; a problem
 * without such counts with those in context. Its attributes take back the one (CountInput) or have
 * it believe otherwise (Belief). With the input counted and times in context it finds what
 * QdmpPlanner finds.
 */
class DadsPlanner : public TwoWayCutPlanner
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    TwoWayCutPlan DoPlan(const TwoWayCutProblem& problem) override;

    bool m_countInput;       //!< whether uploading the input costs what it costs
    std::string m_belief;    //!< see TwoWayCutBeliefs
    std::string m_algorithm; //!< how minimum cuts are found
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_DADS_PLANNER_H */
