/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/edgepipe-trace-rows.h"

namespace ns3
{
namespace edgepipe
{

TraceRows::TraceRows(std::string path)
    : m_lines(std::move(path))
{
}

bool
TraceRows::Next(TraceRow& row)
{
    m_rowBefore = m_lines.GetPosition();
    if (!DoNext(row))
    {
        return false;
    }
    if (row.nanoseconds < m_previous)
    {
        m_lines.Fail("found a time before that of the line above, expected times that never go "
                     "back");
    }
    m_previous = row.nanoseconds;
    return true;
}

void
TraceRows::Mark()
{
    m_mark = m_rowBefore;
}

void
TraceRows::MarkHere()
{
    m_mark = m_lines.GetPosition();
}

void
TraceRows::Rewind()
{
    m_lines.Seek(m_mark);
    m_previous = 0;
}

bool
TraceRows::IsMeanOfEqualTimes() const
{
    return false;
}

const TraceLines&
TraceRows::GetLines() const
{
    return m_lines;
}

bool
TraceRows::NextLine(std::string_view& line)
{
    return m_lines.Next(line);
}

} // namespace edgepipe
} // namespace ns3
