/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-step-cursor.h"

#include <utility>

namespace ns3::edgepipe
{

StepCursor::StepCursor(std::unique_ptr<StepSource> source)
    : m_source(std::move(source)),
      m_next{Time(), 0}
{
    Advance(Time());
}

void
StepCursor::Advance(const Time& time)
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

} // namespace ns3::edgepipe
