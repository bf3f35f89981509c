/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_STEP_CURSOR_H
#define EDGEPIPE_STEP_CURSOR_H

#include "ns3/edgepipe-trace.h"
#include "ns3/nstime.h"

#include <memory>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * The value of a StepSource that is in force, going forward in time.
 */
class StepCursor
{
  public:
    /**
     * @param source the values; its first step is in force at once
     */
    explicit StepCursor(std::unique_ptr<StepSource> source);

    /**
     * Go to the step in force.
     *
     * @param time when, not before the time of the last call
     */
    void Advance(const Time& time);

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

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_STEP_CURSOR_H */
