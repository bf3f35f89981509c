/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STEP_CURSOR_H
#define EDGEPIPE_STEP_CURSOR_H

#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"

#include <memory>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The present value of a StepSource, moving forward in time.
 */
class StepCursor
{
  public:
    /**
     * @param source the values; its first step is in force at once
     */
    explicit StepCursor(std::unique_ptr<StepSource> source)
        : m_source(std::move(source)),
          m_next{Time(), 0}
    {
        Advance(Time());
    }

    /**
     * Go to the step in force.
     *
     * @param time when, not before the time of the last call
     */
    void Advance(const Time& time)
    {
        while (m_next.time <= time)
        {
            m_value = m_next.value;
            if (!m_source->Next(m_next))
            {
                m_next = {Time::Max(), m_value};
            }
        }
    }

    /** @return the value of the step in force */
    double GetValue() const
    {
        return m_value;
    }

    /** @return when the next step begins, Time::Max() if there is none */
    Time GetNextTime() const
    {
        return m_next.time;
    }

  private:
    std::unique_ptr<StepSource> m_source; //!< the values
    double m_value{0};                    //!< in force
    TraceStep m_next;                     //!< the next one, at Time::Max() if there is none
};

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

#endif /* EDGEPIPE_STEP_CURSOR_H */
