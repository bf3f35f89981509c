/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_GA_PIPELINE_PLANNER_H
#define EDGEPIPE_GA_PIPELINE_PLANNER_H

#include "edgepipe-search-pipeline-planner.h"

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;

  private:
    Candidate Search(PipelineKeys& keys) override;

    /**
     * @param generation sorted, the best first
     * @param keys plans
     * @return a child of two of them
     */
    Candidate MakeChild(const std::vector<Candidate>& generation, PipelineKeys& keys);

    uint32_t m_population; //!< plans of a generation
    double m_elite;        //!< share that is kept
    double m_mutation;     //!< share of keys that change
    double m_inheritance;  //!< how often a key is the better parent's
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_GA_PIPELINE_PLANNER_H */
