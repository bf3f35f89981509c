/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_LISTED_STEPS_H
#define EDGEPIPE_LISTED_STEPS_H

#include "edgepipe-trace.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/** A value given as a list of steps. */
class ListedSteps : public StepSource
{
  public:
    /** @param steps all of them, see StepSource */
    explicit ListedSteps(std::vector<TraceStep> steps)
        : m_steps(std::move(steps))
    {
    }

    bool Next(TraceStep& step) override
    {
        if (m_next == m_steps.size())
        {
            return false;
        }
        step = m_steps[m_next++];
        return true;
    }

  private:
    std::vector<TraceStep> m_steps; //!< all
    std::size_t m_next{0};          //!< place of the next one
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_LISTED_STEPS_H */
