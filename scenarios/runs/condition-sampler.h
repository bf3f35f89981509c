/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_CONDITION_SAMPLER_H
#define EDGEPIPE_CONDITION_SAMPLER_H

#include "runs/adaptive-options.h"
#include "runs/deployment.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace edgepipe
{

/** Looks now and then at bandwidth and load of a deployment, as no device could. */
class ConditionSampler
{
  public:
    /**
     * @param deployment whose devices have been added; must outlive this object
     * @param loaded devices whose shares are sampled
     * @param home device to whom bandwidth counts
     */
    ConditionSampler(const Deployment& deployment, std::vector<uint32_t> loaded, uint32_t home);
    ~ConditionSampler();
    // Events hold this object's address.
    ConditionSampler(const ConditionSampler&) = delete;
    ConditionSampler& operator=(const ConditionSampler&) = delete;

    /** @param interval between two samples, the first of which is taken now */
    void Start(const Time& interval);

    /** @return what was sampled */
    const std::vector<ConditionSample>& GetSamples() const;

  private:
    /** Take a sample, and the next one after the interval. */
    void Sample();

    const Deployment& m_deployment;         //!< looked at
    const std::vector<uint32_t> m_loaded;   //!< devices whose shares are sampled
    const uint32_t m_home;                  //!< to whom bandwidth counts
    Time m_interval;                        //!< between two samples
    EventId m_next;                         //!< next sample
    std::vector<ConditionSample> m_samples; //!< taken so far
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_CONDITION_SAMPLER_H */
